"""Push against a real server: every item becomes exactly one task, whatever breaks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from campaigns import campaign, rewrite
from label_studio import FaultProxy, Studio, after, before, response, truncated

from probeta.annotation import ledger
from probeta.annotation.campaign import LEDGER, Campaign
from probeta.annotation.push import push
from probeta.annotation.remote import key_of
from probeta.errors import DataError

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
