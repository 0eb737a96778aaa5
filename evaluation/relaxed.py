"""Relaxed span scores as SemEval-2013 task 9.1 defines them: exact, partial and type.

Each gold span is matched with at most one prediction of its item that overlaps it, and the other way
round. A matched pair is

* ``exact``: correct if the boundaries are equal, whatever the labels; else incorrect;
* ``partial``: correct if the boundaries are equal, else partial, whatever the labels;
* ``type``: correct if the labels are equal (some overlap is enough), else incorrect.

An unmatched gold span is missed, an unmatched prediction spurious. Possible = correct + incorrect +
partial + missed, actual = correct + incorrect + partial + spurious; a partial match is worth one half:
precision = (correct + partial / 2) / actual, recall = (correct + partial / 2) / possible. F1 is their
harmonic mean.

SemEval leaves open which of several overlapping spans are matched. Here it is the matching with most
correct pairs, among those most partial, among those most pairs: so the counts are unique and do not
depend on the order of spans.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from probeta.errors import one_of
from probeta.evaluation.spantable import SpanTable

Scheme = Literal["exact", "partial", "type"]
SCHEMES: Sequence[Scheme] = ("exact", "partial", "type")


def scheme_named(name: str) -> Scheme:
    """The scheme of this name, or a UsageError that lists them."""
    one_of(name, SCHEMES, what="match")
    return cast(Scheme, name)


#: (start, end, label)
_Plain = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelaxedCounts:
    """SemEval's five counts.

    >>> counts = RelaxedCounts(correct=1, incorrect=0, partial=1, missed=0, spurious=1)
    >>> counts.precision, counts.recall, round(counts.f1, 4)
    (0.5, 0.75, 0.6)
    """

    correct: int
    incorrect: int
    partial: int
    missed: int
    spurious: int

    @property
    def possible(self) -> int:
        """The number of gold spans."""
        return self.correct + self.incorrect + self.partial + self.missed

    @property
    def actual(self) -> int:
        """The number of predicted spans."""
        return self.correct + self.incorrect + self.partial + self.spurious

    @property
    def precision(self) -> float | None:
        """(correct + partial / 2) / actual; None without predictions."""
        return (self.correct + self.partial / 2) / self.actual if self.actual else None

    @property
    def recall(self) -> float | None:
        """(correct + partial / 2) / possible; None without gold."""
        return (self.correct + self.partial / 2) / self.possible if self.possible else None

    @property
    def f1(self) -> float | None:
        """2 (correct + partial / 2) / (possible + actual); None only if both are empty."""
        both = self.possible + self.actual
        return (2 * self.correct + self.partial) / both if both else None

    def to_json(self) -> dict[str, Any]:
        """Counts and scores; ``reason`` is there where a score is null."""
        names = ("correct", "incorrect", "partial", "missed", "spurious", "possible", "actual")
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        found |= {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        if not self.possible or not self.actual:
            found["reason"] = "no gold spans" if not self.possible else "no predicted spans"
        return found


def relaxed_counts(gold: SpanTable, predicted: SpanTable, *, scheme: Scheme) -> RelaxedCounts:
    """The five counts of ``scheme``."""
    of_gold, of_predicted = _by_item(gold), _by_item(predicted)
    correct = incorrect = partial = 0
    for number, spans in of_gold.items():
        for first, second in _components(spans, of_predicted.get(number, [])):
            found = _component_counts(first, second, scheme)
            correct += found[0]
            partial += found[1]
            incorrect += found[2]
    matched = correct + incorrect + partial
    return RelaxedCounts(
        correct=correct,
        incorrect=incorrect,
        partial=partial,
        missed=len(gold) - matched,
        spurious=len(predicted) - matched,
    )


def _by_item(table: SpanTable) -> Mapping[int, list[_Plain]]:
    found: dict[int, list[_Plain]] = {}
    columns = (table.item.tolist(), table.start.tolist(), table.end.tolist(), table.label.tolist())
    for item, *span in zip(*columns, strict=True):
        found.setdefault(item, []).append((span[0], span[1], span[2]))
    return found


def _components(gold: list[_Plain], predicted: list[_Plain]) -> list[tuple[list[_Plain], list[_Plain]]]:
    """Stretches of text covered without a gap, with the spans of both sides in them."""
    tagged = sorted([(span, 0) for span in gold] + [(span, 1) for span in predicted])
    found: list[tuple[list[_Plain], list[_Plain]]] = []
    reach = -1
    for span, side in tagged:
        if span[0] >= reach:
            found.append(([], []))
        found[-1][side].append(span)
        reach = max(reach, span[1])
    return [(first, second) for first, second in found if first and second]


def _kind(gold: _Plain, predicted: _Plain, scheme: Scheme) -> int | None:
    """0 correct, 1 partial, 2 incorrect; None if the two do not overlap."""
    if gold[0] >= predicted[1] or predicted[0] >= gold[1]:
        return None
    if scheme == "type":
        return 0 if gold[2] == predicted[2] else 2
    if gold[:2] == predicted[:2]:
        return 0
    return 1 if scheme == "partial" else 2


def _component_counts(gold: list[_Plain], predicted: list[_Plain], scheme: Scheme) -> tuple[int, int, int]:
    counts = [0, 0, 0]
    if len(gold) == len(predicted) == 1:
        kind = _kind(gold[0], predicted[0], scheme)
        if kind is not None:
            counts[kind] = 1
        return counts[0], counts[1], counts[2]
    from scipy.optimize import linear_sum_assignment

    # Worth of a pair, so that one pair of a better kind outweighs any number of worse ones.
    base = min(len(gold), len(predicted)) + 1
    worth = (base * base, base, 1)
    kinds = [[_kind(one, other, scheme) for other in predicted] for one in gold]
    value = np.array([[0 if kind is None else worth[kind] for kind in row] for row in kinds], dtype=float)
    for row, column in zip(*linear_sum_assignment(value, maximize=True), strict=True):
        kind = kinds[row][column]
        if kind is not None:
            counts[kind] += 1
    return counts[0], counts[1], counts[2]
