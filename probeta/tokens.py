"""Tokens over a text: spaCy's tokenizer, and where spans stand among the tokens.

A token is a half-open stretch ``(start, end)`` of code points; white space is in no token. Nothing here
moves or drops a span: one that begins or ends inside a token is told, or the token is split there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from probeta.errors import Fault, UsageError
from probeta.records import Span

if TYPE_CHECKING:
    from spacy.tokenizer import Tokenizer as SpacyTokenizer

Token: TypeAlias = tuple[int, int]


class TokenSpan(NamedTuple):
    """A labelled stretch of tokens, ``start`` to before ``end``, counted from 0."""

    start: int
    end: int
    label: str


def joined(tokens: Iterable[str]) -> list[Token]:
    """Where tokens stand in the text that is they joined by one space.

    >>> joined(["Los", "burpees"])
    [(0, 3), (4, 11)]
    """
    borders = []
    at = 0
    for token in tokens:
        borders.append((at, at + len(token)))
        at += len(token) + 1
    return borders


def primary(language: str) -> str:
    """A language code without its country or script.

    >>> primary("es-MX"), primary("es")
    ('es', 'es')
    """
    return language.partition("-")[0]


class Tokenizer:
    """spaCy's tokenizer of a language without any model; ``name`` is what a card should say.

    A country or script in the code makes no difference. With ``any_language`` a language that spaCy has no
    rules for gets those of ``xx``, the ones for any language; else it is a UsageError.

    >>> Tokenizer("es")("Los burpees,  ya")
    [(0, 3), (4, 11), (11, 12), (14, 16)]
    >>> Tokenizer("ast", any_language=True).name.split(", ")[1]
    "spacy.blank('xx')"
    """

    __slots__ = ("_tokenizer", "language", "name")

    def __init__(self, language: str, *, any_language: bool = False) -> None:
        import spacy

        code = primary(language)
        try:
            blank = spacy.blank(code)
        except ImportError:
            if not any_language:
                raise UsageError(
                    f"spaCy has no tokenizer for the language {language!r}: expected a code such as es or ro; "
                    "xx is the one for any language"
                ) from None
            code = "xx"
            blank = spacy.blank(code)
        self._tokenizer: SpacyTokenizer = blank.tokenizer
        self.language = language
        self.name = f"spacy {version('spacy')}, spacy.blank({code!r})"

    def __call__(self, text: str) -> list[Token]:
        """The tokens of ``text`` in order, white space left out."""
        return [
            (token.idx, token.idx + len(token.text)) for token in self._tokenizer(text) if not token.is_space
        ]


def place(words: Iterable[str], text: str) -> list[Token] | None:
    """Where ``words`` stand in ``text``, which must be made of them and of white space; else None.

    >>> place(["l'", "after", "hours"], "l'after  hours")
    [(0, 2), (2, 7), (9, 14)]
    >>> place(["Los", "pies"], "Los burpees") is None
    True
    """
    tokens = []
    at = 0
    for word in words:
        while not text.startswith(word, at) and text[at : at + 1].isspace():
            at += 1
        if not word or not text.startswith(word, at):
            return None
        tokens.append((at, at + len(word)))
        at += len(word)
    return tokens if not text[at:].strip() else None


def split(tokens: Iterable[Token], spans: Iterable[Span]) -> list[Token]:
    """The tokens, cut wherever a span begins or ends inside one.

    >>> split([(0, 7), (8, 13)], [Span(2, 13, "ENG")])
    [(0, 2), (2, 7), (8, 13)]
    """
    return cut(tokens, [offset for span in spans for offset in (span.start, span.end)])


def cut(tokens: Iterable[Token], offsets: Iterable[int]) -> list[Token]:
    """The tokens, cut wherever one of ``offsets`` stands inside one.

    >>> cut([(0, 7), (8, 13)], [2, 8])
    [(0, 2), (2, 7), (8, 13)]
    """
    cuts = sorted(set(offsets))
    pieces = []
    for start, end in tokens:
        borders = [start, *cuts[bisect_left(cuts, start + 1) : bisect_left(cuts, end)], end]
        pieces += list(pairwise(borders))
    return pieces


def align(
    tokens: Sequence[Token], spans: Iterable[Span], *, text: str, row: int | str | None = None
) -> tuple[list[TokenSpan], list[Fault]]:
    """The aligned spans of ``text`` as token ranges, and a fault for each span that is none.

    >>> align([(0, 3), (4, 11)], [Span(4, 11, "ENG")], text="Los burpees")
    ([TokenSpan(start=1, end=2, label='ENG')], [])
    """
    starts = {start: number for number, (start, _) in enumerate(tokens)}
    ends = {end: number for number, (_, end) in enumerate(tokens, start=1)}
    aligned, faults = [], []
    for span in spans:
        first, last = starts.get(span.start), ends.get(span.end)
        if first is not None and last is not None:
            aligned.append(TokenSpan(first, last, span.label))
            continue
        faults.append(
            Fault(
                code="span_alignment",
                message="the span begins or ends inside a token or on white space",
                row=row,
                column="spans",
                expected="borders of tokens",
                found=f"{span.start}-{span.end} {text[span.start : span.end]!r}",
            )
        )
    return aligned, faults
