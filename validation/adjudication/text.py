"""The report of an adjudication as lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from probeta.validation.agreement.text import named_annotators, number, table
from probeta.validation.annotations import doubtful_labels
from probeta.words import counted


def lines(report: Mapping[str, Any], *, annotators: Collection[str]) -> Iterator[str]:
    """The report, table after table; it does not name the annotators itself, since it is published."""
    yield f"{report['kept']} of {counted(report['items'], 'item')} kept, {counted(report['ties'], 'tie')}"
    yield named_annotators(annotators)
    for warning in doubtful_labels(list(report["gold"])):
        yield f"! {warning}"
    yield f"{report['rule']}; method {report['method']}"
    if report["retention"] is not None:
        chance = report["chance_retention"]
        beside = "" if chance is None else f"; annotators who vote blindly would give {percent(chance)}"
        yield (
            f"retention {percent(report['retention'])} "
            f"({percent(report['low'])} to {percent(report['high'])}){beside}"
        )
    yield ""
    yield from table(
        ("reason", "items", ""),
        [(reason, str(count), report["reasons"][reason]) for reason, count in report["by_reason"].items()],
    )
    for name, rows in report["tables"].items():
        yield ""
        yield f"by {name}"
        yield from table(
            (name, "sent", "two or more", "ties", "kept", "retention", "interval", "chance", "alpha", ""),
            [
                (
                    value,
                    str(row["sent"]),
                    str(row["two_or_more"]),
                    str(row["ties"]),
                    str(row["kept"]),
                    percent(row["retention"]),
                    f"{percent(row['low'])} - {percent(row['high'])}",
                    percent(row["chance_retention"]),
                    number(row.get("krippendorff_alpha", {}).get("value")),
                    "few items" if row["few"] else "",
                )
                for value, row in rows.items()
            ],
        )
        yield f"sums: {sum(row['sent'] for row in rows.values())} sent, {sum(row['kept'] for row in rows.values())} kept"
    reliability = report["reliability"]
    whole, kept = reliability["unfiltered"], reliability["kept_only"]
    yield ""
    yield (
        f"{reliability['measure']} over all items {_interval(whole)}; "
        f"over kept items {number(kept['value'])} (inflated by the selection, not to be quoted)"
    )
    if "conflicts" in report:
        counts = report["conflicts"]
        yield (
            f"conflicts: {counts['boundary']} of boundary, {counts['label']} of label, "
            f"{counts['missing']} spans that some did not mark"
        )
    yield f"{report['disagreements']} items with disagreement"
    yield ""
    yield report["signature"]


def percent(share: float | None) -> str:
    """A share in percent, one digit; an undefined one is a dash."""
    return "-" if share is None else f"{100 * share:.1f} %"


def _interval(estimate: Mapping[str, Any]) -> str:
    if estimate["value"] is None:
        return f"undefined ({estimate['reason']})"
    if estimate["low"] is None:
        return number(estimate["value"])
    return f"{number(estimate['value'])} [{number(estimate['low'])}, {number(estimate['high'])}]"
