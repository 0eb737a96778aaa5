"""The README is true: its session runs as shown, and it names every command."""

from __future__ import annotations

import re
from pathlib import Path

from console import ROOT, play, run

from probeta.cli.main import COMMANDS


def test_the_first_session_runs_as_shown(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    play(ROOT / "README.md", cwd=tmp_path)


def test_every_command_has_a_row_in_the_table() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    missing = [
        name for name in COMMANDS if not any(f"`probeta {name}`" in row or f"`{name}`" in row for row in rows)
    ]
    assert not missing


def test_links_lead_somewhere() -> None:
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))):
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_contributing_names_places_that_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("To add one of these")[2]
    for path in re.findall(r"`([\w./]+/[\w./]*)`", text):
        assert (ROOT / path).exists(), path
    for name, path in re.findall(r"`([A-Z_]+)` in `([\w./]+)`", text):
        assert re.search(rf"^{name}\b", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), name


def test_the_toy_systems_say_what_they_need(tmp_path: Path) -> None:
    script = ROOT / "examples" / "toy_systems.py"
    assert "usage:" in run(f'python "{script}"', cwd=tmp_path).stderr
    done = run(f'python "{script}" nope out', cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "toy_systems.py: no such folder: nope\n")
