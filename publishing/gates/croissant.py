"""croissant.json: the keys that the format requires, checksums, and its records read by mlcroissant.

mlcroissant takes a third of a millisecond a record, so of a large set a seeded sample from all over each file
is read, and the report says so; the checksums hold for the whole files.
"""

from __future__ import annotations

import itertools
import json
import logging
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from probeta.errors import Fault
from probeta.hashing import file_sha256
from probeta.publishing.gates.result import Result
from probeta.randomness import keyed

NAME = "croissant.json"

#: What version 1.1 of Croissant requires; mlcroissant passes over some of it in silence.
REQUIRED = ("name", "description", "url", "creator", "license", "datePublished", "version", "conformsTo")

#: Records that are read at most, of all files together; each file gives its share, and ``LEAST`` if it has them.
READ, LEAST = 30_000, 1_000


def check_croissant(folder: Path) -> Result:
    """The file ``croissant.json`` of a folder."""
    path = folder / NAME
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        return Result(faults=[Fault(code="croissant", message=f"it cannot be read: {error}", file=NAME)])
    if not isinstance(value, dict):
        fault = Fault(code="croissant", message="it is no JSON object", file=NAME, expected="{…}")
        return Result(faults=[fault])
    faults = [*_key_faults(value), *_file_faults(folder, value)]
    if any(fault.code in ("croissant_file", "croissant_sha256") for fault in faults):
        return Result(faults=faults)
    read = _Reading(folder, value)
    return Result(faults=[*faults, *read.faults()], notes=read.notes)


def _key_faults(value: Mapping[str, Any]) -> Iterator[Fault]:
    for key in REQUIRED:
        if not value.get(key):
            yield Fault(
                code="croissant_key",
                message=f"{key} is missing, which the format requires",
                file=NAME,
                column=key,
            )


def _file_faults(folder: Path, value: Mapping[str, Any]) -> Iterator[Fault]:
    for at, entry in enumerate(_entries(value)):
        url = entry.get("contentUrl")
        if entry.get("@type") != "cr:FileObject" or not isinstance(url, str) or "://" in url:
            continue
        file, column = folder / url, f"distribution[{at}]"
        if not file.is_file():
            yield Fault(code="croissant_file", message=f"{url} is not there", file=NAME, column=column)
        elif (given := entry.get("sha256")) and (sha := file_sha256(file)) != given:
            yield Fault(
                code="croissant_sha256",
                message=f"the checksum of {url} is another one",
                file=NAME,
                column=column,
                expected=sha[:12] + "…",
                found=str(given)[:12] + "…",
            )


def _entries(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = value.get("distribution")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _references(value: object) -> Iterator[str]:
    """Every ``@id`` that something names."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == "@id" and isinstance(inner, str):
                yield inner
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


@dataclass
class _Reading:
    """The records, as mlcroissant gives them; ``notes`` say what was not read."""

    folder: Path
    value: dict[str, Any]
    notes: list[Fault] = field(default_factory=list)

    def faults(self) -> Iterator[Fault]:
        logging.getLogger("absl").setLevel(logging.ERROR)
        sizes = self._sizes()
        total = sum(sizes.values())
        if total <= READ:
            yield from self._read(self.folder / NAME, {})
            return
        shares = {url: min(rows, max(LEAST, READ * rows // total)) for url, rows in sizes.items()}
        with tempfile.TemporaryDirectory(prefix="probeta-croissant-") as place:
            copy = self._sampled(Path(place), shares)
            yield from self._read(copy, shares)
        self.notes.append(
            Fault(
                code="croissant_sampled",
                message=f"{sum(shares.values()):,} of {total:,} records were read, drawn from all over each file "
                "with seed 0; the checksums of the whole files hold",
                file=NAME,
            )
        )

    def _sizes(self) -> dict[str, int]:
        """Rows of every Parquet file that is named, by its address."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        found: dict[str, int] = {}
        for entry in _entries(self.value):
            url = entry.get("contentUrl")
            if isinstance(url, str) and url.endswith(".parquet") and (self.folder / url).is_file():
                try:
                    found[url] = pq.read_metadata(self.folder / url).num_rows
                except (pa.ArrowInvalid, OSError):
                    return {}  # a damaged file is another gate's fault, and mlcroissant's below
        return found

    def _sampled(self, place: Path, shares: Mapping[str, int]) -> Path:
        """A folder with a sample of every file, and the same description but for their checksums."""
        value = json.loads(json.dumps(self.value))
        for entry in _entries(value):
            url = str(entry.get("contentUrl"))
            if url in shares:
                (place / url).parent.mkdir(parents=True, exist_ok=True)
                sample(self.folder / url, place / url, rows=shares[url])
                entry["sha256"] = file_sha256(place / url)
            elif (self.folder / url).is_file():
                (place / url).parent.mkdir(parents=True, exist_ok=True)
                (place / url).symlink_to((self.folder / url).resolve())
        (place / NAME).write_text(json.dumps(value), encoding="utf-8")
        return place / NAME

    def _read(self, path: Path, shares: Mapping[str, int]) -> Iterator[Fault]:
        import mlcroissant

        try:
            dataset = mlcroissant.Dataset(jsonld=str(path))
        except Exception as error:  # mlcroissant raises several kinds
            # Its message goes on with warnings, which are no faults.
            said = re.split(r"Found the following \d+ warning", " ".join(str(error).split()))[0]
            yield Fault(code="croissant", message=said[:500].strip(), file=NAME)
            return
        far = self._far_away()
        declared = {one.get("@id"): one for one in self.value.get("recordSet") or () if isinstance(one, dict)}
        for record_set in dataset.metadata.record_sets:
            name = record_set.uuid
            if far & set(_references(declared.get(name))):
                self.notes.append(
                    Fault(
                        code="croissant_remote",
                        message=f"the records of {name} were not read: their files are not in this folder",
                        file=NAME,
                    )
                )
                continue
            try:
                for _ in itertools.islice(dataset.records(name), READ):
                    pass
            except Exception as error:  # as above
                yield Fault(
                    code="croissant_records",
                    message=f"the records of {name} cannot be read: {type(error).__name__}: {str(error)[:200]}",
                    file=NAME,
                )

    def _far_away(self) -> set[str]:
        """What is not in the folder: files with an address, and what they contain."""
        far: set[str] = set()
        for _ in range(len(_entries(self.value)) + 1):
            for entry in _entries(self.value):
                if "://" in str(entry.get("contentUrl") or "") or far & set(
                    _references(entry.get("containedIn"))
                ):
                    far.add(str(entry.get("@id")))
        return far


def sample(source: Path, target: Path, *, rows: int, seed: int = 0) -> None:
    """Write ``rows`` rows of a Parquet file, drawn from all over it, in their order, a batch at a time."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(source)
    drawn = iter(sorted(keyed(seed, "croissant", source.name).sample(range(file.metadata.num_rows), rows)))
    at, start = next(drawn, None), 0
    with pq.ParquetWriter(target, file.schema_arrow) as writer:
        for batch in file.iter_batches():
            chosen = []
            while at is not None and at < start + batch.num_rows:
                chosen.append(at - start)
                at = next(drawn, None)
            if chosen:
                writer.write_batch(batch.take(chosen))
            start += batch.num_rows
