"""Files and folders appear whole or not at all.

A folder is written beside its target under a temporary name; the old one is moved aside, the new one
renamed, the old one removed. A crash in between leaves ``<name>.old`` or ``<name>.new``, which the next
call repairs.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from probeta.errors import UsageError


def _beside(target: Path, role: str) -> Path:
    return target.with_name(f".{target.name}.{role}")


@contextmanager
def _space_named(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}; nothing was changed") from error


def repair(target: Path) -> None:
    """Undo what a crash left behind: restore the old folder if the new one never arrived."""
    old, new = _beside(target, "old"), _beside(target, "new")
    if old.exists() and not target.exists():
        old.rename(target)
    for leftover in (old, new):
        if leftover.exists():
            shutil.rmtree(leftover)


@contextmanager
def folder(target: Path) -> Iterator[Path]:
    """Yield an empty folder to fill; on success it takes the target's place, on failure it is gone.

    Whether an existing target may be replaced is the caller's decision, taken before.
    """
    target = target.absolute()
    with _space_named(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        repair(target)
        old, new = _beside(target, "old"), _beside(target, "new")
        new.mkdir()
    try:
        with _space_named(target):
            yield new
            if target.exists():
                target.rename(old)
            new.rename(target)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def file(target: Path) -> Iterator[Path]:
    """Yield a temporary path to write; on success it is renamed to ``target``, on failure removed."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with _space_named(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            yield temporary
            temporary.replace(target)
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_text(target: Path, text: str) -> None:
    """Write a UTF-8 file with Unix line ends, whole or not at all."""
    with file(target) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
