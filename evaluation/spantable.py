"""The spans of many items as arrays, and which of them two tables share.

A span counts once: its item, start, end and label are its identity, so nothing depends on the order of
spans or on repetitions, and offsets of one sentence can never match those of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from probeta.evaluation.counts import Counts
from probeta.records import Span

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Labels(dict[str, int]):
    """Label names to codes, in order of first use; looking up a new name adds it."""

    def __missing__(self, label: str) -> int:
        code = self[label] = len(self)
        return code


@dataclass(frozen=True, slots=True)
class SpanTable:
    """Distinct spans, sorted by item, start, end and label; the four arrays have one entry a span.

    ``item`` counts from 0; ``start`` and ``end`` are half-open, in whatever unit both tables share
    (characters, or tokens); ``label`` is a code of the ``Labels`` that both tables share;
    ``repeated`` says how many repetitions of a span were left out.
    """

    item: Ints
    start: Ints
    end: Ints
    label: Ints
    repeated: int = 0

    def __len__(self) -> int:
        return len(self.item)


def from_arrays(item: Ints, start: Ints, end: Ints, label: Ints) -> SpanTable:
    """A table from spans in any order, repetitions removed."""
    order = np.lexsort((label, end, start, item))
    columns = np.stack([item, start, end, label])[:, order]
    kept = np.ones(columns.shape[1], dtype=np.bool_)
    if columns.shape[1]:
        kept[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
    item, start, end, label = columns[:, kept]
    return SpanTable(item, start, end, label, int((~kept).sum()))


def from_spans(items: Sequence[Iterable[Span]], labels: Labels) -> SpanTable:
    """The table of each item's spans.

    >>> len(from_spans([[Span(0, 4, "ENG"), Span(0, 4, "ENG")], []], Labels()))
    1
    """
    rows = [
        (number, span.start, span.end, labels[span.label])
        for number, spans in enumerate(items)
        for span in spans
    ]
    return from_arrays(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)


def keys(table: SpanTable, *, typed: bool, width: int, labels: int) -> Ints:
    """One number a span, equal exactly where item, start, end and (if ``typed``) label are."""
    if table.item.max(initial=0) * width**2 * labels >= 2**63:
        raise OverflowError("the spans cannot be numbered in 64 bits; score the corpus in parts")
    key = (table.item * width + table.start) * width + table.end
    return key * labels + table.label if typed else key


def shared(gold: SpanTable, predicted: SpanTable, *, typed: bool = True) -> tuple[Flags, Flags]:
    """Which gold spans are predicted, and which predicted spans are gold; boundaries exact.

    Untyped, a gold span is found if a prediction has its boundaries, whatever the label.
    """
    width = int(max(gold.end.max(initial=0), predicted.end.max(initial=0))) + 1
    labels = int(max(gold.label.max(initial=0), predicted.label.max(initial=0))) + 1
    of_gold = keys(gold, typed=typed, width=width, labels=labels)
    of_predicted = keys(predicted, typed=typed, width=width, labels=labels)
    return np.isin(of_gold, of_predicted), np.isin(of_predicted, of_gold)


def boundaries(table: SpanTable) -> SpanTable:
    """The table without labels: spans that differ only in the label are one."""
    return from_arrays(table.item, table.start, table.end, np.zeros_like(table.label))


def strict_counts(gold: SpanTable, predicted: SpanTable) -> Counts:
    """Spans with the same item, boundaries and label."""
    hits, _ = shared(gold, predicted)
    return Counts(gold=len(gold), predicted=len(predicted), correct=int(hits.sum()))


def untyped_counts(gold: SpanTable, predicted: SpanTable) -> Counts:
    """Spans with the same item and boundaries; labels are ignored on both sides."""
    return strict_counts(boundaries(gold), boundaries(predicted))


def counts_by_label(gold: SpanTable, predicted: SpanTable, labels: Labels) -> dict[str, Counts]:
    """Strict counts of each label that gold or prediction holds, by the labels' names."""
    hits, _ = shared(gold, predicted)
    size = len(labels)
    of_gold = np.bincount(gold.label, minlength=size)
    of_predicted = np.bincount(predicted.label, minlength=size)
    correct = np.bincount(gold.label[hits], minlength=size)
    return {
        name: Counts(gold=int(of_gold[code]), predicted=int(of_predicted[code]), correct=int(correct[code]))
        for name, code in sorted(labels.items())
        if of_gold[code] or of_predicted[code]
    }
