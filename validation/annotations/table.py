"""The annotation table in memory and on disk: its columns, their types, and what is known of the items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta.builtset import spans_feature
from probeta.errors import UsageError

if TYPE_CHECKING:
    import datasets
    import pandas as pd

#: Columns of the table, in order.
COLUMNS = (
    "item",
    "annotator",
    "label",
    "spans",
    "status",
    "seconds",
    "created",
    "updated",
    "task",
    "source",
)

#: ``answered``: a label or spans were given; ``empty``: the item was submitted with neither (for spans an
#: answer: there is none); ``skipped``: the annotator passed the item on.
STATUSES = ("answered", "empty", "skipped")

#: What people write where they have no answer; among the labels it is told.
NO_ANSWER = ("NA", "N/A", "#N/A", "nan", "NaN", "None", "null", "NULL", "-")


@dataclass(frozen=True, slots=True)
class Annotations:
    """The annotation table with what is known about the items.

    ``rows`` has the columns of ``COLUMNS``; its index is the line (CSV, JSONL) or the row from 1
    (Parquet) that messages show. ``items`` is indexed by item and holds further columns: texts,
    attributes, the original label; of a campaign it has every sampled item, answered or not. ``name`` is
    the source's name in messages. ``kind`` is ``labels`` or ``spans``. ``again`` are answers to items that
    an annotator got a second time, under the first item's name. ``labels`` and ``language`` are what a
    campaign declares. ``notes`` are what a reader should know of the data.
    """

    rows: pd.DataFrame
    items: pd.DataFrame
    name: str
    kind: str
    again: pd.DataFrame | None = None
    labels: tuple[str, ...] | None = None
    language: str | None = None
    notes: tuple[str, ...] = ()

    def column(self, name: str, *, what: str) -> dict[str, Any]:
        """An item column by item, null where it is empty; a UsageError lists the columns there are."""
        if name not in self.items.columns:
            there = ", ".join(map(str, self.items.columns)) or "none"
            raise UsageError(f"{self.name}: no item column {name!r} for {what}; there are: {there}")
        return {
            str(item): None if value is None or value != value or value == "" else value
            for item, value in self.items[name].items()
        }


def features() -> datasets.Features:
    """The declared features of ``annotations.parquet`` and of a built set's config ``annotations``."""
    from datasets import Features, Value

    columns: dict[str, Any] = dict.fromkeys(COLUMNS, Value("string"))
    columns["spans"] = spans_feature()
    columns["seconds"] = Value("float64")
    return Features(columns)


def to_table(rows: Sequence[Mapping[str, Any]]) -> Any:
    """The Arrow table of ``rows`` under the declared features; a missing key is null."""
    import pyarrow as pa

    columns = {name: [row.get(name) for row in rows] for name in COLUMNS}
    return pa.table(columns, schema=features().arrow_schema)


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write ``annotations.parquet``, whole or not at all, in the given order."""
    import pyarrow.parquet as pq

    from probeta import atomic

    with atomic.file(path) as temporary:
        pq.write_table(to_table(rows), temporary)


def doubtful_labels(labels: Sequence[str]) -> list[str]:
    """What to say of labels that look like no answer.

    >>> doubtful_labels(["neutral", "NA"])
    ["the label 'NA' looks like no answer; --missing NA leaves it out"]
    """
    return [
        f"the label {label!r} looks like no answer; --missing {label} leaves it out"
        for label in labels
        if label in NO_ANSWER
    ]
