"""Sentences of a paragraph by rules: one scan for candidate ends, then what stands before each.

A candidate is a run of ``. ! ? …`` with its closing quotes, followed by white space and something that can
open a sentence. A single full stop is refused after an abbreviation, an initial or a list number. Text
without the space after the stop (``empleados.Sin embargo``) and footnote numbers (``2010.3 Sin``) are cut
too. Measured against other segmenters in ``benchmarks/mining.py``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

_UPPER = "A-ZÀ-ÖØ-Þ"
_LOWER = "a-zß-öø-ÿ"
_CLOSERS = "\"'»”’)\\]"
_OPENERS = "\"'«“‘([¿¡"

#: A run of terminators with closing quotes, a note's number, and one way to go on: a space before an opener or an
#: item's mark ("b) El"), a dash before a new turn, or nothing at all before a word that looks like a sentence's
#: first. What it captures belongs to the sentence that ends; ``split`` does the whole scan outside Python. The run
#: has a limit, so that a page of dots takes no longer than one of letters.
_END = re.compile(
    rf"([.!?…][{_CLOSERS}.!?…]{{0,20}}"
    rf"(?:(?:(?:(?<=[{_LOWER}{_CLOSERS}]\.)|(?<=\d\d\d\d\.))\d{{1,3}}|\[\d{{1,3}}\])(?= +[{_OPENERS}]*[{_UPPER}]))?"
    rf"(?: +(?=[{_OPENERS}—–-]*\s?[{_OPENERS}]*[{_UPPER}0-9]|[a-z]\) [{_OPENERS}]*[{_UPPER}])"
    rf"|(?=[—–]\s?[{_OPENERS}]*[{_UPPER}])"
    rf"|(?<=[!?»”])(?=-[{_OPENERS}]*[{_UPPER}])"
    rf"|(?<=[{_LOWER}]{{2}}\.)(?=[{_OPENERS}]?[{_UPPER}][{_LOWER}]+[\s,])))"
)
_LIST_MARK = re.compile(r"[\s(\[«“\"—–-]*(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})$")
_INITIAL = re.compile(rf"(?:[{_UPPER}]|[{_UPPER}]h|Th|Ph|Ch|Ll)$")
_ACRONYM = re.compile(r"(?:\w{1,2}\.)+\w{1,2}$")
_SPACED_ACRONYM = re.compile(rf"(?:^|[\s.])[{_UPPER}]{{1,2}}\.\s?[{_UPPER}]{{1,2}}$")
#: No sentence that abbreviations hold together is longer; what is, is a list or no prose.
_LONGEST = 5_000
#: "a. C.", "D. N. I.": an initial that another one follows.
_INITIAL_NEXT = re.compile(rf"[{_UPPER}]\.")
_NEXT_WORD = re.compile(rf"[{_OPENERS}—–-]*(\w+)")


class Abbreviations(NamedTuple):
    """Words (folded, without the last stop) after which a full stop does not end a sentence.

    After one of ``maybe`` it does when the next word is one of ``openers``, which seldom stand after an
    abbreviation inside a sentence ("en EE. UU. El gobierno").
    """

    never: frozenset[str]
    maybe: frozenset[str]
    openers: frozenset[str]


Segmenter = Callable[[str], list[str]]


def rule_segmenter(abbreviations: Abbreviations) -> Segmenter:
    """A function from a paragraph to its sentences, each stripped of white space, none empty.

    White space is folded already; line breaks count as spaces no more.
    """
    never, maybe, openers = abbreviations
    longest = max(map(len, never | maybe), default=0) + 2
    split = _END.split

    def opens(following: str) -> bool:
        found = _NEXT_WORD.match(following)
        return found is not None and found[1].lower() in openers

    def goes_on(body: str, following: str) -> bool:
        """Whether the full stop after ``body`` belongs to an abbreviation, an initial or a list number."""
        token = body[body.rfind(" ") + 1 :]
        if len(token) > longest:
            return False
        token = token.lstrip("(«“\"'¿¡[—–-")
        word = token.lower()
        if word in never:
            return True
        if len(token) == 1 and token.islower() and _INITIAL_NEXT.match(following):
            return True
        if token == "No" and len(body) > 2 and following[:1].isdigit():
            return True  # "el Metropolis No. 1"
        if word in maybe:
            return not opens(following)
        if len(token) > 5:
            return "." in token and bool(_ACRONYM.match(token)) and not opens(following)
        if _INITIAL.match(token):
            # "en la zona A. El resto": an initial stands before a name, seldom before an opener.
            return not opens(following) or bool(_SPACED_ACRONYM.search(body))
        if "." in token and _ACRONYM.match(token):
            return not opens(following)
        return _LIST_MARK.match(body) is not None

    def segment(text: str) -> list[str]:
        parts = split(text)
        if len(parts) == 1:
            return parts if text else []
        sentences = []
        begun = ""
        for at in range(0, len(parts) - 1, 2):
            end = parts[at + 1]
            body = begun + parts[at]
            single = end[0] == "." and end.rstrip() == "."
            if single and len(begun) < _LONGEST and goes_on(body, parts[at + 2]):
                begun = body + end
                continue
            sentences.append((body + end).strip())
            begun = ""
        last = (begun + parts[-1]).strip()
        if last:
            sentences.append(last)
        return sentences

    return segment


def read_abbreviations(rows: Iterable[tuple[str, str]], openers: Iterable[str]) -> Abbreviations:
    """``rows`` are (abbreviation, ``yes`` or ``no``: whether it may end a sentence)."""
    never: set[str] = set()
    maybe: set[str] = set()
    for word, ends in rows:
        (maybe if ends == "yes" else never).add(word.lower().rstrip("."))
    return Abbreviations(frozenset(never), frozenset(maybe), frozenset(w.lower() for w in openers))
