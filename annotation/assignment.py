"""``assignment.csv``: item, annotator, role, one row for each answer that is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from probeta.annotation.campaign import ASSIGNMENT, Campaign, Item
from probeta.tables import read_table, write_table

_COLUMNS = ("item", "annotator", "role")


def read(campaign: Campaign) -> dict[str, tuple[str, ...]]:
    """Item -> its annotators; empty where nothing was assigned."""
    path = campaign.path(ASSIGNMENT)
    if not path.is_file():
        return {}
    found: dict[str, list[str]] = {}
    for row in read_table(path, required=_COLUMNS, name=path.name):
        found.setdefault(row["item"], []).append(row["annotator"])
    return {item: tuple(who) for item, who in found.items()}


def pairs_of(campaign: Campaign) -> frozenset[tuple[str, str]] | None:
    """The (item, annotator) pairs that are asked for; None where nothing was assigned."""
    plan = read(campaign)
    return frozenset((item, one) for item, who in plan.items() for one in who) if plan else None


def write(campaign: Campaign, plan: Mapping[str, Sequence[str]], items: Sequence[Item]) -> None:
    """Write ``assignment.csv`` in the items' order."""
    rows = [
        {"item": item.item, "annotator": one, "role": item.role}
        for item in items
        for one in plan.get(item.item, ())
    ]
    write_table(campaign.path(ASSIGNMENT), columns=_COLUMNS, rows=rows)
