"""Pull against a real server: lossless, never short, every kind of answer told apart."""

from __future__ import annotations

import gzip
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from campaigns import campaign, choice, region
from label_studio import ADMIN, PEOPLE, FaultProxy, Studio, after, before, response, truncated

from probeta.annotation import collect, ledger, pull
from probeta.annotation.annotators import email_hash
from probeta.annotation.campaign import LEDGER, PULLS, Campaign
from probeta.annotation.privacy import hide_people
from probeta.annotation.push import push
from probeta.annotation.remote import ensure_project
from probeta.errors import DataError, ProbetaError
from probeta.validation import annotations as table

pytestmark = pytest.mark.server


class Bench:
    """A pushed campaign and short words for what people do in it."""

    def __init__(self, studio: Studio, made: Campaign) -> None:
        self.studio, self.made = studio, made
        with studio.client() as client:
            push(made, client=client)
        keys = {item.key: item for item in made.items()}
        tasks = ledger.read(made.path(LEDGER))
        self.tasks = {keys[key].item: entry.task for key, entry in tasks.items()}
        self.texts = {item.item: dict(item.fields) for item in keys.values()}

    def answer(self, person: str, item: str, result: list[dict[str, Any]], **more: Any) -> int:
        with self.studio.client(person) as client:
            path = f"/api/tasks/{self.tasks[item]}/annotations/"
            return int(client.post(path, {"result": result, "lead_time": 4.5, **more})["id"])

    def call(self, person: str, method: str, path: str, *body: Any) -> Any:
        with self.studio.client(person) as client:
            return getattr(client, method)(path, *body)

    def pull(self, **options: Any) -> collect.Collected:
        with self.studio.client() as client:
            pulled = pull.fetch(self.made, client=client)
        made = collect.collect(self.made, pulled, **options)
        collect.write(self.made, made)
        return made


@pytest.fixture
def bench(studio: Studio, tmp_path: Path) -> Bench:
    return Bench(studio, campaign(tmp_path / "c"))


def codes(faults: Any) -> list[str]:
    return sorted(fault.code for fault in faults)


def test_every_kind_of_answer_is_told_apart(bench: Bench) -> None:
    one, two, three = PEOPLE[:3]
    texts = {item: fields["text"] for item, fields in bench.texts.items()}
    bench.answer(one, "i0001", [region(texts["i0001"])])
    bench.answer(two, "i0001", [])
    bench.answer(three, "i0001", [], was_cancelled=True)
    bench.call(three, "post", f"/api/tasks/{bench.tasks['i0002']}/drafts", {"result": [], "lead_time": 1.0})
    made = bench.pull()
    assert not made.normal.faults
    rows = {(row["item"], row["status"]): row for row in made.normal.rows}
    assert set(rows) == {("i0001", "answered"), ("i0001", "empty"), ("i0001", "skipped")}
    # After the emoji, the word is still where Python finds it.
    span = rows["i0001", "answered"]["spans"][0]
    assert span["text"] == texts["i0001"][span["start"] : span["end"]] == "burpees"
    assert rows["i0001", "answered"]["seconds"] == 4.5
    assert [item for item, _ in made.normal.drafts] == ["i0002"]
    read = table.read(bench.made.folder)
    assert read.kind == "spans"
    assert list(read.rows["status"]) == [row["status"] for row in made.normal.rows]
    # People stand in the files as pseudonyms and hashes.
    for path in bench.made.folder.rglob("*"):
        if path.suffix in (".csv", ".yaml", ".json", ".jsonl"):
            assert "@example.org" not in path.read_text("utf-8")
    assert all(b"@example.org" not in repr(task).encode() for task in pull.latest(bench.made).tasks)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "unknown label": ({"labels": ["XXX"]}, "unknown_label"),
    "negative start": ({"start": -3}, "bounds"),
    "past the end": ({"end": 999}, "bounds"),
    "text that differs": ({"text": "flexiones"}, "text"),
    "bounds that are text": ({"start": "4"}, "bounds"),
    "two labels": ({"labels": ["ENG", "ENG"]}, "labels"),
}


