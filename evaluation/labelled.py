"""Pairs with their classes, and predictions brought to them by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from probeta.errors import DataError, Fault


class LabelledItem(NamedTuple):
    """A pair's id, its class and its attributes; the class is None where there is none."""

    id: str
    label: str | None
    attributes: Mapping[str, Any]


def matched_labels(
    gold: Sequence[LabelledItem],
    predicted: Sequence[LabelledItem],
    *,
    gold_file: str = "gold",
    file: str = "predictions",
) -> list[tuple[LabelledItem, str]]:
    """Each gold pair with its predicted class, by id.

    Raises a DataError with a fault for every pair without a prediction, every prediction without a pair,
    every doubled id and every missing class; ``row`` is the item's number, from 1.
    """
    faults = []

    def fault(
        code: str, message: str, row: int, expected: str, found: str, fix: str, place: str = file
    ) -> None:
        faults.append(
            Fault(code=code, message=message, file=place, row=row, expected=expected, found=found, fix=fix)
        )

    there: dict[str, str] = {}
    known = {item.id for item in gold}
    for number, item in enumerate(predicted, start=1):
        if item.id in there:
            fault(
                "duplicate_id",
                f"the id {item.id!r} stands twice",
                number,
                "one row an id",
                "a second one",
                "keep one of the two",
            )
        elif item.id not in known:
            fault(
                "unknown_item",
                f"item {number} of the predictions is not in the gold",
                number,
                "an id of the gold",
                repr(item.id),
                "score the predictions against the gold they were made for",
            )
        elif item.label is None:
            fault(
                "missing_label",
                f"item {number} of the predictions has no label",
                number,
                "a class in `label`",
                "none",
                "a classifier answers every pair",
            )
        there.setdefault(item.id, item.label or "")
    for number, item in enumerate(gold, start=1):
        if item.id not in there:
            fault(
                "missing_prediction",
                f"item {number} of the gold has no prediction",
                number,
                f"a row with the id {item.id!r} in {file}",
                "none",
                "a classifier answers every pair",
                gold_file,
            )
    if faults:
        raise DataError(faults)
    return [(item, there[item.id]) for item in gold]
