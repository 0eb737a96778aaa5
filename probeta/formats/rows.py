"""Records as rows of plain values (``id, text, spans, <attributes>``), checked in both directions.

JSONL, Parquet and the configs of a built set hold such rows. Whatever is read is checked: types, ids,
offsets, the surface that a span claims, NUL, numbers that are none.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from probeta.errors import DataError, Fault, UsageError, nearest
from probeta.formats.base import Faults, Losses, ReadOptions, ReadReport, positional_id
from probeta.records import Sentence, Span, cuts_letter, span_faults

#: The keys of a row that are not attributes of the sentence.
ROW_KEYS = ("id", "text", "spans")
_SPAN_KEYS = ("start", "end", "label", "text")
_KINDS = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def kind(value: object) -> str:
    """A value's type in a reader's words."""
    return _KINDS.get(type(value), type(value).__name__)


class RowReader:
    """Turn rows into sentences; a faulty row adds its faults and gives None.

    A file either gives every row an id or none; without ids a row's id is its number (``positional_id``).
    """

    __slots__ = ("_extra", "_faults", "_numbered", "_options", "_report")

    def __init__(self, options: ReadOptions, report: ReadReport, faults: Faults) -> None:
        self._options = options
        self._report = report
        self._faults = faults
        self._numbered: bool | None = None
        self._extra: set[str] = set()

    def __call__(self, record: object, *, row: int, number: int, raw: bytes | None = None) -> Sentence | None:
        """The sentence of ``record``, the ``number``-th of the file; ``row`` is the line to show.

        ``record`` is used up: what is no id, text or spans becomes the sentence's attributes. ``raw`` is
        the JSON that it was made of, read again where a number may have lost digits.
        """
        if type(record) is not dict:
            self._fault("record_type", row, None, "the row is no object", "an object", kind(record))
            return None
        if "id" not in record and self._numbered is not False:
            self._numbered = True
            record["id"] = positional_id(number)
        elif self._numbered is None:
            self._numbered = False
        elif self._numbered and "id" in record:
            self._fault("id_missing", row, "id", "this row has an id, those before have none", None, None)
        id, text, listed = record.pop("id", None), record.pop("text", None), record.pop("spans", None)
        if type(text) is not str and self._options.texts is not None and text is None:
            text = self._options.texts.get(id) if type(id) is str else None
        before = len(self._faults.found)
        if type(id) is str and id and type(text) is str and "\0" not in text:
            spans = _plain_spans(listed, text)
            if spans is not None and _plain_values(record):
                return Sentence.unchecked(id, text, spans, record)
        self._explain_row(record, id, text, listed, row)
        if len(self._faults.found) > before:
            return None
        if raw is not None:
            exact = json.loads(raw)
            record |= {name: exact[name] for name in record}
        return Sentence(id, text, self._tolerated(listed, row), record)

    def _fault(
        self, code: str, row: int, column: str | None, message: str, expected: str | None, found: str | None
    ) -> None:
        self._faults.add(
            Fault(code=code, message=message, row=row, column=column, expected=expected, found=found)
        )

    def _explain_row(self, record: dict[str, Any], id: object, text: object, raw: object, row: int) -> None:
        known = [*ROW_KEYS, *record]
        for column, value in (("id", id), ("text", text)):
            if type(value) is not str:
                hint = nearest(column, record) if value is None else None
                found = f"no such key, {hint!r} perhaps meant" if hint else kind(value)
                self._fault("value_type", row, column, "the value is no text", "a text", found)
            elif "\0" in value:
                self._fault("nul", row, column, "the text holds a NUL character", None, repr(value[:40]))
        if id == "":
            self._fault("id_empty", row, "id", "the id is empty", "a text", None)
        for column, value in record.items():
            for message, found in _value_faults(value):
                self._fault("value", row, column, message, None, found)
        if type(raw) is not list:
            hint = nearest("spans", known[3:]) if raw is None else None
            found = f"no such key, {hint!r} perhaps meant" if hint else kind(raw)
            self._fault("value_type", row, "spans", "the spans are no list", "a list, [] for none", found)
        elif type(text) is str:
            for at, item in enumerate(raw):
                self._explain_span(item, at, text, row)
            spans = self._tolerated(raw, row)
            if len(spans) == len(raw):
                for fault in span_faults(text, spans):
                    self._faults.add(replace(fault, row=row))

    def _explain_span(self, item: object, at: int, text: str, row: int) -> None:
        column = f"spans[{at}]"
        if type(item) is not dict:
            self._fault("span_type", row, column, "the span is no object", "start, end, label", kind(item))
            return
        start, end, surface = item.get("start"), item.get("end"), item.get("text")
        for key, value in (("start", start), ("end", end)):
            if type(value) is not int:
                self._fault(
                    "value_type", row, f"{column}.{key}", "the offset is no whole number", None, kind(value)
                )
        label = item.get("label")
        if type(label) is not str or not label or "\0" in label:
            found = repr(label) if type(label) is str else kind(label)
            self._fault("span_label", row, f"{column}.label", "the label is no text", "a label", found)
        if self._options.span_keys == "error":
            for key in item:
                if key not in _SPAN_KEYS:
                    self._faults.add(
                        Fault(
                            code="span_key",
                            message=f"the span has a key that a span does not have: {key!r}",
                            row=row,
                            column=column,
                            expected=", ".join(_SPAN_KEYS),
                            fix="remove it, or leave it out while reading: --span-keys drop",
                        )
                    )
        if surface is not None and type(start) is type(end) is int and 0 <= start < end <= len(text):
            if surface != text[start:end]:
                self._fault(
                    "span_text",
                    row,
                    column,
                    f"the span's text is not what stands at {start}-{end}",
                    repr(text[start:end]),
                    repr(surface),
                )
        elif surface is not None and type(surface) is not str:
            self._fault("value_type", row, f"{column}.text", "the value is no text", "a text", kind(surface))

    def _tolerated(self, raw: Any, row: int) -> tuple[Span, ...]:
        """The spans of a list that is not plain: out of order, with a null text or with further keys."""
        spans = []
        for item in raw:
            if type(item) is not dict:
                continue
            start, end, label = item.get("start"), item.get("end"), item.get("label")
            if type(start) is type(end) is int and type(label) is str:
                spans.append(Span(start, end, label))
            for key in item.keys() - set(_SPAN_KEYS) - self._extra:
                self._extra.add(key)
                if self._options.span_keys == "drop":
                    self._report.warnings.append(
                        Fault(
                            code="span_key",
                            message=f"the key {key!r} of spans is left out",
                            file=self._faults.file,
                            row=row,
                        )
                    )
        return tuple(sorted(spans))


def _plain_spans(raw: object, text: str) -> tuple[Span, ...] | None:
    """The spans of a list in which nothing is remarkable; None sends the row to the slow, wordy path."""
    if type(raw) is not list:
        return None
    spans = []
    last, length = 0, len(text)
    for item in raw:
        if type(item) is not dict:
            return None
        start, end, label = item.get("start"), item.get("end"), item.get("label")
        if type(start) is not int or type(end) is not int or type(label) is not str:
            return None
        if not last <= start < end <= length or cuts_letter(text, start, end) or not label or "\0" in label:
            return None
        if len(item) != 3 and (len(item) != 4 or item.get("text") != text[start:end]):
            return None
        spans.append(Span(start, end, label))
        last = end
    return tuple(spans)


def _plain_values(record: Mapping[str, object]) -> bool:
    for value in record.values():
        if type(value) is str:
            if "\0" in value:
                return False
        elif value is not None and not _plain_value(value):
            return False
    return True


def _plain_value(value: object) -> bool:
    """Whether there is nothing to say of a value; orjson makes floats of whole numbers beyond 64 bits."""
    if type(value) is float:
        return -_LONG < value < _LONG
    if type(value) is list:
        return all(map(_plain_value, value))
    if type(value) is dict:
        return all(map(_plain_value, value)) and all(map(_plain_value, value.values()))
    return type(value) is not str or "\0" not in value


_LONG = 2.0**63


def _value_faults(value: object) -> list[tuple[str, str]]:
    """What no table should hold: a NUL, a number that is none; with the value found."""
    if type(value) is str:
        return [("the text holds a NUL character", repr(value[:40]))] if "\0" in value else []
    if type(value) is float:
        return [] if math.isfinite(value) else [("the number is none", str(value))]
    if type(value) is list:
        return [fault for item in value for fault in _value_faults(item)]
    if type(value) is dict:
        return [fault for item in (*value, *value.values()) for fault in _value_faults(item)]
    return []


def to_row(sentence: Sentence) -> dict[str, Any]:
    """The row of a sentence, its spans with their surfaces.

    Raises a UsageError if an attribute is named like a key of the row, a DataError if a span or a value is
    one that no reader would take back.
    """
    text, attributes = sentence.text, sentence.attributes
    spans = []
    last, length = 0, len(text)
    for span in sentence.spans:
        start, end, label = span.start, span.end, span.label
        # Not every sentence was checked when it was made (`Sentence.unchecked`).
        if not last <= start < end <= length or cuts_letter(text, start, end):
            raise DataError(span_faults(text, sentence.spans, row=sentence.id))
        if not label or "\0" in label:
            raise DataError(
                Fault(
                    code="span_label",
                    message="a label is empty or holds a NUL",
                    row=sentence.id,
                    found=repr(label),
                )
            )
        spans.append({"start": start, "end": end, "label": label, "text": text[start:end]})
        last = end
    row: dict[str, Any] = {"id": sentence.id, "text": text, "spans": spans, **attributes}
    if len(row) != len(attributes) + 3:
        clash = ", ".join(key for key in ROW_KEYS if key in attributes)
        raise UsageError(f"an attribute cannot be called {clash}: that is a key of the row")
    if not sentence.id or "\0" in text or "\0" in sentence.id or not _plain_values(attributes):
        found = [
            Fault(code="value", message=message, row=sentence.id, column=column, found=value)
            for column, content in row.items()
            for message, value in _value_faults(content)
        ]
        if not sentence.id:
            found.append(Fault(code="id_empty", message="a sentence has an empty id"))
        if found:
            raise DataError(found)
    return row


def dump_line(value: Mapping[str, Any], columns: Mapping[str, Any], losses: Losses) -> bytes:
    """JSON without a line break; long whole numbers are kept.

    What JSON has no type for (a date from a Parquet file) becomes text, listed by the one of ``columns``
    that holds it.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_PASSTHROUGH_DATETIME)
    except TypeError:
        pass
    for column, held in columns.items():
        try:
            json.dumps(held)
        except TypeError:
            losses.column(code="as_text", column=column, message="the value is written as text")
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=str).encode()
