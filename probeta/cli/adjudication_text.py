"""The report of an adjudication as lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from probeta.cli.aligned import named_annotators, number, table, with_interval
from probeta.cli.tabular import share
from probeta.validation.annotations import doubtful_labels
from probeta.words import counted


def lines(report: Mapping[str, Any], *, annotators: Collection[str]) -> Iterator[str]:
    """The report, table after table; it does not name the annotators itself, since it is published."""
    yield f"{report['kept']} of {counted(report['items'], 'item')} kept, {counted(report['ties'], 'tie')}"
    yield named_annotators(annotators)
    for warning in doubtful_labels(list(report["gold"])):
        yield f"! {warning}"
    if decided := report["decisions"]["items"]:
        yield f"{counted(decided, 'item')} decided by adjudicators, {report['decisions']['kept']} of them kept"
    for note in report["notes"]:
        yield f"! {note}"
    yield f"{report['rule']}; method {report['method']}"
    if report["retention"] is not None:
        chance = report["chance_retention"]
        beside = "" if chance is None else f"; annotators who vote blindly would give {share(chance)}"
        yield (
            f"retention {share(report['retention'])} "
            f"({share(report['low'])} to {share(report['high'])}){beside}"
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
                    share(row["retention"]),
                    f"{share(row['low'])} - {share(row['high'])}",
                    share(row["chance_retention"]),
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
    yield f"{counted(report['disagreements'], 'item')} with disagreement"
    yield ""
    yield report["signature"]


def _interval(estimate: Mapping[str, Any]) -> str:
    return f"undefined ({estimate['reason']})" if estimate["value"] is None else with_interval(estimate)
