"""Annotators who do what nobody asked for, work side by side, leave, or are deleted: each answer is told apart."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from campaigns import campaign, region, rewrite
from label_studio import PEOPLE, Studio

from probeta.annotation import ledger, pull
from probeta.annotation.annotators import email_hash
from probeta.annotation.assign import assign
from probeta.annotation.campaign import LEDGER
from probeta.annotation.client import Client, ServerError
from probeta.annotation.collect import collect, write
from probeta.annotation.push import push
from probeta.annotation.status import status
from probeta.errors import UsageError

pytestmark = pytest.mark.server


def test_answers_nobody_asked_for_are_told_and_counted(studio: Studio, tmp_path: Path) -> None:
    """Four instead of two, two of them unasked: the server lets anyone answer anything."""
    made = campaign(tmp_path / "c", size=4, overlap=2)
    with studio.client() as client:
        push(made, client=client)
        plan = assign(made, emails=PEOPLE[:4], client=client).plan
        item = made.items()[0]
        task = ledger.read(made.path(LEDGER))[item.key].task
        for email in PEOPLE[:4]:
            with studio.client(email) as own:
                own.post(f"/api/tasks/{task}/annotations/", {"result": []})
        collected = collect(made, pull.fetch(made, client=client))
    write(made, collected)
    unasked = [note.message[:3] for note in collected.normal.notes if note.code == "not_assigned"]
    assert sorted(unasked) == sorted({"a01", "a02", "a03", "a04"} - set(plan[item.item]))
    report = status(made, collected)
    assert (report["items"]["over"], report["items"]["complete"]) == (1, 0)
    assert sum(person["not_assigned"] for person in report["annotators"]) == 2


def next_task(client: Client, project: int, tab: int) -> int | None:
    """What the interface asks for when someone works through a tab: it sends the tab's own filters."""
    view = client.get(f"/api/dm/views/{tab}/?project={project}")["data"]
    body = {
        "filters": view["filters"],
        "ordering": view["ordering"],
        "selectedItems": {"all": True, "excluded": []},
    }
    try:
        found = client.post(f"/api/dm/actions?id=next_task&project={project}&tabID={tab}", body)
    except ServerError as error:
        if error.status == 404:
            return None
        raise
    return int(found["id"])


def test_nine_parallel_annotators_get_exactly_their_items(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=18)
    with studio.client() as client:
        push(made, client=client)
        assigned = assign(made, emails=PEOPLE, client=client)
    assert set(assigned.loads.values()) == {6}
    assert assigned.connected
    project = made.settings.project
    assert project is not None
    keys = {entry.task: key for key, entry in ledger.read(made.path(LEDGER)).items()}
    items = {item.key: item for item in made.items()}
    served: dict[str, list[str]] = {}

    def work(email: str) -> None:
        name = assigned.names[email]
        found = re.search(r"tab=(\d+)&", assigned.links[name])
        assert found
        with studio.client(email) as client:
            while (task := tenacious(lambda: next_task(client, project, int(found[1])))) is not None:
                item = items[keys[task]]
                body = {"result": [region(item.fields["text"])], "lead_time": 0.2}
                tenacious(lambda task=task, body=body: client.post(f"/api/tasks/{task}/annotations/", body))
                served.setdefault(name, []).append(item.item)

    with ThreadPoolExecutor(len(PEOPLE)) as pool:
        list(pool.map(work, PEOPLE))
    for name in assigned.loads:
        assert sorted(served[name]) == sorted(item for item, who in assigned.plan.items() if name in who)
    with studio.client() as client:
        collected = collect(made, pull.fetch(made, client=client))
    write(made, collected)
    report = status(made, collected)
    assert (report["items"]["complete"], report["items"]["over"], len(collected.normal.rows)) == (18, 0, 54)
    assert not collected.normal.faults
    assert report["agreement"]["span_f1"]["value"] == 1.0
    # A fifth of a second is less than anyone needs.
    assert all(person["fast"] == person["done"] == 6 for person in report["annotators"])


def tenacious(call: Callable[[], Any]) -> Any:
    """A person presses again when the server, whose database was locked, says 500."""
    for attempt in range(20):
        try:
            return call()
        except ServerError as error:
            if not error.uncertain or attempt == 19:
                raise
            time.sleep(0.2)
    raise AssertionError


