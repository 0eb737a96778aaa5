"""``probeta score`` as a whole: files in, numbers and messages out."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from probeta.cli.main import main

GOLD = [
    # Two base sentences in two versions; three spans in each version.
    ("a|with", "a", "with", "Los «looks» del show", [(5, 10, "ENG"), (16, 20, "ENG")]),
    ("a|without", "a", "without", "Los looks del show", [(4, 9, "ENG"), (14, 18, "ENG")]),
    ("b|with", "b", "with", "El «e-mail»", [(4, 10, "ENG")]),
    ("b|without", "b", "without", "El e-mail", [(3, 9, "ENG")]),
]


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def span_list(spans: list[tuple[int, int, str]]) -> list[dict[str, Any]]:
    return [{"start": start, "end": end, "label": label} for start, end, label in spans]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    rows = [
        {"id": id, "base_id": base, "quotes": quotes, "text": text, "spans": span_list(spans)}
        for id, base, quotes, text, spans in GOLD
    ]
    return write_jsonl(tmp_path / "gold.jsonl", rows)


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    """Everything quoted is found; of the rest one span, and one with a wrong boundary. Other order."""
    rows = [
        {"id": "b|without", "spans": span_list([(0, 9, "ENG")])},
        {"id": "b|with", "spans": span_list([(4, 10, "ENG")])},
        {"id": "a|without", "spans": span_list([(14, 18, "ENG")])},
        {"id": "a|with", "spans": span_list([(16, 20, "ENG"), (5, 10, "ENG"), (5, 10, "ENG")])},
    ]
    return write_jsonl(tmp_path / "system.jsonl", rows)


def run(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> tuple[str, str]:
    with pytest.raises(SystemExit) as stop:
        main(["score", *map(str, arguments)])
    out, err = capsys.readouterr()
    assert stop.value.code == code, err
    return out, err


def run_json(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(capsys, *arguments, "--json", code=code)[0])
    return found


def test_json_has_the_designs_keys(gold: Path, predictions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(capsys, gold, predictions, "--by", "quotes")
    # 6 gold spans; 5 distinct predictions, 4 right: with 3 of 3, without 1 of 3.
    assert found["protocol"] == "strict"
    overall = found["overall"]
    assert (overall["gold"], overall["predicted"], overall["correct"]) == (6, 5, 4)
    assert (overall["precision"], overall["recall"], overall["f1"]) == (4 / 5, 4 / 6, 8 / 11)
    assert found["labels"]["ENG"]["f1"] == 8 / 11
    quoted, bare = found["by"]["quotes"]["with"], found["by"]["quotes"]["without"]
    # quotes is an attribute of the sentence, so precision is known in its cells too.
    assert (quoted["gold"], quoted["predicted"], quoted["correct"]) == (3, 3, 3)
    assert (bare["gold"], bare["predicted"], bare["correct"]) == (3, 2, 1)
    assert (bare["precision"], bare["recall"], bare["f1"]) == (1 / 2, 1 / 3, 2 / 5)
    assert quoted["gap"]["value"] == pytest.approx(1 - 1 / 3)
    assert found["repeated"] == 1
    assert found["signature"].startswith("data:gold.jsonl@")
    for part in ("protocol:strict", "matched:id", "seed:0", "version:"):
        assert part in found["signature"]


def test_numbers_with_and_without_clusters(
    gold: Path, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run_json(capsys, gold, predictions, "--by", "quotes", "--paired", "quotes=without")
    assert found["clusters"] == {"base_sentences": 2, "words": 3}
    quoted = found["by"]["quotes"]["with"]
    # Wilson's interval of 3 of 3; by cluster all found is worth 9 / (4 + 1) sentences: 9/5 of 9/5.
    assert [quoted["wilson"]["low"], quoted["wilson"]["high"]] == pytest.approx([0.4385, 1.0], abs=1e-4)
    assert quoted["effective"] == pytest.approx(9 / 5)
    # The two pairs that differ are of one sentence or of two; McNemar's p is 0.5 for two pairs.
    (paired,) = found["paired"]
    assert (paired["mcnemar"], paired["clusters"]) == (0.5, 2)
    assert paired["p_value"] >= paired["mcnemar"]


def test_false_alarms_in_sentences_without_gold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Idioms meant literally are no spans: finding one there is a false alarm."""
    rows = [("a", "figurative"), ("b", "literal"), ("c", "literal"), ("d", "literal")]
    spans = span_list([(0, 4, "IDIOM")])
    gold = write_jsonl(
        tmp_path / "gold.jsonl",
        [
            {"id": id, "text": "tira la toalla", "reading": reading, "spans": spans if id == "a" else []}
            for id, reading in rows
        ],
    )
    system = write_jsonl(
        tmp_path / "system.jsonl", [{"id": id, "spans": spans if id in "ab" else []} for id, _ in rows]
    )
    alarms = run_json(capsys, gold, system, "--by", "reading")["false_alarms"]
    assert (alarms["sentences"], alarms["alarms"], alarms["rate"]) == (3, 1, 1 / 3)
    # Every sentence is its own: Wilson's interval of 1 of 3.
    assert [alarms["low"], alarms["high"]] == pytest.approx([0.0615, 0.7923], abs=1e-4)
    assert alarms["wilson"] == {"low": alarms["low"], "high": alarms["high"]}
    assert {value: one["alarms"] for value, one in alarms["by"]["reading"].items()} == {"literal": 1}
    plain = " ".join(run(capsys, gold, system, "--by", "reading")[0].split())
    assert "system reading=literal 3 1 33.33 [6.15, 79.23]" in plain


