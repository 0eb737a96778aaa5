"""Recall on a corpus that a system has not seen, from its recall per cell of a test set.

The method is that of the BLAS paper, section 5.2: each span of the corpus counts as found with the
recall of its cell; the sum over all spans is the predicted recall. A cell that the test set does not
have follows a stated fallback and is listed with its spans.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from probeta import tables
from probeta.builders.spans.attributes import VALUES
from probeta.errors import DataError, Fault, UsageError, nearest
from probeta.evaluation.betabinomial import central_interval, found_spans
from probeta.evaluation.intervals import Interval
from probeta.evaluation.units import MISSING, text

_OWN_COLUMNS = ("system", "n", "recall")

#: No corpus has more; numbers up to here are exact in every library.
MOST_SPANS = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class CellRate:
    """A system's ``recall`` (0 to 1) on ``support`` test spans with these ``values``; others are any.

    ``row`` is the line of the table that it stands in, if it stands in one.
    """

    values: Mapping[str, str]
    support: int
    recall: float
    row: int | None = field(default=None, compare=False)

    def fits(self, span: Mapping[str, str]) -> bool:
        """Whether a span with these attributes belongs to the cell."""
        return all(span.get(name) == value for name, value in self.values.items())


class Rewrite(NamedTuple):
    """A fallback: ``attribute`` with one of ``values`` (None: any other) is looked up as ``to``."""

    attribute: str
    values: Sequence[str] | None
    to: str


#: In this order: what natural text has and a test set of whole configurations has not.
FALLBACKS: Sequence[Rewrite] = (
    Rewrite("quotes", ("left", "right"), "without"),
    Rewrite("casing", ("lower",), "standard"),
    Rewrite("casing", ("other",), "span_title"),
)
#: Last, for a cell that is still missing.
LAST_FALLBACK = Rewrite("position", None, "mid")


class Lookup(NamedTuple):
    """The cell that stands for a span, and how it was reached; None: the span's own cell."""

    rate: CellRate
    fallback: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """A combination of values that the test set does not have, its spans and what stood in for it."""

    values: Mapping[str, str]
    spans: int
    fallback: str

    def to_json(self) -> dict[str, Any]:
        """The cell, its number of spans, the fallback in words."""
        return {"cell": dict(self.values), "spans": self.spans, "fallback": self.fallback}


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """A predicted recall with its interval; None where the corpus has no span."""

    predicted: float | None
    interval: Interval | None
    spans: int
    unseen: Sequence[Unseen]


def read_rates(path: Path) -> dict[str, list[CellRate]]:
    """Systems' cells from a table ``system, <attributes>, n, recall``; a blank attribute is any value.

    Raises a DataError with every fault: a number that is none, a recall that is a percentage, a cell
    that stands twice.
    """
    table = tables.read_table(path, required=_OWN_COLUMNS)
    attributes = [column for column in table.columns if column not in _OWN_COLUMNS]
    found: dict[str, list[CellRate]] = {}
    seen: set[tuple[str, ...]] = set()
    faults = []
    for row in table:

        def fault(
            column: str, message: str, expected: str, fix: str | None = None, row: tables.Row = row
        ) -> None:
            faults.append(
                Fault(
                    code="cell",
                    message=message,
                    file=table.file,
                    row=row.line,
                    column=column,
                    expected=expected,
                    found=row[column],
                    fix=fix,
                )
            )

        support, recall = _number(row["n"]), _number(row["recall"])
        if not row["system"]:
            fault("system", "the row names no system", "a name")
            continue
        if support is None or not 0 <= support < MOST_SPANS or support != int(support):
            fault("n", "the number of spans is no whole number", f"0 to {MOST_SPANS:,}")
            continue
        if support == 0:
            continue
        if recall is None or not 0 <= recall <= 1:
            percent = recall is not None and 1 < recall <= 100
            fault(
                "recall",
                "the recall is no fraction",
                "0 to 1",
                "divide percentages by 100" if percent else None,
            )
            continue
        key = (row["system"], *(row[name] for name in attributes))
        if key in seen:
            fault("system", "the cell stands twice", "one row a system and cell", "keep one of the two")
            continue
        seen.add(key)
        values = {name: row[name] for name in attributes if row[name]}
        found.setdefault(row["system"], []).append(
            CellRate(values=values, support=int(support), recall=recall, row=row.line)
        )
    if faults:
        raise DataError(faults)
    if not found:
        raise DataError(Fault(code="cell", message="no row has a system's recall", file=table.file))
    return found


def value_faults(
    rates: Mapping[str, Sequence[CellRate]], spans: Iterable[Mapping[str, Any]], *, file: str | None = None
) -> list[Fault]:
    """A fault for each value of an automatic attribute that it cannot have and no span has, once a value.

    Other attributes are the corpora's own: a value that they lack is no error, since a test set may well
    hold regions or topics that a corpus does not.
    """
    named = {name for cells in rates.values() for cell in cells for name in cell.values} & VALUES.keys()
    known = {name: {*VALUES[name], MISSING} for name in named}
    for span in spans:
        for name in named:
            known[name].add(text(span.get(name)))
    faults: dict[tuple[str, str], Fault] = {}
    for cell in (cell for cells in rates.values() for cell in cells):
        for name, value in cell.values.items():
            if name in named and value not in known[name] and (name, value) not in faults:
                hint = nearest(value, known[name])
                faults[name, value] = Fault(
                    code="cell_value",
                    message=f"{name} has no such value",
                    file=file,
                    row=cell.row,
                    column=name,
                    expected=", ".join([*VALUES[name], *sorted(known[name] - {*VALUES[name], MISSING})]),
                    found=value,
                    fix=f"write {hint}" if hint else "a blank cell means any value",
                )
    return list(faults.values())


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value == value else None


