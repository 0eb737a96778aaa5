"""Results by attribute: support, hits, rate, interval and the gap to the rest, for every value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from probeta.evaluation.clustered import Together
from probeta.evaluation.counts import Counts
from probeta.evaluation.intervals import Interval, wilson
from probeta.evaluation.spantable import Flags
from probeta.evaluation.units import Units, Values

#: Parts the attributes of a crossed table, and the values of its cells.
CROSS = ":"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One value (or combination of values) and a system's result there.

    ``interval`` is the recall's and ``gap_interval`` that of ``gap``, the recall minus that of all other units
    together, both by cluster (``probeta.evaluation.clustered``); ``wilson`` takes the units as independent.
    ``effective`` is how many independent units the cell is worth. All are None without support.
    """

    values: Mapping[str, str]
    counts: Counts
    interval: Interval | None
    gap: float | None
    gap_interval: Interval | None
    effective: float | None

    @property
    def wilson(self) -> Interval | None:
        """Wilson's interval of the recall, as if no two units went together."""
        return wilson(self.counts.correct, self.counts.gold)

    @property
    def name(self) -> str:
        """The values, joined.

        >>> Cell(values={"casing": "lower", "quotes": "with"}, counts=Counts(gold=0, predicted=None, correct=0),
        ...      interval=None, gap=None, gap_interval=None, effective=None).name
        'lower:with'
        """
        return CROSS.join(self.values.values())

    def to_json(self) -> dict[str, Any]:
        """The counts' keys, with ``low`` and ``high`` for the recall, ``wilson`` and ``gap`` to the rest."""
        low, high = self.interval or (None, None)
        gap_low, gap_high = self.gap_interval or (None, None)
        found: dict[str, Any] = {"low": low, "high": high, "effective": self.effective}
        low, high = self.wilson or (None, None)
        found |= {
            "wilson": {"low": low, "high": high},
            "gap": {"value": self.gap, "low": gap_low, "high": gap_high},
        }
        return self.counts.to_json() | found


def cell(
    values: Mapping[str, str], counts: Counts, together: Together, *, hits: Flags, here: Flags, rest: Flags
) -> Cell:
    """A cell from its counts, and from which units are ``hits``, ``here`` in the cell and in the ``rest``."""
    own, other = together.rate(hits, here), together.rate(hits, rest)
    return Cell(
        values=values,
        counts=counts,
        interval=None if own is None else own.interval,
        gap=own.rate - other.rate if own is not None and other is not None else None,
        gap_interval=together.gap(own, other) if own is not None and other is not None else None,
        effective=None if own is None else own.effective,
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
    keys = sorted(gold.keys() | (predicted or {}).keys(), key=ranked_by(attributes, order))
    places = np.flatnonzero(chosen)
    members: dict[tuple[str, ...], list[int]] = {}
    for place, key in zip(places.tolist(), zip(*columns, strict=True), strict=True):
        members.setdefault(key, []).append(place)
    found = []
    for key in keys:
        counts = Counts(
            gold=gold.get(key, 0),
            predicted=None if predicted is None else predicted.get(key, 0),
            correct=correct.get(key, 0),
        )
        here = np.zeros(len(units), dtype=np.bool_)
        here[members.get(key, [])] = True
        found.append(
            cell(
                dict(zip(attributes, key, strict=True)),
                counts,
                units.together,
                hits=result.hits,
                here=here,
                rest=chosen & ~here,
            )
        )
    return found


def _count(columns: Sequence[Values]) -> dict[tuple[str, ...], int]:
    found: dict[tuple[str, ...], int] = {}
    for key in zip(*columns, strict=True):
        found[key] = found.get(key, 0) + 1
    return found


def ranked_by(
    attributes: Sequence[str], order: Mapping[str, Sequence[str]] | None = None
) -> Callable[[tuple[str, ...]], list[tuple[int, str]]]:
    """A key to sort values of ``attributes`` by: declared ones in their order, then the others by name."""

    def rank(key: tuple[str, ...]) -> list[tuple[int, str]]:
        ranks = []
        for attribute, value in zip(attributes, key, strict=True):
            declared = (order or {}).get(attribute, ())
            ranks.append((declared.index(value) if value in declared else len(declared), value))
        return ranks

    return rank


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
