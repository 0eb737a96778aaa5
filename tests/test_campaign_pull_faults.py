"""Pulls over a broken wire, from a dying server, onto a full disk: whole, or no file at all."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from campaigns import campaign, region
from label_studio import ADMIN, PEOPLE, TOKEN, FaultProxy, Studio, after, before, response
from test_campaign_faults import limited
from test_campaign_pull import Bench, codes, unchunked

from probeta.annotation import collect, pull
from probeta.annotation.campaign import ANNOTATIONS, PULLS
from probeta.annotation.client import Client, ServerError
from probeta.errors import ProbetaError

pytestmark = pytest.mark.server

EXPORT = "GET /api/projects/[0-9]+/export"


@pytest.fixture
def bench(studio: Studio, tmp_path: Path) -> Bench:
    made = Bench(studio, campaign(tmp_path / "c"))
    made.answer(PEOPLE[0], "i0000", [region(made.texts["i0000"]["text"])])
    return made


def fetched(bench: Bench, proxy: FaultProxy, *, timeout: float = 5, **options: Any) -> pull.Pull:
    with bench.studio.client(url=proxy.url, timeout=timeout) as client:
        return pull.fetch(bench.made, client=client, **options)


def files(bench: Bench) -> list[str]:
    """What stands in ``pulls/``, temporary files too."""
    return sorted(path.name for path in bench.made.path(PULLS).glob("*"))


PAGE = b"<!DOCTYPE html><html><body>no</body></html>"
PASSING = {
    "503": before(response("503 Service Unavailable", b"{}")),
    "429 with Retry-After": before(response("429 Too Many Requests", b"{}", "Retry-After: 0")),
    "502 with a page": after(response("502 Bad Gateway", PAGE, kind="text/html")),
    "a page with 200": after(response("200 OK", PAGE, kind="text/html")),
    "a lost answer": after(None),
}


def test_what_passes_is_waited_for(bench: Bench, proxy: FaultProxy) -> None:
    for since_last in (False, True):
        proxy.add(EXPORT, *list(PASSING.values())[:3])
        proxy.add("GET /api/tasks", *list(PASSING.values())[2:])
        proxy.add("GET /api/projects/[0-9]+/ ", PASSING["a page with 200"])
        if since_last:
            bench.answer(PEOPLE[1], "i0000", [])
        pulled = fetched(bench, proxy, since_last=since_last)
        assert not proxy.faults
        assert (len(pulled.tasks), len(pulled.tasks[0]["annotations"])) == (8, 1 + since_last)


def test_an_answer_that_does_not_come_in_time_is_asked_for_again(bench: Bench, proxy: FaultProxy) -> None:
    given_up = threading.Event()
    proxy.add(EXPORT, lambda forward: given_up.wait(60) and None)
    try:
        assert len(fetched(bench, proxy).tasks) == 8
    finally:
        given_up.set()
    assert not proxy.faults


LASTING = {
    # The makers' own client takes this one for the end of the list.
    "404 with a page": (response("404 Not Found", PAGE, kind="text/html"), "is not, or no longer, on"),
    "401": (response("401 Unauthorized", b'{"detail": "Invalid token."}'), "refuses the token"),
    "403 with a page": (response("403 Forbidden", PAGE, kind="text/html"), "403, an HTML page"),
}


@pytest.mark.parametrize("name", LASTING)
def test_a_refusal_in_mid_pull_leaves_no_file(bench: Bench, proxy: FaultProxy, name: str) -> None:
    answer, message = LASTING[name]
    proxy.add(EXPORT, before(answer))
    with pytest.raises(ProbetaError, match=message):
        fetched(bench, proxy)
    assert not files(bench)
    # The same call again pulls everything.
    assert len(fetched(bench, proxy).tasks) == 8


def test_the_server_dies_in_mid_pull(bench: Bench, proxy: FaultProxy) -> None:
    def dies(forward: Callable[[], bytes]) -> None:
        bench.studio.server.kill()

    def dies_and_comes_back(forward: Callable[[], bytes]) -> None:
        bench.studio.server.kill()
        bench.studio.restart()

    proxy.add(EXPORT, dies)
    try:
        with pytest.raises(ServerError, match="the connection broke"):
            fetched(bench, proxy)
    finally:
        bench.studio.restart()
    assert not files(bench)
    proxy.add(EXPORT, dies_and_comes_back)
    # The question hangs until the server is there again, however long a busy machine takes to start it.
    assert len(fetched(bench, proxy, timeout=300).tasks) == 8


def test_a_full_disk_leaves_the_pulls_and_the_table_as_they_were(bench: Bench) -> None:
    bench.pull()
    before_it = files(bench)
    table = bench.made.path(ANNOTATIONS).read_bytes()
    bench.answer(PEOPLE[1], "i0000", [])
    for more in ([], ["--since-last"]):
        # A pull of eight tasks has some 1,500 bytes.
        full = subprocess.run(
            [*limited(300), "campaign", "pull", str(bench.made.folder), *more],
            env={**os.environ, "LABEL_STUDIO_API_KEY": TOKEN},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert full.returncode == 2
        assert full.stderr.count("\n") == 1 and "File too large" in full.stderr
        assert files(bench) == before_it
        assert bench.made.path(ANNOTATIONS).read_bytes() == table
    assert len(bench.pull().normal.rows) == 2


def test_fields_of_a_newer_release_do_no_harm(bench: Bench, proxy: FaultProxy) -> None:
    def newer(forward: Callable[[], bytes]) -> bytes:
        tasks = json.loads(unchunked(forward().partition(b"\r\n\r\n")[2]))
        for task in tasks:
            task |= {"new": {"a": [1, None]}, "state": "OPEN"}
            for given in task["annotations"]:
                given |= {"new": 1, "reviews": []}
                for part in given["result"]:
                    part |= {"score": 0.5, "meta": {"text": ["note"]}, "origin": "manual"}
        return response("200 OK", json.dumps(tasks).encode())

    proxy.add(EXPORT, newer)
    made = collect.collect(bench.made, fetched(bench, proxy))
    assert not made.normal.faults
    assert [row["status"] for row in made.normal.rows] == ["answered"]
    assert made.pull.tasks[0]["new"] == {"a": [1, None]}


def test_a_label_renamed_on_the_server_is_told_by_the_answers(bench: Bench) -> None:
    project = bench.made.settings.project
    with bench.studio.client() as client:
        config = client.project(project or 0)["label_config"]
        client.patch(f"/api/projects/{project}/", {"label_config": config.replace("ENG", "OTHER")})
    text = bench.texts["i0001"]["text"]
    bench.answer(PEOPLE[1], "i0001", [region(text, label="OTHER")])
    made = bench.pull().normal
    # The answer given before keeps its label.
    assert codes(made.faults) == ["unknown_label"]
    assert [row["item"] for row in made.rows] == ["i0000"]


def test_the_project_is_gone_before_the_pull(bench: Bench) -> None:
    bench.call(ADMIN, "delete", f"/api/projects/{bench.made.settings.project}/")
    with pytest.raises(ProbetaError, match="nothing was written"):
        bench.pull()
    assert not files(bench)


def test_a_wrong_token_is_one_sentence(bench: Bench) -> None:
    secret = "deadbeef" * 5
    with (
        Client(url=bench.studio.url, token=secret) as client,
        pytest.raises(ServerError, match="looks like a legacy token") as refused,
    ):
        pull.fetch(bench.made, client=client)
    assert secret not in str(refused.value)
    assert not files(bench)
