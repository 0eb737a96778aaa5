"""Templates: spans by construction, agreement, joins, markup; every fault with file, row and column."""

from __future__ import annotations

import string
import tempfile
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_recipe import NOUNS, content, faults, recipe, write

from probeta.builders.spans.fills import distinct_fills
from probeta.builders.spans.generate import generate_base
from probeta.builders.spans.joins import apply_joins, read_joins
from probeta.builders.spans.sentences import split_outside_quotes
from probeta.records import Span


def made(folder: Path, **row: str) -> tuple[str, list[str]]:
    """The text and surfaces of a one-row recipe."""
    (sentence,) = generate_base(recipe(folder, [row]))
    return sentence.text, sentence.surfaces()


@pytest.mark.parametrize(
    ("text", "slots", "fill", "expected", "surfaces"),
    [
        ("{{ a }} y {{ c }}.", "a = nouns; c = cities", "a = pie; c = leon", "pie y León.", ["pie"]),
        ("{{ a | initial }}.", "a = nouns", "a = casa", "Casa.", ["Casa"]),
        ("Las {{ a.plural }} de {{ a.field }}.", "a = nouns", "a = casa", "Las casas de town.", ["casas"]),
        ("{{ a }}{{ b }}", "a = nouns; b = nouns", "a = pie; b = casa", "piecasa", ["pie", "casa"]),
        ("{{ a }} {{ a }}", "a = nouns", "a = pie", "pie pie", ["pie", "pie"]),
        # The value stands in the text before its slot: the span is the slot's all the same.
        ("El pie, un {{ a }}, pie.", "a = nouns", "a = pie", "El pie, un pie, pie.", ["pie"]),
        # Literal braces, comment marks and brackets are text; constants are too.
        ("{A} {#1} [x] {{ '{{' }} {{ a }}", "a = nouns", "a = pie", "{A} {#1} [x] {{ pie", ["pie"]),
        # Markup and slots in one row, an unlabelled slot inside the marked span.
        ("[[casa]] en {{ c }}", "c = cities", "c = leon", "casa en León", ["casa"]),
        ("[[casa de {{ c }}]]{X}.", "c = cities", "c = leon", "casa de León.", ["casa de León"]),
        ("[[look]] [[total black]]", "", "", "look total black", ["look", "total black"]),
        # Agreement: the entry's gender, the form's number; in place and from the table.
        ("{{ agree(a, 'el') | initial }} {{ a }}", "a = nouns", "a = casa", "La casa", ["casa"]),
        ("{{ agree(a.plural, 'el') }} {{ a.plural }}", "a = nouns", "a = pie", "los pies", ["pies"]),
        ("{{ agree(a, 'rojo|roja|rojos|rojas') }} {{ a }}", "a = nouns", "a = casa", "roja casa", ["casa"]),
        (
            "{{ agree(a.plural, 'nuevo') }} {{ a.plural }}",
            "a = nouns",
            "a = tijeras",
            "nuevas tijeras",
            ["tijeras"],
        ),
        # Joins, in the table's order: la agua -> el agua, then de el -> del.
        ("Vienen de {{ agree(a, 'el') }} {{ a }}.", "a = nouns", "a = agua", "Vienen del agua.", ["agua"]),
        ("De {{ agree(a, 'el') }} {{ a }}.", "a = nouns", "a = pie", "Del pie.", ["pie"]),
        ("Va a {{ agree(a, 'el') }} {{ a }}", "a = nouns", "a = pie", "Va al pie", ["pie"]),
        ("{{ a }} de {{ c }}", "a = nouns; c = cities", "a = pie; c = ejido", "pie de El Ejido", ["pie"]),
        ("{{ a }} y {{ c }}", "a = nouns; c = cities", "a = pie; c = irun", "pie e Irún", ["pie"]),
        # What an author wrote out is left alone: no slot touches it.
        ("[[pie]] de el que hablo", "", "", "pie de el que hablo", ["pie"]),
    ],
)
def test_text_and_spans_come_out_as_written(
    tmp_path: Path, text: str, slots: str, fill: str, expected: str, surfaces: list[str]
) -> None:
    assert made(tmp_path, text=text, slots=slots, fill=fill) == (expected, surfaces)


