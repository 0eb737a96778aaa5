"""Every form in which a corpus comes, as documents; and how its files are cut into shards.

A shard is named by what it reads, never by who reads it, so any number of workers cut the same ones. One module
a kind of input says how it is cut and read; reading holds one document, and at most one row group.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from probeta.builders.pairs.readers.arrow import PARQUET, SAVED, is_saved
from probeta.builders.pairs.readers.base import (
    COMPRESSED,
    Kind,
    Part,
    Refused,
    Shard,
    document_id,
    is_compressed,
    relative,
    stem,
)
from probeta.builders.pairs.readers.jsonl import JSONL
from probeta.builders.pairs.readers.tei import TEI
from probeta.builders.pairs.readers.text import TEXT
from probeta.builders.pairs.records import Document
from probeta.errors import UsageError

__all__ = [
    "SHARD_BYTES",
    "Part",
    "Plan",
    "Refused",
    "Shard",
    "bare_name",
    "document_of",
    "plan",
    "read",
    "read_part",
    "shard_hash",
]

#: The kinds of input by the name that shards bear.
KINDS: Mapping[str, Kind] = {
    "text": TEXT,
    "jsonl": JSONL,
    "parquet": PARQUET,
    "tei": TEI,
    "dataset": SAVED,
}
_BY_ENDING = {ending: name for name, kind in KINDS.items() for ending in kind.endings}

#: A shard of JSON lines, and of grouped files, is about so many bytes.
SHARD_BYTES = 8_000_000


def bare_name(path: Path) -> str:
    """A file's name without its kind and compression; a folder's name as it is.

    >>> bare_name(Path("a/novels.jsonl.gz"))
    'novels'
    """
    return path.name if path.is_dir() else stem(path, tuple(_BY_ENDING))


def _kind_of(path: Path) -> str | None:
    """The kind of a file by its ending, compression aside; None if it is no corpus file."""
    bare = path.with_suffix("") if is_compressed(path) else path
    return _BY_ENDING.get(bare.suffix.lower())


class Plan(NamedTuple):
    """The shards of a corpus, and the files below its path that are of no known kind."""

    shards: list[Shard]
    ignored: list[str]


def plan(corpus: str, path: Path, *, shard_bytes: int = SHARD_BYTES) -> Plan:
    """Cut a corpus into shards: a function of its files alone.

    Raises a UsageError where the path is no corpus, or a folder without one.
    """
    inputs, ignored = _inputs(path)
    if not inputs:
        raise UsageError(_nothing(path, ignored))
    for _, file in inputs:
        if not os.access(file, os.R_OK):
            raise UsageError(f"{file} may not be read")
    shards: list[Shard] = []
    group: list[Part] = []
    group_name = ""
    size = 0

    def close() -> None:
        if group:
            shards.append(Shard(corpus, group_name, str(path), tuple(group)))
            group.clear()

    for name, file in inputs:
        cut = KINDS[name].cut
        if cut is not None:
            shards += [Shard(corpus, name, str(path), (part,)) for part in cut(file, shard_bytes)]
            continue
        weight = file.stat().st_size
        if size + weight > shard_bytes or group_name != name:
            close()
            size = 0
        group.append(Part(str(file)))
        size += weight
        group_name = name
    close()
    return Plan(shards, ignored)


def _nothing(path: Path, ignored: list[str]) -> str:
    expected = (
        f"expected {', '.join(_BY_ENDING)}, each also {' '.join(COMPRESSED)}, or a folder that datasets saved"
    )
    others = f" ({len(ignored)} others, such as {ignored[0]})" if ignored else ""
    return f"{path} holds no text{others}: {expected}"


def _inputs(path: Path) -> tuple[list[tuple[str, Path]], list[str]]:
    """(kind, file or folder) of what a path holds, in a stable order, and the files of no known kind.

    Hidden files and folders are no part of a corpus.
    """
    if path.is_file():
        kind = _kind_of(path)
        return ([(kind, path)] if kind else []), []
    if is_saved(path):
        return [("dataset", path)], []
    there = [
        found
        for found in sorted(path.rglob("*"))
        if not any(part.startswith(".") for part in found.relative_to(path).parts)
    ]
    saved: list[Path] = []
    for folder in there:
        if folder.is_dir() and is_saved(folder) and not any(one in folder.parents for one in saved):
            saved.append(folder)
    inputs: list[tuple[str, Path]] = []
    ignored: list[str] = []
    for file in there:
        if not file.is_file() or any(folder in file.parents for folder in saved):
            continue
        if kind := _kind_of(file):
            inputs.append((kind, file))
        else:
            ignored.append(file.relative_to(path).as_posix())
    return inputs + [("dataset", folder) for folder in saved], ignored


def shard_hash(shard: Shard) -> str:
    """A hash of the bytes that a shard reads and of where it cuts them; of names, only those in ids."""
    digest = hashlib.sha256(f"{shard.corpus}\x1f{shard.kind}".encode())
    for part in shard.parts:
        shown = relative(shard, Path(part.path))
        digest.update(f"\x1f{shown}\x1f{part.start}\x1f{part.stop}\x1f".encode())
        for block in KINDS[shard.kind].content(part):
            digest.update(block)
    return digest.hexdigest()


def read(shard: Shard) -> Iterator[Document | Refused]:
    """The documents of a shard, clean, in their order; a damaged one as ``Refused``."""
    for part in shard.parts:
        yield from read_part(shard, part)


def read_part(shard: Shard, part: Part) -> Iterator[Document | Refused]:
    """The documents of one of a shard's parts."""
    return KINDS[shard.kind].read(shard, part)


def document_of(shard: Shard, part: Part) -> str:
    """The id of the document that a part is, where that is known before it is read; else ""."""
    kind = KINDS[shard.kind]
    return document_id(shard, Path(part.path), kind.endings) if kind.cut is None else ""
