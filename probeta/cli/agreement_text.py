"""The agreement report as lines of text for a terminal; rounding happens here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from probeta.cli import agreement_labels_text as labels_text
from probeta.cli import agreement_spans_text as spans_text
from probeta.cli.aligned import estimate_row, named_annotators, number, table, titled, with_interval
from probeta.validation.agreement.estimates import REASONS
from probeta.validation.annotations import doubtful_labels
from probeta.words import counted


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The report, table after table."""
    yield from _size(report)
    for warning in doubtful_labels(report["label_set"]["labels"]):
        yield f"! {warning}"
    for note in report["notes"]:
        yield f"! {note}"
    for reason, count in report["dropped"].items():
        yield f"left out: {count} {reason}"
    for entry in report["folded"]:
        yield f"folded: {entry['from']!r} read as {entry['to']!r} in {counted(entry['count'], 'answer')}"
    label_set = report["label_set"]
    yield f"labels ({'declared' if label_set['declared'] else 'as found'}): {', '.join(label_set['labels'])}"
    yield from _intervals(report["intervals"])
    yield ""
    sampled = report["coefficients"].get("gamma")
    of_two = [
        name
        for name, estimate in report["coefficients"].items()
        if estimate is not sampled and estimate["reason"] == "not_two_raters"
    ]
    yield from table(
        ("coefficient", "value", "low", "high", "items", "raters", ""),
        [
            estimate_row(name, estimate)
            for name, estimate in report["coefficients"].items()
            if estimate is not sampled and name not in of_two
        ],
    )
    if of_two:
        yield (
            f"undefined: not_two_raters ({REASONS['not_two_raters']}): {', '.join(of_two)}; "
            "fleiss_kappa, conger_kappa and gwet_ac2 are for more"
        )
    if sampled is not None:
        yield _gamma(sampled)
    parts = spans_text if report["kind"] == "spans" else labels_text
    if report["kind"] == "spans":
        yield from spans_text.tokens(report)
    yield from parts.labels(report["labels"])
    yield from parts.pairs(report["pairs"])
    yield from parts.annotators(report["annotators"])
    if any(estimate["reason"] is None for estimate in report["self_agreement"].values()):
        yield from titled(
            "with themselves, on repeated items",
            ("", "value", "low", "high", "items", "raters", ""),
            [estimate_row(name, estimate) for name, estimate in report["self_agreement"].items()],
        )
    for column, groups in report["by"].items():
        yield from parts.groups(column, groups)
    if report["reference"] is not None:
        yield from parts.reference(report["reference"])
    if "cross_check" in report:
        yield from _cross_check(report["cross_check"])
    yield ""
    yield report["signature"]


def _size(report: Mapping[str, Any]) -> Iterator[str]:
    items = report["items"]
    answers = (
        f"{counted(items['total'], 'item')}, {named_annotators(report['annotators'])}, "
        f"{counted(report['annotations'], 'answer')}"
    )
    if report["kind"] == "spans":
        yield f"{answers}, {counted(report['spans'], 'span')}"
        yield (
            f"{counted(items['pairable'], 'item')} with two answers or more, {items['one_answer']} with one, "
            f"{items['without_answer']} with none; {items['without_span']} of the first without a span"
        )
    else:
        yield answers
        yield (
            f"{counted(items['pairable'], 'item')} with two labels or more, {items['one_label']} with one, "
            f"{items['without_label']} with none"
        )


def _intervals(record: Mapping[str, Any]) -> Iterator[str]:
    if record["method"] == "none":
        return
    percent = f"{100 * record['confidence']:g} %"
    unit = record["unit"] if record["unit"] == "item" else f"{record['clusters']} groups of {record['unit']}"
    if record["method"] == "analytic":
        yield f"{percent} intervals: linearised variance by {unit}; {record['why']}"
    else:
        how = "two-way bootstrap" if record["method"] == "two_way" else "bootstrap"
        yield (
            f"{percent} intervals: {how} by {unit}, {record['resamples']} resamples, seed {record['seed']}; "
            f"{record['why']}"
        )


def _gamma(record: Mapping[str, Any]) -> str:
    if record["reason"]:
        return f"gamma: undefined: {record['reason']} ({REASONS[record['reason']]})"
    why = record["interval_reason"]
    missing = "" if why in (None, "not_requested") else f" (no interval: {REASONS[why]})"
    return (
        f"gamma {with_interval(record)}{missing}, from {number(record['minimum'])} to "
        f"{number(record['maximum'])} over {record['seeds']} seeds, {record['samples']} samples a document, "
        f"{counted(record['items'], 'document')}"
    )


def _cross_check(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    apart: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row["theirs"] is None:
            apart.setdefault((row["library"], row["reason"]), []).append(row["coefficient"])
    yield from titled(
        "cross-check",
        ("coefficient", "library", "ours", "theirs", "difference", ""),
        [
            (
                row["coefficient"],
                row["library"],
                number(row["ours"], 6),
                number(row["theirs"], 6),
                "-" if row["difference"] is None else f"{row['difference']:.1e}",
                row["reason"] or (f"largest of {counted(row['pairs'], 'pair')}" if "pairs" in row else ""),
            )
            for row in rows
            if row["theirs"] is not None
        ],
    )
    for (library, reason), names in apart.items():
        yield f"not compared with {library} ({reason}): {', '.join(names)}"
