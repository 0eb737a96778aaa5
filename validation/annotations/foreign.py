"""Tables that others made: long or wide, as CSV, TSV or XLSX."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from probeta.errors import DataError, Fault, UsageError
from probeta.tables import Table, column_faults
from probeta.validation.annotations.rows import from_records
from probeta.validation.annotations.table import COLUMNS

if TYPE_CHECKING:
    import pandas as pd

#: Endings of the tables whose layout is told.
FOREIGN = (".csv", ".tsv", ".xlsx")

#: Columns that a wide table may bring of its items; none is taken for an annotator's.
ITEM_COLUMNS = ("id", "text", "original", "base_id")


@dataclass(frozen=True, slots=True)
class Layout:
    """How a foreign table is laid out.

    ``wide``: one row an item and one column an annotator. ``item``, ``annotator``, ``label`` and
    ``spans`` name the columns of the long form. ``annotators`` names the annotators' columns of the wide
    form; by default all columns but ``item``, ``attributes``, ``ITEM_COLUMNS`` and ``sentence_*``.
    ``attributes`` are item columns. ``missing`` are the tokens for no label; in the wide form so is an empty
    cell. A table without a column ``item`` but with ``id`` has its items there.
    """

    wide: bool = False
    item: str = "item"
    annotator: str = "annotator"
    label: str = "label"
    spans: str = "spans"
    annotators: Sequence[str] = ()
    attributes: Sequence[str] = ()
    missing: Sequence[str] = ()


def refuse_ignored(layout: Layout, *, file: str, foreign: bool) -> None:
    """A UsageError for what the layout says of a table of another form, which would be ignored."""
    plain = Layout()
    named = [
        f"--{role}-column"
        for role in ("item", "annotator", "label", "spans")
        if getattr(layout, role) != getattr(plain, role)
    ]
    if not foreign:
        given = ["--wide"] * layout.wide + ["--annotators"] * bool(layout.annotators) + named
        if given:
            raise UsageError(
                f"{file} has the annotation table's own columns; {', '.join(given)} is for .csv, .tsv and .xlsx"
            )
    elif layout.wide and set(named) - {"--item-column"}:
        given = [option for option in named if option != "--item-column"]
        raise UsageError(f"{', '.join(given)} is for the long form; --annotators names columns with --wide")
    elif layout.annotators and not layout.wide:
        raise UsageError("--annotators names the annotators' columns of a wide table: say --wide too")


def from_long(table: Table, layout: Layout) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """One row an answer; further columns that are constant per item are item columns."""
    file = table.file
    faults = column_faults(table, (layout.item, layout.annotator))
    if faults:
        fix = "name it with --item-column or --annotator-column, or say --wide if each annotator has a column"
        raise DataError([replace(fault, fix=fix) for fault in faults])
    given = {layout.item: "item", layout.annotator: "annotator", layout.label: "label", layout.spans: "spans"}
    given |= {column: column for column in COLUMNS if column not in given.values()}
    here = {column: given.get(column, column) for column in table.columns}
    if not {"label", "spans"} & set(here.values()):
        raise DataError(
            Fault(
                code="missing_column",
                message="a column is missing",
                file=file,
                column=layout.label,
                found=", ".join(table.columns),
                fix="name it with --label-column or --spans-column, or read the table with --wide",
            )
        )
    rows: list[tuple[int, dict[str, Any]]] = []
    for row in table:
        values: dict[str, Any] = {here[column]: cell for column, cell in row.values.items()}
        for column in ("status", "seconds", "created", "updated", "task", "source"):
            values[column] = values.get(column) or None
        if "spans" in values:
            values["spans"] = _span_cell(values["spans"], layout, file, row.line, faults)
        if values["seconds"] is not None:
            try:
                values["seconds"] = float(values["seconds"])
            except ValueError:
                faults.append(
                    Fault(
                        code="number",
                        message="the cell is no number",
                        file=file,
                        row=row.line,
                        column="seconds",
                        found=repr(values["seconds"]),
                    )
                )
        rows.append((row.line, values))
    if faults:
        raise DataError(faults)
    return from_records(rows, file)


def _span_cell(
    cell: str, layout: Layout, file: str, line: int, faults: list[Fault]
) -> list[dict[str, Any]] | None:
    if cell in layout.missing:
        return None
    try:
        spans = json.loads(cell) if cell.strip() else []
        return [span if isinstance(span, dict) else _triple(span) for span in spans]
    except (json.JSONDecodeError, TypeError, ValueError):
        faults.append(
            Fault(
                code="spans",
                message="the cell holds no list of spans",
                file=file,
                row=line,
                column=layout.spans,
                expected='[{"start": 4, "end": 11, "label": "ENG"}] or [[4, 11, "ENG"]]',
                found=repr(cell[:40]),
            )
        )
        return None


def _triple(span: Any) -> dict[str, Any]:
    start, end, label = span
    return {"start": start, "end": end, "label": label}


def from_wide(table: Table, layout: Layout) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """One row an item, one column an annotator; an empty cell, or a declared token, is no answer."""
    import pandas as pd

    item, file = layout.item, table.file
    if not layout.annotators and {layout.annotator, layout.label} <= set(table.columns):
        raise UsageError(
            f"{file} looks like the long form, with its columns {layout.annotator} and {layout.label}: "
            "leave --wide out"
        )
    if found := column_faults(table, [item]):
        raise DataError(found)
    others = [column for column in table.columns if column != item]
    annotators = _annotators(table, layout)
    missing = set(layout.missing)
    rows, faults = [], []
    seen: dict[str, int] = {}
    for row in table:
        name = row[item]
        if not name.strip() or name in seen:
            faults.append(
                Fault(
                    code="empty_cell" if not name.strip() else "duplicate_item",
                    message="the row names no item" if not name.strip() else "the item has two rows",
                    file=file,
                    row=row.line,
                    column=item,
                    found=None if not name.strip() else f"{name}, also in line {seen[name]}",
                )
            )
            continue
        seen[name] = row.line
        for annotator in annotators:
            if row[annotator].strip() and row[annotator] not in missing:
                rows.append((row.line, {"item": name, "annotator": annotator, "label": row[annotator]}))
    if faults:
        raise DataError(faults)
    frame, _ = from_records(rows, file)
    kept = [column for column in others if column not in annotators]
    extra = pd.DataFrame(
        [[row[column] for column in kept] for row in table],
        columns=kept,
        index=pd.Index([row[item] for row in table], name="item"),
        dtype=object,
    )
    return frame, extra


def _annotators(table: Table, layout: Layout) -> list[str]:
    """The annotators' columns of a wide table: those that are named, else those that can be.

    A column that shares no value with another one holds something else than labels of a common set, and a
    first one that numbers the rows is an index.
    """
    columns = [
        column for column in table.columns if column not in (layout.item, *layout.attributes, *ITEM_COLUMNS)
    ]
    if layout.annotators:
        for name in layout.annotators:
            if name not in table.columns:
                raise UsageError(
                    f"{table.file}: no column {name!r} for --annotators; there are: {', '.join(columns)}"
                )
            if name == layout.item or name in layout.attributes:
                raise UsageError(f"--annotators: the column {name!r} holds items or an attribute of theirs")
        return list(layout.annotators)
    found = [column for column in columns if not column.startswith("sentence_")]
    given = {column: {row[column] for row in table} - {"", *layout.missing} for column in found}
    alone = {
        column: "the column shares no value with another one, so it may be no annotator's"
        for column in found
        if given[column] and not any(given[column] & given[other] for other in found if other != column)
    }
    if len(found) < 2:
        alone = {}
    index = table.columns[0]
    numbers = [[str(first + row) for row in range(len(table))] for first in (0, 1)]
    if index in found and len(table) > 2 and [row[index] for row in table] in numbers:
        alone[index] = "the column numbers the rows, so it is no annotator's"
    if alone:
        rest = ",".join(column for column in found if column not in alone) or ",".join(found)
        raise DataError(
            [
                Fault(
                    code="no_annotator",
                    message=message,
                    file=table.file,
                    row=1,
                    column=column,
                    fix=f"name the annotators' columns, as --annotators {rest}",
                )
                for column, message in alone.items()
            ]
        )
    return found
