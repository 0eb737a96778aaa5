"""docs/formats.md: its session and its code do what they show, its table names every format."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from console import ROOT, fenced, play

from probeta.formats import FORMATS

DOCUMENT = ROOT / "docs" / "formats.md"
PAGE = DOCUMENT.read_text(encoding="utf-8")


def test_the_session_prints_what_it_shows(tmp_path: Path) -> None:
    play(DOCUMENT, cwd=tmp_path)


def test_the_code_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dev.jsonl").write_text('{"id": "a", "text": "x", "spans": []}\n', encoding="utf-8")
    (code,) = fenced(DOCUMENT, "python")
    exec(code, {})
    assert capsys.readouterr().out == "1 0\n"


def test_the_table_names_every_format_with_its_endings() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", PAGE, re.MULTILINE))
    for name, known in FORMATS.items():
        assert known.writes == ("read only" not in rows[name])
        assert all(ending in rows[name] for ending in known.endings)
