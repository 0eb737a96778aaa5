"""The stand-in Hub is strict: each wrong request is refused as the Hub refuses it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from hub_standin import OTHER_TOKEN, TOKEN, Hub, serving, sha256
from hub_standin.routes import ROUTES

CARD = "---\nlicense: cc-by-4.0\nconfigs:\n- config_name: a\n  data_files:\n  - split: test\n    path: a/*\n---\n# A\n"


@pytest.fixture
def hub() -> Iterator[Hub]:  # not the suite's: no library of this process is to know of it
    with serving() as hub:
        assert (
            call(
                hub, "POST", "/api/repos/create", json={"name": "a", "organization": "org", "type": "dataset"}
            ).status_code
            == 200
        )
        yield hub


def call(hub: Hub, method: str, path: str, *, token: str | None = TOKEN, **options: Any) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx2.request(method, hub.url + path, headers=headers | options.pop("headers", {}), **options)


def ndjson(*lines: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps(line) for line in lines).encode()


def header(parent: str | None = None) -> dict[str, Any]:
    return {"key": "header", "value": {"summary": "s", "parentCommit": parent}}


def file(path: str, text: str) -> dict[str, Any]:
    return {"key": "file", "value": {"path": path, "content": base64.b64encode(text.encode()).decode()}}


COMMIT = "/api/datasets/org/a/commit/main"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/repos/create", {"name": "b", "organization": "org", "type": "dataset"}),
        ("POST", "/api/datasets/org/a/preupload/main", {"files": []}),
        ("POST", "/datasets/org/a.git/info/lfs/objects/batch", {"objects": []}),
        ("POST", "/api/datasets/org/a/tag/main", {"tag": "v1"}),
        ("POST", "/api/datasets/org/a/branch/dev", {}),
        ("PUT", "/api/datasets/org/a/settings", {"gated": "manual"}),
        ("GET", "/api/whoami-v2", None),
    ],
)
def test_no_token_no_writing(hub: Hub, method: str, path: str, body: Any) -> None:
    assert call(hub, method, path, token=None, json=body).status_code == 401
    assert call(hub, method, path, token="hf_wrong", json=body).status_code == 401
    assert call(hub, method, path, json=body).status_code == 200


def test_a_strangers_token_may_not_write(hub: Hub) -> None:
    for body in (ndjson(header(), file("a.txt", "a")),):
        assert call(hub, "POST", COMMIT, token=OTHER_TOKEN, content=body).status_code == 403
        assert call(hub, "POST", COMMIT, token=None, content=body).status_code == 401
    assert "a.txt" not in hub.tree("org/a")


def test_a_repository_is_created_once(hub: Hub) -> None:
    again = call(
        hub, "POST", "/api/repos/create", json={"name": "a", "organization": "org", "type": "dataset"}
    )
    assert again.status_code == 409
    assert again.json()["url"].endswith("/datasets/org/a")


def test_content_must_have_its_hash(hub: Hub) -> None:
    assert call(hub, "PUT", f"/lfs/{sha256(b'right')}", content=b"wrong").status_code == 400
    assert hub.objects == {}
    assert call(hub, "PUT", f"/lfs/{sha256(b'right')}", content=b"right").status_code == 200


@pytest.mark.parametrize("uploaded", [False, True])
def test_a_commit_needs_its_large_files(hub: Hub, uploaded: bool) -> None:
    if uploaded:
        call(hub, "PUT", f"/lfs/{sha256(b'data')}", content=b"data")
    line = {
        "key": "lfsFile",
        "value": {"path": "a/a.parquet", "algo": "sha256", "oid": sha256(b"data"), "size": 4},
    }
    answer = call(hub, "POST", COMMIT, content=ndjson(header(), line))
    assert answer.status_code == (200 if uploaded else 400)
    assert ("a/a.parquet" in hub.tree("org/a")) is uploaded


def test_a_commit_names_its_parent(hub: Hub) -> None:
    head = hub.repos["org/a"].branches["main"]
    assert call(hub, "POST", COMMIT, content=ndjson(header("0" * 40), file("a.txt", "a"))).status_code == 412
    assert call(hub, "POST", COMMIT, content=ndjson(header(head), file("a.txt", "a"))).status_code == 200
    # The same request again: its parent is not the head any more.
    assert call(hub, "POST", COMMIT, content=ndjson(header(head), file("a.txt", "a"))).status_code == 412


def test_a_file_that_is_not_there_cannot_be_deleted(hub: Hub) -> None:
    line = {"key": "deletedFile", "value": {"path": "nothing"}}
    answer = call(hub, "POST", COMMIT, content=ndjson(header(), line))
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (404, "EntryNotFound")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("cc-by-4.0", "cc-by-five"),
        ("split: test", "split: test-es"),
        ("license: cc-by-4.0", "license: [cc-by-4.0, no-such]"),
    ],
)
def test_a_card_is_checked_alone_and_in_a_commit(hub: Hub, before: str, after: str) -> None:
    wrong = CARD.replace(before, after)
    for card, status in ((CARD, 200), (wrong, 400), ("---\n- a\n---\n", 400), ("---\na: b: c\n---\n", 400)):
        asked = call(hub, "POST", "/api/validate-yaml", json={"content": card, "repoType": "dataset"})
        assert asked.status_code == status
    assert call(hub, "POST", COMMIT, content=ndjson(header(), file("README.md", wrong))).status_code == 400
    assert "README.md" not in hub.tree("org/a")


def test_a_tag_stands_once_and_on_a_commit(hub: Hub) -> None:
    assert call(hub, "POST", "/api/datasets/org/a/tag/nowhere", json={"tag": "v1"}).status_code == 404
    assert call(hub, "POST", "/api/datasets/org/a/tag/main", json={"tag": "v1"}).status_code == 200
    assert call(hub, "POST", "/api/datasets/org/a/tag/main", json={"tag": "v1"}).status_code == 409


def test_what_is_not_there_says_so(hub: Hub) -> None:
    for path, code in (
        ("/api/datasets/org/nothing", "RepoNotFound"),
        ("/api/datasets/org/a/revision/v9", "RevisionNotFound"),
        ("/api/datasets/org/a/tree/main/nothing", "EntryNotFound"),
        ("/datasets/org/a/resolve/main/nothing", "EntryNotFound"),
    ):
        answer = call(hub, "GET", path)
        assert (answer.status_code, answer.headers["X-Error-Code"]) == (404, code)


def test_a_private_repository_is_there_for_its_owner_only(hub: Hub) -> None:
    call(
        hub,
        "POST",
        "/api/repos/create",
        json={"name": "p", "organization": "org", "type": "dataset", "visibility": "private"},
    )
    assert call(hub, "GET", "/api/datasets/org/p").status_code == 200
    assert call(hub, "GET", "/api/datasets/org/p", token=OTHER_TOKEN).status_code == 404
    assert call(hub, "GET", "/api/datasets/org/p", token=None).status_code == 401


def test_part_of_a_file_and_its_head(hub: Hub) -> None:
    call(hub, "POST", COMMIT, content=ndjson(header(), file("a.txt", "abcdef")))
    part = call(hub, "GET", "/datasets/org/a/resolve/main/a.txt", headers={"Range": "bytes=1-3"})
    assert (part.status_code, part.content) == (206, b"bcd")
    head = call(hub, "HEAD", "/datasets/org/a/resolve/main/a.txt")
    assert (head.headers["Content-Length"], head.content) == ("6", b"")
    assert head.headers["X-Repo-Commit"] == hub.repos["org/a"].branches["main"]


def test_scripted_failures(hub: Hub) -> None:
    hub.fail("info", 429, Retry_After="7")
    hub.fail("info", None)
    busy = call(hub, "GET", "/api/datasets/org/a")
    assert (busy.status_code, busy.headers["Retry-After"]) == (429, "7")
    with pytest.raises(httpx2.TransportError):
        call(hub, "GET", "/api/datasets/org/a")
    assert call(hub, "GET", "/api/datasets/org/a").status_code == 200
    # Late: the commit takes effect, its answer is lost.
    hub.fail("commit", None, late=True)
    with pytest.raises(httpx2.TransportError):
        call(hub, "POST", COMMIT, content=ndjson(header(), file("late.txt", "a")))
    assert "late.txt" in hub.tree("org/a")


def test_a_server_error_comes_once(hub: Hub) -> None:
    for status in (500, 503):
        hub.fail("preupload", status)
        answers = [
            call(hub, "POST", "/api/datasets/org/a/preupload/main", json={"files": []}) for _ in range(2)
        ]
        assert [answer.status_code for answer in answers] == [status, 200]


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("route", list(ROUTES))
def test_a_connection_drops_in_any_call(hub: Hub, route: str, late: bool) -> None:
    """Every route, by the request that it takes; one that is dropped late has taken effect."""
    call(hub, "POST", COMMIT, content=ndjson(header(), file("a.txt", "a")))
    requests: dict[str, tuple[str, str, dict[str, Any]]] = {
        "create": (
            "POST",
            "/api/repos/create",
            {"json": {"name": "b", "organization": "org", "type": "dataset"}},
        ),
        "validate": ("POST", "/api/validate-yaml", {"json": {"content": CARD}}),
        "whoami": ("GET", "/api/whoami-v2", {}),
        "preupload": ("POST", "/api/datasets/org/a/preupload/main", {"json": {"files": []}}),
        "batch": ("POST", "/datasets/org/a.git/info/lfs/objects/batch", {"json": {"objects": []}}),
        "put": ("PUT", f"/lfs/{sha256(b'x')}", {"content": b"x"}),
        "commit": ("POST", COMMIT, {"content": ndjson(header(), file("b.txt", "b"))}),
        "tag": ("POST", "/api/datasets/org/a/tag/main", {"json": {"tag": "v1"}}),
        "branch": ("POST", "/api/datasets/org/a/branch/dev", {"json": {}}),
        "refs": ("GET", "/api/datasets/org/a/refs", {}),
        "rights": ("GET", "/api/datasets/org/a/auth-check/write", {}),
        "settings": ("PUT", "/api/datasets/org/a/settings", {"json": {"gated": "manual"}}),
        "tree": ("GET", "/api/datasets/org/a/tree/main", {}),
        "info": ("GET", "/api/datasets/org/a", {}),
        "resolve": ("GET", "/datasets/org/a/resolve/main/a.txt", {}),
    }
    method, path, options = requests[route]
    before = state(hub)
    hub.fail(route, None, late=late)
    # An answer that is on its way cannot be taken back: a file's bytes are sent by its route itself.
    if late and route == "resolve":
        assert call(hub, method, path).status_code == 200
        return
    with pytest.raises(httpx2.TransportError):
        call(hub, method, path, **options)
    changes = route in ("create", "put", "commit", "tag", "branch", "settings")
    assert (state(hub) != before) is (late and changes)


def state(hub: Hub) -> object:
    repos = {
        name: (dict(repo.branches), dict(repo.tags), repo.gated, set(repo.commits))
        for name, repo in hub.repos.items()
    }
    return repos, set(hub.objects)


def test_more_requests_that_are_wrong(hub: Hub) -> None:
    wrong = [
        # A size that is not the object's; a branch and a revision that are not there; no data set; no route.
        ("POST", COMMIT, {"content": ndjson(header(), large(size=5))}, 400),
        ("POST", "/api/datasets/org/a/commit/dev", {"content": ndjson(header(), file("a", "a"))}, 404),
        ("POST", "/api/datasets/org/a/preupload/dev", {"json": {"files": []}}, 404),
        ("POST", "/api/repos/create", {"json": {"name": "m", "organization": "org", "type": "model"}}, 400),
        (
            "POST",
            "/api/repos/create",
            {"json": {"name": "a", "organization": "other", "type": "dataset"}},
            403,
        ),
        ("GET", "/api/datasets/org/a/nothing", {}, 404),
        ("POST", "/api/datasets/org/a/tag/main", {"json": {"tag": "a b"}}, 400),
        ("POST", "/api/datasets/org/a/branch/a..b", {"json": {}}, 400),
    ]
    call(hub, "PUT", f"/lfs/{sha256(b'data')}", content=b"data")
    for method, path, options, status in wrong:
        assert call(hub, method, path, **options).status_code == status, path
    assert set(hub.tree("org/a")) == {".gitattributes"}
    first, again = (call(hub, "POST", "/api/datasets/org/a/branch/dev", json={}) for _ in range(2))
    assert (first.status_code, again.status_code) == (200, 409)


def large(*, size: int) -> dict[str, Any]:
    value = {"path": "a/a.parquet", "algo": "sha256", "oid": sha256(b"data"), "size": size}
    return {"key": "lfsFile", "value": value}
