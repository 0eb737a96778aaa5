"""Servers and clients that die, tokens that expire, people who meddle: nothing is doubled, nothing lost."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from campaigns import campaign, fill_in
from label_studio import ADMIN, HASTE, PEOPLE, TOKEN, FaultProxy, Studio, free_port
from test_campaign_push import assert_exactly_once

from probeta.annotation import ledger, pull
from probeta.annotation.campaign import LEDGER, Campaign
from probeta.annotation.client import Client, ServerError, find_token
from probeta.annotation.collect import collect
from probeta.annotation.push import push
from probeta.annotation.remote import ensure_project, examine
from probeta.errors import DataError, UsageError

pytestmark = pytest.mark.server

IMPORT = "POST /api/projects/[0-9]+/import"


def test_the_server_dies_before_during_and_after_a_batch(
    studio: Studio, proxy: FaultProxy, tmp_path: Path
) -> None:
    made = campaign(tmp_path / "c", size=40)

    def dies_before(forward: Callable[[], bytes]) -> None:
        studio.server.kill()
        studio.restart()

    def dies_during(forward: Callable[[], bytes]) -> None:
        thread = threading.Thread(target=ignored(forward))
        thread.start()
        time.sleep(0.05)
        studio.server.kill()
        thread.join()
        studio.restart()

    def dies_after(forward: Callable[[], bytes]) -> None:
        forward()
        studio.server.kill()
        studio.restart()

    proxy.add(IMPORT, dies_before, dies_during, dies_after)
    with studio.client(url=proxy.url) as client:
        done = push(made, client=client, batch=10)
    assert not proxy.faults
    assert done.failures == 3
    assert_exactly_once(studio, made)


def ignored(call: Callable[[], Any]) -> Callable[[], None]:
    def run() -> None:
        try:
            call()
        except OSError:
            return

    return run


def command(made: Campaign, url: str) -> list[str]:
    return [sys.executable, "-m", "probeta.cli.main", "campaign", "push", str(made.folder), "--url", url]


def test_the_client_dies_between_the_post_and_the_ledger(
    studio: Studio, proxy: FaultProxy, tmp_path: Path
) -> None:
    made = campaign(tmp_path / "c", size=10)
    running: list[subprocess.Popen[str]] = []

    def dies(forward: Callable[[], bytes]) -> None:
        forward()
        running[0].kill()

    proxy.add(IMPORT, dies)
    env = {**os.environ, "LABEL_STUDIO_API_KEY": TOKEN}
    pipe = subprocess.PIPE
    running.append(subprocess.Popen(command(made, proxy.url), env=env, stdout=pipe, stderr=pipe, text=True))
    running[0].communicate(timeout=60)
    assert running[0].returncode == -9
    assert not ledger.read(made.path(LEDGER))
    # A line that the crash cut off does no harm either.
    made.path(LEDGER).write_bytes(b'{"key": "cut')
    again = subprocess.run(
        command(made, studio.url), env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert again.returncode == 0, again.stderr
    assert "10 tasks, 0 sent, 10 were there" in again.stdout
    assert_exactly_once(studio, Campaign(made.folder))


def limited(size: int) -> list[str]:
    """A command of ours on a disk that takes no file larger than ``size`` bytes."""
    start = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}));"
    run = "import sys; from probeta.cli.main import main; main(sys.argv[1:])"
    return [sys.executable, "-c", f"{start} {run}"]


def test_a_disk_that_is_full_before_the_ledger_is_written(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=40)
    env = {**os.environ, "LABEL_STUDIO_API_KEY": TOKEN}
    # campaign.yaml has some 800 bytes, the ledger of 40 items 5,000.
    words = [*limited(2500), *command(made, studio.url)[3:]]
    full = subprocess.run(words, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert full.returncode == 2
    assert full.stderr.count("\n") == 1 and "File too large" in full.stderr
    made = Campaign(made.folder)
    assert len(ledger.read(made.path(LEDGER))) < 40
    with studio.client() as client:
        assert (push(made, client=client).sent, made.settings.project) == (0, made.settings.project)
    assert_exactly_once(studio, made)


def test_an_answer_that_comes_too_late(studio: Studio, proxy: FaultProxy, tmp_path: Path) -> None:
    """The client's own time limit passes; the server has done it, or has not even got it."""
    made = campaign(tmp_path / "c", size=20)
    given_up = threading.Event()

    def slow_answer(forward: Callable[[], bytes]) -> None:
        forward()
        given_up.wait(60)

    def slow_request(forward: Callable[[], bytes]) -> None:
        given_up.wait(60)

    proxy.add(IMPORT, slow_answer, slow_request)
    try:
        with studio.client(url=proxy.url, timeout=5) as client:
            done = push(made, client=client, batch=10)
    finally:
        given_up.set()
    assert not proxy.faults
    assert done.failures >= 2
    assert_exactly_once(studio, made)


