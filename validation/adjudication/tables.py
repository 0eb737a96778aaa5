"""Retention by class and by any item column, beside chance, with sums that are checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from probeta.errors import Fault
from probeta.rates import wilson
from probeta.validation.adjudication.ledger import Entry, Ledger
from probeta.validation.aggregation.votes import State

#: A row with fewer items is flagged.
FEW = 30

#: The counts of a row that must add up to the total's.
SUMMED = ("sent", "two_or_more", "ties", "kept")


def retention(entries: Sequence[Entry], ledger: Ledger) -> dict[str, Any]:
    """Counts and retention of some entries.

    ``sent`` items, of which ``two_or_more`` have two labels or more; ``ties``; ``kept``, its share of
    those sent with Wilson's interval; ``chance_retention`` is the mean chance of being kept if the
    annotators of each item had voted blindly (null for spans, where there is no finite set to draw from).
    """
    kept = sum(entry.kept for entry in entries)
    bounds = wilson(kept, len(entries))
    chance = None
    if ledger.kind == "labels" and entries:
        rule, labels = ledger.rule, len(ledger.labels)
        chance = sum(
            rule.chance(votes=entry.number, abstained=len(entry.abstained), labels=labels)
            for entry in entries
        ) / len(entries)
    return {
        "sent": len(entries),
        "two_or_more": sum(entry.number > 1 for entry in entries),
        "ties": sum(entry.state is State.TIE for entry in entries),
        "kept": kept,
        "retention": kept / len(entries) if entries else None,
        "low": None if bounds is None else bounds.low,
        "high": None if bounds is None else bounds.high,
        "chance_retention": chance,
        "few": len(entries) < FEW,
    }


def table(
    ledger: Ledger,
    groups: Mapping[str, Sequence[int]],
    *,
    alpha: Callable[[Sequence[int]], Mapping[str, Any]] | None = None,
) -> dict[str, dict[str, Any]]:
    """One row a group of entries (by position), with alpha over the group's items where it is given."""
    rows = {}
    for value, members in groups.items():
        row = retention([ledger.entries[index] for index in members], ledger)
        if alpha is not None:
            row["krippendorff_alpha"] = dict(alpha(members))
        rows[value] = row
    return rows


def sum_faults(
    tables: Mapping[str, Mapping[str, Mapping[str, Any]]],
    total: Mapping[str, int],
    *,
    columns: Sequence[str] = SUMMED,
) -> list[Fault]:
    """A fault for every table and count whose rows do not add up to the total.

    >>> [fault.found for fault in sum_faults({"class": {"a": {"kept": 2}}}, {"kept": 3}, columns=["kept"])]
    ['2']
    """
    faults = []
    for name, rows in tables.items():
        for column in columns:
            added = sum(row[column] for row in rows.values())
            if added != total[column]:
                faults.append(
                    Fault(
                        code="table_sum",
                        message=f"the rows of the table by {name} do not add up to the total",
                        file=name,
                        column=column,
                        expected=str(total[column]),
                        found=str(added),
                    )
                )
    return faults