def test_attributes_say_where_a_sentence_and_its_spans_come_from(tmp_path: Path) -> None:
    rows = [
        {"text": "[[pie]] y [[manos]]", "entry": "", "topic": "t", "author": "A", "tone": "dry"},
        {
            "text": "{{ a }}",
            "slots": "a = nouns",
            "fill": "a = casa",
            "topic": "t",
            "author": "A",
            "tone": "wet",
        },
    ]
    cells = {"by": ["size"], "cells": [{"values": {"size": "small"}, "target": 2}]}
    hand, template = generate_base(recipe(tmp_path, rows, grid=cells))
    assert hand.attributes["template"] is None and template.attributes["template"] == "r2"
    assert [sentence.attributes["tone"] for sentence in (hand, template)] == ["dry", "wet"]
    assert template.attributes["cell"] == ("small",)
    nothing = {"size": "small", "field": None, "entry": None, "lexicon": None}
    assert hand.attributes["span_attributes"] == (nothing, nothing)
    assert template.attributes["span_attributes"] == (
        {"size": "small", "field": "town", "entry": "casa", "lexicon": "nouns"},
    )


_WORDS = st.text(string.ascii_letters + "áñ{}[]¿ 👩‍💻'\"|%#", min_size=1).filter(
    lambda text: not any(mark in text for mark in ("[[", "]]", "{{", "}}", "{%", "%}"))
)