def test_what_the_server_never_checks(bench: Bench) -> None:
    text = bench.texts["i0000"]["text"]
    expected = []
    for person, (change, code) in zip(PEOPLE, WRONG.values(), strict=False):
        broken = region(text)
        broken["value"] |= change
        bench.answer(person, "i0000", [broken])
        expected.append(code)
    bench.answer(PEOPLE[7], "i0000", [region(text) | {"from_name": "other"}])
    bench.answer(PEOPLE[8], "i0000", [region(text)])
    made = bench.pull()
    assert codes(made.normal.faults) == sorted([*expected, "control"])
    # The sound answer is in the table, the others are in the pull.
    assert len(made.normal.rows) == 1
    assert made.normal.annotations == len(WRONG) + 2


def test_old_utf16_offsets_are_detected_and_repaired(bench: Bench) -> None:
    text = bench.texts["i0001"]["text"]
    old = region(text)
    start = len(text[: old["value"]["start"]].encode("utf-16-le")) // 2
    old["value"] |= {"start": start, "end": start + len("burpees")}
    bench.answer(PEOPLE[0], "i0001", [old])
    assert codes(bench.pull().normal.faults) == ["utf16_offsets"]
    repaired = bench.pull(repair_utf16=True).normal
    assert not repaired.faults
    assert repaired.rows[0]["spans"][0]["text"] == "burpees"


def test_edges_and_partial_tokens_are_reported(bench: Bench) -> None:
    text = bench.texts["i0000"]["text"]
    bench.answer(PEOPLE[0], "i0000", [region(text, " burpees"), region(text, "big")])
    bench.answer(PEOPLE[1], "i0000", [region(text, "rpees"), region(text, "rpees")])
    made = bench.pull()
    assert not made.normal.faults
    assert {"edge_blank", "partial_token", "region_twice"} <= set(codes(made.normal.notes))
    spans = next(row["spans"] for row in bench.pull(trim=True).normal.rows if len(row["spans"]) == 2)
    assert [span["text"] for span in spans] == ["burpees", "big"]


@pytest.mark.parametrize("policy", ["error", "first", "last"])
def test_several_answers_of_one_person(studio: Studio, tmp_path: Path, policy: str) -> None:
    bench = Bench(studio, campaign(tmp_path / "c", kind="pairs", size=2, duplicates=policy))
    for label in ("neutral", "entailment"):
        bench.answer(PEOPLE[0], "i0000", [choice(label)])
    bench.answer(PEOPLE[0], "i0001", [], was_cancelled=True)
    bench.answer(PEOPLE[0], "i0001", [choice("reasoning")])
    normal = bench.pull().normal
    labels = {row["item"]: row["label"] for row in normal.rows}
    assert labels.get("i0000") == {"error": None, "first": "neutral", "last": "entailment"}[policy]
    assert labels["i0001"] == "reasoning"
    assert codes(normal.faults) == (["duplicate"] if policy == "error" else [])


def test_deeds_of_others_and_of_the_administrator(bench: Bench) -> None:
    one, two = PEOPLE[:2]
    text = bench.texts["i0000"]["text"]
    first = bench.answer(one, "i0000", [region(text)])
    second = bench.answer(two, "i0003", [])
    bench.pull()
    bench.call(two, "patch", f"/api/annotations/{first}/", {"result": []})
    bench.call(one, "delete", f"/api/annotations/{second}/")
    bench.call(ADMIN, "delete", f"/api/tasks/{bench.tasks['i0005']}/")
    edited = {"data": {"key": bench.made.items()[6].key, "text": "otro"}}
    bench.call(ADMIN, "patch", f"/api/tasks/{bench.tasks['i0006']}/", edited)
    made = bench.pull().normal
    assert {"overwritten", "deleted"} <= set(codes(made.notes))
    assert codes(made.faults) == ["edited_there", "task_missing"]


def test_two_pulls_of_one_second_keep_their_order(studio: Studio, tmp_path: Path) -> None:
    bench = Bench(studio, campaign(tmp_path / "c"))
    with studio.client() as client:
        first = pull.fetch(bench.made, client=client).name
    second = first.replace(".jsonl.gz", "-02.jsonl.gz")
    shutil.copy(bench.made.path(PULLS) / first, bench.made.path(PULLS) / second)
    assert pull.latest(bench.made).name == second
    assert [path.name for path in pull.paths(bench.made)] == [first, second]


