"""The dimension ``ro_orthography``: the same Romanian sentence as other times and keyboards write it.

Every change puts one letter in the place of one letter, inside spans too, so spans and tokens stay where
they are. The letters, prefixes and words are in ``templates/lists/ro/orthography.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from probeta.builders.spans import lists
from probeta.builders.spans.noise import StripDiacritics
from probeta.builders.spans.perturbation import Perturbation
from probeta.offsets import Edit
from probeta.records import Sentence

#: A word, or a part of one between hyphens or apostrophes: ``într-însul`` has two.
_PART = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, kw_only=True)
class RomanianOrthography(Perturbation):
    """One way of writing Romanian throughout.

    ``cedilla`` and ``comma_below`` choose the mark of ş/ș and ţ/ț; ``old`` writes the vowel î/â as î and
    the verb as ``sînt``, ``new`` as the rule of 1993 has it; ``bare`` leaves all diacritics out.

    >>> write = RomanianOrthography()
    >>> sentence = Sentence("a", "Sînt mîine în Țară")
    >>> [write.variant(sentence, value=value, seed=0).text for value in ("new", "cedilla", "bare")]
    ['Sunt mâine în Țară', 'Sînt mîine în Ţară', 'Sint miine in Tara']
    """

    name: ClassVar[str] = "ro_orthography"
    values: ClassVar[tuple[str, ...]] = ("given", "cedilla", "comma_below", "old", "new", "bare")

    def edits(self, sentence: Sentence, *, value: str, seed: int) -> Sequence[Edit]:
        """An edit for each letter that changes."""
        text = sentence.text
        if value == "bare":
            return StripDiacritics().edits(sentence, value="yes", seed=seed)
        rules = _rules()
        if value in ("cedilla", "comma_below"):
            letters = rules.cedilla if value == "cedilla" else {b: a for a, b in rules.cedilla.items()}
            return [Edit(at, at + 1, letters[char]) for at, char in enumerate(text) if char in letters]
        if value in ("old", "new"):
            change = rules.to_old if value == "old" else rules.to_new
            return [
                Edit(at, at + 1, new)
                for part in _PART.finditer(text)
                for at, old, new in zip(
                    range(part.start(), part.end()), part[0], change(part[0]), strict=True
                )
                if old != new
            ]
        return []


@dataclass(frozen=True)
class _Rules:
    """The table, ready to use."""

    cedilla: Mapping[str, str]
    old: str
    new: str
    prefixes: frozenset[str]
    always_new: Sequence[str]
    words: Mapping[str, str]

    def to_old(self, word: str) -> Iterator[str]:
        """The word's letters under the rule before 1993."""
        low = _lower(word)
        if low in self.words.values():
            low = next(old for old, new in self.words.items() if new == low)
        elif not low.startswith(tuple(self.always_new)):
            low = low.replace(self.new, self.old)
        return _cased(low, word)

    def to_new(self, word: str) -> Iterator[str]:
        """The word's letters under the rule of 1993."""
        low = _lower(word)
        if low in self.words:
            low = self.words[low]
        else:
            last = len(low) - 1
            low = "".join(
                self.new
                if char == self.old and 0 < at < last and low[:at] not in self.prefixes
                else self.old
                if char == self.new and at in (0, last)
                else char
                for at, char in enumerate(low)
            )
        return _cased(low, word)


def _lower(word: str) -> str:
    """Lower case, letter for letter: a letter that would become two stays."""
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in word)


def _cased(letters: str, like: str) -> Iterator[str]:
    """The letters in the case of ``like``; a letter that did not change is that of ``like`` itself."""
    for letter, model in zip(letters, like, strict=True):
        yield model if letter == _lower(model) else letter.upper() if model.isupper() else letter


@cache
def _rules() -> _Rules:
    table: dict[str, Any] = lists.rules("ro", "orthography")
    return _Rules(
        cedilla=table["cedilla"],
        old=table["vowel"]["old"],
        new=table["vowel"]["new"],
        prefixes=frozenset(table["prefixes"]),
        always_new=table["always_new"],
        words=table["words"],
    )
