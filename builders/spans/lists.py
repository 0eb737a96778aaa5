"""Where the word lists and rule tables of a language are: ``templates/lists/<language>/``."""

from __future__ import annotations

import gzip
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from probeta.errors import UsageError
from probeta.tokens import primary

#: What to do without: lengths, positions, casings and quotes need no list. For commands; a recipe leaves a key out.
WITHOUT = ". The other attributes need none: --no-spelling --no-ambiguity leave these out"

#: What a table holds, in a reader's words.
_MEANT = {"spelling": "spelling rules", "ambiguity": "word lists"}


def _root() -> Traversable:
    return resources.files("probeta.templates") / "lists"


def languages() -> list[str]:
    """The languages that have lists, sorted by code."""
    root = _root()
    return sorted(entry.name for entry in root.iterdir() if entry.is_dir()) if root.is_dir() else []


@cache
def rules(language: str, name: str) -> dict[str, Any]:
    """The rule table ``name`` (a YAML file without its ending) of a language, whatever the country.

    Raises a UsageError where the language has no lists, or not this one.
    """
    import yaml

    path = _root() / primary(language) / f"{name}.yaml"
    if not path.is_file():
        having = [code for code in languages() if (_root() / code / f"{name}.yaml").is_file()]
        raise UsageError(
            f"there are no {_MEANT.get(name, f'rules of {name}')} for language {language!r}; "
            f"there are for: {', '.join(having)}{WITHOUT}"
        )
    loaded: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded


def words(language: str, file: str) -> list[str]:
    """The words of a gzipped list, one a line, in the list's order."""
    return gzip.decompress((_root() / primary(language) / file).read_bytes()).decode("utf-8").split()
