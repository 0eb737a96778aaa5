"""Classes of pairs out of a built set, a table or JSONL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from probeta import builtset, tables
from probeta.errors import DataError, Fault, UsageError
from probeta.evaluation.labelled import LabelledItem
from probeta.formats.jsonl import read_jsonl


def load_labels(path: Path, *, config: str | None = "pairs", split: str | None = None) -> list[LabelledItem]:
    """Classes by id: a config of a built set, or a table or JSONL with ``id`` and ``label``.

    A built set's class is its ``connector_type``, which a file may have in place of ``label``. Rows of a
    file that name another ``config`` are left out, unless none is asked for.
    """
    if path.is_dir():
        rows: list[dict[str, Any]] = builtset.read(path, config or "pairs", split).to_pylist()
    elif path.suffix.lower() in (".jsonl", ".ndjson"):
        rows = [row for _, row in read_jsonl(path)]
    else:
        rows = [dict(row.values) for row in tables.read_table(path, required=("id",))]
    items, faults = [], []
    for number, row in enumerate(rows, start=1):
        if config is not None and row.get("config") not in (None, "", config):
            continue
        id, label = row.pop("id", None), row.pop("label", None)
        if label in (None, ""):
            label = row.pop("connector_type", None)
        if id in (None, ""):
            faults.append(
                Fault(
                    code="missing_id",
                    message="the row has no id",
                    file=str(path),
                    row=number,
                    column="id",
                    expected="the id of a pair",
                    fix="give every row the id of its pair",
                )
            )
            continue
        items.append(LabelledItem(str(id), None if label in (None, "") else str(label), row))
    if faults:
        raise DataError(faults)
    if not items:
        raise UsageError(f"{path} holds no pairs{f' of the config {config}' if config else ''}")
    return items
