"""Gate 2: offsets that point at what they say, tags that are legal; on any set that has such columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from probeta.errors import Fault
from probeta.offsets import to_utf8, to_utf16
from probeta.publishing.gates.records import Record, columns_of, records
from probeta.publishing.gates.result import Result
from probeta.publishing.gates.rows import declared_features, limited
from probeta.publishing.gates.subject import DataFile, Subject

#: Names of the column that spans stand in, the likeliest first.
TEXTS = ("text", "sentence", "context", "document", "content")

#: Names of columns that hold tags as texts, and the form of the tags of spans.
_TAGS, _TAG = re.compile(r"(^|_)tags$"), re.compile(r"O|[BIESLU]-\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """A file's columns, the features that are declared for them, and its rows, read as often as asked."""

    file: DataFile
    columns: Sequence[str]
    features: Mapping[str, Any]
    read: Callable[[Sequence[str]], Iterable[Record]]


def check_spans(subject: Subject) -> Result:
    """Spans beside a text and tags beside tokens, in every file."""
    if subject.folder is None:
        return Result(reason="there is only a card")
    faults: list[Fault] = []
    seen = False
    declared = declared_features(subject)
    for file in subject.files:
        table = _table(file, subject.options(file.config), declared.get(file.config) or {})
        for check in (_span_faults, _tag_faults):
            found = check(table)
            if found is not None:
                seen = True
                faults += limited(found)
    return Result(faults=faults, reason=None if seen else "no column holds spans or tags")


def _table(file: DataFile, options: Mapping[str, Any], declared: Mapping[str, Any]) -> _Table:
    if file.kind == "parquet":
        return _Table(
            file=file,
            columns=columns_of(file, ()),
            features=file.features(),
            read=lambda columns: records(file, options, columns),
        )
    rows = list(records(file, options))
    return _Table(file=file, columns=columns_of(file, rows), features=declared, read=lambda _: rows)


def _first(table: _Table, name: str) -> list[Any]:
    """The first list in a column that holds anything."""
    values = (row.get(name) for _, row in table.read([name]))
    return next((value for value in values if isinstance(value, list) and value), [])


def _span_faults(table: _Table) -> Iterator[Fault] | None:
    """Faults of the spans, or None where no column holds spans beside a text."""
    spans = [name for name in table.columns if _holds_spans(table, name)]
    text = next((name for name in TEXTS if name in table.columns), None)
    if not spans or text is None:
        return None

    def faults() -> Iterator[Fault]:
        for number, row in table.read([text, *spans]):
            for name in spans:
                for span in _list(row.get(name)):
                    if isinstance(span, Mapping):
                        yield from _one(str(row.get(text) or ""), span, table.file.place(number, name))

    return faults()


def _holds_spans(table: _Table, name: str) -> bool:
    if name in table.features:
        return {"start", "end"} <= set(_inner(table.features[name]))
    first = _first(table, name)
    return bool(first) and isinstance(first[0], Mapping) and {"start", "end"} <= set(first[0])


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _inner(feature: Any) -> Mapping[str, Any]:
    if isinstance(feature, list):
        return feature[0] if isinstance(feature[0], dict) else {}
    inner = getattr(feature, "feature", None)
    return inner if isinstance(inner, dict) else {}


def _one(text: str, span: Mapping[str, Any], place: Mapping[str, Any]) -> Iterator[Fault]:
    start, end, surface = span.get("start"), span.get("end"), span.get("text")
    if not _is_whole(start) or not _is_whole(end):
        yield Fault(
            code="span_range", message=f"the span {start!r}-{end!r} has no whole numbers for offsets", **place
        )
    elif not 0 <= start < end <= len(text):
        unit = _unit(text, start, end, surface)
        yield Fault(
            code="span_range",
            message=f"the span {start}-{end} is not inside the text of {len(text)} code points",
            **place,
            fix=f"the offsets seem to count {unit}; convert them to code points" if unit else None,
        )
    elif surface is not None and text[start:end] != surface:
        unit = _unit(text, start, end, surface)
        yield Fault(
            code="span_surface",
            message=f"{start}-{end} does not cover the span's text",
            **place,
            expected=str(surface),
            found=text[start:end],
            fix=f"the offsets count {unit}; convert them to code points" if unit else None,
        )


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _unit(text: str, start: int, end: int, surface: Any) -> str | None:
    """In which unit the offsets would be right."""
    at = text.find(surface) if surface and isinstance(surface, str) else -1
    while surface and at >= 0:
        for unit, convert in (("UTF-16 units", to_utf16), ("UTF-8 bytes", to_utf8)):
            if (convert(text, at), convert(text, at + len(surface))) == (start, end):
                return unit
        at = text.find(surface, at + 1)
    return None


def _tag_faults(table: _Table) -> Iterator[Fault] | None:
    """Faults of tags beside tokens, or None where there are no such columns."""
    tokens = next((name for name in ("tokens", "words") if name in table.columns), None)
    tags = [name for name in table.columns if name != tokens and _holds_tags(table, name)]
    if tokens is None or not tags:
        return None
    names = {name: _names(table.features.get(name)) for name in tags}

    def faults() -> Iterator[Fault]:
        for number, row in table.read([tokens, *tags]):
            for name in tags:
                words, found = _list(row.get(tokens)), _list(row.get(name))
                place = table.file.place(number, name)
                if len(words) != len(found):
                    yield Fault(
                        code="tags_length", message=f"{len(words)} tokens but {len(found)} tags", **place
                    )
                elif not names[name] or any(one.startswith("B-") for one in names[name]):
                    yield from _legal([_tag(one, names[name]) for one in found], place)

    return faults()


def _holds_tags(table: _Table, name: str) -> bool:
    """Whether a column has class labels in lists, or texts that are tags by its name or by their form."""
    if _names(table.features.get(name)):
        return True
    first = _first(table, name)
    if not first or not all(isinstance(one, str) for one in first):
        return False
    return bool(_TAGS.search(name)) or all(_TAG.fullmatch(one) for one in first)


def _names(feature: Any) -> Sequence[str]:
    """The names of the class labels that a column holds in lists; empty where it holds none."""
    from datasets import ClassLabel

    inner = feature[0] if isinstance(feature, list) and feature else getattr(feature, "feature", None)
    return list(inner.names) if isinstance(inner, ClassLabel) else []


def _tag(value: Any, names: Sequence[str]) -> str:
    """A tag in words; what is no label, and is told elsewhere, is outside of any span."""
    if isinstance(value, str):
        return value
    return names[value] if isinstance(value, int) and 0 <= value < len(names) else "O"


def _legal(tags: Sequence[str], place: Mapping[str, Any]) -> Iterator[Fault]:
    """IOB2: what continues a span follows one of the same label."""
    before = "O"
    for tag in tags:
        if tag.startswith("I-") and before[2:] != tag[2:]:
            yield Fault(
                code="iob2",
                message=f"{tag} after {before} does not continue a span",
                **place,
                expected=f"B-{tag[2:]} at the beginning of a span",
                fix="convert the tags to IOB2 (`probeta convert`)",
            )
            return
        before = tag
