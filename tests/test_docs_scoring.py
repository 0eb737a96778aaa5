"""docs/scoring.md: its sessions print what they show, its table names every protocol."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from console import ROOT, commands, fenced, play

from probeta.evaluation.protocol import protocol_names

DOCUMENT = ROOT / "docs" / "scoring.md"
PAGE = DOCUMENT.read_text(encoding="utf-8")


def test_the_sessions_and_the_code_print_what_they_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The system misses the bare spans: one altogether, of one the second word.
    first, second, third, fourth = commands(DOCUMENT)[0][1].split("\n\n")
    bare = second.replace("looks\tB-ENG", "looks\tO"), fourth.replace("data\tI-ENG", "data\tO")
    (tmp_path / "crf.conll").write_text("\n\n".join((first, bare[0], third, bare[1])), encoding="utf-8")
    play(DOCUMENT, cwd=tmp_path)
    monkeypatch.chdir(tmp_path)
    lists, files = fenced(DOCUMENT, "python")
    exec(lists, {})
    # Two spans predicted, one of them right; of four tokens one has another tag.
    assert capsys.readouterr().out == "Counts(gold=1, predicted=2, correct=1) 0.5 0.75\n"
    exec(files, {})
    assert capsys.readouterr().out == f"{4 / 7} 0.0\n"


def test_the_table_names_every_protocol() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == set(protocol_names())