def test_a_scenario_in_which_nothing_is_found_has_no_best(
    gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = write_jsonl(tmp_path / "nothing.jsonl", [{"id": row[0], "spans": []} for row in GOLD])
    out, _ = run(capsys, gold, f"one={nothing}", f"other={nothing}", "--scenario", "quotes=without")
    assert "Scenario quotes=without, 3 spans: no system finds any" in out
    assert "best is" not in out


def test_a_file_without_a_known_ending_names_the_option(
    gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = gold.with_suffix(".what")
    other.write_bytes(gold.read_bytes())
    _, told = run(capsys, gold, f"sys={other}", code=2)
    assert "name one with --pred-format" in told
    _, told = run(capsys, other, gold, code=2)
    assert "name one with --gold-format" in told


def test_a_file_that_is_not_there_is_told_before_its_ending(
    gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, told = run(capsys, gold, "sys=es_core_news_sm", code=2)
    assert "no such file: es_core_news_sm" in told


def test_the_order_of_rows_changes_nothing(
    gold: Path, predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run_json(capsys, gold, predictions, "--by", "quotes", "--examples", "1")
    for path in (gold, predictions):
        path.write_text("".join(reversed(path.read_text("utf-8").splitlines(keepends=True))), "utf-8")
    second = run_json(capsys, gold, predictions, "--by", "quotes", "--examples", "1")
    assert first.pop("signature") != second.pop("signature"), "the file's hash is part of it"
    assert first == second


def test_paired_differences_and_scenario(
    gold: Path, predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = write_jsonl(tmp_path / "nothing.jsonl", [{"id": row[0], "spans": []} for row in GOLD])
    found = run_json(
        capsys,
        gold,
        f"best={predictions}",
        nothing,
        "--paired",
        "quotes=without",
        "--scenario",
        "quotes=without",
    )
    result = found["systems"]["best"]["paired"][0]
    # The same three spans: one found both ways, two only with quotes. Exact p = 2 * (1/2)**2.
    assert (result["pairs"], result["both"], result["only_value"], result["only_against"]) == (3, 1, 2, 0)
    assert (result["difference"], result["p_value"], result["unpaired"]) == (2 / 3, 0.5, 0)
    assert found["ranks"] == {"by": "f1", "systems": {"best": 1, "nothing": 2}}
    assert found["systems"]["nothing"]["overall"]["precision"] is None
    assert "no predictions" in found["systems"]["nothing"]["overall"]["reason"]
    assert found["scenario"]["best"] == ["best"]
    chances = [one["best_probability"] for one in found["scenario"]["systems"].values()]
    assert sum(chances) == pytest.approx(1)


def test_conll_with_both_columns_in_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "both.conll"
    path.write_text("un\tO\tO\nbig\tB-ENG\tB-ENG\ndata\tI-ENG\tO\n\nla\tO\tO\n", "utf-8")
    found = run_json(capsys, path, "--gold-column", 1, "--pred-column", 2, "--match", "partial")
    assert (found["overall"]["gold"], found["overall"]["correct"]) == (1, 0)
    assert found["token_accuracy"] == 3 / 4
    assert found["matches"]["partial"]["f1"] == 0.5
    assert found["matches"]["untyped"]["f1"] == 0.0


def test_iobes_against_iob2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, other = tmp_path / "gold.conll", tmp_path / "other.conll"
    gold.write_text("big\tB-ENG\ndata\tI-ENG\n", "utf-8")
    other.write_text("big\tB-ENG\ndata\tE-ENG\n", "utf-8")
    found = run_json(capsys, gold, other, "--pred-scheme", "IOBES")
    assert found["overall"]["f1"] == 1.0
    assert "token_accuracy" not in found, "tags of two schemes do not compare"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "a|with", "spans": []}], "item 2 of the gold has no prediction"),
        ([*({"id": row[0], "spans": []} for row in GOLD), {"id": "c", "spans": []}], "item 5"),
        ([{"id": row[0], "text": "otro", "spans": []} for row in GOLD], "item 1 has another text"),
    ],
)
def test_items_that_do_not_match_are_faults_with_their_number(
    gold: Path,
    tmp_path: Path,
    rows: list[dict[str, Any]],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = write_jsonl(tmp_path / "other.jsonl", rows)
    out, err = run(capsys, gold, other, "--json", code=1)
    assert message in err
    fault = json.loads(out)["faults"][0]
    assert all(fault[key] for key in ("code", "file", "row", "expected", "found", "fix"))


def test_by_position_texts_must_be_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"text": "uno", "spans": []}, {"text": "dos", "spans": []}]
    gold = write_jsonl(tmp_path / "gold.jsonl", rows)
    swapped = write_jsonl(tmp_path / "swapped.jsonl", rows[::-1])
    _, err = run(capsys, gold, swapped, code=1)
    assert "item 1 has another text" in err
    short = write_jsonl(tmp_path / "short.jsonl", rows[:1])
    _, err = run(capsys, gold, short, code=1)
    assert "gold.jsonl:2: gold and predictions have different numbers of items" in err


