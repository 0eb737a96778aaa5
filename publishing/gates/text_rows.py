"""Rows of JSONL and CSV files, from which readers guess: keys and types that change, cells that become others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from probeta.errors import Fault
from probeta.publishing.gates.records import csv_lines, json_lines, separator
from probeta.publishing.gates.subject import DataFile
from probeta.publishing.strict import strict_faults

if TYPE_CHECKING:
    from datasets import Features

#: Cells that readers of CSV take for nothing.
_NOTHING = {"NA", "N/A", "null", "NULL", "None", "nan", "NaN", "n/a", "#N/A"}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?")

#: What separates the cells of a table, in words.
_SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs"}


def jsonl_faults(file: DataFile, features: Features | None) -> Iterator[Fault]:
    """A JSONL file: against the declared features, or against itself: keys and types that change."""
    rows: dict[int, Mapping[str, Any]] = {}
    broken = False
    for line in json_lines(file):
        if isinstance(line, Fault):
            broken = True
            yield line
            if line.code == "encoding":
                return
        else:
            rows[line[0]] = line[1]
    if features is not None and (rows or not broken):
        yield from strict_faults(rows.values(), features, file=file.name)
        return
    if not rows and not broken:
        yield Fault(code="split_empty", message="there is no row", file=file.name, fix="leave the split out")
        return
    yield from _consistent(file, rows)


def _consistent(file: DataFile, rows: Mapping[int, Mapping[str, Any]]) -> Iterator[Fault]:
    """Rows without declared features: the same keys and types everywhere, since readers guess from some."""
    keys = list(dict.fromkeys(key for row in rows.values() for key in row))
    inner: dict[str, dict[str, None]] = {}
    for row in rows.values():
        for column, struct in _structs(row, ""):
            inner.setdefault(column, {}).update(dict.fromkeys(struct))
    first: dict[str, str] = {}
    filled: set[str] = set()
    for number, row in rows.items():
        for column, struct in _structs(row, ""):
            for key in inner[column]:
                if key not in struct:
                    yield Fault(
                        code="key_missing",
                        message=f"the key {key}, which other {column} have, is missing",
                        **file.place(number, f"{column}.{key}"),
                        fix="give it, or null",
                    )
        for key in keys:
            if key not in row:
                yield Fault(
                    code="key_missing",
                    message=f"the key {key}, which other rows have, is missing",
                    **file.place(number, key),
                    fix="give it, or null",
                )
                continue
            for column, value in _scalars(row[key], key):
                filled.add(key)
                kind = (
                    "number"
                    if isinstance(value, int | float) and not isinstance(value, bool)
                    else type(value).__name__
                )
                if first.setdefault(column, kind) != kind:
                    yield Fault(
                        code="type",
                        message=f"{column} is {kind} here and {first[column]} before",
                        **file.place(number, column),
                        fix="write one type",
                    )
                if isinstance(value, int) and not -(2**63) <= value < 2**63:
                    yield Fault(
                        code="number_range",
                        message=f"{value} is read as a float and loses digits",
                        **file.place(number, column),
                        fix="write it as text",
                    )
                if isinstance(value, str):
                    if "\0" in value or any("\ud800" <= sign <= "\udfff" for sign in value):
                        yield Fault(
                            code="text_unencodable",
                            message="NUL or a lone surrogate in the text",
                            **file.place(number, column),
                        )
                    elif _DATE.fullmatch(value):
                        yield Fault(
                            code="date",
                            message=f"{value} is read as a point in time, not as text",
                            **file.place(number, column),
                            fix="declare features in dataset_info",
                        )
            if row[key] == {}:
                yield Fault(
                    code="empty_struct",
                    message="a struct without keys cannot be written as Parquet",
                    **file.place(number, key),
                    fix="write null",
                )
    for key in keys:
        if key not in filled:
            yield Fault(
                code="null_column",
                message="no row has a value, so the type of the column is null",
                file=file.name,
                column=key,
                fix="declare features in dataset_info, or leave it out",
            )


def _structs(value: Any, at: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects inside a row, each with the path of its column."""
    if isinstance(value, dict):
        if at:
            yield at, value
        for key, one in value.items():
            yield from _structs(one, f"{at}.{key}" if at else key)
    elif isinstance(value, list):
        for one in value:
            yield from _structs(one, at)


