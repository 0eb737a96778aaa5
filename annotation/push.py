"""Push: every item becomes exactly one task, whatever the network and the server do.

A batch is sent once. After any failure the server's own list says what arrived, and only what is missing
is sent again; a last look compares count, keys and texts, and takes away copies that a late commit left.
"""

from __future__ import annotations

import datetime
import json
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from probeta.annotation import configuration, guideline, ledger
from probeta.annotation.campaign import LEDGER, Campaign, Item
from probeta.annotation.client import CHUNK, Client, Patience, ServerError
from probeta.annotation.remote import META, RemoteTask, Tasks, ensure_project, examine, list_tasks
from probeta.errors import DataError, Fault
from probeta.progress import say

#: A batch holds at most so many tasks and bytes: small enough to lose little, large enough to be quick.
BATCH = 500
BATCH_BYTES = 5_000_000


@dataclass(slots=True, kw_only=True)
class Pushed:
    """What a push did: ``sent`` tasks made by it, ``there`` found, ``failures`` survived, copies removed."""

    url: str
    project: int
    tasks: int
    sent: int = 0
    there: int = 0
    changed: int = 0
    resent: int = 0
    failures: int = 0
    copies_removed: int = 0
    foreign: int = 0
    predictions: int = 0
    guideline_renewed: bool = False
    notes: list[Fault] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        return asdict(self)


def push(
    campaign: Campaign,
    *,
    client: Client,
    project: int | None = None,
    new_project: bool = False,
    new_guideline: bool = False,
    batch: int = BATCH,
) -> Pushed:
    """Push what is not on the server yet; calling it again adds nothing.

    A guideline that is not the recorded one is refused, or with ``new_guideline`` given to the annotators.
    Raises a DataError for items that cannot be pushed (before anything is sent), for texts changed under
    an annotation and for a last look that does not agree; a ServerError where the server stays away.
    """
    with campaign.lock():
        items = campaign.items()
        text = guideline.checked(campaign, new=new_guideline)
        notes = examine(client)
        found = ensure_project(client, campaign, project=project, new=new_project)
        number = int(found["id"])
        told = configuration.instructions(text)
        if found.get("expert_instruction") != told:
            if new_guideline:
                client.patch(f"/api/projects/{number}/", {"expert_instruction": told})
            else:
                message = "the instructions of the project on the server are not guideline.md"
                fix = "push --new-guideline puts guideline.md there"
                notes.append(Fault(code="guideline_there", message=message, fix=fix))
        renewed = guideline.record(campaign, text)
        run = _Run(campaign, client, number, items)
        run.start()
        run.send(batch)
        run.audit()
        done = run.done
        done.guideline_renewed = renewed
        done.notes = [*notes, *done.notes]
        return done


def task_of(item: Item, run: str) -> dict[str, Any]:
    """The task of an item: its key and texts, and in ``meta`` which push made it; nothing else."""
    return {"data": {"key": item.key, **item.fields}, "meta": {META: {"push": run}}}


