"""Hashes of texts and files."""

from __future__ import annotations

import hashlib
from pathlib import Path


def text_hash(*texts: str) -> str:
    """Sixteen hex digits that change when a text changes; several texts are hashed as a sequence.

    >>> text_hash("Los burpees") == text_hash("Los burpees") != text_hash("Los", "burpees")
    True
    """
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()[:16]


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as handle:
        while block := handle.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
