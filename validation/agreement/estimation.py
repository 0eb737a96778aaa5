"""From a formula over the sums of units to an estimate with its interval; all coefficients share this."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from probeta.resampling import Draws, Units, percentiles
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
    linear: bool = True,
    note: str | None = None,
) -> Estimate:
    """Value and interval of ``parts`` over ``units``.

    ``undefined`` makes the estimate for a value that does not exist. ``variance`` and ``variance_units``
    replace formula and units of the linearised standard error where a source takes others; ``linear``
    False leaves it out.
    """
    method = sampler.interval.method
    with np.errstate(divide="ignore", invalid="ignore"):
        total = parts(units.multiplicity @ units.sums)
        if not np.isfinite(total.value):
            return undefined("no_variation")
        low = high = error = None
        dropped, reason = 0, None
        if basis.items < 2 or units.number < 2:
            reason = "one_item"
        elif method == "none":
            reason = "not_requested"
        elif method == "two_way":
            reason = "no_two_way_form"
        elif method == "analytic" and not linear:
            reason = "no_analytic_form"
        else:
            if linear:
                error = linearised(variance or (lambda sums: parts(sums).value), variance_units or units)
            if method == "bootstrap":
                sampled = parts(sampler.sums(units)).value
                low, high, dropped, reason = percentiles(sampled, confidence=sampler.interval.confidence)
            elif error is None:
                reason = "unstable"
            else:
                low, high = student(
                    float(total.value),
                    error,
                    units.number,
                    sampler.interval.confidence,
                    floor=LOWEST.get(name, -math.inf),
                )
    return Estimate(
        name=name,
        value=float(total.value),
        low=low,
        high=high,
        interval_reason=reason,
        items=basis.items,
        raters=basis.raters,
        pairs=basis.pairs,
        observed=number(total.observed),
        expected=number(total.expected),
        standard_error=error,
        undefined_resamples=dropped,
        note=note,
    )


def number(value: Any) -> float | None:
    """A float, or None for NaN and infinity."""
    return float(value) if np.isfinite(value) else None
