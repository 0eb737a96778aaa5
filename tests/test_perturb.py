"""The rows of a grid and of operations: ids, attributes, duplicates, wrong words."""

from __future__ import annotations

import json

import pytest

from probeta.builders.spans.perturb import Policies, configurations, perturbed
from probeta.builders.spans.registry import Registry
from probeta.errors import UsageError
from probeta.hashing import text_hash
from probeta.records import Sentence, Span


def sentence(marked: str, *, id: str = "b1", **attributes: object) -> Sentence:
    """``Hay [pie].`` as a sentence with the span ``pie``."""
    text = ""
    spans = []
    start = 0
    for char in marked:
        if char == "[":
            start = len(text)
        elif char == "]":
            spans.append(Span(start, len(text), "ENG"))
        else:
            text += char
    return Sentence(id, text, tuple(spans), attributes)


def test_ids_and_attributes_of_a_grid() -> None:
    rows = list(configurations([sentence("Hay [pie].", topic="cocina")]))
    assert [row.id for row in rows[:3]] == ["b1|standard|without", "b1|standard|with", "b1|lower|without"]
    assert len(rows) == 12
    assert rows[0].attributes == {
        "topic": "cocina",
        "base_id": "b1",
        "casing": "standard",
        "quotes": "without",
        "operation": None,
        "parameters": None,
        "duplicate_of": None,
    }
    assert rows[3].attributes["operation"] == "casing+quotes"
    assert rows[3].attributes["parameters"] == "{}"


def test_parameters_hold_the_policies_that_are_not_the_default() -> None:
    policies = Policies(title_rest="lower", quote_style="straight")
    rows = list(configurations([sentence("Es la [NBA].")], policies=policies))
    assert rows[-1].text == 'Es la "Nba".'
    assert rows[-1].attributes["parameters"] == '{"quote_style":"straight","title_rest":"lower"}'
    assert rows[0].attributes["parameters"] is None


def test_rows_that_coincide_are_kept_and_name_the_first_one() -> None:
    # A single-word span at the start: capitalising it changes nothing, with and without quotes.
    rows = list(configurations([sentence("[Burpees] y más.")]))
    marked = {row.id: row.attributes["duplicate_of"] for row in rows if row.attributes["duplicate_of"]}
    assert marked == {
        "b1|span_title|without": "b1|standard|without",
        "b1|span_title|with": "b1|standard|with",
    }


def test_a_stripped_base_is_no_base_row() -> None:
    rows = list(configurations([sentence("Los «[burpees]».")], casings=["standard"]))
    assert [row.text for row in rows] == ["Los burpees.", "Los «burpees»."]
    assert rows[0].attributes["operation"] == "casing+quotes"
    assert json.loads(rows[0].attributes["parameters"]) == {"found_quotes": {"0": "«»"}}


def test_another_grid_is_applied_in_its_order_with_ids_of_its_values() -> None:
    grid = {"quotes": ["with"], "strip_diacritics": ["no", "yes"], "double_whitespace": ["yes"]}
    rows = list(perturbed([sentence("Será un [pie].")], grid=grid, policies={"quote_style": "guillemets"}))
    assert [(row.id, row.text) for row in rows] == [
        ("b1|with|no|yes", "Será  un  «pie»."),
        ("b1|with|yes|yes", "Sera  un  «pie»."),
    ]
    assert rows[1].attributes["strip_diacritics"] == "yes"
    assert rows[1].attributes["operation"] == "quotes+strip_diacritics+double_whitespace"
    assert "casing" not in rows[1].attributes


def test_a_row_of_an_operation_keeps_the_other_attributes() -> None:
    operation = Registry().create("strip_diacritics", {"keep": "ñ"})
    base = sentence("Mañana será un [pie].", casing="other")
    (row,) = perturbed([base], operations=[operation])
    parameters = '{"keep":"ñ"}'
    assert row.id == f"b1|strip_diacritics|{text_hash(parameters)}"
    assert row.text == "Mañana sera un pie."
    assert row.attributes == {
        "casing": "other",
        "base_id": "b1",
        "operation": "strip_diacritics",
        "parameters": parameters,
        "duplicate_of": None,
    }


def test_an_operation_that_changes_nothing_names_its_base() -> None:
    operation = Registry().create("strip_diacritics", {})
    (row,) = perturbed([sentence("Un [pie].")], operations=[operation])
    assert row.attributes["duplicate_of"] == "b1"


def test_a_sentence_without_spans_goes_through() -> None:
    rows = list(configurations([sentence("Nada hay.")]))
    assert len(rows) == 12
    assert {row.text for row in rows} == {"Nada hay.", "nada hay.", "NADA HAY.", "Nada Hay."}


def test_a_text_hash_of_the_input_is_computed_anew() -> None:
    rows = list(configurations([sentence("Un [pie].", text_hash="stale")], casings=["upper"]))
    assert [row.attributes["text_hash"] for row in rows] == [text_hash("UN PIE."), text_hash("UN “PIE”.")]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: configurations([], casings=["uper"]), "unknown casing 'uper'.*did you mean upper"),
        (lambda: configurations([], casings=["upper", "upper"]), "names a value twice"),
        (lambda: configurations([], quotes=[]), "has no values: expected some of without, with"),
        (lambda: perturbed([], grid={"casng": ["upper"]}), "did you mean casing"),
        (lambda: perturbed([], grid={"casing": ["upper"]}, policies={"title_rst": "x"}), "title_rest"),
        (lambda: perturbed([], grid={"quotes": ["with"]}, policies={"quote_style": "curl"}), "mean curly"),
        (lambda: Policies.of({"quote_stile": "curly"}), "did you mean quote_style"),
        (lambda: Policies(locale="es"), "unknown locale 'es'"),  # type: ignore[arg-type]  # the point
        (lambda: Registry().create("keyboard_typo", {"cont": 2}), "did you mean count"),
        (lambda: Registry().create("double_whitespace", {"n": 2}), "has no parameters"),
        (lambda: Registry().find("strip_accents"), "unknown perturbation"),
    ],
)
def test_a_wrong_word_is_named_before_any_work(call: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()  # type: ignore[operator]  # a lambda


def test_the_tokens_of_the_text_before_are_left_out() -> None:
    rows = configurations([sentence("Hay [pie].", tokens=["Hay", "pie", "."])])
    assert all("tokens" not in row.attributes for row in rows)
