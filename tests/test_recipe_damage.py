"""A recipe damaged at random is either still a recipe or told with faults: never a traceback."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from probeta.builders.spans.content import load_content
from probeta.builders.spans.generate import generate_base
from probeta.builders.spans.grid import coverage
from probeta.builders.spans.selection import selection_faults
from probeta.errors import ProbetaError
from probeta.recipe import SpanRecipe, bundled_recipes, load_recipe

BLANK = bundled_recipes()["blank"]
FILES = sorted(
    path.relative_to(BLANK).as_posix() for path in BLANK.rglob("*") if path.suffix in (".yaml", ".csv")
)
PIECES = (
    *("[[", "]]", "{{", "}}", "{", "}", "{%", "%}", "[", "]", "(", ")", ":", ";", "=", "'", '"', ",", "\n", "-"),
    *("|", "*", "&", "!", "#", "%", "~", "\\", " ", ".", "\x00", "\ufeff", "\u0301", "é", "null", "1.5", "agree("),
    *("in ", "not ", "| initial", "w", "t", "id"),
)  # fmt: skip


@settings(max_examples=100)
@given(
    file=st.sampled_from(FILES),
    cuts=st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 12), st.sampled_from(["", *PIECES])),
        min_size=1,
        max_size=4,
    ),
)
def test_damage_is_told_or_harmless(file: str, cuts: list[tuple[float, int, str]]) -> None:
    text = (BLANK / file).read_text(encoding="utf-8")
    for place, length, piece in cuts:
        at = int(place * len(text))
        text = text[:at] + piece + text[at + length :]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "own"
        shutil.copytree(BLANK, folder)
        (folder / file).write_text(text, encoding="utf-8", newline="")
        try:
            recipe = load_recipe(folder)
            assert isinstance(recipe, SpanRecipe)
            content = load_content(recipe)
        except ProbetaError as error:
            assert str(error).startswith(f"{folder.as_posix()}/") or "kind" in str(error)
            return
        sentences = list(generate_base(recipe, per_cell="all", content=content))
        selection_faults(recipe, sentences, content=content)
        assert sum(cell.maximum for cell in coverage(recipe, content=content)) == len(sentences)
