"""Contractions and alternations between words, kept as data and applied as edits.

A table has the columns ``kind, left, right, result``. A ``contraction`` makes one word of two (``de`` +
``el`` -> ``del``): ``right`` is matched as a whole word, capitals included. An ``alternation`` changes the
left word only (``y`` -> ``e`` before ``i-``): ``right`` is a regular expression for the beginning of what
follows, capitals ignored. A capital on the left word is kept. Rows are applied in order, only at borders of
a slot or of an agreement word, and never inside a span.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from probeta.errors import DataError, Fault
from probeta.offsets import Edit, apply_edits
from probeta.recipe.schema import SpanRecipe
from probeta.records import Span
from probeta.tables import read_table

_KINDS = ("contraction", "alternation")


@dataclass(frozen=True, slots=True)
class Join:
    """One row: the left word, a pattern for what follows it, and what comes out."""

    kind: str
    left: re.Pattern[str]
    right: re.Pattern[str]
    result: str


def read_joins(recipe: SpanRecipe) -> list[Join]:
    """The joins of ``recipe`` in the table's order; a DataError with every fault of the table."""
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
                re.compile(rf"{re.escape(right)}(?!\w)")
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
        first = f"(?:{re.escape(left[:1])}|{re.escape(left[:1].upper())})"
        joins.append(Join(kind, re.compile(rf"(?<!\w){first}{re.escape(left[1:])}( +)"), pattern, result))
    if faults:
        raise DataError(faults)
    return joins


def apply_joins(
    text: str, spans: Sequence[Span], borders: Sequence[int], joins: Sequence[Join]
) -> tuple[str, list[Span]]:
    """Apply every join at ``borders`` (offsets in ``text``); spans move with the edits.

    >>> la = Join("alternation", re.compile(r"(?<!\\w)[lL]a( +)"), re.compile("agua"), "el")
    >>> apply_joins("Bebe la agua", [Span(8, 12, "X")], [8], [la])
    ('Bebe el agua', [Span(start=8, end=12, label='X')])
    """
    spans, borders = list(spans), sorted(set(borders))
    for join in joins:
        edits: list[Edit] = []
        for match in join.left.finditer(text):
            edit = _edit(text, match, join, borders)
            free = edit and all(edit.end <= span.start or span.end <= edit.start for span in spans)
            if edit and free and (not edits or edits[-1].end <= edit.start):
                edits.append(edit)
        if edits:
            text, moved = apply_edits(text, edits)
            spans = [moved.span(span) for span in spans]
            borders = [moved.start(border) for border in borders]
    return text, spans


def _edit(text: str, left: re.Match[str], join: Join, borders: Sequence[int]) -> Edit | None:
    """The edit of ``join`` where its left word stands at ``left``, or None where it does not apply."""
    right = join.right.match(text, left.end())
    if right is None:
        return None
    word_end = left.start(1)
    if not any(word_end <= border <= left.end() for border in borders):
        return None
    result = join.result
    if text[left.start()].isupper():
        result = result[:1].upper() + result[1:]
    return Edit(left.start(), right.end() if join.kind == "contraction" else word_end, result)
