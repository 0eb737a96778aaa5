"""A YAML document against a pydantic model: every fault at once, with its line, what was expected and what was meant."""

from __future__ import annotations

import copy
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar, Union

from pydantic import BaseModel, ValidationError

from probeta.errors import Fault, nearest
from probeta.recipe.source import Document, Place, dotted

M = TypeVar("M", bound=BaseModel)

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


def validated(model: type[M], document: Document, *, file: str, code: str) -> tuple[M | None, list[Fault]]:
    """The document as ``model``, if enough of it is right to look further, and the faults of its form.

    ``code`` is that of a wrong value. What is right is checked further, so that a misspelt key does not hide
    a wrong value elsewhere. The faults of the YAML itself are the document's own.
    """
    value = document.value
    try:
        return model.model_validate(value), []
    except ValidationError as error:
        problems = error.errors(include_url=False)
    faults = _distinct([_fault(problem, model, document, file, code) for problem in problems])
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


def _fault(problem: Any, model: type[BaseModel], document: Document, file: str, code: str) -> Fault:
    kind, value = problem["type"], document.value
    place = _place(problem["loc"], value)
    # A member of a list is named with the list: columns[0].
    name = dotted(place[-2 if isinstance(place[-1], int) else -1 :]) if place else file
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
        code=code,
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
