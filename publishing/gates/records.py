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
OTHER_FORM = {"names", "header", "skiprows", "quotechar", "quoting", "escapechar", "comment", "decimal"}

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
        yield from _lines(file.path.read_bytes())
    elif file.path.suffix.lower() == ".json":
        yield from _json(file.path.read_bytes())


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


def _lines(data: bytes) -> Iterator[Record]:
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            try:
                row = jsontext.parse(line.decode("utf-8"))
            except (UnicodeDecodeError, jsontext.NotJson):
                continue
            if isinstance(row, dict):
                yield number, row


def _json(data: bytes) -> Iterator[Record]:
    try:
        value = jsontext.parse(data.decode("utf-8"))
    except UnicodeDecodeError:
        return
    except jsontext.NotJson:
        # Lines of JSON are often in a file that ends in .json, and datasets reads them.
        yield from _lines(data)
        return
    rows = value if isinstance(value, list) else [value]
    yield from ((number, row) for number, row in enumerate(rows, start=1) if isinstance(row, dict))


def _csv(file: DataFile, options: Mapping[str, Any]) -> Iterator[Record]:
    delimiter = separator(file, options)
    if set(options) & OTHER_FORM or len(delimiter) != 1:
        return
    try:
        encoding = str(options.get("encoding", "utf-8"))
        text = file.path.read_bytes().decode(encoding).removeprefix("\ufeff")
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        head = next(reader, [])
        for row in reader:
            if len(row) == len(head):
                cells = (cell if cell else None for cell in row)
                yield reader.line_num, dict(zip(head, cells, strict=True))
    except (UnicodeDecodeError, LookupError, csv.Error):
        return
