"""Rows of Parquet files: types that hold nothing, stray columns, labels out of range, texts, sizes, ids."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from probeta import lfs
from probeta.errors import DataError, Fault
from probeta.publishing.gates.records import id_faults
from probeta.publishing.gates.subject import DataFile
from probeta.publishing.strict import feature_troubles

if TYPE_CHECKING:
    import pyarrow as pa
    from datasets import Features

#: The Hub's viewer shows no row that is larger.
VIEWER_BYTES = 2_000_000


def parquet_faults(file: DataFile, *, built: bool) -> Iterator[Fault]:
    """A Parquet file: types that hold nothing, stray columns, labels out of range, texts, sizes, ids."""
    import pyarrow as pa

    try:
        features = file.features()
        schema_names = list(features)
    except (pa.ArrowInvalid, OSError, ValueError) as error:
        yield Fault(code="parquet", message=f"the file cannot be read: {error}", file=file.name)
        return
    except DataError as error:
        yield from (_pointer(file) or error.faults)
        return
    for trouble in feature_troubles(features):
        yield Fault(**{**trouble._asdict(), "file": file.name})
    for name in schema_names:
        if re.fullmatch(r"__index_level_\d+__|Unnamed: \d+", name):
            yield Fault(
                code="index_column",
                message="an index of pandas became a column",
                file=file.name,
                column=name,
                fix="write with index=False, or reset_index(drop=True)",
            )
    ids: set[str] = set()
    start = 0
    for batch in file.batches():
        yield from _batch_faults(file, batch, features, start, built=built)
        if not built and "id" in schema_names and "span" not in schema_names:
            yield from id_faults(file, enumerate(batch.column("id").to_pylist(), start=start + 1), ids)
        start += batch.num_rows


def _pointer(file: DataFile) -> list[Fault]:
    """A fault where the file is only the pointer that Git keeps in the place of a large one."""
    if not lfs.is_pointer(file.path):
        return []
    return [
        Fault(
            code="lfs_pointer",
            message="this is the pointer that Git LFS keeps in the place of the file",
            file=file.name,
            fix="fetch the file: git lfs pull",
        )
    ]


def _batch_faults(
    file: DataFile, batch: pa.RecordBatch, features: Features, start: int, *, built: bool
) -> Iterator[Fault]:
    import pyarrow.compute as pc

    for name, feature in features.items():
        column = batch.column(name)
        for label, values, parents in leaves(column, feature):
            if label is not None:
                wrong = pc.or_(pc.less(values, 0), pc.greater_equal(values, len(label)))
                for at in _where(wrong):
                    row = parents[at] if parents is not None else at
                    yield Fault(
                        code="label",
                        message=f"{values[at].as_py()} is the id of no label",
                        **file.place(start + row + 1, name),
                        expected=f"0 to {len(label) - 1}, or null",
                        fix="write null for a missing label",
                    )
            elif not built:
                yield from _text_faults(file, values, parents, start, name)
    if not built and batch.nbytes > VIEWER_BYTES:
        for at in range(batch.num_rows):
            if (
                batch.slice(at, 1).get_total_buffer_size() > VIEWER_BYTES
                and _row_bytes(batch, at) > VIEWER_BYTES
            ):
                yield Fault(
                    code="row_size",
                    message="the row is larger than 2 MB; the Hub's viewer does not show it",
                    **file.place(start + at + 1),
                    fix="split the text",
                )


def _row_bytes(batch: pa.RecordBatch, at: int) -> int:
    return len(json.dumps(batch.slice(at, 1).to_pylist(), default=str).encode("utf-8", "surrogatepass"))


def leaves(column: pa.Array, feature: Any) -> Iterator[tuple[list[str] | None, pa.Array, Any]]:
    """The class labels (with their names) and texts inside a column, with the row of each value.

    Rows are None where values and rows are the same.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from datasets import ClassLabel, LargeList, List

    def walk(values: pa.Array, kind: Any, rows: pa.Array | None) -> Iterator[Any]:
        if isinstance(kind, list):
            kind = List(kind[0])
        if isinstance(kind, List | LargeList):
            parents = pc.list_parent_indices(values)
            inner = pc.list_flatten(values)
            yield from walk(inner, kind.feature, parents if rows is None else rows.take(parents))
        elif isinstance(kind, dict):
            for name, one in kind.items():
                yield from walk(pc.struct_field(values, name), one, rows)
        elif isinstance(kind, ClassLabel):
            yield list(kind.names), values, rows
        elif pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
            yield None, values, rows

    for label, values, rows in walk(column, feature, None):
        yield label, values, rows.to_pylist() if rows is not None else None


def _text_faults(file: DataFile, values: pa.Array, parents: Any, start: int, name: str) -> Iterator[Fault]:
    import pyarrow.compute as pc

    for wrong, code, message, fix in (
        (pc.match_substring(values, "\0"), "text_unencodable", "NUL in the text", "remove it"),
        (
            pc.not_equal(pc.utf8_normalize(values, "NFC"), values),
            "text_not_nfc",
            "the text is not in Unicode normal form C, so offsets and comparisons differ between programs",
            "compose accents (NFC)",
        ),
    ):
        for at in _where(wrong):
            row = parents[at] if parents is not None else at
            yield Fault(code=code, message=message, **file.place(start + row + 1, name), fix=fix)


def _where(mask: pa.Array) -> list[int]:
    import pyarrow.compute as pc

    return [int(at) for at in pc.indices_nonzero(pc.fill_null(mask, False)).to_pylist()]
