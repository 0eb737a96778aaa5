"""What every kind of input shares: shards and their parts, files by their endings, and a record's judgement."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from probeta.builders.pairs.encoding import mojibake, mojibake_fault
from probeta.builders.pairs.records import Document
from probeta.builders.pairs.repair import JOINT, clean, declared_paragraphs, paragraphs_of
from probeta.errors import DataError, Fault

#: Endings of compressed files.
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
#: No document is longer: it is held in memory whole.
DOCUMENT_BYTES = 64_000_000
#: What decompressing raises where a file is damaged; pyarrow's errors are OSErrors.
DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError)


class Part(NamedTuple):
    """A stretch of one file: bytes (of the text, where it is compressed), row groups or rows by kind.

    ``stop`` None is the end.
    """

    path: str
    start: int = 0
    stop: int | None = None


@dataclass(frozen=True, slots=True)
class Shard:
    """What one task reads; ``root`` is the corpus's path, which document ids leave out."""

    corpus: str
    kind: str
    root: str
    parts: tuple[Part, ...]

    def to_json(self) -> dict[str, Any]:
        """The shard as plain values."""
        return asdict(self)


class Refused(NamedTuple):
    """Why a document cannot be mined."""

    fault: Fault


class Kind(NamedTuple):
    """A kind of input: the endings of its files, how one is cut into parts, and how a part is read.

    ``cut`` takes a file and the size of a shard; None: the files are whole and several make a shard.
    ``content`` are the bytes that a part reads, or some that change with them, for its input hash.
    """

    endings: Sequence[str]
    cut: Callable[[Path, int], list[Part]] | None
    read: Callable[[Shard, Part], Iterator[Document | Refused]]
    content: Callable[[Part], Iterator[bytes]]


def stretches(path: str, bounds: Iterable[tuple[int, int]]) -> Iterator[bytes]:
    """The bytes of a file's stretches, each (start, length)."""
    with Path(path).open("rb") as handle:
        for start, length in bounds:
            handle.seek(start)
            while length > 0 and (block := handle.read(min(1 << 20, length))):
                yield block
                length -= len(block)


def whole_file(part: Part) -> Iterator[bytes]:
    """The bytes of a part's whole file."""
    return stretches(part.path, [(0, Path(part.path).stat().st_size)])


def is_compressed(path: Path) -> bool:
    """Whether a file's ending says that it is compressed."""
    return path.suffix.lower() in COMPRESSED


def open_bytes(path: Path) -> IO[bytes]:
    """A file's bytes, decompressed by its ending."""
    suffix = path.suffix.lower()
    if suffix == ".zst":
        import pyarrow as pa

        return io.BufferedReader(pa.CompressedInputStream(pa.OSFile(str(path)), "zstd"))
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    return cast(IO[bytes], openers.get(suffix, open)(path, "rb"))


def whole(path: Path, shown: str) -> bytes:
    """A file's bytes, decompressed; a DataError where it cannot be read or is longer than a document may be."""
    try:
        with open_bytes(path) as handle:
            data = handle.read(DOCUMENT_BYTES + 1)
    except DAMAGED as error:
        raise DataError(
            Fault(code="compression", message=f"the file cannot be read: {error}", file=shown)
        ) from None
    if len(data) > DOCUMENT_BYTES:
        raise DataError(too_long(shown, None))
    return data


def relative(shard: Shard, path: Path) -> str:
    """A file's name as messages and ids show it: below the corpus's path."""
    root = Path(shard.root)
    return path.name if path == root else path.relative_to(root).as_posix()


def stem(path: Path, endings: Sequence[str]) -> str:
    """A file's name without its compression and one of ``endings``.

    >>> stem(Path("a/novels.jsonl.gz"), [".jsonl"])
    'novels'
    """
    name = path.name
    for group in (COMPRESSED, endings):
        name = next((name[: -len(one)] for one in group if name.lower().endswith(one)), name)
    return name


def document_id(shard: Shard, path: Path, endings: Sequence[str]) -> str:
    """The id of a document that is a file: its path below the corpus, without endings."""
    folder, slash, _ = relative(shard, path).rpartition("/")
    return f"{folder}{slash}{stem(path, endings)}"


def too_long(file: str, row: int | None) -> Fault:
    """The fault of a document that is not held in memory."""
    return Fault(
        code="document_too_long",
        message="the document is longer than one document may be",
        file=file,
        row=row,
        expected=f"at most {DOCUMENT_BYTES:,} bytes",
        fix="cut it into documents (chapters, articles)",
    )


def judged(
    name: str,
    text: str,
    paragraphs: Callable[[], list[str]],
    *,
    file: str,
    row: int | None,
    encoding: str | None = None,
) -> Document | Refused:
    """The document, or why its ``text`` cannot be mined."""
    if stretch := mojibake(text):
        line = row if row is not None else text[: text.find(stretch)].count("\n") + 1
        return Refused(mojibake_fault(stretch, file=file, row=line))
    return Document(name, paragraphs(), encoding)


def from_record(record: Any, *, file: str, row: int, encoding: str | None = None) -> Document | Refused:
    """A document from a record with ``id`` and ``text`` or ``paragraphs``."""

    def fault(message: str, expected: str, found: object) -> Refused:
        kind = "nothing" if found is None else type(found).__name__
        return Refused(
            Fault(code="record", message=message, file=file, row=row, expected=expected, found=kind)
        )

    def document(text: str, parts: Callable[[], list[str]]) -> Document | Refused:
        return judged(str(name), text, parts, file=file, row=row, encoding=encoding)

    if not isinstance(record, dict):
        return fault("the record is no object", "an object with id and text or paragraphs", record)
    name = record.get("id")
    if not isinstance(name, str | int) or name == "":
        return fault("the document has no id", "a text or a number under id", name)
    paragraphs, text = record.get("paragraphs"), record.get("text")
    if paragraphs is not None:
        if not isinstance(paragraphs, list) or not all(isinstance(part, str) for part in paragraphs):
            return fault("the paragraphs are no texts", "a list of texts under paragraphs", paragraphs)
        joined = JOINT.join(paragraphs)
        return document(joined, lambda: declared_paragraphs(paragraphs, joined))
    if not isinstance(text, str):
        return fault("the document has no text", "text, or paragraphs", text)
    return document(text, lambda: paragraphs_of(clean(text)))
