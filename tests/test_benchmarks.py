"""The benchmark harness: a missing peer ends it before anything is measured, a missed goal shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, text=True)


def test_a_missing_peer_is_one_message_and_exit_2() -> None:
    done = run(
        "import sys; sys.modules['augmenty'] = None\n"
        "from benchmarks.__main__ import main; sys.exit(main(['perturb']))"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "benchmarks: the benchmarks compare with augmenty, which cannot be imported"
    )


def test_an_unknown_benchmark_is_told() -> None:
    done = run("import sys; from benchmarks.__main__ import main; sys.exit(main(['pertrub']))")
    assert done.returncode == 2
    assert "did you mean perturb?" in done.stderr


def test_the_table_names_what_is_missed() -> None:
    done = run(
        "from benchmarks.harness import Row, table\n"
        "print(table([Row(name='a', measured='5/s', goal='≥ 9/s', met=False),"
        " Row(name='bb', measured='12/s', peer='loop 6/s', ratio=2, met=True)]))"
    )
    assert done.stdout.splitlines() == [
        "benchmark  measured  goal   peer      ratio",
        "a          5/s       ≥ 9/s                   MISSED",
        "bb         12/s             loop 6/s  2.00   ok",
    ]
