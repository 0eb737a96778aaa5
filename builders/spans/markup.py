"""Markup of hand-written spans: ``Los [[burpees]] …`` or ``[[burpees]]{ENG}``.

Spans are read off while the text is put together, never searched for. Single brackets and braces are text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from probeta.errors import DataError, Fault

_TOKEN = re.compile(r"\[\[|\]\](?:\{([^{}]*)\})?")


def markup_fault(message: str, **details: str) -> Fault:
    """A fault in the column ``text``."""
    return Fault(code="markup", message=message, column="text", **details)


NESTED = markup_fault("a span opens inside a span: the spans overlap", expected="]]")
NOT_OPENED = markup_fault("]] closes a span that was not opened", expected="[[")
NOT_CLOSED = markup_fault("the span is not closed", expected="]]")


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


def unbalanced(text: str) -> list[Fault]:
    """What of the markup is wrong whatever the slots hold: for rows that cannot be rendered yet.

    >>> [fault.message for fault in unbalanced("In [[Bath, a {{ w }}")]
    ['the span is not closed']
    """
    opened = False
    try:
        for mark in scan(text):
            if mark.kind == "text":
                continue
            if opened == (mark.kind == "open"):
                return [NESTED if opened else NOT_OPENED]
            opened = not opened
    except DataError as error:
        return list(error.faults)
    return [NOT_CLOSED] if opened else []
