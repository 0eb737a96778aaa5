"""Find a recipe, parse it, and tell every fault at once: file, line, what was expected, what was meant."""

from __future__ import annotations

import copy
import types
import typing
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Union

from pydantic import BaseModel, ValidationError

from probeta.errors import DataError, Fault, UsageError, nearest
from probeta.recipe.checks import cross_faults
from probeta.recipe.schema import KINDS, Recipe
from probeta.recipe.source import Document, Place, parse_yaml
from probeta.tables import decode_utf8

#: The file that makes a folder a recipe.
RECIPE_FILE = "probeta.yaml"

#: What each pydantic error expects, in words; others keep pydantic's own sentence.
_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "date_type": "a date such as 2026-11-29",
    "date_parsing": "a date such as 2026-11-29",
    "date_from_datetime_parsing": "a date such as 2026-11-29",
    "dict_type": "a mapping (key: value)",
    "model_type": "a mapping (key: value)",
    "model_attributes_type": "a mapping (key: value)",
    "list_type": "a list",
}


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
    model = KINDS[kind]
    try:
        return model.model_validate(value), []
    except ValidationError as error:
        problems = error.errors(include_url=False)
    faults = _distinct([_fault(problem, model, document, file) for problem in problems])
    # What is right is checked further, so that a misspelt key does not hide a wrong value elsewhere.
    rest = copy.deepcopy(value)
    for problem in sorted(problems, key=lambda problem: len(problem["loc"]), reverse=True):
        _prune(rest, _place(problem["loc"], value))
    try:
        return model.model_validate(rest), faults
    except ValidationError:
        return None, faults


def _distinct(faults: Sequence[Fault]) -> list[Fault]:
    return list(dict.fromkeys(faults))


def _place(loc: Sequence[str | int], value: object) -> Place:
    """A pydantic location without the names of union members that it holds besides keys."""
    place: list[str | int] = []
    for at, part in enumerate(loc):
        if part == "[key]":
            break
        if _holds(value, part):
            value = _child(value, part)
            place.append(part)
        elif at == len(loc) - 1:
            place.append(part)
    return tuple(place)


def _holds(value: object, part: str | int) -> bool:
    if isinstance(value, list):
        return isinstance(part, int) and part < len(value)
    return isinstance(value, dict) and part in value


def _child(value: Any, part: str | int) -> Any:
    return value[part] if _holds(value, part) else None


def _prune(value: Any, place: Place) -> None:
    """Take ``place`` out; a list keeps its length elsewhere by taking out its deepest keyed part."""
    for part in place[:-1]:
        value = _child(value, part)
    if place and isinstance(value, dict):
        value.pop(place[-1], None)


def _fault(problem: Any, model: type[BaseModel], document: Document, file: str) -> Fault:
    kind, value = problem["type"], document.value
    place = _place(problem["loc"], value)
    name = str(place[-1]) if place else file
    where: dict[str, Any] = {
        "file": file,
        "row": document.line(place),
        "column": document.named(place) or None,
    }
    if kind == "extra_forbidden":
        known = _keys(model, place[:-1], value)
        hint = nearest(name, known)
        return Fault(
            code="unknown_key",
            message=f"unknown key {name}",
            **where,
            expected=", ".join(known),
            fix=f"did you mean {hint}?" if hint else None,
        )
    if kind == "missing":
        return Fault(code="missing_key", message=f"the key {name} is missing", **where)
    found = problem.get("input")
    expected = _EXPECTED.get(kind)
    context = problem.get("ctx", {})
    fix = None
    if kind == "expected":
        expected = context["expected"]
    elif kind in ("literal_error", "union_tag_invalid"):
        words = context.get("expected_tags", context.get("expected", ""))
        expected = words.replace("'", "").replace(" or ", ", ")
        tried = context.get("tag", found)
        hint = nearest(str(tried), expected.split(", "))
        fix, found = (f"did you mean {hint}?" if hint else None), tried
    elif kind == "union_tag_not_found":
        expected = f"a mapping with the key {context.get('discriminator', '')}".replace("'", "")
    elif kind == "too_short":
        expected = f"at least {context['min_length']}"
        found = f"{context['actual_length']}"
    return Fault(
        code="recipe_value",
        message=f"{name} is not what it should be" if expected else f"{name}: {problem['msg']}",
        **where,
        expected=expected,
        found=_brief(found),
        fix=fix,
    )


def _brief(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _keys(model: type[BaseModel], place: Place, value: object) -> list[str]:
    """The keys that are allowed in the mapping at ``place``: the fields of the model that parses it."""
    at: Any = model
    for part in place:
        at = _inner(at, part, value)
        value = _child(value, part)
    found = _model(at, value)
    return [field.alias or name for name, field in found.model_fields.items()] if found else []


def _inner(annotation: Any, part: str | int, value: object) -> Any:
    """The annotation of ``part`` inside a mapping or list that ``annotation`` describes."""
    if model := _model(annotation, value):
        for name, field in model.model_fields.items():
            if part in (field.alias, name):
                return field.annotation
        return None
    for option in _options(annotation):
        if isinstance(part, int) and typing.get_origin(option) is list:
            return typing.get_args(option)[0]
        if isinstance(part, str) and typing.get_origin(option) is dict:
            return typing.get_args(option)[1]
    return None


def _model(annotation: Any, value: object) -> type[BaseModel] | None:
    """The model that parses ``value``; among several, the one whose literal fields agree with it."""
    models = [
        option
        for option in _options(annotation)
        if isinstance(option, type) and issubclass(option, BaseModel)
    ]
    if len(models) > 1 and isinstance(value, Mapping):
        models = [
            model
            for model in models
            if all(
                value.get(name) in typing.get_args(field.annotation)
                for name, field in model.model_fields.items()
                if typing.get_origin(field.annotation) is typing.Literal and field.is_required()
            )
        ]
    return models[0] if models else None


def _options(annotation: Any) -> list[Any]:
    """The members of a union, ``Annotated`` taken off."""
    if typing.get_origin(annotation) is Annotated:
        return _options(typing.get_args(annotation)[0])
    if typing.get_origin(annotation) in (Union, types.UnionType):
        return [inner for option in typing.get_args(annotation) for inner in _options(option)]
    return [annotation]
