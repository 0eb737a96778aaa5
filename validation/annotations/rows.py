"""Rows of answers under the table's own column names, with every fault of theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta.errors import DataError, Fault
from probeta.validation.annotations.table import COLUMNS, STATUSES

if TYPE_CHECKING:
    import pandas as pd


def from_records(
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
            named = isinstance(value, str) and value.strip()
            if not named and (not isinstance(value, int) or isinstance(value, bool)):
                faults.append(
                    Fault(
                        code="empty_cell",
                        message=f"the row names no {column}",
                        file=file,
                        row=number,
                        column=column,
                        expected="a name or a whole number",
                        found=None if value is None or isinstance(value, str) else repr(value),
                    )
                )
        seconds = row.get("seconds")
        if seconds is not None and (not isinstance(seconds, int | float) or isinstance(seconds, bool)):
            faults.append(
                Fault(
                    code="number",
                    message="the cell is no number",
                    file=file,
                    row=number,
                    column="seconds",
                    found=repr(seconds),
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


def checked(frame: pd.DataFrame, file: str) -> str:
    """Fill in the status, check it and the spans, and say which kind of answer the table holds."""
    faults = _alike_faults(frame, file)
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
            faults += span_faults(spans, item=item, file=file, row=_number(line), column="spans")
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


def _alike_faults(frame: pd.DataFrame, file: str) -> list[Fault]:
    """Annotators that differ only by case or blanks, and items that differ only by blanks: one name, most
    likely, written in two ways."""
    faults = []
    for column, key in (("annotator", str.casefold), ("item", str)):
        groups: dict[str, set[str]] = {}
        for name in frame[column].unique():
            groups.setdefault(" ".join(key(name).split()), set()).add(name)
        faults += [
            Fault(
                code=f"{column}s_alike",
                message=f"{column}s differ only by {'case or ' if column == 'annotator' else ''}blanks",
                file=file,
                column=column,
                found=", ".join(map(repr, sorted(group))),
                fix="write one name in one way, and two names so that they can be told apart",
            )
            for group in groups.values()
            if len(group) > 1
        ]
    return faults


def span_faults(
    spans: object, *, item: str, file: str, row: str | int, column: str, length: int | None = None
) -> list[Fault]:
    """What is wrong with a list of spans in an item, whose text has ``length`` code points where it is known."""

    def fault(code: str, message: str, expected: str, found: str) -> Fault:
        return Fault(
            code=code,
            message=message,
            file=file,
            row=row,
            column=column,
            expected=expected,
            found=found,
        )

    if isinstance(spans, str | Mapping) or not isinstance(spans, Iterable | None):
        return [fault("span_type", "the spans are no list", "a list, [] for none", repr(spans)[:40])]
    faults = []
    for span in spans if spans is not None else ():
        if not isinstance(span, Mapping):
            faults.append(fault("span_type", "a span is no object", "start, end, label", repr(span)[:40]))
            continue
        start, end, label = (span.get(key) for key in ("start", "end", "label"))
        found = f"{start}-{end} {label} in the item {item}"
        if not (isinstance(start, int) and isinstance(end, int)) or isinstance(start, bool):
            faults.append(fault("span_bounds", "a span's bounds are no integers", "code points", found))
        elif start < 0 or end <= start:
            faults.append(fault("span_empty", "a span covers nothing", "0 <= start < end", found))
        elif not isinstance(label, str) or not label:
            faults.append(fault("span_label", "a span has no label", "a label", found))
        elif length is not None and end > length:
            message = "a span ends beyond the item's text"
            faults.append(fault("span_out_of_range", message, f"at most {length}", found))
    return faults


def _number(line: object) -> int:
    return int(str(line))


def read_parquet(path: Path, file: str) -> list[dict[str, Any]]:
    """The rows of a Parquet file; a DataError where it is none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(
            Fault(code="parquet", message=f"the file cannot be read: {error}", file=file)
        ) from None
    return rows