@given(
    literals=st.lists(_WORDS, min_size=3, max_size=3),
    forms=st.lists(_WORDS.filter(lambda text: text.strip() == text and text != "-"), min_size=2, max_size=2),
)
def test_every_span_is_its_entry_whatever_stands_around_it(literals: list[str], forms: list[str]) -> None:
    def cell(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    # A brace that touches a slot's braces would be Jinja's; a space keeps them apart.
    before, between, after = (f". {text} ." for text in literals)
    nouns = "id,form,plural,gender,number,field,weight,why\n" + "".join(
        f"e{at},{cell(form)},-,masculine,singular,f,1,none\n" for at, form in enumerate(forms)
    )
    row = {
        "text": before + "{{ a }}" + between + "{{ b | initial }}" + after,
        "slots": "a = nouns; b = nouns",
        "fill": "a = e0; b = e1",
    }
    with tempfile.TemporaryDirectory() as folder:
        (sentence,) = generate_base(recipe(Path(folder), [row], files={"nouns.csv": nouns}))
    raised = forms[1][:1].upper() + forms[1][1:]
    assert sentence.surfaces() == [forms[0], raised]
    assert sentence.text == before + forms[0] + between + raised + after


@given(st.text("deDEl aylicgu", max_size=30), st.data())
def test_joins_never_touch_a_span(text: str, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        joins = read_joins(recipe(Path(folder), [{"text": "[[pie]]"}]))
    offsets = st.integers(0, len(text))
    cuts = sorted(data.draw(st.sets(offsets, min_size=0, max_size=6)))
    spans = [Span(start, end, "X") for start, end in zip(cuts[::2], cuts[1::2], strict=False)]
    joined, moved = apply_joins(text, spans, data.draw(st.lists(offsets)), joins)
    assert [joined[span.start : span.end] for span in moved] == [
        text[span.start : span.end] for span in spans
    ]


def test_joins_want_a_border_and_whole_words(tmp_path: Path) -> None:
    joins = read_joins(recipe(tmp_path, [{"text": "[[pie]]"}]))
    text = "arde el pie de el pie"
    # Borders at every offset; "arde" only ends in "de".
    assert apply_joins(text, [], range(len(text) + 1), joins)[0] == "arde el pie del pie"
    assert apply_joins(text, [], [0, len(text)], joins)[0] == text
    assert apply_joins("de elote", [], [3], joins)[0] == "de elote"


# --- faults -----------------------------------------------------------------------------------------

TEMPLATE = {"slots": "a = nouns", "fill": "a = pie"}


@pytest.mark.parametrize(
    ("row", "code", "column", "words"),
    [
        ({"text": ""}, "empty_cell", "text", "the text is empty"),
        ({"text": "[[a]]", "size": ""}, "empty_cell", "size", "small, large"),
        ({"text": "[[a]]", "size": "smal"}, "unknown_value", "size", "did you mean small?"),
        ({"text": "[[a]]", "size": "large"}, "unknown_cell", "size", "no cell large"),
        ({"text": "[[a]]", "tone": "dri"}, "unknown_value", "tone", "did you mean dry?"),
        ({"text": "[[a]]", "id": "a|b"}, "sentence_id", "id", "letters, digits"),
        ({"text": "[[a]]", "id": ""}, "empty_cell", "id", "the id is empty"),
        ({"text": "[[a]]", "topic": " "}, "empty_cell", "topic", "topic is empty"),
        ({"text": " [[a]]"}, "sentence_text", "text", "begins or ends with a space"),
        ({"text": "[[a]]\nb"}, "sentence_text", "text", "line break"),
        ({"text": "[[a]]", "slot": "x"}, "unknown_column", "slot", "did you mean slots?"),
        # markup
        ({"text": "un [[pie"}, "markup", "text", "not closed"),
        ({"text": "un pie]]"}, "markup", "text", "not opened"),
        ({"text": "un [[pie [[de]] rey]]"}, "markup", "text", "overlap"),
        ({"text": "un [[]] pie"}, "markup", "text", "empty"),
        ({"text": "un [[ pie]]"}, "markup", "text", "begins or ends with a space"),
        ({"text": "un [[pie]]{}"}, "markup", "text", "label in braces is empty"),
        ({"text": "un [[pie]]{Y}"}, "unknown_label", "text", "unknown label Y"),
        ({**TEMPLATE, "text": "[[un {{ a }}]]"}, "markup", "text", "overlap"),
        ({"text": "[[pie]]", "entry": "pié"}, "unknown_entry", "entry", "did you mean pie?"),
        ({"text": "[[pie]]", "entry": "pie;casa"}, "entry_count", "entry", "expected 1; found 2"),
        ({"text": "[[mano]]", "entry": "pie"}, "entry_surface", "entry", "pie or pies"),
        # slots and fills
        ({"text": "{{ a }}"}, "slot_undeclared", "text", "no slots are declared"),
        ({**TEMPLATE, "text": "{{ a }} {{ b }}"}, "slot_undeclared", "text", "slot b is not declared"),
        ({"text": "x {{ a }}", "slots": "a = nouns; b = cities"}, "slot_unused", "slots", "slot b"),
        ({"text": "{{ a }}", "slots": "a nouns"}, "slot_syntax", "slots", "name = lexicon"),
        ({"text": "{{ a }}", "slots": "a = nouns:"}, "slot_syntax", "slots", "name = lexicon"),
        ({"text": "{{ a }}", "slots": "a = nuons"}, "unknown_lexicon", "slots", "did you mean nouns?"),
        ({"text": "{{ a }}", "slots": "a = nouns; a = cities"}, "slot_doubled", "slots", "twice"),
        ({"text": "{{ agree }}", "slots": "agree = nouns"}, "slot_name", "slots", "called agree"),
        ({**TEMPLATE, "text": "{{ a }}", "fill": "a = pei"}, "unknown_entry", "fill", "did you mean pie?"),
        ({**TEMPLATE, "text": "{{ a }}", "fill": "b = pie"}, "fill_syntax", "fill", "slot = entry id"),
        ({"text": "[[a]]", "fill": "b = pie"}, "fill_syntax", "fill", "no slots"),
        (
            {"text": "{{ a }} {{ b }}", "slots": "a = nouns; b = cities", "fill": "a = pie"},
            "fill_incomplete",
            "fill",
            "nothing for b",
        ),
        (
            {"text": "{{ a }} {{ b }}", "slots": "a = nouns; b = nouns", "fill": "a = pie; b = pie"},
            "fill_doubled",
            "fill",
            "two slots",
        ),
        (
            {"text": "{{ a }}", "slots": "a = nouns: field == 'town'", "fill": "a = pie"},
            "fill_misfit",
            "fill",
            "not so: field == 'town'",
        ),
        ({**TEMPLATE, "text": "{{ a }}", "fill": "a = tijeras"}, "fill_misfit", "fill", "it has no form"),
        ({**TEMPLATE, "text": "{{ a.weight }}"}, "fill_misfit", "fill", "its weight is not given"),
        # conditions
        (
            {"text": "{{ a }}", "slots": "a = nouns: feild == 'x'"},
            "unknown_feature",
            "slots",
            "did you mean field?",
        ),
        (
            {"text": "{{ a }}", "slots": "a = nouns: field = 'x'"},
            "condition_syntax",
            "slots",
            "expression such as",
        ),
        ({"text": "{{ a }}", "slots": "a = nouns: range(9)"}, "condition_syntax", "slots", "calls nothing"),
        (
            {"text": "{{ a }}", "slots": "a = nouns: 'x' * 99 == field"},
            "condition_syntax",
            "slots",
            "calls nothing",
        ),
        (
            {"text": "{{ a }}", "slots": "a = nouns: weight > 2"},
            "condition_value",
            "slots",
            "an empty cell is null",
        ),
        (
            {"text": "{{ a }}", "slots": "a = nouns: field == 'towm'"},
            "slot_unfilled",
            "slots",
            "did you mean town?",
        ),
        (
            {"text": "{{ a }}", "slots": "a = nouns: number == 'plural'"},
            "slot_unfilled",
            "slots",
            "1: it has no form",
        ),
        # template syntax: nothing that loops, calls, includes or computes
        ({**TEMPLATE, "text": "{{ a"}, "template_syntax", "text", "cannot be read"),
        (
            {**TEMPLATE, "text": "{% for i in range(9**9) %}{{ a }}{% endfor %}"},
            "template_syntax",
            "text",
            "a for",
        ),
        ({**TEMPLATE, "text": "{% include 'r1' %}{{ a }}"}, "template_syntax", "text", "a include"),
        (
            {**TEMPLATE, "text": "{% macro m() %}{{ m() }}{% endmacro %}{{ a }}"},
            "template_syntax",
            "text",
            "macro",
        ),
        ({**TEMPLATE, "text": "{{ 'x' * 10**10 }}{{ a }}"}, "template_syntax", "text", "cannot hold a mul"),
        ({**TEMPLATE, "text": "{{ a ~ 's' }}"}, "template_syntax", "text", "cannot hold a concat"),
        ({**TEMPLATE, "text": "{{ a | upper }}"}, "template_syntax", "text", "unknown filter upper"),
        ({**TEMPLATE, "text": "{{ a.__class__ }}"}, "unknown_feature", "text", "no such form or feature"),
        ({**TEMPLATE, "text": "{{ a.plurl }}"}, "unknown_feature", "text", "did you mean plural?"),
        ({**TEMPLATE, "text": "{{ a.form.x }}"}, "template_syntax", "text", "only slots"),
        ({**TEMPLATE, "text": "{{ agree(a) }} {{ a }}"}, "template_syntax", "text", "agree(slot, 'word')"),
        ({**TEMPLATE, "text": "{{ agree(b, 'el') }} {{ a }}"}, "slot_undeclared", "text", "slot b"),
        (
            {**TEMPLATE, "text": "{{ agree(a, 'nuebo') }} {{ a }}"},
            "agreement_word",
            "text",
            "did you mean nuevo?",
        ),
        ({**TEMPLATE, "text": "{{ agree(a, 'x|y') }} {{ a }}"}, "agreement_forms", "text", "4 forms"),
        (
            {"text": "{{ agree(c, 'el') }} {{ c }}", "slots": "c = cities", "fill": "c = leon"},
            "agreement_features",
            "text",
            "gender not given",
        ),
    ],
)
def test_a_wrong_row_is_told_with_its_place(
    tmp_path: Path, row: dict[str, str], code: str, column: str, words: str
) -> None:
    columns = {name: "x" for name in ("topic", "author") if name in row}
    found = faults(tmp_path, [{"text": "[[bien]]", **columns}, row])
    assert [(fault.code, fault.column) for fault in found] == [(code, column)]
    assert found[0].row == (1 if code == "unknown_column" else 3)
    assert found[0].file == f"{tmp_path.as_posix()}/sentences.csv"
    assert words in str(found[0])


@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        ("weight is none", ["pie"]),
        ("weight and weight > 2", ["agua", "casa"]),
        ("field in ['body', 'town'] and gender != 'feminine'", ["pie"]),
        ("not (number == 'plural') and id != 'pie'", ["agua", "casa"]),
        ("field | length > 5 or 'oo' in field", ["agua", "tijeras"]),
    ],
)
def test_conditions_choose_entries(tmp_path: Path, condition: str, ids: list[str]) -> None:
    nouns = content(tmp_path, [{"text": "[[pie]]"}]).lexicons["nouns"]
    assert [entry.id for entry in nouns.select(nouns.condition(condition))] == ids


