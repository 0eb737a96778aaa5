"""Keep rules, the ledger, tables whose sums are checked, the round of adjudication."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from probeta.errors import DataError
from probeta.validation.adjudication.decide import decide_labels, decide_spans
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
