"""A validation in a built set holds together: its rows are the set's, its counts are its report's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from probeta import builtset
from probeta.errors import Fault
from probeta.validation.adjudication.rules import KEPT_REASONS, REASONS
from probeta.validation.annotations import STATUSES

#: What an annotator is called in a published set.
PSEUDONYM = re.compile(r"annotator-\d{2,}")

REPORT = "reports/adjudication.json"


def validated_faults(folder: Path, *, source: str, labels: Sequence[str]) -> Iterator[Fault]:
    """Every fault of the configs ``annotations`` and ``validated``; nothing where neither is there.

    ``source`` is the config whose rows were annotated. Items and texts must be the set's, names
    pseudonyms, labels declared, an item kept exactly where its reason says so, and the counts those of
    ``reports/adjudication.json``.
    """
    there = builtset.configs(folder)
    if not {"annotations", "validated"} & set(there):
        return
    for config in ("annotations", "validated"):
        if config not in there:
            yield Fault(
                code="config_missing",
                message="the set is validated, and a config is missing",
                file=config,
                fix="validate the set again: probeta adjudicate … --into",
            )
            return
    own = {row["id"]: row for row in builtset.read(folder, source).to_pylist()}
    answers = builtset.read(folder, "annotations").to_pylist()
    items = builtset.read(folder, "validated").to_pylist()
    yield from _answer_faults(answers, set(own), labels)
    yield from _item_faults(items, own, labels)
    yield from _report_faults(folder, items)


def _answer_faults(rows: Sequence[dict[str, Any]], ids: set[str], labels: Sequence[str]) -> Iterator[Fault]:
    for number, row in enumerate(rows, start=1):
        wrong = [
            ("item", "unknown_item", "the item is not in the set", row["item"] not in ids),
            ("annotator", "pseudonym", "the name is no pseudonym", not PSEUDONYM.fullmatch(row["annotator"])),
            ("status", "status", "the status is unknown", row["status"] not in STATUSES),
            ("label", "unknown_label", "the label is not declared", row["label"] not in (None, *labels)),
            (
                "spans",
                "unknown_label",
                "a span's label is not declared",
                any(span["label"] not in labels for span in row["spans"] or ()),
            ),
        ]
        for column, code, message, holds in wrong:
            if holds:
                yield Fault(
                    code=code,
                    message=message,
                    file="annotations",
                    row=number,
                    column=column,
                    found=str(row[column])[:60],
                )


def _item_faults(
    rows: Sequence[dict[str, Any]], own: dict[str, dict[str, Any]], labels: Sequence[str]
) -> Iterator[Fault]:
    seen: set[str] = set()
    for number, row in enumerate(rows, start=1):

        def fault(code: str, message: str, column: str, number: int = number, row: Any = row) -> Fault:
            found = str(row.get(column))[:60]
            return Fault(code=code, message=message, file="validated", row=number, column=column, found=found)

        if row["id"] in seen:
            yield fault("duplicate_id", "the item stands twice", "id")
        seen.add(row["id"])
        there = own.get(row["id"])
        if there is None:
            yield fault("unknown_item", "the item is not in the set", "id")
            continue
        for column, value in there.items():
            if row[column] != value:
                yield fault("row_differs", "the value is not that of the item in the set", column)
        if row["reason"] not in REASONS:
            yield fault("reason", "the reason is unknown", "reason")
        elif row["kept"] != (row["reason"] in KEPT_REASONS):
            yield fault("kept", "the item is kept or not against its reason", "kept")
        gold = row["gold"]
        given = [gold] if isinstance(gold, str) else [span["label"] for span in gold or ()]
        if not set(given) <= set(labels):
            yield fault("unknown_label", "the gold label is not declared", "gold")
        if row["kept"] and gold is None:
            yield fault("gold_missing", "the item is kept without gold", "gold")


def _report_faults(folder: Path, rows: Sequence[dict[str, Any]]) -> Iterator[Fault]:
    if not (folder / REPORT).is_file():
        yield Fault(code="report_missing", message="the set is validated without its report", file=REPORT)
        return
    report = builtset.record(folder, REPORT)
    found = {
        "items": len(rows),
        "kept": sum(row["kept"] for row in rows),
        "by_reason": dict(sorted(Counter(row["reason"] for row in rows).items())),
    }
    for name, value in found.items():
        if report.get(name) != value:
            yield Fault(
                code="report_count",
                message="the report does not count what is in the config validated",
                file=REPORT,
                column=name,
                expected=str(value),
                found=str(report.get(name)),
            )
