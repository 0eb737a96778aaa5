"""The columns of a config, each with its type and what it means."""

from __future__ import annotations

import functools
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from probeta.publishing.facts import Config, Facts
from probeta.publishing.wording import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


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


def columns(facts: Facts, config: Config, say: Words) -> list[Column]:
    """Every column of the config, in the file's order; a meaning that nobody wrote down is empty."""
    return [
        Column(name, type_of(feature, say.term), meaning(facts, config.name, name, say))
        for name, feature in config.features.items()
    ]


def meaning(facts: Facts, config: str, column: str, say: Words) -> str:
    """What a column means: the recipe's definition of an attribute, else the meaning of our own column."""
    name = config.split("_")[0]
    own = {**meanings()["any"], **meanings().get(name, {})}
    if name == "validated":
        own = {**meanings()[facts.default_config], **own}
    if attribute := facts.recipe.attributes.get(column):
        values = ", ".join(f"`{value}`" for value in attribute.values or ())
        return f"{say.attribute(column)}{f' ({values})' if values else ''}"
    if column in facts.recipe.perturbations.grid:
        values = ", ".join(f"`{value}`" for value in facts.recipe.perturbations.grid[column])
        return f"{own.get(column, {}).get(say.language, '')} ({values})".strip()
    return own.get(column, {}).get(say.language, "")


def type_of(feature: Any, word: Callable[[str], str] = lambda word: word) -> str:
    """A feature as people read it; ``word`` gives "list of" and "class label" in another language.

    >>> from datasets import ClassLabel, List, Value
    >>> type_of(List({"start": Value("int32")})), type_of(List(ClassLabel(names=["O", "B-X"])))
    ('list of {start: int32}', 'list of class label (0 O, 1 B-X)')
    """
    from datasets import ClassLabel, List, Value

    if isinstance(feature, Value):
        return str(feature.dtype)
    if isinstance(feature, ClassLabel):
        return (
            f"{word('class label')} ("
            + ", ".join(f"{at} {name}" for at, name in enumerate(feature.names))
            + ")"
        )
    if isinstance(feature, List):
        return f"{word('list of')} {type_of(feature.feature, word)}"
    if isinstance(feature, list):
        return f"{word('list of')} {type_of(feature[0], word)}"
    if isinstance(feature, dict):
        return "{" + ", ".join(f"{name}: {type_of(inner, word)}" for name, inner in feature.items()) + "}"
    return type(feature).__name__
