"""Automatic attributes of spans in natural text: what can be read off without knowing how it was written.

``length``, ``position``, ``quotes``, ``casing`` and ``adjacent`` need only the text; ``spelling`` and
``ambiguity`` need a language's rules and lists; ``type`` follows from them. Every value is a string, or
None where it was not asked for. Nothing here knows a label or a recipe.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from probeta.builders.spans import ambiguity as ambiguity_lists
from probeta.builders.spans import spelling as spelling_families
from probeta.builders.spans.ambiguity import Ambiguity
from probeta.builders.spans.quotes import KIND
from probeta.builders.spans.spelling import Spelling
from probeta.errors import one_of
from probeta.records import Sentence, Span

#: The automatic attributes with their values, in the order of the columns.
VALUES: dict[str, tuple[str, ...]] = {
    "length": ("single", "multi"),
    "position": ("initial", "mid"),
    "quotes": ("without", "with", "left", "right"),
    "casing": ("standard", "lower", "upper", "title", "span_upper", "span_title", "other"),
    "adjacent": ("true", "false"),
    "spelling": ("compliant", "non_compliant", "mixed_compliant"),
    "ambiguity": ("none", "all", "mixed"),
    "type": (
        "compliant",
        "non_compliant",
        "mixed_compliant",
        "ambiguous",
        "mixed_ambiguous",
        "adjacent",
    ),
}

#: The steps that decide the type, in the order of the BLAS paper; a recipe may name fewer or others first.
TYPE_RULE = ("adjacency", "ambiguity", "spelling")

#: The columns of ``attribute_rows``; the last two hold ``word:code`` and ``word:entry``, space between.
COLUMNS = ("item", "start", "end", "text", "label", *VALUES, "spelling_reasons", "ambiguous_words")

_APOSTROPHES = "'’"
# The marks that perturbations write, and those of typewriters and old tokenizers.
_QUOTES = frozenset(KIND) | frozenset("`´‟‛›")
# Letters and digits with their combining marks.
_RUN = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+")
_SENTENCE_ENDS = frozenset(".!?…")


def attribute_rows(
    sentences: Iterable[Sentence],
    *,
    language: str = "es",
    spelling: str | None = "strict",
    ambiguity: str | None = "wspanish",
    adjacency: bool = True,
    type_rule: Sequence[str] = TYPE_RULE,
) -> Iterator[dict[str, Any]]:
    """One row a span with the keys of ``COLUMNS``, in the order of the sentences and their spans.

    ``item`` is the sentence's id. ``spelling`` and ``ambiguity`` name families of the language
    (``spelling.families``, ``ambiguity.families``); None leaves the attribute null. ``type_rule`` names the
    steps that decide ``type``, the first first; a step whose attribute is null or off decides nothing.
    Raises a UsageError for an unknown language, family or step, before the first row.
    """
    for step in type_rule:
        one_of(step, TYPE_RULE, what="step of the type rule")
    rules = None if spelling is None else spelling_families.spelling(language, spelling)
    words = None if ambiguity is None else ambiguity_lists.ambiguity(language, ambiguity)

    def rows() -> Iterator[dict[str, Any]]:
        for sentence in sentences:
            for row in span_attributes(
                sentence, spelling=rules, ambiguity=words, adjacency=adjacency, type_rule=type_rule
            ):
                yield {"item": sentence.id, **row}

    return rows()


def span_attributes(
    sentence: Sentence,
    *,
    spelling: Spelling | None = None,
    ambiguity: Ambiguity | None = None,
    adjacency: bool = True,
    type_rule: Sequence[str] = TYPE_RULE,
) -> list[dict[str, Any]]:
    """The attributes of each span of a sentence, in order; the keys are ``COLUMNS`` without ``item``.

    With ``adjacency`` off a span beside another keeps its own length and its type ignores the other.
    ``type_rule`` as in ``attribute_rows``.

    >>> row = span_attributes(Sentence("1", "Los “burpees” cansan.", (Span(5, 12, "ENG"),)))[0]
    >>> row["length"], row["position"], row["quotes"], row["casing"], row["adjacent"]
    ('single', 'mid', 'with', 'standard', 'false')
    """
    if not sentence.spans:
        return []
    text, spans = sentence.text, sentence.spans
    casing = _Casing(text, spans)
    runs = _runs(text, spans)
    first_word = next((place for place, char in enumerate(text) if char.isalnum()), len(text))
    words = [_words(surface) for surface in sentence.surfaces()]
    rows = []
    for place, span in enumerate(spans):
        own = words[place]
        run = runs[place]
        longest = max(len(words[member]) for member in (run if adjacency else (place,)))
        row: dict[str, Any] = {
            "start": span.start,
            "end": span.end,
            "text": text[span.start : span.end],
            "label": span.label,
            "length": "multi" if longest > 1 else "single",
            "position": "initial" if first_word >= span.start else "mid",
            "quotes": _quotes(text, span),
            "casing": casing.of(span),
            "adjacent": "true" if len(run) > 1 else "false",
        }
        reasons = [(word, spelling.reason(word)) for word in own] if spelling else []
        entries = [(word, ambiguity.entry(word)) for word in own] if ambiguity else []
        rejected = [f"{word}:{reason}" for word, reason in reasons if reason]
        known = [f"{word}:{entry}" for word, entry in entries if entry]
        row["spelling"] = (
            _share(len(own) - len(rejected), len(own), "non_compliant", "mixed_compliant", "compliant")
            if spelling
            else None
        )
        row["ambiguity"] = _share(len(known), len(own), "none", "mixed", "all") if ambiguity else None
        row["type"] = span_type(
            adjacent=adjacency and len(run) > 1,
            ambiguity=row["ambiguity"],
            spelling=row["spelling"],
            rule=type_rule,
        )
        row["spelling_reasons"] = " ".join(rejected) if spelling else None
        row["ambiguous_words"] = " ".join(known) if ambiguity else None
        rows.append(row)
    return rows


def span_type(
    *, adjacent: bool, ambiguity: str | None, spelling: str | None, rule: Sequence[str] = TYPE_RULE
) -> str | None:
    """The type that the first step of ``rule`` with something to say gives; None if none has.

    >>> span_type(adjacent=False, ambiguity="mixed", spelling="compliant")
    'mixed_ambiguous'
    """
    steps = {
        "adjacency": "adjacent" if adjacent else None,
        "ambiguity": {"all": "ambiguous", "mixed": "mixed_ambiguous"}.get(ambiguity or "none"),
        "spelling": spelling,
    }
    return next((value for step in rule if (value := steps[step]) is not None), None)


def _share(count: int, total: int, none: str, some: str, every: str) -> str:
    if count == total:
        # A span without a single word (an emoji, a sign) breaks no rule and is in no list.
        return every if total or every == "compliant" else none
    return some if count else none


def _words(surface: str) -> list[str]:
    return [word for word in surface.split() if any(char.isalnum() for char in word)]


def _runs(text: str, spans: Sequence[Span]) -> list[range]:
    """For each span the range of places that holds it and the spans beside it."""
    runs = []
    start = 0
    for place in range(1, len(spans) + 1):
        if place == len(spans) or not _only_quotes(text[spans[place - 1].end : spans[place].start]):
            runs += [range(start, place)] * (place - start)
            start = place
    return runs


def _only_quotes(gap: str) -> bool:
    return all(char in _QUOTES or char.isspace() for char in gap)


def _quotes(text: str, span: Span) -> str:
    left, right = _quoted(text, span.start - 1, -1), _quoted(text, span.end, 1)
    if left and right:
        return "with"
    return "left" if left else "right" if right else "without"


def _quoted(text: str, place: int, step: int) -> bool:
    """Whether a quote of this span's stands at ``place`` or, in tokenized text, beyond the space there."""
    spaced = False
    while 0 <= place < len(text) and text[place].isspace():
        spaced = True
        place += step
    if not 0 <= place < len(text) or text[place] not in _QUOTES:
        return False
    beyond = text[place + step] if 0 <= place + step < len(text) else " "
    if spaced:
        # A quote that touches the next word is that word's: “brokers” [online].
        return not beyond.isalnum() and (step > 0 or beyond.isspace())
    return not (text[place] in _APOSTROPHES and beyond.isalnum())


