"""Counts of a span set: the report ``stats``, from which the card and the summary take every number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from probeta.records import Sentence

SCHEMA_VERSION = 1


def span_stats(
    sentences: Sequence[Sentence],
    *,
    tokens: Sequence[Sequence[str]],
    sentence_attributes: Sequence[str],
    span_attributes: Sequence[str],
    signature: str,
) -> dict[str, Any]:
    """Count sentences, spans, tokens, labels, attribute values and configurations.

    ``tokens`` are the sentences' tokens, in the same order. A base sentence is one whose ``operation``
    is null; ``composition`` counts the spans of base sentences by attribute value, ``perturbations`` the
    rows by sentence attribute value.
    """
    base = [s for s in sentences if s.attributes.get("operation") is None]
    lengths = [
        len(words)
        for sentence, words in zip(sentences, tokens, strict=True)
        if sentence.attributes.get("operation") is None
    ]
    composition: dict[str, Counter[str]] = {name: Counter() for name in span_attributes}
    for sentence in base:
        for own in sentence.attributes.get("span_attributes") or ():
            for name in span_attributes:
                if own.get(name) is not None:
                    composition[name][str(own[name])] += 1
    perturbations = {
        name: Counter(str(s.attributes[name]) for s in sentences if s.attributes.get(name) is not None)
        for name in sentence_attributes
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "signature": signature,
        "base_sentences": len(base),
        "sentences": len(sentences),
        "spans": sum(len(s.spans) for s in sentences),
        "base_spans": sum(len(s.spans) for s in base),
        "tokens": sum(map(len, tokens)),
        "duplicates": sum(1 for s in sentences if s.attributes.get("duplicate_of")),
        "base_tokens": {
            "mean": round(sum(lengths) / len(lengths), 2) if lengths else None,
            "min": min(lengths, default=None),
            "max": max(lengths, default=None),
        },
        "labels": _sorted(Counter(span.label for s in sentences for span in s.spans)),
        "composition": {name: _sorted(counts) for name, counts in composition.items()},
        "perturbations": {name: _sorted(counts) for name, counts in perturbations.items()},
        "topics": _sorted(Counter(str(s.attributes["topic"]) for s in base if s.attributes.get("topic"))),
    }


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: counts[name] for name in sorted(counts)}
