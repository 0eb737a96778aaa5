"""CoNLL with a token and then one tag column an annotator, sentences apart by a blank line.

The columns' names come from ``annotators``, else from a first line ``# token a1 a2``. Tags are IOB2; an I
that continues nothing opens a span and is noted. A column of ``_`` alone was not annotated. Ids are
``# id = …`` lines, else the sentence's number.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from probeta.annotation.importers.base import Imported, ImportOptions
from probeta.errors import Fault
from probeta.tables import decode_utf8

#: What stands in a column where a person did not annotate.
_ABSENT = "_"


def read(path: Path, options: ImportOptions, into: Imported) -> None:
    """Add the sentences of a file."""
    names = list(options.annotators)
    for number, (line, id, rows, header) in enumerate(_sentences(path), start=1):
        if header and not names:
            names = header[1:]
        width = len(rows[0]) - 1
        if not names:
            names = [f"annotator{column}" for column in range(1, width + 1)]
        wrong = [at for at, row in enumerate(rows) if len(row) != len(names) + 1]
        if wrong:
            message = "the line has not one column an annotator"
            into.faults.append(
                Fault(
                    code="columns",
                    message=message,
                    file=path.name,
                    row=line + wrong[0],
                    expected=f"{len(names) + 1} columns",
                    found=str(len(rows[wrong[0]])),
                )
            )
            continue
        text = " ".join(row[0] for row in rows)
        item = id or str(number)
        into.item(item, {"text": text}, file=path.name, row=line)
        for column, name in enumerate(names, start=1):
            tags = [row[column] for row in rows]
            if set(tags) == {_ABSENT}:
                continue
            raw = _spans([row[0] for row in rows], tags, options, into, path.name, line)
            who = options.users.get(name, name)
            spans = into.spans(raw, text, file=path.name, row=line)
            into.answer(item, who, spans=spans, source=f"{path.name}#{line}:{column}")


def _sentences(path: Path) -> Iterator[tuple[int, str | None, list[list[str]], list[str]]]:
    """Line, id, rows and the header line (once) of each sentence."""
    rows: list[list[str]] = []
    header: list[str] = []
    id: str | None = None
    start = 1
    text = decode_utf8(path.read_bytes(), file=path.name)
    for line, raw in enumerate([*text.split("\n"), ""], start=1):
        row = raw.rstrip("\r")
        if row.startswith("# "):
            name, mark, value = row[2:].partition(" = ")
            if mark:
                id = value.strip() if name in ("id", "sent_id") else id
            else:
                header = row[2:].split()
        elif row.strip():
            if not rows:
                start = line
            rows.append(row.split("\t") if "\t" in row else row.split())
        elif rows:
            yield start, id, rows, header
            rows, id = [], None


def _spans(
    tokens: list[str], tags: list[str], options: ImportOptions, into: Imported, file: str, line: int
) -> list[tuple[Any, Any, Any, Any]]:
    found: list[list[Any]] = []
    at = 0
    before = "O"
    for offset, (token, tag) in enumerate(zip(tokens, tags, strict=True)):
        prefix, _, label = tag.partition("-")
        name = label or options.label
        continues = prefix == "I" and before != "O" and bool(found) and found[-1][2] == name
        if prefix not in ("B", "I", "O"):
            message = "the tag is none of IOB2"
            into.faults.append(Fault(code="tag", message=message, file=file, row=line + offset, found=tag))
        elif prefix != "O" and name is None:
            message = "the tag names no label; say which: --label"
            into.faults.append(Fault(code="tag", message=message, file=file, row=line + offset, found=tag))
        elif continues:
            found[-1][1] = at + len(token)
        elif prefix != "O":
            if prefix == "I":
                message = "an I that continues nothing opens a span"
                into.notes.append(Fault(code="invalid_tag", message=message, file=file, row=line + offset))
            found.append([at, at + len(token), name])
        before = prefix
        at += len(token) + 1
    return [(start, end, label, None) for start, end, label in found]
