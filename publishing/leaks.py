"""Texts that must not leave this machine, found again in any file, however it quotes, cases or wraps them."""

from __future__ import annotations

import gzip
import html
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

#: What opening a damaged or locked file raises; Arrow's errors are ValueErrors, a missing password a RuntimeError.
CLOSED = (OSError, EOFError, ValueError, RuntimeError, zlib.error, zipfile.BadZipFile)

#: A text with fewer letters or words may stand elsewhere by chance; inside a longer text of other data, where
#: chance has more room, one with fewer words than ``PART`` may.
LETTERS, WORDS, PART = 20, 4, 8

#: Columns that hold the texts of examples; the other columns of a set name and describe them.
TEXT_COLUMNS = (
    "text",
    "sentence_1",
    "sentence_2",
    "premise",
    "hypothesis",
    "sentence",
    "sentence1",
    "sentence2",
)

_WORD = re.compile(r"[^\W_]+")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\[nrt]")


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text as they are compared: without case, marks and spaces.

    >>> words_of("«El *Burpee*», dijo.")
    ('el', 'burpee', 'dijo')
    """
    return tuple(_WORD.findall(unicodedata.normalize("NFC", text).casefold()))


class Leaks:
    """The texts that are held back, by their first words."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._by_start: dict[tuple[str, ...], list[tuple[tuple[str, ...], str]]] = {}
        for text in sorted(set(texts)):
            words = words_of(text)
            if len(text) >= LETTERS and len(words) >= WORDS:
                self._by_start.setdefault(words[:WORDS], []).append((words, text))

    def __bool__(self) -> bool:
        return bool(self._by_start)

    def inside(self, text: str, *, part: int = WORDS) -> set[str]:
        """The held-back texts that stand in ``text``, word by word; a part of it only with ``part`` words or more.

        >>> sorted(Leaks(["Nadie ha visto esta oración."]).inside("# Nota\\n> NADIE ha visto\\n> esta oración"))
        ['Nadie ha visto esta oración.']
        """
        words = words_of(text)
        starts = list(zip(*(words[at:] for at in range(WORDS)), strict=False))
        if self._by_start.keys().isdisjoint(starts):
            return set()
        return {
            whole
            for at, start in enumerate(starts)
            for held, whole in self._by_start.get(start, ())
            if words[at : at + len(held)] == held and (len(held) >= part or len(held) == len(words))
        }

    def in_file(self, path: Path) -> set[str]:
        """The held-back texts that stand in a file: Parquet cell by cell, archives member by member.

        Raises one of ``CLOSED`` where the file cannot be looked into.
        """
        found: set[str] = set()
        if path.suffix == ".parquet":
            for text in parquet_texts(path):
                found |= self.inside(text, part=PART)
        else:
            for content in contents(path):
                found |= self.inside(plain(content))
        return found


def plain(content: bytes) -> str:
    """A file's bytes as text, the escapes of JSON and HTML resolved.

    >>> plain(rb'"caf\\u00e9 &amp; t\\u00e9"')
    '"café & té"'
    """
    text = content.decode("utf-8", errors="replace")
    text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)
    return html.unescape(text)


def contents(path: Path) -> Iterator[bytes]:
    """What a file holds: itself, or the members of an archive (workbooks and documents are such)."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                member = archive.read(name)
                yield member
                # Tags end words: in a workbook and in a document a text can be cut by them.
                if b"<" in member:
                    yield re.sub(rb"<[^>]*>", b" ", member)
        return
    data = path.read_bytes()
    yield gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def parquet_texts(path: Path, *, only: Iterable[str] | None = None) -> Iterator[str]:
    """Every different text of the columns of a Parquet file, or of those named ``only``; lists as one text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    for batch in file.iter_batches(columns=list(only) if only is not None else None):
        for column in batch.columns:
            if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
                yield from filter(None, column.unique().to_pylist())
            elif pa.types.is_list(column.type) and pa.types.is_string(column.type.value_type):
                yield from (" ".join(filter(None, row)) for row in column.to_pylist() if row)
            elif pa.types.is_nested(column.type):
                yield from map(str, filter(None, column.to_pylist()))


def example_texts(path: Path) -> Iterator[str]:
    """The texts of the examples in a Parquet file of a set; of a config of spans there are none."""
    import pyarrow.parquet as pq

    columns = pq.read_schema(path).names
    named = [name for name in TEXT_COLUMNS if name in columns]
    if "span" not in columns and (named or "tokens" not in columns):
        yield from parquet_texts(path, only=named or None)
