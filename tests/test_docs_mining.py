"""docs/mining.md: its session prints what it shows, its tables are complete."""

from __future__ import annotations

import re
from pathlib import Path

from console import ROOT, play

from probeta.builders.pairs.filters import REASONS
from probeta.builders.pairs.phrases import LinkingPhrase

DOCUMENT = ROOT / "docs" / "mining.md"


def test_the_session_prints_what_it_shows(tmp_path: Path) -> None:
    play(DOCUMENT, cwd=tmp_path)


def test_every_reason_has_a_row() -> None:
    rows = re.findall(r"^\| (`[\w`, ]+`) \|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert set(REASONS) <= named
    columns = {"class" if name == "label" else name for name in LinkingPhrase.__dataclass_fields__}
    assert columns <= named
