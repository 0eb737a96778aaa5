"""Filters on the two texts of a pair: each has a name, is optional, and says what it refuses.

The order is fixed, cheap ones first, so that counts "after each filter" mean the same in every funnel.
Neutral sentences pass the same filters as linking ones: a filter that saw only some classes would be read
off by a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from probeta.recipe.pairs import Filters

#: Every reason for which a hit makes no pair, in the order in which they are asked.
REASONS = (
    "first_in_paragraph",
    "phrase_alone",
    "interrupted",
    "dialogue",
    "damaged",
    "balanced_quotes",
    "length",
    "ratio",
    "language",
    "has_nominal_and_verb",
)

_OPEN = {"«": "»", "“": "”", "(": ")", "[": "]"}
_CLOSE = {close: open_ for open_, close in _OPEN.items()}
_MARKS = re.compile(r"[«»“”()\[\]]")
_LIST_MARK = re.compile(r"(?:^|[\s;:,])\w{1,3}$")


def balanced(text: str) -> bool:
    """Whether quotes and brackets close in order; a list mark such as ``b)`` needs no opening.

    >>> balanced("«Sí», dijo (ayer)."), balanced("No volvió», dijo."), balanced("a) uno y b) dos")
    (True, False, True)
    """
    if text.count('"') % 2:
        return False
    stack: list[str] = []
    for found in _MARKS.finditer(text):
        mark = found[0]
        if mark in _OPEN:
            stack.append(mark)
        elif stack and stack[-1] == _CLOSE[mark]:
            stack.pop()
        elif mark != ")" or not _LIST_MARK.search(text, max(0, found.start() - 5), found.start()):
            return False
    return not stack


#: A text of more characters a word than this is no prose (encoded images, tables without spaces).
CHARACTERS_A_WORD = 25

TextTest = Callable[[str], str | None]


def text_test(filters: Filters, language: Callable[[str], bool] | None) -> TextTest:
    """The tests of one text by itself: returns the name of the filter that refuses it, or None."""
    low, high = filters.min_words, filters.max_words

    def test(text: str) -> str | None:
        if "\ufffd" in text:
            return "damaged"
        if filters.balanced_quotes and not balanced(text):
            return "balanced_quotes"
        words = text.count(" ") + 1
        if (low is not None and words < low) or (high is not None and words > high):
            return "length"
        if high is not None and len(text) > high * CHARACTERS_A_WORD:
            return "length"
        if language is not None and not language(text):
            return "language"
        return None

    return test


def ratio_passes(first: str, second: str, limit: float | None) -> bool:
    """Whether the longer text has at most ``limit`` times the words of the shorter."""
    if limit is None:
        return True
    words = sorted((first.count(" ") + 1, second.count(" ") + 1))
    return words[1] <= limit * words[0]
