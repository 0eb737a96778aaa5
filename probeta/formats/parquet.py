"""Parquet: one sentence a row, the columns those of JSONL, their types declared from all rows.

Nothing is inferred from the first row: rows wait in a temporary file until the whole of each column is
known, so memory stays flat. A column holds one type; an attribute that is null everywhere is a string.
A row that lacks an attribute and one in which it is null are the same.
"""

from __future__ import annotations

import io
import pickle
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from probeta.errors import DataError, Fault, nearest
from probeta.formats.base import Faults, Losses, ReadOptions, ReadReport, Source, WriteOptions, WriteReport
from probeta.formats.rows import RowReader, to_row
from probeta.records import Sentence

if TYPE_CHECKING:
    import pyarrow as pa

#: Rows that are held in memory at a time; also the size of a row group.
ROWS = 10_000


def read(
    source: Source, options: ReadOptions, report: ReadReport, faults: Faults
) -> Iterator[tuple[int, Sentence]]:
    """Yield each sentence with its row, from 1."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with source.open() as handle:
        try:
            file = pq.ParquetFile(handle if handle.seekable() else io.BytesIO(handle.read()))
            schema_faults(file.schema_arrow, faults)
            yield from read_batches(file.iter_batches(ROWS), options, report, faults)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            message = str(error).splitlines()[0]
            raise faults.stop(Fault(code="parquet", message=f"the file cannot be read: {message}")) from None


def schema_faults(schema: pa.Schema, faults: Faults) -> None:
    """Raise a DataError where a column is missing that every sentence needs; told once, not by row."""
    for column in ("text", "spans"):
        if column not in schema.names:
            hint = nearest(column, schema.names)
            found = f"{hint}, perhaps meant" if hint else ", ".join(schema.names)
            faults.add(
                Fault(code="missing_column", message="a column is missing", column=column, found=found)
            )
    faults.done()


def read_batches(
    batches: Iterable[pa.RecordBatch], options: ReadOptions, report: ReadReport, faults: Faults
) -> Iterator[tuple[int, Sentence]]:
    """Yield the sentences of Arrow batches with their rows, counted from 1 through all of them."""
    build = RowReader(options, report, faults)
    number = 0
    for batch in batches:
        for record in batch.to_pylist():
            number += 1
            sentence = build(record, row=number, number=number)
            if sentence is not None:
                yield number, sentence


def write(handle: BinaryIO, sentences: Iterable[Sentence], options: WriteOptions) -> WriteReport:
    """Write one file; ``options`` change nothing here.

    A column of different types is a fault. Whole numbers beside fractions become fractions, an object's
    missing keys become null; both are listed.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    report, losses, faults = WriteReport(), Losses(), list[Fault]()
    span = {"start": pa.int32(), "end": pa.int32(), "label": pa.string(), "text": pa.string()}
    fixed = {"id": pa.string(), "text": pa.string(), "spans": pa.list_(pa.struct(span))}
    types: dict[str, pa.DataType] = dict(fixed)
    rows = map(to_row, sentences)
    with tempfile.TemporaryFile() as waiting:
        while batch := list(islice(rows, ROWS)):
            report.sentences += len(batch)
            report.spans += sum(len(row["spans"]) for row in batch)
            _merge_types(batch, types, faults)
            pickle.dump(batch, waiting, protocol=pickle.HIGHEST_PROTOCOL)
        if faults:
            raise DataError(faults)
        types = {name: _declared(type) for name, type in types.items()}
        waiting.seek(0)
        with pq.ParquetWriter(handle, pa.schema(types)) as writer:
            written = 0
            while written < report.sentences:
                batch = pickle.load(waiting)
                columns = [_column(batch, name, type, losses, faults) for name, type in types.items()]
                if faults:
                    raise DataError(faults)
                writer.write_table(pa.table(columns, schema=pa.schema(types)))
                written += len(batch)
    report.lost = losses.all()
    return report


def _merge_types(batch: list[dict[str, Any]], types: dict[str, pa.DataType], faults: list[Fault]) -> None:
    """Widen ``types`` by the attributes of a batch; a column that no one type holds is a fault, once."""
    import pyarrow as pa

    known = {fault.column for fault in faults}
    names = dict.fromkeys(name for row in batch for name in row)
    for name in names:
        if name in ("id", "text", "spans") or name in known:
            continue
        try:
            found = pa.array([row.get(name) for row in batch]).type
            before = pa.schema([(name, types.get(name, pa.null()))])
            merged = pa.unify_schemas([before, pa.schema([(name, found)])], promote_options="permissive")
            types[name] = merged.field(name).type
        except UnicodeEncodeError:
            raise
        except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
            faults.append(_column_fault(name, error))


def _column_fault(name: str, error: Exception) -> Fault:
    return Fault(
        code="column_type",
        message=f"the column cannot be held: {str(error).splitlines()[0]}",
        column=name,
        expected="values of one type, whole numbers within 64 bits",
    )


def _declared(type: pa.DataType) -> pa.DataType:
    """The type with strings where nothing but null was seen."""
    import pyarrow as pa

    if pa.types.is_null(type):
        return pa.string()
    if pa.types.is_list(type):
        return pa.list_(_declared(type.value_type))
    if pa.types.is_struct(type):
        return pa.struct([(field.name, _declared(field.type)) for field in type])
    return type


def _column(
    batch: list[dict[str, Any]], name: str, type: pa.DataType, losses: Losses, faults: list[Fault]
) -> pa.Array:
    """One column of a batch; where the type changed a value, that is listed."""
    import pyarrow as pa

    values = [row.get(name) for row in batch]
    try:
        column = pa.array(values, type=type)
    except UnicodeEncodeError:
        raise
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        faults.append(_column_fault(name, error))
        return pa.nulls(len(batch), type)
    if name == "spans":
        return column
    if pa.types.is_floating(type):
        for value in values:
            if isinstance(value, int):
                losses.column(code="as_fraction", column=name, message="the whole number becomes a fraction")
    elif pa.types.is_nested(type):
        for row, value, held in zip(batch, values, column.to_pylist(), strict=True):
            if held != value:
                losses.row(
                    code="not_same",
                    row=row["id"],
                    column=name,
                    message="the value is not held as it is",
                    found=repr(value)[:80],
                )
    return column
