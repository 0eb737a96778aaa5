"""Run the console sessions of a document and compare what they print.

A session is a fenced ``console`` block; a line that begins with ``$ `` is a command, the lines below it are
what it prints. A line ``...`` stands for any lines, ``...`` inside a line for any text.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

SESSION = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(document: Path) -> list[tuple[str, str]]:
    """Each command of the document with what it should print."""
    found: list[tuple[str, str]] = []
    for block in SESSION.findall(document.read_text(encoding="utf-8")):
        for line in block.splitlines(keepends=True):
            if line.startswith("$ "):
                found.append((line[2:].strip(), ""))
            else:
                command, output = found[-1]
                found[-1] = (command, output + line)
    return found


def run(command: str, *, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of a session with this environment's Python and program."""
    root = Path(__file__).parents[1]
    python = f'"{sys.executable}"'
    for program, real in {"probeta": f"{python} -m probeta.cli.main", "python": python}.items():
        if command.startswith(f"{program} "):
            command = real + command.removeprefix(program)
    path = os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH"))))
    env = os.environ | {"PYTHONPATH": path, "COLUMNS": "200"}
    return subprocess.run(command, shell=True, cwd=cwd, env=env, capture_output=True, text=True, check=False)


def matches(expected: str, printed: str) -> bool:
    """Whether what was printed is what the document shows, ``...`` standing for anything."""
    pattern = ""
    for line in expected.splitlines():
        if line == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += r".*?".join(map(re.escape, line.rstrip().split("..."))) + r"[ ]*\n"
    return (
        re.fullmatch(pattern, printed if printed.endswith("\n") or not printed else printed + "\n")
        is not None
    )
