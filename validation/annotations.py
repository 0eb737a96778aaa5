"""The annotation table: who said what about which item, in long form, one row an answer.

A campaign writes it as ``annotations.parquet``; ``agree`` and ``adjudicate`` read it from a campaign
folder, a Parquet, JSONL or CSV file, or a wide CSV with one column an annotator. ``label`` or ``spans``
is null by kind of task. Nothing is inferred: every label is text as written, and an empty cell is a
fault unless it is the declared missing token.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import builtset
from probeta.errors import DataError, Fault, UsageError
from probeta.formats.jsonl import read_jsonl
from probeta.tables import Table, column_faults, decode_utf8, read_table

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

#: The files of a campaign folder that hold item columns, joined by ``item``; later ones add columns.
ITEM_FILES = ("items.jsonl", "gold.jsonl")

#: A campaign's answers to hidden check items and to repeated items, which are no part of the result.
CHECKS = "checks.parquet"


@dataclass(frozen=True, slots=True)
class Annotations:
    """The annotation table with what is known about the items.

    ``rows`` has the columns of ``COLUMNS``; its index is the line (CSV, JSONL) or the row from 1
    (Parquet) that messages show. ``items`` is indexed by item and holds further columns: texts,
    attributes, the original label; of a campaign it has every sampled item, answered or not. ``name`` is
    the source's name in messages. ``kind`` is ``labels`` or ``spans``. ``again`` are answers to items that
    an annotator got a second time, under the first item's name. ``labels`` and ``language`` are what a
    campaign declares.
    """

    rows: pd.DataFrame
    items: pd.DataFrame
    name: str
    kind: str
    again: pd.DataFrame | None = None
    labels: tuple[str, ...] | None = None
    language: str | None = None

    def column(self, name: str, *, what: str) -> dict[str, Any]:
        """An item column by item, null where it is empty; a UsageError lists the columns there are."""
        if name not in self.items.columns:
            there = ", ".join(map(str, self.items.columns)) or "none"
            raise UsageError(f"{self.name}: no item column {name!r} for {what}; there are: {there}")
        return {
            str(item): None if value is None or value != value or value == "" else value
            for item, value in self.items[name].items()
        }


#: Columns that a wide table may bring of its items; none is taken for an annotator's.
ITEM_COLUMNS = ("id", "text", "original", "base_id")

#: What people write where they have no answer; among the labels it is told.
NO_ANSWER = ("NA", "N/A", "nan", "NaN", "-")


@dataclass(frozen=True, slots=True)
class Layout:
    """How a foreign table is laid out.

    ``wide``: one row an item and one column an annotator. ``item``, ``annotator``, ``label`` and
    ``spans`` name the columns of the long form. ``annotators`` names the annotators' columns of the wide
    form; by default all columns but ``item``, ``attributes``, ``ITEM_COLUMNS`` and ``sentence_*``.
    ``attributes`` are item columns. ``missing`` are the tokens for no label; in the wide form so is an empty
    cell. A table without a column ``item`` but with ``id`` has its items there.
    """

    wide: bool = False
    item: str = "item"
    annotator: str = "annotator"
    label: str = "label"
    spans: str = "spans"
    annotators: Sequence[str] = ()
    attributes: Sequence[str] = ()
    missing: Sequence[str] = ()


def features() -> datasets.Features:
    """The declared features of ``annotations.parquet`` and of a built set's config ``annotations``."""
    from datasets import Features, List, Value

    string = Value("string")
    span = {"start": Value("int32"), "end": Value("int32"), "label": string, "text": string}
    columns: dict[str, Any] = dict.fromkeys(COLUMNS, string)
    columns["spans"] = List(span)
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


def read(path: Path, *, layout: Layout | None = None, items: Path | None = None) -> Annotations:
    """Read the annotation table from a campaign folder or a .parquet, .jsonl, .csv, .tsv or .xlsx file.

    ``items`` names a built set, JSONL, CSV or Parquet file with one row an item (column ``item`` or
    ``id``), whose columns are joined; a campaign folder brings its own. Raises a UsageError for a path
    that is not one of these and a DataError with every fault of the table.
    """
    import pandas as pd

    layout = layout or Layout()
    source = path
    if path.is_dir():
        if builtset.is_built_set(path):
            raise UsageError(_is_built_set(path))
        source = path / "annotations.parquet"
        if not source.is_file():
            raise UsageError(
                f"{path} has no annotations.parquet: pull the campaign first (`probeta campaign pull {path}`)"
            )
    name = str(path)
    raw, extra = _raw(source, layout, str(source))
    kind = _checked(raw, str(source))
    frames = [extra] if extra is not None else []
    names = set(raw["item"]) | (set(extra.index) if extra is not None else set())
    again, declared = None, {}
    if path.is_dir():
        declared = _campaign(path)
        known = {file: _item_file(path / file) for file in ITEM_FILES if (path / file).is_file()}
        frames += known.values()
        if ITEM_FILES[0] in known:
            listed = known[ITEM_FILES[0]]
            roles = listed["role"] if "role" in listed.columns else None
            names |= set(listed.index if roles is None else listed.index[roles == "sample"])
            again = _again(path / CHECKS, listed)
    if items is not None:
        frames.append(_item_columns(items))
    joined = pd.DataFrame(index=pd.Index(sorted(names), name="item"))
    for frame in frames:
        fresh = [column for column in frame.columns if column not in joined.columns]
        joined = joined.join(frame[fresh])
    return Annotations(raw, joined, name, kind, again, **declared)


