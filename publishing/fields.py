"""The columns of a config, each with its type and what it means."""

from __future__ import annotations

import functools
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from probeta.publishing.facts import Config, Facts

if TYPE_CHECKING:
    from collections.abc import Mapping


class Column(NamedTuple):
    """A column as the card lists it."""

    name: str
    type: str
    meaning: str


@functools.cache
def meanings() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """Config, or ``any`` -> column -> language -> meaning; a config's name may end with ``*``."""
    import yaml

    text = (files("probeta.templates") / "card" / "columns.yaml").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, Mapping[str, str]]] = yaml.load(text, Loader=yaml.BaseLoader)
    return found


def columns(facts: Facts, config: Config, *, language: str = "en") -> list[Column]:
    """Every column of the config, in the file's order; a meaning that nobody wrote down is empty."""
    return [
        Column(name, type_of(feature), meaning(facts, config.name, name, language))
        for name, feature in config.features.items()
    ]


def meaning(facts: Facts, config: str, column: str, language: str) -> str:
    """What a column means: the recipe's definition of an attribute, else the meaning of our own column."""
    name = config.split("_")[0]
    own = {**meanings()["any"], **meanings().get(name, {})}
    if name == "validated":
        own = {**meanings()[facts.default_config], **own}
    if attribute := facts.recipe.attributes.get(column):
        values = ", ".join(f"`{value}`" for value in attribute.values or ())
        return f"{attribute.definition}{f' ({values})' if values else ''}"
    if column in facts.recipe.perturbations.grid:
        values = ", ".join(f"`{value}`" for value in facts.recipe.perturbations.grid[column])
        return f"{own.get(column, {}).get(language, '')} ({values})".strip()
    return own.get(column, {}).get(language, "")


def type_of(feature: Any) -> str:
    """A feature as people read it.

    >>> from datasets import ClassLabel, List, Value
    >>> type_of(List({"start": Value("int32")})), type_of(List(ClassLabel(names=["O", "B-X"])))
    ('list of {start: int32}', 'list of class label (0 O, 1 B-X)')
    """
    from datasets import ClassLabel, List, Value

    if isinstance(feature, Value):
        return str(feature.dtype)
    if isinstance(feature, ClassLabel):
        return "class label (" + ", ".join(f"{at} {name}" for at, name in enumerate(feature.names)) + ")"
    if isinstance(feature, List):
        return f"list of {type_of(feature.feature)}"
    if isinstance(feature, list):
        return f"list of {type_of(feature[0])}"
    if isinstance(feature, dict):
        return "{" + ", ".join(f"{name}: {type_of(inner)}" for name, inner in feature.items()) + "}"
    return type(feature).__name__
