"""Every form in which a corpus comes, as documents; and how its files are cut into shards.

A shard is named by what it reads, never by who reads it, so any number of workers cut the same ones. Plain
text and TEI files are grouped, JSON lines are cut at byte ranges, Parquet at row groups, ``datasets`` folders
at row ranges; a compressed file is one shard. Reading holds one document, and at most one row group.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import itertools
import json
import lzma
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, cast

from probeta.builders.pairs.encoding import decode, mojibake, mojibake_fault
from probeta.builders.pairs.records import Document
from probeta.builders.pairs.repair import JOINT, clean, declared_paragraphs, fold_space, paragraphs_of
from probeta.errors import DataError, Fault, UsageError

Kind = Literal["text", "jsonl", "parquet", "tei", "dataset"]

#: Endings of compressed files.
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_KINDS: dict[str, Kind] = {
    ".txt": "text",
    ".text": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".xml": "tei",
    ".tei": "tei",
}
#: A shard of JSON lines, and of grouped files, is about so many bytes.
SHARD_BYTES = 8_000_000
#: Rows of a ``datasets`` folder in a shard.
SHARD_ROWS = 20_000
#: No document is longer: it is held in memory whole.
DOCUMENT_BYTES = 64_000_000


def _open(path: Path) -> IO[bytes]:
    """A file's bytes, decompressed by its ending."""
    suffix = path.suffix.lower()
    if suffix == ".zst":
        import pyarrow as pa

        return io.BufferedReader(pa.CompressedInputStream(pa.OSFile(str(path)), "zstd"))
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    return cast(IO[bytes], openers.get(suffix, open)(path, "rb"))


class Part(NamedTuple):
    """A stretch of one file: bytes, row groups or rows by kind; ``stop`` None is the end."""

    path: str
    start: int = 0
    stop: int | None = None


@dataclass(frozen=True, slots=True)
class Shard:
    """What one task reads; ``root`` is the corpus's path, which document ids leave out."""

    corpus: str
    kind: Kind
    root: str
    parts: tuple[Part, ...]

    def to_json(self) -> dict[str, Any]:
        """The shard as plain values."""
        return asdict(self)


def bare_name(path: Path) -> str:
    """A file's name without its kind and compression; a folder's name as it is.

    >>> bare_name(Path("a/novels.jsonl.gz"))
    'novels'
    """
    if path.is_dir():
        return path.name
    name = path.name
    for suffix in (*_COMPRESSED, *_KINDS):
        name = name.removesuffix(suffix)
    return name