def _is_built_set(path: Path) -> str:
    held = sorted((path / "annotations").glob("*.parquet"))
    there = f"; name those it holds, {held[0]} --items {path}" if held else ""
    return f"{path} is a built set, not annotations{there}"


def _campaign(folder: Path) -> dict[str, Any]:
    """What ``campaign.yaml`` declares of the labels and the language, where there is one."""
    path = folder / "campaign.yaml"
    if not path.is_file():
        return {}
    import yaml

    settings = yaml.safe_load(decode_utf8(path.read_bytes(), file=str(path))) or {}
    labels = settings.get("labels")
    return {"labels": tuple(labels) if labels else None, "language": settings.get("language")}


def _again(path: Path, items: pd.DataFrame) -> pd.DataFrame | None:
    """The answers to repeated items, under the name of the item that they repeat."""
    if not path.is_file() or "of" not in items.columns:
        return None
    rows, _ = _from_records(list(enumerate(_parquet(path, str(path)), start=1)), str(path))
    original = {item: of for item, of in items["of"].items() if isinstance(of, str)}
    rows = rows[rows["item"].isin(list(original))].copy()
    rows["item"] = [original[item] for item in rows["item"]]
    if not len(rows):
        return None
    _checked(rows, str(path))
    return rows


def _raw(path: Path, layout: Layout, file: str) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    suffix = path.suffix.lower()
    if not path.is_file():
        raise UsageError(f"no such file: {file}")
    if suffix == ".parquet":
        return _from_records(list(enumerate(_parquet(path, file), start=1)), file)
    if suffix == ".jsonl":
        return _from_records(read_jsonl(path, name=file), file)
    if suffix in (".csv", ".tsv", ".xlsx"):
        table = read_table(path, name=file)
        if not len(table):
            raise DataError(
                Fault(code="no_answers", message="the table has a header and no answers", file=file)
            )
        if layout.item == "item" and "item" not in table.columns and "id" in table.columns:
            layout = replace(layout, item="id")
        return _wide(table, layout) if layout.wide else _long(table, layout)
    raise UsageError(f"{file}: expected a campaign folder or a .parquet, .jsonl, .csv, .tsv or .xlsx file")


