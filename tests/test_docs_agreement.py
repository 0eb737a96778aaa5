"""docs/agreement.md: its session prints what it shows, its tables name every reason."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from probeta import __version__
from probeta.validation.adjudication.rules import KEPT_REASONS, REASONS
from probeta.validation.agreement import REASONS as UNDEFINED

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "agreement.md").read_text(encoding="utf-8")


def test_the_session_prints_what_it_shows(tmp_path: Path) -> None:
    (session,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    (first, table), *steps = (
        step.split("\n", 1) for step in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]
    )
    assert first == "cat answers.csv"
    (tmp_path / "answers.csv").write_text(table, encoding="utf-8")
    for command, output in steps:
        words = shlex.split(command)
        if words[0] == "probeta":
            words = [sys.executable, "-m", "probeta.cli.main", *words[1:]]
        done = subprocess.run(
            words,
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout + done.stderr == re.sub(r"version:\S+", f"version:{__version__}", output), command


def test_every_reason_is_explained() -> None:
    for reason, text in UNDEFINED.items():
        assert f"| `{reason}` | {text} |" in PAGE
    for reason, text in REASONS.items():
        assert f"| `{reason}` | {'yes' if reason in KEPT_REASONS else 'no'} | {text} |" in PAGE
