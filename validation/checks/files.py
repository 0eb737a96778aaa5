"""The folder's files are the ones that the build wrote: every checksum holds, nothing is missing or added."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from probeta import builtset
from probeta.errors import Fault
from probeta.hashing import file_sha256

_LINE = re.compile(r"(?P<sum>[0-9a-f]{64})  (?P<path>.+)")


def checksum_faults(folder: Path) -> Iterator[Fault]:
    """Compare SHA256SUMS with what stands in the folder."""
    listed: dict[str, str] = {}
    for number, line in enumerate(
        (folder / "SHA256SUMS").read_text(encoding="utf-8", errors="replace").splitlines(), start=1
    ):
        match = _LINE.fullmatch(line)
        if match:
            listed[match["path"]] = match["sum"]
        else:
            yield Fault(
                code="checksum_line",
                message="not a checksum line",
                file="SHA256SUMS",
                row=number,
                expected="64 hex digits, two spaces, a path",
                found=line[:80],
            )
    there = {
        path.relative_to(folder).as_posix(): path
        for path in folder.rglob("*")
        if path.is_file() and builtset.is_summed(path.relative_to(folder).as_posix())
    }
    for name in sorted(listed.keys() | there.keys()):
        if name not in there:
            yield Fault(code="file_missing", message="a file of the set is missing", file=name)
        elif name not in listed:
            yield Fault(
                code="file_unlisted",
                message="a file that SHA256SUMS does not list",
                file=name,
                fix="remove it, or build the set again",
            )
        elif (found := file_sha256(there[name])) != listed[name]:
            yield Fault(
                code="checksum",
                message="the file is not the one that was built",
                file=name,
                expected=listed[name][:12] + "…",
                found=found[:12] + "…",
            )


def card_faults(folder: Path) -> Iterator[Fault]:
    """The card exists and starts with a YAML header."""
    card = folder / "README.md"
    if not card.is_file():
        yield Fault(code="card_missing", message="the card is missing", file="README.md")
    elif not card.read_text(encoding="utf-8", errors="replace").startswith("---\n"):
        yield Fault(
            code="card_header",
            message="the card has no YAML header",
            file="README.md",
            row=1,
            expected="---",
        )
