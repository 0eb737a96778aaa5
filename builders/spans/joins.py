"""Contractions and alternations between words, kept as data and applied as edits.

A table has the columns ``kind, left, right, result``. A ``contraction`` makes one word of two (``de`` +
``el`` -> ``del``): ``right`` is matched as a whole word, capitals included. An ``alternation`` changes the
left word only (``y`` -> ``e`` before ``i-``): ``right`` is a regular expression for the beginning of what
follows, capitals ignored. A result that ends in an apostrophe is elided: it stands at the next word without
a blank (``de`` -> ``d'`` before a vowel). A capital on the left word is kept.

Rows apply only at borders of a slot or of an agreement word, and never inside a span. The order in which
they stand in the table hardly matters. The last border of the text comes first, so that a word has its final
form before the one on its left is joined to it: ``de el Escala`` is ``de l'Escala``, not ``del Escala``. At
a border the most specific row that fits decides alone: a longer left word before a shorter one, then a
contraction before an alternation, then a longer right word, then the earlier row. What it gives is joined
further.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from probeta.errors import DataError, Fault
from probeta.offsets import Edit, apply_edits
from probeta.recipe.schema import SpanRecipe
from probeta.records import Span
from probeta.tables import read_table

_KINDS = ("contraction", "alternation")


#: A result that ends in one of these is elided.
APOSTROPHES = "'\u2019\u02bc"


@dataclass(frozen=True, slots=True)
class Join:
    """One row: the left word, a pattern for what follows it, and what comes out."""

    kind: str
    left: str
    right: re.Pattern[str]
    result: str

    @property
    def elided(self) -> bool:
        """Whether the result stands at the next word without a blank."""
        return self.result.endswith(tuple(APOSTROPHES))


def read_joins(recipe: SpanRecipe) -> list[Join]:
    """The joins of ``recipe``, the most specific first; a DataError with every fault of the table."""
    if recipe.joins is None:
        return []
    file = recipe.shown(recipe.joins)
    faults, joins = [], []
    for row in read_table(recipe.path(recipe.joins), required=["kind", "left", "right", "result"], name=file):
        kind, left, right, result = (row[column].strip() for column in ("kind", "left", "right", "result"))
        for column, problem, expected in (
            ("kind", kind not in _KINDS, " or ".join(_KINDS)),
            ("left", not left, "a word"),
            ("right", not right, "a word or a pattern"),
            ("result", not result, "a word"),
        ):
            if problem:
                faults.append(
                    Fault(
                        code="join",
                        message=f"the {column} of the join is not right",
                        file=file,
                        row=row.line,
                        column=column,
                        expected=expected,
                        found=row[column] or "an empty cell",
                    )
                )
        try:
            pattern = (
                re.compile(re.escape(right) + ("" if right.endswith(tuple(APOSTROPHES)) else r"(?!\w)"))
                if kind == "contraction"
                else re.compile(right, re.IGNORECASE)
            )
        except re.error as error:
            faults.append(
                Fault(
                    code="join",
                    message=f"the pattern cannot be read: {error}",
                    file=file,
                    row=row.line,
                    column="right",
                    found=right,
                )
            )
            continue
        joins.append(Join(kind, left, pattern, result))
    if faults:
        raise DataError(faults)
    return sorted(joins, key=_specific)


def _specific(join: Join) -> tuple[int, bool, int]:
    """What comes first where several rows fit; the pattern of an alternation has no length to speak of."""
    contraction = join.kind == "contraction"
    return (-len(join.left), not contraction, -len(join.right.pattern) if contraction else 0)


def apply_joins(
    text: str, spans: Sequence[Span], borders: Sequence[int], joins: Sequence[Join]
) -> tuple[str, list[Span]]:
    """Apply ``joins``, the most specific first, at ``borders`` (offsets in ``text``); spans move with it.

    >>> la = Join("alternation", "la", re.compile("[ae]"), "l'")
    >>> apply_joins("Va a la escola", [Span(8, 14, "X")], [5, 8], [la])
    ("Va a l'escola", [Span(start=7, end=13, label='X')])
    """
    spans, borders = list(spans), sorted(set(borders))
    # A row applies once at a border: rows that undo each other come to an end.
    applied: set[tuple[int, int]] = set()
    at = len(borders) - 1
    while at >= 0:
        found = _edit(text, borders[at], joins)
        number, edit = found if found else (-1, Edit(0, 0, ""))
        free = all(edit.end <= span.start or span.end <= edit.start for span in spans)
        if number < 0 or not free or (number, at) in applied:
            at -= 1
            continue
        applied.add((number, at))
        text, moved = apply_edits(text, [edit])
        spans = [moved.span(span) for span in spans]
        borders = [moved.start(border) for border in borders]
        # What came out may be joined to the word behind it.
        at = max(index for index, border in enumerate(borders) if border <= borders[at])
        at = min(at + 1, len(borders) - 1)
    return text, spans


def _edit(text: str, border: int, joins: Sequence[Join]) -> tuple[int, Edit] | None:
    """The first of ``joins`` that fits the words on both sides of ``border``, and its edit."""
    word_end = border - (len(text[:border]) - len(text[:border].rstrip(" ")))
    next_word = border + (len(text[border:]) - len(text[border:].lstrip(" ")))
    if word_end == next_word:
        return None
    for number, join in enumerate(joins):
        start = _left(text, word_end, join.left)
        if start is None or (right := join.right.match(text, next_word)) is None:
            continue
        end = right.end() if join.kind == "contraction" else word_end
        if join.elided:
            end += len(text[end:]) - len(text[end:].lstrip(" "))
        result = join.result
        if text[start].isupper():
            result = result[:1].upper() + result[1:]
        return number, Edit(start, end, result)
    return None


def _left(text: str, end: int, word: str) -> int | None:
    """Where ``word``, or the same with a capital, starts if it ends at ``end`` and is no part of another."""
    for written in (word, word[:1].upper() + word[1:]):
        start = end - len(written)
        if text.endswith(written, 0, end) and not re.match(r"\w", text[start - 1 : start]):
            return start
    return None


def elided_blanks(text: str, joins: Sequence[Join]) -> Iterator[str]:
    """Every place of ``text`` where a blank follows what a join elides: ``d' Alella``."""
    for result in dict.fromkeys(join.result for join in joins if join.elided):
        first = f"(?:{re.escape(result[:1])}|{re.escape(result[:1].upper())})"
        for found in re.finditer(rf"(?<!\w){first}{re.escape(result[1:])} +\w+", text):
            yield found[0]
