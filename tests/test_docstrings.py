"""Every example in a docstring gives what it shows."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pkgutil
from pathlib import Path

import pytest

import probeta


def with_examples() -> list[str]:
    """The modules whose source holds an example."""
    found = []
    for module in pkgutil.walk_packages(probeta.__path__, "probeta."):
        spec = importlib.util.find_spec(module.name)
        if spec is not None and spec.origin and ">>> " in Path(spec.origin).read_text(encoding="utf-8"):
            found.append(module.name)
    return found


@pytest.mark.parametrize("name", with_examples())
def test_the_examples_hold(name: str) -> None:
    done = doctest.testmod(importlib.import_module(name))
    assert done.attempted
    assert not done.failed
