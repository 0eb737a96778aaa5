"""Scores on disk: ``reports/scores.json``, the heat map beside it, and cells for a projection."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from probeta import atomic, tables
from probeta.evaluation.cells import attributes_named
from probeta.evaluation.evaluate import CellTable, SpanEvaluation
from probeta.evaluation.heatmap import Tile, write_heat_map

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
    """Write ``out/reports/scores.svg``, a map for each table; None if no attribute was asked for."""
    groups = {
        _heading(table): [
            Tile(cell.name, system, cell.counts.recall, cell.counts.gold)
            for system in found.scores.systems
            for cell in found.cells(system, table)
        ]
        for table in cell_tables(found, by)
    }
    groups = {heading: tiles for heading, tiles in groups.items() if tiles}
    if not groups:
        return None
    path = out / "reports" / "scores.svg"
    data = found.signature.partition("|")[0].removeprefix("data:").partition("@")[0]
    write_heat_map(path, groups, title=f"Recall on {data}, percent", note=found.signature)
    return path


def _heading(table: CellTable) -> str:
    """The attributes of a table, and what it is restricted to.

    >>> _heading(CellTable("By type", ("type", "quotes"), {"casing": ["standard"]}))
    'type x quotes (casing=standard)'
    """
    where = ", ".join(f"{name}={'|'.join(wanted)}" for name, wanted in table.where.items())
    return " x ".join(table.attributes) + (f" ({where})" if where else "")


def cell_tables(found: SpanEvaluation, by: Sequence[str] = ()) -> list[CellTable]:
    """The protocol's tables and those of ``by``; without either, of every attribute that was scored."""
    tables = found.tables()
    named = by or ([] if tables else list(next(iter(found.scores.systems.values())).by))
    return tables + [CellTable(name, attributes_named(name), {}) for name in named]


def write_cells(path: Path, found: SpanEvaluation, by: Sequence[str] = ()) -> None:
    """Write recall per cell as `probeta predict --recalls` reads it; a blank attribute is any value."""
    rows = list(_cell_rows(found, cell_tables(found, by)))
    columns = dict.fromkeys(name for row in rows for name in row)
    ordered = ["system", *(name for name in columns if name not in ("system", "n", "recall")), "n", "recall"]
    tables.write_table(path, columns=ordered, rows=rows)


def _cell_rows(found: SpanEvaluation, wanted: Sequence[CellTable]) -> Iterator[dict[str, object]]:
    for system in found.scores.systems:
        for table in wanted:
            fixed = {name: values[0] for name, values in table.where.items() if len(values) == 1}
            for cell in found.cells(system, table):
                if cell.counts.gold:
                    counts = {"n": cell.counts.gold, "recall": cell.counts.recall}
                    yield {"system": system, **fixed, **cell.values, **counts}
