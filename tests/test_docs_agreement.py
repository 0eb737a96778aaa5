"""docs/agreement.md: its session prints what it shows, its tables name every reason."""

from __future__ import annotations

from pathlib import Path

from console import ROOT, play

from probeta.validation.adjudication.rules import KEPT_REASONS, REASONS
from probeta.validation.agreement import REASONS as UNDEFINED

DOCUMENT = ROOT / "docs" / "agreement.md"
PAGE = DOCUMENT.read_text(encoding="utf-8")


def test_the_session_prints_what_it_shows(tmp_path: Path) -> None:
    play(DOCUMENT, cwd=tmp_path)


def test_every_reason_is_explained() -> None:
    for reason, text in UNDEFINED.items():
        assert f"| `{reason}` | {text} |" in PAGE
    for reason, text in REASONS.items():
        assert f"| `{reason}` | {'yes' if reason in KEPT_REASONS else 'no'} | {text} |" in PAGE