def test_what_is_gone_stays_told_by_every_later_pull(bench: Bench) -> None:
    """Once told of, a deleted answer is carried from pull to pull, full or not, with the pull that has it."""
    one, two = (bench.answer(person, "i0000", []) for person in PEOPLE[:2])
    first = bench.pull().pull.name
    bench.call(PEOPLE[3], "delete", f"/api/annotations/{one}/")
    found = [bench.pull().normal.notes]
    bench.call(PEOPLE[3], "delete", f"/api/annotations/{two}/")
    second = pull.latest(bench.made).name
    found += [bench.pull().normal.notes, bench.pull().normal.notes]
    with bench.studio.client() as client:
        changed = pull.fetch(bench.made, client=client, since_last=True)
    found.append(collect.collect(bench.made, changed).normal.notes)
    # The pulls themselves need not be there any more.
    for path in pull.paths(bench.made)[:-1]:
        path.unlink()
    found.append(collect.collect(bench.made, pull.latest(bench.made)).normal.notes)
    told = [[(note.code, note.row, note.found) for note in notes] for notes in found]
    once = ("deleted", "i0000", f"it is in pulls/{first}")
    twice = ("deleted", "i0000", f"it is in pulls/{second}")
    assert told == [[once], *[[once, twice]] * 4]


def test_another_project_has_no_past(bench: Bench) -> None:
    """Numbers of annotations mean something else there."""
    bench.answer(PEOPLE[0], "i0000", [])
    bench.pull()
    with bench.studio.client() as client:
        push(bench.made, client=client, new_project=True)
    assert not bench.pull().normal.notes


def test_a_project_deleted_in_mid_pull_leaves_no_file(
    studio: Studio, proxy: FaultProxy, tmp_path: Path
) -> None:
    bench = Bench(studio, campaign(tmp_path / "c"))
    project = bench.made.settings.project

    def deleted(forward: Any) -> bytes:
        bench.call(ADMIN, "delete", f"/api/projects/{project}/")
        answer: bytes = forward()
        return answer

    proxy.add("GET /api/projects/[0-9]+/export", deleted)
    with studio.client(url=proxy.url) as client, pytest.raises(ProbetaError, match="nothing was written"):
        pull.fetch(bench.made, client=client)
    assert not list(bench.made.path(PULLS).glob("*"))


def test_a_task_deleted_in_mid_pull_is_noticed(studio: Studio, proxy: FaultProxy, tmp_path: Path) -> None:
    bench = Bench(studio, campaign(tmp_path / "c"))

    def deleted(forward: Any) -> bytes:
        bench.call(ADMIN, "delete", f"/api/tasks/{bench.tasks['i0001']}/")
        answer: bytes = forward()
        return answer

    proxy.add("GET /api/projects/[0-9]+/export", deleted)
    with studio.client(url=proxy.url) as client:
        pulled = pull.fetch(bench.made, client=client)
    # The second look is whole: it has the seven that are left, and the missing one is a fault.
    assert len(pulled.tasks) == 7
    assert codes(collect.collect(bench.made, pulled).normal.faults) == ["task_missing"]


def test_a_pull_over_a_broken_wire_is_whole(studio: Studio, proxy: FaultProxy, tmp_path: Path) -> None:
    bench = Bench(studio, campaign(tmp_path / "c"))
    bench.answer(PEOPLE[0], "i0000", [])
    html = response("200 OK", b"<html></html>", kind="text/html")
    for pattern in ("GET /api/tasks", "GET /api/projects/[0-9]+/export", "GET /api/users"):
        proxy.add(pattern, before(None), after(html), truncated)
    with studio.client(url=proxy.url) as client:
        pulled = pull.fetch(bench.made, client=client)
    assert not proxy.faults
    assert (len(pulled.tasks), sum(len(task["annotations"]) for task in pulled.tasks)) == (8, 1)


