"""Pull: everything that annotators did, whole or not at all.

Tasks are listed and fetched by id; counts are compared before and after; the file appears under its name
only when it is complete, and its last line says so. Every file holds the whole state, also that of a pull that
fetched changes alone, and of earlier pulls what is gone since. These stay: they have the answers themselves.
"""

from __future__ import annotations

import datetime
import gzip
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from probeta import atomic
from probeta.annotation.annotators import email_hash, user_of
from probeta.annotation.campaign import PULLS, Campaign
from probeta.annotation.changes import Changes, export, since
from probeta.annotation.client import Client, ServerError
from probeta.annotation.privacy import hide_people
from probeta.annotation.remote import key_of
from probeta.errors import DataError, Fault, ProbetaError, UsageError
from probeta.progress import say

#: After so many incremental pulls in a row everything is pulled: the server's interface shows all that people
#: do, but not what someone does to its database.
FULL_EVERY = 10


@dataclass(frozen=True, slots=True)
class Past:
    """An annotation as an earlier pull had it: the hash of its author's address, that pull, the task's key."""

    author: str | None
    pull: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """A complete pull: ``users`` maps the server's numbers to hashes of e-mail addresses.

    ``made`` is when the server made the project, which tells it from others of its number. ``fetched``
    tasks came from the server; the others are as the pull before had them. ``increments`` pulls have built
    on one another like this since everything was fetched. ``past`` has every annotation of the project's
    earlier pulls that is gone, or whose author is.
    """

    name: str
    users: Mapping[int, str]
    foreign: int
    tasks: list[dict[str, Any]]
    made: str = ""
    fetched: int = 0
    increments: int = 0
    past: Mapping[int, Past] = field(default_factory=dict)


def fetch(campaign: Campaign, *, client: Client, since_last: bool = False) -> Pull:
    """Pull the project into a new file of ``pulls/``, which is whole however it came about.

    With ``since_last`` only tasks that changed since the last pull are fetched; everything is where there
    is no such pull, after ``FULL_EVERY`` of them, and where the result disagrees with the server's counts or
    the server cannot tell.
    Raises a ServerError where the server stays away, and a ProbetaError where the project is gone or
    tasks came or went in three pulls in a row; no file is left then.
    """
    project = campaign.settings.project
    if project is None:
        raise UsageError(f"{campaign.folder} was not pushed yet (`probeta campaign push {campaign.folder}`)")

    try:
        made = str(client.project(project)["created_at"])
        users = client.users()
        last = _last(campaign, made)
        base = last if since_last and last is not None and last.increments < FULL_EVERY else None
        found = None
        if base is not None:
            found = since(client, project, campaign=campaign.settings.id, known=base.tasks, users=users)
            if found is None:
                say("pull: what changed since the last pull cannot be told; pulling everything")
                base = None
        if found is None:
            found = _whole(campaign, client, project)
        _add_predictions(client, project, found.tasks)
    except ServerError as error:
        if error.status != 404:
            raise
        raise ProbetaError(
            f"the project {project} is not, or no longer, on {client.url}; nothing was written"
        ) from None
    _drop_ages(found.tasks)
    _complete(found.tasks)
    hashes = {user: email_hash(campaign.settings.id, email) for user, email in users.items()}
    hide_people(found.tasks, campaign=campaign.settings.id, users=hashes)
    path = _free(campaign.path(PULLS))
    pulled = Pull(
        name=path.name,
        users=hashes,
        foreign=found.foreign,
        tasks=found.tasks,
        made=made,
        fetched=found.fetched,
        increments=0 if base is None else base.increments + 1,
        past={} if last is None else _past(last, found.tasks, hashes),
    )
    write(path, pulled, project=project)
    return pulled


def _last(campaign: Campaign, made: str) -> Pull | None:
    """The last pull, if it is of this very project; numbers mean something else in another."""
    last = latest(campaign) if paths(campaign) else None
    return last if last is not None and last.made == made else None


def _past(last: Pull, tasks: Sequence[Mapping[str, Any]], users: Mapping[int, str]) -> dict[int, Past]:
    """What earlier pulls had and ``tasks`` have no more, the last one's past being the pulls' before it."""
    had = {**last.past}
    for task in last.tasks:
        for annotation in task["annotations"]:
            number, user = int(annotation["id"]), user_of(annotation.get("completed_by"))
            author = last.users.get(user) if user is not None else None
            if author is None and number in last.past:
                author = last.past[number].author
            had[number] = Past(author, last.name, str(task["data"].get("key")))
    known = {
        int(annotation["id"])
        for task in tasks
        for annotation in task["annotations"]
        if user_of(annotation.get("completed_by")) in users
    }
    return {number: past for number, past in had.items() if number not in known}


def _whole(campaign: Campaign, client: Client, project: int) -> Changes:
    """All of the campaign's tasks from a project that held still meanwhile."""
    for _ in range(3):
        before = client.task_count(project)
        listed = list(client.tasks(project, include=("data",)))
        ours = [int(task["id"]) for task in listed if key_of(task, campaign.settings.id) is not None]
        tasks = export(client, project, ours)
        found = [int(task["id"]) for task in tasks]
        if found == ours and before == len(listed) == client.task_count(project):
            return Changes(tasks=tasks, fetched=len(tasks), foreign=len(listed) - len(ours))
    raise ProbetaError(
        "tasks came or went while the project was pulled, three times; nothing was written, pull again"
    )


