"""Automatic attributes: each attribute by hand, the corpus counts of the reference notes, properties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta.builders.spans.attributes import COLUMNS, VALUES, attribute_rows, span_attributes, span_type
from probeta.builders.spans.generate import generate_base
from probeta.builders.spans.perturb import configurations
from probeta.errors import DataError, UsageError
from probeta.formats import read_sentences
from probeta.recipe import load_recipe
from probeta.records import Sentence, Span
from probeta.tables import read_table


def marked(text: str) -> Sentence:
    """A sentence from ``[[markup]]``."""
    plain, spans = "", []
    for place, part in enumerate(text.replace("]]", "[[").split("[[")):
        if place % 2:
            spans.append(Span(len(plain), len(plain) + len(part), "ENG"))
        plain += part
    return Sentence("s", plain, tuple(spans))


def values(text: str, attribute: str) -> list[str]:
    return [row[attribute] for row in attribute_rows([marked(text)])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Los [[burpees]] cansan.", "without"),
        ("Los “[[burpees]]” cansan.", "with"),
        ("Los \"[[burpees]]\" y '[[apps]]'.", "with"),
        ("Los «[[burpees]]», claro.", "with"),
        ("Los ' [[burpees]] ' cansan .", "with"),
        ("“Los [[burpees]]” cansan.", "right"),
        ("“[[Burpees]] y más”, dijo.", "left"),
        # The quote touches the word before it, so it closes that word's quotation.
        ("Los “burpees” [[online]] cansan.", "without"),
        ("Los [[burpees]] “online” cansan.", "without"),
        # Apostrophes of a word are no quotes.
        ("Abre l'[[after hours]] ya.", "without"),
        ("Cita el [[women]]'s day.", "without"),
    ],
)
def test_quotes(text: str, expected: str) -> None:
    assert set(values(text, "quotes")) == {expected}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[Burpees]] para todos.", "initial"),
        ("¿“[[Burpees]]” para todos?", "initial"),
        ("— [[Burpees]] para todos.", "initial"),
        ("Los [[burpees]].", "mid"),
        ("3 [[burpees]].", "mid"),
    ],
)
def test_position(text: str, expected: str) -> None:
    assert values(text, "position") == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Los [[burpees]] cansan.", "single"),
        ("La [[medal race]] acaba.", "multi"),
        ("Un [[e-mail]] corto.", "single"),
        ("El [[K - Pop]] gusta .", "multi"),
        ("El [[look ✨]] gusta.", "single"),
    ],
)
def test_length(text: str, expected: str) -> None:
    assert values(text, "length") == [expected]


def test_an_adjacent_pair_is_multi_if_either_span_is() -> None:
    pair = "Trabaja de [[head hunter]] [[online]] y en [[marketing]]."
    assert values(pair, "length") == ["multi", "multi", "single"]
    assert values(pair, "adjacent") == ["true", "true", "false"]
    assert values(pair, "type") == ["adjacent", "adjacent", "non_compliant"]
    alone = list(attribute_rows([marked(pair)], adjacency=False))
    assert [row["length"] for row in alone] == ["multi", "single", "single"]
    # 'head' ends in d after a vowel and 'hunter' keeps to the rules: compliant, as is 'online'.
    assert [row["type"] for row in alone] == ["compliant", "compliant", "non_compliant"]
    assert [row["adjacent"] for row in alone] == ["true", "true", "false"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[pop]][[corn]]", "true"),
        ("“[[look]]” “[[total black]]”", "true"),
        ("[[podcast]]/[[newsletter]]", "false"),
        ("[[look]], [[total black]]", "false"),
        ("[[look]] y [[total black]]", "false"),
    ],
)
def test_adjacent(text: str, expected: str) -> None:
    assert values(f"Va de {text} hoy.", "adjacent") == [expected, expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Los [[burpees]] cansan.", "standard"),
        ("¿ Qué [[Burpees]] ?", "span_title"),
        ("[[Burpees]] para todos.", "standard"),
        ("“[[Dark kitchen]]”: qué es.", "standard"),
        ("Se acabó. [[Spoilers]] no, gracias.", "standard"),
        ("15 [[burpees]] al día.", "standard"),
        ("los [[burpees]] cansan.", "lower"),
        ("LOS [[BURPEES]] CANSAN, LA 2ª VEZ.", "upper"),
        ("Los [[Burpees]] Cansan Mucho.", "title"),
        ("Los [[Burpees]] cansan.", "span_title"),
        ("[[Dark Kitchen]]: qué es.", "span_title"),
        ("El [[K-Pop]] y el [[E-mail]], el [[Women's March]].", "span_title"),
        ("El [[NBA Draft]] gusta.", "span_title"),
        ("Los [[BURPEES]] cansan.", "span_upper"),
        ("[[BURPEES]] para todos.", "span_upper"),
        ("Los [[eSports]] de la [[NBA draft]].", "other"),
        ("El [[Route to Market]] gana.", "other"),
        ("La [[3D printing]] crece.", "standard"),
        ("La [[24]] crece.", "standard"),
    ],
)
def test_casing(text: str, expected: str) -> None:
    assert set(values(text, "casing")) == {expected}


@pytest.mark.parametrize("casing", [str, str.upper, str.title])
def test_the_papers_examples(casing: Callable[[str], str]) -> None:
    """The BLAS paper's own examples (Table 1, appendix A.1) with the type that it prints for each."""
    table = read_table(Path(__file__).parent / "data" / "paper" / "span_types.csv")
    expected = {row["span"]: row["type"] for row in table}
    assert len(expected) == 19
    assert {span: values(f"Va de [[{casing(span)}]] hoy.", "type")[0] for span in expected} == expected


