"""Results by attribute: support, hits, rate, Wilson interval and the gap to the rest, for every value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from probeta.evaluation.counts import Counts
from probeta.evaluation.intervals import Interval, newcombe, wilson
from probeta.evaluation.spantable import Flags
from probeta.evaluation.units import Units, Values

#: Parts the attributes of a crossed table, and the values of its cells.
CROSS = ":"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One value (or combination of values) and a system's result there.

    ``interval`` is Wilson's for the recall; ``gap`` is the recall minus that of all other units
    together, ``gap_interval`` Newcombe's for it. All are None without support.
    """

    values: Mapping[str, str]
    counts: Counts
    interval: Interval | None
    gap: float | None
    gap_interval: Interval | None

    @property
    def name(self) -> str:
        """The values, joined.

        >>> cell({"casing": "lower", "quotes": "with"}, Counts(gold=1, predicted=None, correct=1), 0, 0).name
        'lower:with'
        """
        return CROSS.join(self.values.values())

    def to_json(self) -> dict[str, Any]:
        """The counts' keys, with ``low`` and ``high`` for the recall and ``gap`` to the rest."""
        low, high = self.interval or (None, None)
        gap_low, gap_high = self.gap_interval or (None, None)
        gap = {"value": self.gap, "low": gap_low, "high": gap_high}
        return self.counts.to_json() | {"low": low, "high": high, "gap": gap}


def cell(values: Mapping[str, str], counts: Counts, rest_hits: int, rest_support: int) -> Cell:
    """A cell from its counts and those of the rest."""
    recall = counts.recall
    gap = None
    if recall is not None and rest_support:
        gap = recall - rest_hits / rest_support
    return Cell(
        values=values,
        counts=counts,
        interval=wilson(counts.correct, counts.gold),
        gap=gap,
        gap_interval=newcombe(counts.correct, counts.gold, rest_hits, rest_support),
    )


def attributes_named(text: str) -> tuple[str, ...]:
    """The attributes of a crossed table.

    >>> attributes_named("casing:quotes")
    ('casing', 'quotes')
    """
    return tuple(part.strip() for part in text.split(CROSS) if part.strip())


def cells(
    units: Units,
    system: str,
    attributes: Sequence[str],
    *,
    where: Flags | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
) -> list[Cell]:
    """A system's cells for one attribute, or for several crossed; the supports sum to all units.

    ``where`` restricts the units (predictions are then unknown unless all attributes are theirs too and
    no restriction is made). ``order`` gives the declared values of attributes; others are sorted.
    Precision is defined where predictions have all the attributes themselves.
    """
    chosen = np.ones(len(units), dtype=np.bool_) if where is None else where
    result = units.systems[system]
    columns = [units.column(name)[chosen] for name in attributes]
    hits = result.hits[chosen]
    gold = _count(columns)
    correct = _count([column[hits] for column in columns])
    predicted = None
    if where is None and all(name in result.attributes for name in attributes):
        predicted = _count([result.attributes[name] for name in attributes])
    keys = sorted(gold.keys() | (predicted or {}).keys(), key=lambda key: _rank(key, attributes, order or {}))
    support, all_hits = int(chosen.sum()), int(hits.sum())
    found = []
    for key in keys:
        counts = Counts(
            gold=gold.get(key, 0),
            predicted=None if predicted is None else predicted.get(key, 0),
            correct=correct.get(key, 0),
        )
        found.append(
            cell(
                dict(zip(attributes, key, strict=True)),
                counts,
                all_hits - counts.correct,
                support - counts.gold,
            )
        )
    return found


def _count(columns: Sequence[Values]) -> dict[tuple[str, ...], int]:
    found: dict[tuple[str, ...], int] = {}
    for key in zip(*columns, strict=True):
        found[key] = found.get(key, 0) + 1
    return found


def _rank(
    key: tuple[str, ...], attributes: Sequence[str], order: Mapping[str, Sequence[str]]
) -> list[tuple[int, str]]:
    ranks = []
    for attribute, value in zip(attributes, key, strict=True):
        declared = order.get(attribute, ())
        ranks.append((declared.index(value) if value in declared else len(declared), value))
    return ranks


def extremes(found: Sequence[Cell], *, count: int = 3) -> dict[str, list[Cell]]:
    """The ``worst`` and ``best`` cells by recall; of equal ones those with more support come first.

    A worst cell is below all the others together, a best one above them: a system that is equally good
    everywhere has neither, and no cell is both.
    """
    known = [(one, one.gap) for one in found if one.gap is not None]
    worst = [one for one, gap in known if gap < 0]
    best = [one for one, gap in known if gap > 0]
    worst.sort(key=lambda one: (one.counts.recall, -one.counts.gold, one.name))
    best.sort(key=lambda one: (-(one.counts.recall or 0.0), -one.counts.gold, one.name))
    return {"worst": worst[:count], "best": best[:count]}
