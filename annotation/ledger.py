"""``push-ledger.jsonl``: which task holds which key, appended line by line and synced to the disk.

The server is what counts: a push compares with it and mends the ledger, so a line that a crash cut or
never wrote loses nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Entry:
    """A task that was found on the server: ``hash`` is of the text that it was pushed with."""

    key: str
    task: int
    hash: str
    time: str


def read(path: Path) -> dict[str, Entry]:
    """The last entry of each key; a line that a crash cut off is passed over."""
    if not path.is_file():
        return {}
    found: dict[str, Entry] = {}
    for line in path.read_bytes().split(b"\n"):
        try:
            entry = Entry(**json.loads(line))
        except (ValueError, TypeError):
            continue
        found[entry.key] = entry
    return found


def append(path: Path, entries: Iterable[Entry]) -> None:
    """Add entries and see them on the disk; a line cut by an earlier crash is ended first."""
    lines = "".join(json.dumps(asdict(entry)) + "\n" for entry in entries)
    if not lines:
        return
    with path.open("ab+") as handle:
        if handle.tell():
            handle.seek(-1, os.SEEK_END)
            if handle.read(1) != b"\n":
                lines = "\n" + lines
        handle.write(lines.encode())
        handle.flush()
        os.fsync(handle.fileno())
