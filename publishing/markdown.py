"""Markdown and numbers as a language writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple


class Style(NamedTuple):
    """How a language writes numbers."""

    thousands: str
    decimal: str
    #: Numbers below this one have no thousands mark.
    marked_from: int


STYLES = {"en": Style(",", ".", 1_000), "es": Style("\u00a0", ",", 10_000)}


def number(value: float, *, style: Style, places: int = 0) -> str:
    """A number with the language's marks.

    >>> number(1836, style=STYLES["en"]), number(1836, style=STYLES["es"])
    ('1,836', '1836')
    >>> number(0.4567, style=STYLES["es"], places=2)
    '0,46'
    """
    text = f"{value:,.{places}f}"
    if abs(value) < style.marked_from:
        text = text.replace(",", "")
    marks = {ord(","): style.thousands, ord("."): style.decimal}
    return text.translate(marks)


def cell(value: object) -> str:
    """A value inside a Markdown table: bars and line breaks would end the cell.

    >>> cell("a|b")
    'a\\\\|b'
    """
    return str(value).replace("|", "\\|").replace("\n", " ").strip()


def table(head: Sequence[str], rows: Iterable[Sequence[object]], *, right: str = "") -> str:
    """A Markdown table; ``right`` has a letter a column, ``r`` for those aligned to the right.

    >>> print(table(["a", "n"], [["x", 1]], right="lr"))
    | a | n |
    |---|--:|
    | x | 1 |
    """
    marks = [right[at : at + 1] for at in range(len(head))]
    lines = [
        "| " + " | ".join(map(cell, head)) + " |",
        "|" + "|".join("--:" if mark == "r" else "---" for mark in marks) + "|",
    ]
    lines += ["| " + " | ".join(map(cell, row)) + " |" for row in rows]
    return "\n".join(lines)


def numbers(style: Style) -> tuple[Callable[..., str], Callable[..., str]]:
    """The filters ``number`` and ``percent`` of a language."""

    def plain(value: float, places: int = 0) -> str:
        return number(value, style=style, places=places)

    def percent(rate: float, places: int = 1) -> str:
        return f"{number(100 * rate, style=style, places=places)} %"

    return plain, percent
