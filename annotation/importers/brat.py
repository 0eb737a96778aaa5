"""brat standoff: ``name.txt`` with ``name.ann``; a folder of folders holds one annotator in each.

Offsets are code points. An entity in pieces has no place among spans and is a fault.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from probeta.annotation.importers.base import Imported, ImportOptions
from probeta.errors import Fault
from probeta.tables import decode_utf8

_ENTITY = re.compile(r"T\d+\t(?P<label>\S+) (?P<bounds>\d+ \d+(?:;\d+ \d+)*)\t(?P<text>.*)")


def read(path: Path, options: ImportOptions, into: Imported) -> None:
    """Add the documents of a folder; in a folder of folders, each is an annotator."""
    folders = sorted(folder for folder in path.iterdir() if folder.is_dir()) if path.is_dir() else []
    if folders and not list(path.glob("*.ann")):
        for folder in folders:
            _folder(folder, options.users.get(folder.name, folder.name), into)
    else:
        who = options.annotator or path.name
        _folder(path, options.users.get(who, who), into)


def _folder(folder: Path, who: str, into: Imported) -> None:
    for document in sorted(folder.glob("*.txt")):
        shown = f"{folder.name}/{document.name}"
        # Line ends count, so they are kept as they are.
        text = decode_utf8(document.read_bytes(), file=shown)
        into.item(document.stem, {"text": text}, file=shown, row=1)
        file = document.with_suffix(".ann")
        if not file.is_file():
            message = "the document has no .ann file: it was not annotated"
            into.notes.append(Fault(code="not_annotated", message=message, file=shown))
            continue
        raw: list[tuple[Any, Any, Any, Any]] = []
        name = f"{folder.name}/{file.name}"
        for line, row in enumerate(decode_utf8(file.read_bytes(), file=name).splitlines(), start=1):
            if not row.startswith("T"):
                continue
            found = _ENTITY.fullmatch(row)
            if found is None or ";" in found["bounds"]:
                message = "an entity in pieces is no span" if found else "the line is no entity"
                into.faults.append(Fault(code="brat", message=message, file=name, row=line, found=row[:60]))
                continue
            start, end = map(int, found["bounds"].split())
            # brat shows a line break inside an entity as a blank.
            surface = (
                text[start:end] if found["text"] == text[start:end].replace("\n", " ") else found["text"]
            )
            raw.append((start, end, found["label"], surface))
        into.answer(document.stem, who, spans=into.spans(raw, text, file=name, row=1), source=name)
