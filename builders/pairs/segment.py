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

#: Each alternative is one way in which a sentence may go on after a run of terminators.
_CANDIDATE = re.compile(
    rf"[.!?…]+[{_CLOSERS}.!?…]*"
    rf"(?:(?P<space>\s+)(?=[{_OPENERS}—–-]*\s?[{_OPENERS}]*[{_UPPER}0-9])"
    rf"|(?P<dash>)(?=[—–]\s?[{_OPENERS}]*[{_UPPER}])"
    rf"|(?P<note>(?<=[{_LOWER}{_CLOSERS}0-9]\.)\d{{1,3}}|\[\d{{1,3}}\])\s+(?=[{_OPENERS}]*[{_UPPER}])"
    rf"|(?P<glued>(?<=[{_LOWER}]{{2}}\.))(?=[{_OPENERS}]?[{_UPPER}][{_LOWER}]+[\s,]))"
)
#: What stands before a full stop: letters with inner stops ("EE. UU" is two tokens, "a.m" is one).
_TOKEN = re.compile(r"[\w.ªº°]*$")
_LIST_MARK = re.compile(r"[\s(\[«“\"—–-]*(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})$")
_INITIAL = re.compile(rf"(?:[{_UPPER}]|[{_UPPER}]h|Th|Ph|Ch|Ll)$")
_ACRONYM = re.compile(r"(?:\w{1,2}\.)+\w{1,2}$")
_SPACED_ACRONYM = re.compile(rf"[{_UPPER}]{{1,2}}\.\s?$")


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
    """A function from a paragraph to its sentences, each stripped of white space, none empty."""
    never, maybe, openers = abbreviations
    either = never | maybe
    scan = _CANDIDATE.finditer

    def ends_inside(text: str, start: int, stop: int) -> bool:
        """Whether the full stop at ``stop`` belongs to an abbreviation; the sentence begins at ``start``."""
        token = text[max(start, text.rfind(" ", start, stop) + 1) : stop].lstrip("(«“\"'¿¡[—–-")
        word = token.lower()
        if word in either:
            return word in never or not _opens(text, stop)
        if len(token) <= 2 and _INITIAL.match(token):
            # "en la zona A. El resto": an initial stands before a name, seldom before an opener.
            return not _opens(text, stop) or bool(_SPACED_ACRONYM.search(text, start, stop - len(token)))
        if "." in token and _ACRONYM.match(token):
            return not _opens(text, stop)
        return len(token) <= 5 and bool(_LIST_MARK.fullmatch(text, start, stop))

    def _opens(text: str, stop: int) -> bool:
        found = _NEXT_WORD.match(text, stop + 1)
        return found is not None and found[1].lower() in openers

    def segment(text: str) -> list[str]:
        sentences = []
        start = 0
        for found in scan(text):
            first = found.start()
            if first < start:
                continue
            kind = found.lastgroup
            if (
                text[first] == "."
                and kind != "glued"
                and text[first + 1 : first + 2] != "."
                and ends_inside(text, start, first)
            ):
                continue
            end = found.end()
            sentence = text[start:end].strip()
            if sentence:
                sentences.append(sentence)
            start = end
        sentence = text[start:].strip()
        if sentence:
            sentences.append(sentence)
        return sentences

    return segment


_NEXT_WORD = re.compile(rf"[{_CLOSERS}]*\s+[{_OPENERS}—–-]*(\w+)")


def read_abbreviations(rows: Iterable[tuple[str, str]], openers: Iterable[str]) -> Abbreviations:
    """``rows`` are (abbreviation, ``yes`` or ``no``: whether it may end a sentence)."""
    never: set[str] = set()
    maybe: set[str] = set()
    for word, ends in rows:
        (maybe if ends == "yes" else never).add(word.lower().rstrip("."))
    return Abbreviations(frozenset(never), frozenset(maybe), frozenset(w.lower() for w in openers))
