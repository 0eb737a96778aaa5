"""From sentences to the Arrow tables of a span set: the configs ``sentences``, ``spans`` and ``tokens``.

A sentence's attribute ``span_attributes`` is a tuple of mappings, one for each span; it fills the config
``spans`` and is no column of ``sentences``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from probeta import builtset
from probeta.hashing import text_hash
from probeta.records import Sentence

if TYPE_CHECKING:
    import pyarrow as pa

#: What turns a sentence into its tokens and IOB2 tags.
Tagger = Callable[[Sentence], tuple[list[str], list[str]]]


def sentence_table(sentences: Sequence[Sentence], *, attributes: Sequence[str], canary: str) -> pa.Table:
    """The config ``sentences``; ``attributes`` are the sentence attributes that become columns."""
    import pyarrow as pa

    names = [*attributes, *builtset.SENTENCE_COLUMNS[4:]]
    rows = []
    for sentence in sentences:
        row: dict[str, Any] = {
            "id": sentence.id,
            "base_id": sentence.attributes.get("base_id") or sentence.id,
            "text": sentence.text,
            "spans": sentence.span_rows(),
        }
        row |= {name: sentence.attributes.get(name) for name in names}
        row |= {"text_hash": text_hash(sentence.text), "canary": canary}
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=builtset.sentence_features(attributes).arrow_schema)


def span_table(sentences: Sequence[Sentence], *, attributes: Sequence[str]) -> pa.Table:
    """The config ``spans``, one row a span, numbered from 0 in each sentence."""
    import pyarrow as pa

    rows = []
    for sentence in sentences:
        features: Sequence[Mapping[str, Any]] = sentence.attributes.get("span_attributes") or ()
        for number, span in enumerate(sentence.span_rows()):
            own = features[number] if features else {}
            row = {"id": sentence.id, "span": number, **span}
            row |= {name: own.get(name) for name in attributes}
            rows.append(row)
    return pa.Table.from_pylist(rows, schema=builtset.span_features(attributes).arrow_schema)


def token_table(sentences: Sequence[Sentence], *, labels: Sequence[str], tagger: Tagger) -> pa.Table:
    """The config ``tokens``: IOB2 tags as class numbers over ``labels`` in their declared order."""
    import pyarrow as pa

    features = builtset.token_features(labels)
    number = {name: at for at, name in enumerate(features["tags"].feature.names)}
    rows = []
    for sentence in sentences:
        tokens, tags = tagger(sentence)
        rows.append({"id": sentence.id, "tokens": tokens, "tags": [number[tag] for tag in tags]})
    return pa.Table.from_pylist(rows, schema=features.arrow_schema)