def test_a_leaver_s_items_move_to_others_tabs(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=8, overlap=2)
    people = PEOPLE[:4]
    with studio.client() as client:
        push(made, client=client)
        before = assign(made, emails=people, client=client)
        mine = [item for item, who in before.plan.items() if "a01" in who]
        after = assign(made, leaver="a01", done=frozenset(mine[:1]), client=client)
        assert "a01" not in after.loads and sum(after.loads.values()) == 15
        for name, link in after.links.items():
            found = re.search(r"tab=(\d+)&", link)
            assert found
            shown = client.get("/api/tasks", {"view": found[1], "page_size": 100})["tasks"]
            assert {task["data"]["key"] for task in shown} == {
                item.key for item in made.items() if name in after.plan[item.item]
            }
        # Tabs are kept, so links that were sent still work.
        assert {name: before.links[name] for name in after.links} == after.links
        with pytest.raises(UsageError, match="say both, --leaver NAME --annotator EMAIL"):
            assign(made, emails=[PEOPLE[7]], client=client)
        replaced = assign(made, emails=[PEOPLE[7]], leaver="a02", client=client)
        assert replaced.loads["a05"] == after.loads["a02"] and "a02" not in replaced.loads


def test_every_task_is_complete_with_the_answers_that_were_asked_for(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=5, overlap=2)
    rewrite(made, lambda rows: [row | {"role": "check"} if row["item"] == "i0002" else row for row in rows])
    emails = dict(zip(PEOPLE[:3], ("a01", "a02", "a03"), strict=True))
    with studio.client() as client:
        push(made, client=client)
        assigned = assign(made, emails=PEOPLE[:3], client=client)
        project = made.settings.project
        assert project is not None
        tasks = {item.item: ledger.read(made.path(LEDGER))[item.key].task for item in made.items()}

        def state(name: str) -> dict[str, Any]:
            listed = client.tasks(project, include=(name,))
            values = {task["id"]: task[name] for task in listed}
            return {item: values[task] for item, task in tasks.items()}

        # Four sentences for two people each, and the check for all three.
        assert state("overlap") == {item: len(who) for item, who in assigned.plan.items()}
        assert sorted(state("overlap").values()) == [2, 2, 2, 2, 3]
        for view in client.get("/api/dm/views/", {"project": project}):
            for part in ("explore", "labeling"):
                hidden = set(view["data"]["hiddenColumns"][part])
                assert {"tasks:completed_at", "tasks:total_annotations", "tasks:updated_at"} <= hidden
        # Someone unasked and one who was asked answer first: the task is closed before everyone had it.
        item, (first, second) = next((i, who) for i, who in assigned.plan.items() if len(who) == 2)
        (unasked,) = set(emails.values()) - {first, second}
        addresses = {name: email for email, name in emails.items()}
        for name in (unasked, first):
            with studio.client(addresses[name]) as person:
                person.post(f"/api/tasks/{tasks[item]}/annotations/", {"result": []})
        assert state("is_labeled")[item]
        # Assigning again opens it for the one who is missing, and says who has an account.
        again = assign(made, client=client)
        assert again.names == emails and again.plan == assigned.plan
        assert (state("overlap")[item], state("is_labeled")[item]) == (3, False)
        for name, email in ((name, addresses[name]) for name in again.loads):
            found = re.search(r"tab=(\d+)&", again.links[name])
            assert found
            with studio.client(email) as person:
                while (task := next_task(person, project, int(found[1]))) is not None:
                    person.post(f"/api/tasks/{task}/annotations/", {"result": []})
        counts = {item: len(who) for item, who in assigned.plan.items()}
        assert state("total_annotations") == counts | {item: 3}
        assert client.project(project)["finished_task_number"] == 5


def test_a_deleted_account_is_known_from_an_earlier_pull(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=2)
    email = "short-lived@example.org"
    with studio.client() as client:
        push(made, client=client)
        user = client.post("/api/users/", {"email": email, "username": "short", "first_name": "S"})["id"]
        task = ledger.read(made.path(LEDGER))[made.items()[0].key].task
        client.post(f"/api/tasks/{task}/annotations/", {"result": [], "completed_by": user})
        first = collect(made, pull.fetch(made, client=client))
        write(made, first)
        assert first.normal.rows[0]["annotator"] == "a01"
        assert first.annotators[0].email_hash == email_hash(made.settings.id, email)
        client.delete(f"/api/users/{user}/")
        second = collect(made, pull.fetch(made, client=client)).normal
        assert [row["annotator"] for row in second.rows] == ["a01"]
        assert "author_deleted" in [note.code for note in second.notes]
