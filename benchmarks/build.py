"""Building the bundled diagnostic set, and how soon the program answers."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.harness import Row, best_cpu

#: Seconds after imports; the issue's goal for a build of BLAS.
BUILD_SECONDS = 3.0
#: Seconds of a whole process for `probeta --help`.
HELP_SECONDS = 0.4


def run() -> list[Row]:
    """CPU seconds of a build after a first one has imported everything; wall seconds of the program's help."""
    from probeta.pipeline.build import build

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "blas"
        build("blas", out=out)
        seconds = best_cpu(lambda: build("blas", out=out, replace=True), runs=3)
    answers = min(_help() for _ in range(5))
    return [
        Row(
            name="build BLAS, imports done",
            measured=f"{seconds:.2f} s",
            goal=f"<= {BUILD_SECONDS:g} s",
            met=seconds <= BUILD_SECONDS,
        ),
        Row(
            name="probeta --help, whole process",
            measured=f"{answers:.2f} s",
            goal=f"< {HELP_SECONDS:g} s",
            met=answers < HELP_SECONDS,
        ),
    ]


def _help() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "probeta.cli.main", "--help"], check=True, capture_output=True)
    return time.perf_counter() - started
