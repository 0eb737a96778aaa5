"""JSON lines: one line is one document with ``id`` and ``text`` or ``paragraphs``.

A file is cut at byte ranges; a line belongs to the range that it begins in. Bytes are those of the text: a
compressed file is unpacked from its beginning for every range, so it is cut into a few only, and only where
it is large.
"""

from __future__ import annotations

import codecs
import io
import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import IO, BinaryIO, cast

from probeta.builders.pairs.encoding import decode
from probeta.builders.pairs.readers.base import (
    DAMAGED,
    DOCUMENT_BYTES,
    Kind,
    Part,
    Refused,
    Shard,
    from_record,
    is_compressed,
    open_bytes,
    relative,
    stretches,
    too_long,
    whole_file,
)
from probeta.builders.pairs.records import Document
from probeta.errors import DataError, Fault

#: A compressed file is cut into at most so many parts. What unpacking it again costs grows with their number:
#: with eight it is 3.5 times the file in all, a small share of what mining takes.
COMPRESSED_PARTS = 8

_BLOCK = 1 << 20


def _cut(file: Path, shard_bytes: int) -> list[Part]:
    size = file.stat().st_size
    try:
        if size > shard_bytes and is_compressed(file):
            size = _unpacked_size(file)
            shard_bytes = max(shard_bytes, -(-size // COMPRESSED_PARTS))
        if size <= shard_bytes * 3 // 2 or _wide(file):
            return [Part(str(file))]
    except DAMAGED:
        return [Part(str(file))]  # reading it will say what is wrong with it
    cuts = [*range(0, size - shard_bytes // 2, shard_bytes), size]
    return [Part(str(file), start, stop) for start, stop in itertools.pairwise(cuts)]


def _unpacked_size(file: Path) -> int:
    size = 0
    with open_bytes(file) as handle:
        while block := handle.read(_BLOCK):
            size += len(block)
    return size


def _wide(file: Path) -> str | None:
    """UTF-16 or UTF-32, where the file is in it: JSON begins with two characters of ASCII."""
    with open_bytes(file) as handle:
        head = handle.read(4)
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if head[1:2] == b"\0":
        return "utf-16-le"
    return "utf-16-be" if head[:1] == b"\0" else None


def _content(part: Part) -> Iterator[bytes]:
    if part.stop is None or is_compressed(Path(part.path)):
        return whole_file(part)
    return stretches(part.path, [(part.start, part.stop - part.start)])


def _read(shard: Shard, part: Part) -> Iterator[Document | Refused]:
    path = Path(part.path)
    for item in _items(path, part, relative(shard, path)):
        if isinstance(item, Refused) and part.start and isinstance(item.fault.row, int):
            # Lines before the part are counted only for the sake of a fault.
            before = _line_counter(part.path, path.stat().st_mtime_ns).before(part.start)
            yield Refused(replace(item.fault, row=item.fault.row + before))
        else:
            yield item


def _items(path: Path, part: Part, shown: str) -> Iterator[Document | Refused]:
    """The documents of a part; rows of faults count from its first line."""
    import orjson

    try:
        wide = _wide(path)
    except DAMAGED:
        wide = None
    for row, line in _lines(path, part, shown, wide):
        if isinstance(line, Fault):
            yield Refused(line)
            continue
        encoding = wide or "utf-8"
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            try:
                text, encoding = decode(line, file=shown)
                record = json.loads(text)
            except (ValueError, DataError, RecursionError):
                yield Refused(
                    Fault(code="json", message=f"the line is no JSON: {error}", file=shown, row=row)
                )
                continue
        yield from_record(record, file=shown, row=row, encoding=encoding)


def _lines(path: Path, part: Part, shown: str, wide: str | None) -> Iterator[tuple[int, bytes | Fault]]:
    """(number, bytes or fault) of the lines that begin in the part, the first one 1, in UTF-8 or narrower."""
    number = 0
    try:
        with open_bytes(path) as opened:
            handle = _Narrowed(opened, wide) if wide else opened
            position = part.start
            if position:
                _forward(opened, path, position - 1)
                position += (
                    len(handle.readline()) - 1
                )  # the line that the cut falls into is the part's before
            while part.stop is None or position < part.stop:
                data = handle.readline(DOCUMENT_BYTES)
                if not data:
                    break
                position += len(data)
                number += 1
                if len(data) >= DOCUMENT_BYTES and not data.endswith(b"\n"):
                    position += _skip_line(handle)
                    yield number, too_long(shown, number)
                elif data.strip():
                    first = part.start == 0 and number == 1
                    yield number, data.removeprefix(codecs.BOM_UTF8) if first else data
    except UnicodeDecodeError as error:
        fault = f"the file is not the {wide} that its first bytes promise: {error.reason}"
        yield number + 1, Fault(code="encoding", message=fault, file=shown, row=number + 1)
    except DAMAGED as error:
        fault = f"the file breaks off: {error}"
        yield number + 1, Fault(code="compression", message=fault, file=shown, row=number + 1)


def _forward(handle: IO[bytes], path: Path, position: int) -> None:
    """Go to a byte of the text: what is compressed can only be read up to there."""
    if not is_compressed(path):
        handle.seek(position)
        return
    while position > 0 and (block := handle.read(min(position, _BLOCK))):
        position -= len(block)


class _Narrowed:
    """The lines of a UTF-16 or UTF-32 file in UTF-8."""

    def __init__(self, handle: IO[bytes], encoding: str) -> None:
        self._text = io.TextIOWrapper(cast(BinaryIO, handle), encoding, newline="\n")

    def readline(self, limit: int = -1) -> bytes:
        """A line, or its first ``limit`` characters."""
        return self._text.readline(limit).encode("utf-8", "surrogatepass")


def _skip_line(handle: IO[bytes] | _Narrowed) -> int:
    skipped = 0
    while block := handle.readline(_BLOCK):
        skipped += len(block)
        if block.endswith(b"\n"):
            break
    return skipped


class _LineCounter:
    """Counts the lines before a byte of a file; going on from where it was last, if that is further on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._position = self._lines = 0

    def before(self, start: int) -> int:
        """The lines before the first one that begins at or after ``start``, a byte after the first."""
        if start - 1 < self._position:
            self._position = self._lines = 0
        with open_bytes(self._path) as handle:
            _forward(handle, self._path, self._position)
            while block := handle.read(min(_BLOCK, start - 1 - self._position)):
                self._position += len(block)
                self._lines += block.count(b"\n")
        return self._lines + 1  # and the line that the byte before ``start`` stands in


@lru_cache(maxsize=4)
def _line_counter(path: str, changed: int) -> _LineCounter:
    """The counter of a file as it was ``changed`` last."""
    return _LineCounter(Path(path))


JSONL = Kind(endings=(".jsonl", ".ndjson"), cut=_cut, read=_read, content=_content)
