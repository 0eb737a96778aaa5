"""The dimension ``quotes``: quotation marks around every span, or around none.

Only the pair that stands exactly around a span belongs to it: other quotation marks of the text (a title,
someone's words) stay. Where a span stands inside such a quotation, its own marks are of another kind, as
in ``“El ‘streaming’ mata el cine”``: the first level of the style whose kind no enclosing pair has.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from probeta.builders.spans.casing import is_word_character
from probeta.builders.spans.perturbation import Perturbation, Variant, check_literals
from probeta.offsets import Edit
from probeta.records import Sentence, Span

#: What may close what opens; German and reversed marks included.
CLOSERS = {"“": "”", '"': '"', "„": "“”", "«": "»", "»": "«", "‹": "›", "‘": "’", "'": "'", "‚": "‘’"}
_KINDS = {"double": '“”„"', "angle": "«»", "small angle": "‹›", "single": "‘’‚'"}
KIND = {mark: kind for kind, marks in _KINDS.items() for mark in marks}
_MARK = re.compile(f"[{''.join(KIND)}]")

#: The marks of each style, from the outermost level in.
STYLES = {
    "curly": (("“", "”"), ("‘", "’")),
    "straight": (('"', '"'), ("'", "'")),
    "guillemets": (("«", "»"), ("“", "”"), ("‘", "’")),
    "german": (("„", "“"), ("‚", "‘")),
    "romanian": (("„", "”"), ("«", "»")),
}

#: Spaces that French typography sets inside guillemets.
_INNER_SPACES = " \u00a0\u202f"


@dataclass(frozen=True, kw_only=True)
class QuotePolicies:
    """Which quotation marks are written, and what happens to those that are there.

    ``quote_style``: the marks, outermost level first: ``“ ‘``, ``" '``, ``« “ ‘``, ``„ ‚`` or ``„ «``.
    ``nested_style``: inside a quotation, the style's next free level (``auto``) or always its last one.
    ``existing_quotes``: a pair that stands exactly around a span is, in ``without``, stripped (``strip``,
    ``convert``) or left (``keep``); in ``with`` it is left as it is (``strip``, ``keep``) or rewritten in
    the style (``convert``). It is never doubled.
    """

    quote_style: Literal["curly", "straight", "guillemets", "german", "romanian"] = "curly"
    nested_style: Literal["auto", "single"] = "auto"
    existing_quotes: Literal["strip", "keep", "convert"] = "strip"

    def __post_init__(self) -> None:
        check_literals(self)


class Pair(NamedTuple):
    """The quotation marks around a span: two stretches of the text, with the spaces inside guillemets."""

    open: tuple[int, int]
    close: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Quotes(QuotePolicies, Perturbation):
    """Every span between quotation marks, or none.

    A pair that was there already is recorded as ``found_quotes``: span number, from 0, to its marks.

    >>> quotes = Quotes()
    >>> quotes.variant(Sentence("a", "hay pie", (Span(4, 7, "ENG"),)), value="with", seed=0).text
    'hay “pie”'
    """

    name: ClassVar[str] = "quotes"
    values: ClassVar[tuple[str, ...]] = ("without", "with")

    def edits(self, sentence: Sentence, *, value: str, seed: int) -> Sequence[Edit]:
        """Insertions around the spans, or the removal of the pair around each."""
        text, spans = sentence.text, sentence.spans
        pairs = own_pairs(text, spans)
        found: list[Edit] = []
        if value == "without":
            if self.existing_quotes != "keep":
                found = [Edit(*part, "") for pair in pairs if pair for part in pair]
            return found
        around = _enclosing(text, spans, pairs) if _MARK.search(text) else [()] * len(spans)
        for span, pair, kinds in zip(spans, pairs, around, strict=True):
            if pair and self.existing_quotes != "convert":
                continue
            opening, closing = pair or Pair((span.start, span.start), (span.end, span.end))
            touching = found and found[-1].end == opening[0]
            before = found[-1].replacement if touching else text[: opening[0]][-1:]
            left, right = self._marks(kinds, after=before)
            found += (Edit(*opening, left), Edit(*closing, right))
        return found

    def _marks(self, kinds: Sequence[str], *, after: str) -> tuple[str, str]:
        """The pair for a span inside quotations of ``kinds`` (outermost first), after a character."""
        levels = STYLES[self.quote_style]
        if not kinds:
            return levels[0]
        if self.nested_style == "single":
            levels = (levels[-1], *levels[:-1])
        free = [pair for pair in levels if KIND[pair[0]] not in kinds]
        other = [pair for pair in levels if KIND[pair[0]] != kinds[-1]]
        chosen = (free or other)[0]
        # After a letter a straight single mark is an apostrophe, to readers and to `own_pairs`; two of them
        # in a row look like a double one.
        unclear = chosen[0] == "'" and after and (after in "'’" or is_word_character(after))
        return ("‘", "’") if unclear else chosen

    def variants(self, versions: Sequence[Sentence], *, values: Sequence[str], seed: int) -> list[Variant]:
        """As the base class says; by slices where a text holds no quotation mark."""
        left, right = STYLES[self.quote_style][0]
        found = []
        moved: tuple[Span, ...] = ()
        shifted: tuple[Span, ...] | None = None
        for sentence in versions:
            text, spans = sentence.text, sentence.spans
            if _MARK.search(text):
                found += super().variants([sentence], values=values, seed=seed)
                continue
            # The casings of a sentence mostly share their spans.
            if spans is not shifted:
                shifted, moved = spans, _shifted(spans)
            for value in values:
                if value == "without":
                    found.append(Variant(text, spans))
                else:
                    found.append(Variant(_wrapped(text, spans, left, right), moved))
        return found

    def variant(self, sentence: Sentence, *, value: str, seed: int) -> Variant:
        """By edits for both values, since ``without`` strips what was there, with the record of that."""
        text, spans, _ = self.edited(sentence, value=value, seed=seed)
        return Variant(text, spans, _record(sentence.text, own_pairs(sentence.text, sentence.spans)))


def _wrapped(text: str, spans: tuple[Span, ...], left: str, right: str) -> str:
    if len(spans) == 1:
        start, end = spans[0].start, spans[0].end
        return f"{text[:start]}{left}{text[start:end]}{right}{text[end:]}"
    pieces: list[str] = []
    last = 0
    for span in spans:
        pieces += (text[last : span.start], left, text[span.start : span.end], right)
        last = span.end
    pieces.append(text[last:])
    return "".join(pieces)


def _shifted(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The spans when each has one character inserted at its start and one at its end."""
    return tuple(
        Span(span.start + shift, span.end + shift, span.label)
        for shift, span in zip(range(1, 2 * len(spans), 2), spans, strict=True)
    )


