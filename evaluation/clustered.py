"""Intervals and tests for units that are right or wrong together: the copies of a base sentence.

Units of one base sentence are a cluster. Where sentences have copies the units with the same words are one
too, since a system that knows a word finds it in every sentence: clusters then go two ways, and their
variances add up (Cameron, Gelbach and Miller, Journal of Business & Economic Statistics 29, 2011). The
variance says how many independent units all of them are worth, the effective number, which Wilson's,
Newcombe's and Bonett and Price's formulas take in place of the number of units, with Korn and Graubard's
correction for few clusters (Survey Methodology 24, 1998). Where each unit is its own cluster the two numbers
are equal, and so are the intervals. Rows that coincide with another row of their base sentence are in its
cluster: they count in a rate, and add nothing to how sure it is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from probeta.evaluation.intervals import Interval, clusters, mcnemar, paired_difference
from probeta.evaluation.spantable import Flags, Ints
from probeta.rates import wilson

Floats = npt.NDArray[np.float64]

#: A variance below this is that of equal rates, up to rounding: it says nothing.
_NOTHING = 1e-15

#: A correlation seen in few clusters is not trusted to be perfect: it counts as if so many more had none.
_WITHOUT = 4


class Rate(NamedTuple):
    """A rate over some units: ``effective`` is how many independent ones they are worth.

    ``influence`` says by how much each cluster moves the rate, and ``members`` how many units it has there: one
    array for each way of clustering, none where no units go together.
    """

    hits: int
    support: int
    effective: float
    variance: float
    influence: Sequence[Floats] = ()
    members: Sequence[Ints] = ()

    @property
    def rate(self) -> float:
        """Hits by units."""
        return self.hits / self.support

    @property
    def interval(self) -> Interval:
        """Wilson's interval with the effective number of units."""
        found = wilson(self.rate * self.effective, self.effective)
        assert found is not None, "a rate has units"
        return found


class Together:
    """Which units go together: their base sentences and, where ``words`` are given, their words.

    >>> one = Together(["a", "a", "b", "b"])
    >>> found = one.rate(np.array([True, True, False, False]), np.ones(4, dtype=bool))
    >>> found.rate, round(found.variance, 6)
    (0.5, 0.25)
    """

    def __init__(self, base: Sequence[str], words: Sequence[str] | None = None) -> None:
        self.base = clusters(base)
        self.words = None if words is None else clusters(words)
        self.single = len(set(base)) == len(base)
        # Each way of clustering with its sign: what two ways share is counted twice.
        self._ways: list[tuple[int, Ints]] = [(1, self.base)]
        if self.words is not None:
            both = self.base * (int(self.words.max(initial=0)) + 1) + self.words
            self._ways += [(1, self.words), (-1, np.unique(both, return_inverse=True)[1])]

    @property
    def numbers(self) -> dict[str, int | None]:
        """How many base sentences there are, and how many words; None where words do not matter."""
        words = None if self.words is None else int(np.unique(self.words).size)
        return {"base_sentences": int(np.unique(self.base).size), "words": words}

    def rate(self, hits: Flags, among: Flags) -> Rate | None:
        """The rate of the units ``among``; None where there are none."""
        support = int(among.sum())
        if not support:
            return None
        found = int((hits & among).sum())
        share = found / support
        if self.single:
            return Rate(found, support, float(support), share * (1 - share) / support)
        influence, members = [], []
        for _, codes in self._ways:
            units = np.bincount(codes[among], minlength=int(codes.max()) + 1)
            right = np.bincount(codes[among & hits], minlength=len(units))
            number = int(np.count_nonzero(units))
            # The rate was estimated from as many clusters as there are.
            scale = math.sqrt(number / max(1, number - 1)) / support
            influence.append((right - share * units) * scale)
            members.append(units)
        # Two ways can cancel out by chance, below what the base sentences alone say.
        variance = max(self._product(influence, influence), float(influence[0] @ influence[0]))
        number = min(
            int(np.count_nonzero(units))
            for (sign, _), units in zip(self._ways, members, strict=True)
            if sign > 0
        )
        alike = sum(
            sign * int((units**2).sum()) for (sign, _), units in zip(self._ways, members, strict=True)
        )
        effective = effective_number(share * (1 - share), variance, support, number, alike)
        return Rate(found, support, effective, variance, influence, members)

    def gap(self, one: Rate, other: Rate) -> Interval:
        """The interval of the difference of two rates over different units, perhaps of the same clusters.

        Newcombe's method 10, the two bounds' correlation included (Zou and Donner, Statistics in Medicine 27,
        2008).
        """
        p, q, first, second = one.rate, other.rate, one.interval, other.interval
        shared = self._correlation(one, other)
        low = p - q - _hypotenuse(p - first.low, second.high - q, shared)
        high = p - q + _hypotenuse(first.high - p, q - second.low, shared)
        return Interval(low, high)

    def _correlation(self, one: Rate, other: Rate) -> float:
        if self.single or min(one.variance, other.variance) < _NOTHING:
            return 0.0
        product = self._product(one.influence, other.influence)
        found = max(-1.0, min(1.0, product / math.sqrt(one.variance * other.variance)))
        shared = sum(
            int(np.count_nonzero((here > 0) & (there > 0)))
            for (sign, _), here, there in zip(self._ways, one.members, other.members, strict=True)
            if sign > 0
        )
        return found * shared / (shared + _WITHOUT) if found > 0 else found

    def _product(self, one: Sequence[Floats], other: Sequence[Floats]) -> float:
        return sum(
            sign * float(here @ there) for (sign, _), here, there in zip(self._ways, one, other, strict=True)
        )


