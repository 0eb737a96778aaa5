"""Duplicates and near-duplicates among base sentences: the measure by hand, the search against all pairs."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import small_recipe
from hypothesis import given
from hypothesis import strategies as st
from test_check import damage

from probeta.pipeline.build import build
from probeta.validation.check import check
from probeta.validation.checks.alike import alike


def share(one: str, other: str) -> float:
    return next((pair.share for pair in alike([one.split(), other.split()], share=1e-9)), 0.0)


def test_the_measure_by_hand() -> None:
    # 3 in common (no, es, verdad); no, es, verdad, mentira, pero make 5.
    assert share("No es verdad pero", "no es verdad mentira") == 3 / 5
    # A repeated word counts each time: tan, tan in common; tan, tan, tan, lejos make 4.
    assert share("tan tan lejos", "tan tan tan") == 2 / 4
    # Case and punctuation are left out.
    assert share("¿ Hay GOLES ?", "hay goles") == 1
    assert share("...", "...") == 0
    assert share("uno dos", "tres") == 0


words = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f", "A", ".", ","]), max_size=8), max_size=12
)


@given(words, st.sampled_from([0.25, 0.5, 0.6, 2 / 3, 0.8, 1.0]))
def test_the_search_finds_what_comparing_all_pairs_finds(sentences: list[list[str]], least: float) -> None:
    def counts(tokens: list[str]) -> Counter[str]:
        return Counter(token.casefold() for token in tokens if token.isalnum())

    expected = {}
    for later, one in enumerate(map(counts, sentences)):
        for earlier, other in enumerate(map(counts, sentences[:later])):
            either = (one | other).total()
            if either and (one & other).total() / either >= least:
                expected[later, earlier] = (one & other).total() / either
    found = {(pair.later, pair.earlier): pair.share for pair in alike(sentences, share=least)}
    assert found == pytest.approx(expected)


ONE = "Los [[pies]] de aquel hombre cansado no cabían ya en ningún zapato."
# 11 of 13 words are in common, 0.846.
OTHER = "Las [[casas]] de aquel hombre cansado no cabían ya en ningún zapato."
ROWS = [{"text": ONE}, {"text": OTHER}]


def built(folder: Path, **changes: Any) -> Path:
    grid = {"by": ["size"], "cells": [{"values": {"size": "small"}, "target": 2}]}
    recipe = small_recipe.write(folder / "recipe", ROWS, grid=grid, **changes)
    build(str(recipe), out=folder / "set")
    return folder / "set"


def told(folder: Path) -> list[tuple[str, str | None]]:
    return [(fault.code, fault.found) for fault in check(folder).faults if "duplicate" in fault.code]


def test_a_near_duplicate_is_told_with_what_it_is_like(tmp_path: Path) -> None:
    # los|las, pies|casas differ; de aquel hombre cansado no cabían ya en ningún zapato are 10 of 14.
    near = built(tmp_path, near_duplicates={"share": 0.7})
    assert told(near) == [("near_duplicate", "71%")]
    fault = next(fault for fault in check(near).faults if fault.code == "near_duplicate")
    assert (fault.file, fault.row, fault.column) == ("sentences", 2, "text")
    assert "r2 is nearly the sentence r1" in fault.message


@pytest.mark.parametrize("setting", [{}, {"share": 0.7, "kept": "they are a minimal pair"}])
def test_the_recipe_sets_the_threshold_or_keeps_them(tmp_path: Path, setting: dict[str, Any]) -> None:
    assert told(built(tmp_path, near_duplicates=setting)) == []


def test_the_same_sentence_twice_is_a_duplicate(blas: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(blas, tmp_path / "copy"))

    def repeat(rows: list[dict[str, Any]]) -> None:
        first, second = [row for row in rows if row["operation"] is None][:2]
        second["text"] = first["text"]

    def tokens(rows: list[dict[str, Any]]) -> None:
        rows[12]["tokens"] = rows[0]["tokens"]

    damage(copy, "sentences", repeat)
    damage(copy, "tokens", tokens)
    assert ("duplicate", "100%") in told(copy)
