"""Base sentences: hand-picked ones, seeded draws without replacement, and each cell's true maximum."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from small_recipe import content, recipe

from probeta.builders.spans.content import load_content
from probeta.builders.spans.generate import generate_base, is_drawn, shuffled, varied
from probeta.builders.spans.grid import coverage, coverage_faults, grid_faults
from probeta.errors import DataError
from probeta.pipeline.new import copy_table
from probeta.recipe import SpanRecipe, load_recipe
from probeta.records import Sentence
from probeta.tables import read_table, write_table


def blank() -> SpanRecipe:
    loaded = load_recipe("blank")
    assert isinstance(loaded, SpanRecipe)
    return loaded


def grid(target: int) -> dict[str, Any]:
    return {"by": ["size"], "cells": [{"values": {"size": "small"}, "target": target}]}


def test_the_blank_recipe_gives_its_hand_picked_sentences() -> None:
    sentences = list(generate_base(blank()))
    assert [(s.id, s.text, s.surfaces()) for s in sentences] == [
        ("w1", "Nobody who grew up in Bath would call it quiet.", ["Bath"]),
        ("w2", "Is the night train from Reading really two hours late?", ["Reading"]),
        ("w3", "In Nice, an archaeologist has found three hundred shoes in the river.", ["Nice"]),
        ("w4", "The bakers of Mobile were the first to leave.", ["Mobile"]),
        ("n1", "Leeds has lost {its} last cinema, and few have noticed.", ["Leeds"]),
        ("n2", "Was it an engineer from Tampere who wrote the letter?", ["Tampere"]),
        ("n3", "El Paso and Tampere share a baker, if the papers are right.", ["El Paso", "Tampere"]),
    ]
    assert sentences[2].attributes == {
        "template": "w3",
        "topic": "news",
        "author": "Your name",
        "cell": ("word",),
        "mood": "statement",
        "span_attributes": ({"reading": "word", "country": "France", "entry": "nice", "lexicon": "towns"},),
    }


def test_growing_only_adds_and_never_repeats() -> None:
    few, many = (list(generate_base(blank(), per_cell=count)) for count in (8, 16))
    assert {s.id for s in few} < {s.id for s in many}
    assert len({s.text for s in many}) == len(many) == 32
    assert list(generate_base(blank(), per_cell=16)) == many
    assert [s.id for s in generate_base(blank(), per_cell=16, seed=8)] != [s.id for s in many]
    drawn = next(s for s in many if is_drawn(s.id))
    row, *entries = drawn.id.split("+")
    assert row == drawn.attributes["template"] and len(entries) == 2


def test_the_same_bytes_whatever_the_hash_seed() -> None:
    code = (
        "from probeta.recipe import load_recipe\n"
        "from probeta.builders.spans.generate import generate_base\n"
        "for s in generate_base(load_recipe('blank'), per_cell=12): print(s)"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path.cwd())},
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1 and outputs != {b""}


def test_the_maximum_is_reached_and_not_passed() -> None:
    # word: w1 and w2 written out; w3 has 5 towns x 2 workers (trade is not food); w4 has Mobile x 4 workers:
    # 2 + 10 + 4 = 16. name: n1; n2 has 3 towns x 3 workers (the police have no singular) = 9; n3 has Leeds
    # and El Paso = 2; n4 has 3 x 3 = 9: 21.
    assert [cell.maximum for cell in coverage(blank())] == [16, 21]
    assert len(list(generate_base(blank(), per_cell="all"))) == 16 + 21
    assert len(list(generate_base(blank(), per_cell=16))) == 32
    with pytest.raises(DataError, match=r"the cell word cannot hold 17 sentences.*at most 16: 4 hand-picked"):
        generate_base(blank(), per_cell=17)


def test_a_cell_is_drawn_up_to_its_target(tmp_path: Path) -> None:
    rows = [
        {"text": "[[mano]]"},
        {"text": "{{ a }} de {{ c }}", "slots": "a = nouns; c = cities: side == 'north'"},
    ]
    # 1 by hand; 3 nouns with a singular x 2 cities in the north = 6.
    for target, status, count in ((1, "filled", 1), (4, "drawn", 4), (7, "drawn", 7), (8, "short", 7)):
        small = recipe(tmp_path / str(target), rows, grid=grid(target))
        sentences = list(generate_base(small))
        (cell,) = coverage(small, sentences)
        assert (len(sentences), cell.status, cell.maximum) == (count, status, 7)
        assert cell.hand_picked == 1 and cell.drawn == count - 1 and cell.share == count / 7
        assert coverage(small) == [cell]
        assert bool(coverage_faults(small, [cell])) is (status == "short")
        assert [fault.code for fault in grid_faults(small, sentences)] == (
            ["cell_short"] if status == "short" else []
        )
    small = recipe(tmp_path / "over", [{"text": "[[a]]"}, {"text": "[[b]]"}], grid=grid(1))
    assert [fault.code for fault in coverage_faults(small, coverage(small))] == ["cell_over_full"]
    assert [fault.code for fault in grid_faults(small, generate_base(small))] == ["cell_over_full"]
    small = recipe(tmp_path / "empty", [{"text": "[[a]]"}], grid={
        "by": ["size"], "cells": [{"values": {"size": size}, "target": 1} for size in ("small", "large")]
    })  # fmt: skip
    assert [fault.code for fault in coverage_faults(small, coverage(small))] == ["cell_empty"]
    outside = Sentence("z", "x", (), {"cell": ("huge",)})
    assert "cell_unknown" in {fault.code for fault in grid_faults(small, [outside])}


CONDITIONS = st.sampled_from(
    ["", ": gender == 'feminine'", ": field in ['body', 'town']", ": number == 'singular'", ": id != 'pie'"]
)
TEXTS = st.sampled_from(
    ["{{ a }}", "{{ a.plural }}", "{{ a.gender }}", "{{ a }} y {{ b }}", "{{ a }} {{ b.field }}"]
)


@settings(max_examples=60)
@given(rows=st.lists(st.tuples(TEXTS, CONDITIONS, CONDITIONS, st.booleans()), min_size=1, max_size=4))
def test_the_maximum_is_what_drawing_everything_gives(rows: list[tuple[str, str, str, bool]]) -> None:
    table = []
    for text, first, second, pinned in rows:
        two = "{{ b" in text
        table.append(
            {
                # A text of its own for each condition, but rows may share one, with other conditions too.
                "text": f"{text}.",
                "slots": f"a = nouns{first}" + (f"; b = nouns{second}" if two else ""),
                "fill": ("a = agua; b = casa" if two else "a = agua") if pinned else "",
            }
        )
    with tempfile.TemporaryDirectory() as folder:
        small = recipe(Path(folder), table, grid=grid(0))
        try:
            read = load_content(small)
        except DataError:
            reject()  # A pinned entry does not fit its condition, or two rows give one text.
        (cell,) = coverage(small, content=read)
        sentences = list(generate_base(small, per_cell="all", content=read))
    assert len({sentence.text for sentence in sentences}) == len(sentences) == cell.maximum


@given(st.integers(0, 300), st.integers(0))
def test_shuffling_gives_every_number_once(count: int, seed: int) -> None:
    assert sorted(shuffled(count, Random(seed))) == list(range(count))


@given(st.integers(0, 20), st.integers(1, 20), st.integers(0))
def test_varied_pairs_come_in_rounds(first: int, second: int, seed: int) -> None:
    pairs = list(varied(first, second, Random(seed)))
    assert len(pairs) == len(set(pairs)) == first * second
    for start in range(0, len(pairs), max(first, 1)):
        assert sorted(number for number, _ in pairs[start : start + first]) == list(range(first))


def test_slots_of_one_lexicon_take_different_entries(tmp_path: Path) -> None:
    row = {"text": "{{ a }} {{ b }}", "slots": "a = nouns; b = nouns"}
    drawn = list(generate_base(recipe(tmp_path, [row], grid=grid(6)), per_cell="all"))
    # 3 nouns have a singular: 3 x 2 ordered pairs.
    assert sorted(s.id for s in drawn) == sorted(
        f"r1+{a}+{b}" for a in ("agua", "pie", "casa") for b in ("agua", "pie", "casa") if a != b
    )


def test_a_cells_value_restricts_its_slots(tmp_path: Path) -> None:
    lexicons = {
        "nouns": {"file": "nouns.csv", "label": "X", "forms": {"form": {}}, "features": ["size", "field"]}
    }
    nouns = "id,form,size,field\na,ana,small,x\nb,bea,large,x\nc,cid,,x\n"
    rows = [
        {"text": "{{ a }}", "slots": "a = nouns"},
        {"text": "{{ a }}!", "slots": "a = nouns: size in ['small', 'large']"},
    ]
    small = content(tmp_path, rows, files={"nouns.csv": nouns}, lexicons=lexicons)
    ids = [[e.id for e in template.candidates["a"].values()] for template in small.templates]
    assert ids == [["a"], ["a", "b"]]


# --- the spreadsheet round trip ------------------------------------------------------------------------

CELLS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"), max_size=20
).filter(lambda text: text.strip() or not text)


@settings(max_examples=50)
@given(st.lists(st.tuples(CELLS, CELLS, CELLS).filter(any), min_size=1, max_size=5))
def test_a_round_trip_through_a_spreadsheet_loses_nothing(rows: list[tuple[str, str, str]]) -> None:
    columns = ["id", "text", "slots"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_table(
            folder / "a.csv", columns=columns, rows=[dict(zip(columns, row, strict=True)) for row in rows]
        )
        copy_table(folder / "a.csv", folder / "b.xlsx")
        copy_table(folder / "b.xlsx", folder / "c.csv")
        assert (folder / "c.csv").read_bytes() == (folder / "a.csv").read_bytes()


def test_texts_that_look_like_formulas_numbers_or_dates_stay_texts(tmp_path: Path) -> None:
    cells = ["=1+1", "001", "1e5", "TRUE", "2026-11-29", "-", "#N/A", "'quoted", " outer ", "a\nb", "{{ a }}"]
    write_table(tmp_path / "t.xlsx", columns=["x"], rows=[{"x": cell} for cell in cells])
    assert [row["x"] for row in read_table(tmp_path / "t.xlsx")] == cells
