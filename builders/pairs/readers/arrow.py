"""Parquet, and folders that ``datasets`` saved: one row is one document with ``id`` and ``text`` or ``paragraphs``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from probeta.builders.pairs.readers.base import (
    Kind,
    Part,
    Refused,
    Shard,
    from_record,
    is_compressed,
    relative,
    stretches,
)
from probeta.builders.pairs.records import Document
from probeta.errors import DataError, Fault

#: Rows of a ``datasets`` folder in a shard.
SHARD_ROWS = 20_000

_COLUMNS = ("id", "text", "paragraphs")


def _cut_row_groups(file: Path, shard_bytes: int) -> list[Part]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_metadata(file)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(
            Fault(
                code="parquet",
                message=f"the file cannot be read: {error}",
                file=str(file),
                fix="unpack it: Parquet is compressed within" if is_compressed(file) else None,
            )
        ) from None
    parts: list[Part] = []
    start = weight = 0
    for at in range(metadata.num_row_groups):
        weight += metadata.row_group(at).total_byte_size
        if weight >= shard_bytes or at == metadata.num_row_groups - 1:
            parts.append(Part(str(file), start, at + 1))
            start, weight = at + 1, 0
    return parts


def _row_groups(part: Part) -> Iterator[bytes]:
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(part.path)
    found = []
    for at in range(part.start, part.stop or metadata.num_row_groups):
        group = metadata.row_group(at)
        for number in range(group.num_columns):
            column = group.column(number)
            start = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
            found.append((start, column.total_compressed_size))
    return stretches(part.path, found)


def _read_parquet(shard: Shard, part: Part) -> Iterator[Document | Refused]:
    import pyarrow.parquet as pq

    shown = relative(shard, Path(part.path))
    with pq.ParquetFile(part.path) as file:
        columns = [name for name in _COLUMNS if name in file.schema_arrow.names]
        row = sum(file.metadata.row_group(at).num_rows for at in range(part.start))
        for batch in file.iter_batches(
            batch_size=256,
            row_groups=list(range(part.start, part.stop or file.num_row_groups)),
            columns=columns,
        ):
            for record in batch.to_pylist():
                row += 1
                yield from_record(record, file=shown, row=row)


def is_saved(folder: Path) -> bool:
    """Whether ``datasets`` saved a set in this folder."""
    return (folder / "state.json").is_file() or (folder / "dataset_dict.json").is_file()


def _cut_rows(folder: Path, _shard_bytes: int) -> list[Part]:
    import datasets

    loaded = datasets.load_from_disk(str(folder))
    splits = {"": loaded} if isinstance(loaded, datasets.Dataset) else dict(loaded)
    return [
        Part(str(folder / name), start, min(start + SHARD_ROWS, rows.num_rows))
        for name, rows in sorted(splits.items())
        for start in range(0, rows.num_rows, SHARD_ROWS)
    ]


def _state(part: Part) -> Iterator[bytes]:
    yield (Path(part.path) / "state.json").read_bytes()  # it holds a fingerprint of the rows


def _read_saved(shard: Shard, part: Part) -> Iterator[Document | Refused]:
    import datasets

    path = Path(part.path)
    rows = datasets.load_from_disk(part.path)
    names = [name for name in _COLUMNS if name in rows.column_names]
    rows = rows.select_columns(names).select(range(part.start, part.stop or rows.num_rows))
    for at, record in enumerate(rows, start=part.start + 1):
        yield from_record(record, file=relative(shard, path) or path.name, row=at)


PARQUET = Kind(endings=(".parquet",), cut=_cut_row_groups, read=_read_parquet, content=_row_groups)
SAVED = Kind(endings=(), cut=_cut_rows, read=_read_saved, content=_state)
