"""Annotations that others have: each format is read into items and rows of the annotation table.

A reader yields what it finds; what cannot be read is a fault with its place, and nothing is then imported.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from probeta.annotation.importers.base import Imported, ImportOptions
from probeta.errors import DataError, UsageError, one_of

__all__ = ["FORMATS", "ImportOptions", "Imported", "format_of", "read"]


class Format(NamedTuple):
    """A reader's module and what it reads, in words."""

    module: str
    title: str


FORMATS: Mapping[str, Format] = {
    "label_studio": Format("label_studio", "a Label Studio export: JSON, or the flat JSON-MIN"),
    "doccano": Format("doccano", "doccano's JSONL"),
    "brat": Format("brat", "a folder of brat standoff: a folder an annotator, or one annotator's files"),
    "conll": Format("conll", "CoNLL with one tag column an annotator"),
    "wide": Format("wide", "a table with one column an annotator"),
}


def format_of(path: Path) -> str:
    """The format by ending; a UsageError where it names none."""
    if path.is_dir():
        return "brat"
    endings = {".json": "label_studio", ".jsonl": "doccano", ".csv": "wide", ".xlsx": "wide"}
    endings |= dict.fromkeys((".tsv", ".conll", ".iob", ".bio"), "conll")
    found = endings.get(path.suffix.lower())
    if found is None:
        raise UsageError(f"{path}: the ending names no format; say --format {'|'.join(FORMATS)}")
    return found


def read(
    paths: Sequence[Path], *, format: str | None = None, options: ImportOptions | None = None
) -> Imported:
    """Read files of one format and put them together. Raises a DataError with every fault."""
    name = format or format_of(paths[0])
    module: Any = importlib.import_module(
        f"probeta.annotation.importers.{FORMATS[one_of(name, FORMATS, what='format')].module}"
    )
    made = Imported()
    for path in paths:
        if not path.exists():
            raise UsageError(f"no such file: {path}")
        module.read(path, options or ImportOptions(), made)
    made.check()
    if made.faults:
        raise DataError(made.faults)
    return made
