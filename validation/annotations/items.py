"""What is known about the items beside their answers: texts, attributes, original labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import builtset
from probeta.errors import DataError, Fault, UsageError
from probeta.formats.jsonl import read_jsonl
from probeta.tables import read_table
from probeta.validation.annotations.rows import read_parquet

if TYPE_CHECKING:
    import pandas as pd


def item_columns(path: Path) -> pd.DataFrame:
    """Item columns from a built set (its config ``sentences`` or ``pairs``) or a table."""
    if path.is_dir():
        there = builtset.configs(path)
        config = next((name for name in ("sentences", "pairs") if name in there), None)
        if config is None:
            raise UsageError(f"{path} is no built set: it has neither the config sentences nor pairs")
        frame = _indexed(builtset.read(path, config).to_pylist(), str(path))
        if "spans" in there:
            attributes = _span_attributes(builtset.read(path, "spans").to_pylist())
            frame = frame.join(attributes[[name for name in attributes if name not in frame]])
        return frame
    if not path.is_file():
        raise UsageError(f"no such file: {path}")
    if path.suffix.lower() == ".parquet":
        return _indexed(read_parquet(path, str(path)), str(path))
    if path.suffix.lower() == ".jsonl":
        return item_file(path)
    table = read_table(path)
    return _indexed([dict(row.values) for row in table], str(path))


def item_file(path: Path) -> pd.DataFrame:
    """Item columns from a JSONL file."""
    return _indexed([row for _, row in read_jsonl(path)], str(path))


def _span_attributes(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """The attributes of the config ``spans`` by item; where an item's spans differ, their values by ``+``."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        item = found.setdefault(str(row["id"]), {})
        for name, value in row.items():
            if name not in ("id", "span", "start", "end", "label", "text") and value is not None:
                item.setdefault(name, set()).add(str(value))
    joined = [
        {"id": item, **{name: "+".join(sorted(values)) for name, values in columns.items()}}
        for item, columns in found.items()
    ]
    return _indexed(joined, "spans")


def _indexed(rows: list[dict[str, Any]], file: str) -> pd.DataFrame:
    import pandas as pd

    key = next((name for name in ("item", "id") if rows and name in rows[0]), None)
    if rows and key is None:
        raise DataError(
            Fault(code="missing_column", message="the items have no column item or id", file=file)
        )
    faults = [
        Fault(code="empty_cell", message="the row names no item", file=file, row=number, column=key)
        for number, row in enumerate(rows, start=1)
        if key is not None and row.get(key) is None
    ]
    if faults:
        raise DataError(faults)
    columns = list(dict.fromkeys(name for row in rows for name in row if name != key))
    frame = pd.DataFrame(
        [[row.get(name) for name in columns] for row in rows],
        columns=columns,
        index=pd.Index([str(row[key]) for row in rows] if key else [], name="item"),
        dtype=object,
    )
    if not frame.index.is_unique:
        twice = sorted(set(frame.index[frame.index.duplicated()]))
        raise DataError(
            [
                Fault(code="duplicate_item", message="an item has two rows", file=file, row=item)
                for item in twice
            ]
        )
    return frame
