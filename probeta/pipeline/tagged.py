"""Make a span set out of a tagged corpus: its sentences with their own tokens, ways of writing, counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from probeta.builders.spans import made, tables
from probeta.builders.spans.corpus import read_tagged_corpus
from probeta.builders.spans.dimensions import family_faults, perturbation_faults
from probeta.builders.spans.stats import span_stats
from probeta.errors import DataError, UsageError
from probeta.hashing import text_hash
from probeta.pipeline.product import Options, Product
from probeta.pipeline.spanset import COUNTED, span_configs
from probeta.recipe import TaggedRecipe
from probeta.records import Sentence
from probeta.signature import signature


def make(recipe: TaggedRecipe, options: Options) -> Product:
    """The configs ``sentences``, ``spans`` and ``tokens``, the report ``stats``, and one an attribute.

    ``by_<attribute>`` has the counts of each value of a sentence attribute with declared values.
    """
    if not options.corpus:
        raise UsageError(f"{recipe.name} reads a corpus that is not shipped; name its folder: --corpus DIR")
    if faults := [*perturbation_faults(recipe), *family_faults(recipe)]:
        raise DataError(faults)
    read = read_tagged_corpus(options.corpus, recipe, labels=options.labels)
    splits = {
        split: list(made.variants(made.with_span_attributes(base, recipe), recipe, seed=options.seed))
        for split, base in sorted(read.items())
    }
    taggers = {split: made.KeptTokens(base) for split, base in read.items()}
    columns, names, labels = made.sentence_columns(recipe), made.span_columns(recipe), list(recipe.labels)
    token_tables = {
        split: tables.token_table(sentences, labels=labels, tagger=taggers[split])
        for split, sentences in splits.items()
    }
    # Reports are published: they count nothing of what is held back.
    public = [split for split in splits if split not in recipe.card.hold_back]
    everything = [sentence for split in public for sentence in splits[split]]
    tokens = [row for split in public for row in token_tables[split].column("tokens").to_pylist()]
    hashes = [sentence.id + text_hash(sentence.text) for base in read.values() for sentence in base]
    line = signature(
        {
            "data": f"{recipe.name}-{recipe.version}",
            "corpus": text_hash(*sorted(hashes)),
            "seed": options.seed,
            "tokenizer": "the corpus's own tokens",
        }
    )
    stats = span_stats(
        everything, tokens=tokens, sentence_attributes=columns, span_attributes=names, signature=line
    )
    stats["splits"] = {
        split: sum(1 for s in sentences if s.attributes.get("operation") is None)
        for split, sentences in splits.items()
        if split in public
    }
    reports: dict[str, dict[str, Any]] = {"stats": stats}
    for name, attribute in recipe.attributes.items():
        if attribute.level == "sentence" and attribute.values is not None:
            reports[f"by_{name}"] = {
                "schema_version": stats["schema_version"],
                "signature": line,
                "attribute": name,
                "values": by_value(everything, tokens, name, list(attribute.values), labels),
            }
    return Product(
        configs=span_configs(recipe, splits, token_tables=token_tables),
        reports=reports,
        counts={name: stats[name] for name in COUNTED},
        signature=line,
        command=["--corpus", "DIR", *(["--labels", ",".join(options.labels)] if options.labels else [])],
    )


def by_value(
    sentences: Sequence[Sentence],
    tokens: Sequence[Sequence[str]],
    attribute: str,
    values: Sequence[str],
    labels: Sequence[str],
) -> dict[str, dict[str, Any]]:
    """Base sentences, tokens and spans by label for each value, those without a sentence too."""
    found: dict[str, dict[str, Any]] = {
        value: {"sentences": 0, "tokens": 0, "spans": 0, "labels": dict.fromkeys(labels, 0)}
        for value in values
    }
    for sentence, words in zip(sentences, tokens, strict=True):
        if sentence.attributes.get("operation") is not None:
            continue
        row = found[sentence.attributes[attribute]]
        row["sentences"] += 1
        row["tokens"] += len(words)
        row["spans"] += len(sentence.spans)
        for span in sentence.spans:
            row["labels"][span.label] += 1
    return found