def test_wrong_use_says_what_is_right(
    gold: Path, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, err = run(capsys, gold, predictions, "--by", "quots", code=2)
    assert "did you mean quotes?" in err
    _, err = run(capsys, gold, predictions, "--protocol", "strickt", code=2)
    assert "did you mean strict?" in err
    _, err = run(capsys, gold, predictions, predictions, code=2)
    assert "two systems are called system" in err
    _, err = run(capsys, gold, code=2)
    assert "--pred-column" in err
    _, err = run(capsys, gold, predictions, "--scenario", "quotes=perhaps", code=2)
    assert "its values are with, without" in err


def test_automatic_attributes_where_the_gold_has_none(
    gold: Path, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run_json(capsys, gold, predictions, "--by", "length,position")
    assert found["by"]["position"]["mid"]["gold"] == 6
    # Predictions have no position of their own: only recall is defined.
    assert found["by"]["position"]["mid"]["precision"] is None
    assert "only recall" in found["by"]["position"]["mid"]["reason"]


def test_an_option_that_the_protocol_cannot_use_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("El e-mail;e-mail\n", "utf-8")
    _, err = run(capsys, gold, gold, "--protocol", "adobo2025", "--match", "type", "--seen", "books", code=2)
    assert "adobo2025 compares strings, which --match, --seen cannot work on" in err
    _, err = run(capsys, gold, gold, "--label", "ENG", "--seen", "books", code=2)
    assert "--seen" in err


def test_reports_and_cells_are_written(
    gold: Path, predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, cells = tmp_path / "out", tmp_path / "cells.csv"
    run(capsys, gold, predictions, "--by", "quotes", "--out", out, "--cells", cells)
    report = json.loads((out / "reports" / "scores.json").read_text("utf-8"))
    assert report["schema_version"] == 1 and report["overall"]["correct"] == 4
    svg = (out / "reports" / "scores.svg").read_text("utf-8")
    # F1: with 3 of 3 and nothing else, without 1 of 3 with one spurious, 2/5.
    assert svg.startswith("<svg") and "100.0" in svg and "40.0" in svg
    assert cells.read_text("utf-8").splitlines() == [
        "system,quotes,n,recall",
        "system,with,3,1.0",
        "system,without,3,0.3333333333333333",
    ]


def test_what_is_written_is_said(
    gold: Path, predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, cells = tmp_path / "out", tmp_path / "cells.csv"
    _, err = run(capsys, gold, predictions, "--by", "quotes", "--out", out, "--cells", cells)
    assert err.splitlines() == [
        f"written: {cells}",
        f"written to {out}: reports/scores.json, reports/scores.svg",
    ]
    # A heading for each attribute; the title says what is shown, not only under which options.
    run(capsys, gold, predictions, "--by", "quotes,label", "--out", out)
    drawn = (out / "reports" / "scores.svg").read_text("utf-8")
    # Rows say how many spans they are about; predictions have both attributes, so the rates are F1.
    for text in ("strict on gold.jsonl, percent", "F1 by quotes", "F1 by label", "without (3)", "ENG (6)"):
        assert text in drawn
    run(capsys, gold, predictions, "--by", "position", "--out", out)
    assert "recall by position" in (out / "reports" / "scores.svg").read_text("utf-8")
    # The map of an earlier report does not outlive it; other files beside it do.
    (out / "reports" / "mine.txt").write_text("mine", "utf-8")
    _, err = run(capsys, gold, predictions, "--out", out)
    assert err == f"written to {out}: reports/scores.json\n"
    assert sorted(path.name for path in (out / "reports").iterdir()) == ["mine.txt", "scores.json"]


def test_cells_need_attributes_and_spans(
    gold: Path, predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = tmp_path / "cells.csv"
    _, err = run(capsys, gold, predictions, "--cells", cells, code=2)
    assert "the protocol strict has no cells of its own: name attributes, for instance --by" in err
    empty = write_jsonl(tmp_path / "empty.jsonl", [{"id": "a", "text": "Nada", "spans": []}])
    _, err = run(capsys, empty, empty, "--by", "quotes", "--cells", cells, code=2)
    assert "the gold has no span" in err
    assert not cells.exists()


def test_a_file_has_no_splits(
    gold: Path, predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, err = run(capsys, gold, predictions, "--split", "test", code=2)
    assert f"{gold} is a file and has no splits" in err
    labels = write_jsonl(tmp_path / "labels.jsonl", [{"id": "a", "label": "neutral"}])
    _, err = run(capsys, labels, labels, "--protocol", "nli", "--split", "test", code=2)
    assert "has no splits" in err


def test_paired_needs_a_value_and_another(
    gold: Path, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, err = run(capsys, gold, predictions, "--paired", "quotes=zz", code=2)
    assert "no unit has quotes=zz; its values are with, without" in err
    _, err = run(capsys, gold, predictions, "--paired", "quots=with", code=2)
    assert "did you mean quotes?" in err
    _, err = run(capsys, gold, predictions, "--paired", "quotes", code=2)
    assert "write attribute=value" in err
    _, err = run(capsys, gold, predictions, "--where", "quotes=with", "--paired", "quotes=with", code=2)
    assert "all units have quotes=with: there is none to compare" in err


def test_faults_of_conll_items_stand_at_their_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Comments and tokens make item 2 begin in line 6 of one file and in line 5 of the other."""
    gold, other = tmp_path / "gold.conll", tmp_path / "other.conll"
    gold.write_text("# id = a\n# region = X\nuno\tO\ndos\tO\n\n# id = b\ntres\tO\n", "utf-8")
    other.write_text("# id = a\nuno\tO\ndos\tO\n\n# id = b\ncuatro\tO\n", "utf-8")
    _, err = run(capsys, gold, other, code=1)
    assert f"{other}:5: item 2 has another text" in err
    other.write_text("# id = a\nuno\tO\ndos\tO\n", "utf-8")
    _, err = run(capsys, gold, other, code=1)
    assert f"{gold}:6: item 2 of the gold has no prediction" in err
    _, err = run(capsys, gold, gold, "--protocol", "histnero", code=1)
    assert f"{gold}:1 [region]: item 1 has no region that is declared" in err
    assert f"{gold}:6 [region]: item 2 has no region that is declared" in err
    gold.write_text("\nuno\tO\n\n\n\ndos\tO\n", "utf-8")
    other.write_text("uno\tO\n\ndos\tO\n\ntres\tO\n", "utf-8")
    _, err = run(capsys, gold, other, code=1)
    assert f"{other}:5: gold and predictions have different numbers of items" in err


def test_labels_that_the_gold_lacks_are_told(
    gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"id": row[0], "spans": span_list([(*span[:2], "ENGL") for span in row[4]])} for row in GOLD]
    _, err = run(capsys, gold, write_jsonl(tmp_path / "crf.jsonl", rows))
    message = "crf uses labels that the gold lacks: ENGL (6 predictions; did you mean ENG?)"
    assert err == f"! {message}\n"
    assert run_json(capsys, gold, tmp_path / "crf.jsonl")["warnings"] == [message]


def test_an_interval_without_width_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One base sentence, or as many hits in each: every bootstrap sample gives the same score."""
    rows = [{"id": "a", "text": "El show y el look", "spans": span_list([(3, 7, "ENG"), (13, 17, "ENG")])}]
    gold = write_jsonl(tmp_path / "gold.jsonl", rows)
    other = write_jsonl(tmp_path / "crf.jsonl", [{"id": "a", "spans": span_list([(3, 7, "ENG")])}])
    found = run_json(capsys, gold, other)["overall"]
    assert (found["f1"], found["intervals"]["f1"]["low"]) == (2 / 3, None)
    assert "same in all bootstrap samples" in found["intervals"]["f1"]["reason"]
    out, _ = run(capsys, gold, other)
    assert "no interval: the score is the same in all bootstrap samples" in out
    assert "[66.67, 66.67]" not in out


def test_by_replaces_what_the_protocol_shows(
    gold: Path, predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    protocol = tmp_path / "own.yaml"
    protocol.write_text(
        "name: own\nkind: spans\ntitle: Own\nprimary: recall\ncolumns: [recall]\nby: [quotes]\n"
        "tables: [{title: T, rows: [quotes]}]\ncontrasts: [{attribute: quotes, against: without}]\n",
        "utf-8",
    )
    arguments = (gold, predictions, "--protocol", protocol)
    found = run_json(capsys, *arguments)
    assert set(found["by"]) == {"quotes"} and found["tables"] and found["paired"]
    found = run_json(capsys, *arguments, "--by", "base_id")
    assert set(found["by"]) == {"base_id"} and not {"tables", "paired"} & set(found)
    found = run_json(capsys, *arguments, "--paired", "base_id=a")
    assert found["tables"] and {one["attribute"] for one in found["paired"]} == {"base_id"}


def test_the_printed_tables(gold: Path, predictions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, gold, predictions, "--by", "quotes")
    plain = " ".join(out.split())
    assert "system gold predicted correct P R F1 95 % of F1 system 6 5 4 80.00 66.67 72.73" in plain
    # One of three spans, which is in a sentence with another one: the rate's variance over the two sentences is
    # 2 * ((1/3)**2 + (1/3)**2) / 3**2 = 4/81, so they are worth 1 + (2/9) / (4/81) = 5.5 spans, which two sentences
    # cut to 5.5 * (t(2) / t(1))**2 = 5.5 * (4.3027 / 12.7062)**2 = 0.6307. The three words are all different.
    assert "system without 3 2 1 33.33 [1.67, 93.63] -66.67" in plain
    assert "by cluster: 6 spans are of 2 base sentences with 3 different words" in plain
    assert out.rstrip().splitlines()[-1].startswith("data:gold.jsonl@")


@pytest.mark.parametrize("ending", ["spacy", "json", "parquet", "jsonl", "conll", "csv"])
def test_every_format_gives_the_same_scores(
    gold: Path, predictions: Path, tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Gold and predictions through a format: equal scores, whatever the format calls an id or a token."""
    whole = tmp_path / "whole.jsonl"
    texts = {row[0]: row[3] for row in GOLD}
    rows = [json.loads(line) for line in predictions.read_text("utf-8").splitlines()]
    kept = {row["id"]: row for row in rows}
    kept["a|with"]["spans"] = kept["a|with"]["spans"][:2]
    # In the gold's order, for formats without ids.
    write_jsonl(whole, [kept[row[0]] | {"text": texts[row[0]]} for row in GOLD])
    files = []
    for name, source in (("gold", gold), ("system", whole)):
        target = tmp_path / f"out-{name}.{ending}"
        with pytest.raises(SystemExit) as stop:
            main(["convert", str(source), str(target)])
        assert stop.value.code == 0, capsys.readouterr().err
        files.append(target)
    capsys.readouterr()
    found = run_json(capsys, *files, "--ambiguous", "first")
    overall = found["overall"]
    assert (overall["gold"], overall["predicted"], overall["correct"]) == (6, 5, 4)


def test_predictions_of_label_studio_tasks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Annotations are the gold, predictions a system; a task without any is told, not lost in silence."""
    value = {"start": 3, "end": 7, "labels": ["ENG"], "text": "show"}
    region = {"from_name": "label", "to_name": "text", "type": "labels", "value": value}
    tasks: list[dict[str, Any]] = [
        {"id": 1, "data": {"text": "El show"}, "annotations": [{"result": [region]}]},
        {"id": 2, "data": {"text": "Un show"}, "annotations": [{"result": [region]}]},
    ]
    gold, system = tmp_path / "gold.json", tmp_path / "system.json"
    gold.write_text(json.dumps(tasks), "utf-8")
    for task, found in zip(tasks, ([region], []), strict=True):
        task["predictions"] = [{"result": found, "model_version": "a"}]
        del task["annotations"]
    system.write_text(json.dumps(tasks), "utf-8")
    _, err = run(capsys, gold, system, code=2)
    assert f"{system}: no task has annotations; say --pred-regions predictions" in err
    found = run_json(capsys, gold, system, "--pred-regions", "predictions")["overall"]
    assert (found["gold"], found["predicted"], found["correct"]) == (2, 1, 1)
    _, err = run(capsys, gold, system, "--pred-regions", "regions", code=2)
    assert "expected one of annotations, predictions" in err
    gold.write_text(json.dumps([json.loads(gold.read_text("utf-8"))[0], tasks[1]]), "utf-8")
    system.write_text(json.dumps(tasks[:1]), "utf-8")
    _, err = run(capsys, gold, system, "--pred-regions", "predictions")
    assert f"! {gold}:2 [annotations]: the task has no annotations and is left out" in err


def test_places_that_were_chosen_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("".join(f"Un look y otro look {number};look\n" for number in range(5)), "utf-8")
    _, err = run(capsys, gold, gold, "--ambiguous", "first")
    assert f"! {gold}:1 [spans]: the span's text stands 2 times in the sentence" in err
    assert f"! {gold}: 2 more of these" in err
    assert len(run_json(capsys, gold, gold, "--ambiguous", "first")["warnings"]) == 8


def test_overlapping_gold_is_scored_by_automatic_attributes_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nested gold spans, each with a length of its own; one of the two is found with its label."""
    spans = span_list([(0, 8, "LOC"), (0, 14, "ORG"), (15, 18, "DATE")])
    gold = write_jsonl(tmp_path / "gold.jsonl", [{"id": "a", "text": "New York Times hoy", "spans": spans}])
    system = write_jsonl(
        tmp_path / "system.jsonl", [{"id": "a", "spans": span_list([(0, 14, "ORG"), (0, 8, "ORG")])}]
    )
    found = run_json(capsys, gold, system, "--by", "length,position")
    assert (found["overall"]["gold"], found["overall"]["predicted"], found["overall"]["correct"]) == (3, 2, 1)
    assert {value: (cell["gold"], cell["correct"]) for value, cell in found["by"]["length"].items()} == {
        "multi": (2, 1),
        "single": (1, 0),
    }
    assert found["by"]["position"]["initial"]["gold"] == 2


@pytest.mark.parametrize(
    ("span", "message"),
    [
        # A span in two parts, as some tools write it, is told; it is never cut down to one.
        (
            {"start": [0, 9], "end": [3, 14], "label": "ORG"},
            "[spans[0].start]: the offset is no whole number",
        ),
        ({"start": 0, "end": 0, "label": "ORG"}, "span covers nothing"),
        ({"start": 3, "end": 1, "label": "ORG"}, "span covers nothing"),
        ({"start": True, "end": 3, "label": "ORG"}, "the offset is no whole number"),
        ({"start": 0, "end": 3, "label": None}, "the label is no text"),
    ],
)
def test_spans_that_are_none(
    gold: Path, tmp_path: Path, span: dict[str, Any], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"id": row[0], "spans": []} for row in GOLD]
    rows[1]["spans"] = [span]
    _, err = run(capsys, gold, write_jsonl(tmp_path / "system.jsonl", rows), code=1)
    assert "system.jsonl:2" in err and message in err


def test_nothing_on_one_side(gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = write_jsonl(tmp_path / "empty.jsonl", [])
    _, err = run(capsys, gold, empty, code=1)
    assert f"{gold}:4: item 4 of the gold has no prediction" in err and "4 faults" in err
    _, err = run(capsys, empty, gold, code=1)
    assert f"{gold}:1: item 1 of the predictions is not in the gold" in err and "4 faults" in err
    silent = write_jsonl(tmp_path / "silent.jsonl", [{"id": row[0], "spans": []} for row in GOLD])
    overall = run_json(capsys, gold, silent)["overall"]
    assert (overall["precision"], overall["recall"], overall["f1"]) == (None, 0.0, 0.0)
    one, none = tmp_path / "one.conll", tmp_path / "none.conll"
    one.write_text("a\tB-X\n", "utf-8")
    none.write_text("", "utf-8")
    _, err = run(capsys, one, none, code=1)
    assert f"{one}:1: gold and predictions have different numbers of items" in err
    assert run_json(capsys, none, none)["overall"]["f1"] is None


def test_the_golds_own_column_is_no_prediction(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "both.conll"
    path.write_text("a\tB-X\tO\n", "utf-8")
    _, err = run(capsys, path, "--pred-column", 2, "--pred-column", 1, code=2)
    assert "column 1 is the gold's" in err


def test_overlapping_predictions_are_scored(
    gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"id": row[0], "spans": span_list(row[4] + [(0, 8, "ENG")])} for row in GOLD[:2]]
    rows += [{"id": row[0], "spans": []} for row in GOLD[2:]]
    system = write_jsonl(tmp_path / "system.jsonl", rows)
    found = run_json(capsys, gold, system, "--match", "partial,type", "--match", "exact")
    assert (found["overall"]["predicted"], found["overall"]["correct"]) == (6, 4)
    assert found["matches"]["partial"]["spurious"] == 2
    assert list(found["matches"]) == ["untyped", "partial", "type", "exact"]
    assert found["system"] == "system"
    # The five counts of SemEval; untyped spans are right or wrong, never half right.
    out, _ = run(capsys, gold, system, "--match", "partial")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "system partial 4 0 0 2 2 66.67 66.67 66.67" in lines
    assert "system untyped 4 2 2 66.67 66.67 66.67" in lines


def test_further_keys_of_a_span_are_its_attributes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spans = [
        {"start": 8, "end": 12, "label": "ENG", "kind": "new"},
        {"start": 0, "end": 3, "label": "ENG", "kind": "old"},
    ]
    gold = write_jsonl(tmp_path / "gold.jsonl", [{"id": "a", "text": "Pie con show", "spans": spans}])
    # Scores of a system's confidence are no fault either.
    other = write_jsonl(
        tmp_path / "other.jsonl",
        [{"id": "a", "spans": [{"start": 0, "end": 3, "label": "ENG", "score": 0.9}]}],
    )
    found = run_json(capsys, gold, other, "--by", "kind")["by"]["kind"]
    assert {value: cell["recall"] for value, cell in found.items()} == {"new": 0.0, "old": 1.0}


def test_items_may_be_restricted(gold: Path, predictions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(capsys, gold, predictions, "--where", "quotes=with")
    assert (found["overall"]["gold"], found["overall"]["correct"]) == (3, 3)
    assert "where:quotes=with" in found["signature"]
    _, err = run(capsys, gold, predictions, "--where", "quots=with", code=2)
    assert "did you mean quotes?" in err


def test_a_faulty_line_is_told_with_its_place(
    gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(
        '{"id": "a|with", "spans": [{"start": 5, "end": 99, "label": "ENG"}]}\n{"id": \n[1]\n', "utf-8"
    )
    _, err = run(capsys, gold, path, code=1)
    assert "bad.jsonl:1 [spans]: span outside the text" in err
    assert re.search(r"bad.jsonl:2 \[character \d+\]: the line cannot be read", err)
    assert "bad.jsonl:3: the row is no object" in err


def test_nothing_to_find(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = write_jsonl(tmp_path / "gold.jsonl", [{"id": "a", "text": "Nada", "spans": []}])
    found = run_json(capsys, gold, gold, "--by", "type,quotes")
    assert found["overall"]["f1"] is None and found["by"] == {"type": {}, "quotes": {}}
    other = write_jsonl(tmp_path / "other.jsonl", [{"id": "a", "spans": span_list([(0, 4, "ENG")])}])
    # A false alarm counts in a sentence without spans too.
    found = run_json(capsys, gold, other)
    assert (found["overall"]["predicted"], found["overall"]["f1"], found["overall"]["recall"]) == (
        1,
        0.0,
        None,
    )
    _, err = run(capsys, gold, gold, "--match", "loose", code=2)
    assert "expected one of untyped, exact, partial, type" in err
    empty = write_jsonl(tmp_path / "empty.jsonl", [])
    assert run_json(capsys, empty, empty)["overall"]["gold"] == 0
