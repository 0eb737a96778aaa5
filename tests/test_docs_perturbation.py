"""docs/perturbation.md: its session prints what it shows, its tables are complete, its class works."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from probeta.builders.spans.perturb import Policies, perturbed
from probeta.builders.spans.perturbation import literal_choices, parameter_names
from probeta.builders.spans.registry import BUILT_IN, Registry
from probeta.records import Sentence

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "perturbation.md").read_text(encoding="utf-8")


def fenced(language: str) -> str:
    (block,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(block)


def test_the_session_prints_what_it_shows(tmp_path: Path) -> None:
    steps = re.split(r"^\$ ", fenced("console"), flags=re.MULTILINE)[1:]
    shown = [step.split("\n", 1) for step in steps]
    assert shown[0][0] == "cat dev.csv"
    (tmp_path / "dev.csv").write_text(shown[0][1], encoding="utf-8")
    for command, output in shown:
        words = shlex.split(command)
        if words[0] == "probeta":
            words = [sys.executable, "-m", "probeta.cli.main", *words[1:]]
        done = subprocess.run(
            words,
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        )
        assert done.stdout + done.stderr == output, command


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
    path.write_text(fenced("python"), encoding="utf-8")
    registry = Registry(plugins=[path])
    (row,) = perturbed([Sentence("a", "Sí.")], operations=[registry.parse("shout")], registry=registry)
    assert row.text == "Sí!!!"