def test_a_cut_pull_file_is_refused(bench: Bench) -> None:
    path = bench.made.path(PULLS) / bench.pull().pull.name
    whole = path.read_bytes()
    # Cut off, damaged within, or no pull at all.
    middle = len(whole) // 2
    within = whole[:middle] + b"\xff" * 40 + whole[middle + 40 :]
    for damaged in (whole[:middle], within, gzip.compress(b"[]\n[]\n")):
        path.write_bytes(damaged)
        with pytest.raises(DataError) as refused:
            pull.latest(bench.made)
        assert [fault.code for fault in refused.value.faults] == ["pull_cut"]


def as_accounts(studio: Studio) -> Callable[[Callable[[], bytes]], bytes]:
    """An export of a release that gives whole accounts where others give numbers."""
    with studio.client() as client:
        accounts = {user["id"]: user for user in client.get("/api/users/")}

    def changed(forward: Callable[[], bytes]) -> bytes:
        body = forward().partition(b"\r\n\r\n")[2]
        # The answer comes in chunks: their sizes stand between them.
        tasks = json.loads(unchunked(body))
        for task in tasks:
            for given in task["annotations"]:
                for name in ("completed_by", "updated_by", "last_created_by"):
                    given[name] = accounts.get(given[name], given[name])
                given["reviews"] = [{"id": 1, "created_by": accounts[min(accounts)], "comment": "x@y.org"}]
            task["comment_authors"] = [accounts[min(accounts)]]
        return response("200 OK", json.dumps(tasks).encode())

    return changed


def unchunked(body: bytes) -> bytes:
    if body.lstrip()[:1] == b"[":
        return body
    parts = []
    while body:
        size, _, body = body.partition(b"\r\n")
        parts.append(body[: int(size, 16)])
        body = body[int(size, 16) + 2 :]
    return b"".join(parts)


def test_whole_accounts_become_numbers_and_all_that_hangs_on_them_stays(
    bench: Bench, proxy: FaultProxy
) -> None:
    one, two = PEOPLE[:2]
    text = bench.texts["i0000"]["text"]
    mine = bench.answer(one, "i0000", [region(text)])
    gone = bench.answer(two, "i0003", [])
    with bench.studio.client() as client:
        account = {"email": "Leaves@example.org", "username": "leaves", "first_name": "Lea"}
        user = client.post("/api/users/", account)["id"]
        path = f"/api/tasks/{bench.tasks['i0002']}/annotations/"
        client.post(path, {"result": [], "completed_by": user})
    bench.call(two, "post", f"/api/tasks/{bench.tasks['i0004']}/drafts", {"result": [], "lead_time": 1.0})

    def fetched(**options: Any) -> collect.Collected:
        proxy.add("GET /api/projects/[0-9]+/export", as_accounts(bench.studio))
        with bench.studio.client(url=proxy.url) as client:
            pulled = pull.fetch(bench.made, client=client, **options)
        made = collect.collect(bench.made, pulled)
        collect.write(bench.made, made)
        return made

    assert not fetched().normal.faults
    bench.call(two, "patch", f"/api/annotations/{mine}/", {"result": []})
    bench.call(one, "delete", f"/api/annotations/{gone}/")
    with bench.studio.client() as client:
        client.delete(f"/api/users/{user}/")
    for options in ({}, {"since_last": True}):
        made = fetched(**options)
        assert not made.normal.faults
        assert {"overwritten", "deleted", "author_deleted"} <= set(codes(made.normal.notes))
        assert [item for item, _ in made.normal.drafts] == ["i0004"]
        assert len(made.normal.rows) == 2
    for path in pull.paths(bench.made):
        kept = gzip.decompress(path.read_bytes()).decode()
        assert "@" not in kept
        assert "Lea" not in kept and "username" not in kept.replace("created_username", "")
        assert '"completed_by":{"id":' in kept


