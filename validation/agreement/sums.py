"""The sums over items that the coefficients are functions of.

``CountSums`` needs only how often each label was given to each item; ``rater_sums`` adds who gave how
many of which label (Conger); ``PairTables`` are the confusion tables of all pairs of raters (Cohen,
Light, the grid). All of them carry leading axes, so that one formula serves the value, the bootstrap and
the linearised variance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from probeta.validation.agreement.coded import Coded, Codes

Floats = npt.NDArray[Any]


@dataclass(frozen=True)
class CountSums:
    """Sums over items, packed in the last axis of ``packed``; ``number`` is the number of labels."""

    packed: Floats
    number: int

    @property
    def rated(self) -> Floats:
        """Items with a label."""
        return self.packed[..., 0]

    @property
    def pairable(self) -> Floats:
        """Items with labels from two raters."""
        return self.packed[..., 1]

    @property
    def agreement(self) -> Floats:
        """Over pairable items, the (weighted) share of agreeing pairs."""
        return self.packed[..., 2]

    @property
    def values(self) -> Floats:
        """Labels in pairable items."""
        return self.packed[..., 3]

    @property
    def selves(self) -> Floats:
        """Pairs of a label in a pairable item with itself (or with its rater's copy): no evidence."""
        return self.packed[..., 4]

    @property
    def disagreement(self) -> Floats:
        """Over pairable items, n times the mean distance of a pair: Krippendorff's observed part."""
        return self.packed[..., 5]

    @property
    def margins(self) -> Floats:
        """Over rated items, the share of each label in the item (item-averaged margins)."""
        return self.packed[..., 6 : 6 + self.number]

    @property
    def pooled(self) -> Floats:
        """Counts of each label in pairable items (pooled margins)."""
        return self.packed[..., 6 + self.number : 6 + 2 * self.number]

    @property
    def coincidences(self) -> Floats:
        """Krippendorff's coincidence table, if it was asked for."""
        table = self.packed[..., 6 + 2 * self.number :]
        return table.reshape(*table.shape[:-1], self.number, self.number)


def count_rows(
    counts: Floats,
    *,
    weights: Floats,
    distances: Floats | None,
    squares: Floats | None = None,
) -> Floats:
    """One packed row of sums an item, from its label counts (items, labels).

    ``distances`` None asks for the coincidence table instead (the ordinal metric needs it). ``squares``
    are the label counts with each rater's multiplicity squared; by default every rater counts once.
    """
    squares = counts if squares is None else squares
    number = counts.shape[1]
    total, selves = counts.sum(axis=1), squares.sum(axis=1)
    pairs = total**2 - selves
    pairable = pairs > 0
    rated = total > 0
    per_pair = np.divide(1.0, pairs, out=np.zeros_like(pairs), where=pairable)
    agreeing = np.einsum("ik,ik->i", counts @ weights, counts) - selves
    rows = np.zeros((len(counts), 6 + 2 * number + (number * number if distances is None else 0)))
    rows[:, 0] = rated
    rows[:, 1] = pairable
    rows[:, 2] = agreeing * per_pair
    rows[:, 3] = total * pairable
    rows[:, 4] = selves * pairable
    if distances is not None:
        rows[:, 5] = np.einsum("ik,ik->i", counts @ distances, counts) * per_pair * total
    rows[:, 6 : 6 + number] = counts / np.where(rated, total, 1.0)[:, None]
    rows[:, 6 + number : 6 + 2 * number] = counts * pairable[:, None]
    if distances is None:
        table = counts[:, :, None] * counts[:, None, :]
        table[:, np.arange(number), np.arange(number)] -= squares
        rows[:, 6 + 2 * number :] = (table * (per_pair * total)[:, None, None]).reshape(len(counts), -1)
    return rows


def rater_rows(coded: Coded) -> Floats:
    """Per item, an indicator of every rater and label: (items, raters * labels)."""
    number = len(coded.labels)
    rows = np.zeros((len(coded.items), len(coded.raters) * number))
    items, raters = coded.given
    rows[items, raters * number + coded.codes[items, raters]] = 1
    return rows


@dataclass(frozen=True)
class PairTables:
    """Confusion tables of the pairs with common items.

    ``first`` and ``second`` are raters (columns of the study), ``first < second``; ``tables`` is
    (..., pairs, labels, labels), rows being the first rater's labels.
    """

    first: npt.NDArray[np.intp]
    second: npt.NDArray[np.intp]
    tables: Floats


def pair_tables(coded: Coded) -> PairTables:
    """The confusion tables of all pairs of raters with common items."""
    number, raters = len(coded.labels), len(coded.raters)
    flat_tables = np.zeros(raters * raters * number * number)
    for _, left, right, cell in _events(coded):
        flat = (left * raters + right) * number * number + cell
        flat_tables += np.bincount(flat, minlength=len(flat_tables))
    first, second = np.triu_indices(raters, 1)
    tables = flat_tables.reshape(raters, raters, number, number)[first, second]
    common = tables.sum(axis=(1, 2)) > 0
    return PairTables(first[common], second[common], tables[common])


def _events(coded: Coded) -> Iterator[tuple[Codes, Codes, Codes, Codes]]:
    """Every pair of labels of an item: item, both raters, and the cell of their table, in batches.

    Labels of an item stand side by side: each is compared with the next one, the second next, and so on.
    """
    rows, columns = coded.given
    codes = coded.codes[rows, columns]
    width = int(np.bincount(rows, minlength=1).max()) if len(rows) else 0
    for step in range(1, width):
        same = np.flatnonzero(rows[:-step] == rows[step:])
        other = same + step
        cell = codes[same] * len(coded.labels) + codes[other]
        yield rows[same], columns[same], columns[other], cell


def weighted_pair_kappas(coded: Coded, pairs: PairTables, weights: Floats) -> tuple[Floats, Floats]:
    """Kappa and common items of the pairs with each item counted by ``weights`` (samples, items).

    Both are (samples, pairs). Events are sorted by cell, and each cell's weights added up; samples run
    along the last axis, where numpy adds fastest. Whole numbers below 2^24 are exact in single precision.
    """
    number, raters = len(coded.labels), len(coded.raters)
    position = np.full((raters, raters), -1)
    position[pairs.first, pairs.second] = np.arange(len(pairs.first))
    batches = [
        (item, position[left, right] * number * number + cell) for item, left, right, cell in _events(coded)
    ]
    item, cell = (np.concatenate(column) for column in zip(*batches, strict=True))
    order = np.argsort(cell, kind="stable")
    item, cell = item[order], cell[order]
    starts = np.flatnonzero(np.r_[True, cell[1:] != cell[:-1]])
    by_item = np.ascontiguousarray(weights.T, dtype=np.float32)
    cells = np.zeros((len(pairs.first) * number * number, len(weights)), dtype=np.float32)
    cells[cell[starts]] = np.add.reduceat(by_item[item], starts, axis=0)
    tables = cells.reshape(len(pairs.first), number, number, len(weights))
    first, second = tables.sum(axis=2), tables.sum(axis=1)
    size = first.sum(axis=1).astype(float)
    agreed = sum(tables[:, label, label] for label in range(number))
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = agreed / size
        expected = (first.astype(float) * second).sum(axis=1) / size**2
        return ((observed - expected) / (1 - expected)).T, size.T
