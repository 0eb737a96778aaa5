"""The agreement report as lines of text for a terminal; rounding happens here and nowhere else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from probeta.validation.agreement.estimates import REASONS
from probeta.validation.annotations import doubtful_labels
from probeta.words import counted

#: More pairs than this are summed up in one line; all of them are in the JSON.
SHOWN_PAIRS = 20

#: More annotators than this are not all named in the first line.
SHOWN_NAMES = 12


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The report, table after table."""
    yield from _size(report)
    for warning in doubtful_labels(report["label_set"]["labels"]):
        yield f"! {warning}"
    for reason, count in report["dropped"].items():
        yield f"left out: {count} {reason}"
    for entry in report["folded"]:
        yield f"folded: {entry['from']!r} read as {entry['to']!r} ({entry['count']} times)"
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
            _estimate_row(name, estimate)
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
    if report["kind"] == "spans":
        yield from _tokens(report)
        yield from _span_labels(report["labels"])
        yield from _span_pairs(report["pairs"])
        yield from _span_annotators(report["annotators"])
    else:
        yield from _labels(report["labels"])
        yield from _pairs(report["pairs"])
        yield from _annotators(report["annotators"])
    if any(estimate["reason"] is None for estimate in report["self_agreement"].values()):
        yield from _titled(
            "with themselves, on repeated items",
            ("", "value", "low", "high", "items", "raters", ""),
            [_estimate_row(name, estimate) for name, estimate in report["self_agreement"].items()],
        )
    for column, groups in report["by"].items():
        yield from (_groups if report["kind"] == "labels" else _span_groups)(column, groups)
    if report["reference"] is not None:
        yield from (_reference if report["kind"] == "labels" else _gold)(report["reference"])
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
            f"{items['pairable']} items with two answers or more, {items['one_answer']} with one, "
            f"{items['without_answer']} with none; {items['without_span']} of the first without a span"
        )
    else:
        yield answers
        yield (
            f"{items['pairable']} items with two labels or more, {items['one_label']} with one, "
            f"{items['without_label']} with none"
        )


def named_annotators(names: Collection[str]) -> str:
    """How many annotators there are, and who: what was taken for an annotator is seen at once.

    >>> named_annotators(["eva", "luis"])
    '2 annotators (eva, luis)'
    """
    shown = [*sorted(names)[:SHOWN_NAMES], *(["…"] if len(names) > SHOWN_NAMES else [])]
    return f"{counted(len(names), 'annotator')} ({', '.join(shown)})"


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


def _gamma(record: Mapping[str, Any]) -> str:
    if record["reason"]:
        return f"gamma: undefined: {record['reason']} ({REASONS[record['reason']]})"
    return (
        f"gamma {number(record['value'])}, from {number(record['minimum'])} to {number(record['maximum'])} "
        f"over {record['seeds']} seeds, {record['samples']} samples a document, {record['items']} documents"
    )


def _tokens(report: Mapping[str, Any]) -> Iterator[str]:
    record = report["token_kappa"]
    if record["reason"] is not None:
        return
    yield ""
    yield (
        f"token kappa over {record['tokens']} tokens ({record['tokenizer']}), tags {record['scheme']}, "
        f"{100 * record['share_of_o']:.1f} % of them O, {record['unaligned']} spans with borders inside a token"
    )
    yield from table(
        ("under other cuts", "tokens", "kappa", ""),
        [
            (
                f"{row['tokenizer']}, {row['scheme']}",
                str(row["tokens"]),
                number(row["value"]),
                row["reason"] or "",
            )
            for row in report["token_kappa_under_other_cuts"]
        ],
    )


def _span_labels(labels: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield from _titled(
        "by label",
        ("label", "spans", "F1", "F1 relaxed", ""),
        [
            (
                name,
                str(row["spans"]),
                _with_interval(row["span_f1"]),
                _with_interval(row["span_f1_relaxed"]),
                row["span_f1"]["reason"] or "",
            )
            for name, row in labels.items()
        ],
    )


def _span_pairs(pairs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if len(pairs) > SHOWN_PAIRS:
        defined = sorted(pair["span_f1"] for pair in pairs if pair["span_f1"] is not None)
        yield ""
        yield (
            f"{len(pairs)} pairs, {sum(pair['items'] > 0 for pair in pairs)} with common items"
            + (f", F1 from {number(defined[0])} to {number(defined[-1])}" if defined else "")
            + " (all in --json)"
        )
        return
    yield from _titled(
        "pairs",
        ("pair", "items", "spans", "F1", "F1 relaxed", ""),
        [
            (
                f"{pair['first']} - {pair['second']}",
                str(pair["items"]),
                " / ".join(map(str, pair["spans"])),
                _with_interval({"value": pair["span_f1"], "low": pair["low"], "high": pair["high"]}),
                number(pair["span_f1_relaxed"]),
                pair["reason"] or "",
            )
            for pair in pairs
        ],
    )


def _span_annotators(annotators: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield from _titled(
        "annotators against the rest",
        ("annotator", "items", "spans", "F1", "F1 without", "change"),
        [
            (
                name,
                str(row["items"]),
                str(row["spans"]),
                number(row["span_f1"]),
                number(row["span_f1_without"]),
                "-" if row["change"] is None else f"{row['change']:+.3f}",
            )
            for name, row in annotators.items()
        ],
    )


def _span_groups(column: str, groups: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield from _titled(
        f"by {column}",
        (column, "items", "pairable", "spans", "F1", "F1 relaxed", ""),
        [
            (
                value,
                str(row["items"]),
                str(row["pairable"]),
                str(row["spans"]),
                _with_interval(row["span_f1"]),
                number(row["span_f1_relaxed"]["value"]),
                "few items" if row["few"] else "",
            )
            for value, row in groups.items()
        ],
    )


def _gold(record: Mapping[str, Any]) -> Iterator[str]:
    yield from _titled(
        f"with the reference spans ({record['column']})",
        ("annotator", "items", "F1", ""),
        [
            (name, str(row["items"]), number(row["span_f1"]), row["reason"] or "")
            for name, row in record["annotators"].items()
        ],
    )
