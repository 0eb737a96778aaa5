"""``assignment.csv``: item, annotator, role, one row for each answer that is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from probeta.annotation import annotators
from probeta.annotation.campaign import ANNOTATORS, ASSIGNMENT, Campaign, Item
from probeta.errors import DataError, Fault
from probeta.tables import read_table, write_table

_COLUMNS = ("item", "annotator", "role")


def read(campaign: Campaign) -> dict[str, tuple[str, ...]]:
    """Item -> its annotators; empty where nothing was assigned.

    People may edit the table. Raises a DataError with every row that is about no item or no annotator of
    the campaign, stands twice or has another role than the item; where there is none, with every item of the
    sample that nobody is to answer.
    """
    path = campaign.path(ASSIGNMENT)
    if not path.is_file():
        return {}
    roles = {item.item: item.role for item in campaign.items()}
    people = {one.name for one in annotators.read(campaign.path(ANNOTATORS))}
    found: dict[str, list[str]] = {item: [] for item in roles}
    faults = []
    for row in read_table(path, required=_COLUMNS, name=path.name):
        item, who = row["item"], row["annotator"]
        code, column, message = "", "item", ""
        if item not in roles:
            code, message = "unknown_item", "the campaign has no such item"
        elif who not in people:
            code, column, message = "unknown_annotator", "annotator", f"{ANNOTATORS} does not have them"
        elif who in found[item]:
            code, column, message = "assigned_twice", "annotator", "they have the item already"
        elif row["role"] != roles[item]:
            code, column, message = "role", "role", f"the item is a {roles[item]}"
        if not code:
            found[item].append(who)
            continue
        shown = row[column] or None
        faults.append(
            Fault(code=code, message=message, file=path.name, row=row.line, column=column, found=shown)
        )
    # Whoever sees a row's fault need not be told that the item lacks it.
    for item, who_all in found.items() if not faults else ():
        if not who_all and roles[item] == "sample":
            message = f"nobody is to answer {item}"
            faults.append(
                Fault(code="unassigned", message=message, file=path.name, fix="add a row, or assign --replan")
            )
    if faults:
        raise DataError(faults)
    return {item: tuple(who_all) for item, who_all in found.items() if who_all}


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
