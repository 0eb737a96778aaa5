"""Edits over code points and the offset map that they leave: the only way in which spans move.

An operation is a list of ``Edit``; nothing is ever found again by searching. Converters to UTF-16 and
UTF-8 units stand here too, for the formats at the edges that count otherwise.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from probeta.errors import UsageError
from probeta.records import Span


class Edit(NamedTuple):
    """Replace ``text[start:end]`` by ``replacement``; an insertion has ``start == end``."""

    start: int
    end: int
    replacement: str


class OffsetMap:
    """Where the boundaries of a text went after a list of edits.

    A boundary between two code points maps to one boundary of the new text. At an insertion exactly at
    a boundary, ``start`` maps behind the inserted text and ``end`` before it, so that a span never
    swallows what is inserted around it.
    """

    __slots__ = ("_edits", "_ends", "_shifts")

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits
        self._ends = [edit.end for edit in edits]
        shifts = [0]
        for edit in edits:
            shifts.append(shifts[-1] + len(edit.replacement) - (edit.end - edit.start))
        self._shifts = shifts

    def start(self, offset: int) -> int:
        """The new place of a span's start; inside a replaced stretch, the end of its replacement."""
        at = bisect_right(self._ends, offset)
        if at < len(self._edits) and self._edits[at].start < offset:
            edit = self._edits[at]
            return edit.start + self._shifts[at] + len(edit.replacement)
        return offset + self._shifts[at]

    def end(self, offset: int) -> int:
        """The new place of a span's end; inside a replaced stretch, the start of its replacement."""
        at = bisect_right(self._ends, offset)
        while at and self._edits[at - 1].start == self._edits[at - 1].end == offset:
            at -= 1
        if at < len(self._edits) and self._edits[at].start < offset:
            edit = self._edits[at]
            return edit.start + self._shifts[at]
        return offset + self._shifts[at]

    def span(self, span: Span) -> Span:
        """The span in the new text."""
        return Span(self.start(span.start), self.end(span.end), span.label)


def apply_edits(text: str, edits: Sequence[Edit]) -> tuple[str, OffsetMap]:
    """Apply ``edits`` (sorted, not overlapping, over ``text``'s code points) at once.

    >>> text, moved = apply_edits("Los burpees", [Edit(4, 4, '"'), Edit(11, 11, '"')])
    >>> text, moved.span(Span(4, 11, "ENG"))
    ('Los "burpees"', Span(start=5, end=12, label='ENG'))
    """
    pieces: list[str] = []
    last = 0
    for edit in edits:
        if edit.start < last or edit.end < edit.start or edit.end > len(text):
            raise UsageError(f"edit {edit.start}-{edit.end} is out of order or out of range (0-{len(text)})")
        pieces += (text[last : edit.start], edit.replacement)
        last = edit.end
    pieces.append(text[last:])
    return "".join(pieces), OffsetMap(edits)


def to_utf16(text: str, offset: int) -> int:
    """A code-point offset in UTF-16 code units, as JavaScript counts.

    >>> to_utf16("🎉 pie", 2)
    3
    """
    return len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2


def from_utf16(text: str, offset: int) -> int:
    """A UTF-16 offset in code points; a UsageError if it falls inside a surrogate pair.

    >>> from_utf16("🎉 pie", 3)
    2
    """
    units = 0
    for position, char in enumerate(text):
        if units == offset:
            return position
        units += 2 if ord(char) > 0xFFFF else 1
    if units == offset:
        return len(text)
    raise UsageError(f"UTF-16 offset {offset} does not fall between two characters")


def to_utf8(text: str, offset: int) -> int:
    """A code-point offset in UTF-8 bytes."""
    return len(text[:offset].encode("utf-8", "surrogatepass"))


def from_utf8(text: str, offset: int) -> int:
    """A UTF-8 byte offset in code points; a UsageError if it falls inside a character."""
    try:
        return len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError:
        raise UsageError(f"UTF-8 offset {offset} does not fall between two characters") from None
