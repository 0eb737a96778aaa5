"""One shard: read, mine, write one Parquet file and one completion record. The unit of every executor.

The Parquet is written under a temporary name and renamed, then the record is; a shard is done when its record
names the same input, the same recipe and the file that is there.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import atomic
from probeta.builders.pairs.corpora import Corpus
from probeta.builders.pairs.job import Job
from probeta.builders.pairs.readers import Refused, Shard, document_of, read_part, shard_hash
from probeta.builders.pairs.records import Counts, Document, Reject
from probeta.builders.pairs.rows import Row
from probeta.builtset import PAIR_COLUMNS
from probeta.errors import DataError, Fault

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA_VERSION = 1
ROWS_A_GROUP = 16_384

#: Columns that only the stages between use: the id as a number, the draw that orders a class, and the folded texts' hashes.
INTERNAL_COLUMNS = {"key": "uint64", "draw": "uint64", "fold_1": "uint64", "fold_2": "uint64"}


@dataclass(frozen=True, slots=True)
class Task:
    """A shard with its number in the run, its corpus and where its output goes."""

    number: int
    corpus: Corpus
    shard: Shard
    folder: str

    @property
    def parquet(self) -> Path:
        """The shard's rows."""
        return Path(self.folder) / f"shard-{self.number:06d}.parquet"

    @property
    def record(self) -> Path:
        """The completion record."""
        return Path(self.folder) / f"shard-{self.number:06d}.json"

    @property
    def current(self) -> Path:
        """Which document is being mined, and by which process."""
        return Path(self.folder) / f"shard-{self.number:06d}.current"


@dataclass(slots=True)
class Record:
    """What is known of a finished shard."""

    corpus: str
    input_hash: str
    job_hash: str
    rows: int
    counts: Counts
    rejects: list[Reject] = field(default_factory=list)
    refused: list[dict[str, Any]] = field(default_factory=list)
    quarantined: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The record as plain values."""
        return {
            "schema_version": SCHEMA_VERSION,
            "corpus": self.corpus,
            "input_hash": self.input_hash,
            "job_hash": self.job_hash,
            "rows": self.rows,
            "counts": self.counts.to_json(),
            "rejects": [reject._asdict() for reject in self.rejects],
            "refused": self.refused,
            "quarantined": self.quarantined,
        }

    def faults(self) -> list[Fault]:
        """The faults of the documents that were refused."""
        return [Fault(**fault) for fault in self.refused]


def read_record(task: Task) -> Record | None:
    """The record of a finished shard; None where there is none that can be read."""
    try:
        value = json.loads(task.record.read_text(encoding="utf-8"))
        if value["schema_version"] != SCHEMA_VERSION:
            return None
        return Record(
            corpus=value["corpus"],
            input_hash=value["input_hash"],
            job_hash=value["job_hash"],
            rows=value["rows"],
            counts=Counts.from_json(value["counts"]),
            rejects=[Reject(**reject) for reject in value["rejects"]],
            refused=value["refused"],
            quarantined=value["quarantined"],
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def mine_shard(job: Job, task: Task, *, skip: Sequence[str] = (), one_by_one: bool = False) -> Record:
    """Mine one shard, unless its record says that it is done; ``skip`` are quarantined documents.

    Where this process dies, ``read_current`` tells the document that was read last; with ``one_by_one`` that
    is the one that was being mined, without it one of those that waited for the tagger with it may have been.
    """
    input_hash, job_hash = shard_hash(task.shard), job.hash(task.corpus)
    done = read_record(task)
    if (
        done is not None
        and (done.input_hash, done.job_hash) == (input_hash, job_hash)
        and set(skip) <= set(done.quarantined)
        and task.parquet.is_file()
    ):
        return done
    miner = job.miner(task.corpus)
    refused: list[Refused] = []
    quarantined: list[str] = []
    task.record.unlink(missing_ok=True)
    with _Current(task.current) as current:
        rows = write_rows(
            task.parquet,
            miner.mine(
                _documents(task.shard, skip, current=current, refused=refused, quarantined=quarantined),
                one_by_one=one_by_one,
            ),
        )
    miner.counts.documents_refused.update(one.fault.code for one in refused)
    miner.counts.documents_refused["quarantined"] += len(quarantined)
    record = Record(
        corpus=task.corpus.name,
        input_hash=input_hash,
        job_hash=job_hash,
        rows=rows,
        counts=miner.counts,
        rejects=miner.rejects.sampled(),
        refused=[asdict(one.fault) for one in refused],
        quarantined=quarantined,
    )
    atomic.write_text(task.record, json.dumps(record.to_json(), ensure_ascii=False, indent=1) + "\n")
    return record


def _documents(
    shard: Shard, skip: Sequence[str], *, current: _Current, refused: list[Refused], quarantined: list[str]
) -> Iterator[Document]:
    skipped = {_shown(document) for document in skip}
    for part in shard.parts:
        # A file that kills its reader is known by its name.
        name = document_of(shard, part)
        if name and _shown(name) in skipped:
            quarantined.append(name)
            continue
        current.set(name)
        for item in read_part(shard, part):
            if isinstance(item, Refused):
                refused.append(item)
            elif _shown(item.id) in skipped:
                quarantined.append(item.id)
            else:
                current.set(item.id)
                yield item
                current.set(name)
        current.set("")


#: Bytes of the file that says which document is at work; 16 of them are not the document's.
_CURRENT_BYTES = 1024


def _shown(document: str) -> str:
    """A document's id as the parent of a dead worker reads it: the longest are cut."""
    return document.encode("utf-8", "surrogatepass")[: _CURRENT_BYTES - 16].decode("utf-8", "replace")


