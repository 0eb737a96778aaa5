"""Keep rules, the ledger, tables whose sums are checked, the round of adjudication."""

from __future__ import annotations

import csv
import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from campaigns import campaign as small_campaign
from typer.testing import CliRunner

from probeta.annotation.campaign import Campaign
from probeta.cli.campaign import app as campaign_app
from probeta.cli.main import main
from probeta.errors import DataError
from probeta.validation import annotations
from probeta.validation.adjudication.decide import decide_labels, decide_spans
from probeta.validation.adjudication.decisions import ROUND
from probeta.validation.adjudication.ledger import Ledger
from probeta.validation.adjudication.rounds import conflicts, disagreements, merge
from probeta.validation.adjudication.rules import KEPT_REASONS, REASONS, KeepRule
from probeta.validation.adjudication.tables import sum_faults, table
from probeta.validation.aggregation.votes import State, count_votes
from probeta.validation.agreement.coding import from_rows
from probeta.validation.agreement.spansets import from_answers

LABELS = ["a", "b", "c", "d"]


def ledger(rows: list[list[str | None]], originals: list[str | None], **rule: Any) -> Ledger:
    coded = from_rows(rows, labels=LABELS)
    absent = {
        item: tuple(rater for rater, cell in zip(coded.raters, row, strict=True) if cell is None)
        for item, row in zip(coded.items, rows, strict=True)
    }
    return decide_labels(
        coded,
        rule=KeepRule(**rule),
        originals=dict(zip(coded.items, originals, strict=True)),
        abstained=absent,
    )


def reasons(made: Ledger) -> list[str]:
    return [entry.reason for entry in made.entries]


CASES: list[list[str | None]] = [
    ["a", "a", "b"],  # majority a
    ["a", "b", None],  # tie
    ["a", None, None],  # one label
    [None, None, None],  # abstained
    ["b", "b", "b"],  # majority b
]


def test_policies() -> None:
    original: list[str | None] = ["a"] * 5
    assert reasons(ledger(CASES, original)) == ["matches", "tie", "too_few", "abstained", "differs"]
    assert reasons(ledger(CASES, original, ties="keep"))[1] == "tie_matches"
    assert reasons(ledger(CASES, ["c"] * 5, ties="keep"))[1] == "tie"
    assert reasons(ledger(CASES, original, at_least=1))[2] == "matches"
    # One label of three that were asked is no majority of them.
    assert reasons(ledger(CASES, original, at_least=1, abstentions="count"))[2] == "minority"
    assert reasons(ledger(CASES, [None] * 5)) == ["no_original"] * 5
    assert reasons(ledger(CASES, original, name="votes_agree")) == [
        "agreed",
        "tie",
        "too_few",
        "abstained",
        "agreed",
    ]
    four: list[list[str | None]] = [["a", "a", "b", "c"]]
    assert reasons(ledger(four, ["a"])) == ["minority"]
    assert reasons(ledger(four, ["a"], votes="plurality")) == ["matches"]


def test_every_reason_has_words_and_says_whether_it_keeps() -> None:
    assert set(KEPT_REASONS) <= set(REASONS)
    assert {str(state) for state in State} - {"unique"} <= set(REASONS)


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        (rule, name)
        for rule in itertools.product(("plurality", "majority"), ("drop", "keep"), ("ignore", "count"))
        for name in ("original_matches_votes", "votes_agree")
    ],
)
def test_chance_is_exact(rule: tuple[str, str, str], name: str) -> None:
    votes, ties, abstentions = rule
    made = KeepRule(name=name, votes=votes, ties=ties, abstentions=abstentions)  # type: ignore[arg-type]  # parametrized
    for labels, number, away in itertools.product((2, 3), (1, 2, 3, 4), (0, 1)):
        kept = 0
        for drawn in itertools.product(range(labels), repeat=number):
            counts = np.bincount(drawn, minlength=labels)[None]
            found = count_votes(
                counts,
                rule=votes,
                at_least=2,
                abstentions=np.array([away]),
                count_abstentions=abstentions == "count",
            )
            tied = frozenset(str(label) for label in range(labels) if counts[0, label] == counts.max())
            reason = made.reason(state=found.state[0], winner=str(found.label[0]), tied=tied, original="0")
            kept += reason in KEPT_REASONS
        assert made.chance(votes=number, abstained=away, labels=labels) == pytest.approx(
            kept / labels**number
        )


def test_chance_of_the_notes() -> None:
    # Four classes; simulated .055, .148, .051 under a strict majority, .193 under plurality of four labels.
    rule = KeepRule()
    assert rule.chance(votes=2, abstained=0, labels=4) == 1 / 16
    assert rule.chance(votes=3, abstained=0, labels=4) == 10 / 64
    assert rule.chance(votes=4, abstained=0, labels=4) == 13 / 256
    # Plurality of four: 4 of 4, 3 of 4 (4*3 ways), 2 of 4 with two others that differ (6*3*2 ways).
    assert KeepRule(votes="plurality").chance(votes=4, abstained=0, labels=4) == (1 + 12 + 36) / 256
    # Two labels, a tie counts as keep: at least one of two, 7/16.
    assert KeepRule(ties="keep").chance(votes=2, abstained=0, labels=4) == 7 / 16


