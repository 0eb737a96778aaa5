"""How an interval of a coefficient is asked for, and the linearised variance.

The bootstrap is ``probeta.resampling``: a coefficient is a function of sums over units, items or clusters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy.typing as npt

from probeta.resampling import Units

Floats = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """How an interval is made.

    ``bootstrap`` draws ``resamples`` samples of items, or of clusters where the data names them, and
    takes percentiles. ``two_way`` draws annotators too (each with its own multiplicity; an annotator is
    never paired with itself). ``analytic`` is the linearised variance with Student's t on units - 1
    degrees of freedom (Gwet 2008, 2014), clustered where the data names clusters. ``none`` makes none.
    """

    method: Literal["bootstrap", "two_way", "analytic", "none"] = "bootstrap"
    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95


def linearised(formula: Callable[[Floats], Floats], units: Units) -> float | None:
    """The linearised standard error of ``formula`` (sums -> value) over ``units``.

    Gwet's variances are those of the first-order expansion in the units' weights: with d_u the derivative
    of the value by the weight of unit u, var = n / (n - 1) * sum d_u^2. The derivative is taken by a
    complex step, which is exact to rounding since every formula is rational in the sums.
    """
    number = units.number
    if number < 2:
        return None
    total = units.multiplicity @ units.sums
    step = 1e-30
    slopes = formula(total[None, :] + 1j * step * units.sums).imag / step
    variance = number / (number - 1) * float(units.multiplicity @ slopes**2)
    return math.sqrt(variance) if math.isfinite(variance) else None


def student(
    value: float, error: float, units: int, confidence: float, floor: float = -math.inf
) -> tuple[float, float]:
    """value -+ t * error on units - 1 degrees of freedom, cut at ``floor`` and 1."""
    from scipy.special import stdtrit

    width = float(stdtrit(units - 1, 1 - (1 - confidence) / 2)) * error
    return max(floor, value - width), min(1.0, value + width)
