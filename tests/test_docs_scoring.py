"""docs/scoring.md: its sessions print what they show, its table names every protocol."""

from __future__ import annotations

import re
from pathlib import Path

from console import ROOT, commands, play

from probeta.evaluation.protocol import protocol_names

DOCUMENT = ROOT / "docs" / "scoring.md"
PAGE = DOCUMENT.read_text(encoding="utf-8")


def test_the_sessions_print_what_they_show(tmp_path: Path) -> None:
    # The system misses the bare spans: one altogether, of one the second word.
    first, second, third, fourth = commands(DOCUMENT)[0][1].split("\n\n")
    bare = second.replace("looks\tB-ENG", "looks\tO"), fourth.replace("data\tI-ENG", "data\tO")
    (tmp_path / "crf.conll").write_text("\n\n".join((first, bare[0], third, bare[1])), encoding="utf-8")
    play(DOCUMENT, cwd=tmp_path)


def test_the_table_names_every_protocol() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == set(protocol_names())
