"""Tokens over a text: nothing of the text is lost, no span is moved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta.errors import UsageError
from probeta.records import Span
from probeta.tokens import Tokenizer, align, place, split


@pytest.fixture(scope="module")
def spanish() -> Tokenizer:
    return Tokenizer("es")


def test_the_tokenizer_has_a_name_for_the_card(spanish: Tokenizer) -> None:
    assert spanish.name.startswith("spacy 3.")
    assert spanish.name.endswith("spacy.blank('es')")
    with pytest.raises(UsageError, match="'qq'"):
        Tokenizer("qq")


def test_a_country_makes_no_difference_and_a_recipe_may_be_in_any_language() -> None:
    assert Tokenizer("es-MX").name == Tokenizer("es").name
    assert Tokenizer("ast", any_language=True)("L'agua, fría") == Tokenizer("xx")("L'agua, fría")


def test_a_span_that_does_not_align_is_told_and_never_moved(spanish: Tokenizer) -> None:
    text = "Cerró l'after hours del puerto."
    tokens = spanish(text)
    span = Span(8, 19, "ENG")
    ranges, faults = align(tokens, [span], text=text, row="edge-21")
    assert ranges == []
    assert [(fault.code, fault.row, fault.found) for fault in faults] == [
        ("span_alignment", "edge-21", "8-19 'after hours'")
    ]
    ranges, faults = align(split(tokens, [span]), [span], text=text)
    assert (ranges, faults) == ([(2, 4, "ENG")], [])


@given(st.text(max_size=40))
def test_tokens_spell_the_text_but_for_white_space(spanish: Tokenizer, text: str) -> None:
    tokens = spanish(text)
    words = [text[start:end] for start, end in tokens]
    assert "".join(words) == "".join(text.split()) or any(char.isspace() for word in words for char in word)
    last = 0
    for start, end in tokens:
        assert text[last:start].strip() == ""
        assert start < end
        last = end
    assert text[last:].strip() == ""


@given(st.text(alphabet="ab ' \u00a0-", max_size=20), st.data())
def test_after_splitting_every_span_of_whole_characters_aligns(
    spanish: Tokenizer, text: str, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=4)))
    spans = [
        Span(a, b, "X")
        for a, b in zip(cuts[::2], cuts[1::2], strict=False)
        if text[a:b] == text[a:b].strip() != ""
    ]
    tokens = split(spanish(text), spans)
    ranges, faults = align(tokens, spans, text=text)
    assert faults == []
    assert [(tokens[r.start][0], tokens[r.end - 1][1]) for r in ranges] == [(s.start, s.end) for s in spans]


def test_words_are_placed_in_their_text() -> None:
    assert place([], "  ") == []
    assert place(["a"], "a b") is None
    assert place(["a", ""], "a") is None
