"""Incremental pulls against a real server: the same as a full pull, whatever happened in between."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from campaigns import campaign, fill_in, region
from label_studio import ADMIN, PEOPLE, FaultProxy, Studio, before, response
from test_campaign_pull import Bench, codes

from probeta.annotation import collect, pull
from probeta.annotation.campaign import Campaign
from probeta.annotation.push import push

pytestmark = pytest.mark.server


@pytest.fixture
def bench(studio: Studio, tmp_path: Path) -> Bench:
    """Eight items, five of them answered, and a full pull of that."""
    made = Bench(studio, campaign(tmp_path / "c"))
    for number, person in enumerate(PEOPLE[:5]):
        text = made.texts[f"i000{number}"]["text"]
        made.answer(person, f"i000{number}", [region(text)])
    made.pull()
    return made


def since(bench: Bench) -> pull.Pull:
    with bench.studio.client() as client:
        return pull.fetch(bench.made, client=client, since_last=True)


def whole(bench: Bench) -> pull.Pull:
    with bench.studio.client() as client:
        return pull.fetch(bench.made, client=client)


def assert_same_as_full(bench: Bench, changed: pull.Pull) -> None:
    """As ``assert_same``, without leaving the full pull for the next one to build on."""
    assert_same(bench, changed)
    pull.paths(bench.made)[-1].unlink()


def assert_same(bench: Bench, changed: pull.Pull) -> None:
    """A full pull has the very same tasks and people, and so has the file."""
    full = whole(bench)
    assert changed.tasks == full.tasks
    assert (changed.users, changed.foreign) == (full.users, full.foreign)
    assert pull.read(bench.made.path("pulls") / changed.name) == changed


def answers(bench: Bench, item: str) -> list[int]:
    """The numbers of an item's annotations."""
    task = bench.call(ADMIN, "get", f"/api/tasks/{bench.tasks[item]}/")
    return [int(given["id"]) for given in task["annotations"]]


def test_nothing_changed_and_nothing_is_fetched(bench: Bench) -> None:
    changed = since(bench)
    assert (changed.fetched, changed.increments) == (0, 1)
    assert_same(bench, changed)


def deleted_by_another(bench: Bench, item: str = "i0001") -> None:
    bench.call(PEOPLE[7], "delete", f"/api/annotations/{answers(bench, item)[0]}/")


def replaced(bench: Bench) -> None:
    """As many annotations as before, but another one."""
    deleted_by_another(bench, "i0000")
    bench.answer(PEOPLE[2], "i0000", [])


def overwritten(bench: Bench) -> None:
    bench.call(PEOPLE[7], "patch", f"/api/annotations/{answers(bench, 'i0002')[0]}/", {"result": []})


def edited(bench: Bench) -> None:
    data = {"key": bench.made.items()[6].key, "text": "otro"}
    bench.call(ADMIN, "patch", f"/api/tasks/{bench.tasks['i0006']}/", {"data": data})


def drafted(bench: Bench) -> None:
    bench.call(PEOPLE[6], "post", f"/api/tasks/{bench.tasks['i0007']}/drafts", {"result": [], "lead_time": 1})


def predicted(bench: Bench) -> None:
    text = bench.texts["i0005"]["text"]
    body = [{"task": bench.tasks["i0005"], "result": [region(text)], "model_version": "m"}]
    bench.call(ADMIN, "post", f"/api/projects/{bench.made.settings.project}/import/predictions", body)


def column_added(bench: Bench) -> None:
    """The data manager's own action, which does not stamp the tasks that it changes."""
    project = bench.made.settings.project
    body = {
        "value_name": "extra",
        "value_type": "String",
        "value": "x",
        "selectedItems": {"all": False, "included": [bench.tasks["i0003"]]},
    }
    bench.call(ADMIN, "post", f"/api/dm/actions?id=add_data_field&project={project}", body)