def _parquet(path: Path, file: str) -> list[dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(
            Fault(code="parquet", message=f"the file cannot be read: {error}", file=file)
        ) from None
    return rows


def _from_records(
    numbered: Sequence[tuple[int, dict[str, Any]]], file: str
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Rows, each with its line, under the table's own column names.

    Further columns that are constant per item are item columns.
    """
    import pandas as pd

    rows = [row for _, row in numbered]
    faults = []
    for number, row in numbered:
        for column in ("item", "annotator"):
            value = row.get(column)
            if value is None or (isinstance(value, str) and not value.strip()):
                faults.append(
                    Fault(
                        code="empty_cell",
                        message=f"the row names no {column}",
                        file=file,
                        row=number,
                        column=column,
                    )
                )
        label = row.get("label")
        if label is not None and not isinstance(label, str):
            faults.append(
                Fault(
                    code="label_type",
                    message="the label is not text",
                    file=file,
                    row=number,
                    column="label",
                    expected="a string",
                    found=f"{type(label).__name__} {label!r}",
                    fix="write labels as strings, so that 2 and '2' cannot be taken for two labels",
                )
            )
    if faults:
        raise DataError(faults)
    columns: dict[str, list[Any]] = {name: [row.get(name) for row in rows] for name in COLUMNS}
    for name in ("item", "annotator"):
        columns[name] = [str(value) for value in columns[name]]
    index = pd.Index([number for number, _ in numbered], dtype="int64")
    frame = pd.DataFrame(
        {name: pd.Series(values, index=index, dtype=object) for name, values in columns.items()}
    )
    frame["seconds"] = pd.to_numeric(frame["seconds"])
    others = list(dict.fromkeys(name for row in rows for name in row if name not in COLUMNS))
    if not others:
        return frame, None
    extra: dict[str, dict[str, Any]] = {}
    varying: set[str] = set()
    for item, row in zip(columns["item"], rows, strict=True):
        known = extra.setdefault(item, {})
        for name in others:
            if name in row and known.setdefault(name, row[name]) != row[name]:
                varying.add(name)
    kept = [name for name in others if name not in varying]
    return frame, pd.DataFrame(
        [[extra[item].get(name) for name in kept] for item in extra],
        columns=kept,
        index=pd.Index(list(extra), name="item"),
        dtype=object,
    )


def _long(table: Table, layout: Layout) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    file = table.file
    faults = column_faults(table, (layout.item, layout.annotator))
    if faults:
        fix = "name it with --item-column or --annotator-column, or say --wide if each annotator has a column"
        raise DataError([replace(fault, fix=fix) for fault in faults])
    given = {layout.item: "item", layout.annotator: "annotator", layout.label: "label", layout.spans: "spans"}
    given |= {column: column for column in COLUMNS if column not in given.values()}
    here = {column: given.get(column, column) for column in table.columns}
    if not {"label", "spans"} & set(here.values()):
        raise DataError(
            Fault(
                code="missing_column",
                message="a column is missing",
                file=file,
                column=layout.label,
                found=", ".join(table.columns),
                fix="name it with --label-column or --spans-column, or read the table with --wide",
            )
        )
    rows: list[tuple[int, dict[str, Any]]] = []
    for row in table:
        values: dict[str, Any] = {here[column]: cell for column, cell in row.values.items()}
        for column in ("status", "seconds", "created", "updated", "task", "source"):
            values[column] = values.get(column) or None
        if "spans" in values:
            values["spans"] = _span_cell(values["spans"], layout, file, row.line, faults)
        if values["seconds"] is not None:
            try:
                values["seconds"] = float(values["seconds"])
            except ValueError:
                faults.append(
                    Fault(
                        code="number",
                        message="the cell is no number",
                        file=file,
                        row=row.line,
                        column="seconds",
                        found=repr(values["seconds"]),
                    )
                )
        rows.append((row.line, values))
    if faults:
        raise DataError(faults)
    return _from_records(rows, file)


def _span_cell(
    cell: str, layout: Layout, file: str, line: int, faults: list[Fault]
) -> list[dict[str, Any]] | None:
    if cell in layout.missing:
        return None
    try:
        spans = json.loads(cell) if cell.strip() else []
        return [span if isinstance(span, dict) else _triple(span) for span in spans]
    except (json.JSONDecodeError, TypeError, ValueError):
        faults.append(
            Fault(
                code="spans",
                message="the cell holds no list of spans",
                file=file,
                row=line,
                column=layout.spans,
                expected='[{"start": 4, "end": 11, "label": "ENG"}] or [[4, 11, "ENG"]]',
                found=repr(cell[:40]),
            )
        )
        return None


def _triple(span: Any) -> dict[str, Any]:
    start, end, label = span
    return {"start": start, "end": end, "label": label}


def _annotators(table: Table, layout: Layout) -> list[str]:
    """The annotators' columns of a wide table: those that are named, else those that can be.

    A column that shares no value with another one holds something else than labels of a common set.
    """
    if layout.annotators:
        return list(layout.annotators)
    found = [
        column
        for column in table.columns
        if column not in (layout.item, *layout.attributes, *ITEM_COLUMNS)
        and not column.startswith("sentence_")
    ]
    given = {column: {row[column] for row in table} - {"", *layout.missing} for column in found}
    alone = [
        column
        for column in found
        if given[column] and not any(given[column] & given[other] for other in found if other != column)
    ]
    if len(found) > 1 and alone:
        rest = ",".join(column for column in found if column not in alone) or ",".join(found)
        raise DataError(
            [
                Fault(
                    code="no_annotator",
                    message="the column shares no value with another one, so it may be no annotator's",
                    file=table.file,
                    row=1,
                    column=column,
                    fix=f"name the annotators' columns, as --annotators {rest}",
                )
                for column in alone
            ]
        )
    return found


def _wide(table: Table, layout: Layout) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """One row an item, one column an annotator; an empty cell, or a declared token, is no answer."""
    import pandas as pd

    item, file = layout.item, table.file
    if not layout.annotators and {layout.annotator, layout.label} <= set(table.columns):
        raise UsageError(
            f"{file} looks like the long form, with its columns {layout.annotator} and {layout.label}: "
            "leave --wide out"
        )
    if found := column_faults(table, [item, *layout.annotators, *layout.attributes]):
        raise DataError(found)
    others = [column for column in table.columns if column != item]
    annotators = _annotators(table, layout)
    missing = {"", *layout.missing}
    rows, faults = [], []
    seen: dict[str, int] = {}
    for row in table:
        name = row[item]
        if not name.strip() or name in seen:
            faults.append(
                Fault(
                    code="empty_cell" if not name.strip() else "duplicate_item",
                    message="the row names no item" if not name.strip() else "the item has two rows",
                    file=file,
                    row=row.line,
                    column=item,
                    found=None if not name.strip() else f"{name}, also in line {seen[name]}",
                )
            )
            continue
        seen[name] = row.line
        for annotator in annotators:
            if row[annotator] not in missing:
                rows.append((row.line, {"item": name, "annotator": annotator, "label": row[annotator]}))
    if faults:
        raise DataError(faults)
    frame, _ = _from_records(rows, file)
    kept = [column for column in others if column not in annotators]
    extra = pd.DataFrame(
        [[row[column] for column in kept] for row in table],
        columns=kept,
        index=pd.Index([row[item] for row in table], name="item"),
        dtype=object,
    )
    return frame, extra


def _checked(frame: pd.DataFrame, file: str) -> str:
    """Fill in the status, check it and the spans, and say which kind of answer the table holds."""
    faults = []
    kind = "spans" if frame["spans"].notna().any() and not frame["label"].notna().any() else "labels"
    if kind == "labels" and frame["spans"].notna().any() and any(frame["spans"].dropna().map(len)):
        faults.append(
            Fault(
                code="mixed_kinds",
                message="the table holds both labels and spans",
                file=file,
                expected="one kind of answer",
                fix="split it, or rename the column that is not to be compared",
            )
        )
    for line, status in frame["status"].items():
        if status is not None and status not in STATUSES:
            faults.append(
                Fault(
                    code="status",
                    message="the status is unknown",
                    file=file,
                    row=_number(line),
                    column="status",
                    expected=", ".join(STATUSES),
                    found=repr(status),
                )
            )
    if kind == "spans":
        for line, item, spans in zip(frame.index, frame["item"], frame["spans"], strict=True):
            if isinstance(spans, str | Mapping) or not isinstance(spans, Iterable | None):
                faults.append(
                    _no_spans(file, _number(line), "the spans are no list", "a list, [] for none", spans)
                )
                continue
            for span in spans if spans is not None else ():
                faults += _span_faults(span, file, _number(line), item)
    if faults:
        raise DataError(faults)
    if kind == "spans":
        filled = [
            status or ("answered" if spans is not None and len(spans) else "empty")
            for status, spans in zip(frame["status"], frame["spans"], strict=True)
        ]
    else:
        filled = [status or "answered" for status in frame["status"]]
    frame["status"] = filled
    return kind


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


def _number(line: object) -> int:
    return int(str(line))


def _no_spans(file: str, line: int, message: str, expected: str, found: object) -> Fault:
    return Fault(
        code="span_type",
        message=message,
        file=file,
        row=line,
        column="spans",
        expected=expected,
        found=repr(found)[:40],
    )


def _span_faults(span: object, file: str, line: int, item: str) -> list[Fault]:
    if not isinstance(span, Mapping):
        return [_no_spans(file, line, "a span is no object", "start, end, label", span)]
    start, end, label = (span.get(key) for key in ("start", "end", "label"))
    code, message, expected = "", "", None
    if not (isinstance(start, int) and isinstance(end, int)) or isinstance(start, bool):
        code, message, expected = "span_bounds", "a span's bounds are no integers", "code points"
    elif start < 0 or end <= start:
        code, message, expected = "span_empty", "a span covers nothing", "0 <= start < end"
    elif not isinstance(label, str) or not label:
        code, message, expected = "span_label", "a span has no label", "a label"
    if not code:
        return []
    found = f"{start}-{end} {label} in the item {item}"
    return [
        Fault(code=code, message=message, file=file, row=line, column="spans", expected=expected, found=found)
    ]


def _item_file(path: Path) -> pd.DataFrame:
    return _indexed([row for _, row in read_jsonl(path)], str(path))


def _item_columns(path: Path) -> pd.DataFrame:
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
        return _indexed(_parquet(path, str(path)), str(path))
    if path.suffix.lower() == ".jsonl":
        return _item_file(path)
    table = read_table(path)
    return _indexed([dict(row.values) for row in table], str(path))


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
