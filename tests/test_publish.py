"""A real push through HfApi to the stand-in Hub and a real load from it: what is planned, sent, named and refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import datasets
import huggingface_hub.constants
import pytest
from hub_standin import OTHER_TOKEN, TOKEN, Hub, serving
from pushes import REPO, change, on_disk, there

from probeta import builtset
from probeta.errors import DataError, UsageError
from probeta.pipeline.build import build
from probeta.publishing import push
from probeta.publishing.access import may_create
from probeta.publishing.lint import lint
from probeta.publishing.push import PushError, publish

SAMPLE = Path(__file__).parent / "data" / "romanian"
BLANK = Path(__file__).parents[1] / "templates" / "blank"


@pytest.fixture
def folder(towns: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(towns, tmp_path / "towns"))


def test_published_whole_tagged_and_read_back(hub: Hub, folder: Path) -> None:
    done = publish(folder, repository=REPO)
    assert there(hub, "v0.1") == there(hub) == on_disk(folder)
    assert done.tag == "v0.1" and done.commit == hub.repos[REPO].branches["main"]
    assert hub.calls.count("commit") == 1
    assert done.checked == {"files": len(on_disk(folder)), "configs": len(builtset.configs(folder))}


def test_what_is_published_names_its_repository_here_and_there(
    hub: Hub, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = on_disk(folder)
    planned = publish(folder, repository=REPO, dry_run=True)
    assert on_disk(folder) == before
    done = publish(folder, repository=REPO)
    assert f"{folder} names org/towns now: CANARY.txt, CITATION.cff" in capsys.readouterr().err
    assert done.plan == planned.plan
    named = there(hub, "v0.1")
    assert named == on_disk(folder)
    card = named["README.md"].decode()
    assert 'load_dataset("org/towns", "sentences", split="test")' in card and "path/to/this" not in card
    for name in ("croissant.json", "CITATION.cff", "DATASTATEMENT.md", "CANARY.txt"):
        assert b"https://huggingface.co/datasets/org/towns" in named[name], name
    # The line of the README.md is no part of the sums; those of the other documents changed with them.
    assert named["SHA256SUMS"].decode() == builtset.checksums(folder)
    assert not lint(folder).faults
    assert publish(folder, repository=REPO).plan.empty


def test_from_inside_the_folder_it_is_not_replaced(
    hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = on_disk(folder)
    with pytest.raises(UsageError, match="run the command from outside it"):
        publish(Path(), repository=REPO)
    assert on_disk(folder) == before and hub.repos == {}
    assert publish(Path(), repository=REPO, dry_run=True).plan.created


def test_a_recipe_that_names_another_repository_is_told(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = tmp_path / "recipe"
    shutil.copytree(BLANK, recipe)
    text = (recipe / "probeta.yaml").read_text(encoding="utf-8")
    (recipe / "probeta.yaml").write_text(
        text.replace("\ncard:\n", "\ncard:\n  repository: org/idioms\n", 1), encoding="utf-8"
    )
    out = tmp_path / "towns"
    build(recipe, out=out)
    publish(out, repository="org/idioms")
    assert "! the recipe" not in capsys.readouterr().err
    assert not (out / builtset.PUBLISHED).exists()
    publish(out, repository=REPO)
    told = capsys.readouterr().err
    assert "the recipe says `repository: org/idioms`; this goes to org/towns" in told
    assert b'load_dataset("org/towns"' in there(hub)["README.md"]
    assert there(hub) == on_disk(out)


def test_a_dry_run_sends_nothing(hub: Hub, folder: Path) -> None:
    done = publish(folder, repository=REPO, dry_run=True)
    assert sorted(done.plan.created) == sorted([*on_disk(folder), builtset.PUBLISHED])
    assert hub.repos == {}
    assert set(hub.calls) <= {"info", "tree", "refs", "whoami", "rights"}


def test_without_a_connection_a_dry_run_plans_for_an_empty_repository(
    hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Port 9 (discard) of this machine: nothing listens there, the connection is refused.
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", "http://127.0.0.1:9")
    done = publish(folder, repository=REPO, dry_run=True)
    assert not done.reached
    assert sorted(done.plan.created) == sorted([*on_disk(folder), builtset.PUBLISHED])
    assert any("could not be reached" in line for line in push.shown(done))
    with pytest.raises(PushError, match="connection failed"):
        publish(folder, repository=REPO)


def test_the_plan_names_what_is_replaced_and_deleted_and_how_the_metadata_changes(
    hub: Hub, folder: Path
) -> None:
    publish(folder, repository=REPO)
    again = publish(folder, repository=REPO)
    assert again.plan.empty and hub.calls.count("commit") == 1
    card = folder / "README.md"
    recipe = folder / "build/probeta.yaml"
    recipe.write_text(recipe.read_text().replace("licence: cc-by-4.0", "licence: cc0-1.0"))
    shutil.rmtree(folder / "reports")
    # A folder that is no built set any more: anyone's data set can be published.
    shutil.rmtree(folder / "build")
    for name in ("croissant.json", "SHA256SUMS"):
        (folder / name).unlink()
    card.write_text(card.read_text().replace("license: cc-by-4.0", "license: cc0-1.0"))
    done = publish(folder, repository=REPO, dry_run=True)
    assert list(done.plan.replaced) == ["README.md"]
    assert {"reports/stats.json", "build/probeta.yaml", "croissant.json"} <= set(done.plan.deleted)
    assert ".gitattributes" not in done.plan.deleted
    assert list(done.plan.metadata) == ["-license: cc-by-4.0", "+license: cc0-1.0"]
    publish(folder, repository=REPO, tag="v2")
    assert there(hub, "v2") == on_disk(folder)


def test_a_tag_that_stands_for_other_files_is_refused(hub: Hub, folder: Path) -> None:
    publish(folder, repository=REPO)
    before = there(hub)
    change(folder)
    with pytest.raises(UsageError, match=r"v0\.1 of org/towns stands for other files \(README\.md\)"):
        publish(folder, repository=REPO)
    assert there(hub) == before
    publish(folder, repository=REPO, tag="v1.1")
    assert there(hub, "v0.1") == before and there(hub, "v1.1") == on_disk(folder)


def test_another_branch(hub: Hub, folder: Path) -> None:
    publish(folder, repository=REPO, revision="dev", tag="dev-1")
    assert there(hub, "dev") == on_disk(folder)
    assert there(hub, "main") == {}


def test_a_private_repository(hub: Hub, folder: Path) -> None:
    publish(folder, repository=REPO, private=True)
    assert hub.repos[REPO].private


def test_a_gate_is_closed_before_any_file_is_sent(hub: Hub, folder: Path) -> None:
    shutil.rmtree(folder / "build")
    for name in ("croissant.json", "SHA256SUMS"):
        (folder / name).unlink()
    card = folder / "README.md"
    card.write_text(
        card.read_text().replace("license:", "extra_gated_prompt: Only for testing.\nlicense:", 1)
    )
    hub.fail("settings", 403)
    with pytest.raises(UsageError, match="no file was sent"):
        publish(folder, repository=REPO)
    assert there(hub) == {}
    publish(folder, repository=REPO)
    assert hub.repos[REPO].gated == "manual"
    assert hub.calls.index("settings") < hub.calls.index("put")


def test_faults_stop_before_anything_is_sent(hub: Hub, folder: Path) -> None:
    card = folder / "README.md"
    card.write_text(card.read_text().replace("license: cc-by-4.0", "license: cc-by-five"))
    with pytest.raises(DataError, match="cc-by-five"):
        publish(folder, repository=REPO)
    assert hub.calls == []


@pytest.mark.parametrize("name", ["towns", "org/a b", "org/café", "org/a--b", "org/a/b"])
def test_names_that_the_hub_refuses(hub: Hub, folder: Path, name: str) -> None:
    with pytest.raises(UsageError, match="no name for a repository"):
        publish(folder, repository=name)
    assert hub.calls == []


@pytest.mark.parametrize("name", ["a b", "", "v1..2", "-v", "v1.lock", "a//b", "v1/", "@", "a~1", "a:b"])
def test_names_that_no_branch_or_tag_can_have(hub: Hub, folder: Path, name: str) -> None:
    for place in ({"tag": name}, {"revision": name}):
        with pytest.raises(UsageError, match="is no name for a (tag|branch)"):
            publish(folder, repository=REPO, **place)  # type: ignore[arg-type]  # both are texts
    assert hub.calls == []


def test_a_new_branch_is_planned_from_what_main_has(hub: Hub, folder: Path) -> None:
    publish(folder, repository=REPO)
    change(folder)
    plan = publish(folder, repository=REPO, revision="dev", tag="dev-1", dry_run=True).plan
    assert (list(plan.created), list(plan.replaced), list(plan.deleted)) == ([], ["README.md"], [])
    done = publish(folder, repository=REPO, revision="dev", tag="dev-1")
    assert list(done.plan.replaced) == ["README.md"]
    assert there(hub, "dev") == on_disk(folder) != there(hub)


def test_a_dry_run_says_that_it_sees_no_repository(
    hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(folder, repository=REPO, private=True)
    monkeypatch.delenv("HF_TOKEN")
    lines = push.shown(publish(folder, repository=REPO, dry_run=True))
    assert any("is not there, or this token may not see it" in line for line in lines)


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize(("token", "may"), [(TOKEN, True), (OTHER_TOKEN, False), (None, False)])
def test_a_dry_run_says_whether_the_token_may_write_there(
    hub: Hub,
    towns: Path,
    linted_once: None,
    monkeypatch: pytest.MonkeyPatch,
    exists: bool,
    token: str | None,
    may: bool,
) -> None:
    if exists:
        publish(towns, repository=REPO)
    if token:
        monkeypatch.setenv("HF_TOKEN", token)
    else:
        monkeypatch.delenv("HF_TOKEN")
    done = publish(towns, repository=REPO, dry_run=True)
    assert done.may_write is may is done.to_json()["may_write"]
    assert any("cannot be written to with this token" in line for line in push.shown(done)) is not may


@pytest.mark.parametrize("status", [404, 403, None])
def test_a_hub_that_does_not_say_who_may_write(
    hub: Hub, towns: Path, linted_once: None, status: int | None
) -> None:
    publish(towns, repository=REPO)
    hub.fail("rights", status, times=9)
    done = publish(towns, repository=REPO, dry_run=True)
    assert done.may_write is (False if status == 403 else None)
    assert any("does not say before the push" in line for line in push.shown(done)) is (status != 403)


WRITE = {"role": "write"}
SCOPED = {"entity": {"type": "org", "name": "org"}, "permissions": ["repo.content.read", "repo.write"]}
FINE = {"role": "fineGrained", "fineGrained": {"scoped": [SCOPED]}}


@pytest.mark.parametrize(
    ("token", "orgs", "owner", "may"),
    [
        (WRITE, [], "ana", True),
        (WRITE, [], "org", False),
        (WRITE, [{"name": "org", "roleInOrg": "contributor"}], "org", True),
        (WRITE, [{"name": "org", "roleInOrg": "read"}], "org", False),
        ({"role": "read"}, [{"name": "org", "roleInOrg": "admin"}], "org", False),
        (FINE, [], "org", True),
        (FINE, [], "ana", None),
        (
            {"role": "fineGrained", "fineGrained": {"scoped": [{**SCOPED, "permissions": []}]}},
            [],
            "org",
            False,
        ),
        ({}, [], "ana", True),
    ],
)
def test_who_may_create_a_repository(
    token: dict[str, object], orgs: list[dict[str, str]], owner: str, may: bool | None
) -> None:
    user = {"name": "ana", "orgs": orgs, "auth": {"accessToken": token}}
    assert may_create(user, owner) is may


@pytest.mark.parametrize(
    ("route", "status", "told"),
    [
        ("info", None, "reading the repository failed: .*; nothing was sent; run the same command again$"),
        ("batch", 403, "may not write there; nothing was changed: the repository is still at [0-9a-f]{8}$"),
        (
            "commit",
            500,
            "500: scripted; nothing was changed: the repository is still at [0-9a-f]{8}; run the same",
        ),
        (
            "tag",
            500,
            "tagging failed: 500: scripted; the commit [0-9a-f]{8} is there, the tag is not; run the same",
        ),
    ],
)
def test_what_state_a_failure_left_is_said_once(
    hub: Hub, towns: Path, linted_once: None, route: str, status: int | None, told: str
) -> None:
    hub.fail(route, status, times=99)
    with pytest.raises((PushError, UsageError), match=told) as caught:
        publish(towns, repository=REPO)
    assert str(caught.value).count("run the same command") <= 1


def test_a_set_that_cannot_be_read_back_is_said_to_be_there(
    hub: Hub, towns: Path, linted_once: None, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.fail("resolve", 404, times=99)
    with pytest.raises(DataError):
        publish(towns, repository=REPO)
    assert (
        "org/towns has the new version, at v0.1; reading it back did not succeed" in capsys.readouterr().err
    )
    hub.failures.clear()
    assert publish(towns, repository=REPO).checked["configs"] == 3


@pytest.fixture(scope="module")
def every_kind(
    blas: Path, tmp_path_factory: pytest.TempPathFactory, compose_corpus: Callable[..., Path]
) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("kinds")
    build("esnlir", out=place / "esnlir", corpus=[compose_corpus(place / "composed.jsonl", documents=60)])
    build("histnero", out=place / "histnero", corpus=[SAMPLE], labels=names_of_the_corpus())
    return {"blas": blas, "esnlir": place / "esnlir", "histnero": place / "histnero"}


def names_of_the_corpus() -> list[str]:
    return [
        "O",
        *(f"{prefix}-{label}" for label in ("PERS", "ORG", "LOC", "PROD", "DATE") for prefix in "BI"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["blas", "esnlir", "histnero"])
def test_every_config_of_every_kind_as_the_command_publishes_it(
    every_kind: dict[str, Path], name: str, tmp_path: Path
) -> None:
    # A copy: publishing writes the repository's name into the folder, which other tests read.
    folder = Path(shutil.copytree(every_kind[name], tmp_path / name))
    with serving() as hub:
        environment = {
            **os.environ,
            "HF_ENDPOINT": hub.url,
            "HF_TOKEN": TOKEN,
            "HF_HOME": str(tmp_path / "home"),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
        }
        command = [
            sys.executable,
            "-m",
            "probeta.cli.main",
            "publish",
            str(folder),
            "--repo",
            f"org/{name}",
            "--json",
        ]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        assert TOKEN not in ran.stdout + ran.stderr
        assert json.loads(ran.stdout)["checked"]["configs"] == len(builtset.configs(folder))
        code = (
            "import datasets, json, sys\n"
            "found = {}\n"
            "for config in datasets.get_dataset_config_names(sys.argv[1], revision='v1.0'):\n"
            "    loaded = datasets.load_dataset(sys.argv[1], config, revision='v1.0')\n"
            "    for split, rows in loaded.items():\n"
            "        found[f'{config}/{split}'] = [rows.num_rows, str(rows.features), rows[0], rows[-1]]\n"
            "print(json.dumps(found))\n"
        )
        ran = subprocess.run(
            [sys.executable, "-c", code, f"org/{name}"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
    loaded = json.loads(ran.stdout.splitlines()[-1])
    expected = {}
    for config, splits in builtset.configs(folder).items():
        for split in splits:
            table = builtset.read(folder, config, split)
            features = datasets.Features.from_arrow_schema(table.schema)
            rows = table.to_pylist()
            expected[f"{config}/{split}"] = [len(rows), str(features), rows[0], rows[-1]]
    assert loaded == json.loads(json.dumps(expected))
