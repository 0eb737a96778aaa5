"""The dimension ``casing``: the six casings of a sentence or of its spans.

Case is mapped over the whole text, so that context counts (the final sigma), and code point by code
point, so that every boundary is known where a mapping changes the length (``ß`` to ``SS``). Python's
``str`` methods hold Unicode's full mappings; ``str.title`` is used for single characters only, because
over a text it also capitalises after apostrophes, digits and combining marks.

A **word** is a run of letters, digits and the marks on them. Apostrophes, full stops, underscores, middle
dots (Unicode's word rule, UAX 29) and hyphens between two of them belong to it: ``women's``, ``e-mail``
and ``a.m`` are one word, ``podcast/newsletter`` are two. A span's start always starts a word. Capitalised
is the first character of a word if it is a letter: ``4x4`` and ``2ª`` stay, whole, as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from probeta.builders.spans.perturbation import Perturbation, Variant, check_literals
from probeta.offsets import Edit
from probeta.records import Sentence, Span

CASINGS = ("standard", "lower", "upper", "title", "span_upper", "span_title")

_JOINERS = "'’._·‧"
_HYPHENS = "-\u2010\u2011"

# Texts of these characters alone take the fast way: each has one-to-one case mappings and none is a mark
# or a format character. A test holds the set to that.
_UNUSUAL = re.compile(
    "[^\x00-\xac\xae-\xde\xe0-\u012f\u0131-\u0148\u014a-\u01ef\u01f1-\u024f"
    "\u0370-\u038f\u0391-\u03af\u03b1-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20cf"
    "\u2100-\u27bf\U0001f100-\U0001faff]"
)


@dataclass(frozen=True, kw_only=True)
class CasingPolicies:
    """How words are capitalised.

    ``title_rest``: the rest of a capitalised word stays (``NBA``) or becomes lower case (``Nba``).
    ``hyphens``: in a hyphenated word the first part is capitalised (``E-mail``) or every part (``E-Mail``).
    ``span_words``: ``span_title`` capitalises every word of a span or the first alone.
    ``locale``: the language whose case mappings are used; ``und`` is right for all but Turkish and
    Azerbaijani (dotted and dotless i) and Lithuanian (not offered).
    """

    title_rest: Literal["keep", "lower"] = "keep"
    hyphens: Literal["first", "every"] = "first"
    span_words: Literal["every", "first"] = "every"
    locale: Literal["und", "tr", "az"] = "und"

    def __post_init__(self) -> None:
        check_literals(self)


@dataclass(frozen=True, kw_only=True)
class Casing(CasingPolicies, Perturbation):
    """The text or its spans in lower case, in upper case, or with capitalised words.

    >>> casing = Casing()
    >>> pie = Sentence("a", "tarta de key lime pie", (Span(9, 21, "ENG"),))
    >>> [variant.text for variant in casing.variants([pie], values=["title", "span_upper"], seed=0)]
    ['Tarta De Key Lime Pie', 'tarta de KEY LIME PIE']
    """

    name: ClassVar[str] = "casing"
    values: ClassVar[tuple[str, ...]] = CASINGS

    def edits(self, sentence: Sentence, *, value: str, seed: int) -> Sequence[Edit]:
        """One edit for each character that changes."""
        text = sentence.text
        mapped = self._mapped(sentence, value)
        return [
            Edit(at, at + 1, new)
            for at, (old, new) in enumerate(zip(text, mapped, strict=True))
            if old != new
        ]

    def _mapped(self, sentence: Sentence, value: str) -> list[str]:
        """What each code point of the text becomes."""
        text, spans = sentence.text, sentence.spans
        if value == "lower":
            return self._lower(text)
        if value == "upper":
            return self._upper(text)
        if value == "title":
            return self._titled(text, words(text, cuts(spans), hyphens=self.hyphens))
        mapped = list(text)
        if value == "span_upper":
            upper = self._upper(text)
            for span in spans:
                mapped[span.start : span.end] = upper[span.start : span.end]
        elif value == "span_title":
            found = words(text, cuts(spans), hyphens=self.hyphens)
            for span in spans:
                inside = [
                    (start, min(end, span.end)) for start, end in found if span.start <= start < span.end
                ]
                if self.span_words == "first":
                    del inside[1:]
                titled = self._titled(text, inside)
                mapped[span.start : span.end] = titled[span.start : span.end]
        return mapped

    def _lower(self, text: str) -> list[str]:
        # Over the whole text, for the final sigma; then cut, since each code point's share is known.
        whole = text.lower()
        mapped = []
        at = 0
        for char in text:
            size = len(char.lower())
            mapped.append(whole[at : at + size])
            at += size
        if self.locale != "und":
            for at, char in enumerate(text):
                if char == "İ":
                    mapped[at] = "i"
                elif char == "I" and text.startswith("\u0307", at + 1):
                    mapped[at : at + 2] = ["i", ""]
                elif char == "I":
                    mapped[at] = "ı"
        return mapped

    def _upper(self, text: str) -> list[str]:
        if self.locale == "und":
            return [char.upper() for char in text]
        return ["İ" if char == "i" else char.upper() for char in text]

    def _titled(self, text: str, found: Iterable[tuple[int, int]]) -> list[str]:
        mapped = list(text)
        lower = self._lower(text) if self.title_rest == "lower" else mapped
        for start, end in found:
            first = text[start]
            if first.isalpha():
                mapped[start] = "İ" if first == "i" and self.locale != "und" else first.title()
                mapped[start + 1 : end] = lower[start + 1 : end]
        return mapped

    def variants(self, versions: Sequence[Sentence], *, values: Sequence[str], seed: int) -> list[Variant]:
        """As the base class says; by slices, without a map, where no mapping can change a length."""
        found = []
        for sentence in versions:
            text, spans = sentence.text, sentence.spans
            if self.locale != "und" or self.span_words != "every" or _UNUSUAL.search(text):
                found += super().variants([sentence], values=values, seed=seed)
                continue
            upper = titled = None
            for value in values:
                if value == "standard":
                    changed = text
                elif value == "lower":
                    changed = text.lower()
                else:
                    if value in ("upper", "span_upper"):
                        upper = whole = upper or text.upper()
                    else:
                        titled = whole = titled or self._title(text, spans)
                    changed = whole if value in ("upper", "title") else _spliced(text, whole, spans)
                found.append(Variant(changed, spans))
        return found

    def _title(self, text: str, spans: tuple[Span, ...]) -> str:
        """``title`` for a text of usual characters, where a position stays a position."""
        keep = self.title_rest == "keep"
        if not (
            _BEYOND_LATIN_1.search(text)
            or _INSIDE_WORD[self.hyphens].search(text)
            or (keep and _INNER_CAPITAL.search(text))
            or any(text[span.start - 1 : span.start].isalnum() for span in spans)
        ):
            return text.title()
        rest = text if keep else text.lower()
        pattern = _WORD[self.hyphens]
        pieces = []
        last = 0
        for cut in (*cuts(spans), len(text)):
            pieces.append(_title_words(text[last:cut], rest[last:cut], pattern))
            last = cut
        return "".join(pieces)


def _by_hyphens(pattern: str) -> dict[str, re.Pattern[str]]:
    """The pattern with the characters that join words in place of ``JOINERS``, by the policy."""
    return {
        "first": re.compile(pattern.replace("JOINERS", _JOINERS + _HYPHENS.replace("-", r"\-"))),
        "every": re.compile(pattern.replace("JOINERS", _JOINERS)),
    }


_WORD = _by_hyphens(r"[^\W_]+(?:[JOINERS][^\W_]+)*")

# Where `str.title` errs: letters behind a joiner or a digit, inner capitals, letters that have no case.
# The first two are searched for; of the third there is none in Latin-1.
_INSIDE_WORD = _by_hyphens(r"[JOINERS\d²³¹¼½¾](?=[^\W\d_])")
_INNER_CAPITAL = re.compile(r"[A-ZÀ-ÖØ-Þ](?<=\w\w)")
_BEYOND_LATIN_1 = re.compile("[^\x00-\xff\u2010-\u2027\u2030-\u205e\u20a0-\u20cf]")


def _title_words(text: str, rest: str, pattern: re.Pattern[str]) -> str:
    """Capitalise the words of ``text``; ``rest`` is what their other characters become."""

    def titled(word: re.Match[str]) -> str:
        start, end = word.span()
        first = text[start]
        return first.title() + rest[start + 1 : end] if first.isalpha() else word[0]

    return pattern.sub(titled, text)


def _spliced(text: str, whole: str, spans: Iterable[Span]) -> str:
    """``text`` with its spans as they stand in ``whole``, which is as long."""
    pieces: list[str] = []
    last = 0
    for span in spans:
        pieces += (text[last : span.start], whole[span.start : span.end])
        last = span.end
    pieces.append(text[last:])
    return "".join(pieces)


def cuts(spans: Iterable[Span]) -> list[int]:
    """Where a word starts whatever stands before."""
    return [span.start for span in spans]


def is_word_character(char: str) -> bool:
    """Whether a word may hold ``char``: a letter, a digit, or a mark or format character on one."""
    return char.isalnum() or unicodedata.category(char) in ("Mn", "Mc", "Me", "Cf")


def words(text: str, cuts: Iterable[int], *, hyphens: str = "first") -> list[tuple[int, int]]:
    """The words of ``text`` as ``(start, end)``, cut anew at ``cuts``.

    >>> [text[a:b] for text in ["l'after ¿e-mail?"] for a, b in words(text, [2])]
    ['l', 'after', 'e-mail']
    """
    joiners = _JOINERS + (_HYPHENS if hyphens == "first" else "")
    breaks = set(cuts)
    found = []
    start: int | None = None
    for at, char in enumerate(text):
        if start is not None and at in breaks:
            found.append((start, at))
            start = None
        if char.isalnum():
            start = at if start is None else start
        elif start is not None:
            joins = char in joiners and at + 1 not in breaks and text[at + 1 : at + 2].isalnum()
            if not joins and not is_word_character(char):
                found.append((start, at))
                start = None
    if start is not None:
        found.append((start, len(text)))
    return found
