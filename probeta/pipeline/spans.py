"""Make a span set: base sentences, every configuration, automatic attributes, tokens, counts."""

from __future__ import annotations

import tempfile
from pathlib import Path

from probeta.builders.spans import made, tables
from probeta.builders.spans.content import Content, load_content
from probeta.builders.spans.generate import generate_base, held_back_base
from probeta.builders.spans.grid import coverage_report, grid_faults
from probeta.builders.spans.sentences import SPLIT
from probeta.builders.spans.stats import span_stats
from probeta.pipeline.product import Options, Product
from probeta.pipeline.spanset import COUNTED, span_configs
from probeta.recipe import SpanRecipe
from probeta.signature import signature
from probeta.tables import read_table, write_table
from probeta.tokens import Tokenizer


def make(recipe: SpanRecipe, options: Options) -> Product:
    """The configs ``sentences``, ``spans`` and ``tokens`` with the reports ``stats`` and ``coverage``.

    Rows of a split that is held back become a split of their own in each config. They are in no report, and
    the recipe's tables in ``build/`` lack them.
    """
    content = load_content(recipe)
    drawn = generate_base(recipe, seed=options.seed, per_cell=options.per_cell, content=content)
    base = list(made.with_span_attributes(drawn, recipe))
    splits = {SPLIT: list(made.variants(base, recipe, seed=options.seed))}
    hidden = held_back_base(content)
    for split, rows in hidden.items():
        splits[split] = list(
            made.variants(made.with_span_attributes(rows, recipe), recipe, seed=options.seed)
        )
    columns = made.sentence_columns(recipe)
    names = made.span_columns(recipe)
    tokenizer = Tokenizer(recipe.language, any_language=True)
    line = signature(
        {
            "data": f"{recipe.name}-{recipe.version}",
            "seed": options.seed,
            "per_cell": options.per_cell,
            "tokenizer": tokenizer.name,
        }
    )
    tagger = made.Tagging(tokenizer)
    token_tables = {
        split: tables.token_table(sentences, labels=list(recipe.labels), tagger=tagger)
        for split, sentences in splits.items()
    }
    stats = span_stats(
        splits[SPLIT],
        tokens=token_tables[SPLIT].column("tokens").to_pylist(),
        sentence_attributes=columns,
        span_attributes=names,
        signature=line,
    )
    configs = span_configs(recipe, splits, token_tables=token_tables)
    coverage = coverage_report(recipe, base, content=content)
    return Product(
        configs=configs,
        reports={"stats": stats, "coverage": {**coverage, "signature": line}},
        texts=public_tables(recipe, content),
        counts={
            **{name: stats[name] for name in COUNTED},
            **({"held_back": {split: len(rows) for split, rows in hidden.items()}} if hidden else {}),
        },
        signature=line,
        warnings=[
            f"{fault.message}: expected {fault.expected}, found {fault.found}"
            for fault in grid_faults(recipe, base)
        ],
    )


def public_tables(recipe: SpanRecipe, content: Content) -> dict[str, str | bytes]:
    """The sentence tables of ``build/`` that hold rows which are held back, without those rows."""
    hidden = {template.row.id for template in content.held_back}
    found: dict[str, str | bytes] = {}
    for file in dict.fromkeys(recipe.sentences):
        table = read_table(recipe.path(file), required=["id"], name=recipe.shown(file))
        kept = [row.values for row in table if row["id"].strip() not in hidden]
        if len(kept) < len(table.rows):
            with tempfile.TemporaryDirectory(prefix="probeta-") as place:
                copy = Path(place) / Path(file).name
                write_table(copy, columns=table.columns, rows=kept)
                found[f"build/{file}"] = copy.read_bytes()
    return found
