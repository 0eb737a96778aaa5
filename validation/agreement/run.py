"""From a file to an agreement report: what the command ``probeta agree`` calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from probeta import atomic
from probeta.errors import UsageError, one_of
from probeta.validation.agreement.coding import DUPLICATE_POLICIES, from_table
from probeta.validation.agreement.crosscheck import cross_check
from probeta.validation.agreement.gamma import gamma
from probeta.validation.agreement.intervals import Interval
from probeta.validation.agreement.report import Choices, label_report
from probeta.validation.agreement.span_report import read_answers, span_report
from probeta.validation.agreement.study import Study
from probeta.validation.agreement.tokens import SCHEMES
from probeta.validation.agreement.weights import LEVELS, WEIGHTS
from probeta.validation.annotations import Layout, read

METHODS = ("bootstrap", "two_way", "analytic", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeOptions:
    """The command's options, as given; ``columns`` names the long form's columns by their role."""

    annotations: Path
    wide: bool = False
    items: Path | None = None
    by: Sequence[str] = ()
    reference: str | None = None
    cluster: str | None = None
    labels: Sequence[str] | None = None
    level: str = "nominal"
    weights: str | None = None
    missing: str | None = None
    fold: Sequence[str] = ()
    duplicates: str = "error"
    method: str = "bootstrap"
    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95
    columns: Mapping[str, str] = field(default_factory=dict)
    annotators: Sequence[str] = ()
    language: str | None = None
    scheme: str = "IO"
    gamma: bool = False
    cross_check: bool = False
    out: Path | None = None


def run(options: AgreeOptions) -> dict[str, Any]:
    """Read, compute, write the report where asked for (in a campaign folder always), and return it."""
    one_of(options.level, LEVELS, what="level")
    one_of(options.duplicates, DUPLICATE_POLICIES, what="policy for duplicates")
    one_of(options.method, METHODS, what="interval")
    one_of(options.scheme, SCHEMES, what="label scheme")
    if options.weights is not None:
        one_of(options.weights, WEIGHTS, what="weights")
    used = (
        *options.by,
        *(name for name in (options.reference, options.cluster) if name not in (None, "item")),
    )
    layout = Layout(
        wide=options.wide,
        annotators=options.annotators,
        attributes=tuple(name for name in used if name != "perturbation") if options.items is None else (),
        missing=options.missing,
        **options.columns,
    )
    table = read(options.annotations, layout=layout, items=options.items)
    choices = Choices(
        labels=options.labels,
        fold=fold_map(options.fold),
        missing=options.missing,
        duplicates=cast(Any, options.duplicates),
        level=options.level,
        weights=options.weights,
        interval=Interval(
            method=cast(Any, options.method),
            resamples=options.resamples,
            seed=options.seed,
            confidence=options.confidence,
        ),
        cluster=options.cluster,
        by=options.by,
        reference=options.reference,
        language=options.language,
        scheme=options.scheme,
    )
    if table.kind == "spans":
        report = span_report(table, choices)
        if options.gamma:
            report["coefficients"]["gamma"] = gamma(read_answers(table, choices)[0], seed=options.seed)
    else:
        report = label_report(table, choices)
    if options.gamma and table.kind != "spans":
        raise UsageError(f"{table.name}: gamma is for spans, and the table holds labels")
    if options.cross_check and table.kind == "labels":
        coded = from_table(
            table.rows,
            labels=choices.labels or table.labels,
            fold=choices.fold,
            missing=choices.missing,
            duplicates=choices.duplicates,
        )
        report["cross_check"] = cross_check(Study(coded, level=choices.level, weights=choices.weights))
    out = options.out
    if out is None and options.annotations.is_dir():
        out = options.annotations / "reports" / "agreement.json"
    if out is not None:
        write_report(out, report)
    return report


def write_report(path: Path, report: Mapping[str, Any]) -> None:
    """Write a report as JSON, whole or not at all; NaN in it is a programming error."""
    atomic.write_text(path, json.dumps(report, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def fold_map(pairs: Sequence[str]) -> dict[str, str]:
    """The folding declared as ``written=meant``.

    >>> fold_map(["Neutral=neutral"])
    {'Neutral': 'neutral'}
    """
    found = {}
    for pair in pairs:
        written, mark, meant = pair.partition("=")
        if not mark or not meant or not written:
            raise UsageError(f"--fold {pair!r}: expected written=meant")
        found[written] = meant
    return found
