"""Spelling families: the rules one by one, hyphens and casing, options, and the paper's examples."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta.builders.spans import lists
from probeta.builders.spans.spelling import families, spelling, word_parts
from probeta.errors import UsageError

# One rejected word a rule, and words near by that must pass.
BY_RULE = {
    "letter": ("web kilo 2x rock'n façade à", "ñandú pingüino árbol"),
    "q": ("qatar quórum", "queso aquí qué"),
    "y": ("byte party style", "y yate ley mayo voy"),
    "double_consonant": ("pepper coffee pizza class accord", "perro calle acción innato occidental"),
    "double_vowel": ("bazaar chiita duunviro", "leer cooperar"),
    "nasal": ("unplug inbox hamster", "cambio campo columna inmune"),
    "h": ("fashion author graphic thriller", "deshacer trashumar alhaja exhibir coche"),
    "no_vowel": ("b tv", "a y"),
    "start": ("spoiler psicosis gnomo store", "plan llave chino tren"),
    "end": ("club internet fans chef match", "pared reloj luz rey dúplex burpees"),
    "cluster": ("plancton pechblenda istmo", "instante abstracto perspicaz atlas"),
}


@pytest.mark.parametrize("code", BY_RULE)
def test_each_rule_rejects_its_words_and_spares_their_neighbours(code: str) -> None:
    family = spelling("es", "strict")
    rejected, accepted = (words.split() for words in BY_RULE[code])
    assert {word: family.reason(word) for word in rejected} == dict.fromkeys(rejected, code)
    assert {word: family.reason(word) for word in accepted} == dict.fromkeys(accepted)


def test_every_rule_of_the_table_is_tested() -> None:
    assert set(BY_RULE) == {rule["code"] for rule in lists.rules("es", "spelling")["rules"]}


# Spans of the BLAS paper's Table 1 and appendix A.1 with the compliance that the paper gives each word.
PAPER_WORDS = {
    "burpee": True,
    "burpees": True,
    "pipeline": True,
    "paper": True,
    "eyeliner": True,
    "barman": True,
    "medal": True,
    "race": True,
    "spoiler": False,
    "spoilers": False,
    "cliffhanger": False,
    "fact": False,
    "checker": False,
    "checkers": False,
    "joint": False,
    "ventures": True,
    "tie": True,
    "break": False,
}


def test_the_papers_words() -> None:
    family = spelling("es", "strict")
    assert {word: family.reason(word) is None for word in PAPER_WORDS} == PAPER_WORDS


def test_casing_normal_form_and_punctuation_do_not_matter() -> None:
    family = spelling("es", "strict")
    assert family.reason("CAFÉ") is family.reason("cafe\u0301") is family.reason("«café»,") is None
    assert family.reason("SPOILERS") == family.reason("“spoilers”") == "start"


def test_a_hyphenated_word_complies_when_each_part_does() -> None:
    family = spelling("es", "strict")
    assert family.reason("arte-pop") == "end"
    assert family.reason("teórico-práctico") is None
    assert word_parts("-") == []
    assert family.reason("-") is None


def test_z_before_e_is_an_option() -> None:
    assert spelling("es", "strict").reason("zeta") is None
    assert spelling("es", "strict+no_ze").reason("zeta") == "z"
    assert spelling("es", "strict+no_ze").reason("taza") is None
    assert spelling("es", "strict+no_ze").label == "es-strict+no_ze-1"


def test_lenient_takes_the_loans_that_strict_rejects() -> None:
    # The five words that the ADoBo guidelines call compliant and strict does not.
    loans = ["web", "internet", "club", "set", "videoclip"]
    assert all(spelling("es", "strict").reason(word) for word in loans)
    assert not any(spelling("es", "lenient").reason(word) for word in loans)


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(UsageError, match="strict, lenient; did you mean strict"):
        spelling("es", "strct")
    with pytest.raises(UsageError, match="option of spelling family strict 'ze'"):
        spelling("es", "strict+ze")
    with pytest.raises(UsageError, match="language 'xx'; there are for: es"):
        spelling("xx", "strict")
    assert list(families("es")) == ["strict", "lenient", "+no_ze"]


@given(st.text(max_size=30))
def test_any_text_has_a_verdict_that_casing_keeps(word: str) -> None:
    family = spelling("es", "strict")
    reason = family.reason(word)
    assert reason is None or re.fullmatch("[a-z_]+", reason)
    assert family.reason(word.lower()) == reason
