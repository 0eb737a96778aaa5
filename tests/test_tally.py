"""The closing line of .ci/run: computed from pytest's own files, printed whatever failed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TALLY = Path(__file__).parents[1] / ".ci" / "tally.py"

GOOD = "def test_one(): pass\ndef test_two(): pass\n"
MIXED = """
import pytest
def test_good(): pass
def test_bad(): assert False
def test_skipped(): pytest.skip("reason")
@pytest.fixture
def broken(): raise ValueError
def test_broken(broken): pass
"""


def tally(folder: Path, *steps: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, TALLY, folder, *steps], capture_output=True, text=True, check=False
    )
    assert not done.stderr
    return done.returncode, done.stdout.splitlines()


@pytest.fixture
def results(tmp_path: Path) -> Path:
    for name, source in (("good", GOOD), ("mixed", MIXED)):
        (tmp_path / f"test_{name}.py").write_text(source)
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", f"test_{name}.py", f"--junitxml={tmp_path / name}.xml"],
            cwd=tmp_path,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            check=False,
        )
    return tmp_path


def test_tests_are_summed_over_the_runs(results: Path) -> None:
    assert tally(results, "good=0") == (0, ["2 passed, 0 failed"])
    # mixed: one passed; a failed assertion and a broken fixture failed; the skipped one is neither.
    assert tally(results, "good=0", "check=0", "mixed=1") == (
        1,
        ["failed: mixed (exit 1)", "3 passed, 2 failed"],
    )


def test_a_failed_step_without_a_failed_test_counts_as_one(results: Path) -> None:
    assert tally(results, "good=0", "check=2") == (1, ["failed: check (exit 2)", "2 passed, 1 failed"])
    assert tally(results, "good=139") == (1, ["failed: good (exit 139)", "2 passed, 1 failed"])
    # pytest that never came to write its file
    assert tally(results, "absent=2") == (1, ["failed: absent (exit 2)", "0 passed, 1 failed"])
