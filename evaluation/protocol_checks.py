"""The checks that a protocol declares: of the data before scoring, of the result after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from probeta.errors import Fault
from probeta.evaluation.items import Item, Matched, row_of
from probeta.evaluation.protocol import Protocol
from probeta.evaluation.scoring import SpanScores, item_attributes
from probeta.evaluation.units import MISSING


def value_faults(
    protocol: Protocol, items: Sequence[Item], order: Mapping[str, Sequence[str]], *, file: str
) -> list[Fault]:
    """Under a check ``every_value``, a fault for each item without the attribute or with an undeclared one."""
    faults = []
    of_item = item_attributes(items)
    for check in protocol.checks:
        if check.check != "every_value" or check.attribute is None:
            continue
        declared = order.get(check.attribute)
        column = of_item.get(check.attribute, [MISSING] * len(items))
        for number, value in enumerate(column, start=1):
            if value == MISSING or (declared and value not in declared):
                faults.append(
                    Fault(
                        code="attribute_value",
                        message=f"item {number} has no {check.attribute} that is declared",
                        file=file,
                        row=row_of(items[number - 1], number),
                        column=check.attribute,
                        expected=", ".join(declared) if declared else f"a value of {check.attribute}",
                        found="none" if value == MISSING else repr(value),
                        fix=f"give every item its {check.attribute}, or declare the value in the recipe",
                    )
                )
    return faults


def notices(
    protocol: Protocol,
    scores: SpanScores,
    systems: Mapping[str, Matched],
    order: Mapping[str, Sequence[str]],
) -> list[dict[str, Any]]:
    """What the checks say of each system: their message with the counts or scores it is about."""
    found = []
    for check in protocol.checks:
        for name, one in scores.systems.items():
            if check.check == "near_misses":
                found.append(
                    {
                        "check": check.check,
                        "system": name,
                        "message": check.message,
                        "counts": near_misses(systems[name]),
                    }
                )
            elif check.attribute is not None and check.attribute in one.by:
                cells = {cell.name: cell for cell in one.by[check.attribute]}
                rates = {value: cell.counts.f1 for value, cell in cells.items()}
                absent = [value for value in order.get(check.attribute, ()) if value not in cells]
                found.append(
                    {
                        "check": check.check,
                        "system": name,
                        "message": check.message,
                        "attribute": check.attribute,
                        "f1": rates,
                        "absent": absent,
                    }
                )
    return found


def near_misses(matched: Matched) -> dict[str, int]:
    """Predictions that a strict score counts as errors though they overlap a gold span.

    ``boundaries``: they overlap one with the same label; ``label``: they have the boundaries of one with
    another label; ``both``: they overlap one, and neither boundaries nor label are right.
    """
    counts = {"boundaries": 0, "label": 0, "both": 0}
    for one, other in zip(matched.gold, matched.predicted, strict=True):
        right = set(one.spans)
        for span in set(other.spans) - right:
            over = [gold for gold in right if gold.start < span.end and span.start < gold.end]
            if any((gold.start, gold.end) == (span.start, span.end) for gold in over):
                counts["label"] += 1
            elif any(gold.label == span.label for gold in over):
                counts["boundaries"] += 1
            elif over:
                counts["both"] += 1
    return counts