def test_the_papers_tables_do_not_add_up_to_its_text(reference_data: Path) -> None:
    def rows(name: str, column: str) -> dict[str, dict[str, int]]:
        with (reference_data / "paper" / name).open(encoding="utf-8") as file:
            return {row[column]: {"kept": int(row["examples"])} for row in csv.DictReader(file)}

    tables = {"class": rows("esnlir_table9.csv", "class"), "genre": rows("esnlir_table10.csv", "genre")}
    faults = sum_faults(tables, {"kept": 974}, columns=["kept"])
    assert [(fault.file, fault.found) for fault in faults] == [("class", "972"), ("genre", "972")]
    assert not sum_faults(tables, {"kept": 972}, columns=["kept"])


def test_tables_partition_the_items() -> None:
    made = ledger(CASES, ["a"] * 5)
    rows = table(made, {"x": [0, 1], "y": [2, 3, 4]})
    assert (rows["x"]["sent"], rows["x"]["ties"], rows["x"]["kept"]) == (2, 1, 1)
    assert rows["y"]["retention"] == 0
    assert rows["x"]["few"]
    # Votes 3 and 2: (10/64 + 1/16) / 2.
    assert rows["x"]["chance_retention"] == pytest.approx((10 / 64 + 1 / 16) / 2)
    total = {"sent": 5, "two_or_more": 3, "ties": 1, "kept": 1}
    assert not sum_faults({"half": rows}, total)
    assert [fault.column for fault in sum_faults({"half": {"x": rows["x"]}}, total)] == [
        "sent",
        "two_or_more",
    ]


def test_other_methods() -> None:
    words = ["aaab", "bbba", "ccca", "adaa", "aaaa"]
    coded = from_rows([list(word) for word in words], labels=LABELS)
    originals = dict(zip(coded.items, "abcaa", strict=True))
    for method in ("weighted", "dawid_skene"):
        made = decide_labels(coded, rule=KeepRule(), method=method, originals=originals)
        assert [entry.gold for entry in made.entries][:3] == ["a", "b", "c"]
        assert all(entry.confidence is None or 0 < entry.confidence <= 1 + 1e-9 for entry in made.entries)
        assert made.details
        assert not {"too_few"} & set(reasons(made))


def test_round_is_blind_and_merges_back() -> None:
    made = ledger(CASES, ["a"] * 5)
    sent = conflicts(made, seed=3)
    assert [row["item"] for row in sent] == ["2", "3"]
    assert sent[0] == {"item": "2", "options": sent[0]["options"]}
    assert sorted(sent[0]["options"]) == ["a", "b"]
    assert [row["item"] for row in conflicts(made, scope="not_kept")] == ["2", "3", "5"]
    assert [row["item"] for row in conflicts(made, scope="disagreed")] == ["1", "2"]
    # Over many items the order of the options tells nothing.
    many = ledger([["a", "b"]] * 200, ["a"] * 200)
    first = [row["options"][0] for row in conflicts(many)]
    assert 60 < first.count("a") < 140
    assert conflicts(many) == conflicts(many)
    assert [row["item"] for row in disagreements(made)] == ["1", "2"]
    merged = merge(made, {"2": ["a"], "3": ["b", "b"]})
    assert reasons(merged)[1:3] == ["adjudicated", "adjudicated_differs"]
    assert [entry.gold for entry in merged.entries][1:3] == ["a", "b"]
    assert merged.entries[1].votes == made.entries[1].votes
    with pytest.raises(DataError) as error:
        merge(made, {"9": ["a"], "2": ["a", "b"], "1": ["z"]})
    assert [fault.code for fault in error.value.faults] == ["unknown_label", "open_conflict", "unknown_item"]


def test_spans() -> None:
    marks = {"1": ([(0, 3, "X")],) * 2, "2": ([(0, 3, "X")], []), "3": ([], []), "4": ([(0, 2, "X")],) * 2}
    answers = from_answers(
        {
            (item, rater): spans
            for item, pair in marks.items()
            for rater, spans in zip("ab", pair, strict=True)
        }
    )
    originals: Any = {"1": ((0, 3, "X"),), "2": ((0, 3, "X"),), "3": (), "4": ((0, 3, "X"),)}
    made = decide_spans(answers, rule=KeepRule(), originals=originals)
    assert reasons(made) == ["matches", "tie", "matches", "differs"]
    assert [entry.gold for entry in made.entries] == [((0, 3, "X"),), None, (), ((0, 2, "X"),)]
    assert made.entries[2].row()["gold"] == "(no span)"
    kept = decide_spans(answers, rule=KeepRule(ties="keep"), originals=originals)
    assert reasons(kept)[1] == "tie_matches"
    assert conflicts(made) == [{"item": "2", "options": conflicts(made)[0]["options"]}]
    merged = merge(made, {"2": [((0, 3, "X"),)]})
    assert reasons(merged)[1] == "adjudicated"


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
