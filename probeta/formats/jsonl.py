"""JSONL: one sentence a line, ``{"id", "text", "spans": [{"start", "end", "label", "text"}], …}``.

Every further key is an attribute of the sentence and keeps its name and value. NaN and lone surrogates
are no JSON. ``text`` in a span is checked where it stands and always written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from probeta import atomic
from probeta.errors import Fault
from probeta.formats.base import (
    Faults,
    Losses,
    ReadOptions,
    ReadReport,
    Source,
    WriteOptions,
    WriteReport,
    not_utf8,
)
from probeta.formats.rows import RowReader, dump_line, to_row
from probeta.jsontext import doubt
from probeta.records import Sentence

_BUFFER = 1 << 20


def read(
    source: Source, options: ReadOptions, report: ReadReport, faults: Faults
) -> Iterator[tuple[int, Sentence]]:
    """Yield each sentence with its line; blank lines are skipped."""
    build = RowReader(options, report, faults)
    for number, (line, raw, record) in enumerate(records(source, faults), start=1):
        sentence = build(record, row=line, number=number, raw=raw)
        if sentence is not None:
            yield line, sentence


def records(source: Source, faults: Faults) -> Iterator[tuple[int, bytes, Any]]:
    """Yield each line's number, bytes and value; blank lines are skipped, one that is no JSON is a fault."""
    loads = orjson.loads
    with source.open() as handle:
        for line, raw in enumerate(handle, start=1):
            if line == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            try:
                record = loads(raw)
            except orjson.JSONDecodeError as error:
                if not raw.isspace() and raw:
                    _tell(raw, line, error, handle, faults)
                continue
            if reason := doubt(raw, record):
                faults.add(Fault(code="json", message=f"the line cannot be read: {reason}", row=line))
                continue
            yield line, raw, record


def read_jsonl(path: Path, *, name: str | None = None) -> list[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file of any kind with their lines; ``name`` is the file's in messages.

    Raises a UsageError where there is no file, and a DataError with every line that is no JSON object.
    """
    faults = Faults(name or str(path))
    rows: list[tuple[int, dict[str, Any]]] = []
    for line, _, record in records(Source.of(path), faults):
        if type(record) is dict:
            rows.append((line, record))
        else:
            faults.add(
                Fault(code="record_type", message="the row is no object", row=line, expected="an object")
            )
    faults.done()
    return rows


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write objects of any kind, one a line, whole or not at all."""
    atomic.write_text(
        path, "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
    )


def _tell(raw: bytes, line: int, error: orjson.JSONDecodeError, handle: BinaryIO, faults: Faults) -> None:
    """Note why a line is no JSON; an encoding or a document over several lines ends the reading."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise not_utf8(raw, handle, line, faults) from None
    if line == 1 and (raw.lstrip()[:1] == b"[" or raw.strip() == b"{"):
        message = "the file is one JSON document over several lines"
        raise faults.stop(Fault(code="json", message=message, row=1, expected="one JSON object a line"))
    message = error.msg.split(": line ")[0]
    if re.search(r"\b(NaN|-?Infinity)\b", text[max(0, error.pos - 1) : error.pos + 9]):
        message = "NaN and Infinity are no JSON"
    elif "surrogate" in message:
        message = "a lone surrogate is no character"
    faults.add(
        Fault(
            code="json",
            message=f"the line cannot be read: {message}",
            row=line,
            column=f"character {error.pos + 1}",
            expected="one JSON object a line",
            found=repr(text[max(0, error.pos - 20) : error.pos + 20]),
        )
    )


def write(handle: BinaryIO, sentences: Iterable[Sentence], options: WriteOptions) -> WriteReport:
    """Write a line a sentence; ``options`` change nothing here.

    A value that JSON does not have (a date from a Parquet file) becomes text and is listed as lost.
    """
    report = WriteReport()
    losses = Losses()
    lines: list[bytes] = []
    size = 0
    for sentence in sentences:
        row = to_row(sentence)
        line = dump_line(row, row, losses) + b"\n"
        report.sentences += 1
        report.spans += len(sentence.spans)
        lines.append(line)
        size += len(line)
        if size > _BUFFER:
            handle.write(b"".join(lines))
            lines.clear()
            size = 0
    handle.write(b"".join(lines))
    report.lost = losses.all()
    return report
