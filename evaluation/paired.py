"""Paired differences: the same sentences, one attribute changed (with and without quotes, say).

Two units are a pair if they differ in the attribute alone. For an attribute that perturbations vary,
that is the same span of the same base sentence; for one that varies between base sentences (a span's
position), the same words, whatever their casing, in cells that are otherwise equal. Differences are
tested by cluster (``probeta.evaluation.clustered``), which is McNemar's exact test where no two pairs go
together; units without a counterpart are counted, not used.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from probeta.errors import UsageError
from probeta.evaluation.clustered import PairedCounts
from probeta.evaluation.intervals import Interval, mcnemar
from probeta.evaluation.spantable import Flags
from probeta.evaluation.units import Units


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """A pairing: units with ``attribute`` = value against their twins with ``attribute`` = ``against``.

    ``same`` names the attributes in which twins must agree; ``key`` says what else makes them twins:
    ``base``, the same span of the same base sentence, or ``text``, the same words.
    """

    attribute: str
    against: str
    same: Sequence[str]
    key: str = "base"

    def refuse_nothing(self, units: Units) -> None:
        """Raise a UsageError where units are there but none to compare: what was asked for has no result."""
        if len(units):
            values = set(units.column(self.attribute))
            units.where({self.attribute: [self.against]})
            if len(values) == 1:
                raise UsageError(f"all units have {self.attribute}={self.against}: there is none to compare")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedResult:
    """A contrast's counts for one system: found in both, only with ``value``, only ``against``, neither.

    ``clustered`` has the same pairs with their base sentences and words.
    """

    attribute: str
    value: str
    against: str
    both: int
    only_value: int
    only_against: int
    neither: int
    unpaired: int
    clustered: PairedCounts

    @property
    def pairs(self) -> int:
        """How many pairs of units there are."""
        return self.both + self.only_value + self.only_against + self.neither

    @property
    def difference(self) -> float | None:
        """The rate with ``value`` minus the rate ``against``; None without pairs."""
        return (self.only_value - self.only_against) / self.pairs if self.pairs else None

    @property
    def interval(self) -> Interval | None:
        """Bonett and Price's interval of the difference, by cluster."""
        return self.clustered.interval

    @property
    def p_value(self) -> float | None:
        """The exact p-value of flipping whole clusters; None if no pair differs."""
        return self.clustered.p_value

    @property
    def mcnemar(self) -> float | None:
        """McNemar's exact p-value, as if no two pairs went together; None if no pair differs."""
        return mcnemar(self.only_value, self.only_against)

    def to_json(self) -> dict[str, Any]:
        """Counts, difference, interval and p-value by cluster; ``mcnemar`` takes the pairs as independent."""
        names = (
            "attribute",
            "value",
            "against",
            "pairs",
            "both",
            "only_value",
            "only_against",
            "neither",
            "unpaired",
            "difference",
        )
        low, high = self.interval or (None, None)
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        found |= {"low": low, "high": high, "p_value": self.p_value, "mcnemar": self.mcnemar}
        found["clusters"] = self.clustered.clusters
        if self.p_value is None:
            found["reason"] = "no pair differs" if self.pairs else "no unit has a counterpart"
        return found


def paired(units: Units, system: str, contrast: Contrast, *, order: Sequence[str] = ()) -> list[PairedResult]:
    """One result for each value of the contrast's attribute other than ``against``, in their ``order``."""
    hits = units.systems[system].hits
    column = units.column(contrast.attribute)
    twins: dict[Hashable, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for unit, key in enumerate(_keys(units, contrast)):
        twins[key][column[unit]].append(unit)
    counts: Mapping[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    pairs: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for by_value in twins.values():
        for members in by_value.values():
            # Units come in text order within a sentence; sentences go by name, not by their place.
            members.sort(key=lambda unit: (units.cluster[unit], unit))
        base = by_value.get(contrast.against, [])
        for value, others in by_value.items():
            for one, other in zip(others, base, strict=False):
                # both, only value, only against, neither
                counts[value][(0 if hits[other] else 1) if hits[one] else (2 if hits[other] else 3)] += 1
                pairs[value].append((one, other))
    found = []
    known = {value: place for place, value in enumerate(order)}
    for value in sorted(
        set(column) - {contrast.against}, key=lambda value: (known.get(value, len(known)), value)
    ):
        both, only_value, only_against, neither = counts[value]
        found.append(
            PairedResult(
                attribute=contrast.attribute,
                value=value,
                against=contrast.against,
                both=both,
                only_value=only_value,
                only_against=only_against,
                neither=neither,
                unpaired=int((column == value).sum()) - len(pairs[value]),
                clustered=_clustered(units, hits, pairs[value]),
            )
        )
    return found


def _clustered(units: Units, hits: Flags, pairs: Sequence[tuple[int, int]]) -> PairedCounts:
    """The pairs' differences, and their clusters: either unit's base sentence; among copies, the word."""
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    together = units.together
    ways = [together.base[first], together.base[second]]
    if together.words is not None:
        ways.append(together.words[second])
    return PairedCounts(hits[first].astype(np.int64) - hits[second], ways)


def _keys(units: Units, contrast: Contrast) -> list[Hashable]:
    """For each unit what it shares with its twins, and its place among the units that share it."""
    columns = [units.column(name) for name in contrast.same]
    found: list[Hashable] = []
    for unit in range(len(units)):
        identity = units.cluster[unit] if contrast.key == "base" else units.text[unit].casefold()
        found.append((identity, *(column[unit] for column in columns)))
    return found
