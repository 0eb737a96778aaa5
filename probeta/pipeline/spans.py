"""Make a span set: base sentences, every configuration, automatic attributes, tokens, counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from probeta import builtset
from probeta.builders.spans import attributes as automatic
from probeta.builders.spans import tables
from probeta.builders.spans.generate import generate_base
from probeta.builders.spans.grid import coverage_report
from probeta.builders.spans.perturb import perturbed
from probeta.builders.spans.stats import span_stats
from probeta.canary import canary
from probeta.errors import DataError, UsageError
from probeta.formats import tags
from probeta.pipeline.product import Options, Product
from probeta.publishing.folder import ConfigTables
from probeta.recipe import SpanRecipe
from probeta.records import Sentence
from probeta.signature import signature
from probeta.tokens import Tokenizer, align

#: A diagnostic set is a test set.
SPLIT = "test"


def make(recipe: SpanRecipe, options: Options) -> Product:
    """The configs ``sentences``, ``spans`` and ``tokens`` with the reports ``stats`` and ``coverage``."""
    if options.corpus:
        raise UsageError(f"{recipe.name} is made from templates; --corpus is for recipes that read documents")
    base = list(
        with_span_attributes(generate_base(recipe, seed=options.seed, per_cell=options.per_cell), recipe)
    )
    sentences = list(variants(base, recipe))
    columns = sentence_columns(recipe)
    names = span_columns(recipe)
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
    token_table = tables.token_table(sentences, labels=list(recipe.labels), tagger=Tagging(tokenizer))
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
    coverage = coverage_report(recipe, base)
    counted = ("base_sentences", "sentences", "base_spans", "spans", "tokens", "duplicates")
    return Product(
        configs=configs,
        reports={"stats": stats, "coverage": {"schema_version": 1, "signature": line, **coverage}},
        counts={name: stats[name] for name in counted},
        signature=line,
    )


class Tagging:
    """A sentence's tokens and IOB2 tags; a span that does not align is a DataError, never dropped."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def __call__(self, sentence: Sentence) -> tuple[list[str], list[str]]:
        """The tokens and their tags, of equal number."""
        text = sentence.text
        tokens = self._tokenizer(text)
        spans, faults = align(tokens, sentence.spans, text=text, row=sentence.id)
        if faults:
            raise DataError(faults)
        return [text[start:end] for start, end in tokens], tags.encode(spans, length=len(tokens))


def variants(base: Iterable[Sentence], recipe: SpanRecipe) -> Iterator[Sentence]:
    """Every base sentence in every configuration of the recipe's perturbation grid."""
    return perturbed(base, grid=recipe.perturbations.grid, policies=recipe.perturbations.policies)


def sentence_columns(recipe: SpanRecipe) -> list[str]:
    """Sentence attributes that are columns: the recipe's own, then the dimensions of its perturbations."""
    own = [name for name, attribute in recipe.attributes.items() if attribute.level == "sentence"]
    return [*own, *(name for name in recipe.perturbations.grid if name not in own)]


def span_columns(recipe: SpanRecipe) -> list[str]:
    """Span attributes that are columns: the recipe's, then the automatic ones that context does not vary."""
    own = [name for name, attribute in recipe.attributes.items() if attribute.level == "span"]
    return [*own, *(name for name in automatic.VALUES if name not in own and name in recipe.families)]


def with_span_attributes(base: Iterable[Sentence], recipe: SpanRecipe) -> Iterator[Sentence]:
    """Fill each span's automatic attributes where the author gave no value."""
    base = list(base)
    rows: Iterator[Mapping[str, Any]] = iter(automatic_rows(base, recipe))
    for sentence in base:
        given: Sequence[Mapping[str, Any]] = sentence.attributes.get("span_attributes") or ()
        filled = []
        for at, _ in enumerate(sentence.spans):
            own = given[at] if given else {}
            filled.append(next(rows) | {name: value for name, value in own.items() if value is not None})
        yield replace(sentence, attributes={**sentence.attributes, "span_attributes": tuple(filled)})


def automatic_rows(base: Iterable[Sentence], recipe: SpanRecipe) -> Iterator[dict[str, Any]]:
    """The automatic attributes of every span, by the families that the recipe names."""
    return automatic.attribute_rows(
        base,
        language=recipe.language,
        spelling=recipe.families.get("spelling"),
        ambiguity=recipe.families.get("ambiguity"),
        adjacency="adjacency" in recipe.type_rule or not recipe.type_rule,
    )