def test_a_fault_hides_none_of_its_row(tmp_path: Path) -> None:
    slots = "a = nouns: wieght > 3"
    rows = [
        # An attribute, a slot that is not declared, a condition and a span that is not closed.
        {"text": "[[pie, {{ b }}", "size": "?", "slots": slots},
        # An attribute, an entry that no lexicon has, and a span that was not opened.
        {"text": "pie]]", "size": "?", "entry": "pei"},
        # A slot that cannot be read, and a span inside a span.
        {"text": "[[un [[pie]]", "slots": "a nouns"},
        # A fill that cannot be read, and a slot that is not used.
        {"text": "Un pie", "slots": "a = nouns", "fill": "b = pie"},
    ]
    found = faults(tmp_path, rows)
    assert sorted((fault.row, fault.column, fault.code) for fault in found) == [
        (2, "size", "unknown_value"),
        (2, "slots", "slot_unused"),
        (2, "slots", "unknown_feature"),
        (2, "text", "markup"),
        (2, "text", "slot_undeclared"),
        (3, "entry", "unknown_entry"),
        (3, "size", "unknown_value"),
        (3, "text", "markup"),
        (4, "slots", "slot_syntax"),
        (4, "text", "markup"),
        (5, "fill", "fill_syntax"),
        (5, "slots", "slot_unused"),
    ]