def test_a_batch_that_arrives_after_it_was_sent_again(
    studio: Studio, proxy: FaultProxy, tmp_path: Path
) -> None:
    made = campaign(tmp_path / "c", size=10)
    late: list[Callable[[], bytes]] = []

    def held(forward: Callable[[], bytes]) -> None:
        late.append(forward)

    def again(forward: Callable[[], bytes]) -> bytes:
        answer = forward()
        late[0]()
        return answer

    proxy.add(IMPORT, held, again)
    with studio.client(url=proxy.url) as client:
        done = push(made, client=client)
    assert (done.failures, done.copies_removed) == (1, 10)
    assert_exactly_once(studio, made)


def test_a_server_that_stays_away(tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=2)
    url = f"http://127.0.0.1:{free_port()}"
    with Client(url=url, token=TOKEN, patience=HASTE) as client:
        with pytest.raises(ServerError, match="is Label Studio running"):
            push(made, client=client)
        made.update(project=1)
        with pytest.raises(ServerError, match="is Label Studio running"):
            pull.fetch(made, client=client)
    assert not made.path(LEDGER).exists()
    assert not made.path("pulls").exists()


def expired(access: str, secret: str) -> str:
    """The access token as it will be in an hour, signed as the server signs."""

    def encoded(value: bytes) -> str:
        return base64.urlsafe_b64encode(value).rstrip(b"=").decode()

    head, payload, _ = access.split(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
    claims["exp"] = int(time.time()) - 3600
    body = f"{head}.{encoded(json.dumps(claims).encode())}"
    return f"{body}.{encoded(hmac.new(secret.encode(), body.encode(), hashlib.sha256).digest())}"


def test_a_personal_token_whose_access_expires_in_mid_push(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=10)
    with studio.client(PEOPLE[0]) as legacy:
        refresh = legacy.post("/api/token/", {})["token"]
    found = re.search(r"SECRET_KEY=['\"]?([^'\"\n]+)", (studio.data / ".env").read_text("utf-8"))
    assert found
    with Client(url=studio.url, token=refresh) as client:
        push(made, client=client)
        assert client._access is not None
        client._access = stale = expired(client._access, found[1])
        done = push(made, client=client)
        assert client._access != stale
    assert (done.sent, done.there) == (0, 10)


def test_legacy_tokens_switched_off_in_mid_push(studio: Studio, proxy: FaultProxy, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=20)
    with studio.client(PEOPLE[1]) as legacy:
        refresh = legacy.post("/api/token/", {})["token"]
    with Client(url=studio.url, token=refresh) as personal:

        def switch(on: bool) -> None:
            settings = {"api_tokens_enabled": True, "legacy_api_tokens_enabled": on}
            personal.post("/api/jwt/settings", settings)

        def off(forward: Callable[[], bytes]) -> bytes:
            switch(False)
            return forward()

        proxy.add(IMPORT, lambda forward: forward(), off)
        try:
            with (
                studio.client(url=proxy.url) as client,
                pytest.raises(ServerError, match="looks like a legacy token") as refused,
            ):
                push(made, client=client, batch=10)
        finally:
            switch(True)
    assert TOKEN not in str(refused.value)
    with studio.client() as client:
        assert push(made, client=client).there == 10
    assert_exactly_once(studio, made)


def test_two_pushers_at_once(studio: Studio, proxy: FaultProxy, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=30)
    with studio.client() as client:
        ensure_project(client, made)
    copy = Campaign(shutil.copytree(made.folder, tmp_path / "copy"))

    def other(forward: Callable[[], bytes]) -> bytes:
        # On the same folder the second is turned away; on a copy of it, it pushes everything meanwhile.
        with studio.client() as second, pytest.raises(UsageError, match="another command"):
            push(Campaign(made.folder), client=second)
        with studio.client() as second:
            assert push(copy, client=second).sent == 30
        return forward()

    proxy.add(IMPORT, other)
    with studio.client(url=proxy.url) as client:
        done = push(made, client=client, batch=10)
    assert done.copies_removed == 30
    assert_exactly_once(studio, made)


def test_two_pushers_race_on_copies(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=40)
    with studio.client() as client:
        ensure_project(client, made)
    copy = Campaign(shutil.copytree(made.folder, tmp_path / "copy"))

    def run(one: Campaign) -> None:
        with studio.client() as client:
            push(one, client=client, batch=5)

    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(run, one) for one in (made, copy)]:
            future.result()
    # The last one to look has removed what the race doubled; both folders then agree.
    run(made)
    run(copy)
    assert_exactly_once(studio, made)
    assert_exactly_once(studio, copy)


def test_foreign_tasks_are_left_alone_and_used_copies_are_told(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=4)
    with studio.client() as client:
        project = push(made, client=client).project
        client.import_tasks(project, [{"data": {"text": "ajeno"}}])
        again = push(made, client=client)
        assert (again.sent, again.foreign, client.task_count(project)) == (0, 1, 5)
        # A copy that a person made is not deleted; it is told.
        item = made.items()[0]
        copy = client.import_tasks(project, [{"data": {"key": item.key, **item.fields}}])
        with pytest.raises(DataError) as refused:
            push(made, client=client)
        assert [(fault.code, fault.row) for fault in refused.value.faults] == [("audit_count", item.item)]
        client.delete(f"/api/tasks/{copy[0]}/")
        assert push(made, client=client).sent == 0


