"""The processes of this machine, as tests ask for them: who started whom, who is still there."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")


class Process(NamedTuple):
    """A process by its number; one that has ended and was not yet asked for is there no more."""

    number: int
    parent: int
    session: int


def running() -> list[Process]:
    """All of them, from /proc, since a small machine has no `ps`; from `ps` where there is no /proc."""
    if not (PROC / "self" / "stat").is_file():
        words = ["ps", "-A", "-o", "pid=,ppid=,sess=,stat="]
        rows = [line.split() for line in subprocess.check_output(words, text=True).splitlines()]
        return [
            Process(int(pid), int(parent), int(session, 16))
            for pid, parent, session, state in rows
            if state[0] != "Z"
        ]
    found = []
    for path in PROC.glob("[0-9]*/stat"):
        try:
            fields = path.read_text("utf-8").rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        # State, parent, group, session, behind the name in brackets.
        if fields[0] != "Z":
            found.append(Process(int(path.parent.name), int(fields[1]), int(fields[3])))
    return found


def children(process: int) -> list[int]:
    """The processes that a process started."""
    return [one.number for one in running() if one.parent == process]


def of_session(leader: int) -> list[int]:
    """The processes of a session, by the number of the one that opened it."""
    return [one.number for one in running() if one.session == leader]
