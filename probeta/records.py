"""Spans, sentences and pairs: the records that builders, checks and scorers exchange.

Offsets are half-open ``[start, end)`` in Unicode code points, as Python's own indexing counts them;
``probeta.offsets`` converts to UTF-16 and UTF-8 at the edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any
from unicodedata import combining

from probeta.errors import DataError, Fault

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A labelled stretch ``text[start:end]`` of a sentence, in code points."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text with its spans, sorted by start; ``attributes`` are the sentence's, by name.

    A sentence without spans is allowed. Spans may touch but not overlap; an overlap, an empty span, one
    out of range, one out of order or one that cuts a letter from its combining marks raises a DataError.
    """

    id: str
    text: str
    spans: tuple[Span, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)

    def __post_init__(self) -> None:
        # Every record passes here, so the good ones pass quickly; ``span_faults`` says what is wrong.
        text, last = self.text, 0
        for span in self.spans:
            start, end = span.start, span.end
            if not last <= start < end <= len(text) or cuts_letter(text, start, end):
                raise DataError(span_faults(text, self.spans, row=self.id))
            last = end

    @classmethod
    def unchecked(
        cls, id: str, text: str, spans: tuple[Span, ...], attributes: Mapping[str, Any]
    ) -> Sentence:
        """A sentence whose spans are right by construction: four times faster, since nothing is checked."""
        sentence = object.__new__(cls)
        _set_id(sentence, id)
        _set_text(sentence, text)
        _set_spans(sentence, spans)
        _set_attributes(sentence, attributes)
        return sentence

    def span_rows(self) -> list[dict[str, Any]]:
        """The spans as tables and files hold them, each with the text that it covers.

        >>> Sentence("a", "Un pie", (Span(3, 6, "ENG"),)).span_rows()
        [{'start': 3, 'end': 6, 'label': 'ENG', 'text': 'pie'}]
        """
        text = self.text
        return [
            {"start": span.start, "end": span.end, "label": span.label, "text": text[span.start : span.end]}
            for span in self.spans
        ]

    def surfaces(self) -> list[str]:
        """The covered text of each span, in order."""
        return [self.text[span.start : span.end] for span in self.spans]


def spans_of(rows: Iterable[Mapping[str, Any]]) -> tuple[Span, ...]:
    """The spans that ``Sentence.span_rows`` gave."""
    return tuple(Span(row["start"], row["end"], row["label"]) for row in rows)


# A frozen dataclass refuses assignment; its slots' own setters are the fast way round.
_set_id, _set_text, _set_spans, _set_attributes = (
    Sentence.__dict__[name].__set__ for name in ("id", "text", "spans", "attributes")
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A premise and a hypothesis with their class."""

    id: str
    sentence_1: str
    sentence_2: str
    connector_type: str
    attributes: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)


def cuts_letter(text: str, start: int, end: int) -> bool:
    """Whether a span starts on a combining mark or ends before one; the span is within the text.

    >>> cuts_letter("re\u0301sume\u0301", 2, 8), cuts_letter("re\u0301sume\u0301", 0, 7)
    (True, True)
    >>> cuts_letter("re\u0301sume\u0301", 0, 8)
    False
    """
    return combining(text[start]) > 0 or (end < len(text) and combining(text[end]) > 0)


def span_faults(
    text: str, spans: Iterable[Span], *, file: str | None = None, row: int | str | None = None
) -> list[Fault]:
    """Every fault of ``spans`` over ``text``: range, emptiness, order, overlap, combining mark.

    >>> [fault.code for fault in span_faults("un pie", [Span(3, 9, "ENG")])]
    ['span_out_of_range']
    """
    faults = []
    last = 0

    def fault(code: str, message: str, expected: str, found: str) -> None:
        faults.append(
            Fault(
                code=code, message=message, file=file, row=row, column="spans", expected=expected, found=found
            )
        )

    for span in spans:
        here = f"{span.start}-{span.end}"
        if span.start < 0 or span.end > len(text):
            fault("span_out_of_range", "span outside the text", f"0 to {len(text)}", here)
        elif span.start >= span.end:
            fault("span_empty", "span covers nothing", "start below end", here)
        elif span.start < last:
            fault(
                "span_order", "span overlaps or precedes the one before it", f"start at {last} or later", here
            )
        elif combining(text[span.start]):
            fault("span_on_mark", "span starts on a combining mark", "start on a base letter", here)
        elif cuts_letter(text, span.start, span.end):
            fault("span_on_mark", "span ends before a combining mark", "end behind the letter's marks", here)
        last = max(last, span.end)
    return faults