def look_up(rates: Sequence[CellRate], span: Mapping[str, str]) -> Lookup:
    """The cell for a span: its own, else by the fallbacks one after another, else a coarser one.

    A span's own cell names a value for every attribute that any cell of the system names. A coarser one
    names fewer (the row of a casing, say), and the one that names most is taken. Where nothing fits, the
    rate of all own cells together stands in.

    >>> cells = [CellRate(values={"quotes": "with"}, support=10, recall=0.9),
    ...          CellRate(values={"quotes": "without"}, support=10, recall=0.5)]
    >>> look_up(cells, {"quotes": "left"})[1]
    'quotes left as without'
    """
    full = {name for rate in rates for name in rate.values}
    complete = [rate for rate in rates if rate.values.keys() == full]
    tried = {name: span[name] for name in sorted(full) if name in span}
    steps: list[str] = []
    for rewrite in (None, *FALLBACKS):
        if rewrite is not None:
            _apply(rewrite, tried, steps)
        for rate in complete:
            if rate.fits(tried):
                return Lookup(rate, ", ".join(steps) or None)
    moved, moved_steps = dict(tried), list(steps)
    _apply(LAST_FALLBACK, moved, moved_steps)
    for rate in complete:
        if rate.fits(moved):
            return Lookup(rate, ", ".join(moved_steps))
    coarser = [rate for rate in rates if rate.values.keys() != full and rate.fits(tried)]
    if coarser:
        best = max(coarser, key=lambda rate: (len(rate.values), sorted(rate.values)))
        named = " ".join(f"{name} {value}" for name, value in best.values.items()) or "any span"
        return Lookup(best, ", ".join([*steps, f"the row of {named}"]))
    pooled = complete or list(rates)
    support = sum(rate.support for rate in pooled)
    recall = sum(rate.support * rate.recall for rate in pooled) / support
    return Lookup(CellRate(values={}, support=support, recall=recall), "all cells together")


def _apply(rewrite: Rewrite, tried: dict[str, str], steps: list[str]) -> None:
    value = tried.get(rewrite.attribute)
    if value is None or value == rewrite.to or (rewrite.values is not None and value not in rewrite.values):
        return
    tried[rewrite.attribute] = rewrite.to
    steps.append(f"{rewrite.attribute} {value} as {rewrite.to}")


class _Used(NamedTuple):
    """The cells that stand for a corpus's spans, with how many each stands for."""

    cells: Sequence[tuple[CellRate, int]]
    total: int
    unseen: Sequence[Unseen]

    def recall(self) -> float | None:
        """The predicted recall; None without spans."""
        return sum(rate.recall * number for rate, number in self.cells) / self.total if self.total else None


def _used(rates: Sequence[CellRate], spans: Iterable[Mapping[str, Any]]) -> _Used:
    names = sorted({name for rate in rates for name in rate.values})
    rows = list(spans)
    if rows and (unknown := [name for name in names if all(name not in row for row in rows)]):
        known = ", ".join(sorted({name for row in rows for name in row}))
        raise UsageError(f"the corpus has no attribute {', '.join(unknown)}: it has {known}")
    counts = Counter(tuple(text(row.get(name)) for name in names) for row in rows)
    used: dict[tuple[tuple[str, str], ...], tuple[CellRate, int]] = {}
    unseen = []
    for combination, number in sorted(counts.items()):
        span = dict(zip(names, combination, strict=True))
        rate, fallback = look_up(rates, span)
        key = tuple(sorted(rate.values.items()))
        used[key] = (rate, used.get(key, (rate, 0))[1] + number)
        if fallback is not None:
            unseen.append(Unseen(values=span, spans=number, fallback=fallback))
    unseen.sort(key=lambda cell: (-cell.spans, sorted(cell.values.items())))
    return _Used(list(used.values()), len(rows), unseen)


def project_recall(rates: Sequence[CellRate], spans: Iterable[Mapping[str, Any]]) -> float | None:
    """The predicted recall alone, as ``project`` gives it."""
    return _used(rates, spans).recall()


def project(
    rates: Sequence[CellRate], spans: Iterable[Mapping[str, Any]], *, confidence: float = 0.95
) -> Projection:
    """The recall to expect of a system with these cells on a corpus with these spans.

    ``spans`` are rows with attributes (``probeta attributes`` writes them). The interval says how sure
    the cells make it (``probeta.evaluation.betabinomial``), not how well the corpus resembles the test
    set; it always holds the prediction. Raises a UsageError if the spans lack an attribute that the
    cells name.
    """
    cells, total, unseen = used = _used(rates, spans)
    predicted = used.recall()
    if predicted is None:
        return Projection(predicted=None, interval=None, spans=0, unseen=())
    chances = found_spans(
        hits=[rate.recall * rate.support for rate, _ in cells],
        support=[rate.support for rate, _ in cells],
        spans=[number for _, number in cells],
    )
    low, high = central_interval(chances, confidence=confidence)
    interval = Interval(min(low / total, predicted), max(high / total, predicted))
    return Projection(predicted=predicted, interval=interval, spans=total, unseen=unseen)
