"""Run the console sessions of a document and compare what they print.

A session is a fenced ``console`` block; a line that begins with ``$ `` is a command, the lines below it are
what it prints, stderr after stdout. A line ``...`` stands for any lines, ``...`` inside a line for any text.
A ``cat`` of a file that is not there yet shows what the file holds, and makes it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def fenced(document: Path, language: str) -> list[str]:
    """The document's blocks of a language, in their order."""
    text = document.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(document: Path) -> list[tuple[str, str]]:
    """Each command of the document with what it should print."""
    found: list[tuple[str, str]] = []
    for block in fenced(document, "console"):
        for line in block.splitlines(keepends=True):
            if line.startswith("$ "):
                found.append((line[2:].strip(), ""))
            else:
                command, output = found[-1]
                found[-1] = (command, output + line)
    return found


def play(document: Path, *, cwd: Path) -> None:
    """Run every command of the document in the folder ``cwd``; each must succeed and print what is shown."""
    session = commands(document)
    assert session, f"{document.name} has no session"
    for command, expected in session:
        name = command.removeprefix("cat ")
        if name != command and not (cwd / name).exists():
            (cwd / name).write_text(expected, encoding="utf-8")
            continue
        done = run(command, cwd=cwd)
        printed = done.stdout + done.stderr
        assert done.returncode == 0, f"{command}\n{printed}"
        assert matches(expected, printed), f"{command}\n{printed}"


def run(command: str, *, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of a session with this environment's Python and program."""
    python = f'"{sys.executable}"'
    for program, real in {"probeta": f"{python} -m probeta.cli.main", "python": python}.items():
        if command.startswith(f"{program} "):
            command = real + command.removeprefix(program)
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    env = os.environ | {"PYTHONPATH": path, "COLUMNS": "200"}
    return subprocess.run(command, shell=True, cwd=cwd, env=env, capture_output=True, text=True, check=False)


def matches(expected: str, printed: str) -> bool:
    """Whether what was printed is what the document shows, ``...`` standing for anything.

    Blank lines at the ends and blanks at a line's end are nothing that a reader sees.
    """
    pattern = ""
    for line in expected.strip("\n").splitlines():
        if line == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += r".*?".join(map(re.escape, line.rstrip().split("..."))) + r"[ ]*\n"
    shown = printed.strip("\n")
    return re.fullmatch(pattern, f"{shown}\n" if shown else "") is not None