class _Current:
    """The id of the document at work, where the parent finds it when this process has died."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> _Current:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("wb") as handle:
            handle.write(f"{os.getpid():>10}".encode().ljust(_CURRENT_BYTES, b"\0"))
        with self._path.open("r+b") as handle:
            self._map = mmap.mmap(handle.fileno(), _CURRENT_BYTES)
        return self

    def set(self, document: str) -> None:
        data = document.encode("utf-8", "surrogatepass")[: _CURRENT_BYTES - 16]
        self._map[10 : 12 + len(data)] = len(data).to_bytes(2, "big") + data

    def __exit__(self, *error: object) -> None:
        self._map.close()
        self._path.unlink(missing_ok=True)


def read_current(path: Path) -> tuple[int, str] | None:
    """(process, document) of a shard that is at work or whose worker died; None where it is neither."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if len(data) < 12 or not data[:10].strip().isdigit():
        return None
    length = int.from_bytes(data[10:12], "big")
    return int(data[:10]), data[12 : 12 + length].decode("utf-8", "replace")


def row_schema() -> pa.Schema:
    """The columns of a shard's rows: those of a pair, without what the build adds, and the internal ones."""
    import pyarrow as pa

    kinds = {"string": pa.string(), "int32": pa.int32(), "bool": pa.bool_(), "uint64": pa.uint64()}
    columns = {**PAIR_COLUMNS, **INTERNAL_COLUMNS}
    return pa.schema([(name, kinds[kind]) for name, kind in columns.items() if name != "canary"])


def write_rows(path: Path, rows: Iterator[Row]) -> int:
    """Write a shard's rows, whole or not at all; returns how many there are."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = row_schema()
    written = 0
    with atomic.file(path) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
        group: list[Row] = []

        def flush() -> None:
            writer.write_table(pa.Table.from_pylist(group, schema=schema))

        for row in rows:
            group.append(row)
            if len(group) >= ROWS_A_GROUP:
                flush()
                written += len(group)
                group.clear()
        flush()
        written += len(group)
    return written


def refuse_damaged(records: Sequence[Record]) -> None:
    """Raise every fault of every refused document at once."""
    faults = [fault for record in records for fault in record.faults()]
    if faults:
        raise DataError(faults)
