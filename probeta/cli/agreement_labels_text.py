"""The parts of an agreement report that concern labels, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from probeta.cli.aligned import SHOWN_PAIRS, estimate_row, number, titled, with_interval


def labels(labels: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Counts, specific agreement and both kappas of every label."""
    yield from titled(
        "by label",
        ("label", "count", "share", "specific", "kappa pooled", "kappa one-vs-rest"),
        [
            (
                name,
                str(row["count"]),
                number(row["share"]),
                number(row["specific_agreement"]["value"]),
                with_interval(row["kappa_pooled"]),
                with_interval(row["kappa_one_vs_rest"]),
            )
            for name, row in labels.items()
        ],
    )


def pairs(pairs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Kappa of every pair of annotators, or of many pairs their range."""
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
    yield from titled(
        "pairs",
        ("pair", "items", "agreement", "kappa", ""),
        [
            (
                f"{pair['first']} - {pair['second']}",
                str(pair["items"]),
                number(pair["percent_agreement"]),
                with_interval({"value": pair["kappa"], "low": pair["low"], "high": pair["high"]}),
                pair["reason"] or "",
            )
            for pair in pairs
        ],
    )


def annotators(annotators: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Each annotator against the rest."""
    if not annotators:
        return
    yield from titled(
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
                "-" if row["change"] is None else f"{row['change']:+z.3f}",
            )
            for name, row in annotators.items()
        ],
    )


def groups(column: str, groups: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The main coefficients in each group of items."""
    yield from titled(
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
                with_interval(row["krippendorff_alpha"]),
                "few items" if row["few"] else "",
            )
            for value, row in groups.items()
        ],
    )


def reference(record: Mapping[str, Any]) -> Iterator[str]:
    """The reference label as one more coder, and against the majority."""
    left_out = record["left_out"]
    yield from titled(
        f"with the reference label ({record['column']})",
        ("", "value", "low", "high", "items", "raters", ""),
        [
            estimate_row(title, record[key])
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
