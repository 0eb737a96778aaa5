"""Each selection rule: it is quiet on a set that keeps it and tells a planted breach with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_recipe import recipe

from probeta.builders.spans.generate import generate_base
from probeta.builders.spans.selection import ending, selection_faults
from probeta.errors import Fault
from probeta.records import Sentence

NOUNS = """id,form,plural,gender,number,field,weight,why,note
pan,pan,panes,masculine,singular,food,20,,
sal,sal,sales,feminine,singular,food,30,,
tren,tren,trenes,masculine,singular,travel,49,,
avion,avión,aviones,masculine,singular,travel,10,,RARE
camion,camión,camiones,masculine,singular,travel,50,,
sol,sol,soles,masculine,singular,sky,,,
"""
ROWS = [
    {"id": "a1", "size": "small", "text": "Un [[pan]] recién hecho huele mejor.", "entry": "pan", "topic": "food"},
    {"id": "a2", "size": "small", "text": "Nadie echó [[sal]] al guiso ayer.", "entry": "sal", "topic": "food"},
    {"id": "b1", "size": "large", "text": "Mi abuela guardaba el [[pan]] en un cajón.", "entry": "pan", "topic": "home"},
    {"id": "b2", "size": "large", "text": "La cocinera probó la sopa sin [[sal]].", "entry": "sal", "topic": "health"},
]  # fmt: skip
GRID = {"by": ["size"], "cells": [{"values": {"size": size}, "target": 2} for size in ("small", "large")]}


def broken(folder: Path, rule: dict[str, Any], rows: list[dict[str, str]] = ROWS) -> list[Fault]:
    small = recipe(folder, rows, files={"nouns.csv": NOUNS}, grid=GRID, selection=[rule])
    return selection_faults(small, generate_base(small))


def changed(**changes: dict[str, str]) -> list[dict[str, str]]:
    return [{**row, **changes.get(row["id"], {})} for row in ROWS]


QUIET = [
    {"rule": "entry_counts", "lexicon": "nouns", "counts": [{"where": {}, "count": 2}]},
    {"rule": "entry_counts", "lexicon": "nouns", "counts": [{"where": {"size": "small"}, "count": 2, "unit": "combination"}]},
    {"rule": "twins", "attribute": "size", "shared_words": 0.5},
    {"rule": "band", "lexicon": "nouns", "feature": "weight", "above": 10, "below": 50, "reasons": "note", "codes": {"RARE": "rare"},
     "minimum": [{"where": {"size": ["small"]}, "count": 2}]},
    {"rule": "given", "lexicon": "nouns", "feature": "field"},
    {"rule": "spread", "lexicon": "nouns", "feature": "gender", "at_least": 2, "share": 0.5},
    {"rule": "spread", "column": "topic", "at_least": 3, "share": 0.5},
    {"rule": "endings", "lexicon": "nouns", "letters": 2, "reasons": "note"},
    {"rule": "shared_ngrams", "words": 2},
    {"rule": "openings", "words": 1, "at_most": 1},
    {"rule": "mean_tokens", "from": 7, "to": 9},
    {"rule": "one_cell", "except": "size"},
]  # fmt: skip


@pytest.mark.parametrize("rule", QUIET, ids=lambda rule: rule["rule"])
def test_a_kept_rule_is_quiet(tmp_path: Path, rule: dict[str, Any]) -> None:
    assert broken(tmp_path, rule) == []


BAND = QUIET[3]
TRAVEL = {"text": "Un [[avión]] y un [[camión]] cargados.", "entry": "avion; camion"}


@pytest.mark.parametrize(
    ("rule", "rows", "expected"),
    [
        (QUIET[0], changed(a1={"text": "Un [[sol]] sale.", "entry": "sol"}), [("entry_counts", "expected 2; found 3")]),
        (
            {**QUIET[0], "counts": [{"where": {"size": "small"}, "count": 2, "unit": "combination"}]},
            changed(a1={"text": "Con [[sal]] también.", "entry": "sal"}),
            [("entry_counts", "combinations of entries is wrong (expected 2; found 1)")],
        ),
        (
            QUIET[2],
            changed(b1={"text": "El [[sol]] sale.", "entry": "sol"}),
            [("twin_missing", "size large has the same span (expected pan)"), ("twin_missing", "size small")],
        ),
        # b1 without its span: un, recién, en, cajón; a1: un, recién, hecho, huele, mejor: 2 of 4 words.
        (QUIET[2], changed(b1={"text": "Un [[pan]] recién en cajón."}), [("twins_alike", "found 50%")]),
        # 20 and 30 are inside; 10 has a code; 50 is outside (the bounds are strict); null too.
        (BAND, changed(b1=TRAVEL, b2={"text": "El [[sol]].", "entry": "sol"}), [("band", "camion"), ("band", "found nothing")]),
        (
            {**BAND, "exempt": [{"size": "large"}], "codes": {"ODD": "odd"}},
            changed(b1=TRAVEL),
            [("band_code", "unknown code RARE")],
        ),
        ({**BAND, "minimum": [{"where": {}, "count": 3}]}, ROWS, [("band_minimum", "at least 3")]),
        ({**QUIET[4], "feature": "weight"}, changed(a1={"text": "Un [[sol]].", "entry": "sol"}), [("given", "sol")]),
        ({"rule": "given", "column": "author"}, ROWS[:1], [("given", "a1: author is not given")]),
        (QUIET[5], changed(a1=TRAVEL), [("spread", "too often masculine (expected at most 50%; found 3 of 4)")]),
        ({**QUIET[6], "at_least": 4}, ROWS, [("spread", "too few values (expected at least 4; found 3)")]),
        ({**QUIET[7], "letters": 3, "reasons": "why"}, changed(a1=TRAVEL), [("endings", "avion, camion end alike")]),
        ({**QUIET[7], "letters": 3}, changed(a1=TRAVEL), []),
        (QUIET[8], changed(b2={"text": "Nadie lloró, al guiso [[sal]]."}), [("shared_words", "found al guiso")]),
        # The shared words stand on both sides of a span: not in a row.
        ({**QUIET[8], "words": 3}, changed(b2={"text": "Al [[sal]] guiso ayer fue."}), []),
        (QUIET[9], changed(a2={"text": "¡Un [[sal]]!"}), [("openings", "a1, a2 begin alike")]),
        # 7 + 7 + 9 + 8 tokens, the full stops among them, in 4 sentences.
        ({**QUIET[10], "to": 7.5}, ROWS, [("mean_tokens", "too long (expected 7 to 7.5 tokens on average; found 7.75)")]),
        ({**QUIET[10], "from": 8.5}, ROWS, [("mean_tokens", "too short")]),
        ({"rule": "one_cell"}, ROWS, [("one_cell", "the entry pan"), ("one_cell", "the entry sal")]),
        ({"rule": "one_cell"}, [{**row, "entry": ""} for row in ROWS[:3]], [("one_cell", "the span pan")]),
        (QUIET[0], changed(a1={"entry": ""}), [("entry_unnamed", "names no lexicon entry")]),
    ],
)  # fmt: skip
def test_a_breach_is_told(
    tmp_path: Path, rule: dict[str, Any], rows: list[dict[str, str]], expected: list[tuple[str, str]]
) -> None:
    found = broken(tmp_path, rule, rows)
    assert [fault.code for fault in found] == [f"selection_{code}" for code, _ in expected]
    for fault, (_, words) in zip(found, expected, strict=True):
        assert words in str(fault)
        assert fault.file is not None


def test_texts_of_one_template_may_share_words(tmp_path: Path) -> None:
    rows = [
        {
            "id": id_,
            "text": "Hoy no queda {{ a }} en casa.",
            "slots": "a = nouns",
            "fill": f"a = {noun}",
            "size": size,
        }
        for id_, noun, size in (("a1", "pan", "small"), ("b1", "sal", "large"))
    ]
    assert broken(tmp_path, {"rule": "shared_ngrams", "words": 3}, rows) == []


def test_drawn_and_unknown_sentences_are_left_out_and_edited_ones_are_seen(tmp_path: Path) -> None:
    rule = {"rule": "openings", "words": 1, "at_most": 1}
    small = recipe(tmp_path, ROWS, files={"nouns.csv": NOUNS}, grid=GRID, selection=[rule])
    base = list(generate_base(small))
    extra = [Sentence("z", "Un."), Sentence("a1+pan", "Un.")]
    assert selection_faults(small, [*base, *extra]) == []
    edited = Sentence("a2", "Un día.")
    (fault,) = selection_faults(small, [base[0], edited])
    assert fault.row == 3


def test_endings_ignore_case_spaces_and_marks() -> None:
    assert [ending(form, 4) for form in ("Part-time", "part time", "pie")] == ["time", "time", "pie"]
