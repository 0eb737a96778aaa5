"""From a formula over the sums of units to an estimate with its interval; all coefficients share this."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from probeta.resampling import Bounds, Draws, Units, percentiles
from probeta.validation.agreement.estimates import Estimate
from probeta.validation.agreement.intervals import Interval, linearised, student

Floats = npt.NDArray[Any]


#: The lowest value that a coefficient can have; an interval does not go below. With distances of one's own
#: alpha has no bound, nor has alpha_u.
LOWEST = {
    **dict.fromkeys(("percent_agreement", "specific_agreement", "span_f1", "span_f1_relaxed"), 0.0),
    **dict.fromkeys(("scott_pi", "cohen_kappa", "fleiss_kappa", "conger_kappa"), -1.0),
    **dict.fromkeys(("brennan_prediger_s", "gwet_ac1", "pabak"), -1.0),
}


class Parts(NamedTuple):
    """A coefficient with observed and expected agreement, each with the sums' leading axes."""

    value: Floats
    observed: Floats
    expected: Floats


class Basis(NamedTuple):
    """What an estimate stands on: pairable items, raters with an answer, compared pairs of answers."""

    items: int
    raters: int
    pairs: int


class Sampler(Draws):
    """The bootstrap draws of one study, with how its intervals are made."""

    def __init__(self, interval: Interval) -> None:
        super().__init__(samples=interval.resamples, seed=interval.seed)
        self.interval = interval


def estimate(
    name: str,
    parts: Callable[[Floats], Parts],
    units: Units,
    *,
    sampler: Sampler,
    basis: Basis,
    undefined: Callable[[str], Estimate],
    variance: Callable[[Floats], Floats] | None = None,
    variance_units: Units | None = None,
    note: str | None = None,
) -> Estimate:
    """Value and interval of ``parts`` over ``units``.

    ``undefined`` makes the estimate for a value that does not exist. ``variance`` and ``variance_units``
    replace formula and units of the linearised standard error where a source takes others.
    """
    interval = sampler.interval
    with np.errstate(divide="ignore", invalid="ignore"):
        total = parts(units.multiplicity @ units.sums)
        if not np.isfinite(total.value):
            return undefined("no_variation")
        error = None
        bounds = _none(interval, basis, units.number, forms=("bootstrap", "analytic"))
        if bounds is None:
            error = linearised(variance or (lambda sums: parts(sums).value), variance_units or units)
            if interval.method == "bootstrap":
                bounds = percentiles(parts(sampler.sums(units)).value, confidence=interval.confidence)
            elif error is None:
                bounds = Bounds(None, None, 0, "unstable")
            else:
                floor = LOWEST.get(name, -math.inf)
                ends = student(float(total.value), error, units.number, interval.confidence, floor=floor)
                bounds = Bounds(*ends, 0, None)
    return _estimate(name, total, bounds.with_width(), basis, error=error, note=note)


def estimate_sampled(
    name: str,
    total: Parts,
    sampled: Callable[[], Floats],
    *,
    interval: Interval,
    basis: Basis,
    units: int,
    undefined: Callable[[str], Estimate],
    forms: Collection[str] = ("bootstrap",),
    note: str | None = None,
) -> Estimate:
    """The estimate of a value that is no formula over units' sums: ``sampled`` gives it in every sample.

    ``units`` is how many units are drawn; ``forms`` are the methods of an interval that ``sampled`` knows.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if not np.isfinite(total.value):
            return undefined("no_variation")
        bounds = _none(interval, basis, units, forms=forms)
        if bounds is None:
            bounds = percentiles(sampled(), confidence=interval.confidence)
    return _estimate(name, total, bounds.with_width(), basis, note=note)


def _none(interval: Interval, basis: Basis, units: int, *, forms: Collection[str]) -> Bounds | None:
    """No bounds, with the reason, where an interval cannot be made or was not asked for; else None."""
    if basis.items < 2 or units < 2:
        return Bounds(None, None, 0, "one_item")
    if interval.method == "none":
        return Bounds(None, None, 0, "not_requested")
    return None if interval.method in forms else Bounds(None, None, 0, f"no_{interval.method}_form")


def _estimate(
    name: str,
    total: Parts,
    bounds: Bounds,
    basis: Basis,
    *,
    error: float | None = None,
    note: str | None = None,
) -> Estimate:
    return Estimate(
        name=name,
        value=float(total.value),
        low=bounds.low,
        high=bounds.high,
        interval_reason=bounds.reason,
        items=basis.items,
        raters=basis.raters,
        pairs=basis.pairs,
        observed=_number(total.observed),
        expected=_number(total.expected),
        standard_error=error,
        undefined_resamples=bounds.undefined,
        note=note,
    )


def _number(value: Any) -> float | None:
    """A float, or None for NaN and infinity."""
    return float(value) if np.isfinite(value) else None
