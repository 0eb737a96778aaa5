"""Krippendorff's unitizing alpha_U (1995; 2004, chapter 11): agreement on where units stand in a text.

Not to be taken for the u-alpha family of 2016, which gives other values on the same data.

Each annotator cuts the text into units (spans) of a label and the gaps between them. Two units that
overlap differ by the squares of the distances of their starts and of their ends; a unit inside the
other's gap differs by the square of its length. D_o is the mean over pairs of annotators; D_e is what
chance placement of the same units would give. Labels are computed apart and added up.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from probeta.resampling import by_cluster, distinct
from probeta.validation.agreement.estimates import Estimate
from probeta.validation.agreement.estimation import Parts, Sampler, estimate, estimate_sampled
from probeta.validation.agreement.intervals import Interval
from probeta.validation.agreement.spans import basis, of_label, reason, undefined
from probeta.validation.agreement.spansets import SpanAnswers, overlapping
from probeta.words import counted

Floats = npt.NDArray[Any]


class _Sections(NamedTuple):
    """Units and gaps of one annotator and label on one axis, items side by side, in order."""

    starts: Floats
    ends: Floats
    gap_ends: Floats
    gaps: Floats


class _Label(NamedTuple):
    """Per item: observed differences, and how many units and gaps there are of each length."""

    observed: Floats
    unit_lengths: Floats
    units: Floats
    gap_lengths: Floats
    gaps: Floats


def alpha_u(
    answers: SpanAnswers,
    *,
    lengths: npt.ArrayLike | None = None,
    interval: Interval | None = None,
    sampler: Sampler | None = None,
) -> Estimate:
    """alpha_U over the items that all annotators answered, in code points; resampled by item or cluster.

    ``lengths`` are the items' lengths, by default those of their texts. A gap ends with its item, so the
    value does not depend on the items' order. Where no item has an answer from all annotators, the value
    is the mean over pairs of annotators, weighted by the length they share; a bootstrap sample then draws
    items for all pairs at once.
    Undefined: ``no_text`` without lengths, ``overlapping_spans`` if an annotator's spans of one label
    overlap, otherwise as for span F1.
    """
    missing = reason(answers)
    if missing is None and lengths is None and answers.texts is None:
        missing = "no_text"
    if missing is None and any(
        overlapping(of_label(answers, label)).any() for label in range(len(answers.labels))
    ):
        missing = "overlapping_spans"
    if missing:
        return undefined("alpha_u", answers, missing)
    size = np.asarray(
        [len(text) for text in answers.texts or ()] if lengths is None else lengths, dtype=float
    )
    sampler = sampler or Sampler(interval or Interval(method="none"))
    complete = np.flatnonzero(answers.answered[:, answers.active].all(axis=1))
    if not len(complete):
        return _mean_of_pairs(answers, size, sampler)
    whole = answers.select(complete.tolist())
    sums = _sums(whole, size[complete])
    found = basis(answers)
    left_out = found.items - len(complete)
    return estimate(
        "alpha_u",
        sums.parts,
        distinct(by_cluster(sums.rows, whole.clusters)),
        sampler=sampler,
        basis=found._replace(items=len(complete)),
        undefined=lambda code: undefined("alpha_u", answers, code),
        note=f"{counted(left_out, 'item')} not answered by all annotators left out" if left_out else None,
    )


class _Sums(NamedTuple):
    """Sums by item, the first being the item's length, and alpha_U as a formula over them."""

    rows: Floats
    parts: Callable[[Floats], Parts]


def _sums(answers: SpanAnswers, size: Floats) -> _Sums:
    """The sums of answers in which every rater answered every item."""
    raters = len(answers.active)
    tables = [_label(of_label(answers, label), size) for label in range(len(answers.labels))]
    blocks = [size[:, None]]
    for table in tables:
        blocks += [table.observed[:, None], table.units, table.gaps]
    edges = np.cumsum([block.shape[1] for block in blocks])[:-1]

    def parts(packed: Floats) -> Parts:
        total, *sums = np.split(packed, edges, axis=-1)
        total = total[..., 0]
        observed = expected = np.zeros_like(total)
        for label, table in enumerate(tables):
            within, units, gaps = sums[3 * label : 3 * label + 3]
            observed = observed + within[..., 0] / (raters * (raters - 1) * total**2)
            expected = expected + _expected(table, units, gaps, raters * total) * 2 / total
        return Parts(1 - observed / expected, 1 - observed, 1 - expected)

    return _Sums(np.column_stack(blocks), parts)


def _expected(table: _Label, units: Floats, gaps: Floats, continuum: Floats) -> Floats:
    """L / 2 times D_e of one label, from the numbers of units and gaps of each length.

    A unit meets each of the other units in (2 l^3 - 3 l^2 + l) / 3 placements, and each gap that holds
    it in l^2 for every place in it; the whole continuum offers mL (mL - 1) - sum l (l - 1) placements.
    """
    length = table.unit_lengths
    room = table.gap_lengths[None, :] - length[:, None]
    in_gap = length[:, None] ** 2 * np.where(room >= 0, room + 1, 0)
    meeting = units @ ((2 * length**3 - 3 * length**2 + length) / 3)
    placed = ((units @ in_gap) * gaps).sum(axis=-1)
    places = continuum * (continuum - 1) - units @ (length * (length - 1))
    return np.asarray(((units.sum(axis=-1) - 1) * meeting + placed) / places)


