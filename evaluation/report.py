"""Scores on disk: ``reports/scores.json``, the heat map beside it, and cells for a projection."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from probeta import atomic, tables
from probeta.evaluation.cells import attributes_named, cells
from probeta.evaluation.evaluate import SpanEvaluation
from probeta.evaluation.heatmap import Tile, write_heat_map
from probeta.evaluation.protocol import conditions

#: Of ``reports/scores.json``; raised when a key changes its meaning.
SCHEMA_VERSION = 1


def write_scores(out: Path, scores: Mapping[str, Any]) -> Path:
    """Write ``out/reports/scores.json``, whole or not at all; the path is returned."""
    path = out / "reports" / "scores.json"
    text = json.dumps(
        {"schema_version": SCHEMA_VERSION, **scores}, ensure_ascii=False, indent=2, allow_nan=False
    )
    atomic.write_text(path, text + "\n")
    return path


def write_span_heat_map(out: Path, found: SpanEvaluation, by: Sequence[str] = ()) -> Path | None:
    """Write ``out/reports/scores.svg``, a row for each cell; None if no attribute was asked for."""
    units = found.scores.units
    tiles = []
    for attributes, where in cell_tables(found, by):
        chosen = units.where(conditions(where)) if where else None
        for system in units.systems:
            for cell in cells(units, system, attributes, where=chosen, order=found.order):
                tiles.append(Tile(cell.name, system, cell.counts.recall, cell.counts.gold))
    if not tiles:
        return None
    path = out / "reports" / "scores.svg"
    write_heat_map(path, tiles, title=found.signature)
    return path


def cell_tables(
    found: SpanEvaluation, by: Sequence[str] = ()
) -> list[tuple[list[str], dict[str, list[str]]]]:
    """The crossed attributes of the protocol's tables and of ``by``, each with its conditions."""
    shapes = [([*table.rows, *table.columns], dict(table.where)) for table in found.protocol.tables]
    named = by or ([] if shapes else list(next(iter(found.scores.systems.values())).by))
    return shapes + [(list(attributes_named(crossing)), {}) for crossing in named]


def write_cells(path: Path, found: SpanEvaluation, by: Sequence[str] = ()) -> None:
    """Write recall per cell as `probeta predict --recalls` reads it; a blank attribute is any value."""
    rows = list(_cell_rows(found, cell_tables(found, by)))
    columns = dict.fromkeys(name for row in rows for name in row)
    ordered = ["system", *(name for name in columns if name not in ("system", "n", "recall")), "n", "recall"]
    tables.write_table(path, columns=ordered, rows=rows)


def _cell_rows(
    found: SpanEvaluation, shapes: Sequence[tuple[list[str], dict[str, list[str]]]]
) -> Iterator[dict[str, object]]:
    units = found.scores.units
    for system in units.systems:
        for attributes, where in shapes:
            chosen = units.where(conditions(where)) if where else None
            fixed = {name: wanted[0] for name, wanted in where.items() if len(wanted) == 1}
            for cell in cells(units, system, attributes, where=chosen, order=found.order):
                if cell.counts.gold:
                    yield {
                        "system": system,
                        **fixed,
                        **cell.values,
                        "n": cell.counts.gold,
                        "recall": cell.counts.recall,
                    }