def _scalars(value: Any, at: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _scalars(inner, f"{at}.{key}")
    elif isinstance(value, list):
        keys = {key for item in value if isinstance(item, dict) for key in item}
        for item in value:
            yield from _scalars({**dict.fromkeys(keys), **item} if isinstance(item, dict) else item, at)
    elif value is not None:
        yield at, value


def csv_faults(file: DataFile, features: Features | None, options: Mapping[str, Any]) -> Iterator[Fault]:
    """A CSV file: cells that readers take for nothing, for numbers or for dates.

    ``options`` are those of the config in the card, which its reader is given: ``sep`` and others.
    """
    try:
        lines = csv_lines(file, options)
    except UnicodeDecodeError as error:
        named = str(options.get("encoding", "UTF-8"))
        yield Fault(
            code="encoding",
            message=f"the file is not {named}",
            **file.place(error.object.count(b"\n", 0, error.start) + 1),
            fix="name the encoding of the file in the config" if "encoding" in options else "save as UTF-8",
        )
        return
    if lines is None:
        return  # What its cells are, only its own reader knows; loading back tries it.
    delimiter = separator(file, options)
    _, head = next(lines, (0, []))
    if fault := _separator_fault(file, head, delimiter):
        yield fault
        return
    for name, count in Counter(head).items():
        if count > 1:
            yield Fault(
                code="csv_column",
                message=f"the column {name!r} stands {count} times; readers rename one of them",
                **file.place(1, name),
                fix="give each column its own name",
            )
    texts = {
        name for name, feature in (features or {}).items() if str(getattr(feature, "dtype", "")) == "string"
    }
    empty = True
    for place, row in lines:
        if not row:
            continue
        empty = False
        if len(row) != len(head):
            yield Fault(
                code="cells",
                message=f"{len(row)} cells in a table of {len(head)} columns",
                **file.place(place),
                fix=f"put cells that hold {'a tab' if delimiter == chr(9) else delimiter} or quotation marks between "
                "quotation marks, and double those inside",
            )
            continue
        for name, cell in zip(head, row, strict=True):
            yield from _cell_faults(file, place, name, cell, declared=name in texts)
    if empty:
        yield Fault(code="split_empty", message="there is no row", file=file.name, fix="leave the split out")


def _separator_fault(file: DataFile, head: list[str], delimiter: str) -> Fault | None:
    """The fault of a table that has one column only because another sign separates its cells."""
    other = next((sign for sign in _SIGNS if sign in head[0]), None) if len(head) == 1 else None
    if other is None:
        return None
    return Fault(
        code="csv_separator",
        message=f"the columns are separated by {_SIGNS[other]}, so readers see one column",
        **file.place(1),
        fix=f"separate them by {_SIGNS.get(delimiter, delimiter)}, or name the separator as sep in the config",
    )


def _cell_faults(file: DataFile, place: int, name: str, cell: str, *, declared: bool) -> Iterator[Fault]:
    where = file.place(place, name)
    as_text = "declare the column as string in dataset_info, or publish Parquet"
    if "\0" in cell:
        yield Fault(code="text_unencodable", message="NUL in the text", **where, fix="remove it")
    elif cell in _NOTHING:
        yield Fault(
            code="csv_nothing",
            message=f"{cell} is read as an empty cell",
            **where,
            fix="publish Parquet, or leave the cell empty",
        )
    elif not declared and re.fullmatch(r"0\d+", cell):
        yield Fault(code="csv_number", message=f"{cell} is read as {int(cell)}", **where, fix=as_text)
    elif not declared and _DATE.fullmatch(cell):
        yield Fault(code="date", message=f"{cell} may be read as a point in time", **where, fix=as_text)
