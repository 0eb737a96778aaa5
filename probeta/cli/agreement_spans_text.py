"""The parts of an agreement report that concern spans, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from probeta.cli.aligned import SHOWN_PAIRS, number, table, titled, with_interval


def tokens(report: Mapping[str, Any]) -> Iterator[str]:
    """What token kappa stands on, and what it would be under other cuts."""
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


def labels(labels: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """F1 by label."""
    yield from titled(
        "by label",
        ("label", "spans", "F1", "F1 relaxed", ""),
        [
            (
                name,
                str(row["spans"]),
                with_interval(row["span_f1"]),
                with_interval(row["span_f1_relaxed"]),
                row["span_f1"]["reason"] or "",
            )
            for name, row in labels.items()
        ],
    )


def pairs(pairs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """F1 of every pair of annotators, or of many pairs their range."""
    if len(pairs) > SHOWN_PAIRS:
        defined = sorted(pair["span_f1"] for pair in pairs if pair["span_f1"] is not None)
        yield ""
        yield (
            f"{len(pairs)} pairs, {sum(pair['items'] > 0 for pair in pairs)} with common items"
            + (f", F1 from {number(defined[0])} to {number(defined[-1])}" if defined else "")
            + " (all in --json)"
        )
        return
    yield from titled(
        "pairs",
        ("pair", "items", "spans", "F1", "F1 relaxed", ""),
        [
            (
                f"{pair['first']} - {pair['second']}",
                str(pair["items"]),
                " / ".join(map(str, pair["spans"])),
                with_interval({"value": pair["span_f1"], "low": pair["low"], "high": pair["high"]}),
                number(pair["span_f1_relaxed"]),
                pair["reason"] or "",
            )
            for pair in pairs
        ],
    )


def annotators(annotators: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Each annotator against the others."""
    yield from titled(
        "annotators against the rest",
        ("annotator", "items", "spans", "F1", "F1 without", "change"),
        [
            (
                name,
                str(row["items"]),
                str(row["spans"]),
                number(row["span_f1"]),
                number(row["span_f1_without"]),
                "-" if row["change"] is None else f"{row['change']:+z.3f}",
            )
            for name, row in annotators.items()
        ],
    )


def groups(column: str, groups: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """F1 in each group of items."""
    yield from titled(
        f"by {column}",
        (column, "items", "pairable", "spans", "F1", "F1 relaxed", ""),
        [
            (
                value,
                str(row["items"]),
                str(row["pairable"]),
                str(row["spans"]),
                with_interval(row["span_f1"]),
                number(row["span_f1_relaxed"]["value"]),
                "few items" if row["few"] else "",
            )
            for value, row in groups.items()
        ],
    )


def reference(record: Mapping[str, Any]) -> Iterator[str]:
    """Each annotator against the reference spans."""
    yield from titled(
        f"with the reference spans ({record['column']})",
        ("annotator", "items", "F1", ""),
        [
            (name, str(row["items"]), number(row["span_f1"]), row["reason"] or "")
            for name, row in record["annotators"].items()
        ],
    )
