"""Gold and predictions as items, matched by id, else by position with equal text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from probeta.errors import DataError, Fault
from probeta.records import Span
from probeta.tokens import place

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One text with its spans, from the gold or from a system.

    ``id`` is None where the file gives none, ``text`` where predictions come without it. ``row`` is its
    line, where the file has lines. Offsets count code points of ``text``. ``strings`` are there where strings
    are compared in place of spans, ``tokens`` and ``tags`` where the file is tagged. ``attributes`` are the
    item's, ``span_attributes`` those of each span, in the spans' order.
    """

    id: str | None = None
    row: int | None = None
    text: str | None = None
    spans: Sequence[Span] = ()
    strings: Sequence[str] | None = None
    tokens: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    attributes: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    span_attributes: Sequence[Mapping[str, Any]] = ()


def row_of(item: Item, number: int) -> int:
    """Where a person finds the item: its line, else its number."""
    return number if item.row is None else item.row


def layers(borders: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The numbers of spans, in text order, in as few lists as hold none that overlap.

    >>> layers([(0, 8), (0, 14), (9, 12)])
    [[0, 2], [1]]
    """
    found: list[list[int]] = []
    for number in sorted(range(len(borders)), key=lambda number: borders[number]):
        for layer in found:
            if borders[layer[-1]][1] <= borders[number][0]:
                layer.append(number)
                break
        else:
            found.append([number])
    return found


def surface(item: Item, start: int, end: int) -> str:
    """What a span says: its string where strings are compared, else what it covers of the text.

    >>> surface(Item(text="Los looks"), 4, 9)
    'looks'
    """
    if item.strings is None:
        return (item.text or "")[start:end]
    return next(
        string
        for span, string in zip(item.spans, item.strings, strict=True)
        if (span.start, span.end) == (start, end)
    )


class Matched(NamedTuple):
    """Gold items and, at the same places, the predictions for them; ``by`` is ``id`` or ``position``."""

    gold: Sequence[Item]
    predicted: Sequence[Item]
    by: str


def match(
    gold: Sequence[Item], predicted: Sequence[Item], *, gold_file: str = "gold", file: str = "predictions"
) -> Matched:
    """Bring predictions into the gold's order.

    By id where every item on both sides has one, else by position, and then the texts must be equal, or
    the tokens: spans of predictions that spell the tokens with other spaces are moved to the gold's text.
    Raises a DataError with a fault for every item that has no counterpart, another text or another
    number of tokens; it names the item's number, from 1, and its ``row``.
    """
    with_ids = all(item.id is not None for item in gold) and all(item.id is not None for item in predicted)
    faults = _doubled(gold, gold_file) + _doubled(predicted, file) if with_ids else []
    if faults:
        raise DataError(faults)
    ordered = (
        _by_id(gold, predicted, gold_file, file, faults)
        if with_ids
        else _by_position(gold, predicted, gold_file, file, faults)
    )
    moved: list[Item] = []
    for number, (one, other) in enumerate(zip(gold, ordered, strict=False), start=1):
        if other is not None:
            there = _on_the_golds_text(one, other)
            faults += _differences(one, there, number, file)
            moved.append(there)
    if faults:
        raise DataError(faults)
    return Matched(gold, moved, "id" if with_ids else "position")


def _on_the_golds_text(gold: Item, predicted: Item) -> Item:
    """The prediction with offsets into the gold's text, where both have the same tokens but other spaces."""
    if gold.text is None or predicted.text is None or gold.text == predicted.text:
        return predicted
    if gold.tokens is None or predicted.tokens is None or list(gold.tokens) != list(predicted.tokens):
        return predicted
    there, here = place(gold.tokens, gold.text), place(predicted.tokens, predicted.text)
    if there is None or here is None:
        return predicted
    starts = {start: new for (start, _), (new, _) in zip(here, there, strict=True)}
    ends = {end: new for (_, end), (_, new) in zip(here, there, strict=True)}
    spans = [Span(starts[span.start], ends[span.end], span.label) for span in predicted.spans]
    return replace(predicted, text=gold.text, spans=spans)


def _doubled(items: Sequence[Item], file: str) -> list[Fault]:
    first: dict[str, int] = {}
    faults = []
    for number, item in enumerate(items, start=1):
        if item.id in first:
            faults.append(
                Fault(
                    code="duplicate_id",
                    message=f"the id {item.id!r} stands twice",
                    file=file,
                    row=row_of(item, number),
                    expected="one row an id",
                    found=f"also in item {first[item.id]}",
                    fix="keep one of the two",
                )
            )
        elif item.id is not None:
            first[item.id] = number
    return faults


def _by_id(
    gold: Sequence[Item], predicted: Sequence[Item], gold_file: str, file: str, faults: list[Fault]
) -> list[Item | None]:
    there = {item.id: item for item in predicted}
    ordered = [there.get(item.id) for item in gold]
    known = {item.id for item in gold}
    for number, (item, other) in enumerate(zip(gold, ordered, strict=True), start=1):
        if other is None:
            faults.append(
                Fault(
                    code="missing_prediction",
                    message=f"item {number} of the gold has no prediction",
                    file=gold_file,
                    row=row_of(item, number),
                    expected=f"a row with the id {item.id!r} in {file}",
                    found="none",
                    fix="a system that finds nothing writes the id with an empty list of spans",
                )
            )
    for number, item in enumerate(predicted, start=1):
        if item.id not in known:
            faults.append(
                Fault(
                    code="unknown_item",
                    message=f"item {number} of the predictions is not in the gold",
                    file=file,
                    row=row_of(item, number),
                    expected=f"an id of {gold_file}",
                    found=repr(item.id),
                    fix="score the predictions against the gold they were made for",
                )
            )
    return ordered


def _by_position(
    gold: Sequence[Item], predicted: Sequence[Item], gold_file: str, file: str, faults: list[Fault]
) -> list[Item | None]:
    if len(gold) != len(predicted):
        # Where the longer one goes on: the other has no such item.
        longer = predicted if len(predicted) > len(gold) else gold
        number = min(len(gold), len(predicted)) + 1
        faults.append(
            Fault(
                code="item_count",
                message=f"gold and predictions have different numbers of items: one of them has no item {number}",
                file=file if longer is predicted else gold_file,
                row=row_of(longer[number - 1], number),
                expected=f"{len(gold)} items, as in {gold_file}",
                found=str(len(predicted)),
                fix="add the missing items, or give ids so that items can be matched",
            )
        )
    for number, (one, other) in enumerate(zip(gold, predicted, strict=False), start=1):
        if one.text is None or other.text is None:
            faults.append(
                Fault(
                    code="no_key",
                    message=f"item {number} has neither an id nor a text to match by",
                    file=file,
                    row=row_of(other, number),
                    expected="an id, or the text",
                    found="spans alone",
                    fix="add the gold's ids to the predictions",
                )
            )
            break
    return list(predicted)


def _differences(gold: Item, predicted: Item, number: int, file: str) -> list[Fault]:
    if gold.text is not None and predicted.text is not None and gold.text != predicted.text:
        place = next(
            (
                position
                for position, (a, b) in enumerate(zip(gold.text, predicted.text, strict=False))
                if a != b
            ),
            min(len(gold.text), len(predicted.text)),
        )
        start = max(0, place - 20)
        return [
            Fault(
                code="text_mismatch",
                message=f"item {number} has another text than the gold, from character {place}",
                file=file,
                row=row_of(predicted, number),
                expected=repr(gold.text[start : place + 20]),
                found=repr(predicted.text[start : place + 20]),
                fix="score the predictions against the gold they were made for",
            )
        ]
    if gold.tags is not None and predicted.tags is not None and len(gold.tags) != len(predicted.tags):
        return [
            Fault(
                code="token_count",
                message=f"item {number} has another number of tokens than the gold",
                file=file,
                row=row_of(predicted, number),
                expected=str(len(gold.tags)),
                found=str(len(predicted.tags)),
                fix="every token needs one tag",
            )
        ]
    return []
