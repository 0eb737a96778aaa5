"""Intervals: Wilson for a rate, Newcombe for a gap, Bonett and Price for a paired difference, bootstrap.

All are two-sided; ``confidence`` is 0.95 unless said. Rates and bounds are fractions from 0 to 1,
differences from -1 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from probeta import resampling
from probeta.rates import Interval as Interval
from probeta.rates import wilson as wilson
from probeta.rates import z_value

#: Why a defined score has no bootstrap interval.
NO_INTERVAL = "the same in all bootstrap samples"


def newcombe(
    hits: int, support: int, other_hits: int, other_support: int, *, confidence: float = 0.95
) -> Interval | None:
    """The interval of ``hits/support - other_hits/other_support`` for independent samples.

    Newcombe's method 10 (Statistics in Medicine 17, 1998): it combines the two Wilson intervals, so it
    holds for small cells and for rates of 0 and 1. None where either support is empty.

    >>> tuple(round(bound, 4) for bound in newcombe(56, 70, 48, 80))
    (0.0524, 0.3339)
    """
    first = wilson(hits, support, confidence=confidence)
    second = wilson(other_hits, other_support, confidence=confidence)
    if first is None or second is None:
        return None
    p, q = hits / support, other_hits / other_support
    low = p - q - math.hypot(p - first.low, second.high - q)
    high = p - q + math.hypot(first.high - p, q - second.low)
    return Interval(low, high)


def paired_difference(
    only_first: float, only_second: float, pairs: float, *, confidence: float = 0.95
) -> Interval | None:
    """The interval of the difference of two rates on the same units, first minus second.

    Bonett and Price's adjusted Wald interval (Journal of Educational and Behavioral Statistics 37,
    2012): one is added to each discordant count. None without pairs.

    >>> tuple(round(bound, 4) for bound in paired_difference(5, 1, 20))
    (-0.0584, 0.4221)
    """
    if not pairs:
        return None
    first, second = (only_first + 1) / (pairs + 2), (only_second + 1) / (pairs + 2)
    difference = first - second
    spread = z_value(confidence) * math.sqrt((first + second - difference**2) / (pairs + 2))
    return Interval(max(-1.0, difference - spread), min(1.0, difference + spread))


def mcnemar(only_first: int, only_second: int) -> float | None:
    """The exact two-sided p-value of McNemar's test; None without a discordant pair.

    Under the null hypothesis each discordant pair falls either way with probability one half.

    >>> mcnemar(5, 1)  # 2 * (C(6,0) + C(6,1)) / 2**6 = 14/64
    0.21875
    """
    discordant = only_first + only_second
    if not discordant:
        return None
    tail: int = sum(math.comb(discordant, k) for k in range(min(only_first, only_second) + 1))
    # Whole numbers until the last step: 2**discordant overflows a float from 1,024 pairs on.
    return float(min(1, 2 * tail / 2**discordant))


def clusters(names: Sequence[str]) -> npt.NDArray[np.int64]:
    """A number for each name, by the names' order, so that no result depends on the items' order."""
    code = {name: number for number, name in enumerate(sorted(set(names)))}
    return np.array([code[name] for name in names], dtype=np.int64)


def resample(
    units: npt.NDArray[np.float64], cluster: npt.NDArray[np.int64], *, samples: int, seed: int
) -> npt.NDArray[np.float64]:
    """Sums of the columns of ``units`` in bootstrap samples of whole clusters, ``samples`` rows.

    ``units`` has one row a unit (a sentence, a span), ``cluster`` its cluster's number. Clusters are
    drawn with replacement, as many as there are, so that sentences made from one base sentence stay
    together. The same seed gives the same draw for any columns: differences are paired.
    """
    table = resampling.by_cluster(units, cluster)
    return resampling.Draws(samples=samples, seed=seed).sums(resampling.each(table))


def percentile(values: npt.NDArray[np.float64], *, confidence: float = 0.95) -> Interval | None:
    """The percentile interval of bootstrap values, undefined ones (NaN) left out; None if they are many.

    None too where it has no width: one base sentence, or as many hits in each, gives the same score in every
    sample, which is no certainty.
    """
    low, high, _, _ = resampling.percentiles(values, confidence=confidence).with_width()
    return None if low is None or high is None else Interval(low, high)


def percentile_json(interval: Interval | None) -> dict[str, Any]:
    """The interval's bounds; null with a reason where there is none.

    >>> percentile_json(None)["reason"]
    'the score is the same in all bootstrap samples, or undefined in more than one of twenty'
    """
    if interval is None:
        return {
            "low": None,
            "high": None,
            "reason": f"the score is {NO_INTERVAL}, or undefined in more than one of twenty",
        }
    return {"low": interval.low, "high": interval.high}
