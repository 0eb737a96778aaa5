"""Draw a stratified sample: seeded, balanced over columns in their order, no sentence twice.

The draw is a nested round: the value of the first column that has given least is asked first, within it
the value of the second column, and so on. A stratum that runs out leaves its share to the others; the
report says what each had and gave.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from probeta.annotation.campaign import FIELDS, Kind
from probeta.errors import UsageError
from probeta.randomness import keyed

#: How a missing value of a stratum's column is shown.
MISSING = "(none)"


@dataclass(frozen=True, slots=True)
class Bands:
    """A numeric column cut at ``edges``: a value belongs to the band that begins at or below it."""

    column: str
    edges: Sequence[float]

    def __call__(self, value: object) -> str:
        """The band's name.

        >>> Bands("confidence", [0.5, 0.8])(0.5), Bands("confidence", [0.5, 0.8])(0.9)
        ('0.5-0.8', '0.8-')
        """
        if value is None or value == "":
            return MISSING
        try:
            number = float(str(value))
        except ValueError:
            raise UsageError(f"--bands {self.column}: {value!r} is no number") from None
        passed = [edge for edge in self.edges if edge <= number]
        low = f"{passed[-1]:g}" if passed else ""
        high = f"{self.edges[len(passed)]:g}" if len(passed) < len(self.edges) else ""
        return f"{low}-{high}"


@dataclass(slots=True)
class _Node:
    """A stratum: its rows if it is a leaf, else its parts by value."""

    parts: dict[str, _Node] = field(default_factory=dict)
    rows: list[Mapping[str, Any]] = field(default_factory=list)
    had: int = 0
    gave: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The drawn rows in the order of the draw, and per stratum what it had and gave."""

    rows: Sequence[Mapping[str, Any]]
    report: Mapping[str, Any]


def folded(row: Mapping[str, Any], kind: Kind) -> tuple[str, ...]:
    """What makes two rows the same to an annotator: the texts without case, marks of width and spacing."""
    return tuple(
        " ".join(unicodedata.normalize("NFKC", str(row.get(name, ""))).casefold().split())
        for name in FIELDS[kind]
    )


def draw(
    rows: Sequence[Mapping[str, Any]],
    *,
    kind: Kind,
    size: int,
    strata: Sequence[str] = (),
    bands: Sequence[Bands] = (),
    seed: int = 0,
    exclude: Sequence[Mapping[str, Any]] = (),
) -> Sample:
    """Draw ``size`` rows; fewer where there are no more, which the report says.

    ``strata`` are columns, the first balanced first. A base sentence is drawn once however many
    perturbations of it there are (column ``base_id``), and so is a text; ``exclude`` are rows already
    used. The draw is keyed by the rows' ids: other rows or another order of the file change only what
    they must.
    """
    cuts = {band.column: band for band in bands}
    known = set(rows[0]) if rows else set()
    for column in (*strata, *cuts):
        if column not in known:
            raise UsageError(
                f"there is no column {column!r} to draw by; there are: {', '.join(sorted(known))}"
            )
    names = [*strata, *(column for column in cuts if column not in strata)]
    root = _Node()
    for row in sorted(rows, key=lambda row: keyed(seed, "sample", str(row["id"])).random(), reverse=True):
        node = root
        node.had += 1
        for column in names:
            value = row[column]
            shown = cuts[column](value) if column in cuts else MISSING if value is None else str(value)
            node = node.parts.setdefault(shown, _Node())
            node.had += 1
        node.rows.append(row)
    used = {mark for row in exclude for mark in _marks(row, kind)}
    dropped = {"excluded": 0, "same_base": 0, "same_text": 0}
    first = set(used)
    drawn: list[Mapping[str, Any]] = []
    while len(drawn) < size:
        found = _next(root, kind, used, first, dropped)
        if found is None:
            break
        drawn.append(found)
    report = {
        "asked": size,
        "drawn": len(drawn),
        "seed": seed,
        "by": names,
        "passed_over": dropped,
        "strata": [
            {"values": dict(zip(names, values, strict=True)), "had": node.had, "gave": node.gave}
            for values, node in sorted(_leaves(root))
        ],
    }
    return Sample(rows=drawn, report=report)


def _marks(row: Mapping[str, Any], kind: Kind) -> tuple[tuple[str, object], ...]:
    return ("base", str(row.get("base_id") or row["id"])), ("text", folded(row, kind))


def _next(
    node: _Node, kind: Kind, used: set[Any], first: set[Any], dropped: dict[str, int]
) -> Mapping[str, Any] | None:
    """The next row of the part that has given least; parts that are used up are left."""
    if not node.parts:
        while node.rows:
            row = node.rows.pop()
            base, text = _marks(row, kind)
            if base in used or text in used:
                reason = (
                    "excluded"
                    if base in first or text in first
                    else "same_base"
                    if base in used
                    else "same_text"
                )
                dropped[reason] += 1
                continue
            used.update((base, text))
            node.gave += 1
            return row
        return None
    for value in sorted(node.parts, key=lambda value: (node.parts[value].gave, value)):
        found = _next(node.parts[value], kind, used, first, dropped)
        if found is not None:
            node.gave += 1
            return found
    return None


def _leaves(node: _Node, values: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], _Node]]:
    if not node.parts:
        return [(values, node)]
    return [leaf for value, part in node.parts.items() for leaf in _leaves(part, (*values, value))]
