"""`adjudicate` as people call it: campaigns and tables, decisions, what is written and said."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from campaigns import campaign as small_campaign
from test_adjudication import CASES
from typer.testing import CliRunner

from probeta.annotation.campaign import Campaign
from probeta.cli.campaign import app as campaign_app
from probeta.cli.main import main
from probeta.validation import annotations
from probeta.validation.adjudication.decisions import ROUND


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(["adjudicate", *arguments])
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    folder = tmp_path / "campaign"
    rows = [
        {
            "item": f"p{number}",
            "annotator": f"annotator-{rater}",
            "label": cell,
            "status": "answered" if cell else "skipped",
        }
        for number, row in enumerate(CASES, 1)
        for rater, cell in enumerate(row, 1)
    ]
    folder.mkdir()
    annotations.write(folder / "annotations.parquet", rows)
    (folder / "items.jsonl").write_text(
        "".join(
            json.dumps(
                {"item": f"p{number}", "genre": "books" if number < 3 else "legal", "sentence_1": "Uno."}
            )
            + "\n"
            for number in range(1, 6)
        )
    )
    (folder / "gold.jsonl").write_text(
        "".join(json.dumps({"item": f"p{number}", "original": "a"}) + "\n" for number in range(1, 6))
    )
    return folder


def test_command(campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, str(campaign), "--labels", "a,b,c,d", "--by", "genre", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert (found["items"], found["kept"], found["ties"]) == (5, 1, 1)
    assert found["by_reason"] == {"abstained": 1, "differs": 1, "matches": 1, "tie": 1, "too_few": 1}
    assert set(found["tables"]) == {"class", "genre"}
    assert {name: row["kept"] for name, row in found["tables"]["genre"].items()} == {"books": 1, "legal": 0}
    assert found["reliability"]["unfiltered"]["value"] is not None
    assert "inflated" in found["reliability"]["note"]
    # Votes 3, 2, 1 (too few), 0, 3.
    assert found["chance_retention"] == pytest.approx((10 / 64 + 1 / 16 + 10 / 64) / 5)
    folder = campaign / "adjudication"
    assert found.pop("out") == str(folder)
    assert json.loads((folder / "adjudication.json").read_text()) == found
    with (folder / "ledger.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {
        "item": "p1",
        "votes": "a: annotator-1, annotator-2; b: annotator-3",
        "counts": "a: 2; b: 1",
        "abstained": "",
        "state": "unique",
        "gold": "a",
        "confidence": "0.666667",
        "original": "a",
        "adjudicators": "",
        "kept": "yes",
        "reason": "matches",
    }
    assert rows[2]["abstained"] == "annotator-2, annotator-3"
    assert len(rows) == 5
    assert json.loads((folder / "gold.jsonl").read_text()) == {
        "id": "p1",
        "item": "p1",
        "label": "a",
        "genre": "books",
        "sentence_1": "Uno.",
        "original": "a",
        "votes": {"a": 2, "b": 1},
        "reason": "matches",
    }
    assert "Uno." in (folder / "disagreements.csv").read_text()
    blind = [json.loads(line) for line in (folder / "conflicts.jsonl").read_text().splitlines()]
    assert [row["item"] for row in blind] == ["p2", "p3"]
    assert set(blind[0]) == {"item", "options"}
    code, out, _ = call(capsys, str(campaign), "--labels", "a,b,c,d", "--by", "genre")
    assert "1 of 5 items kept, 1 tie\n3 annotators (annotator-1, annotator-2, annotator-3)" in out
    assert f"written to {folder}: adjudication.json, conflicts.jsonl, disagreements.csv, gold.jsonl" in out
    assert "annotators who vote blindly would give 7.5 %" in out
    assert "sums: 5 sent, 1 kept" in out


def test_the_original_labels_are_folded_as_the_votes_are(
    campaign: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    originals = "".join(json.dumps({"item": f"p{number}", "original": "A"}) + "\n" for number in range(1, 6))
    (campaign / "gold.jsonl").write_text(originals)
    code, out, err = call(capsys, str(campaign), "--labels", "a,b,c,d", "--fold", "A=a", "--json")
    assert code == 0, err
    assert json.loads(out)["by_reason"]["matches"] == 1


def test_command_merges_decisions(campaign: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    decisions = tmp_path / "decisions.csv"
    decisions.write_text("item,annotator,label\np2,judge,a\n")
    arguments = (str(campaign), "--labels", "a,b,c,d", "--decisions", str(decisions), "--json")
    code, out, err = call(capsys, *arguments)
    assert code == 0, err
    assert json.loads(out)["by_reason"]["adjudicated"] == 1
    decisions.write_text("item,annotator,label\np9,judge,a\n")
    code, _, err = call(capsys, *arguments)
    assert code == 1
    assert f"{decisions} [item]: p9: the decision is about an item that was not annotated" in err


def decide(campaign: Path, rows: list[dict[str, Any]]) -> None:
    """What ``campaign adjudicate`` and ``--merge`` leave of a round on p2 and p3."""
    folder = campaign / ROUND
    folder.mkdir(exist_ok=True)
    (folder / "items.jsonl").write_text(
        '{"item": "p2", "role": "sample"}\n{"item": "p3", "role": "sample"}\n'
    )
    annotations.write(folder / "annotations.parquet", rows)


def test_a_campaigns_own_decisions_are_taken(
    campaign: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (str(campaign), "--labels", "a,b,c,d")
    _, without, _ = call(capsys, *arguments, "--json")
    assert json.loads(without)["decisions"] == {"items": 0, "kept": 0}
    (campaign / ROUND).mkdir()
    _, out, _ = call(capsys, *arguments)
    assert f"! {ROUND} is open and counts for nothing until" in out
    decide(campaign, [])
    _, out, _ = call(capsys, *arguments)
    assert (
        f"1 of 5 items kept, 1 tie\n3 annotators (annotator-1, annotator-2, annotator-3)\n! 2 of 2 items of {ROUND}"
        in out
    )
    answer = {"annotator": "a01", "status": "answered"}
    decide(campaign, [answer | {"item": "p2", "label": "a"}])
    _, out, _ = call(capsys, *arguments)
    # p1 by its votes, p2 by the decision; the tie is gone.
    assert out.startswith("2 of 5 items kept, 0 ties\n")
    assert "\n1 item decided by adjudicators, 1 of them kept\n" in out
    assert f"\n! 1 of 2 items of {ROUND} without a decision\n" in out
    assert "|decisions:1|" in out
    with (campaign / "adjudication" / "ledger.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["item"]: row for row in csv.DictReader(file)}
    assert (rows["p2"]["adjudicators"], rows["p2"]["reason"]) == ("a01", "adjudicated")
    assert (rows["p1"]["adjudicators"], rows["p3"]["reason"]) == ("", "too_few")
    report = (campaign / "adjudication" / "adjudication.json").read_text()
    assert json.loads(report)["decisions"] == {"items": 1, "kept": 1}
    assert str(tmp_path) not in report
    _, out, _ = call(capsys, *arguments, "--without-decisions", "--json")
    left = json.loads(out)
    assert left.pop("notes") == [f"the decisions of {ROUND} are left out"]
    assert left == {name: value for name, value in json.loads(without).items() if name != "notes"}
    # A table that is named replaces the round's.
    named = tmp_path / "decisions.csv"
    named.write_text("item,annotator,label\np2,judge,b\n")
    _, out, _ = call(capsys, *arguments, "--decisions", str(named), "--json")
    assert json.loads(out)["by_reason"]["adjudicated_differs"] == 1
    code, _, err = call(capsys, *arguments, "--decisions", str(named), "--without-decisions")
    assert (code, "exclude each other" in err) == (2, True)
    # Two adjudicators who differ are a fault, not a choice.
    decide(
        campaign,
        [answer | {"item": "p2", "label": "a"}, answer | {"item": "p2", "label": "b", "annotator": "a02"}],
    )
    code, _, err = call(capsys, *arguments)
    assert (code, "p2: the adjudicators differ (found a or b)" in err) == (1, True)


def test_spans_are_quoted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "answers.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "annotator", "spans", "text"])
        writer.writerow(["s1", "ana", '[[3, 6, "ENG"]]', "Un pie"])
        writer.writerow(["s1", "eva", "[]", "Un pie"])
        writer.writerow(["s2", "ana", '[[7, 10, "ENG"]]', "hit, o hit"])
        writer.writerow(["s2", "eva", '[[7, 10, "ENG"]]', "hit, o hit"])
    code, _, err = call(capsys, str(source), "--out", str(tmp_path / "gold"))
    assert code == 0, err
    with (tmp_path / "gold" / "ledger.csv").open(encoding="utf-8", newline="") as file:
        tie, twice = csv.DictReader(file)
    assert (tie["votes"], tie["counts"], tie["gold"]) == (
        "(no span): eva; «pie» ENG: ana",
        "(no span): 1; «pie» ENG: 1",
        "",
    )
    assert json.loads(tie["offsets"]) == {
        "votes": {"ana": [[3, 6, "ENG"]], "eva": []},
        "gold": None,
        "original": None,
    }
    # The text has "hit" twice: only there are offsets needed.
    assert (twice["votes"], twice["gold"]) == ("«hit» ENG (7-10): ana, eva", "«hit» ENG (7-10)")
    listed = (tmp_path / "gold" / "disagreements.csv").read_text(encoding="utf-8").splitlines()
    assert listed == ["item,text,votes,state,gold", "s1,Un pie,(no span): eva; «pie» ENG: ana,tie,"]
    blind = json.loads((tmp_path / "gold" / "conflicts.jsonl").read_text(encoding="utf-8"))
    assert sorted(zip(blind["options"], blind["words"], strict=True)) == [
        ("(no span)", "(no span)"),
        ("3-6 ENG", "«pie» ENG"),
    ]


def test_adjudicators_of_spans_see_words_and_no_conflict_is_no_error(tmp_path: Path) -> None:
    made = small_campaign(tmp_path / "c", size=2)
    text = made.items()[0].fields["text"]
    start = text.index("burpees")
    word = [{"start": start, "end": start + 7, "label": "ENG", "text": "burpees"}]

    def answers(*marking: str) -> None:
        rows: list[dict[str, Any]] = [
            {
                "item": item.item,
                "annotator": who,
                "spans": word if item.item == "i0000" and who in marking else [],
                "status": "answered" if item.item == "i0000" and who in marking else "empty",
            }
            for item in made.items()
            for who in ("a01", "a02")
        ]
        annotations.write(made.folder / "annotations.parquet", rows)

    def run(*words: str) -> str:
        ran = CliRunner().invoke(campaign_app, ["adjudicate", str(made.folder), "--local", *words])
        assert ran.exit_code == 0, ran.output
        return ran.stdout

    answers("a01")
    assert json.loads(run("--json"))["items"] == 1
    shown = Campaign(made.folder / ROUND).items()[0].fields["answers"]
    assert sorted(shown.split("\n")) == ["• (ningún tramo)", "• «burpees» ENG"]
    shutil.rmtree(made.folder / ROUND)
    # Both mark the word, which is not the original (no span): decided, and not kept.
    answers("a01", "a02")
    assert json.loads(run("--json")) == {
        "round": None,
        "items": 0,
        "link": None,
        "other_scopes": {"not_kept": 1, "disagreed": 0},
    }
    assert "in the scope undecided; --scope takes others: not_kept 1 item\n" in run()
    answers()
    assert "in the scope not_kept, nor in any other\n" in run("--scope", "not_kept")
    assert not (made.folder / ROUND).exists()


def test_wrong_use(campaign: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in [
        ((str(campaign), "--ties", "kepp"), "did you mean keep"),
        ((str(campaign), "--method", "exact"), "unknown method"),
        ((str(campaign), "--reference", "gold"), "there are: genre, sentence_1, original"),
        ((str(campaign), "--out", str(campaign)), "holds no adjudication"),
    ]:
        code, _, err = call(capsys, *arguments)
        assert code == 2, arguments
        assert message in err
    file = tmp_path / "t.csv"
    file.write_text("item,annotator,label\n1,x,a\n1,y,a\n")
    code, _, err = call(capsys, str(file), "--rule", "original_matches_votes")
    assert code == 2
    assert "needs the original label" in err
    code, _, err = call(capsys, str(file), "--without-decisions")
    assert code == 2
    assert "concerns a campaign folder" in err


def test_gold_spans_go_on_to_convert_and_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "answers.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "annotator", "spans", "text", "topic"])
        for rater in ("ana", "eva"):
            writer.writerow(["s1", rater, '[[3, 6, "ENG"]]', "Un pie", "food"])
            writer.writerow(["s2", rater, "[]", "Nada", ""])
    code, out, err = call(capsys, str(source), "--out", str(tmp_path / "gold"))
    assert code == 0, err
    assert f"written to {tmp_path / 'gold'}: " in out
    gold, converted = str(tmp_path / "gold" / "gold.jsonl"), str(tmp_path / "gold.conll")
    for command in (["convert", gold, converted], ["score", gold, gold, "--by", "topic", "--json"]):
        with pytest.raises(SystemExit) as stop:
            main(command)
        out, err = capsys.readouterr()
        assert not stop.value.code, err
    assert "pie\tB-ENG" in Path(converted).read_text(encoding="utf-8")
    overall = json.loads(out)
    assert (overall["overall"]["gold"], overall["overall"]["f1"]) == (1, 1.0)
    assert "food" in overall["by"]["topic"]


def test_nothing_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "answers.csv"
    source.write_text("id,text,eva,luis\n1,uno,a,a\n2,dos,b,a\n", encoding="utf-8")
    code, out, _ = call(capsys, str(source), "--wide")
    assert code == 0
    # The text is no annotator's: the two labels of item 1 are a majority of two, not of three.
    assert out.startswith("1 of 2 items kept, 1 tie\n2 annotators (eva, luis)\n")
    assert out.endswith("nothing written; --out FOLDER writes gold, ledger and lists\n")
