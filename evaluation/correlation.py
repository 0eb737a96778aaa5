"""How well predicted scores agree with true ones: Pearson, Spearman with average ranks, absolute error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Coefficient(NamedTuple):
    """A value, or None with the reason why there is none."""

    value: float | None
    reason: str | None = None


def average_ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1 for the smallest; equal values share the mean of their ranks.

    >>> average_ranks([10, 20, 20, 5])
    [2.0, 3.5, 3.5, 1.0]
    """
    found = []
    for value in values:
        below = sum(other < value for other in values)
        equal = sum(other == value for other in values)
        found.append(below + (equal + 1) / 2)
    return found


def pearson(first: Sequence[float], second: Sequence[float]) -> Coefficient:
    """Pearson's correlation, from -1 to 1; undefined for fewer than 3 points or a constant side.

    >>> pearson([1, 2, 3], [2, 4, 6]).value
    1.0
    >>> pearson([1, 2], [2, 4]).reason
    'fewer than 3 systems'
    """
    if len(first) != len(second):
        raise ValueError("the two sides have different lengths")
    if len(first) < 3:
        return Coefficient(None, "fewer than 3 systems")
    mean_one, mean_other = math.fsum(first) / len(first), math.fsum(second) / len(second)
    one, other = [x - mean_one for x in first], [y - mean_other for y in second]
    spread = math.sqrt(math.fsum(x * x for x in one) * math.fsum(y * y for y in other))
    if len(set(first)) == 1 or len(set(second)) == 1 or not spread:
        return Coefficient(None, "all systems have the same score on one side")
    return Coefficient(math.fsum(x * y for x, y in zip(one, other, strict=True)) / spread)


def spearman(first: Sequence[float], second: Sequence[float]) -> Coefficient:
    """Spearman's rank correlation: Pearson's of the average ranks.

    >>> spearman([1, 2, 3, 4], [10, 20, 20, 40]).value  # doctest: +ELLIPSIS
    0.948...
    """
    return pearson(average_ranks(first), average_ranks(second))


def mean_absolute_error(predicted: Sequence[float], true: Sequence[float]) -> Coefficient:
    """The mean of the absolute differences, in the scores' own unit; undefined without a pair.

    >>> mean_absolute_error([0.5, 0.5], [0.25, 1.0]).value
    0.375
    """
    if not predicted:
        return Coefficient(None, "no system has both a predicted and a true score")
    errors = [abs(one - other) for one, other in zip(predicted, true, strict=True)]
    return Coefficient(math.fsum(errors) / len(errors))


def agreement(predicted: Mapping[str, float], true: Mapping[str, float]) -> dict[str, Coefficient]:
    """The three measures over the systems that both sides name."""
    names = [name for name in predicted if name in true]
    one, other = [predicted[name] for name in names], [true[name] for name in names]
    return {
        "pearson": pearson(one, other),
        "spearman": spearman(one, other),
        "mean_absolute_error": mean_absolute_error(one, other),
    }
