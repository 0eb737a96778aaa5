"""Find a recipe, parse it, and tell every fault at once: file, line, what was expected, what was meant."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from probeta.errors import DataError, Fault, UsageError, nearest
from probeta.recipe.checks import cross_faults
from probeta.recipe.form import validated
from probeta.recipe.schema import KINDS, Recipe
from probeta.recipe.source import Document, parse_yaml
from probeta.tables import decode_utf8

#: The file that makes a folder a recipe.
RECIPE_FILE = "probeta.yaml"


def bundled_recipes() -> dict[str, Path]:
    """The recipes that come with the package, by name."""
    root = Path(str(files("probeta.templates")))
    return {path.parent.name: path.parent for path in sorted(root.glob(f"*/{RECIPE_FILE}"))}


def load_recipe(name_or_path: str | Path) -> Recipe:
    """The recipe of a bundled name, or of a folder.

    A plain name is a bundled recipe first, else a folder of the working directory. Raises a UsageError
    where there is no recipe and a DataError with every fault of ``probeta.yaml``; the tables that it names
    are only looked for here, their readers check what is in them.
    """
    folder, shown = _find(name_or_path)
    document = parse_yaml(
        decode_utf8((folder / RECIPE_FILE).read_bytes(), file=f"{shown}/{RECIPE_FILE}"),
        file=f"{shown}/{RECIPE_FILE}",
    )
    recipe, faults = _parse(document, f"{shown}/{RECIPE_FILE}")
    faults = [*document.faults, *faults]
    if recipe is not None:
        recipe._folder, recipe._shown, recipe._document = folder, shown, document
        faults += cross_faults(recipe, document, file=f"{shown}/{RECIPE_FILE}")
    if faults or recipe is None:
        raise DataError(sorted(faults, key=lambda fault: int(fault.row or 0)))
    return recipe


def _find(name_or_path: str | Path) -> tuple[Path, str]:
    bundled = bundled_recipes()
    name = str(name_or_path)
    if name in bundled:
        return bundled[name], name
    path = Path(name_or_path)
    folder = path.parent if path.name == RECIPE_FILE else path
    if (folder / RECIPE_FILE).is_file():
        return folder, folder.as_posix()
    if folder.is_dir():
        raise UsageError(f"{name} is not a recipe: it holds no {RECIPE_FILE}")
    hint = nearest(name, bundled)
    meant = f"; did you mean {hint}?" if hint else ""
    raise UsageError(
        f"there is no recipe {name!r}: expected a folder with {RECIPE_FILE}, or one of "
        f"{', '.join(bundled) or 'no bundled ones'}{meant}"
    )


def _parse(document: Document, file: str) -> tuple[Recipe | None, list[Fault]]:
    """The recipe, if enough of it is right to look further, and the faults of its form."""
    value = document.value
    if not isinstance(value, dict):
        raise DataError(
            Fault(code="recipe", message="this is not a recipe", file=file, row=1, expected="name, kind, …")
        )
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        hint = nearest(str(kind), KINDS)
        raise DataError(
            Fault(
                code="recipe_kind",
                message="the kind of recipe is missing"
                if kind is None
                else "there is no such kind of recipe",
                file=file,
                row=document.line(("kind",)),
                column="kind",
                expected=" or ".join(KINDS),
                found=None if kind is None else f"{kind}{f', perhaps {hint}' if hint else ''}",
            )
        )
    return validated(KINDS[kind], document, file=file, code="recipe_value")
