"""Declared attributes against automatic ones: a disagreement needs a reason in the lexicon."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from probeta.errors import Fault
from probeta.validation.checks.loaded import SpanSet, place


def declared_faults(
    loaded: SpanSet,
    automatic: Iterable[Mapping[str, Any]],
    *,
    compared: Sequence[str],
    excused: Mapping[tuple[str, int], str],
) -> Iterator[Fault]:
    """Compare the config ``spans`` with the automatic attributes of the base sentences.

    ``automatic`` has one row a span (``item``, ``start`` and the attributes), ``compared`` names the
    attributes, ``excused`` gives the author's reason for a span of a base sentence, by (base id, number).
    """
    sentences = {row["id"]: row for row in loaded.sentences}
    by_place = {(row["item"], row["start"]): row for row in automatic}
    for number, row in enumerate(loaded.spans):
        sentence = sentences.get(row["id"])
        if sentence is None or sentence["operation"] is not None:
            continue
        found = by_place.get((sentence["base_id"], row["start"]))
        if found is None or (sentence["base_id"], row["span"]) in excused:
            continue
        for name in compared:
            # An attribute of the recipe's own has no automatic value.
            computed = found.get(name)
            if row[name] is not None and computed is not None and row[name] != computed:
                yield Fault(
                    code="attribute_differs",
                    message=f"{row['id']}: {row['text']!r} is declared {name} {row[name]}",
                    **place("spans", number, name),
                    expected=computed,
                    found=row[name],
                    fix="mend the claim, or give a reason in the lexicon",
                )


def constant_faults(loaded: SpanSet, *, names: Sequence[str]) -> Iterator[Fault]:
    """A span keeps its attributes in every configuration of its base sentence."""
    sentences = {row["id"]: row for row in loaded.sentences}
    first: dict[tuple[str, int], tuple[str, dict[str, Any]]] = {}
    for number, row in enumerate(loaded.spans):
        sentence = sentences.get(row["id"])
        if sentence is None:
            continue
        own = {name: row[name] for name in names}
        origin, expected = first.setdefault((sentence["base_id"], row["span"]), (row["id"], own))
        for name in names:
            if own[name] != expected[name]:
                yield Fault(
                    code="attribute_varies",
                    message=f"{row['id']}: {name} is not what {origin} has",
                    **place("spans", number, name),
                    expected=str(expected[name]),
                    found=str(own[name]),
                )


def value_faults(
    rows: Sequence[Mapping[str, Any]], *, config: str, values: Mapping[str, Sequence[str] | None]
) -> Iterator[Fault]:
    """Every attribute has a declared value."""
    for number, row in enumerate(rows):
        for name, allowed in values.items():
            if row[name] is None:
                yield Fault(
                    code="attribute_missing",
                    message=f"{row['id']} has no {name}",
                    **place(config, number, name),
                )
            elif allowed is not None and row[name] not in allowed:
                yield Fault(
                    code="attribute_value",
                    message=f"{row['id']}: {name} has no such value",
                    **place(config, number, name),
                    expected=", ".join(allowed),
                    found=str(row[name]),
                )
