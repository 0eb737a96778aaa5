"""Make a span set: base sentences, every configuration, automatic attributes, tokens, counts."""

from __future__ import annotations

from probeta import builtset
from probeta.builders.spans import made, tables
from probeta.builders.spans.content import load_content
from probeta.builders.spans.generate import generate_base
from probeta.builders.spans.grid import coverage_report, grid_faults
from probeta.builders.spans.stats import span_stats
from probeta.canary import canary
from probeta.errors import UsageError
from probeta.pipeline.product import Options, Product
from probeta.publishing.folder import ConfigTables
from probeta.recipe import SpanRecipe
from probeta.signature import signature
from probeta.tokens import Tokenizer

#: A diagnostic set is a test set.
SPLIT = "test"


def make(recipe: SpanRecipe, options: Options) -> Product:
    """The configs ``sentences``, ``spans`` and ``tokens`` with the reports ``stats`` and ``coverage``."""
    if options.corpus:
        raise UsageError(f"{recipe.name} is made from templates; --corpus is for recipes that read documents")
    content = load_content(recipe)
    drawn = generate_base(recipe, seed=options.seed, per_cell=options.per_cell, content=content)
    base = list(made.with_span_attributes(drawn, recipe))
    sentences = list(made.variants(base, recipe))
    columns = made.sentence_columns(recipe)
    names = made.span_columns(recipe)
    tokenizer = Tokenizer(recipe.language)
    mark = canary(recipe.name, recipe.version)
    line = signature(
        {
            "data": f"{recipe.name}-{recipe.version}",
            "seed": options.seed,
            "per_cell": options.per_cell,
            "tokenizer": tokenizer.name,
        }
    )
    token_table = tables.token_table(sentences, labels=list(recipe.labels), tagger=made.Tagging(tokenizer))
    stats = span_stats(
        sentences,
        tokens=token_table.column("tokens").to_pylist(),
        sentence_attributes=columns,
        span_attributes=names,
        signature=line,
    )
    configs = [
        ConfigTables(
            name="sentences",
            features=builtset.sentence_features(columns),
            splits={SPLIT: tables.sentence_table(sentences, attributes=columns, canary=mark)},
        ),
        ConfigTables(
            name="spans",
            features=builtset.span_features(names),
            splits={SPLIT: tables.span_table(sentences, attributes=names)},
        ),
        ConfigTables(
            name="tokens",
            features=builtset.token_features(list(recipe.labels)),
            splits={SPLIT: token_table},
        ),
    ]
    coverage = coverage_report(recipe, base, content=content)
    counted = ("base_sentences", "sentences", "base_spans", "spans", "tokens", "duplicates")
    return Product(
        configs=configs,
        reports={"stats": stats, "coverage": {**coverage, "signature": line}},
        counts={name: stats[name] for name in counted},
        signature=line,
        warnings=[
            f"{fault.message}: expected {fault.expected}, found {fault.found}"
            for fault in grid_faults(recipe, base)
        ],
    )
