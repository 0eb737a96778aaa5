"""docs/attributes.md: its session prints what it shows, its tables name what there is."""

from __future__ import annotations

import re
from pathlib import Path

from console import ROOT, play

from probeta.builders.spans import ambiguity, spelling
from probeta.builders.spans.attributes import COLUMNS, VALUES

DOCUMENT = ROOT / "docs" / "attributes.md"
PAGE = DOCUMENT.read_text(encoding="utf-8")


def test_the_session_prints_what_it_shows(tmp_path: Path) -> None:
    play(DOCUMENT, cwd=tmp_path)


def test_the_table_names_every_column_with_its_values() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", PAGE, re.MULTILINE))
    assert [name for name in COLUMNS if name in rows] == list(COLUMNS[5:])
    for name, values in VALUES.items():
        if name != "type":
            assert rows[name] == ", ".join(values)


def test_every_family_and_list_is_named() -> None:
    for name in [*spelling.families("es"), *ambiguity.families("es")]:
        assert name.removeprefix("+") in PAGE, name
