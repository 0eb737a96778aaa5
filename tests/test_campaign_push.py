"""Push against a real server: every item becomes exactly one task, whatever breaks."""

from __future__ import annotations

import shutil
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest
from campaigns import campaign, rewrite
from label_studio import FaultProxy, Studio, after, before, response, truncated

from probeta.annotation import ledger
from probeta.annotation.campaign import LEDGER, Campaign
from probeta.annotation.push import push
from probeta.annotation.remote import key_of
from probeta.errors import DataError, UsageError

pytestmark = pytest.mark.server


def remote_keys(studio: Studio, made: Campaign) -> Counter[str]:
    """Every key of the campaign on the server with the number of its tasks."""
    project = made.settings.project
    assert project is not None
    with studio.client() as client:
        keys = [key_of(task, made.settings.id) for task in client.tasks(project, include=("data",))]
    return Counter(key for key in keys if key is not None)


def assert_exactly_once(studio: Studio, made: Campaign) -> None:
    local = {item.key for item in made.items()}
    assert remote_keys(studio, made) == Counter(local)
    assert set(ledger.read(made.path(LEDGER))) == local


def test_push_twice_adds_nothing_and_texts_survive(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=20)
    with studio.client() as client:
        first = push(made, client=client, batch=6)
        again = push(Campaign(made.folder), client=client)
        stored = list(client.tasks(first.project, include=("data",)))
    assert (first.sent, first.there, again.sent, again.there) == (20, 0, 0, 20)
    assert_exactly_once(studio, made)
    # Emoji, combining marks, line ends, HTML and blanks come back as they went.
    assert [task["data"]["text"] for task in stored] == [item.fields["text"] for item in made.items()]
    assert {name for task in stored for name in task["data"]} == {"key", "text"}


FAULTS = {
    "503 before": [before(response("503 Service Unavailable", b"{}"))],
    "drop before": [before(None)],
    "drop after commit": [after(None)],
    "502 after commit": [after(response("502 Bad Gateway", b"<html>bad</html>", kind="text/html"))],
    "truncated answer": [truncated],
    "HTML with 200": [after(response("200 OK", b"<html>hello</html>", kind="text/html"))],
    "429 with Retry-After": [before(response("429 Too Many Requests", b"{}", "Retry-After: 1"))],
    "409 after commit": [after(response("409 Conflict", b"{}"))],
    "three in a row": [after(None), before(None), after(response("504 Gateway Timeout", b""))],
}


@pytest.mark.parametrize("name", FAULTS)
def test_exactly_once_over_a_broken_wire(
    studio: Studio, proxy: FaultProxy, tmp_path: Path, name: str
) -> None:
    made = campaign(tmp_path / "c", size=30)
    proxy.add("POST /api/projects/[0-9]+/import", *FAULTS[name])
    with studio.client(url=proxy.url) as client:
        done = push(made, client=client, batch=10)
    assert not proxy.faults
    assert done.failures >= 1
    assert done.sent == 30
    assert_exactly_once(studio, made)


def test_a_changed_text_under_an_annotation_is_refused(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=3)
    with studio.client() as client:
        push(made, client=client)
        tasks = ledger.read(made.path(LEDGER))
        annotated = made.items()[0]
        client.post(f"/api/tasks/{tasks[annotated.key].task}/annotations/", {"result": []})
        rewrite(made, lambda rows: [rows[0], rows[1] | {"text": "otro texto"}, rows[2]])
        assert push(made, client=client).changed == 1
        rewrite(made, lambda rows: [rows[0] | {"text": "otro texto"}, *rows[1:]])
        with pytest.raises(DataError) as refused:
            push(made, client=client)
    assert [fault.code for fault in refused.value.faults] == ["changed_text"]
    assert refused.value.faults[0].row == annotated.item


def instructions(studio: Studio, made: Campaign) -> str:
    with studio.client() as client:
        return str(client.get(f"/api/projects/{made.settings.project}/")["expert_instruction"])


def test_a_changed_guideline_is_refused_or_given_to_the_annotators(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=2)
    path = made.path("guideline.md")
    # A real one, with lists and tables: the server keeps it as it is.
    shutil.copy(Path(str(files("probeta.guidelines"))) / "nli" / "annotation.es.md", path)
    old = made.settings.guideline_sha256
    with studio.client() as client:
        with pytest.raises(UsageError, match="--new-guideline"):
            push(made, client=client)
        # Nothing was made on the server.
        assert Campaign(made.folder).settings.project is None
        first = push(made, client=client, new_guideline=True)
        assert (first.guideline_renewed, first.sent, first.notes) == (True, 2, [])
        made = Campaign(made.folder)
        again = push(made, client=client, new_guideline=True)
        assert (again.guideline_renewed, again.notes) == (False, [])
        path.write_text("# Otra\n", encoding="utf-8")
        with pytest.raises(UsageError, match="put it back"):
            push(made, client=client)
        assert "Otra" not in instructions(studio, made)
        assert push(made, client=client, new_guideline=True).guideline_renewed
        assert "Otra" in instructions(studio, made)
        changes = Campaign(made.folder).settings.guideline_changes
        assert [change.before for change in changes] == [old, changes[0].after]
        assert changes[1].after == Campaign(made.folder).settings.guideline_sha256
        # Line ends of another system are the same guideline.
        path.write_bytes(b"# Otra\r\n")
        assert not push(made, client=client).notes
        # Someone edits the instructions on the server: told, and put back on request.
        client.patch(f"/api/projects/{made.settings.project}/", {"expert_instruction": "Todo vale."})
        assert [note.code for note in push(made, client=client).notes] == ["guideline_there"]
        assert not push(made, client=client, new_guideline=True).guideline_renewed
        assert "Otra" in instructions(studio, made)
        path.unlink()
        with pytest.raises(UsageError, match="is missing"):
            push(made, client=client)
