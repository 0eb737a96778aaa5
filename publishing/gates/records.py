"""The rows of a data file as records, whatever its form, for the gates that ask what stands in them.

What a reader could not make of a file is told by the gate of the rows; here a line that is broken is left
out, and a table whose form only its own reader knows has no records.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from probeta import jsontext
from probeta.errors import Fault
from probeta.publishing.gates.subject import DataFile

#: Options of a config after which a CSV file is no longer what it looks like.
_OTHER_FORM = {"names", "header", "skiprows", "quotechar", "quoting", "escapechar", "comment", "decimal"}

Record = tuple[int, Mapping[str, Any]]


def records(
    file: DataFile, options: Mapping[str, Any], columns: Sequence[str] | None = None
) -> Iterator[Record]:
    """The rows of a file with their numbers: of Parquet and of a JSON list its rows, of text its lines.

    ``options`` are those that the card gives the config's reader; ``columns`` are the ones that are read of
    a Parquet file. Cells of a CSV file are texts, empty ones are None.
    """
    if file.kind == "parquet":
        number = 0
        for batch in file.batches():
            for row in (batch.select(list(columns)) if columns is not None else batch).to_pylist():
                number += 1
                yield number, row
    elif file.kind == "csv":
        yield from _csv(file, options)
    elif file.kind == "jsonl":
        yield from _lines(file)
    elif file.path.suffix.lower() == ".json":
        yield from _json(file)


def columns_of(file: DataFile, rows: Sequence[Record]) -> list[str]:
    """The names of a file's columns: those of a Parquet file's schema, else those that any row has."""
    if file.kind == "parquet":
        return list(file.features())
    return list(dict.fromkeys(key for _, row in rows for key in row))


def separator(file: DataFile, options: Mapping[str, Any]) -> str:
    """What separates the cells of a CSV file, as its ending or the card says."""
    usual = "\t" if file.path.suffix.lower() == ".tsv" else ","
    return str(options.get("sep") or options.get("delimiter") or usual)


def id_faults(file: DataFile, values: Iterable[tuple[int, Any]], seen: set[str]) -> Iterator[Fault]:
    """Rows of a split without an id, or with that of an earlier row, which stands in ``seen``."""
    for row, value in values:
        key = str(value)
        if value is None or key in seen:
            what = "a row has no id" if value is None else f"the id {key} stands twice"
            yield Fault(code="id", message=f"{what} in the split", **file.place(row, "id"))
        seen.add(key)


def json_lines(file: DataFile) -> Iterator[tuple[int, Mapping[str, Any]] | Fault]:
    """The lines of a JSON lines file with their numbers, from 1; a line that is no object is a fault in its place.

    Blank lines are passed over, as readers do. What follows a line that is not UTF-8 is not read.
    """
    for number, line in enumerate(file.path.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            row = jsontext.parse(line.decode("utf-8"))
        except UnicodeDecodeError:
            yield Fault(
                code="encoding", message="the line is not UTF-8", **file.place(number), fix="save as UTF-8"
            )
            return
        except jsontext.NotJson as error:
            yield Fault(code="json", message=f"the line is not JSON: {error}", **file.place(number))
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            yield Fault(code="json", message="the line is not an object", **file.place(number))


def csv_lines(file: DataFile, options: Mapping[str, Any]) -> Iterator[tuple[int, list[str]]] | None:
    """The rows of a CSV file with the numbers of the lines that they end in, the head first.

    None where what its cells are only its own reader knows, by the ``options`` of its config. Raises a
    UnicodeDecodeError where it is not in the encoding that they name, by default UTF-8.
    """
    try:
        text = file.path.read_bytes().decode(str(options.get("encoding", "utf-8"))).removeprefix("\ufeff")
    except LookupError:
        return None  # an encoding that is none: loading back says so
    delimiter = separator(file, options)
    if set(options) & _OTHER_FORM or len(delimiter) != 1:
        return None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    return ((reader.line_num, row) for row in reader)


def _lines(file: DataFile) -> Iterator[Record]:
    return (line for line in json_lines(file) if not isinstance(line, Fault))


def _json(file: DataFile) -> Iterator[Record]:
    try:
        value = jsontext.parse(file.path.read_bytes().decode("utf-8"))
    except UnicodeDecodeError:
        return
    except jsontext.NotJson:
        # Lines of JSON are often in a file that ends in .json, and datasets reads them.
        yield from _lines(file)
        return
    rows = value if isinstance(value, list) else [value]
    yield from ((number, row) for number, row in enumerate(rows, start=1) if isinstance(row, dict))


def _csv(file: DataFile, options: Mapping[str, Any]) -> Iterator[Record]:
    try:
        lines = csv_lines(file, options)
    except UnicodeDecodeError:
        return
    if lines is None:
        return
    _, head = next(lines, (0, []))
    for number, row in lines:
        if len(row) == len(head):
            yield number, dict(zip(head, (cell or None for cell in row), strict=True))