def test_all_faults_of_all_tables_come_at_once(tmp_path: Path) -> None:
    rows = [
        {"text": "[[a", "id": "x"},
        {"text": "[[b]]", "id": "x"},
        {"text": "[[c]]", "size": "?"},
        {"text": "[[same]]"},
        {"text": "[[same]]"},
    ]
    found = faults(tmp_path, rows)
    assert sorted((fault.code, fault.row) for fault in found) == [
        ("doubled_id", 3),
        ("doubled_text", 6),
        ("markup", 2),
        ("unknown_value", 4),
    ]
    broken = {
        "nouns.csv": NOUNS.replace("pie,pie", "pie,").replace("casa,casa", "pie,casa"),
        "joins.csv": "kind,left,right,result\nmix,de,(,\n",
        "agreement.csv": "word,ms,fs,mp,fp\nel,el,,los,las\nel,a,b,c,d\n",
    }
    found = faults(tmp_path, rows[2:3], files=broken)
    assert sorted(
        (fault.file or "").rpartition("/")[2] + f":{fault.row}:{fault.code}" for fault in found
    ) == [
        "agreement.csv:2:empty_cell",
        "agreement.csv:3:doubled_id",
        "joins.csv:2:join",
        "joins.csv:2:join",
        "joins.csv:2:join",
        "nouns.csv:3:empty_cell",
        "nouns.csv:4:doubled_id",
        "sentences.csv:2:unknown_value",
    ]


@pytest.mark.parametrize(
    ("old", "new", "code", "column"),
    [
        ("agua,agua", "Agua,agua", "entry_id", "id"),
        ("agua,agua", ",agua", "entry_id", "id"),
        ("agua,agua,", "agua,,", "empty_cell", "form"),
        ("agua,agua,", "agua,agua ,", "form_text", "form"),
        ("nature,3", "nature,three", "feature_number", "weight"),
        ("1,no singular", "1,", "form_reason", "why"),
    ],
)
def test_a_wrong_lexicon_row_is_told(tmp_path: Path, old: str, new: str, code: str, column: str) -> None:
    found = faults(tmp_path, [{"text": "[[pie]]"}], files={"nouns.csv": NOUNS.replace(old, new, 1)})
    assert [(fault.code, fault.column) for fault in found] == [(code, column)]


def test_labels_may_stand_in_a_column(tmp_path: Path) -> None:
    lexicons = {"nouns": {"file": "nouns.csv", "label_column": "tag", "forms": {"form": None}}}
    labels = {"X": {"definition": "d"}, "Y": {"definition": "d"}}
    row = {"text": "{{ a }} [[b]]{X}", "slots": "a = nouns", "fill": "a = n"}
    nouns = "id,form,tag\nn,pie,Y\n"
    (sentence,) = generate_base(
        recipe(tmp_path, [row], files={"nouns.csv": nouns}, lexicons=lexicons, labels=labels)
    )
    assert [span.label for span in sentence.spans] == ["Y", "X"]
    found = faults(
        tmp_path, [row, {"text": "[[b]]"}], files={"nouns.csv": "id,form,tag\nn,pie,Z\nm,pie,\n"},
        lexicons=lexicons, labels=labels,
    )  # fmt: skip
    assert [(fault.code, fault.row) for fault in found] == [("unknown_label", 2), ("empty_cell", 3)]
    found = faults(
        tmp_path, [{"text": "[[b]]"}], files={"nouns.csv": nouns}, lexicons=lexicons, labels=labels
    )
    assert [fault.code for fault in found] == ["unknown_label"]


