"""The sums over items that the coefficients are functions of.

``CountSums`` needs only how often each label was given to each item; ``rater_sums`` adds who gave how
many of which label (Conger); ``PairTables`` are the confusion tables of all pairs of raters (Cohen,
Light, the grid). All of them carry leading axes, so that one formula serves the value, the bootstrap and
the linearised variance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from probeta.validation.agreement.coding import Coded

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
    """The confusion tables of all pairs of raters with common items: one matrix product."""
    number, raters = len(coded.labels), len(coded.raters)
    rows = rater_rows(coded).astype(np.float32)
    # Counts up to 2^24 are exact in single precision.
    product = (rows.T @ rows).reshape(raters, number, raters, number).transpose(0, 2, 1, 3)
    first, second = np.triu_indices(raters, 1)
    tables = product[first, second].astype(float)
    common = tables.sum(axis=(1, 2)) > 0
    return PairTables(first[common], second[common], tables[common])


def weighted_pair_tables(coded: Coded, pairs: PairTables, weights: Floats) -> Floats:
    """The same tables with each item counted by ``weights`` (samples, items): one table a sample.

    Every pair of labels in an item is an event in one cell of one pair's table; events are sorted by
    cell, and each cell's weights added up.
    """
    number, raters = len(coded.labels), len(coded.raters)
    position = np.full((raters, raters), -1)
    position[pairs.first, pairs.second] = np.arange(len(pairs.first))
    items, cells = [], []
    rows, columns = coded.given
    width = int(np.bincount(rows, minlength=1).max()) if len(rows) else 0
    # Labels of an item stand side by side in ``given``: compare each with the next, the second next, …
    for step in range(1, width):
        same = rows[:-step] == rows[step:]
        item, left, right = rows[:-step][same], columns[:-step][same], columns[step:][same]
        cell = position[left, right] * number * number
        cell += coded.codes[item, left] * number + coded.codes[item, right]
        items.append(item)
        cells.append(cell)
    tables = np.zeros((len(weights), len(pairs.first) * number * number))
    if items:
        item, cell = np.concatenate(items), np.concatenate(cells)
        order = np.argsort(cell, kind="stable")
        item, cell = item[order], cell[order]
        starts = np.flatnonzero(np.r_[True, cell[1:] != cell[:-1]])
        tables[:, cell[starts]] = np.add.reduceat(weights[:, item], starts, axis=1)
    return tables.reshape(len(weights), len(pairs.first), number, number)
