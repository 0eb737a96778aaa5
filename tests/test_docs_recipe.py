"""docs/recipe.md: its session runs, its examples stand in the blank recipe, and it leaves no key or rule out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from console import ROOT, play

from probeta.builders.spans.selection import TESTS
from probeta.recipe import bundled_recipes
from probeta.recipe.schema import (
    Attribute,
    Card,
    Cell,
    Grid,
    Lexicon,
    SpanRecipe,
    TaggedColumns,
    TaggedRecipe,
    TaggedSource,
)

DOCUMENT = ROOT / "docs" / "recipe.md"
PAGE = DOCUMENT.read_text(encoding="utf-8")


def test_the_session_prints_what_it_shows(tmp_path: Path) -> None:
    play(DOCUMENT, cwd=tmp_path)


def test_every_example_is_the_blank_recipes() -> None:
    folder = bundled_recipes()["blank"]
    lines = {
        line
        for path in folder.rglob("*")
        if path.suffix in (".yaml", ".csv")
        for line in path.read_text(encoding="utf-8").splitlines()
    }
    examples = re.findall(r"^```(?:yaml|csv)\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert len(examples) == 5
    assert [line for example in examples for line in example.splitlines() if line not in lines] == []


@pytest.mark.parametrize(
    "model", [SpanRecipe, TaggedRecipe, TaggedSource, TaggedColumns, Attribute, Grid, Cell, Lexicon, Card]
)
def test_every_key_is_described(model: type[SpanRecipe]) -> None:
    # The card's facts are a page of their own, which the recipe's page points to.
    page = PAGE + (ROOT / "docs/publishing.md").read_text("utf-8") if model is Card else PAGE
    assert [name for name in model.model_fields if not re.search(rf"`{name}\b", page)] == [
        name for name in ("file",) if name in model.model_fields
    ]


def test_every_rule_is_described() -> None:
    assert [name for name in TESTS if f"| `{name}` |" not in PAGE] == []