def _hypotenuse(one: float, other: float, correlation: float) -> float:
    return math.sqrt(max(0.0, one * one - 2 * correlation * one * other + other * other))


def effective_number(
    unit_variance: float,
    variance: float,
    support: int,
    number: int,
    alike: float,
    *,
    confidence: float = 0.95,
) -> float:
    """How many independent units ``support`` units in ``number`` clusters are worth; never more than there are.

    ``unit_variance`` is that of one unit, ``variance`` that of the rate as the clusters show it. Where they
    show none (all units alike, or one cluster) units of a cluster count as wholly alike: ``alike`` is the sum
    of the squared sizes of the clusters (Kish). Few clusters know their variance badly: Student's quantile
    for the clusters takes the place of that for the units.
    """
    if number == support:
        return float(support)
    if number < 2 or variance < _NOTHING or not unit_variance:
        return min(float(support), support * support / alike)
    from scipy.special import stdtrit

    tail = 0.5 + confidence / 2
    correction = float(stdtrit(support - 1, tail) / stdtrit(number - 1, tail)) ** 2
    return min(float(support), (1 + unit_variance / variance) * correction)


class PairedCounts(NamedTuple):
    """Pairs of units: ``differences`` are +1 (found in the first alone), -1 (in the second alone) or 0.

    ``ways`` number each pair's cluster, one way of clustering an entry: a pair's base sentences, its words.
    """

    differences: Ints
    ways: Sequence[Ints]

    @property
    def clusters(self) -> int:
        """How many clusters there are, of the way that has fewest."""
        return min(int(np.unique(way).size) for way in self.ways)

    @property
    def interval(self) -> Interval | None:
        """Bonett and Price's interval with the effective number of pairs."""
        pairs = len(self.differences)
        first, second = int((self.differences > 0).sum()), int((self.differences < 0).sum())
        if not pairs:
            return None
        share = min(self._effective(way) for way in self.ways) / pairs
        return paired_difference(first * share, second * share, pairs * share)

    def _effective(self, way: Ints) -> float:
        pairs = len(self.differences)
        mean = float(self.differences.mean())
        sizes = np.bincount(way)
        sums = (np.bincount(way, weights=self.differences) - mean * sizes) / pairs
        sizes = sizes[sizes > 0]
        variance = float((sums**2).sum()) * len(sizes) / max(1, len(sizes) - 1)
        spread = float((self.differences**2).mean()) - mean * mean
        return effective_number(spread, variance, pairs, len(sizes), float((sizes**2).sum()))

    @property
    def p_value(self) -> float | None:
        """The exact p-value of flipping the signs of whole clusters; None if no pair differs.

        Under the null hypothesis a cluster's differences are as likely all the other way round. Of several
        ways to cluster the largest p-value counts. Where each pair is its own cluster this is McNemar's test.
        """
        if not self.differences.any():
            return None
        return max(sign_flip(np.bincount(way, weights=self.differences)) for way in self.ways)


def sign_flip(sums: npt.ArrayLike) -> float:
    """The exact two-sided p-value of the sum of whole numbers, the sign of each as likely plus as minus.

    Sums that are all as large are McNemar's case.

    >>> sign_flip([1, 1, 1, 1, 1, -1]) == mcnemar(5, 1)
    True
    >>> sign_flip([3, 1])  # of 4, 2, -2 and -4 two are as far from 0 as 4 is
    0.5
    """
    numbers = [int(value) for value in np.rint(np.asarray(sums)).tolist() if value]
    if not numbers:
        return 1.0
    sizes = Counter(map(abs, numbers))
    if len(sizes) == 1:
        positive = sum(value > 0 for value in numbers)
        return mcnemar(positive, len(numbers) - positive) or 0.0
    total = sum(map(abs, numbers))
    chances: Floats = np.zeros(2 * total + 1)
    chances[total] = 1.0
    for size in sorted(map(abs, numbers)):
        moved: Floats = np.zeros_like(chances)
        moved[size:] += chances[:-size]
        moved[:-size] += chances[size:]
        chances = moved / 2
    far = abs(sum(numbers))
    if not far:
        return 1.0
    return float(min(1.0, chances[: total - far + 1].sum() + chances[total + far :].sum()))
