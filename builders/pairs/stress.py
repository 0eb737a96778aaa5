"""Stress sets: the test pairs again, each changed in one declared way, under the same ids.

After Naik et al. (2018) as ESNLIR used them: words that say nothing are appended before the final
punctuation, or one word is misspelt as a finger slips on the keyboard. The class never changes; a misspelling
never gives another word of the test split, and spares words that carry a negation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

from probeta.builders.pairs.phrases import fold
from probeta.hashing import text_hash
from probeta.randomness import keyed
from probeta.recipe.pairs import AppendStress, MisspellStress, Side, Stress

_TAIL = re.compile(r"[\s.!?…,;:»”’\"')\]—–-]*$")
_WORD = re.compile(r"[^\W\d_]+")

Change = Callable[[Mapping[str, str]], str]


def append(text: str, addition: str, times: int = 1) -> str:
    """``text`` with ``addition`` before its final punctuation.

    >>> append("¿Viene «hoy»?", "y falso no es verdadero")
    '¿Viene «hoy y falso no es verdadero»?'
    """
    end = _TAIL.search(text).start()  # type: ignore[union-attr]  # the pattern matches emptiness too
    return text[:end] + f" {addition}" * times + text[end:]


def neighbours(rows: Sequence[str]) -> dict[str, str]:
    """For each letter the letters next to it; a row is half a key to the right of the one above it.

    >>> neighbours(["qwe", "asd"])["w"], neighbours(["qwe", "asd"])["a"]
    ('qeas', 'sqw')
    """
    keys: dict[str, str] = {}
    for at, row in enumerate(rows):
        for place, key in enumerate(row):
            beside = row[max(place - 1, 0) : place] + row[place + 1 : place + 2]
            above = rows[at - 1][place : place + 2] if at else ""
            below = rows[at + 1][max(place - 1, 0) : place + 1] if at + 1 < len(rows) else ""
            keys[key] = beside + above + below
    return keys


def misspell(word: str, rng: Random, keys: Mapping[str, str]) -> str:
    """One slip in ``word``: a key beside the right one, one missed, one struck twice, or two swapped.

    The first letter stays, as it mostly does when people type; the case of the letter is kept.
    """
    places = range(1, len(word)) if len(word) > 1 else range(1)
    kind = rng.choice(["beside", "beside", "missed", "twice", "swapped"]) if len(word) > 1 else "twice"
    at = rng.choice(list(places))
    char = word[at]
    if kind == "swapped":
        at = max(1, at - 1) if len(word) > 2 else 0
        return word[:at] + word[at : at + 2][::-1] + word[at + 2 :]
    if kind == "missed":
        return word[:at] + word[at + 1 :]
    if kind == "beside" and (near := keys.get(fold(char))):
        struck = rng.choice(near)
        return word[:at] + (struck.upper() if char.isupper() else struck) + word[at + 1 :]
    return word[: at + 1] + char + word[at + 1 :]


def misspeller(stress: MisspellStress, *, name: str, seed: int, vocabulary: frozenset[str]) -> Change:
    """A function from a pair to its misspelt side.

    ``vocabulary`` holds the folded words of the split: a slip that gives one of them is drawn again.
    """
    keys = neighbours(stress.keyboard)
    keep = frozenset(map(fold, stress.keep))

    def change(row: Mapping[str, str]) -> str:
        text = row[stress.side]
        rng = keyed(seed, "stress", name, row["id"])
        words = [found for found in _WORD.finditer(text) if fold(found[0]) not in keep]
        long = [found for found in words if len(found[0]) >= stress.min_letters]
        # Names last: a slip in a name is hard to tell from another name.
        common = [found for found in long if found[0].islower()]
        ranked = (common or long or words or list(_WORD.finditer(text)))[:]
        rng.shuffle(ranked)
        for found in ranked:
            for _ in range(20):
                slip = misspell(found[0], rng, keys)
                if slip != found[0] and fold(slip) != fold(found[0]) and fold(slip) not in vocabulary:
                    return text[: found.start()] + slip + text[found.end() :]
        found = max(ranked, key=lambda one: len(one[0]))
        return text[: found.end()] + found[0][-1] + text[found.end() :]

    return change


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """The folded words of ``texts``."""
    return frozenset(fold(word) for text in texts for word in _WORD.findall(text))


def stressed(row: Mapping[str, str], stress: Stress, spell: Change | None) -> tuple[Side, str]:
    """(side, its new text) of a pair under a stress."""
    if isinstance(stress, AppendStress):
        return stress.side, append(row[stress.side], stress.text, stress.times)
    if spell is None:
        raise ValueError("a misspelling needs its speller")
    return stress.side, spell(row)


def stress_row(row: Mapping[str, str], stress: Stress, spell: Change | None = None) -> dict[str, object]:
    """The row of a stress set: its pair's with one side changed and the text hash anew."""
    side, text = stressed(row, stress, spell)
    changed: dict[str, object] = {**row, side: text}
    changed["text_hash"] = text_hash(str(changed["sentence_1"]), str(changed["sentence_2"]))
    return changed
