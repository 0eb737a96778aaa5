"""What is scored, one row a unit, with attributes: the table that all results by attribute come from.

A unit is a gold span (or a pair); it was found (or classified right) by a system or not. Predictions
are kept beside it, with the attributes that they have too: those of their sentence, and the label.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from probeta.errors import DataError, Fault, UsageError, nearest
from probeta.evaluation.clustered import Together
from probeta.evaluation.spantable import Flags, Ints

#: The value of a unit that has none for an attribute: partitions still sum to the total.
MISSING = "(missing)"

Values = npt.NDArray[np.object_]


def values(entries: Iterable[Any]) -> Values:
    """Attribute values as text; None and empty text become ``MISSING``, true and false are lower-case."""
    texts = [text(entry) for entry in entries]
    found = np.empty(len(texts), dtype=object)
    found[:] = texts
    return found


def text(entry: Any) -> str:
    """An attribute's value as text: ``MISSING`` where there is none, true and false in lower case.

    >>> text(None), text(True), text("lower")
    ('(missing)', 'true', 'lower')
    """
    if entry is None or entry == "":
        return MISSING
    return str(entry).lower() if isinstance(entry, bool) else str(entry)


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictions:
    """A system's results: ``hits`` over the units; ``attributes`` and ``correct`` over its predictions."""

    hits: Flags
    correct: Flags
    attributes: Mapping[str, Values]

    def __len__(self) -> int:
        return len(self.correct)


@dataclass(frozen=True, kw_only=True)
class Units:
    """Units with their base sentence (``cluster``), item number, attributes and surface ``text``."""

    item: Ints
    cluster: Sequence[str]
    text: Sequence[str]
    attributes: Mapping[str, Values]
    systems: Mapping[str, Predictions]

    def __len__(self) -> int:
        return len(self.item)

    @functools.cached_property
    def copied(self) -> bool:
        """Whether any base sentence has copies: units in several items."""
        return len(set(zip(self.cluster, self.item.tolist(), strict=True))) > len(set(self.cluster))

    @functools.cached_property
    def words(self) -> list[str]:
        """What each unit says, in whatever casing: the same words are one word."""
        return [text.casefold() for text in self.text]

    @functools.cached_property
    def together(self) -> Together:
        """Which units are right or wrong together: those of a base sentence; among copies, the same words."""
        return Together(self.cluster, self.words if self.copied else None)

    def column(self, attribute: str) -> Values:
        """The units' values of ``attribute``; a UsageError lists those there are."""
        if attribute not in self.attributes:
            if not len(self):
                # Nothing has an attribute that spans would have.
                return values(())
            raise UsageError(unknown_attribute(attribute, self.attributes))
        return self.attributes[attribute]

    def where(self, conditions: Mapping[str, Sequence[str]]) -> Flags:
        """The units whose attributes have one of the values named for each."""
        chosen = np.ones(len(self), dtype=np.bool_)
        for attribute, wanted in conditions.items():
            column = self.column(attribute)
            for value in wanted:
                if not (column == value).any():
                    there = ", ".join(sorted(set(column)))
                    raise UsageError(f"no unit has {attribute}={value}; its values are {there}")
            chosen &= np.isin(column.astype(str), list(wanted))
        return chosen


def unknown_attribute(attribute: str, known: Iterable[str]) -> str:
    """The message for an attribute that the data does not have."""
    names = sorted(known)
    hint = nearest(attribute, names)
    meant = f"; did you mean {hint}?" if hint else ""
    return f"the gold has no attribute {attribute!r}: it has {', '.join(names) or 'none'}{meant}"


def attribute_rows(
    rows: Iterable[Mapping[str, Any]], *, file: str
) -> dict[tuple[str, int, int], Mapping[str, Any]]:
    """Rows with ``item, start, end`` and attribute columns, as `probeta attributes` writes them, by span."""
    found: dict[tuple[str, int, int], Mapping[str, Any]] = {}
    faults = []
    for number, row in enumerate(rows, start=1):
        try:
            key = str(row["item"]), int(row["start"]), int(row["end"])
        except (KeyError, TypeError, ValueError):
            faults.append(
                Fault(
                    code="attribute_row",
                    message="the row names no span",
                    file=file,
                    row=number,
                    expected="item, and whole numbers in start and end",
                    found=", ".join(f"{name}={row.get(name)!r}" for name in ("item", "start", "end")),
                    fix="write the table with `probeta attributes`",
                )
            )
            continue
        found[key] = {k: v for k, v in row.items() if k not in ("item", "start", "end", "text")}
    if faults:
        raise DataError(faults)
    return found