def test_an_account_that_is_no_member_is_known_by_its_address() -> None:
    """Someone who left the organisation, in an export that still has the account whole."""
    users: dict[int, str] = {}
    task: dict[str, Any] = {
        "data": {"text": "a@b.org"},
        "annotations": [{"completed_by": {"id": 9, "email": "X@example.org", "first_name": "X"}}],
        "drafts": [{"user": "y@example.org", "created_username": "y@example.org, 3", "result": ["z@z.org"]}],
        "updated_by": [{"user_id": 4}],
    }
    hide_people([task], campaign="c", users=users)
    assert users == {9: email_hash("c", "x@example.org")}
    assert task["annotations"] == [{"completed_by": {"id": 9}}]
    other = email_hash("c", "y@example.org")
    assert task["drafts"] == [{"user": other, "created_username": f"{other}, 3", "result": ["z@z.org"]}]
    # What is annotated is not touched.
    assert (task["data"], task["updated_by"]) == ({"text": "a@b.org"}, [{"user_id": 4}])
    again = json.loads(json.dumps(task))
    hide_people([again], campaign="c", users=users)
    assert again == task


#: What an annotation is, whatever numbers a server gave it.
FIELDS = ("result", "was_cancelled", "lead_time", "ground_truth")


def by_people(pulled: pull.Pull) -> list[tuple[Any, ...]]:
    """Every task with its annotations, people by their addresses' hashes, without the server's numbers."""
    return [
        (
            task["data"],
            task["meta"],
            sorted(
                (pulled.users[given["completed_by"]], json.dumps([given[name] for name in FIELDS]))
                for given in task["annotations"]
            ),
        )
        for task in pulled.tasks
    ]


@pytest.mark.parametrize("kind", ["spans", "pairs"])
def test_a_pull_imported_into_another_project_pulls_the_same(
    studio: Studio, tmp_path: Path, kind: str
) -> None:
    bench = Bench(studio, campaign(tmp_path / "c", kind=kind))
    for place, (person, item) in enumerate(zip(PEOPLE, bench.texts, strict=False)):
        given = choice("reasoning") if kind == "pairs" else region(bench.texts[item]["text"])
        bench.answer(person, item, [given], lead_time=place + 0.25)
    bench.answer(PEOPLE[8], "i0000", [], lead_time=1.5)
    bench.answer(PEOPLE[8], "i0001", [], was_cancelled=True)
    # Two answers to one item, and the administrator's own.
    bench.answer(PEOPLE[7], "i0000", [], lead_time=None)
    bench.answer(ADMIN, "i0002", [], ground_truth=False)
    first = bench.pull()
    with studio.client() as client:
        emails = client.users()
    tasks = [
        {
            "data": task["data"],
            "meta": task["meta"],
            "annotations": [
                {
                    **{name: given[name] for name in FIELDS},
                    "completed_by": {"email": emails[given["completed_by"]]},
                }
                for given in task["annotations"]
            ],
        }
        for task in first.pull.tasks
    ]
    copy = Campaign(shutil.copytree(bench.made.folder, tmp_path / "copy"))
    with studio.client() as client:
        project = int(ensure_project(client, copy, new=True)["id"])
        assert project != bench.made.settings.project
        client.import_tasks(project, tasks)
        assert push(copy, client=client).sent == 0
        second = collect.collect(copy, pull.fetch(copy, client=client))
    assert codes(second.normal.faults) == codes(first.normal.faults) == []
    assert "ground_truth" not in codes(second.normal.notes)
    one, two = by_people(first.pull), by_people(second.pull)
    assert one == two
    assert sum(len(answers) for _, _, answers in one) == 12
    same = ("item", "annotator", "status", "label", "spans", "seconds")
    rows = [[{name: row.get(name) for name in same} for row in made.normal.rows] for made in (first, second)]
    assert rows[0] == rows[1]
    assert Counter(row["status"] for row in rows[0]) == {"answered": 8, "empty": 3, "skipped": 1}


def test_annotations_imported_without_a_word_of_it_count_as_ground_truth(bench: Bench) -> None:
    """The server's default for imported annotations is true; whoever imports by hand is told of it."""
    item = bench.made.items()[0]
    project = bench.made.settings.project
    assert project is not None
    with bench.studio.client() as client:
        client.delete(f"/api/tasks/{bench.tasks['i0000']}/")
        task = {"data": {"key": item.key, **item.fields}, "annotations": [{"result": [], "lead_time": 1.0}]}
        client.import_tasks(project, [task])
        push(bench.made, client=client)
    made = bench.pull().normal
    assert codes(made.notes) == ["ground_truth"]
    assert len(made.rows) == 1