DEEDS: dict[str, tuple[Callable[[Bench], Any], int]] = {
    "an answer": (lambda bench: bench.answer(PEOPLE[5], "i0005", []), 1),
    "a skip": (lambda bench: bench.answer(PEOPLE[5], "i0005", [], was_cancelled=True), 1),
    "a second answer": (lambda bench: bench.answer(PEOPLE[5], "i0000", []), 1),
    "an answer overwritten": (overwritten, 1),
    "an answer deleted": (deleted_by_another, 1),
    "an answer deleted and another given": (replaced, 1),
    "a task deleted": (lambda bench: bench.call(ADMIN, "delete", f"/api/tasks/{bench.tasks['i0004']}/"), 0),
    "a text edited": (edited, 1),
    "a column added": (column_added, 1),
    "a draft, which stamps nothing": (drafted, 1),
    "a prediction, which stamps nothing": (predicted, 1),
    "a foreign task": (
        lambda bench: bench.call(
            ADMIN,
            "post",
            f"/api/projects/{bench.made.settings.project}/import",
            [{"data": {"text": "ajeno"}}],
        ),
        0,
    ),
}


def test_a_pull_does_not_show_when_it_was_made(bench: Bench) -> None:
    # The server says "0 minutes" of a draft and of a prediction; a minute later two pulls would differ.
    drafted(bench)
    predicted(bench)
    with bench.studio.client() as client:
        shown = client.get("/api/predictions/", {"project": bench.made.settings.project})
    assert "created_ago" in shown[0]
    tasks = whole(bench).tasks
    given = [answer for task in tasks for name in ("drafts", "predictions") for answer in task[name]]
    assert len(given) == 2
    assert all("created_at" in answer and "created_ago" not in answer for answer in given)


def test_what_happened_since_is_there_and_nothing_else_is_fetched(bench: Bench) -> None:
    for name, (deed, fetched) in DEEDS.items():
        deed(bench)
        changed = since(bench)
        drafts = sum(bool(task["drafts"]) for task in changed.tasks)
        # The task with a draft is fetched each time.
        assert changed.fetched == fetched + (drafts if "draft" not in name else 0), name
        assert changed.increments == 1
        assert_same(bench, changed)


def test_many_pulls_in_a_row_each_on_the_one_before(bench: Bench) -> None:
    found = []
    for number in range(pull.FULL_EVERY + 2):
        if number % 4 == 0:
            bench.answer(PEOPLE[number % 9], "i0006", [])
        changed = since(bench)
        found.append((changed.increments, changed.fetched))
        if number == pull.FULL_EVERY - 1:
            assert_same_as_full(bench, changed)
    # Ten that build on one another, then a full one; an answer before the first, the fifth, the ninth.
    expected = [(number + 1, int(number % 4 == 0)) for number in range(pull.FULL_EVERY)]
    assert found == [*expected, (0, 8), (1, 0)]


def test_a_draft_that_was_handed_in_or_thrown_away_is_gone(bench: Bench) -> None:
    drafted(bench)
    assert [item for item, _ in collect.collect(bench.made, since(bench)).normal.drafts] == ["i0007"]
    task = bench.tasks["i0007"]
    draft = bench.call(PEOPLE[6], "get", f"/api/tasks/{task}/drafts")[0]["id"]
    bench.call(PEOPLE[6], "delete", f"/api/drafts/{draft}/")
    changed = since(bench)
    assert not collect.collect(bench.made, changed).normal.drafts
    assert_same(bench, changed)


def test_what_vanished_is_told_with_the_pull_that_has_it(bench: Bench) -> None:
    deleted_by_another(bench)
    bench.call(ADMIN, "delete", f"/api/tasks/{bench.tasks['i0004']}/")
    made = collect.collect(bench.made, since(bench)).normal
    assert codes(made.faults) == ["task_missing"]
    gone = [note for note in made.notes if note.code == "deleted"]
    # The answer to i0001, and with the task the answer to i0004.
    assert sorted(str(note.row) for note in gone) == ["i0001", "i0004"]
    assert all("pulls/" in str(note.found) for note in gone)
    assert len(made.rows) == 3


