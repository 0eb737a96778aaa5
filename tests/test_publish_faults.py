"""Every way in which a push can fail: the old state or the new one is there, and the same command resumes."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import huggingface_hub.constants
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hub_standin import OTHER_TOKEN, TOKEN, Hub, serving
from pushes import REPO, change, on_disk, there

from probeta.errors import DataError, UsageError
from probeta.publishing import push
from probeta.publishing.push import PushError, publish


@pytest.fixture
def folder(towns: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(towns, tmp_path / "towns"))


@pytest.mark.parametrize(
    ("token", "message"), [(None, "HF_TOKEN"), ("hf_wrong", "HF_TOKEN"), (OTHER_TOKEN, "may not write")]
)
def test_without_the_right_token(
    hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch, token: str | None, message: str
) -> None:
    if token is None:
        monkeypatch.delenv("HF_TOKEN")
    else:
        monkeypatch.setenv("HF_TOKEN", token)
    with pytest.raises(UsageError, match=message) as caught:
        publish(folder, repository=REPO)
    assert token is None or token not in str(caught.value)
    assert REPO not in hub.repos


def test_a_failure_of_xet_leaves_the_old_state_and_says_how_to_go_without(
    towns: Path, tmp_path: Path
) -> None:
    """In a process of its own: Xet's threads stay. The stand-in has no Xet, and answers 404 as a mirror would."""
    pytest.importorskip("hf_xet")
    folder = shutil.copytree(towns, tmp_path / "towns")
    with serving() as hub:
        environment = {
            **os.environ,
            "HF_ENDPOINT": hub.url,
            "HF_TOKEN": TOKEN,
            "HF_HOME": str(tmp_path / "home"),
            "HF_HUB_DISABLE_XET": "0",
            "HF_HUB_DISABLE_TELEMETRY": "1",
        }
        command = [sys.executable, "-m", "probeta.cli.main", "publish", str(folder), "--repo", REPO]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 1
        told = ran.stderr.splitlines()[-1]
        assert told.startswith("probeta: the commit failed: the upload of large files by Xet said: ")
        assert "HF_HUB_DISABLE_XET=1 sends them without it" in told
        assert "nothing was changed: the repository is still at " in told
        assert told.endswith("run the same command again") and "Traceback" not in ran.stderr
        assert there(hub) == {}
        environment["HF_HUB_DISABLE_XET"] = "1"
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        assert there(hub, "v0.1") == on_disk(folder)


@pytest.mark.parametrize("error", [OSError("disk"), KeyError("sha"), ConnectionError("gone")])
def test_whatever_the_client_raises_is_one_message_with_the_state(
    hub: Hub, towns: Path, linted_once: None, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(huggingface_hub.HfApi, "create_commit", broken)
    with pytest.raises(PushError) as caught:
        publish(towns, repository=REPO)
    assert str(caught.value).startswith(f"the commit failed: {type(error).__name__}: ")
    assert "nothing was changed: the repository is still at " in str(caught.value)
    assert "XET" not in str(caught.value)


#: Every route that a push calls, in the order of its first call.
ROUTES = [
    "info",
    "create",
    "tree",
    "validate",
    "preupload",
    "batch",
    "put",
    "commit",
    "refs",
    "tag",
    "resolve",
]


@pytest.mark.parametrize("status", [429, 500, 503, None])
@pytest.mark.parametrize("route", ROUTES)
def test_one_failure_of_any_call_is_overcome_or_leaves_the_old_state(
    hub: Hub, towns: Path, linted_once: None, route: str, status: int | None
) -> None:
    hub.fail(route, status, **({"Retry_After": "0.01"} if status == 429 else {}))
    whole_or_resumed(hub, towns)


@pytest.mark.parametrize("route", ROUTES)
def test_an_answer_that_is_lost_after_the_call_took_effect(
    hub: Hub, towns: Path, linted_once: None, route: str
) -> None:
    hub.fail(route, None, late=True)
    whole_or_resumed(hub, towns)


@pytest.mark.parametrize("route", ["preupload", "batch", "put", "commit"])
def test_a_call_that_fails_for_good_leaves_the_old_state_and_the_command_resumes(
    hub: Hub, folder: Path, route: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(folder, repository=REPO)
    before = there(hub)
    shutil.copy(folder / "sentences/test-00000-of-00001.parquet", folder / "keep")
    change(folder)
    grow(folder)
    hub.fail(route, 403, times=99)
    with pytest.raises((PushError, UsageError)):
        publish(folder, repository=REPO, tag="v1.1")
    assert there(hub) == before
    hub.failures.clear()
    publish(folder, repository=REPO, tag="v1.1")
    assert there(hub) == there(hub, "v1.1") == on_disk(folder)


def grow(folder: Path) -> None:
    """A further file that goes up as a large one, in a config of its own that the card declares."""
    (folder / "keep").unlink(missing_ok=True)
    shutil.rmtree(folder / "build")
    for name in ("croissant.json", "SHA256SUMS"):
        (folder / name).unlink()
    (folder / "more").mkdir()
    pq.write_table(pa.table({"id": ["a", "b"]}), folder / "more/test-00000-of-00001.parquet")
    card = folder / "README.md"
    entry = "configs:\n- config_name: more\n  data_files:\n  - split: test\n    path: more/test-*\n"
    card.write_text(card.read_text().replace("configs:\n", entry, 1))


def whole_or_resumed(hub: Hub, folder: Path) -> None:
    """Either the push ends well, or what is visible is the old state and the same command ends it."""
    with contextlib.suppress(PushError, DataError):
        publish(folder, repository=REPO)
    if REPO in hub.repos:
        assert there(hub) in ({}, on_disk(folder))
    done = publish(folder, repository=REPO)
    assert there(hub) == there(hub, "v0.1") == on_disk(folder)
    assert hub.repos[REPO].tags["v0.1"] == done.commit
    # The first state and one commit: nothing was pushed twice.
    assert len(hub.repos[REPO].commits) == 2


def test_a_remote_that_moved_meanwhile_is_not_overwritten(
    hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(folder, repository=REPO)
    change(folder)
    real = push.make_plan

    def and_someone_else(*arguments: object) -> push.Plan:
        plan = real(*arguments)  # type: ignore[arg-type]  # passed on as they are
        hub.repos[REPO].commit("main", {**hub.tree(REPO), "theirs.txt": b"theirs"})
        return plan

    monkeypatch.setattr(push, "make_plan", and_someone_else)
    with pytest.raises(PushError, match="has moved from .* nothing of this set was pushed"):
        publish(folder, repository=REPO, tag="v1.1")
    assert hub.tree(REPO)["theirs.txt"] == b"theirs"
    assert b"Seen." not in hub.tree(REPO)["README.md"]


def test_a_file_that_changes_on_the_way_is_noticed(
    hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = push.read_back

    def damaged(*arguments: object) -> dict[str, int]:
        tree = hub.tree(REPO, "v0.1")
        tree["CITATION.cff"] = tree["CITATION.cff"].replace(b"title", b"titel")
        return real(*arguments)  # type: ignore[arg-type]  # passed on as they are

    monkeypatch.setattr(push, "read_back", damaged)
    with pytest.raises(DataError, match=r"CITATION\.cff: the file in the repository is not the one"):
        publish(folder, repository=REPO)
