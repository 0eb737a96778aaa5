"""Span strings compared as sets by sentence, without offsets, as the shared task ADoBo 2025 does.

Casing is ignored, quotation marks around a string are ignored, a string that is repeated in a sentence
counts once. A string that does not stand in the sentence is a wrong prediction like any other.

A string of a sentence becomes a unit as a span is one, its number in place of offsets, so that whatever is
counted of spans (intervals, attributes, paired differences, examples) is counted of strings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from probeta.evaluation.items import Item, Matched
from probeta.evaluation.read import Loaded, load_items
from probeta.formats import ReadOptions, format_of
from probeta.formats.adobo import LABEL, read_rows, resolve
from probeta.formats.base import Faults, Source
from probeta.records import Span

_QUOTES = "\"'“”‘’«»‹›„‚`´"


def folded(string: str) -> str:
    """What of a span string is compared.

    >>> folded("«Fact-Checkers»"), folded(" e-mail ")
    ('fact-checkers', 'e-mail')
    """
    return string.strip().strip(_QUOTES).strip().casefold()


def string_set(spans: Iterable[str]) -> frozenset[str]:
    """The distinct strings of a sentence; empty ones do not count."""
    return frozenset(kept for span in spans if (kept := folded(span)))


def load_strings(path: Path | str, *, options: ReadOptions, format: str | None = None) -> Loaded:
    """Sentences with the strings of their spans: an ADoBo CSV as it stands, or any annotated file.

    Of a CSV those strings become spans too whose place is known, so that they can have attributes; that one
    is absent or stands twice is no fault.
    """
    if (format or format_of(path)) != "adobo":
        loaded = load_items(path, options=options, format=format)
        return replace(loaded, items=[_with_surfaces(item) for item in loaded.items])
    source = Source.of(path)
    faults = Faults(source.name)
    items = []
    for row in read_rows(source, faults):
        sentence = row.sentence.strip()
        places, _ = resolve(sentence, row.spans)
        spans = [Span(start, end, LABEL) for start, end in places]
        items.append(Item(row=row.line, text=sentence, spans=spans, strings=row.spans))
    faults.done()
    return Loaded(source.name, items, 0)


def _with_surfaces(item: Item) -> Item:
    text = item.text or ""
    return Item(
        id=item.id,
        row=item.row,
        text=item.text,
        spans=item.spans,
        strings=[text[span.start : span.end] for span in item.spans],
        attributes=item.attributes,
        span_attributes=item.span_attributes,
    )


def in_place_of_spans(systems: Mapping[str, Matched]) -> dict[str, Matched]:
    """The same items with a unit for each distinct string of a sentence, in place of their spans."""
    codes: dict[str, int] = {}
    found: dict[str, Matched] = {}
    gold: Sequence[Item] | None = None
    for name, matched in systems.items():
        if gold is None:
            gold = [_coded(item, codes) for item in matched.gold]
        found[name] = Matched(gold, [_coded(item, codes) for item in matched.predicted], matched.by)
    return found


def _coded(item: Item, codes: dict[str, int]) -> Item:
    """The item with its strings as units: the number of a string is its start; they have no label."""
    attributes: dict[str, Mapping[str, Any]] = {}
    text = item.text or ""
    for span, own in zip(item.spans, item.span_attributes, strict=False):
        # Of a string that stands twice the first place says what its attributes are.
        attributes.setdefault(folded(text[span.start : span.end]), own)
    strings = sorted(string_set(item.strings or ()))
    numbers = [codes.setdefault(string, len(codes)) for string in strings]
    return replace(
        item,
        spans=[Span(number, number + 1, "") for number in numbers],
        strings=strings,
        tokens=None,
        tags=None,
        span_attributes=[attributes.get(string, {}) for string in strings],
    )
