"""docs/scoring.md: its sessions print what they show, its table names every protocol."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from probeta.evaluation.protocol import protocol_names

PAGE = (Path(__file__).parent.parent / "docs" / "scoring.md").read_text(encoding="utf-8")


def steps(number: int) -> list[list[str]]:
    block = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)[number]
    return [step.split("\n", 1) for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]


def test_the_sessions_print_what_they_show(tmp_path: Path) -> None:
    gold, news = steps(0)[0][1], steps(1)[0][1]
    (tmp_path / "gold.conll").write_text(gold, encoding="utf-8")
    (tmp_path / "news.csv").write_text(news, encoding="utf-8")
    # The system misses the bare spans: one altogether, of one the second word.
    first, second, third, fourth = gold.split("\n\n")
    bare = second.replace("looks\tB-ENG", "looks\tO"), fourth.replace("data\tI-ENG", "data\tO")
    (tmp_path / "crf.conll").write_text("\n\n".join((first, bare[0], third, bare[1])), encoding="utf-8")
    root = str(Path(__file__).parent.parent)
    for command, output in steps(0)[1:] + steps(1)[1:]:
        words = [sys.executable, "-m", "probeta.cli.main", *shlex.split(command)[1:]]
        done = subprocess.run(
            words,
            cwd=tmp_path,
            env={"PYTHONPATH": root, "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
        )
        shown = "\n".join(line.rstrip() for line in done.stdout.splitlines()).strip("\n")
        assert shown == output.strip("\n"), command


def test_the_table_names_every_protocol() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == set(protocol_names())