def _label(answers: SpanAnswers, size: Floats) -> _Label:
    """The sums of one label by item; every rater answered every item."""
    ends = np.cumsum(size)
    bases = ends - size
    raters = [_sections(answers, int(rater), bases, ends) for rater in answers.active]
    observed = np.zeros(len(size))
    for position, first in enumerate(raters):
        for second in raters[position + 1 :]:
            # Both orders of the two annotators are counted.
            observed += 2 * _differences(first, second, ends, meeting=True)
            observed += 2 * _differences(second, first, ends, meeting=False)
    starts, stops = (
        np.concatenate([getattr(rater, name) for rater in raters]) for name in ("starts", "ends")
    )
    gap_ends, gap_sizes = (
        np.concatenate([getattr(rater, name) for rater in raters]) for name in ("gap_ends", "gaps")
    )
    unit_lengths, units = _by_length(stops - starts, np.searchsorted(ends, stops), len(size))
    gap_lengths, gaps = _by_length(gap_sizes, np.searchsorted(ends, gap_ends), len(size))
    return _Label(observed, unit_lengths, units, gap_lengths, gaps)


def _sections(answers: SpanAnswers, rater: int, bases: Floats, ends: Floats) -> _Sections:
    own = answers.rater == rater
    starts = np.sort(answers.start[own] + bases[answers.item[own]])
    stops = np.sort(answers.end[own] + bases[answers.item[own]])
    # An item is bounded by its base and its end: the k-th left bound of a gap belongs to the k-th right.
    left, right = np.sort(np.r_[bases, stops]), np.sort(np.r_[starts, ends])
    real = right > left
    return _Sections(starts, stops, right[real], (right - left)[real])


def _differences(first: _Sections, second: _Sections, ends: Floats, *, meeting: bool) -> Floats:
    """Per item: the squared lengths of the units of ``first`` inside gaps of ``second`` and, if
    ``meeting``, the squared differences of its units from those of ``second`` that they overlap.
    """
    low = np.searchsorted(second.ends, first.starts, side="right")
    high = np.searchsorted(second.starts, first.ends, side="left")
    item = np.searchsorted(ends, first.ends)
    number = np.maximum(high - low, 0)
    free = number == 0
    cost = np.bincount(item[free], weights=((first.ends - first.starts) ** 2)[free], minlength=len(ends))
    if not meeting or free.all():
        return cost
    owner = np.repeat(np.arange(len(number)), number)
    step = np.arange(len(owner)) - np.repeat(np.cumsum(number) - number, number)
    other = low[owner] + step
    gap = (first.starts[owner] - second.starts[other]) ** 2 + (first.ends[owner] - second.ends[other]) ** 2
    return np.asarray(cost + np.bincount(item[owner], weights=gap, minlength=len(ends)))


def _by_length(lengths: Floats, item: npt.NDArray[np.intp], items: int) -> tuple[Floats, Floats]:
    """The distinct lengths, and how many there are of each in each item."""
    values, position = np.unique(lengths, return_inverse=True)
    flat = np.bincount(item * len(values) + position, minlength=items * len(values))
    return values, flat.reshape(items, len(values)).astype(float)


def _mean_of_pairs(answers: SpanAnswers, size: Floats, sampler: Sampler) -> Estimate:
    shared = np.flatnonzero(answers.pairable)
    answers, size = answers.select(shared.tolist()), size[shared]
    pairs: list[tuple[npt.NDArray[np.intp], _Sums]] = []
    for first, second in combinations(answers.active.tolist(), 2):
        both = np.flatnonzero(answers.answered[:, first] & answers.answered[:, second])
        if len(both):
            pairs.append((both, _sums(answers.pair(first, second), size[both])))

    def mean(weights: Floats) -> tuple[Floats, int]:
        """The mean with each item counted by ``weights`` (samples, items), and the pairs with a value."""
        total, length, defined = np.zeros(len(weights)), np.zeros(len(weights)), 0
        for items, sums in pairs:
            packed = weights[:, items] @ sums.rows
            value = sums.parts(packed).value
            there = np.isfinite(value)
            total += np.where(there, value * packed[:, 0], 0)
            length += np.where(there, packed[:, 0], 0)
            defined += bool(there.any())
        return total / length, defined

    units = len(size) if answers.clusters is None else int(answers.clusters.max()) + 1

    def sampled() -> Floats:
        blocks = sampler.blocks(np.ones(units, dtype=np.int64))
        every = slice(None) if answers.clusters is None else answers.clusters
        return np.concatenate([mean(block[:, every])[0] for block in blocks])

    with np.errstate(divide="ignore", invalid="ignore"):
        (value,), number = mean(np.ones((1, len(size))))
    nothing = np.array(np.nan)
    return estimate_sampled(
        "alpha_u",
        Parts(value, nothing, nothing),
        sampled,
        interval=sampler.interval,
        basis=basis(answers),
        units=units,
        undefined=lambda code: undefined("alpha_u", answers, code),
        note=f"mean over {counted(number, 'pair')} of annotators: no item was answered by all",
    )
