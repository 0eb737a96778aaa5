"""The grid of a recipe: how full each cell is, how full it can get, and what is wrong with that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from probeta.builders.spans.content import Content, load_content
from probeta.builders.spans.generate import CellPlan, is_drawn
from probeta.errors import Fault
from probeta.recipe.schema import SpanRecipe
from probeta.records import Sentence
from probeta.signature import signature

#: Raised when a key of the coverage report changes its meaning.
SCHEMA_VERSION = 1

Status = Literal["filled", "drawn", "short", "empty", "over_full"]


@dataclass(frozen=True, slots=True)
class CellCoverage:
    """One cell: its target, what is there, and the most that its rows and templates can give.

    ``hand_picked`` counts sentences written out and templates with a fill; ``drawn`` those that a build
    draws besides (or has drawn, where its sentences are given); ``templates`` different template texts.
    ``status``: ``filled`` by hand-picked sentences, ``drawn`` if templates fill the rest up to the target,
    ``short`` or ``empty`` if they cannot, ``over_full`` if more are hand-picked than the target.
    """

    values: Mapping[str, str]
    target: int
    reason: str | None
    hand_picked: int
    drawn: int
    templates: int
    maximum: int
    status: Status

    @property
    def share(self) -> float | None:
        """The part of the cell's maximum that is used; None where the maximum is 0."""
        return (self.hand_picked + self.drawn) / self.maximum if self.maximum else None


def coverage(
    recipe: SpanRecipe, sentences: Iterable[Sentence] | None = None, *, content: Content | None = None
) -> list[CellCoverage]:
    """How each cell of the grid stands, in the recipe's order; a DataError for faults of the tables.

    With ``sentences`` (base sentences of a build), ``drawn`` counts theirs; without, those that a build to
    the targets would draw.
    """
    content = load_content(recipe) if content is None else content
    drawn: Counter[tuple[str, ...] | None] | None = None
    if sentences is not None:
        drawn = Counter(cell_of(recipe, sentence) for sentence in sentences if is_drawn(sentence.id))
    found = []
    for cell in recipe.grid.cells:
        key = recipe.grid.key(cell.values)
        plan = CellPlan(content, key, cell.target)
        hand_picked = len(plan.hand_picked)
        planned = max(min(cell.target, plan.maximum) - hand_picked, 0)
        found.append(
            CellCoverage(
                dict(zip(recipe.grid.by, key, strict=True)),
                cell.target,
                cell.reason,
                hand_picked,
                planned if drawn is None else drawn[key],
                len(plan.families),
                plan.maximum,
                _status(cell.target, hand_picked, plan.maximum),
            )
        )
    return found


def _status(target: int, hand_picked: int, maximum: int) -> Status:
    if hand_picked > target:
        return "over_full"
    if hand_picked == target:
        return "filled"
    if maximum >= target:
        return "drawn"
    return "short" if maximum else "empty"


def coverage_faults(recipe: SpanRecipe, cells: Iterable[CellCoverage]) -> list[Fault]:
    """A fault for each cell that is short, empty or over-full."""
    words = {"short": "is not full", "empty": "is empty", "over_full": "holds too many sentences"}
    return [
        Fault(
            code=f"cell_{cell.status}",
            message=f"the cell {', '.join(cell.values.values())} {words[cell.status]}",
            file=recipe.shown("probeta.yaml"),
            row=recipe.cell_line(tuple(cell.values.values())),
            expected=str(cell.target),
            found=f"{cell.hand_picked} hand-picked, at most {cell.maximum}",
        )
        for cell in cells
        if cell.status in words
    ]


def coverage_report(
    recipe: SpanRecipe, sentences: Iterable[Sentence] | None = None, *, content: Content | None = None
) -> dict[str, Any]:
    """The report ``coverage`` of a recipe, or of a build's base sentences."""
    return cells_report(recipe, coverage(recipe, sentences, content=content))


def cells_report(recipe: SpanRecipe, cells: Sequence[CellCoverage]) -> dict[str, Any]:
    """One object a cell (see ``CellCoverage``), and how many cells have each status."""
    return {
        "schema_version": SCHEMA_VERSION,
        "signature": signature({"data": f"{recipe.name}-{recipe.version}"}),
        "cells": [{**asdict(cell), "share": cell.share} for cell in cells],
        "counts": dict(sorted(Counter(cell.status for cell in cells).items())),
    }


def cell_of(recipe: SpanRecipe, sentence: Sentence) -> tuple[str, ...] | None:
    """The cell of a base sentence: its ``cell``, else read off its attributes and its first span's."""
    if (cell := sentence.attributes.get("cell")) is not None:
        return tuple(cell)
    spans: Sequence[Mapping[str, Any]] = sentence.attributes.get("span_attributes") or ()
    values = {**(spans[0] if spans else {}), **sentence.attributes}
    found = [values.get(name) for name in recipe.grid.by]
    return tuple(str(value) for value in found) if None not in found else None


def grid_faults(recipe: SpanRecipe, sentences: Iterable[Sentence]) -> Iterator[Fault]:
    """Whether base ``sentences`` fill the grid: each cell as many hand-picked ones as its target, or drawn
    ones up to it at least; none outside the grid."""
    total: Counter[tuple[str, ...]] = Counter()
    hand_picked: Counter[tuple[str, ...]] = Counter()
    targets = recipe.grid.targets()
    for sentence in sentences:
        cell = cell_of(recipe, sentence)
        if cell is None or cell not in targets:
            yield Fault(
                code="cell_unknown",
                message="the sentence stands in no cell of the grid",
                row=sentence.id,
                found=", ".join(cell) if cell else "no values",
            )
            continue
        total[cell] += 1
        hand_picked[cell] += not is_drawn(sentence.id)
    for cell, target in targets.items():
        if hand_picked[cell] > target:
            yield _count_fault(
                "cell_over_full", "holds too many hand-picked sentences", cell, target, hand_picked
            )
        elif total[cell] < target:
            yield _count_fault("cell_short", "is not full", cell, target, total)


def _count_fault(
    code: str, words: str, cell: tuple[str, ...], target: int, counts: Counter[tuple[str, ...]]
) -> Fault:
    return Fault(
        code=code,
        message=f"the cell {', '.join(cell)} {words}",
        expected=str(target),
        found=str(counts[cell]),
    )
