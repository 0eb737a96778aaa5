"""Import: answers given elsewhere become part of a campaign, or make one.

Each call writes ``imports/<file>.parquet``, and ``annotations.parquet`` is the last pull and all imports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from probeta import atomic
from probeta.annotation import annotators as people
from probeta.annotation import importers
from probeta.annotation.annotators import Annotator, email_hash, enrol
from probeta.annotation.campaign import (
    ANNOTATIONS,
    ANNOTATORS,
    CAMPAIGN,
    FIELDS,
    GOLD,
    IMPORTS,
    ITEMS,
    Campaign,
    Item,
    Settings,
    task_key,
    write_settings,
)
from probeta.annotation.importers import Imported, ImportOptions
from probeta.errors import DataError, Fault, UsageError
from probeta.formats.jsonl import write_jsonl
from probeta.hashing import text_hash
from probeta.validation import annotations as table


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What was imported, and what a person should know of it."""

    campaign: Campaign
    items: int
    rows: int
    statuses: Mapping[str, int]
    annotators: int
    notes: Sequence[Fault]

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        return {
            "campaign": str(self.campaign.folder),
            "items": self.items,
            "rows": self.rows,
            **self.statuses,
            "annotators": self.annotators,
            "notes": [note.to_json() for note in self.notes],
        }


def import_files(
    folder: Path, paths: Sequence[Path], *, format: str | None = None, options: ImportOptions | None = None
) -> ImportReport:
    """Read ``paths`` into the campaign ``folder``, which is made where there is none.

    In a campaign that is there, items are known by id, by task key or by their texts. Addresses become
    pseudonyms; other names are kept. Raises a DataError with every fault, and nothing is written then.
    """
    made = importers.read(paths, format=format, options=options)
    if (folder / CAMPAIGN).is_file():
        campaign = Campaign(folder)
        with campaign.lock():
            _match(made, campaign)
            return _add(campaign, made, paths)
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} exists and is no campaign; choose another folder")
    with atomic.folder(folder) as target:
        report = _add(_make(target, made, paths), made, paths)
    return replace(report, campaign=Campaign(folder))


def imported_rows(campaign: Campaign) -> list[dict[str, Any]]:
    """The rows of all imports, in the order of their files' names."""
    return [row for path in sorted(campaign.path(IMPORTS).glob("*.parquet")) for row in _rows(path)]


def _rows(path: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows


def _make(folder: Path, made: Imported, paths: Sequence[Path]) -> Campaign:
    """A campaign of what the files hold; without texts it has no ``items.jsonl``."""
    identity = text_hash(*sorted({row["item"] for row in made.rows}))[:8]
    settings = Settings(
        id=identity,
        title=f"imported {paths[0].stem}"[:50],
        kind=made.kind,
        language="es",
        labels=dict.fromkeys(made.labels() or ["label"], ""),
        source={"name": paths[0].name},
        seed=0,
        overlap=max(Counter(row["item"] for row in made.rows).values()),
        guideline_sha256="none",
    )
    write_settings(folder / CAMPAIGN, settings)
    items = [
        Item(item=name, key=task_key(identity, name), role="sample", fields=fields)
        for name, fields in made.items.items()
        if set(fields) == set(FIELDS[made.kind])
    ]
    if items:
        write_jsonl(folder / ITEMS, [item.record() for item in items])
    if any(made.gold.values()):
        write_jsonl(folder / GOLD, [{"item": name, **known} for name, known in made.gold.items()])
    return Campaign(folder)


def _match(made: Imported, campaign: Campaign) -> None:
    """Give the imported answers the campaign's item ids; faults where an item or its text is another."""
    if made.kind != campaign.settings.kind:
        raise UsageError(f"the campaign is about {campaign.settings.kind}, the files hold {made.kind}")
    items = campaign.items()
    by_name = {item.item: item for item in items} | {item.key: item for item in items}
    by_text = {tuple(item.fields.values()): item for item in items if item.role == "sample"}
    found: dict[str, str] = {}
    faults = []
    for name in dict.fromkeys(row["item"] for row in made.rows):
        fields = made.items.get(name)
        item = by_name.get(name) or (by_text.get(tuple(fields.values())) if fields else None)
        if item is None:
            faults.append(Fault(code="unknown_item", message="the campaign has no such item", row=name))
        elif fields is not None and dict(fields) != dict(item.fields):
            faults.append(Fault(code="other_text", message="the item has another text here", row=item.item))
        else:
            found[name] = item.item
    unknown = sorted(set(made.labels()) - set(campaign.settings.labels))
    if unknown:
        faults.append(
            Fault(
                code="unknown_label",
                message="labels that are not in the campaign's set",
                expected=", ".join(campaign.settings.labels),
                found=", ".join(unknown),
            )
        )
    if faults:
        raise DataError(faults)
    for row in made.rows:
        row["item"] = found[row["item"]]


def _add(campaign: Campaign, made: Imported, paths: Sequence[Path]) -> ImportReport:
    """Name the people, refuse second answers, write the import and the table."""
    known = people.read(campaign.path(ANNOTATORS))
    everyone, names = _enrolled(campaign, known, [row["annotator"] for row in made.rows])
    for row in made.rows:
        row["annotator"] = names[row["annotator"]]
    target = campaign.path(IMPORTS) / f"{paths[0].stem}.parquet"
    present = []
    if campaign.path(ANNOTATIONS).is_file():
        present = [
            row
            for row in _rows(campaign.path(ANNOTATIONS))
            if not str(row["source"]).startswith(f"{paths[0].name}#")
        ]
    there = {(row["item"], row["annotator"]): row["source"] for row in present}
    faults = [
        Fault(
            code="duplicate",
            message=f"{row['annotator']} has an answer to it already",
            row=row["item"],
            found=str(there[row["item"], row["annotator"]]),
        )
        for row in made.rows
        if (row["item"], row["annotator"]) in there
    ]
    if faults:
        raise DataError(faults)
    table.write(target, made.rows)
    table.write(campaign.path(ANNOTATIONS), [*present, *made.rows])
    people.write(campaign.path(ANNOTATORS), everyone)
    statuses = Counter(row["status"] for row in made.rows)
    return ImportReport(
        campaign=campaign,
        items=len({row["item"] for row in made.rows}),
        rows=len(made.rows),
        statuses={status: statuses.get(status, 0) for status in table.STATUSES},
        annotators=len({row["annotator"] for row in made.rows}),
        notes=made.notes,
    )


def _enrolled(
    campaign: Campaign, known: Sequence[Annotator], names: Sequence[str]
) -> tuple[list[Annotator], dict[str, str]]:
    """Everyone, and what each name of the files becomes: an address a pseudonym, another name itself."""
    everyone = list(known)
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        hash = email_hash(campaign.settings.id, name)
        if "@" in name:
            everyone = enrol(everyone, [hash], status="guest")
            found[name] = next(one.name for one in everyone if one.email_hash == hash)
            continue
        found[name] = name
        if name not in {one.name for one in everyone}:
            everyone.append(Annotator(name, hash, status="guest"))
    return everyone, found
