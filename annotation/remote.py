"""The campaign's project and its tasks as they are on the server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from probeta.annotation import configuration, guideline
from probeta.annotation.campaign import FIELDS, Campaign
from probeta.annotation.client import Client, ServerError, is_loopback
from probeta.errors import DataError, Fault, UsageError
from probeta.hashing import text_hash

#: What a task's ``meta`` says, so that a copy made by a lost answer is known for what it is.
META = "probeta"

#: Marks the project as the campaign's, since titles are not unique and people change them.
_MARK = "probeta campaign "

#: The release that the behaviour was measured on, as (major, minor).
MEASURED = (1, 23)


@dataclass(frozen=True, slots=True)
class RemoteTask:
    """A task of this campaign on the server; ``annotations`` counts skips too."""

    task: int
    key: str
    hash: str
    annotations: int
    ours: bool


@dataclass(slots=True)
class Tasks:
    """The project's tasks: by key those of the campaign, and the number of foreign ones."""

    by_key: dict[str, list[RemoteTask]] = field(default_factory=dict)
    foreign: int = 0
    last: int = 0

    def add(self, task: RemoteTask) -> None:
        """Add a task of the campaign."""
        self.by_key.setdefault(task.key, []).append(task)

    @property
    def total(self) -> int:
        """All tasks, foreign ones too."""
        return self.foreign + sum(map(len, self.by_key.values()))


def key_of(task: Mapping[str, Any], campaign: str) -> str | None:
    """The key of a task of this campaign, else None."""
    data = task.get("data")
    key = data.get("key") if isinstance(data, dict) else None
    return key if isinstance(key, str) and key.startswith(f"{campaign}-") else None


def list_tasks(client: Client, campaign: Campaign, project: int, into: Tasks | None = None) -> Tasks:
    """List the tasks behind ``into.last`` and add them to it."""
    tasks = Tasks() if into is None else into
    names = campaign.settings.fields
    columns = ("data", "meta", "total_annotations", "cancelled_annotations")
    for task in client.tasks(project, include=columns, after=tasks.last):
        tasks.last = int(task["id"])
        key = key_of(task, campaign.settings.id)
        if key is None:
            tasks.foreign += 1
            continue
        texts = [str(task["data"].get(name, "")) for name in names]
        annotations = int(task["total_annotations"]) + int(task["cancelled_annotations"])
        meta = task.get("meta")
        ours = isinstance(meta, dict) and META in meta
        tasks.add(RemoteTask(tasks.last, key, text_hash(*texts), annotations, ours))
    return tasks


def examine(client: Client) -> list[Fault]:
    """What a person should know of the server before work begins; raises where the token is refused."""
    notes = []
    if client.url.startswith("http://") and not is_loopback(client.url):
        notes.append(
            Fault(
                code="plain_http",
                message=f"{client.url} is not encrypted: the token and the texts can be read on the way",
                fix="use https",
            )
        )
    version = client.get("/api/version")
    release = str(version.get("release", ""))
    parts = tuple(int(part) for part in release.split(".")[:2] if part.isdigit())
    if parts != MEASURED:
        expected = ".".join(map(str, MEASURED))
        message = f"Label Studio {release or 'of an unknown release'} was not tested"
        notes.append(Fault(code="version", message=message, expected=expected))
    client.get("/api/current-user/whoami")
    return notes


def ensure_project(
    client: Client, campaign: Campaign, *, project: int | None = None, new: bool = False
) -> dict[str, Any]:
    """The campaign's project, made where there is none yet, and remembered in ``campaign.yaml``.

    A project that carries the campaign's mark is taken up again, so that one whose creation was answered
    into the void is not made twice. One with the title alone must be named (``project``).
    """
    settings = campaign.settings
    wanted = project if project is not None else settings.project
    if wanted is not None and not new:
        try:
            found = client.project(wanted)
        except ServerError as error:
            if error.status == 404:
                raise UsageError(
                    f"the project {wanted} is not on {client.url}: name another (--project), or say "
                    "--new-project to make one"
                ) from None
            raise
        _same_configuration(found, campaign)
    elif (marked := _marked(client, campaign, new=new)) is not None:
        found = marked
        _same_configuration(found, campaign)
    else:
        configuration.check(configuration.of(settings), kind=settings.kind)
        found = _make(client, campaign)
    if (settings.url, settings.project) != (client.url, found["id"]):
        campaign.update(url=client.url, project=int(found["id"]))
    return found


def _marked(client: Client, campaign: Campaign, *, new: bool) -> dict[str, Any] | None:
    mark = _MARK + campaign.settings.id
    alike = []
    for project in client.projects():
        if project.get("description") == mark and not (new and project["id"] == campaign.settings.project):
            return project
        if project.get("title") == campaign.settings.title:
            alike.append(project["id"])
    if alike and not new:
        raise UsageError(
            f"{client.url} has a project titled {campaign.settings.title!r} (number {alike[0]}) that this "
            f"campaign did not make: say --project {alike[0]} to use it, or --new-project"
        )
    return None


def _make(client: Client, campaign: Campaign) -> dict[str, Any]:
    settings = campaign.settings
    body = {
        "title": settings.title,
        "description": _MARK + settings.id,
        "label_config": configuration.of(settings),
        "expert_instruction": configuration.instructions(guideline.read(campaign)),
        "show_instruction": True,
        "maximum_annotations": settings.overlap,
        "sampling": "Sequential sampling",
        "show_skip_button": True,
        # An empty answer says that there is no span; a pair without a relation is a slip.
        "enable_empty_annotation": settings.kind == "spans",
    }
    try:
        return dict(client.post("/api/projects/", body))
    except ServerError as error:
        if not error.uncertain:
            raise
        made = _marked(client, campaign, new=False)
        if made is None:
            raise
        return made


def _same_configuration(project: Mapping[str, Any], campaign: Campaign) -> None:
    """Raise a DataError where someone changed the labelling configuration on the server."""
    controls = project.get("parsed_label_config") or {}
    control = controls.get("label") or {}
    faults = []
    there, here = set(control.get("labels") or ()), set(campaign.settings.labels)
    fix = "put it back in the project's settings, or make another project (--new-project)"
    if there != here:
        faults.append(
            Fault(
                code="config_labels",
                message="the labels on the server are not the campaign's",
                expected=", ".join(sorted(here)),
                found=", ".join(sorted(there)) or "none",
                fix=fix,
            )
        )
    shown = {entry.get("value") for entry in control.get("inputs") or ()}
    wanted = {FIELDS[campaign.settings.kind][-1]}
    if shown != wanted:
        faults.append(
            Fault(
                code="config_fields",
                message="the field that is shown on the server is not the campaign's",
                expected=", ".join(wanted),
                found=", ".join(map(str, sorted(shown, key=str))) or "none",
                fix=fix,
            )
        )
    if faults:
        raise DataError(faults)
