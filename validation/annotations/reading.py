"""From a campaign folder or a file to the annotation table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import builtset
from probeta.errors import DataError, Fault, UsageError
from probeta.formats.jsonl import read_jsonl
from probeta.tables import decode_utf8, read_table
from probeta.validation.annotations.foreign import FOREIGN, Layout, from_long, from_wide, refuse_ignored
from probeta.validation.annotations.items import item_columns, item_file
from probeta.validation.annotations.rows import checked, from_records, read_parquet
from probeta.validation.annotations.table import Annotations
from probeta.words import counted

if TYPE_CHECKING:
    import pandas as pd

#: The files of a campaign folder that hold item columns, joined by ``item``; later ones add columns.
ITEM_FILES = ("items.jsonl", "gold.jsonl")

#: A campaign's answers to hidden check items and to repeated items, which are no part of the result.
CHECKS = "checks.parquet"


def read(path: Path, *, layout: Layout | None = None, items: Path | None = None) -> Annotations:
    """Read the annotation table from a campaign folder or a .parquet, .jsonl, .csv, .tsv or .xlsx file.

    ``items`` names a built set, JSONL, CSV or Parquet file with one row an item (column ``item`` or
    ``id``), whose columns are joined; a campaign folder brings its own. Raises a UsageError for a path
    that is not one of these and a DataError with every fault of the table.
    """
    import pandas as pd

    layout = layout or Layout()
    source = path
    if path.is_dir():
        if builtset.is_built_set(path):
            raise UsageError(_is_built_set(path))
        source = path / "annotations.parquet"
        if not source.is_file():
            raise UsageError(
                f"{path} has no annotations.parquet: pull the campaign first (`probeta campaign pull {path}`)"
            )
    refuse_ignored(layout, file=str(path), foreign=source.suffix.lower() in FOREIGN)
    name = str(path)
    raw, extra = _raw(source, layout, str(source))
    kind = checked(raw, str(source))
    frames = [extra] if extra is not None else []
    names = set(raw["item"]) | (set(extra.index) if extra is not None else set())
    again, declared = None, {}
    if path.is_dir():
        declared = _campaign(path)
        known = {file: item_file(path / file) for file in ITEM_FILES if (path / file).is_file()}
        frames += known.values()
        if ITEM_FILES[0] in known:
            listed = known[ITEM_FILES[0]]
            roles = listed["role"] if "role" in listed.columns else None
            names |= set(listed.index if roles is None else listed.index[roles == "sample"])
            again = _again(path / CHECKS, listed)
    notes = []
    if items is not None:
        frames.append(item_columns(items))
        if unknown := _unknown(raw["item"], frames[-1].index, name, items):
            notes.append(unknown)
    joined = pd.DataFrame(index=pd.Index(sorted(names), name="item"))
    for frame in frames:
        fresh = [column for column in frame.columns if column not in joined.columns]
        joined = joined.join(frame[fresh])
    return Annotations(raw, joined, name, kind, again, notes=tuple(notes), **declared)


def _unknown(answered: pd.Series[str], listed: pd.Index[str], file: str, items: Path) -> str | None:
    """What to say of answered items that the item columns lack; a UsageError where they lack them all."""
    names = set(answered)
    unknown = names - set(listed)
    if names and unknown == names:
        found = f", which begins with {listed[0]!r}" if len(listed) else ""
        raise UsageError(f"{file}: none of its items ({min(names)!r}, …) stands in {items}{found}")
    # The file is not named: reports are published.
    return f"{len(unknown)} of {counted(len(names), 'item')} have no item columns" if unknown else None


def _is_built_set(path: Path) -> str:
    held = sorted((path / "annotations").glob("*.parquet"))
    there = f"; name those it holds, {held[0]} --items {path}" if held else ""
    return f"{path} is a built set, not annotations{there}"


def _campaign(folder: Path) -> dict[str, Any]:
    """What ``campaign.yaml`` declares of the labels and the language, where there is one."""
    path = folder / "campaign.yaml"
    if not path.is_file():
        return {}
    import yaml

    def broken(message: str, found: object) -> DataError:
        return DataError(Fault(code="campaign", message=message, file=str(path), found=repr(found)[:60]))

    try:
        settings = yaml.safe_load(decode_utf8(path.read_bytes(), file=str(path))) or {}
    except yaml.YAMLError as error:
        raise broken("the settings cannot be read", str(error)) from None
    if not isinstance(settings, dict):
        raise broken("the settings are no mapping", settings)
    labels, language = settings.get("labels") or None, settings.get("language")
    if labels is not None and not (
        isinstance(labels, list | dict) and all(isinstance(label, str) for label in labels)
    ):
        raise broken("the labels are no list of texts, nor a mapping from them", labels)
    if not isinstance(language, str | None):
        raise broken("the language is no text", language)
    return {"labels": None if labels is None else tuple(labels), "language": language}


def _again(path: Path, items: pd.DataFrame) -> pd.DataFrame | None:
    """The answers to repeated items, under the name of the item that they repeat."""
    if not path.is_file() or "of" not in items.columns:
        return None
    rows, _ = from_records(list(enumerate(read_parquet(path, str(path)), start=1)), str(path))
    original = {item: of for item, of in items["of"].items() if isinstance(of, str)}
    rows = rows[rows["item"].isin(list(original))].copy()
    rows["item"] = [original[item] for item in rows["item"]]
    if not len(rows):
        return None
    checked(rows, str(path))
    return rows


def _raw(path: Path, layout: Layout, file: str) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    suffix = path.suffix.lower()
    if not path.is_file():
        raise UsageError(f"no such file: {file}")
    if suffix == ".parquet":
        return from_records(list(enumerate(read_parquet(path, file), start=1)), file)
    if suffix == ".jsonl":
        return from_records(read_jsonl(path, name=file), file)
    if suffix in FOREIGN:
        table = read_table(path, name=file)
        if not len(table):
            raise DataError(
                Fault(code="no_answers", message="the table has a header and no answers", file=file)
            )
        if layout.item == "item" and "item" not in table.columns and "id" in table.columns:
            layout = replace(layout, item="id")
        return from_wide(table, layout) if layout.wide else from_long(table, layout)
    raise UsageError(f"{file}: expected a campaign folder or a .parquet, .jsonl, .csv, .tsv or .xlsx file")
