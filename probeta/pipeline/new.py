"""A recipe of one's own, started from another one: its files copied, its name changed, nothing else."""

from __future__ import annotations

import re
import shlex
import shutil
import unicodedata
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from probeta import atomic
from probeta.errors import UsageError
from probeta.recipe import Recipe, SpanRecipe, load_recipe
from probeta.recipe.load import RECIPE_FILE
from probeta.tables import read_table, write_table


class NewRecipe(NamedTuple):
    """What was written: the recipe's name and its files, sorted; ``commands`` are what to run next."""

    name: str
    files: list[str]
    commands: list[str]


def new_recipe(folder: Path, *, source: str | Path = "blank", sheets: bool = False) -> NewRecipe:
    """Write the recipe ``source`` into the new ``folder``, named after it.

    The files that the recipe names are copied, its guidelines below ``guidelines/``; ``sheets`` writes its
    tables as XLSX. Raises a UsageError if ``folder`` holds anything, a DataError if ``source`` has faults.
    """
    recipe = load_recipe(source)
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise UsageError(f"{folder} is there already; choose a folder that does not exist yet")
    if sheets and not any(Path(file).suffix.lower() in (".csv", ".tsv") for _, file in recipe.files()):
        raise UsageError(f"{recipe.name} has no tables that could become spreadsheets")
    name = recipe_name(folder.absolute().name) or recipe.name
    text = (recipe.folder / RECIPE_FILE).read_text(encoding="utf-8-sig")
    text = re.sub(r"^name:[^#\n]*?(?=\s*(?:#|$))", f"name: {name}", text, count=1, flags=re.MULTILINE)
    with atomic.folder(folder) as target:
        for file in dict.fromkeys(file for _, file in recipe.files()):
            copy = file
            if sheets and Path(file).suffix.lower() in (".csv", ".tsv"):
                copy = str(Path(file).with_suffix(".xlsx").as_posix())
                text = re.sub(rf"(?<![\w./-]){re.escape(file)}(?![\w./-])", copy, text)
            (target / copy).parent.mkdir(parents=True, exist_ok=True)
            copy_table(recipe.path(file), target / copy, numbers=number_columns(recipe, file))
        for file in recipe.guidelines:
            (target / "guidelines" / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(recipe.guideline_path(file), target / "guidelines" / file)
        (target / RECIPE_FILE).write_text(text, encoding="utf-8", newline="\n")
        files = sorted(path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file())
    made = load_recipe(folder)
    return NewRecipe(made.name, files, next_commands(made, folder))


def recipe_name(text: str) -> str:
    """``text`` as a recipe's name: ASCII letters without accents, digits, ``_`` and ``-``; perhaps empty.

    >>> recipe_name("Años difíciles")
    'anos-dificiles'
    """
    plain = "".join(
        char for char in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(char)
    )
    return re.sub(r"[^a-z0-9_-]+", "-", plain).strip("-_")


def next_commands(recipe: Recipe, folder: Path) -> list[str]:
    """The commands that go on from a new recipe, ready for a shell."""
    written = shlex.quote(str(folder))
    corpus = {"tagged": " --corpus DIR", "pairs": " --corpus PATH"}.get(recipe.kind, "")
    build = f"probeta build {written}{corpus} --out {shlex.quote(f'out/{recipe.name}')}"
    return [f"probeta coverage {written}", build] if recipe.kind == "spans" else [build]


def number_columns(recipe: Recipe, file: str) -> list[str]:
    """The columns of a recipe's table that hold numbers: the numeric features of its lexicon."""
    if not isinstance(recipe, SpanRecipe):
        return []
    return [
        name
        for lexicon in recipe.lexicons.values()
        if lexicon.file == file
        for name, kind in lexicon.features.items()
        if kind == "number"
    ]


def copy_table(source: Path, target: Path, *, numbers: Collection[str] = ()) -> None:
    """Copy a table; between CSV, TSV and XLSX every cell is kept as written, ``numbers`` as numbers of a sheet."""
    if source.suffix.lower() == target.suffix.lower():
        shutil.copyfile(source, target)
        return
    table = read_table(source)
    write_table(target, columns=table.columns, rows=[row.values for row in table], numbers=numbers)