def _add_predictions(client: Client, project: int, tasks: list[dict[str, Any]]) -> None:
    """Put whole predictions in the place of the numbers that an export gives."""
    if any(task.get("predictions") for task in tasks):
        whole: dict[int, list[Any]] = {}
        for prediction in client.get("/api/predictions/", {"project": project}):
            whole.setdefault(int(prediction["task"]), []).append(prediction)
        for task in tasks:
            task["predictions"] = whole.get(int(task["id"]), [])


def _drop_ages(tasks: list[dict[str, Any]]) -> None:
    """Leave out how long ago an answer was given: it tells when we asked, and ``created_at`` has the time."""
    for task in tasks:
        for name in ("annotations", "drafts", "predictions"):
            for answer in task.get(name) or ():
                if isinstance(answer, dict):
                    answer.pop("created_ago", None)


def _complete(tasks: list[dict[str, Any]]) -> None:
    """Raise a DataError where the server lists fewer annotations in a task than it counts."""
    faults = []
    for task in tasks:
        counted = int(task["total_annotations"]) + int(task["cancelled_annotations"])
        if len(task["annotations"]) < counted:
            faults.append(
                Fault(
                    code="annotations_missing",
                    message=f"the server sent fewer annotations of task {task['id']} than it counts",
                    expected=str(counted),
                    found=str(len(task["annotations"])),
                )
            )
    if faults:
        raise DataError(faults)


def _free(folder: Path) -> Path:
    """A file name of this second that is not taken."""
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    name, number = f"{stamp}.jsonl.gz", 1
    while (folder / name).exists():
        number += 1
        name = f"{stamp}-{number:02d}.jsonl.gz"
    return folder / name


def write(path: Path, pulled: Pull, *, project: int) -> None:
    """Write a pull: a header, a task a line, a trailer with the counts."""
    annotations = sum(len(task["annotations"]) for task in pulled.tasks)
    header = {
        "project": project,
        "made": pulled.made,
        "users": {str(user): hash for user, hash in pulled.users.items()},
        "foreign": pulled.foreign,
        "fetched": pulled.fetched,
        "increments": pulled.increments,
        "past": {str(number): [past.author, past.pull, past.key] for number, past in pulled.past.items()},
    }
    with atomic.file(path) as temporary, gzip.open(temporary, "wb", compresslevel=6) as handle:
        handle.write(orjson.dumps({"header": header}) + b"\n")
        for task in pulled.tasks:
            handle.write(orjson.dumps(task) + b"\n")
        trailer = {"tasks": len(pulled.tasks), "annotations": annotations}
        handle.write(orjson.dumps({"trailer": trailer}) + b"\n")


def read(path: Path) -> Pull:
    """Read a pull; a file that was cut or changed in its counts is a DataError."""
    try:
        with gzip.open(path) as handle:
            lines = handle.read().splitlines()
        header = json.loads(lines[0])["header"]
        trailer = json.loads(lines[-1])["trailer"]
        tasks = [orjson.loads(line) for line in lines[1:-1]]
    except (OSError, EOFError, zlib.error, ValueError, KeyError, IndexError, TypeError):
        raise DataError(
            Fault(
                code="pull_cut",
                message="the pull is not complete",
                file=f"{PULLS}/{path.name}",
                fix="remove it and pull again",
            )
        ) from None
    annotations = sum(len(task["annotations"]) for task in tasks)
    if trailer != {"tasks": len(tasks), "annotations": annotations}:
        raise DataError(
            Fault(
                code="pull_cut",
                message="the pull does not hold what its last line says",
                file=f"{PULLS}/{path.name}",
                expected=f"{trailer}",
                found=f"{len(tasks)} tasks, {annotations} annotations",
                fix="remove it and pull again",
            )
        )
    users = {int(user): str(hash) for user, hash in header["users"].items()}
    return Pull(
        name=path.name,
        users=users,
        foreign=int(header["foreign"]),
        tasks=tasks,
        # Files of earlier releases do not say; nothing is built on them then.
        made=str(header.get("made", "")),
        fetched=int(header.get("fetched", len(tasks))),
        increments=int(header.get("increments", 0)),
        past={int(number): Past(*past) for number, past in header.get("past", {}).items()},
    )


def paths(campaign: Campaign) -> list[Path]:
    """The pulls, oldest first."""
    return sorted(campaign.path(PULLS).glob("*.jsonl.gz"), key=lambda path: _order(path.name))


def _order(name: str) -> str:
    """What pulls are sorted by: with its ending, the first of a second would come after the second one."""
    return name.removesuffix(".jsonl.gz")


def latest(campaign: Campaign) -> Pull:
    """The last pull; a UsageError where there is none."""
    found = paths(campaign)
    if not found:
        raise UsageError(f"{campaign.folder} has no pull yet (`probeta campaign pull {campaign.folder}`)")
    return read(found[-1])