def kind_of(path: Path) -> Kind | None:
    """The kind of a file by its ending, compression aside; None if it is no corpus file."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return _KINDS.get(suffixes[-1]) if suffixes else None


def _is_dataset(folder: Path) -> bool:
    return (folder / "state.json").is_file() or (folder / "dataset_dict.json").is_file()


class Plan(NamedTuple):
    """The shards of a corpus, and the files below its path that are of no known kind."""

    shards: list[Shard]
    ignored: list[str]


def plan(corpus: str, path: Path, *, shard_bytes: int = SHARD_BYTES) -> Plan:
    """Cut a corpus into shards: a function of its files alone.

    Raises a UsageError where the path is no corpus, or a folder without one.
    """
    files, ignored, datasets = _files(path)
    if not files and not datasets:
        raise UsageError(
            f"{path} holds no text: expected .txt, .jsonl, .parquet, .xml (TEI), each also .gz .bz2 .xz .zst, "
            "or a folder that datasets saved"
        )
    shards: list[Shard] = []
    group: list[Part] = []
    group_kind: Kind = "text"
    size = 0
    root = str(path)
    for file, kind in files:
        if kind in ("text", "tei"):
            weight = file.stat().st_size
            if group and (size + weight > shard_bytes or group_kind != kind):
                shards.append(Shard(corpus, group_kind, root, tuple(group)))
                group, size = [], 0
            group.append(Part(str(file)))
            size += weight
            group_kind = kind
        elif kind == "jsonl":
            shards += [Shard(corpus, kind, root, (part,)) for part in _byte_ranges(file, shard_bytes)]
        else:
            shards += [Shard(corpus, kind, root, (part,)) for part in _row_groups(file, shard_bytes)]
    if group:
        shards.append(Shard(corpus, group_kind, root, tuple(group)))
    for folder in datasets:
        shards += [Shard(corpus, "dataset", root, (part,)) for part in _row_ranges(folder)]
    return Plan(shards, ignored)


def _files(path: Path) -> tuple[list[tuple[Path, Kind]], list[str], list[Path]]:
    if path.is_file():
        kind = kind_of(path)
        return ([(path, kind)] if kind else []), [], []
    if _is_dataset(path):
        return [], [], [path]
    files: list[tuple[Path, Kind]] = []
    ignored: list[str] = []
    datasets = sorted(
        {found.parent for name in ("state.json", "dataset_dict.json") for found in path.rglob(name)}
    )
    datasets = [folder for folder in datasets if not any(parent in datasets for parent in folder.parents)]
    for file in sorted(found for found in path.rglob("*") if found.is_file()):
        if any(folder in file.parents for folder in datasets) or file.name.startswith("."):
            continue
        kind = kind_of(file)
        if kind:
            files.append((file, kind))
        else:
            ignored.append(file.relative_to(path).as_posix())
    return files, ignored, datasets


def _byte_ranges(file: Path, shard_bytes: int) -> list[Part]:
    size = file.stat().st_size
    if file.suffix.lower() in _COMPRESSED or size <= shard_bytes * 3 // 2:
        return [Part(str(file))]
    cuts = [*range(0, size - shard_bytes // 2, shard_bytes), size]
    return [Part(str(file), start, stop) for start, stop in itertools.pairwise(cuts)]


def _row_groups(file: Path, shard_bytes: int) -> list[Part]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_metadata(file)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(
            Fault(code="parquet", message=f"the file cannot be read: {error}", file=str(file))
        ) from None
    parts: list[Part] = []
    start = weight = 0
    for at in range(metadata.num_row_groups):
        weight += metadata.row_group(at).total_byte_size
        if weight >= shard_bytes or at == metadata.num_row_groups - 1:
            parts.append(Part(str(file), start, at + 1))
            start, weight = at + 1, 0
    return parts


def _row_ranges(folder: Path) -> list[Part]:
    import datasets

    loaded = datasets.load_from_disk(str(folder))
    splits = {"": loaded} if isinstance(loaded, datasets.Dataset) else dict(loaded)
    return [
        Part(str(folder / name), start, min(start + SHARD_ROWS, rows.num_rows))
        for name, rows in sorted(splits.items())
        for start in range(0, rows.num_rows, SHARD_ROWS)
    ]


def shard_hash(shard: Shard) -> str:
    """A hash of the bytes that a shard reads and of where it cuts them; of names, only those in ids."""
    digest = hashlib.sha256(f"{shard.corpus}\x1f{shard.kind}".encode())
    for part in shard.parts:
        path = Path(part.path)
        digest.update(f"\x1f{_relative(shard, path)}\x1f{part.start}\x1f{part.stop}\x1f".encode())
        if path.is_dir():
            digest.update((path / "state.json").read_bytes())  # it holds a fingerprint of the rows
            continue
        with path.open("rb") as handle:
            for start, length in _stretches(shard.kind, part):
                handle.seek(start)
                while length > 0 and (block := handle.read(min(1 << 20, length))):
                    digest.update(block)
                    length -= len(block)
    return digest.hexdigest()


def _stretches(kind: Kind, part: Part) -> list[tuple[int, int]]:
    """(start, length) of the bytes of its file that a part reads."""
    path = Path(part.path)
    if kind == "jsonl" and part.stop is not None:
        return [(part.start, part.stop - part.start)]
    if kind != "parquet":
        return [(0, path.stat().st_size)]
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(path)
    found = []
    for at in range(part.start, part.stop or metadata.num_row_groups):
        group = metadata.row_group(at)
        for number in range(group.num_columns):
            column = group.column(number)
            start = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
            found.append((start, column.total_compressed_size))
    return found


def _relative(shard: Shard, path: Path) -> str:
    root = Path(shard.root)
    return path.name if path == root else path.relative_to(root).as_posix()


class Refused(NamedTuple):
    """A document that cannot be mined, and why."""

    document: str
    fault: Fault


def read(shard: Shard) -> Iterator[Document | Refused]:
    """The documents of a shard, clean, in their order; a damaged one as ``Refused``."""
    readers = {
        "text": _read_text,
        "jsonl": _read_jsonl,
        "parquet": _read_parquet,
        "tei": _read_tei,
        "dataset": _read_dataset,
    }
    for part in shard.parts:
        yield from readers[shard.kind](shard, part)


def _whole(path: Path, shown: str) -> bytes:
    """A file's bytes, decompressed; a DataError where it cannot be read or is longer than a document may be."""
    try:
        with _open(path) as handle:
            data = handle.read(DOCUMENT_BYTES + 1)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise DataError(
            Fault(code="compression", message=f"the file cannot be read: {error}", file=shown)
        ) from None
    if len(data) > DOCUMENT_BYTES:
        raise DataError(_too_long(shown, None))
    return data