def test_a_project_that_is_gone_and_one_with_the_same_title(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=2)
    with studio.client() as client:
        project = push(made, client=client).project
        client.delete(f"/api/projects/{project}/")
        with pytest.raises(UsageError, match="--new-project"):
            push(made, client=client)
        client.post("/api/projects/", {"title": made.settings.title})
        other = campaign(tmp_path / "d", size=2, title=made.settings.title)
        with pytest.raises(UsageError, match="did not make"):
            push(other, client=client)
        assert push(made, client=client, new_project=True).sent == 2


def test_a_configuration_changed_on_the_server_stops_the_push(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=2, labels={"ENG": "", "OTH": ""})
    with studio.client() as client:
        project = push(made, client=client).project
        config = client.project(project)["label_config"]
        client.patch(f"/api/projects/{project}/", {"label_config": config.replace("ENG", "NEW")})
        with pytest.raises(DataError) as refused:
            push(made, client=client)
        assert [fault.code for fault in refused.value.faults] == ["config_labels"]
        # A label taken away, which the server allows though answers may hold it.
        without = re.sub("<Label [^>]*ENG[^>]*/>", "", config)
        client.patch(f"/api/projects/{project}/", {"label_config": without})
        with pytest.raises(DataError) as refused:
            push(made, client=client)
        assert [(fault.code, fault.found) for fault in refused.value.faults] == [("config_labels", "OTH")]
        client.patch(f"/api/projects/{project}/", {"label_config": config.replace("$text", "$body")})
        with pytest.raises(DataError) as refused:
            push(made, client=client)
        assert [fault.code for fault in refused.value.faults] == ["config_fields"]


def test_a_task_deleted_by_hand_is_sent_again_and_said(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=4)
    with studio.client() as client:
        push(made, client=client)
        key = made.items()[2].key
        client.delete(f"/api/tasks/{ledger.read(made.path(LEDGER))[key].task}/")
        done = push(made, client=client)
    assert (done.resent, done.sent, [note.code for note in done.notes]) == (1, 1, ["vanished"])
    assert_exactly_once(studio, made)


def test_predictions_are_checked_counted_and_reported(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=4)
    texts = {item.item: item.fields["text"] for item in made.items()}
    start = {name: text.index("burpees") for name, text in texts.items()}
    rows = [
        {
            "id": name,
            "text": text,
            "spans": [{"start": start[name], "end": start[name] + 7, "label": "ENG"}],
        }
        for name, text in texts.items()
    ]
    file = tmp_path / "model.jsonl"

    def write_rows() -> None:
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    write_rows()
    with studio.client() as client:
        push(made, client=client)
        assert fill_in(made, file, client) == 4
        # Again makes no second prediction.
        assert fill_in(made, file, client) == 0
        tasks = ledger.read(made.path(LEDGER))
        by_task = {p["task"]: p for p in client.get("/api/predictions/", {"project": made.settings.project})}
        for item, change in zip(made.items()[:2], (False, True), strict=True):
            task = tasks[item.key].task
            result = [] if change else by_task[task]["result"]
            body = {"result": result, "parent_prediction": by_task[task]["id"]}
            client.post(f"/api/tasks/{task}/annotations/", body)
        counts = collect(made, pull.fetch(made, client=client)).counts()
        assert (counts["from_prediction"], counts["accepted_unchanged"]) == (2, 1)
        rows[0]["spans"][0]["label"] = "XXX"
        write_rows()
        with pytest.raises(DataError, match="not in the campaign's set"):
            fill_in(made, file, client)


def test_predictions_that_the_server_drops_without_a_word_are_missed(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=2)
    text = made.items()[0].fields["text"]
    span = {"start": 0, "end": 3, "label": "ENG"}
    file = tmp_path / "model.jsonl"
    file.write_text(json.dumps({"id": made.items()[0].item, "text": text, "spans": [span]}), "utf-8")
    with studio.client() as client:
        project = push(made, client=client).project
        config = client.project(project)["label_config"]
        client.patch(f"/api/projects/{project}/", {"label_config": config.replace("ENG", "OTHER")})
        with pytest.raises(DataError) as refused:
            fill_in(made, file, client)
    assert [(f.code, f.expected, f.found) for f in refused.value.faults] == [
        ("predictions_dropped", "1", "0")
    ]


def test_no_secret_is_shown_and_the_address_is_checked(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "deadbeef" * 5
    with Client(url=studio.url, token=secret) as client, pytest.raises(ServerError) as refused:
        examine(client)
    assert secret not in str(refused.value)
    assert "cookie" not in str(refused.value).lower()
    for url in ("ftp://example.org", "http://user:pass@example.org", "localhost:8080"):
        with pytest.raises(UsageError):
            Client(url=url, token=secret)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", f" {secret}\n")
    assert find_token(studio.url) == secret
    with studio.client() as client:
        client.url = "http://example.org"
        monkeypatch.setattr(client, "get", lambda path: {"release": "1.23.2"})
        assert [note.code for note in examine(client)] == ["plain_http"]
    assert ADMIN
