"""Sentences that no linking phrase touches, drawn for neutral pairs; and how a text opens a pair."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from random import Random

from probeta.builders.pairs.filters import TextTest
from probeta.builders.pairs.phrases import is_dash, part_turn
from probeta.builders.pairs.records import Place, Text

#: Sentences looked at for each that is wanted: most paragraphs of novels have one sentence.
TRIES = 16

LETTER = re.compile(r"[^\W\d_]")


def capitalised(text: str) -> str:
    """``text`` with its first letter in upper case and nothing else touched.

    >>> capitalised("«la McDonald de Ávila»"), capitalised("¿él?"), capitalised("3 de mayo")
    ('«La McDonald de Ávila»', '¿Él?', '3 de mayo')
    """
    found = LETTER.search(text)
    if not found or any(char.isdigit() for char in text[: found.start()]):
        return text
    at = found.start()
    return text[:at] + text[at].upper() + text[at + 1 :]


def sentences_before(paragraphs: Sequence[Sequence[str]]) -> list[int]:
    """How many sentences stand before each paragraph, and how many there are in all."""
    return [0, *accumulate(map(len, paragraphs))]


class UnusedSentences:
    """Draws sentences that pass the same tests as the texts of linking pairs.

    ``start`` finds a linking phrase at a sentence's start, ``test`` names the filter that refuses a text.
    """

    def __init__(
        self, start: Callable[[str], re.Match[str] | None], test: TextTest, *, dialogue: bool
    ) -> None:
        self._start = start
        self._test = test
        self._dialogue = dialogue

    def draw(
        self,
        paragraphs: Sequence[Sequence[str]],
        before: Sequence[int],
        taken: set[int],
        rng: Random,
        *,
        wanted: int,
        premise: bool,
    ) -> list[Text]:
        """Up to ``wanted`` sentences for one role in neutral pairs, drawn by ``rng``.

        A premise is never a paragraph's last sentence and a hypothesis never its first, so neutral ones
        should not be; where that leaves none, every sentence may be drawn. ``before`` counts the sentences
        before each paragraph, ``taken`` are the numbers of those that are used.
        """
        total = before[-1]
        order = rng.sample(range(total), min(total, TRIES * wanted))
        for anywhere in (False, True):
            drawn: list[Text] = []
            for at in order:
                if at in taken:
                    continue
                paragraph = bisect_right(before, at) - 1
                position = at - before[paragraph]
                edge = len(paragraphs[paragraph]) - 1 if premise else 0
                if position == edge and not anywhere:
                    continue
                text = self._fit(paragraphs[paragraph][position], premise=premise)
                if text is not None:
                    drawn.append(Text(text[1], Place(paragraph, position), at, text[0]))
                    if len(drawn) == wanted:
                        return drawn
            if drawn:
                return drawn
        return []

    def _fit(self, sentence: str, *, premise: bool) -> tuple[str, str] | None:
        """(turn, text) of a sentence that may stand in a neutral pair, else None."""
        if self._start(sentence):
            return None
        turn, text = part_turn(sentence)
        if not premise:
            if is_dash(turn) and self._dialogue:
                return None  # as for linking pairs: no hypothesis opens a speaker's turn
            text = capitalised(text)
        if not LETTER.search(text) or self._test(text):
            return None
        return turn, text
