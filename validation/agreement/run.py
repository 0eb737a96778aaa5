"""From a file to an agreement report: what the command ``probeta agree`` calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from probeta import atomic
from probeta.errors import DataError, Fault, UsageError, one_of
from probeta.tables import read_table
from probeta.validation.agreement.crosscheck import cross_check
from probeta.validation.agreement.gamma import gamma
from probeta.validation.agreement.intervals import Interval
from probeta.validation.agreement.labelset import unknown_label
from probeta.validation.agreement.report import ORIGINAL, Choices, code, label_report
from probeta.validation.agreement.span_report import read_answers, span_report, tokenizer
from probeta.validation.agreement.spansets import overlapping
from probeta.validation.agreement.study import Study
from probeta.validation.agreement.tokens import SCHEMES, tag
from probeta.validation.agreement.weights import LEVELS, WEIGHTS
from probeta.validation.annotations import Annotations, Source, folding, read_source, refuse

METHODS = ("bootstrap", "two_way", "analytic", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeOptions(Source):
    """The command's options, as given."""

    cluster: str | None = None
    level: str = "nominal"
    weights: str | None = None
    method: str = "bootstrap"
    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95
    scheme: str = "IO"
    gamma: bool = False
    cross_check: bool = False
    out: Path | None = None


def run(options: AgreeOptions) -> dict[str, Any]:
    """Read, compute, write the report where asked for (in a campaign folder always), and return it."""
    if not _is_file(options.level):
        one_of(options.level, LEVELS, what="level")
    one_of(options.method, METHODS, what="interval")
    one_of(options.scheme, SCHEMES, what="label scheme")
    if options.weights is not None and not _is_file(options.weights):
        one_of(options.weights, WEIGHTS, what="weights")
    grouped = options.cluster is not None and options.cluster != "item"
    fold = folding(options.fold)
    table = read_source(options, used=[options.cluster] if grouped and options.cluster else [])
    refuse(table, "labels", {"--level": options.level != "nominal", "--weights": options.weights is not None})
    refuse(
        table,
        "spans",
        {
            "--gamma": options.gamma,
            "--language": options.language is not None,
            "--scheme": options.scheme != "IO",
        },
    )
    reference = options.reference
    if reference is None and options.annotations.is_dir() and ORIGINAL in table.items.columns:
        # A campaign keeps the original labels apart; nobody has to name them.
        reference = ORIGINAL
    labels, matrices = options.labels, {}
    for name, value in (("level", options.level), ("weights", options.weights)):
        if value is not None and _is_file(value):
            labels, matrices[name] = read_matrix(Path(value), labels=labels)
    choices = Choices(
        labels=labels,
        fold=fold,
        missing=options.missing,
        duplicates=cast(Any, options.duplicates),
        level=matrices.get("level", options.level),
        weights=matrices.get("weights", options.weights),
        interval=Interval(
            method=cast(Any, options.method),
            resamples=options.resamples,
            seed=options.seed,
            confidence=options.confidence,
        ),
        cluster=options.cluster,
        by=options.by,
        reference=reference,
        language=options.language,
        scheme=options.scheme,
    )
    if table.kind == "spans":
        report = span_report(table, choices)
        if options.gamma:
            report["coefficients"]["gamma"] = gamma(
                read_answers(table, choices)[0], seed=options.seed, interval=choices.interval
            )
    else:
        report = label_report(table, choices)
    if options.cross_check:
        report["cross_check"] = cross_check(_checked(table, choices))
    out = options.out
    if out is None and options.annotations.is_dir():
        out = options.annotations / "reports" / "agreement.json"
    if out is not None:
        write_report(out, report)
    return report


def _checked(table: Annotations, choices: Choices) -> Study:
    """What a cross-check compares: the labels, or for spans the tags of their tokens."""
    if table.kind == "labels":
        return Study(code(table, choices, clusters=None), level=choices.level, weights=choices.weights)
    answers, _ = read_answers(table, choices)
    if answers.texts is None or overlapping(answers).any():
        raise UsageError(
            f"{table.name}: spans are cross-checked by the tags of their tokens, which needs texts (--items) "
            "and spans that do not overlap"
        )
    return Study(tag(answers, tokenizer(table, choices), scheme=choices.scheme).coded)


def read_matrix(path: Path, *, labels: Sequence[str] | None) -> tuple[tuple[str, ...], npt.NDArray[Any]]:
    """A matrix of weights or distances: a column ``label``, then one column a label; rows in any order.

    Without ``labels`` the columns' order is the declared one. A label without a row, a cell that is no
    number and a set other than ``labels`` are faults.
    """
    table = read_table(path, required=("label", *(labels or ())))
    names = tuple(labels) if labels is not None else tuple(name for name in table.columns if name != "label")
    faults = []
    place = {name: number for number, name in enumerate(names)}
    matrix = np.full((len(names), len(names)), np.nan)
    for row in table:
        number = place.get(row["label"])
        if number is None:
            faults.append(unknown_label(row["label"], names, file=str(path), row=row.line))
            continue
        for name in names:
            try:
                matrix[number, place[name]] = float(row[name])
            except ValueError:
                faults.append(
                    Fault(
                        code="number",
                        message="the cell is no number",
                        file=str(path),
                        row=row.line,
                        column=name,
                        found=repr(row[name]),
                    )
                )
    given = {row["label"] for row in table}
    faults += [
        Fault(code="missing_row", message="a label has no row", file=str(path), column="label", expected=name)
        for name in names
        if name not in given
    ]
    if faults:
        raise DataError(faults)
    return names, matrix


def write_report(path: Path, report: Mapping[str, Any]) -> None:
    """Write a report as JSON, whole or not at all; NaN in it is a programming error."""
    atomic.write_text(path, json.dumps(report, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def _is_file(value: str) -> bool:
    """Whether an option names a file with a matrix rather than one of the known names."""
    return value.lower().endswith((".csv", ".tsv", ".xlsx"))
