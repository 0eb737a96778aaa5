"""What changed on the server since a pull: an incremental pull fetches that and has the rest.

No clock is compared with another. Every task is listed, and fetched again wherever what the list says of it
is not what the last pull holds. The list does not show drafts, and the server does not stamp a task when an
account is deleted: tasks with drafts, then or now, and with people who are no longer there are fetched too.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from probeta.annotation.annotators import user_of
from probeta.annotation.client import CHUNK, Client, ServerError
from probeta.annotation.remote import key_of
from probeta.progress import track

#: What is listed of each task; any difference means that it is fetched again.
_LISTED = ("data", "updated_at", "total_annotations", "cancelled_annotations", "total_predictions")

#: Where an annotation names people.
_PEOPLE = ("completed_by", "updated_by", "last_created_by")


@dataclass(frozen=True, slots=True)
class Changes:
    """The campaign's tasks as they are now, how many of them were fetched, and the number of foreign ones."""

    tasks: list[dict[str, Any]]
    fetched: int
    foreign: int


def export(client: Client, project: int, ids: Sequence[int]) -> list[dict[str, Any]]:
    """These tasks whole, in the order of their ids, some at a time."""
    chunks = [ids[at : at + CHUNK] for at in range(0, len(ids), CHUNK)]
    tasks: list[dict[str, Any]] = []
    for chunk in track(chunks, label="pulling", total=len(chunks)):
        tasks += sorted(client.export(project, chunk), key=lambda task: int(task["id"]))
    return tasks


def since(
    client: Client,
    project: int,
    *,
    campaign: str,
    known: Sequence[dict[str, Any]],
    users: Container[int],
) -> Changes | None:
    """The tasks of ``campaign`` now, those of ``known`` that did not change taken from there.

    None where, three times, what came of it did not have as many tasks and annotations as the server counts,
    and where the server does not know such a question, as releases may that were not tested.
    """
    try:
        return _since(client, project, campaign, known, users)
    except ServerError as error:
        if error.status != 400:
            raise
        return None


def _since(
    client: Client, project: int, campaign: str, known: Sequence[dict[str, Any]], users: Container[int]
) -> Changes | None:
    before = {int(task["id"]): task for task in known}
    for _ in range(3):
        first = client.totals(project, campaign)
        listed = list(client.tasks(project, include=_LISTED))
        ours = {int(task["id"]): task for task in listed if key_of(task, campaign) is not None}
        drafts = {int(task["id"]) for task in client.tasks(project, include=(), drafts=True)}
        stale = [
            number
            for number, task in ours.items()
            if number in drafts or _differs(before.get(number), task, users)
        ]
        fresh = {int(task["id"]): task for task in export(client, project, stale)}
        last = client.totals(project, campaign)
        if fresh.keys() != set(stale):
            continue
        tasks = [fresh[number] if number in fresh else before[number] for number in ours]
        given = sum(not answer["was_cancelled"] for task in tasks for answer in task["annotations"])
        # Annotators at work move the count while we look; it must lie between what it was and what it is.
        low, high = sorted((first.annotations, last.annotations))
        if first.tasks == len(tasks) == last.tasks and low <= given <= high:
            return Changes(tasks=tasks, fetched=len(fresh), foreign=len(listed) - len(ours))
    return None


def _differs(known: Mapping[str, Any] | None, listed: Mapping[str, Any], users: Container[int]) -> bool:
    """Whether a task must be fetched: it is new, it changed, it had a draft, or a person in it is gone."""
    if known is None or known.get("drafts"):
        return True
    if any(known.get(name) != listed.get(name) for name in _LISTED):
        return True
    return any(
        user is not None and user not in users
        for annotation in known["annotations"]
        for user in (user_of(annotation.get(name)) for name in _PEOPLE)
    )
