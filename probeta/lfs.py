"""Git LFS: in the place of a large file a clone may have a pointer to it, a few lines of text."""

from __future__ import annotations

from pathlib import Path

_BEGINNING = b"version https://git-lfs.github.com/spec/"


def is_pointer(path: Path) -> bool:
    """Whether a file is such a pointer."""
    with path.open("rb") as handle:
        return handle.read(len(_BEGINNING)) == _BEGINNING
