"""Gate 2: offsets that point at what they say, tags that are legal; on any set that has such columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from probeta.errors import Fault
from probeta.offsets import to_utf8, to_utf16
from probeta.publishing.gates.result import Result
from probeta.publishing.gates.rows import limited
from probeta.publishing.gates.subject import DataFile, Subject

#: Names of the column that spans stand in, the likeliest first.
TEXTS = ("text", "sentence", "context", "document", "content")


def check_spans(subject: Subject) -> Result:
    """Spans beside a text and tags beside tokens, in every Parquet file."""
    faults: list[Fault] = []
    seen = False
    for file in subject.files:
        if file.kind != "parquet":
            continue
        for check in (_span_faults, _tag_faults):
            found = check(file)
            if found is not None:
                seen = True
                faults += limited(found)
    if subject.folder is None:
        return Result(reason="there is only a card")
    return Result(faults=faults, reason=None if seen else "no column holds spans or tags")


def _rows(file: DataFile, columns: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    number = 0
    for batch in file.batches():
        for row in batch.select(list(columns)).to_pylist():
            number += 1
            yield number, row


def _span_faults(file: DataFile) -> Iterator[Fault] | None:
    """Faults of the spans, or None where no column holds spans beside a text."""
    features = file.features()
    spans = [name for name, feature in features.items() if {"start", "end"} <= set(_inner(feature))]
    text = next((name for name in TEXTS if name in features), None)
    if not spans or text is None:
        return None

    def faults() -> Iterator[Fault]:
        for number, row in _rows(file, [text, *spans]):
            for name in spans:
                for span in row[name] or ():
                    yield from _one(row[text] or "", span, file.place(number, name))

    return faults()


def _inner(feature: Any) -> Mapping[str, Any]:
    if isinstance(feature, list):
        return feature[0] if isinstance(feature[0], dict) else {}
    inner = getattr(feature, "feature", None)
    return inner if isinstance(inner, dict) else {}


def _one(text: str, span: Mapping[str, Any], place: Mapping[str, Any]) -> Iterator[Fault]:
    start, end, surface = span["start"], span["end"], span.get("text")
    if start is None or end is None or not 0 <= start < end <= len(text):
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
            expected=surface,
            found=text[start:end],
            fix=f"the offsets count {unit}; convert them to code points" if unit else None,
        )


def _unit(text: str, start: int | None, end: int | None, surface: str | None) -> str | None:
    """In which unit the offsets would be right."""
    at = text.find(surface) if surface else -1
    while surface and at >= 0:
        for unit, convert in (("UTF-16 units", to_utf16), ("UTF-8 bytes", to_utf8)):
            if (convert(text, at), convert(text, at + len(surface))) == (start, end):
                return unit
        at = text.find(surface, at + 1)
    return None


def _tag_faults(file: DataFile) -> Iterator[Fault] | None:
    """Faults of tags beside tokens, or None where there are no such columns."""
    from datasets import ClassLabel

    features = file.features()
    tokens = next((name for name in ("tokens", "words") if name in features), None)
    tags = {
        name: feature.feature
        for name, feature in features.items()
        if name != tokens and isinstance(getattr(feature, "feature", None), ClassLabel)
    }
    if tokens is None or not tags:
        return None

    def faults() -> Iterator[Fault]:
        for number, row in _rows(file, [tokens, *tags]):
            for name, label in tags.items():
                words, ids = row[tokens] or [], row[name] or []
                place = file.place(number, name)
                if len(words) != len(ids):
                    yield Fault(
                        code="tags_length", message=f"{len(words)} tokens but {len(ids)} tags", **place
                    )
                elif any(one.startswith("B-") for one in label.names):
                    yield from _legal(ids, label.names, place)

    return faults()


def _legal(ids: Sequence[int | None], names: Sequence[str], place: Mapping[str, Any]) -> Iterator[Fault]:
    """IOB2: what continues a span follows one of the same label."""
    before = "O"
    for number in ids:
        tag = names[number] if number is not None and 0 <= number < len(names) else "O"
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
