"""A study: coded labels with the choices that move a number, and the sums shared by its coefficients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from probeta import resampling
from probeta.errors import UsageError
from probeta.resampling import BLOCK, Units, by_cluster, distinct, each
from probeta.validation.agreement.coded import Coded
from probeta.validation.agreement.coding import from_rows
from probeta.validation.agreement.estimates import Estimate
from probeta.validation.agreement.estimation import Basis, Parts, Sampler, estimate, estimate_sampled
from probeta.validation.agreement.intervals import Interval
from probeta.validation.agreement.sums import (
    CountSums,
    PairTables,
    count_rows,
    pair_tables,
    rater_rows,
    weighted_pair_kappas,
)
from probeta.validation.agreement.weights import (
    DEFAULT_WEIGHTS,
    distance_matrix,
    ordinal_distances,
    weight_matrix,
)

Floats = npt.NDArray[Any]


class Study:
    """Coded labels, the level of measurement, weights, and how intervals are made.

    ``level`` (nominal, ordinal, interval, ratio, or a matrix of distances) is alpha's metric; ``weights``
    (a name or a matrix) are those of the weighted coefficients and follow the level by default. An
    ordinal level needs a declared label order, interval and ratio need numbers. A ``sampler`` lets
    studies of the same items share their draws.
    """

    def __init__(
        self,
        coded: Coded,
        *,
        level: str | npt.ArrayLike = "nominal",
        weights: str | npt.ArrayLike | None = None,
        interval: Interval | None = None,
        sampler: Sampler | None = None,
    ) -> None:
        totals = (coded.codes >= 0).sum(axis=1)
        # An item without a label says nothing; it must not count as a unit of resampling either.
        rated = np.asarray(totals > 0)
        self.coded = coded if rated.all() else replace(coded.select(rated), repeats=coded.repeats)
        self.totals = totals[rated]
        self.sampler = sampler or Sampler(interval or Interval(method="none"))
        self.interval = self.sampler.interval
        self.level = level
        self.weights_name: str = (
            "custom"
            if weights is not None and not isinstance(weights, str)
            else weights or DEFAULT_WEIGHTS.get(level if isinstance(level, str) else "nominal", "identity")
        )
        scores = coded.scores()
        if isinstance(level, str) and level in ("interval", "ratio") and scores is None:
            raise UsageError(f"the level {level} needs numbers as labels, found {', '.join(coded.labels)}")
        ordinal = isinstance(level, str) and level == "ordinal"
        if ordinal and scores is None and not coded.declared:
            raise UsageError("the level ordinal needs the labels in their order: declare them (--labels)")
        ranks = [float(rank) for rank in range(len(coded.labels))]
        numbers: Sequence[float] = ranks if scores is None else scores
        self.identity = np.eye(len(coded.labels))
        self.weights = weight_matrix(weights if weights is not None else self.weights_name, numbers)
        self.distances = None if ordinal else distance_matrix(level, numbers)

    # What the study stands on.

    @cached_property
    def pairable(self) -> int:
        """Items with labels from two raters."""
        return int((self.totals > 1).sum())

    @cached_property
    def raters(self) -> int:
        """Raters with a label."""
        return len(self.coded.active)

    @cached_property
    def pairs_compared(self) -> int:
        """Pairs of labels given to the same item."""
        return int((self.totals * (self.totals - 1)).sum()) // 2

    @property
    def basis(self) -> Basis:
        """Pairable items, raters, pairs."""
        return Basis(self.pairable, self.raters, self.pairs_compared)

    @cached_property
    def reason(self) -> str | None:
        """Why no coefficient at all is defined, or None."""
        if not len(self.coded.active):
            return "no_data"
        if self.raters < 2 and not self.coded.anonymous:
            return "one_rater"
        return None if self.pairable else "no_common_items"

    @cached_property
    def varies(self) -> bool:
        """Whether the pairable items hold two different labels."""
        compared = self.coded.codes
        if len(self.coded.raters) < 2 or (self.totals < len(self.coded.raters)).any():
            compared = compared[self.totals > 1]
            compared = compared[compared >= 0]
        return bool(compared.size and compared.min() != compared.max())

    def undefined(self, name: str, reason: str, *, note: str | None = None) -> Estimate:
        """The estimate that says why there is no value, with what can be said instead."""
        observed = None
        if self.pairable:
            sums = self.count_total(self.identity)
            observed = float(sums.agreement / sums.pairable)
        return Estimate(
            name=name,
            reason=reason,
            interval_reason=reason,
            items=self.pairable,
            raters=self.raters,
            pairs=self.pairs_compared,
            observed=observed,
            note=note,
        )

    # Sums.

    def count_rows(self, weights: Floats) -> Floats:
        """One row of sums an item."""
        return count_rows(self.coded.counts, weights=weights, distances=self.distances)

    def count_total(self, weights: Floats) -> CountSums:
        """The sums over all items."""
        units = self._count_units(weights)
        return CountSums(units.multiplicity @ units.sums, len(self.coded.labels))

    def _count_units(self, weights: Floats) -> Units:
        key = weights.tobytes()
        if key not in self._units:
            if self.coded.clusters is None:
                # Items with equal label counts have equal sums: make those once.
                patterns = distinct(self.coded.counts)
                rows = count_rows(patterns.sums, weights=weights, distances=self.distances)
                self._units[key] = Units(rows, patterns.multiplicity)
            else:
                self._units[key] = distinct(by_cluster(self.count_rows(weights), self.coded.clusters))
        return self._units[key]

    @cached_property
    def _units(self) -> dict[bytes, Units]:
        return {}

    @cached_property
    def pair_tables(self) -> PairTables:
        """Confusion tables of all pairs of raters with common items."""
        return pair_tables(self.coded)

    @cached_property
    def sampled_pairs(self) -> tuple[Floats, Floats]:
        """Kappa and common items of every pair in every bootstrap sample: two arrays (samples, pairs)."""
        cells = len(self.pair_tables.first) * len(self.coded.labels) ** 2
        step = max(1, BLOCK // max(1, cells, self.pairs_compared))
        parts = [
            weighted_pair_kappas(self.coded, self.pair_tables, block[start : start + step])
            for block in self.item_draws()
            for start in range(0, len(block), step)
        ]
        values, sizes = (np.concatenate(column) for column in zip(*parts, strict=True))
        return values, sizes

    def item_draws(self) -> Iterator[Floats]:
        """How often each item is drawn, by item or by whole clusters, in blocks of samples."""
        clusters = self.coded.clusters
        number = self.units
        for block in self.sampler.blocks(np.ones(number, dtype=np.int64)):
            yield block if clusters is None else block[:, clusters]

    @property
    def units(self) -> int:
        """How many units are drawn: items with a label, or clusters."""
        if self.coded.clusters is None:
            return len(self.coded.items)
        return int(self.coded.clusters.max()) + 1 if len(self.coded.clusters) else 0

    @property
    def sampled_forms(self) -> tuple[str, ...]:
        """How intervals can be drawn: two-way only of annotators who are known, and three at least."""
        known = not self.coded.anonymous and self.raters > 2
        return ("bootstrap", "two_way") if known else ("bootstrap",)

    # From formula to estimate.

    def from_counts(
        self,
        name: str,
        formula: Callable[[CountSums], Parts],
        *,
        weights: Floats | None = None,
        variance: Callable[[CountSums], Floats] | None = None,
        only_pairable: bool = False,
        note: str | None = None,
    ) -> Estimate:
        """Value and interval of a coefficient that needs only the label counts.

        ``variance`` is the formula whose linearisation gives the standard error, where a source takes
        another one than the value's; ``only_pairable`` leaves units without a pairable item out of it.
        """
        weights = self.identity if weights is None else weights
        labels = len(self.coded.labels)
        if self.interval.method == "two_way":
            return self._two_way(name, lambda sums, _: formula(sums), weights, note)
        units = self._count_units(weights)

        def parts(packed: Floats) -> Parts:
            return formula(CountSums(packed, labels))

        spread = None if variance is None else lambda packed: variance(CountSums(packed, labels))
        kept = units
        if only_pairable:
            paired = units.sums[:, 1] > 0
            kept = Units(units.sums[paired], units.multiplicity[paired])
        return self.from_units(name, parts, units, variance=spread, variance_units=kept, note=note)

    def from_raters(
        self,
        name: str,
        formula: Callable[[CountSums, Floats, Floats], Parts],
        *,
        weights: Floats | None = None,
        variance: Callable[[CountSums, Floats, Floats], Floats] | None = None,
        note: str | None = None,
    ) -> Estimate:
        """Value and interval of a coefficient that needs each rater's label counts.

        ``formula`` takes the count sums, the raters' counts (..., raters, labels) and how often each
        rater is drawn (..., raters).
        """
        weights = self.identity if weights is None else weights
        labels, raters = len(self.coded.labels), len(self.coded.raters)
        once = np.ones(raters)
        if self.interval.method == "two_way":
            return self._two_way(name, lambda sums, rater: formula(sums, *rater), weights, note)
        rows = self.count_rows(weights)
        width = rows.shape[1]
        rows = by_cluster(np.column_stack([rows, rater_rows(self.coded)]), self.coded.clusters)
        # Few rows are alike where there are many raters: one draw of items, shared by all coefficients
        # and labels, is then cheaper than a draw of each one's distinct rows.
        alike = len(rows) * self.interval.resamples > BLOCK
        units = distinct(rows) if alike else each(rows)

        def split(packed: Floats) -> tuple[CountSums, Floats, Floats]:
            counts = packed[..., width:].reshape(*packed.shape[:-1], raters, labels)
            return CountSums(packed[..., :width], labels), counts, once

        return self.from_units(
            name,
            lambda packed: formula(*split(packed)),
            units,
            variance=None if variance is None else lambda packed: variance(*split(packed)),
            note=note,
        )

    def from_units(
        self,
        name: str,
        parts: Callable[[Floats], Parts],
        units: Units,
        *,
        variance: Callable[[Floats], Floats] | None = None,
        variance_units: Units | None = None,
        note: str | None = None,
    ) -> Estimate:
        """Value and interval of a coefficient that is a formula over the units' sums."""
        return estimate(
            name,
            parts,
            units,
            sampler=self.sampler,
            basis=self.basis,
            undefined=lambda reason: self.undefined(name, reason, note=note),
            variance=variance,
            variance_units=variance_units,
            note=note,
        )

    def _two_way(
        self,
        name: str,
        formula: Callable[[CountSums, tuple[Floats, Floats]], Parts],
        weights: Floats,
        note: str | None,
    ) -> Estimate:
        """The two-way bootstrap: items (or clusters) and raters are drawn, independently."""
        labels, raters = len(self.coded.labels), len(self.coded.raters)
        ones = rater_rows(self.coded).sum(axis=0).reshape(raters, labels)

        def value(sums: Floats, counts: Floats, times: Floats) -> Parts:
            return formula(CountSums(sums, labels), (counts, times))

        with np.errstate(divide="ignore", invalid="ignore"):
            total = value(self.count_rows(weights).sum(axis=0), ones, np.ones(raters))
        return estimate_sampled(
            name,
            total,
            lambda: value(*self._two_way_sums(weights), self.rater_draws).value,
            interval=self.interval,
            basis=self.basis,
            units=self.units,
            undefined=lambda reason: self.undefined(name, reason, note=note),
            forms=self.sampled_forms,
            note=note,
        )

    def _two_way_sums(self, weights: Floats) -> tuple[Floats, Floats]:
        """The sums and the raters' label counts in every sample; coefficients of equal weights share them."""
        key = weights.tobytes()
        if key not in self._two_way_kept:
            drawn = zip((row for block in self.item_draws() for row in block), self.rater_draws, strict=True)
            sums = [
                items
                @ count_rows(
                    self.coded.counts_of(times),
                    squares=self.coded.counts_of(times**2),
                    weights=weights,
                    distances=self.distances,
                )
                for items, times in drawn
            ]
            indicator = rater_rows(self.coded)
            counts = np.concatenate([block @ indicator for block in self.item_draws()])
            shape = len(counts), len(self.coded.raters), len(self.coded.labels)
            self._two_way_kept[key] = np.array(sums), counts.reshape(shape)
        return self._two_way_kept[key]

    @cached_property
    def _two_way_kept(self) -> dict[bytes, tuple[Floats, Floats]]:
        return {}

    @cached_property
    def rater_draws(self) -> Floats:
        """How often each rater is drawn in each sample: (resamples, raters)."""
        active = self.coded.active
        drawn = resampling.draws(
            np.ones(len(active), dtype=np.int64),
            samples=self.interval.resamples,
            seed=self.interval.seed,
            key="raters",
        )
        found = np.zeros((self.interval.resamples, len(self.coded.raters)))
        found[:, active] = np.concatenate(list(drawn))
        return found

    def alpha_distances(self, sums: CountSums) -> Floats:
        """Krippendorff's distances over the labels; the ordinal ones follow the sums' own counts."""
        if self.distances is not None:
            return self.distances
        return ordinal_distances(sums.pooled)


def study(
    data: Any, *, level: Any = "nominal", weights: Any = None, interval: Interval | None = None
) -> Study:
    """A study of ``data``: returned as it is, or made from coded labels or rows of labels."""
    if isinstance(data, Study):
        return data
    coded = data if isinstance(data, Coded) else from_rows(data)
    return Study(coded, level=level, weights=weights, interval=interval)
