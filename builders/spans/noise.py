"""Perturbations beyond casing and quotes: what hasty or careless writing does to a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import ClassVar

from probeta.builders.spans.perturbation import Perturbation
from probeta.errors import UsageError, one_of
from probeta.offsets import Edit
from probeta.randomness import keyed
from probeta.records import Sentence

#: Canonical combining classes of the marks that count as diacritics: those that stand above, below or
#: on a letter. Below 200 are nuktas, viramas, vowel points and voicing marks, without which a word of
#: their scripts is another word.
_DIACRITIC = range(200, 241)

_FINAL = re.compile(r"(?P<stop>[.!?…]+)(?=[\s”\"»’'›)\]]*\Z)")


def _inside(sentence: Sentence) -> set[int]:
    return {at for span in sentence.spans for at in range(span.start, span.end)}


@dataclass(frozen=True, kw_only=True)
class StripDiacritics(Perturbation):
    """Accents and the like are left out: ``reunión`` becomes ``reunion``, ``año`` ``ano``.

    ``keep`` holds letters that stay, as ``ñÑ``, which hasty Spanish keeps. Letters that only look like a
    letter with a mark (``ø``, ``ł``) stay.

    >>> StripDiacritics(keep="ñ").variant(Sentence("a", "Mañana será"), value="yes", seed=0).text
    'Mañana sera'
    """

    name: ClassVar[str] = "strip_diacritics"
    keep: str = ""

    def edits(self, sentence: Sentence, *, value: str, seed: int) -> Sequence[Edit]:
        """An edit for each letter or free-standing mark that changes."""
        text = sentence.text
        kept = {unicodedata.normalize("NFC", letter) for letter in _letters(self.keep)}
        edits = []
        at = 0
        for letter in _letters(text):
            if unicodedata.normalize("NFC", letter) not in kept:
                for place, char in enumerate(letter, start=at):
                    if (bare := _bare(char)) != char:
                        edits.append(Edit(place, place + 1, bare))
            at += len(letter)
        return edits


def _letters(text: str) -> list[str]:
    """The text cut into base characters with the combining marks that follow each."""
    letters: list[str] = []
    for char in text:
        if letters and unicodedata.combining(char):
            letters[-1] += char
        else:
            letters.append(char)
    return letters


def _bare(char: str) -> str:
    if char.isascii():
        return char
    parts = unicodedata.normalize("NFD", char)
    bare = "".join(part for part in parts if unicodedata.combining(part) not in _DIACRITIC)
    return char if bare == parts else unicodedata.normalize("NFC", bare)


@dataclass(frozen=True, kw_only=True)
class DropFinalPunctuation(Perturbation):
    """The full stop, question or exclamation mark or dots at the end are left out; closing quotes stay.

    >>> stop = DropFinalPunctuation()
    >>> stop.variant(Sentence("a", "Dijo: «¿Vienes?»"), value="yes", seed=0).text
    'Dijo: «¿Vienes»'
    """

    name: ClassVar[str] = "drop_final_punctuation"

    def edits(self, sentence: Sentence, *, value: str, seed: int) -> Sequence[Edit]:
        """At most one edit; a mark inside a span, as in ``Yahoo!``, belongs to the span and stays."""
        match = _FINAL.search(sentence.text)
        if not match:
            return []
        start = max([match.start(), *(span.end for span in sentence.spans if span.end <= match.end())])
        inside = any(span.start < match.end() and start < span.end for span in sentence.spans)
        return [Edit(start, match.end(), "")] if start < match.end() and not inside else []


@dataclass(frozen=True, kw_only=True)
class DoubleWhitespace(Perturbation):
    """Every single space is doubled, inside spans too; runs of spaces, tabs and other spaces stay.

    >>> DoubleWhitespace().variant(Sentence("a", "un low cost"), value="yes", seed=0).text
    'un  low  cost'
    """

    name: ClassVar[str] = "double_whitespace"

    def edits(self, sentence: Sentence, *, value: str, seed: int) -> Sequence[Edit]:
        """An insertion behind each single space."""
        return [Edit(match.end(), match.end(), " ") for match in re.finditer(r"(?<! ) (?! )", sentence.text)]


@dataclass(frozen=True, kw_only=True)
class KeyboardTypo(Perturbation):
    """Letters outside the spans are hit on a neighbouring key; which ones follows from the seed and the id.

    ``count`` letters are hit, or all that there are; ``layout`` names a keyboard of
    ``builders/spans/keyboards``. Case is kept; accented letters are not hit.

    >>> typo = KeyboardTypo().variant(Sentence("a", "tarta"), value="yes", seed=1).text
    >>> len(typo), sum(old != new for old, new in zip("tarta", typo))
    (5, 1)
    """

    name: ClassVar[str] = "keyboard_typo"
    seeded: ClassVar[bool] = True
    count: int = 1
    layout: str = "es"

    def __post_init__(self) -> None:
        if self.count < 1:
            raise UsageError(f"keyboard_typo: count is {self.count}; expected 1 or more")
        neighbours(self.layout)

    def edits(self, sentence: Sentence, *, value: str, seed: int) -> Sequence[Edit]:
        """One replacement for each letter that is hit."""
        keys = neighbours(self.layout)
        inside = _inside(sentence)
        places = [at for at, char in enumerate(sentence.text) if at not in inside and char.lower() in keys]
        draw = keyed(seed, self.name, sentence.id)
        edits = []
        for at in sorted(draw.sample(places, min(self.count, len(places)))):
            char = sentence.text[at]
            hit = draw.choice(keys[char.lower()])
            edits.append(Edit(at, at + 1, hit.upper() if char.isupper() else hit))
        return edits


@cache
def layouts() -> Mapping[str, str]:
    """The keyboards that there are, by the code of their language: the text of each."""
    folder = resources.files("probeta.builders") / "spans" / "keyboards"
    files = sorted(folder.iterdir(), key=lambda entry: entry.name)
    return {entry.name.removesuffix(".txt"): entry.read_text("utf-8") for entry in files}


@cache
def neighbours(layout: str) -> Mapping[str, str]:
    """The keys around each letter's: those whose middle is at most one and a quarter keys away."""
    lines = layouts()[one_of(layout, layouts(), what="keyboard layout")].splitlines()
    places = {}
    rows = [line.split() for line in lines if not line.startswith("#")]
    for number, (shift, letters) in enumerate(rows):
        for column, letter in enumerate(letters):
            places[letter] = complex(float(shift) + column, number)
    return {
        letter: "".join(other for other, there in places.items() if 0 < abs(there - here) <= 1.25)
        for letter, here in places.items()
    }