# --- files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_byte_order_marks_and_semicolons_are_read(tmp_path: Path, mark: str, delimiter: str) -> None:
    cities = mark + "id,form,side\nleon,León,north\n".replace(",", delimiter)
    row = {"text": "[[pie]] de {{ c }}", "slots": "c = cities", "fill": "c = leon"}
    (sentence,) = generate_base(recipe(tmp_path, [row], files={"cities.csv": cities}))
    assert sentence.text == "pie de León"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "mac_roman"])
def test_other_encodings_are_refused(tmp_path: Path, encoding: str) -> None:
    cities = "id,form,side\nleon,León,north\ncadiz,Cádiz,south\n".encode(encoding)
    (fault,) = faults(tmp_path, [{"text": "[[pie]]"}], files={"cities.csv": cities})
    assert (fault.code, fault.row) == ("encoding", 2)


def test_spreadsheets_with_blank_rows_are_read_and_formulas_refused(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["id", "form", "side"], [None, None, None], ["leon", "León", "north"]):
        book.active.append(row)
    write(tmp_path, [{"text": "[[pie]]"}])
    lexicons = {"cities": {"file": "cities.xlsx", "forms": {"form": {}}, "features": ["side"]}}
    book.save(tmp_path / "cities.xlsx")
    read = content(tmp_path, [{"text": "[[pie]]"}], lexicons=lexicons)
    assert read.lexicons["cities"].entries["leon"].line == 3
    book.active.append(["x", "=A1", "north"])
    book.save(tmp_path / "cities.xlsx")
    (fault,) = faults(tmp_path, [{"text": "[[pie]]"}], lexicons=lexicons)
    assert (fault.code, fault.column) == ("formula", "B4")


# --- numbers ----------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.sampled_from("xy"), st.frozensets(st.sampled_from("abcd"))), max_size=4))
def test_distinct_fills_counts_what_brute_force_counts(slots: list[tuple[str, frozenset[str]]]) -> None:
    from itertools import product

    names = [name for name, _ in slots]
    counted = sum(
        len(set(zip(names, choice, strict=True))) == len(choice)
        for choice in product(*(ids for _, ids in slots))
    )
    assert distinct_fills(slots) == counted


def test_semicolons_inside_quotes_do_not_split() -> None:
    assert split_outside_quotes("a = x: f in ['p;q', \"r;'s\"];; b=y ") == [
        "a = x: f in ['p;q', \"r;'s\"]",
        "b=y",
    ]


def test_single_brackets_are_told(tmp_path: Path) -> None:
    row = {
        "id": "a",
        "size": "small",
        "text": "El [pie].",
        "entry": "pie",
        "topic": "t",
        "author": "A",
        "tone": "dry",
    }
    told = faults(tmp_path, [row])
    assert [fault.fix for fault in told] == ["no span is marked; write [[pie]]"]


def test_a_word_without_a_form_passes_over_the_entries_that_need_it(tmp_path: Path) -> None:
    # tijeras is a plural: the article un has none here, in the table or in place.
    table = "word,ms,fs,mp,fp\nun,un,una,-,-\n"
    for word in ("un", "un|una|-|-"):
        rows = [
            {"text": f"Trae {{{{ agree(a.plural, '{word}') }}}} {{{{ a.plural }}}}.", "slots": "a = nouns"}
        ]
        (fault,) = faults(tmp_path / "none", rows, files={"agreement.csv": table})
        assert (fault.code, fault.column) == ("slot_unfilled", "slots")
        rows = [
            {
                "text": f"Trae {{{{ agree(a, '{word}') }}}} {{{{ a }}}}.",
                "slots": "a = nouns",
                "fill": "a = casa",
            }
        ]
        assert faults(tmp_path / "some", rows, files={"agreement.csv": table}) == []