def test_a_step_that_is_off_is_null_and_out_of_the_type() -> None:
    row = next(attribute_rows([marked("Un [[escape room]].")], ambiguity=None))
    assert (row["ambiguity"], row["ambiguous_words"], row["type"]) == (None, None, "mixed_compliant")
    row = next(attribute_rows([marked("Un [[escape room]].")], ambiguity=None, spelling=None))
    assert (row["spelling"], row["type"]) == (None, None)
    assert span_type(adjacent=True, ambiguity=None, spelling=None) == "adjacent"


def test_a_recipe_may_order_the_steps_of_the_type() -> None:
    pair = marked("Un [[pie]] [[spoiler]].")

    def types(*rule: str) -> list[str | None]:
        return [row["type"] for row in attribute_rows([pair], type_rule=rule)]

    assert types("adjacency", "ambiguity", "spelling") == ["adjacent", "adjacent"]
    assert types("ambiguity", "adjacency") == ["ambiguous", "adjacent"]
    assert types("spelling") == ["compliant", "non_compliant"]
    assert types("ambiguity") == ["ambiguous", None]
    with pytest.raises(UsageError, match="step of the type rule 'adjacent'"):
        types("adjacent")


def test_rows_name_the_rejected_and_the_ambiguous_words() -> None:
    row = next(attribute_rows([marked("Un [[Fact escape checker]].")]))
    assert tuple(row) == COLUMNS
    assert row["spelling_reasons"] == "Fact:end checker:letter"
    assert row["ambiguous_words"].startswith("escape:")
    assert (row["item"], row["start"], row["end"], row["text"]) == ("s", 3, 22, "Fact escape checker")


def test_a_span_without_words_breaks_no_rule() -> None:
    row = next(attribute_rows([marked("Un [[✨]] hoy.")]))
    assert (row["spelling"], row["ambiguity"], row["type"]) == ("compliant", "none", "compliant")
    assert (row["length"], row["casing"]) == ("single", "standard")


def test_sentences_without_spans_give_no_rows_and_any_label_will_do() -> None:
    loc = Sentence("2", "Vive en Cluj.", (Span(8, 12, "LOC"),))
    rows = list(attribute_rows([Sentence("1", "Nada."), loc], spelling=None, ambiguity=None))
    assert [(row["item"], row["label"], row["casing"]) for row in rows] == [("2", "LOC", "span_title")]


def test_unknown_families_are_refused_before_the_first_row() -> None:
    with pytest.raises(UsageError, match="word list"):
        attribute_rows([], ambiguity="wspanis")
    with pytest.raises(UsageError, match="language 'xx'"):
        attribute_rows([], language="xx")


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=7))
def test_any_text_gets_declared_values(parts: list[str]) -> None:
    spans, text = [], ""
    for place, part in enumerate(parts):
        if place % 2:
            spans.append(Span(len(text), len(text) + len(part), "X"))
        text += part
    try:
        sentence = Sentence("s", text, tuple(spans))
    except DataError as error:
        assert {fault.code for fault in error.faults} == {"span_on_mark"}
        return
    rows = list(attribute_rows([sentence]))
    assert len(rows) == len(spans)
    for row in rows:
        assert all(row[name] in allowed for name, allowed in VALUES.items())
        assert sentence.text[row["start"] : row["end"]] == row["text"]
    assert [row["text"] for row in span_attributes(sentence)] == sentence.surfaces()


def test_what_a_grid_declares_is_what_the_text_shows() -> None:
    """The bundled spans recipe in its twelve configurations, each casing and quotes read off the text.

    A single word that opens its sentence has a capital in standard and span_title alike: 20 such spans,
    with and without quotes, make 40 rows that read as standard.
    """
    recipe = load_recipe(Path(__file__).parents[1] / "templates" / "blas")
    other = []
    rows = 0
    for sentence in configurations(generate_base(recipe)):
        for found in span_attributes(sentence):
            rows += 1
            declared = (sentence.attributes["casing"], sentence.attributes["quotes"])
            if (found["casing"], found["quotes"]) != declared:
                other.append((*declared, found["casing"], found["length"], found["position"]))
    assert rows == 2076
    assert Counter(other) == {
        ("span_title", quotes, "standard", "single", "initial"): 20 for quotes in ("without", "with")
    }


def test_counts_on_coalas_dev(reference_data: Path) -> None:
    """The counts of the reference notes, measured there with rules of their own."""
    sentences = read_sentences(reference_data / "coalas" / "dev_gold_crf.conll")
    rows = [row for row in attribute_rows(sentences, ambiguity=None) if row["label"] == "ENG"]
    counts = {name: Counter(row[name] for row in rows) for name in VALUES}
    assert len(rows) == 306
    assert counts["length"] == {"single": 215, "multi": 91}
    assert counts["position"] == {"mid": 300, "initial": 6}
    assert counts["quotes"] == {"without": 108, "with": 186, "left": 8, "right": 4}
    assert counts["casing"] == {"standard": 287, "span_title": 12, "other": 7}
    assert counts["spelling"] == {"non_compliant": 229, "compliant": 41, "mixed_compliant": 36}
    assert counts["adjacent"] == {"false": 302, "true": 4}
