"""docs/formats.md: its session and its code do what they show, its table names every format."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from probeta.formats import FORMATS

PAGE = (Path(__file__).parent.parent / "docs" / "formats.md").read_text(encoding="utf-8")


def fenced(language: str) -> str:
    (block,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(block)


def test_the_session_prints_what_it_shows(tmp_path: Path) -> None:
    steps = re.split(r"^\$ ", fenced("console"), flags=re.MULTILINE)[1:]
    shown = [step.split("\n", 1) for step in steps]
    assert shown[0][0] == "cat dev.csv"
    (tmp_path / "dev.csv").write_text(shown[0][1], encoding="utf-8")
    root = str(Path(__file__).parent.parent)
    for command, output in shown:
        words = shlex.split(command)
        if words[0] == "probeta":
            words = [sys.executable, "-m", "probeta.cli.main", *words[1:]]
        done = subprocess.run(
            words,
            cwd=tmp_path,
            env={"PYTHONPATH": root, "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout + done.stderr == output, command


def test_the_code_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dev.jsonl").write_text('{"id": "a", "text": "x", "spans": []}\n', encoding="utf-8")
    exec(fenced("python"), {})
    assert capsys.readouterr().out == "1 0\n"


def test_the_table_names_every_format_with_its_endings() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", PAGE, re.MULTILINE))
    for name, known in FORMATS.items():
        assert known.writes == ("read only" not in rows[name])
        assert all(ending in rows[name] for ending in known.endings)
