"""Sum pytest's JUnit files and tell the steps that failed: the closing line of .ci/run."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from pathlib import Path


def counts(file: Path) -> tuple[int, int]:
    """How many tests passed, and how many failed or broke; (0, 0) where pytest wrote no file."""
    if not file.is_file():
        return 0, 0
    passed = failed = 0
    for suite in ET.parse(file).getroot().iter("testsuite"):
        bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        failed += bad
        passed += int(suite.get("tests", 0)) - bad - int(suite.get("skipped", 0))
    return passed, failed


def main(folder: str, *steps: str) -> int:
    """Print what failed, then `N passed, N failed`; a step that failed without a failed test counts as one.

    ``steps`` are ``name=exit code``; the tests of a step stand in ``folder/name.xml``. 1 if anything failed.
    """
    passed = failed = 0
    for step in steps:
        name, code = step.rsplit("=", 1)
        good, bad = counts(Path(folder, f"{name}.xml"))
        if code != "0":
            print(f"failed: {name} (exit {code})")
            bad = bad or 1
        passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
