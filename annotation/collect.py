"""From the last pull to ``annotations.parquet``, with a report of everything doubtful."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from probeta import atomic
from probeta.annotation import annotators as people
from probeta.annotation import ledger
from probeta.annotation.annotators import Annotator, user_of
from probeta.annotation.assignment import pairs_of
from probeta.annotation.campaign import ANNOTATIONS, ANNOTATORS, CHECKS, LEDGER, Campaign, Item
from probeta.annotation.imports import imported_rows
from probeta.annotation.normalise import Context, Normal, normalise
from probeta.annotation.pull import Pull
from probeta.errors import Fault
from probeta.tokens import Tokenizer
from probeta.validation import annotations as table


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """The normalised answers of a pull, with the items and people that they are about."""

    pull: Pull
    items: Sequence[Item]
    annotators: Sequence[Annotator]
    normal: Normal

    def counts(self) -> dict[str, Any]:
        """How many of each there are."""
        statuses = Counter(row["status"] for row in self.normal.rows)
        return {
            "tasks": len(self.pull.tasks),
            "fetched": self.pull.fetched,
            "annotations": self.normal.annotations,
            "rows": len(self.normal.rows),
            **{status: statuses.get(status, 0) for status in table.STATUSES},
            "checks_and_repeats": len(self.normal.checks),
            "drafts": len(self.normal.drafts),
            "annotators": len({row["annotator"] for row in self.normal.rows}),
            "foreign_tasks": self.pull.foreign,
            "from_prediction": self.normal.from_prediction,
            "accepted_unchanged": self.normal.unchanged,
        }

    def to_json(self) -> dict[str, Any]:
        """The report ``reports/pull.json``."""
        return {
            "schema_version": 1,
            "pull": self.pull.name,
            "counts": self.counts(),
            "faults": [fault.to_json() for fault in self.normal.faults],
            "notes": [note.to_json() for note in self.normal.notes],
        }


def check_files(campaign: Campaign) -> None:
    """Raise what ``collect`` would of the campaign's own files, before a server is asked for anything."""
    campaign.items()
    people.read(campaign.path(ANNOTATORS))
    pairs_of(campaign)


def collect(
    campaign: Campaign,
    pulled: Pull,
    *,
    repair_utf16: bool = False,
    trim: bool = False,
) -> Collected:
    """Normalise a pull against the campaign; people who answered unasked become guests."""
    items = campaign.items()
    known = _people(campaign, pulled)
    by_hash = {one.email_hash: one for one in known}
    users = {user: by_hash[hash] for user, hash in pulled.users.items() if hash in by_hash}
    authors, gone = _history(items, pulled, {one.email_hash: one.name for one in known})
    context = Context(
        settings=campaign.settings,
        items={item.key: item for item in items},
        annotators=users,
        source=pulled.name.removesuffix(".jsonl.gz"),
        assignment=pairs_of(campaign),
        authors=authors,
        people={one.email_hash: one.name for one in known},
        tokens=_token_bounds(campaign.settings.language) if campaign.settings.kind == "spans" else None,
        repair_utf16=repair_utf16,
        trim=trim,
    )
    normal = normalise(pulled.tasks, context)
    normal.notes += gone
    if pulled.foreign:
        message = f"{pulled.foreign} tasks of the project are not this campaign's"
        normal.notes.append(Fault(code="foreign", message=message))
    _missing_tasks(campaign, pulled, items, normal)
    return Collected(pull=pulled, items=items, annotators=known, normal=normal)


def write(campaign: Campaign, collected: Collected) -> None:
    """Write the table, that of check and repeated items, the people and the report."""
    table.write(campaign.path(ANNOTATIONS), [*collected.normal.rows, *imported_rows(campaign)])
    if collected.normal.checks or campaign.path(CHECKS).exists():
        table.write(campaign.path(CHECKS), collected.normal.checks)
    if collected.annotators:
        people.write(campaign.path(ANNOTATORS), collected.annotators)
    text = json.dumps(collected.to_json(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    atomic.write_text(campaign.path("reports") / "pull.json", text)


def _people(campaign: Campaign, pulled: Pull) -> list[Annotator]:
    """The campaign's people with their numbers on the server; whoever else answered becomes a guest."""
    known = people.read(campaign.path(ANNOTATORS))
    active = {
        user
        for task in pulled.tasks
        for annotation in task["annotations"]
        if (user := user_of(annotation.get("completed_by"))) is not None
    }
    guests = [pulled.users[user] for user in sorted(active) if user in pulled.users]
    drafts = {str(draft.get("user")) for task in pulled.tasks for draft in task.get("drafts") or ()}
    guests += sorted(drafts & set(pulled.users.values()))
    numbers = {hash: user for user, hash in pulled.users.items()}
    return [
        replace(one, user=numbers.get(one.email_hash, one.user))
        for one in people.enrol(known, guests, status="guest")
    ]


def _history(
    items: Sequence[Item], pulled: Pull, names: Mapping[str, str]
) -> tuple[dict[int, str], list[Fault]]:
    """Who wrote the annotations that have lost their author, and a note for each that is gone."""
    authors = {
        number: names[past.author]
        for number, past in pulled.past.items()
        if past.author is not None and past.author in names
    }
    here = {int(annotation["id"]) for task in pulled.tasks for annotation in task["annotations"]}
    keys = {item.key: item.item for item in items}
    gone = [
        Fault(
            code="deleted",
            message=f"annotation {number} of {authors.get(number, 'an unknown author')} was deleted on the server",
            row=keys.get(past.key, past.key),
            found=f"it is in pulls/{past.pull}",
        )
        for number, past in sorted(pulled.past.items())
        if number not in here
    ]
    return authors, gone


def _missing_tasks(campaign: Campaign, pulled: Pull, items: Sequence[Item], normal: Normal) -> None:
    """A fault for every item whose task is not on the server, and for every second task of one."""
    found = Counter(str(task["data"].get("key")) for task in pulled.tasks)
    pushed = ledger.read(campaign.path(LEDGER))
    for item in items:
        if found[item.key] > 1:
            message = f"the item has {found[item.key]} tasks on the server"
            normal.notes.append(Fault(code="copies", message=message, row=item.item, fix="push again"))
        elif not found[item.key]:
            was = "was deleted" if item.key in pushed else "was not pushed"
            message = f"the item's task {was}"
            normal.faults.append(Fault(code="task_missing", message=message, row=item.item, fix="push again"))


def _token_bounds(language: str) -> Any:
    tokenize = Tokenizer(language, any_language=True)

    def bounds(text: str) -> tuple[set[int], set[int]]:
        tokens = tokenize(text)
        return {start for start, _ in tokens}, {end for _, end in tokens}

    return bounds