class _Casing:
    """The casing of the spans of one text; what concerns the whole text is worked out once."""

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self._text = text
        self._spans = spans

    def of(self, span: Span) -> str:
        surface = self._text[span.start : span.end]
        if self._upper:
            return "upper"
        if self._lower:
            return "lower"
        words = _cased_words(surface)
        if all(_capital(word[0]) for word in words) and self._titled:
            return "title"
        if not words or all(map(_lower, words)):
            return "standard"
        if all(map(_lower, words[1:])) and _titled(words[0]) and self._starts_sentence(span):
            return "standard"
        if surface == surface.upper() and sum(len(run) for word in words for run in word) > 1:
            return "span_upper"
        # An acronym keeps its capitals among capitalised words: NBA Draft.
        if any(map(_titled, words)) and all(_titled(word) or _upper(word) for word in words):
            return "span_title"
        return "other"

    @cached_property
    def _upper(self) -> bool:
        return self._text == self._text.upper() != self._text.lower()

    @cached_property
    def _lower(self) -> bool:
        # Text that opens with a number has no capital to lose.
        opening = next((char for char in self._text if char.isalnum()), "")
        return self._text == self._text.lower() != self._text.upper() and not opening.isdigit()

    @cached_property
    def _titled(self) -> bool:
        """Whether every word outside the spans has a capital, the text's own first word not counted."""
        capitals = 0
        start = 0
        for end, after in [*((span.start, span.end) for span in self._spans), (len(self._text), 0)]:
            words = _words(self._text[start:end])
            # The text's first word has a capital anyway; a word that begins with a span is the span's.
            rest = words[1:] if not start or self._text[start : start + 1].isalnum() else words
            for cased in map(_cased_words, rest):
                if cased and not _capital(cased[0][0]):
                    return False
                capitals += bool(cased)
            start = after
        return capitals > 0

    def _starts_sentence(self, span: Span) -> bool:
        before = self._text[: span.start].rstrip("".join(_QUOTES) + " \t\n¿¡([—–-")
        return not any(map(str.isalnum, before)) or before[-1] in _SENTENCE_ENDS


def _cased_words(surface: str) -> list[list[str]]:
    """The cased letters of each word, by runs between its hyphens and apostrophes: ``[[Check, In]]``.

    A word that opens with a digit has no casing and is left out.
    """
    words = []
    for word in unicodedata.normalize("NFC", surface).split():
        runs = _RUN.findall(word)
        if not runs or runs[0][0].isdigit():
            continue
        cased = ["".join(char for char in run if char.lower() != char.upper()) for run in runs]
        if cased := [run for run in cased if run]:
            words.append(cased)
    return words


def _lower(word: Sequence[str]) -> bool:
    return all(run == run.lower() for run in word)


def _upper(word: Sequence[str]) -> bool:
    return all(run == run.upper() for run in word)


def _capital(run: str) -> bool:
    return run[0] != run[0].lower()


def _titled(word: Sequence[str]) -> bool:
    """Whether the word opens with a capital and no other letter is one, but after a hyphen or apostrophe."""
    return _capital(word[0]) and all(run[1:] == run[1:].lower() for run in word)