def test_an_account_deleted_stamps_nothing_and_is_noticed(bench: Bench) -> None:
    with bench.studio.client() as client:
        account = {"email": "brief@example.org", "username": "brief", "first_name": "B"}
        user = client.post("/api/users/", account)["id"]
        path = f"/api/tasks/{bench.tasks['i0005']}/annotations/"
        client.post(path, {"result": [], "completed_by": user})
        collect.write(bench.made, collect.collect(bench.made, since(bench)))
        client.delete(f"/api/users/{user}/")
    changed = since(bench)
    assert changed.fetched == 1
    made = collect.collect(bench.made, changed)
    assert "author_deleted" in codes(made.normal.notes)
    assert len(made.normal.rows) == 6
    assert_same(bench, changed)


def test_counts_that_disagree_lead_to_a_full_pull(
    bench: Bench, proxy: FaultProxy, capsys: pytest.CaptureFixture[str]
) -> None:
    """The server is made to count one annotation more than there are in what it lists."""
    tasks = {"total": 8, "total_annotations": 6, "total_predictions": 0, "tasks": []}
    wrong = response("200 OK", str(tasks).replace("'", '"').encode())
    proxy.add(r"GET /api/tasks\?.*contains", *[before(wrong)] * 6)
    with bench.studio.client(url=proxy.url) as client:
        changed = pull.fetch(bench.made, client=client, since_last=True)
    assert not proxy.faults
    assert "pulling everything" in capsys.readouterr().err
    assert (changed.fetched, changed.increments) == (8, 0)
    assert_same(bench, changed)


def test_a_server_that_knows_no_such_filter_leads_to_a_full_pull(bench: Bench, proxy: FaultProxy) -> None:
    proxy.add("GET /api/tasks.*draft_exists", before(response("400 Bad Request", b'{"detail": "no filter"}')))
    with bench.studio.client(url=proxy.url) as client:
        changed = pull.fetch(bench.made, client=client, since_last=True)
    assert not proxy.faults
    assert (changed.fetched, changed.increments) == (8, 0)


def test_an_answer_given_while_we_look_is_no_disagreement(bench: Bench, proxy: FaultProxy) -> None:
    def meanwhile(forward: Callable[[], bytes]) -> bytes:
        answer = forward()
        bench.answer(PEOPLE[5], "i0005", [])
        return answer

    # Behind the list, before the last count.
    proxy.add("GET /api/tasks.*draft_exists", meanwhile)
    with bench.studio.client(url=proxy.url) as client:
        changed = pull.fetch(bench.made, client=client, since_last=True)
    assert not proxy.faults
    assert changed.increments == 1
    # It is in the next one.
    changed = since(bench)
    assert (changed.fetched, changed.increments) == (1, 2)
    assert_same(bench, changed)


def test_a_task_deleted_while_we_look_is_noticed(bench: Bench, proxy: FaultProxy) -> None:
    def meanwhile(forward: Callable[[], bytes]) -> bytes:
        answer = forward()
        bench.call(ADMIN, "delete", f"/api/tasks/{bench.tasks['i0004']}/")
        return answer

    proxy.add("GET /api/tasks.*draft_exists", meanwhile)
    with bench.studio.client(url=proxy.url) as client:
        changed = pull.fetch(bench.made, client=client, since_last=True)
    assert (len(changed.tasks), changed.increments) == (7, 1)
    assert_same(bench, changed)


def test_another_project_and_no_pull_yet_are_pulled_whole(bench: Bench, tmp_path: Path) -> None:
    copy = Campaign(shutil.copytree(bench.made.folder, tmp_path / "copy"))
    with bench.studio.client() as client:
        push(copy, client=client, new_project=True)
        other = pull.fetch(copy, client=client, since_last=True)
        assert (other.increments, sum(len(task["annotations"]) for task in other.tasks)) == (0, 0)
        shutil.rmtree(copy.path("pulls"))
        assert pull.fetch(copy, client=client, since_last=True).increments == 0


def test_predictions_stay_whole_in_tasks_that_are_not_fetched(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "model.jsonl"
    file.write_text('{"id": "i0003", "spans": []}\n{"id": "i0004", "spans": []}\n', encoding="utf-8")
    with bench.studio.client() as client:
        assert fill_in(bench.made, file, client) == 2
    assert since(bench).fetched == 2
    changed = since(bench)
    assert changed.fetched == 0
    assert sum(bool(task["predictions"]) for task in changed.tasks) == 2
    assert_same(bench, changed)
