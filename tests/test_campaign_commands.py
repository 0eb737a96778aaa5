"""The commands, end to end, against a real server: from a built set to gold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from campaigns import campaign, choice
from label_studio import PEOPLE, TOKEN, Studio
from typer.testing import CliRunner

from probeta.annotation import ledger
from probeta.annotation.campaign import LEDGER, Campaign
from probeta.cli.adjudicate import app as adjudicating
from probeta.cli.campaign import app
from probeta.cli.main import main

pytestmark = pytest.mark.server


@pytest.fixture
def run(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Call a subcommand; a dictionary of what ``--json`` prints, or the exit code it must have."""
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", TOKEN)

    def call(*words: object, code: int = 0) -> Any:
        ran = CliRunner().invoke(app, [*map(str, words), "--json"])
        assert ran.exit_code == code, ran.output
        assert TOKEN not in ran.output
        return json.loads(ran.stdout)

    yield call


def answer(studio: Studio, made: Campaign, person: str, item: str, result: list[dict[str, Any]]) -> None:
    keys = {one.item: one.key for one in made.items()}
    task = ledger.read(made.path(LEDGER))[keys[item]].task
    with studio.client(person) as client:
        client.post(f"/api/tasks/{task}/annotations/", {"result": result, "lead_time": 30.0})


def test_from_the_built_set_to_the_table(studio: Studio, run: Any, blas: Path, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    run("init", folder, "--from", blas, "--sample", 8, "--checks", 2, "--repeats", 2, "--url", studio.url)
    assert run("push", folder)["sent"] == 12
    assert run("push", folder)["sent"] == 0
    people = tmp_path / "people.csv"
    people.write_text("email\n" + "".join(f"{email}\n" for email in PEOPLE[:4]), "utf-8")
    assigned = run("assign", folder, "--annotators", people, "--invite")
    # 8 items three times, 2 checks for all four, 2 repeats for three each.
    assert sum(one["tasks"] for one in assigned["annotators"]) == 24 + 8 + 6
    assert assigned["invitation"].startswith(studio.url)
    made = Campaign(folder)
    for item in made.items():
        if item.role == "check":
            answer(studio, made, PEOPLE[0], item.item, [])
    status = run("status", folder)
    first = status["annotators"][0]
    # All BLAS sentences hold a borrowing, so "nothing" is wrong twice.
    assert (first["done"], first["checks"]) == (2, {"items": 2, "right": 0})
    assert first["per_hour"] == 120
    assert first["hours_left"] == pytest.approx(first["missing"] / 120)
    pulled = run("pull", folder)
    assert (pulled["counts"]["rows"], pulled["counts"]["checks_and_repeats"], pulled["faults"]) == (0, 2, [])
    assert len(list((folder / "pulls").iterdir())) == 2
    answer(studio, made, PEOPLE[1], made.items()[0].item, [])
    since = run("pull", folder, "--since-last")
    assert (since["counts"]["tasks"], since["counts"]["fetched"]) == (12, 1)
    assert run("status", folder, "--since-last")["annotators"][1]["done"] == 1
    run("pull", folder, "--since-last", "--offline", code=2)
    # What cannot be read here is told before the server is asked.
    rows = (folder / "assignment.csv").read_text("utf-8")
    (folder / "assignment.csv").write_text(f"{rows}nix,a01,sample\n", "utf-8")
    for words in (["pull"], ["pull", "--since-last"], ["status"]):
        assert run(words[0], folder, *words[1:], code=1)["faults"][0]["code"] == "unknown_item"
    assert len(list((folder / "pulls").iterdir())) == 4
    for path in folder.rglob("*"):
        if path.is_file():
            assert TOKEN.encode() not in path.read_bytes()


def test_conflicts_go_back_blinded_and_decisions_come_home(studio: Studio, run: Any, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", kind="pairs", size=3, url=studio.url)
    run("push", made.folder)
    made = Campaign(made.folder)
    votes = {
        "i0000": ("neutral", "neutral", "neutral"),
        "i0001": ("neutral", "reasoning", "entailment"),
        "i0002": ("neutral", "neutral", "reasoning"),
    }
    for item, labels in votes.items():
        for person, label in zip(PEOPLE, labels, strict=False):
            answer(studio, made, person, item, [choice(label)])
    run("pull", made.folder)
    opened = run("adjudicate", made.folder)
    assert opened["items"] == 1
    rounds = Campaign(made.folder / "adjudication-round")
    shown = rounds.items()[0].fields["answers"]
    # Every answer once, nobody's name, nothing of the original.
    assert sorted(shown.split("\n")) == ["• entailment", "• neutral", "• reasoning"]
    answer(studio, rounds, PEOPLE[4], "i0001", [choice("neutral")])
    report = run("adjudicate", made.folder, "--merge")
    assert (report["items"], report["kept"]) == (3, 3)
    gold = (made.folder / "adjudication" / "gold.jsonl").read_bytes()
    assert gold.count(b"\n") == 3
    # The plain command keeps what was merged.
    again = CliRunner().invoke(adjudicating, [str(made.folder), "--json"])
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["decisions"] == {"items": 1, "kept": 1}
    assert (made.folder / "adjudication" / "gold.jsonl").read_bytes() == gold


def test_faults_on_the_server_give_exit_1_and_wrong_use_2(studio: Studio, run: Any, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=2, url=studio.url)
    run("pull", made.folder, code=2)
    run("push", made.folder)
    answer(studio, Campaign(made.folder), PEOPLE[0], "i0000", [choice("XXX")])
    assert [fault["code"] for fault in run("pull", made.folder, code=1)["faults"]] == ["region"]


def test_an_address_without_encryption_that_is_not_loopback_warns(
    studio: Studio, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    made = campaign(tmp_path / "c", size=1)
    # Linux takes this one for the machine itself; to us it is as any other that is no loopback address.
    url = f"http://0.0.0.0:{studio.port}"
    assert [note["code"] for note in run("push", made.folder, "--url", url)["notes"]] == ["plain_http"]
    shown = CliRunner().invoke(app, ["push", str(made.folder), "--url", url])
    assert "is not encrypted: the token and the texts can be read on the way" in shown.stderr
    assert run("push", made.folder, "--url", studio.url)["notes"] == []


def test_without_a_token_one_sentence_says_what_to_do(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("LABEL_STUDIO_API_KEY", raising=False)
    made = campaign(tmp_path / "c", size=2, url="http://127.0.0.1:9")
    with pytest.raises(SystemExit) as ended:
        main(["campaign", "push", str(made.folder)])
    assert ended.value.code == 2
    assert "LABEL_STUDIO_API_KEY" in capsys.readouterr().err
