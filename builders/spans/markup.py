"""Markup of hand-written spans: ``Los [[burpees]] …`` or ``[[burpees]]{ENG}``.

Spans are read off while the text is put together, never searched for. Single brackets and braces are text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from probeta.errors import DataError, Fault

_TOKEN = re.compile(r"\[\[|\]\](?:\{([^{}]*)\})?")


class Mark(NamedTuple):
    """A piece of marked-up text: plain ``text``, or the opening or closing of a span."""

    kind: str
    text: str


def scan(text: str) -> list[Mark]:
    """Split ``text`` into marks: ``text``, ``open`` and ``close`` (whose text is the label, or empty).

    >>> [tuple(mark) for mark in scan("a [[b]]{X}.")]
    [('text', 'a '), ('open', ''), ('text', 'b'), ('close', 'X'), ('text', '.')]
    """
    marks = []
    last = 0
    for match in _TOKEN.finditer(text):
        if match.start() > last:
            marks.append(Mark("text", text[last : match.start()]))
        if match[0] == "[[":
            marks.append(Mark("open", ""))
        elif match[1] is not None and not match[1].strip():
            raise DataError(Fault(code="markup", message="the label in braces is empty", found=match[0]))
        else:
            marks.append(Mark("close", match[1] or ""))
        last = match.end()
    if last < len(text):
        marks.append(Mark("text", text[last:]))
    return marks