def _document_id(shard: Shard, path: Path) -> str:
    folder, slash, _ = _relative(shard, path).rpartition("/")
    return f"{folder}{slash}{bare_name(path)}"


def _read_text(shard: Shard, part: Part) -> Iterator[Document | Refused]:
    path = Path(part.path)
    name, shown = _document_id(shard, path), _relative(shard, path)
    try:
        text, encoding = decode(_whole(path, shown), file=shown)
    except DataError as error:
        yield Refused(name, error.faults[0])
        return
    yield _judged(name, text, lambda: paragraphs_of(clean(text)), file=shown, row=None, encoding=encoding)


def _judged(
    name: str,
    text: str,
    paragraphs: Callable[[], list[str]],
    *,
    file: str,
    row: int | None,
    encoding: str | None = None,
) -> Document | Refused:
    if stretch := mojibake(text):
        line = row if row is not None else text[: text.find(stretch)].count("\n") + 1
        return Refused(name, mojibake_fault(stretch, file=file, row=line))
    return Document(name, paragraphs(), encoding)


def _too_long(file: str, row: int | None) -> Fault:
    return Fault(
        code="document_too_long",
        message="the document is longer than one document may be",
        file=file,
        row=row,
        expected=f"at most {DOCUMENT_BYTES:,} bytes",
        fix="cut it into documents (chapters, articles)",
    )


def _read_jsonl(shard: Shard, part: Part) -> Iterator[Document | Refused]:
    import orjson

    path = Path(part.path)
    shown = _relative(shard, path)
    for line, data in _lines(path, part):
        if isinstance(line, Fault):
            yield Refused(f"{shown}:{part.start}", line)
            continue
        try:
            record = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            try:
                record = json.loads(decode(data, file=shown).text)
            except (ValueError, DataError):
                fault = Fault(code="json", message=f"the line is no JSON: {error}", file=shown, row=line)
                yield Refused(f"{shown}:{line}", fault)
                continue
        yield _from_record(record, file=shown, row=line)


def _lines(path: Path, part: Part) -> Iterator[tuple[Any, bytes]]:
    """(line number or fault, bytes) of the lines that begin in the part; numbers count from its start."""
    with _open(path) as handle:
        position = part.start
        if position:
            handle.seek(position - 1)
            position += len(handle.readline()) - 1  # the line that the cut falls into is the part's before
        number = 0
        try:
            while part.stop is None or position < part.stop:
                data = handle.readline(DOCUMENT_BYTES)
                if not data:
                    break
                position += len(data)
                number += 1
                if len(data) == DOCUMENT_BYTES and not data.endswith(b"\n"):
                    position += _skip_line(handle)
                    yield _too_long(path.name, number), b""
                elif data.strip():
                    yield number, data.removeprefix(b"\xef\xbb\xbf") if number == 1 else data
        except (OSError, EOFError, lzma.LZMAError) as error:
            yield (
                Fault(
                    code="compression", message=f"the file breaks off: {error}", file=path.name, row=number
                ),
                b"",
            )


def _skip_line(handle: IO[bytes]) -> int:
    skipped = 0
    while block := handle.readline(1 << 20):
        skipped += len(block)
        if block.endswith(b"\n"):
            break
    return skipped