class _Run:
    """One push."""

    def __init__(self, campaign: Campaign, client: Client, project: int, items: Sequence[Item]) -> None:
        self.campaign, self.client, self.project = campaign, client, project
        self.items: Mapping[str, Item] = {item.key: item for item in items}
        self.patience: Patience = client.patience
        self.run = secrets.token_hex(6)
        self.path = campaign.path(LEDGER)
        self.known = ledger.read(self.path)
        self.tasks = Tasks()
        self.done = Pushed(url=client.url, project=project, tasks=len(items))

    def start(self) -> None:
        """Compare with the server: what is there, what was changed, what vanished."""
        list_tasks(self.client, self.campaign, self.project, self.tasks)
        there = self.tasks.by_key
        self.done.there = sum(key in there for key in self.items)
        self.done.resent = sum(key in self.known and key not in there for key in self.items)
        if self.done.resent:
            message = f"{self.done.resent} tasks that were pushed before are gone from the server and are sent again"
            self.done.notes.append(Fault(code="vanished", message=message))
        self._texts()
        self._record(there)

    def _texts(self) -> None:
        """Texts that differ: refused where annotations or a stranger's edit hang on them, else updated."""
        faults, changed = [], []
        for key, copies in self.tasks.by_key.items():
            item = self.items.get(key)
            if item is None:
                message = "a task of this campaign is on the server, but its item is not in items.jsonl"
                faults.append(Fault(code="item_gone", message=message, row=key, fix="put the item back"))
                continue
            for task in copies:
                if task.hash == item.hash:
                    continue
                pushed = self.known.get(key)
                if pushed is not None and pushed.hash == item.hash:
                    message = f"the text of task {task.task} was edited on the server"
                    fix = "put it back there, or give the new text an id of its own"
                    faults.append(Fault(code="edited_there", message=message, row=item.item, fix=fix))
                elif task.annotations:
                    message = f"the text changed, but task {task.task} has annotations of the old one"
                    fix = "put the old text back, or give the new text an id of its own"
                    faults.append(Fault(code="changed_text", message=message, row=item.item, fix=fix))
                else:
                    changed.append((item, task))
        if faults:
            raise DataError(faults)
        for item, task in changed:
            self.client.patch(f"/api/tasks/{task.task}/", {"data": task_of(item, self.run)["data"]})
            copies = self.tasks.by_key[item.key]
            copies[copies.index(task)] = RemoteTask(task.task, item.key, item.hash, 0, task.ours)
            self.done.changed += 1

    def _record(self, there: Mapping[str, Sequence[RemoteTask]]) -> None:
        """Write to the ledger what it does not say yet."""
        now = _now()
        fresh = []
        for key, copies in there.items():
            kept = _kept(copies)
            old = self.known.get(key)
            if key in self.items and (old is None or (old.task, old.hash) != (kept.task, kept.hash)):
                fresh.append(ledger.Entry(key, kept.task, kept.hash, now))
        ledger.append(self.path, fresh)
        self.known.update({entry.key: entry for entry in fresh})

    def send(self, size: int) -> None:
        """Send what is missing, batch by batch."""
        failures = 0
        while batch := self._batch(size):
            try:
                ids = self.client.import_tasks(self.project, [task_of(item, self.run) for item in batch])
            except ServerError as error:
                if not error.uncertain:
                    raise _refused(error, batch) from None
                failures += 1
                self.done.failures += 1
                if failures >= self.patience.attempts:
                    raise
                failures = 0 if self._settle(failures, error) else failures
                continue
            failures = 0
            made = [
                RemoteTask(task, item.key, item.hash, 0, True) for item, task in zip(batch, ids, strict=True)
            ]
            for task in made:
                self.tasks.add(task)
            self.tasks.last = max(self.tasks.last, *ids)
            self._record({task.key: [task] for task in made})

    def _batch(self, size: int) -> list[Item]:
        chosen: list[Item] = []
        total = 0
        for key, item in self.items.items():
            if key in self.tasks.by_key:
                continue
            total += len(json.dumps(dict(item.fields))) + 150
            if chosen and (len(chosen) >= size or total > BATCH_BYTES):
                break
            chosen.append(item)
        return chosen

    def _settle(self, failures: int, error: ServerError) -> bool:
        """Wait until the server answers and its number of tasks rests; say whether tasks had arrived."""
        pause = self.patience.pause(failures, error.retry_after)
        say(f"push: {error}; looking again in {pause:.1f} s")
        time.sleep(pause)
        count = self.client.task_count(self.project)
        while True:
            time.sleep(self.patience.poll)
            again = self.client.task_count(self.project)
            if again == count:
                break
            count = again
        list_tasks(self.client, self.campaign, self.project, self.tasks)
        arrived = {key: copies for key, copies in self.tasks.by_key.items() if key not in self.known}
        self._record(arrived)
        return bool(arrived)

    def audit(self) -> None:
        """The last look: list everything anew, remove idle copies, compare keys and texts."""
        self.tasks = list_tasks(self.client, self.campaign, self.project)
        # While another pusher is at work on a copy of the folder, more may come after each look.
        while self._remove_copies():
            self.tasks = list_tasks(self.client, self.campaign, self.project)
        faults = []
        for key, item in self.items.items():
            tasks = self.tasks.by_key.get(key, [])
            if len(tasks) != 1:
                ids = ", ".join(str(task.task) for task in tasks) or "none"
                message = "the item has no task" if not tasks else "the item has several tasks in use"
                fix = "push again" if not tasks else "delete all but one on the server"
                faults.append(Fault(code="audit_count", message=message, row=item.item, found=ids, fix=fix))
            elif tasks[0].hash != item.hash:
                message = f"the text of task {tasks[0].task} is not the item's"
                faults.append(Fault(code="audit_text", message=message, row=item.item))
        if faults:
            raise DataError(faults)
        self._record(self.tasks.by_key)
        self.done.sent = len(self.items) - self.done.there
        self.done.foreign = self.tasks.foreign
        if self.tasks.foreign:
            message = (
                f"{self.tasks.foreign} tasks of the project are not this campaign's; they are left alone"
            )
            self.done.notes.append(Fault(code="foreign", message=message))

    def _remove_copies(self) -> int:
        """Delete copies that a push made and nobody has touched: no annotation, no skip, no draft.

        Everyone who looks keeps the same one (annotated, else the lowest number), so that two pushers
        never delete each other's last copy. Returns how many were looked for and are gone now.
        """
        idle = [
            task.task
            for tasks in self.tasks.by_key.values()
            for task in tasks
            if task is not _kept(tasks) and task.ours and not task.annotations
        ]
        used = 0
        for at in range(0, len(idle), CHUNK):
            for whole in self.client.export(self.project, idle[at : at + CHUNK]):
                if whole["annotations"] or whole["drafts"]:
                    used += 1
                    continue
                try:
                    self.client.delete(f"/api/tasks/{whole['id']}/")
                except ServerError as error:
                    # The other pusher was here first.
                    if error.status != 404:
                        raise
                else:
                    self.done.copies_removed += 1
        return len(idle) - used


def _kept(copies: Sequence[RemoteTask]) -> RemoteTask:
    """Of several tasks of a key the one that counts: with annotations, else the first made."""
    return min(copies, key=lambda task: (not task.annotations, task.task))


def _refused(error: ServerError, batch: Sequence[Item]) -> Exception:
    """A refusal with the item that caused it, where the server says which."""
    if error.status == 400 and isinstance(error.detail, dict):
        listed = error.detail.get("validation_errors") or error.detail.get("detail")
        if isinstance(listed, list) and len(listed) == len(batch):
            faults = [
                Fault(code="refused", message="the server refuses the item", row=item.item, found=str(said))
                for item, said in zip(batch, listed, strict=True)
                if said
            ]
            if faults:
                return DataError(faults)
    return error


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
