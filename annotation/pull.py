"""Pull: everything that annotators did, whole or not at all.

Tasks are listed and fetched by id; counts are compared before and after; the file appears under its name
only when it is complete, and its last line says so. Earlier pulls stay: they tell deleted and overwritten
answers.
"""

from __future__ import annotations

import datetime
import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from probeta import atomic
from probeta.annotation.annotators import email_hash
from probeta.annotation.campaign import PULLS, Campaign
from probeta.annotation.client import CHUNK, Client, ServerError
from probeta.annotation.remote import key_of
from probeta.errors import DataError, Fault, ProbetaError, UsageError
from probeta.progress import track


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """A complete pull: ``users`` maps the server's numbers to hashes of e-mail addresses."""

    name: str
    users: Mapping[int, str]
    foreign: int
    tasks: list[dict[str, Any]]


def fetch(campaign: Campaign, *, client: Client) -> Pull:
    """Pull the project into a new file of ``pulls/``.

    Raises a ServerError where the server stays away, and a ProbetaError where the project is gone or
    tasks came or went in three pulls in a row; no file is left then.
    """
    project = campaign.settings.project
    if project is None:
        raise UsageError(f"{campaign.folder} was not pushed yet (`probeta campaign push {campaign.folder}`)")

    try:
        users = client.users()
        tasks, foreign = _whole(campaign, client, project)
    except ServerError as error:
        if error.status != 404:
            raise
        raise ProbetaError(
            f"the project {project} is not, or no longer, on {client.url}; nothing was written"
        ) from None
    _complete(tasks)
    hashes = {user: email_hash(campaign.settings.id, email) for user, email in users.items()}
    _hide_people(tasks, campaign.settings.id)
    path = _free(campaign.path(PULLS))
    write(path, tasks, header={"project": project, "users": hashes, "foreign": foreign})
    return Pull(name=path.name, users=hashes, foreign=foreign, tasks=tasks)


def _whole(campaign: Campaign, client: Client, project: int) -> tuple[list[dict[str, Any]], int]:
    """The campaign's tasks, and the number of foreign ones, from a project that held still meanwhile."""
    for _ in range(3):
        before = client.task_count(project)
        listed = list(client.tasks(project, include=("data",)))
        ours = [int(task["id"]) for task in listed if key_of(task, campaign.settings.id) is not None]
        chunks = [ours[at : at + CHUNK] for at in range(0, len(ours), CHUNK)]
        tasks: list[dict[str, Any]] = []
        for chunk in track(chunks, label="pulling", total=len(chunks)):
            tasks += sorted(client.export(project, chunk), key=lambda task: int(task["id"]))
        _add_predictions(client, project, tasks)
        found = [int(task["id"]) for task in tasks]
        if found == ours and before == len(listed) == client.task_count(project):
            return tasks, len(listed) - len(ours)
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


def _hide_people(tasks: list[dict[str, Any]], campaign: str) -> None:
    """Put hashes in the place of the addresses that drafts are signed with."""
    for task in tasks:
        for draft in task.get("drafts") or ():
            draft.pop("created_username", None)
            if isinstance(draft.get("user"), str):
                draft["user"] = email_hash(campaign, draft["user"])


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


def write(path: Path, tasks: list[dict[str, Any]], *, header: Mapping[str, Any]) -> None:
    """Write a pull: a header, a task a line, a trailer with the counts."""
    annotations = sum(len(task["annotations"]) for task in tasks)
    head = {**header, "users": {str(user): hash for user, hash in header["users"].items()}}
    with atomic.file(path) as temporary, gzip.open(temporary, "wb", compresslevel=6) as handle:
        handle.write(orjson.dumps({"header": head}) + b"\n")
        for task in tasks:
            handle.write(orjson.dumps(task) + b"\n")
        handle.write(orjson.dumps({"trailer": {"tasks": len(tasks), "annotations": annotations}}) + b"\n")


def read(path: Path) -> Pull:
    """Read a pull; a file that was cut or changed in its counts is a DataError."""
    try:
        with gzip.open(path) as handle:
            lines = handle.read().splitlines()
        header = json.loads(lines[0])["header"]
        trailer = json.loads(lines[-1])["trailer"]
        tasks = [orjson.loads(line) for line in lines[1:-1]]
    except (OSError, EOFError, ValueError, KeyError, IndexError):
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
    return Pull(name=path.name, users=users, foreign=int(header["foreign"]), tasks=tasks)


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


def earlier(campaign: Campaign, name: str) -> Iterator[Pull]:
    """The pulls before the one named, oldest first."""
    for path in paths(campaign):
        if _order(path.name) < _order(name):
            yield read(path)