def _from_record(record: Any, *, file: str, row: int) -> Document | Refused:
    """A document from a record with ``id`` and ``text`` or ``paragraphs``."""

    def fault(message: str, expected: str, found: object) -> Refused:
        kind = "nothing" if found is None else type(found).__name__
        return Refused(
            f"{file}:{row}",
            Fault(code="record", message=message, file=file, row=row, expected=expected, found=kind),
        )

    if not isinstance(record, dict):
        return fault("the record is no object", "an object with id and text or paragraphs", record)
    name = record.get("id")
    if not isinstance(name, str | int) or name == "":
        return fault("the document has no id", "a text or a number under id", name)
    paragraphs, text = record.get("paragraphs"), record.get("text")
    if paragraphs is not None:
        if not isinstance(paragraphs, list) or not all(isinstance(part, str) for part in paragraphs):
            return fault("the paragraphs are no texts", "a list of texts under paragraphs", paragraphs)
        whole = JOINT.join(paragraphs)
        return _judged(str(name), whole, lambda: declared_paragraphs(paragraphs, whole), file=file, row=row)
    if not isinstance(text, str):
        return fault("the document has no text", "text, or paragraphs", text)
    return _judged(str(name), text, lambda: paragraphs_of(clean(text)), file=file, row=row)


def _read_parquet(shard: Shard, part: Part) -> Iterator[Document | Refused]:
    import pyarrow.parquet as pq

    path = Path(part.path)
    shown = _relative(shard, path)
    with pq.ParquetFile(path) as file:
        columns = [name for name in ("id", "text", "paragraphs") if name in file.schema_arrow.names]
        row = 0
        for batch in file.iter_batches(
            batch_size=256,
            row_groups=list(range(part.start, part.stop or file.num_row_groups)),
            columns=columns,
        ):
            for record in batch.to_pylist():
                row += 1
                yield _from_record(record, file=shown, row=row)


def _read_dataset(shard: Shard, part: Part) -> Iterator[Document | Refused]:
    import datasets

    path = Path(part.path)
    rows = datasets.load_from_disk(str(path))
    names = [name for name in ("id", "text", "paragraphs") if name in rows.column_names]
    rows = rows.select_columns(names).select(range(part.start, part.stop or rows.num_rows))
    for at, record in enumerate(rows, start=part.start + 1):
        yield _from_record(record, file=_relative(shard, path) or path.name, row=at)


#: Elements whose text is no running prose of the paragraph that holds them.
_LEFT_OUT = frozenset({"note", "fw", "figDesc", "teiHeader", "bibl"})


def _read_tei(shard: Shard, part: Part) -> Iterator[Document | Refused]:
    from xml.etree import ElementTree

    path = Path(part.path)
    name, shown = _document_id(shard, path), _relative(shard, path)
    try:
        root = ElementTree.fromstring(_whole(path, shown))
    except DataError as error:
        yield Refused(name, error.faults[0])
        return
    except ElementTree.ParseError as error:
        fault = Fault(
            code="xml", message=f"the file is no XML: {error.msg}", file=shown, row=error.position[0]
        )
        yield Refused(name, fault)
        return
    texts = list(_outermost(root, "text"))
    for at, text in enumerate(texts):
        paragraphs = [fold_space(clean(_prose(node))) for node in _outermost(text, "p")]
        own = name if len(texts) == 1 else f"{name}#{at}"
        yield _judged(own, "\n".join(paragraphs), paragraphs.copy, file=shown, row=None)


def _outermost(node: Any, wanted: str) -> Iterator[Any]:
    """The elements ``wanted`` below ``node`` that stand in no other one, notes and headers left out."""
    for child in node:
        local = _local(child)
        if local == wanted:
            yield child
        elif local not in _LEFT_OUT:
            yield from _outermost(child, wanted)


def _local(node: Any) -> str:
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def _prose(node: Any) -> str:
    """The text of a paragraph: notes are left out and what follows them is kept; breaks part words."""
    parts = [node.text or ""]
    for child in node:
        local = _local(child)
        if local in ("lb", "pb", "cb"):
            if child.get("break") == "no":
                parts[-1] = parts[-1].rstrip().removesuffix("-")
            else:
                parts.append(" ")
        elif local and local not in _LEFT_OUT:
            parts.append(_prose(child))
        parts.append(child.tail or "")
    return "".join(parts)
