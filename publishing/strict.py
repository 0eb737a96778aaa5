"""Rows against declared features, nothing cast and nothing dropped in silence.

``datasets`` keeps only the first row's keys, turns 1.5 into 1 where an integer is declared, and loses the
keys of a struct that were not declared. Here each of these is a fault with its row and column.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from probeta.errors import DataError, Fault

if TYPE_CHECKING:
    import pyarrow as pa
    from datasets import Features


class Trouble(NamedTuple):
    """A fault before it has a row."""

    code: str
    column: str
    message: str
    expected: str | None = None
    found: str | None = None
    fix: str | None = None


def strict_table(rows: Sequence[Mapping[str, Any]], features: Features, *, file: str) -> pa.Table:
    """The rows as an Arrow table with exactly these features; a DataError with every fault."""
    import pyarrow as pa

    if faults := list(strict_faults(rows, features, file=file)):
        raise DataError(faults)
    encoded = [features.encode_example(dict(row)) for row in rows]
    return pa.Table.from_pylist(encoded, schema=features.arrow_schema)


def strict_faults(rows: Iterable[Mapping[str, Any]], features: Features, *, file: str) -> Iterator[Fault]:
    """Every difference between the rows and the features; rows count from 1."""
    for trouble in feature_troubles(features):
        yield Fault(**{**trouble._asdict(), "file": file})
    number = 0
    for number, row in enumerate(rows, start=1):
        for trouble in _struct(row, features, ""):
            yield Fault(**{**trouble._asdict(), "file": file, "row": number})
    if number == 0:
        yield Fault(code="split_empty", message="there is no row", file=file, fix="leave the split out")


def feature_troubles(features: Mapping[str, Any]) -> Iterator[Trouble]:
    """Features that cannot be written, or that hold nothing: null, structs without keys, doubled names."""
    for name, feature in features.items():
        for inner in _leaves(feature):
            if isinstance(inner, dict) and not inner:
                yield Trouble(
                    "empty_struct", name, "a struct without keys cannot be written", fix="leave it out"
                )
            elif str(getattr(inner, "dtype", "")) == "null":
                yield Trouble(
                    "null_column",
                    name,
                    "the column holds nothing, so its type is null and clashes with any split that has values",
                    fix="declare its type, or leave it out",
                )


def _leaves(feature: Any) -> Iterator[Any]:
    inner = getattr(feature, "feature", None)
    if isinstance(feature, list):
        inner = feature[0] if feature else {}
    if inner is not None:
        yield from _leaves(inner)
    elif isinstance(feature, dict):
        if not feature:
            yield feature
        for value in feature.values():
            yield from _leaves(value)
    else:
        yield feature


def _struct(row: Any, features: Mapping[str, Any], at: str) -> Iterator[Trouble]:
    if not isinstance(row, Mapping):
        yield Trouble("type", at, "not a mapping of keys to values", found=_shown(row))
        return
    for name, feature in features.items():
        column = f"{at}.{name}" if at else name
        if name not in row:
            yield Trouble("key_missing", column, f"the key {name} is missing", fix="give it, or give null")
        else:
            yield from _value(row[name], feature, column)
    for name in row:
        if name not in features:
            column = f"{at}.{name}" if at else str(name)
            yield Trouble(
                "key_extra",
                column,
                f"the key {name} is not declared and would be lost",
                expected=", ".join(features),
                fix="declare it, or remove it",
            )


def _value(value: Any, feature: Any, at: str) -> Iterator[Trouble]:
    from datasets import ClassLabel, LargeList, List, Value

    if value is None:
        return
    if isinstance(feature, list | List | LargeList):
        inner = feature[0] if isinstance(feature, list) else feature.feature
        if not isinstance(value, list | tuple):
            yield Trouble("type", at, "not a list", found=_shown(value))
            return
        for item in value:
            yield from _value(item, inner, at)
    elif isinstance(feature, Mapping):
        yield from _struct(value, feature, at)
    elif isinstance(feature, ClassLabel):
        yield from _class_label(value, feature, at)
    elif isinstance(feature, Value):
        yield from scalar_troubles(value, str(feature.dtype), at)


def _class_label(value: Any, feature: Any, at: str) -> Iterator[Trouble]:
    names = list(feature.names)
    if isinstance(value, str) and value not in names:
        yield Trouble("label", at, f"{value!r} is none of the labels", expected=", ".join(names))
    elif not isinstance(value, str) and (
        isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < len(names)
    ):
        yield Trouble(
            "label",
            at,
            f"{value!r} is the id of no label",
            expected=f"0 to {len(names) - 1}, or null",
            fix="write null for a missing label",
        )


def scalar_troubles(value: Any, dtype: str, at: str) -> Iterator[Trouble]:
    """A value that its type would change or refuse."""
    if dtype in ("string", "large_string"):
        if not isinstance(value, str):
            yield Trouble(
                "type",
                at,
                f"{_shown(value)} is not text and would be cast",
                expected=dtype,
                found=type(value).__name__,
                fix="write it as text",
            )
        elif "\0" in value or any("\ud800" <= sign <= "\udfff" for sign in value):
            yield Trouble("text_unencodable", at, "NUL or a lone surrogate in the text", found=_shown(value))
    elif dtype == "bool":
        if not isinstance(value, bool):
            yield Trouble("type", at, f"{_shown(value)} is not true or false", expected=dtype)
    elif "int" in dtype:
        if isinstance(value, bool) or not isinstance(value, int):
            yield Trouble(
                "type",
                at,
                f"{_shown(value)} is no whole number and would be cast",
                expected=dtype,
                found=type(value).__name__,
            )
        elif not _fits(value, dtype):
            yield Trouble("number_range", at, f"{value} does not fit into {dtype}", fix="declare text")
    elif "float" in dtype:
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield Trouble(
                "type", at, f"{_shown(value)} is no number", expected=dtype, found=type(value).__name__
            )
        elif isinstance(value, int) and abs(value) > 2**53:
            yield Trouble("number_range", at, f"{value} loses digits as {dtype}", fix="declare int64 or text")
        elif isinstance(value, float) and not math.isfinite(value):
            yield Trouble("number_range", at, f"{value} is no number", fix="write null")


def _fits(value: int, dtype: str) -> bool:
    bits = int("".join(filter(str.isdigit, dtype)) or 64)
    if dtype.startswith("u"):
        return 0 <= value < 1 << bits
    return -(1 << bits - 1) <= value < 1 << bits - 1


def _shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
