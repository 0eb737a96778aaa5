"""The perturbation algebra: every row is what its base sentence gives in its configuration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from probeta.errors import Fault
from probeta.records import Sentence
from probeta.validation.checks.loaded import SpanSet, place


def variant_faults(
    loaded: SpanSet, expected: Iterable[Sentence], *, dimensions: Sequence[str]
) -> Iterator[Fault]:
    """Compare the rows with ``expected``, the configurations made anew from the base sentences.

    ``dimensions`` are the columns that name a row's configuration.
    """
    rows = {row["id"]: (number, row) for number, row in enumerate(loaded.sentences)}
    bases = {row["base_id"] for row in loaded.sentences if row["operation"] is None}
    for number, row in enumerate(loaded.sentences):
        if row["base_id"] not in bases:
            yield Fault(
                code="base_unknown",
                message=f"{row['id']}: no base sentence has the id {row['base_id']}",
                **place("sentences", number, "base_id"),
            )
    made = set()
    for sentence in expected:
        made.add(sentence.id)
        if sentence.id not in rows:
            yield Fault(
                code="configuration_missing",
                message=f"the configuration {sentence.id} is missing",
                file="sentences",
                expected=sentence.text,
            )
            continue
        number, row = rows[sentence.id]
        for column, want in _columns(sentence, dimensions).items():
            if row[column] != want:
                yield Fault(
                    code="configuration_differs",
                    message=f"{sentence.id} is not what its base sentence gives",
                    **place("sentences", number, column),
                    expected=str(want),
                    found=str(row[column]),
                )
    for identifier, (number, _) in rows.items():
        if identifier not in made:
            yield Fault(
                code="configuration_unknown",
                message=f"no base sentence and configuration give {identifier}",
                **place("sentences", number, "id"),
            )


def _columns(sentence: Sentence, dimensions: Sequence[str]) -> Mapping[str, Any]:
    attributes = sentence.attributes
    return {
        "text": sentence.text,
        "spans": sentence.span_rows(),
        "base_id": attributes["base_id"],
        "operation": attributes.get("operation"),
        "parameters": attributes.get("parameters"),
        "duplicate_of": attributes.get("duplicate_of"),
        **{name: attributes.get(name) for name in dimensions},
    }
