"""The one writer of a built set: what a build writes is already what will be published.

Every config becomes ``<config>/<split>-00000-of-00001.parquet`` with its declared features, beside the
card, the guidelines, the reports, what regenerates the set, and checksums. The folder appears whole or
not at all (``probeta.atomic``).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import atomic, builtset
from probeta.errors import UsageError
from probeta.publishing import regions
from probeta.publishing.regions import HandText

if TYPE_CHECKING:
    import datasets
    import pyarrow as pa


@dataclass(frozen=True, kw_only=True)
class ConfigTables:
    """One config: its declared features and, by split, a table or a stream of record batches."""

    name: str
    features: datasets.Features
    splits: Mapping[str, pa.Table | Iterable[pa.RecordBatch]]


@dataclass(frozen=True, kw_only=True)
class Contents:
    """All that goes into a built set besides its checksums.

    ``reports`` are JSON objects by name (``stats`` becomes ``reports/stats.json``), ``texts`` further
    files by their path in the folder (``build/probeta.yaml``). ``documents`` makes the card and all else
    that is said about the data, by path, when the rest is on disk; it is given the folder and what people
    wrote into the cards that are replaced. Splits named in ``hold_back`` go below ``private/``.
    """

    configs: Sequence[ConfigTables]
    reports: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    texts: Mapping[str, str | bytes] = field(default_factory=dict)
    documents: Callable[[Path, HandText], Mapping[str, str]] | None = None
    hold_back: Collection[str] = ()


def refuse_existing(out: Path, *, replace: bool) -> None:
    """Raise a UsageError unless ``out`` is free, empty, or a built set that may be replaced, and in no other.

    A DataError if replacing it would lose what people wrote into its card.
    """
    builtset.refuse_inside(out)
    atomic.repair(out.absolute())
    _refuse(out, replace=replace)


def _refuse(out: Path, *, replace: bool) -> None:
    if not out.exists():
        return
    if not out.is_dir():
        raise UsageError(f"{out} is a file; expected a folder that does not exist yet")
    if not any(out.iterdir()):
        return
    if not builtset.is_built_set(out):
        raise UsageError(f"{out} exists and is not a built set; choose another folder")
    if not replace:
        raise UsageError(f"{out} exists; say --replace to build it anew")
    hand_text(out)


def write(out: Path, contents: Contents, *, replace: bool = False) -> None:
    """Write the folder ``out``; nothing of it is there if anything fails."""
    refuse_existing(out, replace=replace)
    with atomic.folder(out) as folder:
        # Another run may have written it before this one had it for itself.
        _refuse(out, replace=replace)
        fill(folder, contents, hand_text(out))


def add(out: Path, contents: Contents, *, without: str | None = None) -> None:
    """Put further configs, reports and texts into the built set ``out``, and make its documents anew.

    What has a name that is there already is replaced, and what matches the pattern ``without`` goes first.
    The folder changes whole or not at all.
    """
    atomic.repair(out.absolute())
    if not builtset.is_built_set(out):
        raise UsageError(f"{out} is not a built set; `probeta build` writes one")
    with atomic.folder(out) as folder:
        kept = hand_text(out)
        shutil.copytree(out, folder, dirs_exist_ok=True)
        for path in folder.glob(without) if without else ():
            path.unlink()
        for config in contents.configs:
            for place in (folder, folder / builtset.PRIVATE):
                shutil.rmtree(place / config.name, ignore_errors=True)
        fill(folder, contents, kept)


def overwrite(out: Path, files: Mapping[str, bytes]) -> None:
    """Give ``files`` of the built set ``out`` another content; the folder changes whole or not at all."""
    with atomic.folder(out) as folder:
        shutil.copytree(out, folder, dirs_exist_ok=True)
        for name, content in files.items():
            put(folder / name, content)


def fill(folder: Path, contents: Contents, kept: HandText) -> None:
    """Write the contents into ``folder``: data, reports, texts, then what is made from them, then the sums."""
    for config in contents.configs:
        for split, table in config.splits.items():
            place = folder / builtset.PRIVATE if split in contents.hold_back else folder
            write_parquet(place / config.name / f"{split}-00000-of-00001.parquet", table, config.features)
    for name, report in contents.reports.items():
        put(folder / "reports" / f"{name}.json", json_text(report))
    for name, text in contents.texts.items():
        put(folder / name, text)
    if contents.documents:
        for name, text in contents.documents(folder, kept).items():
            put(folder / name, text)
    put(folder / "SHA256SUMS", builtset.checksums(folder))


def hand_text(folder: Path) -> dict[str, dict[str, str]]:
    """What people wrote into the cards of a folder, to be kept when they are made again.

    Raises a DataError if a card was edited elsewhere too: nobody's text is lost in silence.
    """
    found = {}
    for path in sorted(folder.glob("README*.md")):
        text = path.read_text(encoding="utf-8-sig", errors="replace")
        if own := regions.kept_text(text, file=path.name):
            found[path.name] = own
    return found


def put(path: Path, content: str | bytes) -> None:
    """One file of the folder, Unix line ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def json_text(value: Mapping[str, Any]) -> str:
    """A report as text: readable, never NaN, one newline at the end."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def write_parquet(
    path: Path, table: pa.Table | Iterable[pa.RecordBatch], features: datasets.Features
) -> None:
    """Write rows with declared features; the features travel in the file's schema, as ``datasets`` writes them.

    Raises ``pyarrow.ArrowInvalid`` when the rows do not fit the features: nothing is cast silently.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = features.arrow_schema
    path.parent.mkdir(parents=True, exist_ok=True)
    batches: Iterable[pa.RecordBatch] = table.to_batches() if isinstance(table, pa.Table) else table
    with pq.ParquetWriter(path, schema, compression="snappy") as writer:
        for batch in batches:
            writer.write_batch(batch.cast(schema))
