"""A round of adjudication: a campaign of the conflicts, whose tasks show the blinded answers.

The round is a campaign folder inside the campaign, so pushing, assigning and pulling it is nothing new;
its answers are the decisions that ``probeta adjudicate`` merges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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
from probeta.validation.adjudication.rounds import conflicts
from probeta.validation.adjudication.run import Adjudicated, AdjudicateOptions, adjudicate
from probeta.validation.adjudication.run import write as write_adjudicated

#: The round's folder in the campaign.
ROUND = "adjudication-round"

#: What stands for an answer without spans, by language.
_NOTHING = {"es": "(ningún tramo)", "en": "(no span)"}


def open_round(campaign: Campaign, *, scope: str = "undecided") -> Campaign:
    """Write the round's folder: the items in ``scope`` with the answers given, in a seeded order.

    Raises a UsageError where there is a round already, or nothing to adjudicate.
    """
    folder = campaign.folder / ROUND
    if (folder / CAMPAIGN).is_file():
        raise UsageError(f"{folder} is there; say --merge to take its decisions, or remove it")
    settings = campaign.settings
    made = adjudicate(_options(campaign))
    listed = conflicts(made.ledger, scope=scope, seed=settings.seed)
    if not listed:
        raise UsageError(f"{campaign.folder}: nothing to adjudicate in the scope {scope}")
    items = {item.item: item for item in campaign.items()}
    lost = [str(row["item"]) for row in listed if row["item"] not in items]
    if lost:
        raise DataError(
            Fault(
                code="unknown_item", message=f"answers are about an item that {ITEMS} does not have", row=item
            )
            for item in lost
        )
    identity = text_hash(settings.id, "adjudication", *(str(row["item"]) for row in listed))[:8]
    round_items = [
        Item(
            item=row["item"],
            key=task_key(identity, row["item"]),
            role="sample",
            fields={
                **items[row["item"]].fields,
                "answers": _shown(row["options"], items[row["item"]], settings.language),
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
    made = adjudicate(_options(campaign, decisions=the_round(campaign).folder))
    write_adjudicated(campaign.folder / "adjudication", made)
    return made


def _options(campaign: Campaign, decisions: Path | None = None) -> AdjudicateOptions:
    labels: Sequence[str] = tuple(campaign.settings.labels)
    return AdjudicateOptions(annotations=campaign.folder, labels=labels, decisions=decisions)


def _shown(options: Sequence[Any], item: Item, language: str) -> str:
    """The answers as text, one a line, without who gave them or how many did."""
    return "\n".join(f"• {_answer(option, item.fields, language)}" for option in options)


def _answer(option: Any, fields: Mapping[str, str], language: str) -> str:
    if isinstance(option, str):
        return option
    text = fields["text"]
    spans = [f"[{text[start:end]}]{{{label}}}" for start, end, label in option]
    return " ".join(spans) or _NOTHING.get(language, _NOTHING["en"])
