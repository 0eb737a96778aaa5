"""A table with one row an item and one column an annotator; an empty cell is no answer."""

from __future__ import annotations

from pathlib import Path

from probeta.annotation.importers.base import Imported, ImportOptions, fields_of, id_of, original_of
from probeta.errors import DataError, Fault, UsageError
from probeta.tables import read_table


def read(path: Path, options: ImportOptions, into: Imported) -> None:
    """Add the rows; ``annotators`` names the columns, by default those behind the texts' columns."""
    table = read_table(path)
    columns = list(options.annotators)
    for column in columns:
        if column not in table.columns:
            raise UsageError(f"{path.name} has no column {column!r}; it has: {', '.join(table.columns)}")
    if not columns:
        raise UsageError(f"{path.name}: name the annotators' columns: --annotators a1,a2,a3")
    if options.item not in table.columns:
        raise DataError(
            Fault(
                code="missing_column",
                message="the column of the items' ids is missing",
                file=path.name,
                column=options.item,
                found=", ".join(table.columns),
                fix="name it: --item-column",
            )
        )
    for row in table:
        data = {name: value for name, value in row.values.items() if name not in columns and value != ""}
        fields = fields_of(data) or {}
        item = id_of(data, fields, options)
        if fields:
            into.item(item, fields, file=path.name, row=row.line)
        into.gold.setdefault(item, original_of(data))
        for column in columns:
            label = row[column].strip()
            if label:
                who = options.users.get(column, column)
                into.answer(item, who, label=label, source=f"{path.name}#{row.line}:{column}")
