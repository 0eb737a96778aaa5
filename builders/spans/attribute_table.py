"""Label the spans of any annotated file and write them as a table: the command ``probeta attributes``."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from probeta import builtset
from probeta.builders.spans import ambiguity as ambiguity_lists
from probeta.builders.spans import spelling as spelling_families
from probeta.builders.spans.attributes import COLUMNS, VALUES, attribute_rows
from probeta.errors import UsageError
from probeta.formats import ReadOptions, ReadReport, read_sentences
from probeta.formats.base import refuse_target, sink
from probeta.progress import track
from probeta.signature import signature

#: Rows written at a time to Parquet.
_BATCH = 10_000


@dataclass(slots=True)
class Labelled:
    """What was labelled: ``counts`` by attribute and value, and the families with their versions."""

    spelling: str | None
    ambiguity: str | None
    signature: str
    read: ReadReport = field(default_factory=ReadReport)
    counts: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in VALUES})
    rows: list[dict[str, Any]] = field(default_factory=list)


def label_spans(
    source: Path | str,
    *,
    out: Path | str | None,
    language: str | None = None,
    spelling: str | None = "strict",
    ambiguity: str | None = "wspanish",
    adjacency: bool = True,
    format: str | None = None,
    reading: ReadOptions | None = None,
    replace: bool = False,
) -> Labelled:
    """Read ``source`` (any format of ``probeta.formats``) and write one row a span with its attributes.

    ``out`` ends in .csv, .tsv, .parquet or .jsonl, or is ``-`` for CSV on standard output; it is written
    whole or not at all; one that is there is refused, or written anew with ``replace``. With None the rows
    are kept in the result. ``language`` is that of a built set where none is chosen, else Spanish. See
    ``attribute_rows`` for the rest.
    """
    language = language or builtset.language(source) or builtset.LANGUAGE
    rules = None if spelling is None else spelling_families.spelling(language, spelling).label
    words = None if ambiguity is None else ambiguity_lists.ambiguity(language, ambiguity).label
    done = Labelled(
        spelling=rules,
        ambiguity=words,
        signature=signature(
            {"attributes": 1, "spelling": rules, "ambiguity": words, "adjacency": str(adjacency).lower()}
        ),
    )
    write = None if out is None else _writer(out)
    if out is not None:
        refuse_target(source, out, replace=replace)
    sentences = read_sentences(source, format=format, options=reading, report=done.read)
    rows = _counted(
        attribute_rows(
            track(sentences, label="sentences"),
            language=language,
            spelling=spelling,
            ambiguity=ambiguity,
            adjacency=adjacency,
        ),
        done.counts,
    )
    if write is None or out is None:
        done.rows = list(rows)
    else:
        with sink(out) as handle:
            write(handle, rows)
    return done


def _counted(rows: Iterable[dict[str, Any]], counts: Mapping[str, Counter[str]]) -> Iterator[dict[str, Any]]:
    for row in rows:
        for name, count in counts.items():
            if row[name] is not None:
                count[row[name]] += 1
        yield row


def _writer(out: Path | str) -> Any:
    ending = ".csv" if str(out) == "-" else Path(out).suffix.lower()
    if ending not in _WRITERS:
        raise UsageError(f"{out}: expected an ending among {', '.join(_WRITERS)}, or - for CSV on stdout")
    return _WRITERS[ending]


def _write_csv(handle: BinaryIO, rows: Iterable[Mapping[str, Any]], delimiter: str = ",") -> None:
    text = io.TextIOWrapper(handle, encoding="utf-8", newline="", write_through=True)
    writer = csv.DictWriter(text, COLUMNS, delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    text.detach()


def _write_tsv(handle: BinaryIO, rows: Iterable[Mapping[str, Any]]) -> None:
    _write_csv(handle, rows, "\t")


def _write_jsonl(handle: BinaryIO, rows: Iterable[Mapping[str, Any]]) -> None:
    for row in rows:
        handle.write(json.dumps(row, ensure_ascii=False).encode("utf-8") + b"\n")


def _write_parquet(handle: BinaryIO, rows: Iterable[Mapping[str, Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([(name, pa.int32() if name in ("start", "end") else pa.string()) for name in COLUMNS])
    remaining = iter(rows)
    with pq.ParquetWriter(handle, schema) as writer:
        while batch := list(islice(remaining, _BATCH)):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))


_WRITERS = {".csv": _write_csv, ".tsv": _write_tsv, ".parquet": _write_parquet, ".jsonl": _write_jsonl}
