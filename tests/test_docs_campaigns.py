"""docs/campaigns.md: its session prints what it shows, its tables name every file, fault and note."""

from __future__ import annotations

import re
from pathlib import Path

from console import ROOT, play

from probeta.annotation import campaign

DOCUMENT = ROOT / "docs" / "campaigns.md"
PAGE = DOCUMENT.read_text(encoding="utf-8")
SOURCES = "\n".join(
    (ROOT / "annotation" / f"{name}.py").read_text("utf-8") for name in ("normalise", "regions", "collect")
)


def test_the_session_prints_what_it_shows(tmp_path: Path) -> None:
    play(DOCUMENT, cwd=tmp_path)


def test_every_file_of_the_folder_is_named() -> None:
    names = [
        value for name, value in vars(campaign).items() if name.isupper() and isinstance(value, str) and value
    ]
    assert "push-ledger.jsonl" in names
    for name in names:
        assert f"`{name}" in PAGE, name


def test_every_fault_and_note_of_a_pull_is_named() -> None:
    codes = set(re.findall(r'fault\(\s*"(\w+)"', SOURCES)) | set(re.findall(r'code="(\w+)"', SOURCES))
    codes |= set(re.findall(r'(?:append\(|\[)\(\s*"(\w+)",', SOURCES))
    assert len(codes) > 20
    for code in codes:
        assert f"`{code}`" in PAGE, code