def _record(text: str, pairs: Sequence[Pair | None]) -> dict[str, dict[str, str]] | None:
    found = {
        str(number): text[slice(*pair.open)].strip() + text[slice(*pair.close)].strip()
        for number, pair in enumerate(pairs)
        if pair
    }
    return {"found_quotes": found} if found else None


def own_pairs(text: str, spans: Sequence[Span]) -> list[Pair | None]:
    """The pair of quotation marks exactly around each span, or None.

    Adjacency decides, so that what ``with`` wrote is always found again. A straight ``'`` after a letter
    is an apostrophe. Guillemets may have a space inside. A span that was annotated with its own marks
    inside counts as quoted. No mark serves two spans, and none that another span covers serves.
    """
    taken = {at for span in spans for at in range(span.start, span.end)}
    found: list[Pair | None] = []
    for span in spans:
        pair = _pair(text, span)
        if pair:
            places = {*range(*pair.open), *range(*pair.close)}
            if places & taken - {*range(span.start, span.end)}:
                pair = None
            else:
                taken |= places
        found.append(pair)
    return found


def _pair(text: str, span: Span) -> Pair | None:
    before, after = span.start - 1, span.end
    outer = before >= 0 and after < len(text)
    if outer and text[after] in CLOSERS.get(text[before], ""):
        elided = text[before] == "'" and before > 0 and is_word_character(text[before - 1])
        return None if elided else Pair((before, before + 1), (after, after + 1))
    if (
        outer
        and text[before] in _INNER_SPACES
        and text[after] in _INNER_SPACES
        and text[max(before - 1, 0)] in "«‹"
        and text[after + 1 : after + 2] == CLOSERS.get(text[before - 1])
    ):
        return Pair((before - 1, before + 1), (after, after + 2))
    inside = text[span.start + 1 : span.end - 1]
    if (
        inside
        and text[span.end - 1] in CLOSERS.get(text[span.start], "")
        and not any(KIND.get(char) == KIND[text[span.start]] for char in inside)
        and not unicodedata.combining(inside[0])
    ):
        return Pair((span.start, span.start + 1), (span.end - 1, span.end))
    return None


class _Opened(NamedTuple):
    at: int
    mark: str


def _beside(text: str, at: int, step: int, passed: set[int]) -> str:
    """The next character in one direction, those in ``passed`` left out; empty at the text's end."""
    at += step
    while at in passed:
        at += step
    return text[at] if 0 <= at < len(text) else ""


def _enclosing(text: str, spans: Sequence[Span], pairs: Sequence[Pair | None]) -> list[tuple[str, ...]]:
    """The kinds of the quotations that each span stands in, outermost first; its own pair left out.

    A double or angle mark without its partner opens a quotation that runs on to the end of the text, or
    closes one that ran from before its start, as in a quotation of several sentences. Apostrophes, inch
    marks and what stands inside spans are no quotations.
    """
    own = {at for pair in pairs if pair for part in pair for at in range(*part)}
    ignored = own.union(*(range(span.start, span.end) for span in spans))
    quotations: list[tuple[int, int, str]] = []
    opened: list[_Opened] = []
    for match in _MARK.finditer(text):
        at, mark = match.start(), match[0]
        if at in ignored:
            continue
        # What stands beside a mark is seen without the spans' own marks, so that those decide nothing.
        before, after = _beside(text, at, -1, own), _beside(text, at, 1, own)
        follows_word = bool(before) and is_word_character(before)
        if mark in "'’" and follows_word and after and is_word_character(after):
            continue
        partner = next((o for o in reversed(opened) if mark in CLOSERS[o.mark]), None)
        if partner:
            quotations.append((partner.at, at, KIND[mark]))
            del opened[opened.index(partner) :]
            continue
        spaced = (not after or after.isspace()) and bool(before) and not before.isspace()
        if mark in CLOSERS and not follows_word and not spaced:
            opened.append(_Opened(at, mark))
        elif KIND[mark] != "single" and not before.isdigit():
            quotations.append((-1, at, KIND[mark]))
    quotations += [(o.at, len(text), KIND[o.mark]) for o in opened if KIND[o.mark] != "single"]
    quotations.sort(key=lambda quotation: (quotation[0], -quotation[1]))
    return [
        tuple(kind for start, end, kind in quotations if start < span.start and span.end <= end)
        for span in spans
    ]
