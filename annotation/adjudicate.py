"""A round of adjudication: a campaign of the conflicts, whose tasks show the blinded answers.

The round is a campaign folder inside the campaign, so pushing, assigning and pulling it is nothing new;
its answers are the decisions that ``probeta adjudicate`` merges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from probeta import atomic
from probeta.annotation import guideline
from probeta.annotation.campaign import (
    CAMPAIGN,
    GUIDELINE,
    ITEMS,
    Campaign,
    Item,
    task_key,
    write_settings,
)
from probeta.errors import DataError, Fault, UsageError
from probeta.formats.jsonl import write_jsonl
from probeta.hashing import text_hash
from probeta.validation.adjudication.decisions import ROUND
from probeta.validation.adjudication.ledger import Entry, shown
from probeta.validation.adjudication.rounds import SCOPES, conflicts
from probeta.validation.adjudication.run import Adjudicated, AdjudicateOptions, adjudicate
from probeta.validation.adjudication.run import write as write_adjudicated
from probeta.words import counted

#: What stands for an answer without spans, by language.
_NOTHING = {"es": "(ningún tramo)", "ro": "(niciun fragment)", "en": "(no span)"}


class NothingToAdjudicate(UsageError):
    """No item is in the scope; ``others`` counts those in each further scope."""

    def __init__(self, folder: Path, scope: str, others: Mapping[str, int]) -> None:
        """Say so, with the scopes that hold something."""
        self.others = dict(others)
        there = ", ".join(f"{name} {counted(number, 'item')}" for name, number in others.items() if number)
        further = f"; --scope takes others: {there}" if there else ", nor in any other"
        super().__init__(f"{folder}: nothing to adjudicate in the scope {scope}{further}")


def open_round(campaign: Campaign, *, scope: str = "undecided") -> Campaign:
    """Write the round's folder: the items in ``scope`` with the answers given, in a seeded order.

    Raises a UsageError where there is a round already, and NothingToAdjudicate.
    """
    folder = campaign.folder / ROUND
    if (folder / CAMPAIGN).is_file():
        raise UsageError(f"{folder} is there; say --merge to take its decisions, or remove it")
    settings = campaign.settings
    made = adjudicate(_options(campaign))
    listed = conflicts(made.ledger, scope=scope, seed=settings.seed)
    if not listed:
        others = {name: len(conflicts(made.ledger, scope=name)) for name in SCOPES if name != scope}
        raise NothingToAdjudicate(campaign.folder, scope, others)
    items = {item.item: item for item in campaign.items()}
    lost = [str(row["item"]) for row in listed if row["item"] not in items]
    if lost:
        raise DataError(
            Fault(
                code="unknown_item", message=f"answers are about an item that {ITEMS} does not have", row=item
            )
            for item in lost
        )
    entries = {entry.item: entry for entry in made.ledger.entries}
    identity = text_hash(settings.id, "adjudication", *(str(row["item"]) for row in listed))[:8]
    round_items = [
        Item(
            item=row["item"],
            key=task_key(identity, row["item"]),
            role="sample",
            fields={
                **items[row["item"]].fields,
                "answers": _shown(
                    row["options"], entries[row["item"]], items[row["item"]], settings.language
                ),
            },
        )
        for row in listed
    ]
    text = guideline.read(campaign)
    with atomic.folder(folder) as target:
        write_settings(
            target / CAMPAIGN,
            settings.model_copy(
                update={
                    "id": identity,
                    "title": f"{settings.title[:36]} adjudication",
                    "overlap": 1,
                    "adjudication": True,
                    "project": None,
                    "guideline_sha256": guideline.sha256(text),
                    "guideline_changes": [],
                }
            ),
        )
        write_jsonl(target / ITEMS, [item.record() for item in round_items])
        atomic.write_text(target / GUIDELINE, text)
    return Campaign(folder)


def the_round(campaign: Campaign) -> Campaign:
    """The round that was opened; a UsageError where there is none."""
    folder = campaign.folder / ROUND
    if not (folder / CAMPAIGN).is_file():
        raise UsageError(f"{campaign.folder} has no round of adjudication yet")
    return Campaign(folder)


def merge_round(campaign: Campaign) -> Adjudicated:
    """Put the round's decisions into gold and ledger, and write ``adjudication/``."""
    the_round(campaign)
    made = adjudicate(_options(campaign))
    write_adjudicated(campaign.folder / "adjudication", made)
    return made


def _options(campaign: Campaign) -> AdjudicateOptions:
    return AdjudicateOptions(annotations=campaign.folder, labels=tuple(campaign.settings.labels))


def _shown(options: Sequence[str], entry: Entry, item: Item, language: str) -> str:
    """The answers as text, one a line, without who gave them or how many did; spans as their words."""
    nothing = _NOTHING.get(language, _NOTHING["en"])
    answers = [entry.marked.get(option, option) for option in options]
    return "\n".join(f"• {shown(answer, item.fields.get('text'), nothing=nothing)}" for answer in answers)
