"""docs/agreement.md: its session prints what it shows, its tables name every reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from console import ROOT, fenced, play

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


def test_the_code_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """Agreement 4/5; margins 2, 2, 1 and 2, 1, 2: 8/25 by chance. All labels equal: alpha is undefined."""
    (code,) = fenced(DOCUMENT, "python")
    exec(code, {})
    kappa, alpha = capsys.readouterr().out.splitlines()
    assert kappa.startswith(f"{(4 / 5 - 8 / 25) / (1 - 8 / 25):.3f} [")
    assert alpha == "None no_variation 1.0 2"
