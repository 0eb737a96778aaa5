"""docs/perturbation.md: its session prints what it shows, its tables are complete, its class works."""

from __future__ import annotations

import re
from pathlib import Path

from console import ROOT, fenced, play

from probeta.builders.spans.perturb import Policies, perturbed
from probeta.builders.spans.perturbation import literal_choices, parameter_names
from probeta.builders.spans.registry import BUILT_IN, Registry
from probeta.records import Sentence

DOCUMENT = ROOT / "docs" / "perturbation.md"
PAGE = DOCUMENT.read_text(encoding="utf-8")


def test_the_session_prints_what_it_shows(tmp_path: Path) -> None:
    play(DOCUMENT, cwd=tmp_path)


def rows() -> dict[str, list[str]]:
    lines = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("| `")]
    return {cells[0].strip(" `"): [cell.strip() for cell in cells[1:]] for cells in lines}


def test_the_table_has_every_policy_with_its_values_default_first() -> None:
    for name, values in literal_choices(Policies).items():
        assert rows()[name][0].split(", ") == list(values)
        assert getattr(Policies(), name) == values[0]


def test_the_table_has_every_operation_with_its_parameters() -> None:
    for cls in BUILT_IN[2:]:
        parameters = rows()[cls.name][1]
        assert re.findall(r"`(\w+)`:", parameters) == parameter_names(cls)


def test_the_class_works(tmp_path: Path) -> None:
    path = tmp_path / "shout.py"
    (code,) = fenced(DOCUMENT, "python")
    path.write_text(code, encoding="utf-8")
    registry = Registry(plugins=[path])
    (row,) = perturbed([Sentence("a", "Sí.")], operations=[registry.parse("shout")], registry=registry)
    assert row.text == "Sí!!!"
