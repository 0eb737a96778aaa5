"""The offset map: spans move by edits, never by searching."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta.errors import UsageError
from probeta.offsets import Edit, apply_edits, from_utf8, from_utf16, to_utf8, to_utf16
from probeta.records import Span


def test_insertions_at_touching_borders_stay_outside_both_spans() -> None:
    # "pop|corn": close the first and open the second at the same point 3.
    text, moved = apply_edits("popcorn", [Edit(0, 0, "“"), Edit(3, 3, "”"), Edit(3, 3, "“"), Edit(7, 7, "”")])
    assert text == "“pop”“corn”"
    assert [text[s.start : s.end] for s in map(moved.span, (Span(0, 3, "E"), Span(3, 7, "E")))] == [
        "pop",
        "corn",
    ]


def test_a_replaced_span_keeps_its_borders() -> None:
    # ß -> SS grows the span by one and shifts the next by one.
    text, moved = apply_edits("straße pie", [Edit(0, 6, "STRASSE"), Edit(7, 10, "PIE")])
    assert moved.span(Span(0, 6, "E")) == Span(0, 7, "E")
    assert moved.span(Span(7, 10, "E")) == Span(8, 11, "E")
    assert text == "STRASSE PIE"


def test_edits_out_of_order_are_refused() -> None:
    with pytest.raises(UsageError, match="out of order"):
        apply_edits("abc", [Edit(2, 3, "x"), Edit(0, 1, "y")])


@given(st.text(max_size=30), st.data())
def test_edits_between_spans_keep_every_surface(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    spans = [Span(a, b, "E") for a, b in zip(cuts[::2], cuts[1::2], strict=False) if a < b]
    points = [(s.start, s.end) for s in spans]
    edits = [Edit(p, p, data.draw(st.text(max_size=3))) for pair in points for p in pair]
    changed, moved = apply_edits(text, edits)
    after = [moved.span(span) for span in spans]
    assert [changed[s.start : s.end] for s in after] == [text[s.start : s.end] for s in spans]


@given(st.text(), st.data())
def test_units_round_trip(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    assert from_utf16(text, to_utf16(text, offset)) == offset
    assert from_utf8(text, to_utf8(text, offset)) == offset


def test_an_offset_inside_a_character_is_refused() -> None:
    with pytest.raises(UsageError):
        from_utf16("🎉", 1)
    with pytest.raises(UsageError):
        from_utf8("é", 1)
