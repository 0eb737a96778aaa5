"""The agreement report as lines of text for a terminal; rounding happens here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from probeta.validation.agreement.estimates import REASONS

#: More pairs than this are summed up in one line; all of them are in the JSON.
SHOWN_PAIRS = 20


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The report, table after table."""
    items = report["items"]
    raters = len(report["annotators"])
    yield f"{items['total']} items, {raters} annotators, {report['annotations']} answers"
    yield (
        f"{items['pairable']} items with two answers or more, {items['one_label']} with one, "
        f"{items['without_label']} with none"
    )
    for reason, count in report["dropped"].items():
        yield f"left out: {count} {reason}"
    for entry in report["folded"]:
        yield f"folded: {entry['from']!r} read as {entry['to']!r} ({entry['count']} times)"
    label_set = report["label_set"]
    yield f"labels ({'declared' if label_set['declared'] else 'as found'}): {', '.join(label_set['labels'])}"
    yield from _intervals(report["intervals"])
    yield ""
    yield from table(
        ("coefficient", "value", "low", "high", "items", "raters", ""),
        [_estimate_row(name, estimate) for name, estimate in report["coefficients"].items()],
    )
    yield from _labels(report["labels"])
    yield from _pairs(report["pairs"])
    yield from _annotators(report["annotators"])
    if report["self_agreement"]["percent_agreement"]["reason"] is None:
        yield from _titled(
            "with themselves, on repeated items",
            ("", "value", "low", "high", "items", "raters", ""),
            [_estimate_row(name, estimate) for name, estimate in report["self_agreement"].items()],
        )
    for column, groups in report["by"].items():
        yield from _groups(column, groups)
    if report["reference"] is not None:
        yield from _reference(report["reference"])
    if "cross_check" in report:
        yield from _cross_check(report["cross_check"])
    yield ""
    yield report["signature"]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Columns aligned: the first to the left, numbers to the right, the last as it is."""
    cells = [tuple(header), *map(tuple, rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    for row in cells:
        padded = [
            cell.ljust(width) if column in (0, len(header) - 1) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(padded).rstrip()


def number(value: float | None, digits: int = 3) -> str:
    """A value as printed; an undefined one is a dash."""
    return "-" if value is None else f"{value:.{digits}f}"


def _titled(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield ""
    yield title
    yield from table(header, rows)


def _estimate_row(name: str, estimate: Mapping[str, Any]) -> tuple[str, ...]:
    remarks = []
    if estimate["reason"]:
        remarks.append(f"undefined: {estimate['reason']} ({REASONS[estimate['reason']]})")
        if estimate["observed"] is not None:
            remarks.append(f"observed agreement {number(estimate['observed'])}")
    elif estimate["interval_reason"] not in (None, "not_requested"):
        remarks.append(f"no interval: {REASONS[estimate['interval_reason']]}")
    if estimate["undefined_resamples"]:
        remarks.append(f"{estimate['undefined_resamples']} resamples undefined")
    if estimate["note"]:
        remarks.append(estimate["note"])
    return (
        name,
        number(estimate["value"]),
        number(estimate["low"]),
        number(estimate["high"]),
        str(estimate["items"]),
        str(estimate["raters"]),
        "; ".join(remarks),
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


def _labels(labels: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield from _titled(
        "by label",
        ("label", "count", "share", "specific", "kappa pooled", "kappa one-vs-rest"),
        [
            (
                name,
                str(row["count"]),
                number(row["share"]),
                number(row["specific_agreement"]["value"]),
                _with_interval(row["kappa_pooled"]),
                _with_interval(row["kappa_one_vs_rest"]),
            )
            for name, row in labels.items()
        ],
    )


def _with_interval(estimate: Mapping[str, Any]) -> str:
    if estimate["low"] is None:
        return number(estimate["value"])
    return f"{number(estimate['value'])} [{number(estimate['low'])}, {number(estimate['high'])}]"


def _pairs(pairs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if len(pairs) > SHOWN_PAIRS:
        compared = [pair for pair in pairs if pair["items"]]
        defined = sorted(pair["kappa"] for pair in compared if pair["kappa"] is not None)
        yield ""
        yield (
            f"{len(pairs)} pairs, {len(compared)} with common items, {len(defined)} with a kappa"
            + (f" from {number(defined[0])} to {number(defined[-1])}" if defined else "")
            + " (all in --json)"
        )
        return
    yield from _titled(
        "pairs",
        ("pair", "items", "agreement", "kappa", ""),
        [
            (
                f"{pair['first']} - {pair['second']}",
                str(pair["items"]),
                number(pair["percent_agreement"]),
                _with_interval({"value": pair["kappa"], "low": pair["low"], "high": pair["high"]}),
                pair["reason"] or "",
            )
            for pair in pairs
        ],
    )


def _annotators(annotators: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    if not annotators:
        return
    yield from _titled(
        "annotators against the rest",
        ("annotator", "labels", "shared", "agreement", "kappa", "with majority", "alpha without", "change"),
        [
            (
                name,
                str(row["labels"]),
                str(row["common_items"]),
                number(row["percent_agreement"]),
                number(row["kappa"]),
                number(row["with_majority"]),
                number(row["alpha_without"]),
                "-" if row["change"] is None else f"{row['change']:+.3f}",
            )
            for name, row in annotators.items()
        ],
    )


def _groups(column: str, groups: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield from _titled(
        f"by {column}",
        (column, "items", "pairable", "agreement", "fleiss", "ac1", "alpha", ""),
        [
            (
                value,
                str(row["items"]),
                str(row["pairable"]),
                number(row["percent_agreement"]["value"]),
                number(row["fleiss_kappa"]["value"]),
                number(row["gwet_ac1"]["value"]),
                _with_interval(row["krippendorff_alpha"]),
                "few items" if row["few"] else "",
            )
            for value, row in groups.items()
        ],
    )


def _reference(record: Mapping[str, Any]) -> Iterator[str]:
    left_out = record["left_out"]
    yield from _titled(
        f"with the reference label ({record['column']})",
        ("", "value", "low", "high", "items", "raters", ""),
        [
            _estimate_row(title, record[key])
            for title, key in (
                ("alpha among annotators", "alpha_annotators"),
                ("alpha with the reference as a coder", "alpha_with_reference"),
                ("kappa of reference and majority", "kappa_majority"),
            )
        ],
    )
    yield (
        f"left out of the last: {left_out['ties']} ties, {left_out['no_votes']} without votes, "
        f"{left_out['no_reference']} without reference"
    )


def _cross_check(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield from _titled(
        "cross-check",
        ("coefficient", "library", "ours", "theirs", "difference", ""),
        [
            (
                row["coefficient"],
                row["library"],
                number(row["ours"], 6),
                number(row["theirs"], 6),
                "-" if row["difference"] is None else f"{row['difference']:.1e}",
                row["reason"] or (f"largest of {row['pairs']} pairs" if "pairs" in row else ""),
            )
            for row in rows
        ],
    )
