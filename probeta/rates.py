"""A rate with its interval: the one place for Wilson's formula."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple


class Interval(NamedTuple):
    """A lower and an upper bound."""

    low: float
    high: float


def z_value(confidence: float) -> float:
    """The standard normal quantile of a two-sided interval.

    >>> round(z_value(0.95), 4)
    1.96
    """
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def wilson(hits: float, support: float, *, confidence: float = 0.95) -> Interval | None:
    """Wilson's score interval of a rate (Wilson 1927); None without support, which may be an effective number.

    >>> tuple(round(bound, 4) for bound in wilson(9, 10))
    (0.5958, 0.9821)
    """
    if not support:
        return None
    z = z_value(confidence)
    rate = hits / support
    spread = z * math.sqrt(rate * (1 - rate) / support + z * z / (4 * support * support))
    scale = 1 + z * z / support
    middle = rate + z * z / (2 * support)
    # At 0 and at all hits the bound is 0 or 1 exactly; the formula gives it up to rounding.
    low = 0.0 if hits == 0 else (middle - spread) / scale
    high = 1.0 if hits == support else (middle + spread) / scale
    return Interval(low, high)
