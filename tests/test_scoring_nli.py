"""Classifiers of pairs: hand numbers, parts, the whole command; equality with scikit-learn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta import builtset
from probeta.cli.main import main
from probeta.evaluation.evaluate_pairs import evaluate_pairs
from probeta.evaluation.labelled import LabelledItem
from probeta.evaluation.nli import Classified, classified, score_labels
from probeta.evaluation.protocol import load_protocol
from probeta.evaluation.report import report_files

CLASSES = ("contrasting", "entailment", "neutral", "reasoning")


def pairs(*answers: tuple[str, str], **attributes: Any) -> list[tuple[LabelledItem, str]]:
    return [
        (LabelledItem(str(number), gold, attributes), predicted)
        for number, (gold, predicted) in enumerate(answers)
    ]


def test_scores_follow_from_the_confusion_matrix() -> None:
    # entailment: 2 gold, 1 predicted, 1 right; neutral: 1, 2, 1.
    found = classified(pairs(("entailment", "entailment"), ("entailment", "neutral"), ("neutral", "neutral")))
    assert (found.support, found.correct, found.accuracy) == (3, 2, 2 / 3)
    assert {name: counts.f1 for name, counts in found.classes().items()} == {
        "entailment": 2 / 3,
        "neutral": 2 / 3,
    }
    assert found.macro_f1 == 2 / 3


def test_no_pairs_at_all() -> None:
    found = Classified(confusion={})
    assert (found.accuracy, found.macro_f1) == (None, None)
    assert found.to_json()["reason"] == "no pairs"


@given(st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from(CLASSES)), min_size=1, max_size=40))
def test_equal_to_scikit_learn(answers: list[tuple[str, str]]) -> None:
    from sklearn.metrics import accuracy_score, f1_score, precision_score

    gold, predicted = zip(*answers, strict=True)
    found = classified(pairs(*answers))
    assert found.accuracy == pytest.approx(accuracy_score(gold, predicted), abs=1e-12)
    assert found.macro_f1 == pytest.approx(
        f1_score(gold, predicted, average="macro", zero_division=0.0), abs=1e-12
    )
    for name, counts in found.classes().items():
        theirs = precision_score(gold, predicted, labels=[name], average=None, zero_division=0.0)[0]
        assert (counts.precision or 0.0) == pytest.approx(theirs, abs=1e-12)


@given(st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from(CLASSES)), min_size=2, max_size=20))
def test_the_order_changes_nothing(answers: list[tuple[str, str]]) -> None:
    rows = pairs(*answers)
    one, other = score_labels(rows, samples=20, seed=4), score_labels(rows[::-1], samples=20, seed=4)
    assert one.to_json() == other.to_json()


PAIRS = [
    # id, class, genre, corpus
    ("p1", "entailment", "clinical", "a"),
    ("p2", "neutral", "clinical", "a"),
    ("p3", "contrasting", "legal", "b"),
    ("p4", "reasoning", "legal", "c"),
]


def row(id: str, label: str, genre: str, dataset: str) -> dict[str, Any]:
    empty: dict[str, Any] = dict.fromkeys(builtset.PAIR_COLUMNS)
    neutral = "both_random" if label == "neutral" else None
    return empty | {
        "id": id,
        "sentence_1": "Una premisa.",
        "sentence_2": "Una hipótesis.",
        "connector_type": label,
        "genre": genre,
        "dataset": dataset,
        "document": f"{dataset}-1",
        "neutral_strategy": neutral,
    }


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    schema = builtset.pair_features().arrow_schema

    def put(config: str, split: str, rows: list[dict[str, Any]], schema: pa.Schema | None = schema) -> None:
        path = folder / config / f"{split}-00000-of-00001.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)

    put("pairs", "test", [row(*pair) for pair in PAIRS])
    # Corpora a and b were trained on, c was not.
    put("pairs", "train", [row("t1", "neutral", "clinical", "a"), row("t2", "neutral", "legal", "b")])
    put("stress_negation", "test", [row(*pair) for pair in PAIRS])
    validated = [
        row(*pair) | {"gold": gold, "kept": kept}
        for pair, gold, kept in zip(
            PAIRS, ("entailment", "contrasting", None, None), (True, True, True, False), strict=True
        )
    ]
    put("validated", "test", validated, None)
    return folder


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    path = tmp_path / "system.jsonl"
    answers = ["entailment", "contrasting", "contrasting", "neutral"]
    rows: list[dict[str, Any]] = [
        {"id": pair[0], "label": answer, "score": 0.5} for pair, answer in zip(PAIRS, answers, strict=True)
    ]
    rows += [{"id": pair[0], "label": "neutral", "config": "stress_negation"} for pair in PAIRS]
    path.write_text("".join(json.dumps(row) + "\n" for row in reversed(rows)), "utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> tuple[str, str]:
    with pytest.raises(SystemExit) as stop:
        main(["score", *map(str, arguments)])
    out, err = capsys.readouterr()
    assert stop.value.code == code, err
    return out, err


def test_the_whole_command(gold: Path, predictions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # A built set of pairs is scored by nli without being told.
    found = json.loads(run(capsys, gold, predictions, "--json")[0])
    assert found["protocol"] == "nli"
    assert (found["accuracy"], found["support"]) == (2 / 4, 4)
    # F1: contrasting 2/3, entailment 1, neutral 0, reasoning 0.
    assert found["macro_f1"] == pytest.approx((2 / 3 + 1) / 4)
    assert found["classes"]["contrasting"]["precision"] == 1 / 2
    assert found["confusion"]["neutral"] == {
        "contrasting": 1,
        "entailment": 0,
        "neutral": 0,
        "reasoning": 0,
    }
    assert found["by"]["genre"]["clinical"]["accuracy"] == 1 / 2
    assert found["by"]["dataset"]["c"]["accuracy"] == 0.0
    assert found["by"]["neutral_strategy"]["both_random"]["support"] == 1
    parts = {name: (part["correct"], part["support"]) for name, part in found["parts"].items()}
    # Validated: p1 and p2 right by the annotators' classes, p3 keeps its own class and is right.
    assert parts == {"seen": (2, 3), "unseen": (0, 1), "stress_negation": (1, 4), "validated": (3, 3)}
    assert "seen:a,b" in found["signature"] and "split:test" in found["signature"]
    out = [" ".join(line.split()) for line in run(capsys, gold, predictions)[0].splitlines()]
    assert "system validated 3 3 100.00 [43.85, 100.00] 100.00" in out
    # Clinical 1 of 2, the rest 1 of 2: no gap.
    gap = found["by"]["genre"]["clinical"]["gap"]
    assert gap["value"] == 0.0 and gap["low"] == pytest.approx(-gap["high"])
    assert any(line.startswith("system clinical 2 1 50.00 [9.45, 90.55] +0.00") for line in out)
    assert "system contrasting 1 2 1 50.00 100.00 66.67" in out, "gold, predicted, correct, P, R, F1"
    assert found["system"] == "system"
    assert "contrasting 1 0 0 0" in out, "the confusion matrix"


def test_several_systems_are_ranked(
    gold: Path, predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    perfect = tmp_path / "perfect.csv"
    perfect.write_text("id,label\n" + "".join(f"{pair[0]},{pair[1]}\n" for pair in PAIRS), "utf-8")
    found = json.loads(run(capsys, gold, predictions, perfect, "--json")[0])
    assert found["ranks"] == {"by": "macro_f1", "systems": {"system": 2, "perfect": 1}}
    difference = found["differences"][0]
    assert difference["difference"] == pytest.approx((2 / 3 + 1) / 4 - 1)
    assert difference["high"] <= 0
    assert "stress_negation" not in found["systems"]["perfect"]["parts"]
    out, _ = run(capsys, gold, predictions, perfect)
    assert "Differences of macro F1 (bootstrap over documents)" in out and "-58.33" in out


def test_examples_of_each_class_and_the_maps(
    gold: Path, predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = json.loads(run(capsys, gold, predictions, "--examples", "3", "--json")[0])["examples"]
    assert {
        name: {kind: [(row["item"], row["predicted"]) for row in rows] for kind, rows in kinds.items()}
        for name, kinds in found.items()
    } == {
        "contrasting": {"right": [("p3", "contrasting")], "wrong": []},
        "entailment": {"right": [("p1", "entailment")], "wrong": []},
        "neutral": {"right": [], "wrong": [("p2", "contrasting")]},
        "reasoning": {"right": [], "wrong": [("p4", "neutral")]},
    }
    out = tmp_path / "out"
    text, err = run(capsys, gold, predictions, "--examples", "1", "--out", out)
    assert "system, neutral, wrong:\n  p2 -> contrasting: Una premisa. | Una hipótesis." in text
    assert "system, neutral, right: none" in text
    assert "reports/scores.svg" in err
    drawn = (out / "reports" / "scores.svg").read_text("utf-8")
    # One neutral pair, taken for contrasting: the whole of its row.
    for part in ("system: gold down, predicted across", "neutral (1)", "1 (100 %)", "accuracy by genre"):
        assert part in drawn
    for part in ("clinical (2)", "accuracy by part", "stress_negation (4)", "validated (3)"):
        assert part in drawn


def test_the_maps_in_spanish(gold: Path, predictions: Path) -> None:
    # "domain" has no value in any pair.
    found = evaluate_pairs(gold, {"system": predictions}, load_protocol("nli"), by=["domain"])
    files = report_files(found, languages=("en", "es"))
    assert set(files) == {"scores.json", "scores.svg", "scores.es.svg"}
    for part in ("(missing) (4)", "accuracy by domain", "50.0", "accuracy by part", "validated (3)"):
        assert part in files["scores.svg"]
    for part in ("(no consta) (4)", "exactitud por domain", "50,0", "exactitud por parte", "validados (3)"):
        assert part in files["scores.es.svg"]


def test_classes_that_the_gold_lacks_are_told(
    gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "crf.csv"
    path.write_text("id,label\n" + "".join(f"{pair[0]},neutrall\n" for pair in PAIRS), "utf-8")
    _, err = run(capsys, gold, path, "--by", "genre")
    assert "! crf uses labels that the gold lacks: neutrall (4 predictions; did you mean neutral?)" in err


def test_by_replaces_the_protocols_attributes(
    gold: Path, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(json.loads(run(capsys, gold, predictions, "--by", "genre", "--json")[0])["by"]) == {"genre"}


def test_what_does_not_match_is_told(gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("id,label\np1,entailment\np1,neutral\np2,\np9,neutral\n", "utf-8")
    _, err = run(capsys, gold, path, code=1)
    for message in (
        "the id 'p1' stands twice",
        "item 3 of the predictions has no label",
        "item 4 of the predictions is not in the gold",
        f"{gold}:3: item 3 of the gold has no prediction",
    ):
        assert message in err


def test_options_about_spans_say_nothing_of_pairs(
    gold: Path, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, err = run(
        capsys, gold, predictions, "--scheme", "IOB2", "--label", "ENG", "--gold-column", "1", code=2
    )
    assert "compares pairs, which --gold-column, --scheme, --label cannot work on" in err


def test_seen_corpora_may_be_named(gold: Path, predictions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, gold, predictions, "--seen", "b,c", "--by", "genre:dataset", "--json")[0])
    assert found["parts"]["seen"]["support"] == 2
    assert found["by"]["genre:dataset"]["legal:b"]["accuracy"] == 1.0
    _, err = run(capsys, gold, predictions, "--seen", "z", code=2)
    assert "no pair comes from z: the corpora are a, b, c" in err
