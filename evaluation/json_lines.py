"""The values of a JSONL file, one a line, with their lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from probeta.errors import Fault
from probeta.formats.base import Faults, Source


def json_lines(source: Source, faults: Faults) -> Iterator[tuple[int, Any]]:
    """The JSON values of a file, one a line, with their lines; blank lines are skipped."""
    import orjson

    with source.open() as handle:
        for line, raw in enumerate(handle, start=1):
            if raw.isspace():
                continue
            try:
                yield line, orjson.loads(raw.removeprefix(b"\xef\xbb\xbf") if line == 1 else raw)
            except orjson.JSONDecodeError as error:
                faults.add(
                    Fault(
                        code="json",
                        message=f"the line cannot be read: {error.msg}",
                        row=line,
                        expected="one JSON object a line",
                        found=repr(raw[:40]),
                    )
                )


def json_objects(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file."""
    faults = Faults(str(path))
    for line, record in json_lines(Source.of(path), faults):
        if isinstance(record, dict):
            yield record
        else:
            faults.add(
                Fault(code="record_type", message="the row is no object", row=line, expected="an object")
            )
    faults.done()
