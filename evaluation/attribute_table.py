"""Tables of span attributes, as `probeta attributes` writes them, and the items that they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from probeta import tables
from probeta.errors import DataError, Fault
from probeta.evaluation.items import Item
from probeta.evaluation.units import attribute_rows
from probeta.formats.base import Faults, Source
from probeta.formats.jsonl import read_jsonl, records


def join_attributes(items: Sequence[Item], rows: Sequence[Mapping[str, Any]], *, file: str) -> list[Item]:
    """Items with the attributes of their spans, from rows with ``item, start, end`` and the attributes.

    ``item`` is the item's id, or its number from 1 where it has none. Raises a DataError for a span of
    the gold that has no row.
    """
    by_span = attribute_rows(rows, file=file)
    joined, faults = [], []
    for number, item in enumerate(items, start=1):
        names = [item.id] if item.id is not None else [f"#{number}", str(number)]
        found = []
        for span in item.spans:
            keys = [(name, span.start, span.end) for name in names]
            row = next((by_span[key] for key in keys if key in by_span), None)
            if row is None:
                faults.append(
                    Fault(
                        code="span_attributes",
                        message=f"a span of item {number} has no row",
                        file=file,
                        row=number,
                        expected=f"item={names[0]}, start={span.start}, end={span.end}",
                        found="none",
                        fix="write the table for this very gold with `probeta attributes`",
                    )
                )
            found.append(row or {})
        joined.append(replace(item, span_attributes=found))
    if faults:
        raise DataError(faults)
    return joined


def load_attribute_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a table of span attributes, in any format that `probeta attributes` writes."""
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return [row for _, row in read_jsonl(path)]
    if path.suffix.lower() == ".parquet":
        import pyarrow.parquet as pq

        rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
        return rows
    return [dict(row.values) for row in tables.read_table(path, required=("item", "start", "end"))]


def is_attribute_table(path: Path) -> bool:
    """Whether a file is a table of span attributes rather than an annotated corpus, by its first row."""
    suffix = path.suffix.lower()
    if not path.is_file():
        return False
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        names = set(pq.read_schema(path).names)
    elif suffix == ".jsonl":
        first = next(records(Source.of(path), Faults(str(path))), None)
        names = set(first[2]) if first is not None and isinstance(first[2], dict) else set()
    elif suffix == ".xlsx":
        names = set(tables.read_table(path).columns)
    elif suffix in (".csv", ".tsv"):
        with path.open(encoding="utf-8-sig", errors="replace") as handle:
            names = set(handle.readline().strip().replace("\t", ",").replace(";", ",").split(","))
    else:
        return False
    return {"item", "start", "end"} <= names
