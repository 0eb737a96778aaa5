"""Several systems on the same units: ranks, bootstrap differences, and who is best where.

The same bootstrap samples of base sentences are drawn for every system, so differences are paired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from probeta.errors import UsageError
from probeta.evaluation.intervals import NO_INTERVAL, Interval, clusters, percentile, resample
from probeta.evaluation.units import Units

Floats = npt.NDArray[np.float64]


def competition_ranks(scores: Mapping[str, float | None]) -> dict[str, int | None]:
    """Rank 1 for the highest score; equal scores share the better rank, and the next rank is skipped.

    >>> competition_ranks({"a": 0.8, "b": 0.9, "c": 0.8, "d": 0.1, "e": None})
    {'a': 2, 'b': 1, 'c': 2, 'd': 4, 'e': None}
    """
    known = [score for score in scores.values() if score is not None]
    return {
        name: None if score is None else 1 + sum(other > score for other in known)
        for name, score in scores.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """``first`` minus ``second``; ``p_value`` is the two-sided bootstrap share on the other side of 0."""

    first: str
    second: str
    value: float | None
    interval: Interval | None
    p_value: float | None

    def to_json(self) -> dict[str, Any]:
        """The difference with its interval."""
        low, high = self.interval or (None, None)
        found: dict[str, Any] = {"first": self.first, "second": self.second, "difference": self.value}
        found |= {"low": low, "high": high, "p_value": self.p_value}
        if self.value is None:
            return found | {"reason": "a score is undefined"}
        return found if self.interval else found | {"reason": f"the difference is {NO_INTERVAL}"}


def differences(scores: Mapping[str, float | None], samples: Mapping[str, Floats]) -> list[Difference]:
    """Every pair of systems; ``samples`` holds each system's scores in the same bootstrap samples."""
    found = []
    for first, second in combinations(scores, 2):
        one, other = scores[first], scores[second]
        apart = samples[first] - samples[second]
        known = apart[~np.isnan(apart)]
        p_value = None
        if len(known):
            # One is added to both counts: a sample of samples never proves a probability of 0.
            below, above = int((known <= 0).sum()) + 1, int((known >= 0).sum()) + 1
            p_value = min(1.0, 2 * min(below, above) / (len(known) + 1))
        found.append(
            Difference(
                first=first,
                second=second,
                value=None if one is None or other is None else one - other,
                interval=percentile(apart),
                p_value=p_value,
            )
        )
    return found


def parse_scenario(text: str) -> dict[str, tuple[str, ...]]:
    """``quotes=without,casing=lower|upper`` as attributes and the values allowed for each.

    >>> parse_scenario("quotes=without,casing=lower|upper")
    {'quotes': ('without',), 'casing': ('lower', 'upper')}
    """
    found: dict[str, tuple[str, ...]] = {}
    for part in text.split(","):
        name, equals, wanted = part.partition("=")
        chosen = tuple(value.strip() for value in wanted.split("|") if value.strip())
        if not equals or not name.strip() or not chosen:
            raise UsageError(f"{part!r} is no condition: write attribute=value, or attribute=one|other")
        found[name.strip()] = chosen
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """The systems' rates on the units of a scenario, and how often each is the best one."""

    where: Mapping[str, Sequence[str]]
    support: int
    rates: Mapping[str, float]
    intervals: Mapping[str, Interval]
    best_probability: Mapping[str, float]

    @property
    def best(self) -> list[str]:
        """The systems with the highest rate: several if they tie, none if no system finds anything."""
        top = max(self.rates.values())
        return [name for name, rate in self.rates.items() if rate == top and rate]

    def ordered(self) -> list[str]:
        """The systems, the best first."""
        return sorted(self.rates, key=lambda name: (-self.rates[name], -self.best_probability[name], name))

    def to_json(self) -> dict[str, Any]:
        """The best system first."""
        systems = {
            name: {
                "recall": self.rates[name],
                "low": self.intervals[name].low,
                "high": self.intervals[name].high,
                "best_probability": self.best_probability[name],
            }
            for name in self.ordered()
        }
        where = {name: list(wanted) for name, wanted in self.where.items()}
        return {"where": where, "support": self.support, "best": self.best, "systems": systems}


def scenario(units: Units, where: Mapping[str, Sequence[str]], *, samples: int, seed: int) -> Scenario:
    """Who is best on the units with these values; systems that tie in a sample share its vote."""
    chosen = units.where(where)
    support = int(chosen.sum())
    if not support:
        raise UsageError("no unit fits the scenario: its conditions exclude each other")
    names = list(units.systems)
    hits = np.stack([units.systems[name].hits[chosen] for name in names], axis=1).astype(np.float64)
    cluster = clusters([units.cluster[unit] for unit in np.flatnonzero(chosen)])
    # All systems share the denominator, so counts decide; ties are exact.
    sums = resample(hits, cluster, samples=samples, seed=seed)
    winners = sums == sums.max(axis=1, keepdims=True)
    votes = (winners / winners.sum(axis=1, keepdims=True)).mean(axis=0)
    found = hits.sum(axis=0)
    rates = {name: units.together.rate(units.systems[name].hits, chosen) for name in names}
    return Scenario(
        where=where,
        support=support,
        rates={name: float(found[number]) / support for number, name in enumerate(names)},
        intervals={name: rate.interval for name, rate in rates.items() if rate is not None},
        best_probability={name: float(votes[number]) for number, name in enumerate(names)},
    )
