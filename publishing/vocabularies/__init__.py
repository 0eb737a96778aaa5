"""The Hub's vocabularies as data, each file with its source and date, and the readers of them."""

from __future__ import annotations

import functools
import json
from importlib.resources import files
from typing import Any, NamedTuple


class Licence(NamedTuple):
    """A licence as the Hub names it; ``spdx`` and ``url`` where there is one licence behind the name."""

    name: str
    spdx: str | None
    url: str | None


@functools.cache
def read(name: str) -> dict[str, Any]:
    """A vocabulary file by its name without ending; every one has ``source`` and ``date``."""
    path = files("probeta.publishing") / "vocabularies" / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@functools.cache
def licences() -> dict[str, Licence]:
    """Every licence of the Hub, by its identifier.

    >>> licences()["cc-by-4.0"].spdx
    'CC-BY-4.0'
    """
    return {key: Licence(**value) for key, value in read("licences")["licences"].items()}


@functools.cache
def legal_text(identifier: str) -> str | None:
    """The whole text of a licence, where it may be passed on and is kept here; None for the others.

    >>> legal_text("cc0-1.0").splitlines()[0]
    'Creative Commons Legal Code'
    """
    path = files("probeta.publishing") / "vocabularies" / "texts" / f"{identifier}.txt"
    return path.read_text(encoding="utf-8") if path.is_file() else None


@functools.cache
def languages() -> frozenset[str]:
    """Every language code that the Hub knows: ISO 639-1 and 639-3, ``code``, ``multilingual``."""
    found = read("languages")
    return frozenset([*found["iso_639_1"], *found["iso_639_3"].split(), *found["special"]])


def language_name(code: str) -> str:
    """The English name of a language with a two-letter code; else the code.

    >>> language_name("es-ES"), language_name("xx")
    ('Spanish', 'xx')
    """
    names: dict[str, str] = read("languages")["iso_639_1"]
    name = names.get(code.split("-")[0], code)
    return name.split(",")[0].split(";")[0]


@functools.cache
def tasks() -> dict[str, list[str]]:
    """The Hub's tasks, each with its subtasks (``task_ids``)."""
    found: dict[str, list[str]] = read("tasks")["tasks"]
    return found
