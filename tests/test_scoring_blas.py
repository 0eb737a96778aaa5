"""The whole loop on the bundled recipe: build, score by its protocol, predict from the cells."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from hashlib import md5
from pathlib import Path

import numpy as np
import pytest

from probeta import builtset
from probeta.cli.main import main
from probeta.errors import UsageError
from probeta.evaluation.cells import cells
from probeta.evaluation.evaluate import Files, Request, evaluate_spans
from probeta.evaluation.intervals import newcombe
from probeta.evaluation.protocol import load_protocol
from probeta.evaluation.units import Predictions
from probeta.pipeline.build import build
from probeta.pipeline.scored import write_scores
from probeta.validation.check import check


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("blas") / "set"
    build("blas", out=out)
    return out


def run(*arguments: object) -> None:
    with pytest.raises(SystemExit) as stop:
        main(list(map(str, arguments)))
    assert stop.value.code == 0


def test_build_score_predict(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A system that takes every quoted stretch finds all quoted spans and no other."""
    system, cells, out = tmp_path / "quotes.jsonl", tmp_path / "cells.csv", tmp_path / "out"
    with system.open("w", encoding="utf-8") as handle:
        for sentence in builtset.sentences(built):
            spans = [
                {"start": span.start, "end": span.end, "label": span.label}
                for span in sentence.spans
                if sentence.attributes["quotes"] == "with"
            ]
            handle.write(json.dumps({"id": sentence.id, "spans": spans}) + "\n")
    run("score", built, system, "--protocol", "blas", "--cells", cells, "--out", out, "--json")
    found = json.loads(capsys.readouterr().out)
    assert (found["overall"]["gold"], found["overall"]["recall"]) == (2076, 0.5)
    assert found["by"]["quotes"]["with"]["recall"] == 1.0
    assert found["by"]["quotes"]["without"]["recall"] == 0.0
    # Attributes of the recipe, each a partition of all spans.
    assert {"casing", "quotes", "type", "length", "position"} <= set(found["by"])
    for values in found["by"].values():
        assert sum(cell["gold"] for cell in values.values()) == 2076
    quotes = next(one for one in found["paired"] if one["attribute"] == "quotes")
    assert (quotes["pairs"], quotes["only_value"], quotes["unpaired"]) == (1038, 1038, 0)
    casings = [one["value"] for one in found["paired"] if one["attribute"] == "casing"]
    assert casings == ["lower", "upper", "title", "span_upper", "span_title"], "in the recipe's order"
    positions = next(one for one in found["paired"] if one["attribute"] == "position")
    assert positions["difference"] == 0.0 and positions["pairs"] > 600
    rows = list(csv.DictReader(cells.open(encoding="utf-8")))
    assert len(rows) == 12 + 32
    assert sum(int(row["n"]) for row in rows if row["casing"] == "standard" and row["type"]) == 346
    # Two of three spans of the corpus are quoted on both sides.
    corpus = tmp_path / "news.csv"
    corpus.write_text("Un «big data» enorme;big data\nUn «show» más;show\nUn look;look\n", "utf-8")
    run("predict", "--recalls", cells, "--corpus", corpus, "--json")
    predicted = json.loads(capsys.readouterr().out)["systems"]["quotes"]
    assert predicted["predicted"] == pytest.approx(2 / 3)
    assert predicted["low"] < 2 / 3 < predicted["high"]


def test_chance_makes_five_gaps_in_a_hundred_look_real(built: Path, tmp_path: Path) -> None:
    """Systems that know a word or not by its hash: no attribute matters, whatever the copies and twins say.

    Each gap's interval should leave out 0 in 5 % of the salts. How often one gap does in 200 salts has a standard
    deviation of sqrt(0.05 * 0.95 / 200) = 0.0154; the mean over gaps, however correlated, has no more. So the
    share lies below 0.05 + 4 * 0.0154 = 0.112; above 0.005 it is no empty claim.
    """
    system = tmp_path / "nothing.jsonl"
    ids = [sentence.id for sentence in builtset.sentences(built)]
    system.write_text("".join(json.dumps({"id": id, "spans": []}) + "\n" for id in ids), "utf-8")
    protocol = load_protocol("blas")
    units = evaluate_spans(
        Files(gold=built, systems={"nothing": system}), protocol, Request(samples=1)
    ).scores.units
    attributes = ["type", "length", "position", "spelling", "ambiguity", "adjacent"]
    clustered, independent = [], []
    for salt in range(200):
        known = {word: md5(f"{salt}:{word}".encode()).digest()[0] < 128 for word in set(units.words)}
        hits = np.array([known[word] for word in units.words])
        chance = replace(units, systems={"md5": Predictions(hits=hits, correct=hits, attributes={})})
        for attribute in attributes:
            for cell in cells(chance, "md5", [attribute]):
                assert cell.gap_interval is not None
                clustered.append(not cell.gap_interval.low <= 0 <= cell.gap_interval.high)
                rest = len(units) - cell.counts.gold
                apart = newcombe(
                    cell.counts.correct, cell.counts.gold, int(hits.sum()) - cell.counts.correct, rest
                )
                assert apart is not None
                independent.append(not apart.low <= 0 <= apart.high)
    assert 0.005 < np.mean(clustered) < 0.112
    assert np.mean(independent) > 0.5, "what spans taken as independent would claim"


def test_of_six_cells_one_is_named_worst_and_one_best(built: Path, tmp_path: Path) -> None:
    system = tmp_path / "cased.jsonl"
    with system.open("w", encoding="utf-8") as handle:
        for sentence in builtset.sentences(built):
            spans = [{"start": one.start, "end": one.end, "label": one.label} for one in sentence.spans]
            blind = sentence.attributes["casing"] in ("lower", "upper")
            handle.write(json.dumps({"id": sentence.id, "spans": [] if blind else spans}) + "\n")
    found = evaluate_spans(
        Files(gold=built, systems={"cased": system}), load_protocol("blas"), Request(samples=1, by=["casing"])
    )
    ranked = found.extremes()["cased"]
    assert [len(ranked["worst"]), len(ranked["best"])] == [1, 1]
    assert ranked["worst"][0].name in ("lower", "upper")


def test_a_set_predicted_on_itself_gives_its_own_recall(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its cells are the recipe's, not what its sentences look like: no span is in a cell not seen."""
    system, cells = tmp_path / "some.jsonl", tmp_path / "cells.csv"
    with system.open("w", encoding="utf-8") as handle:
        for number, sentence in enumerate(builtset.sentences(built)):
            spans = [{"start": one.start, "end": one.end, "label": one.label} for one in sentence.spans]
            handle.write(json.dumps({"id": sentence.id, "spans": spans if number % 3 else []}) + "\n")
    run("score", built, system, "--by", "casing:quotes:type:position", "--cells", cells, "--json")
    recall = json.loads(capsys.readouterr().out)["overall"]["recall"]
    run("predict", "--recalls", cells, "--corpus", built, "--json")
    found = json.loads(capsys.readouterr().out)["systems"]["some"]
    assert (found["predicted"], found["unseen"]) == (pytest.approx(recall), [])


def test_scores_written_into_the_set_leave_it_sound(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    system = tmp_path / "nothing.jsonl"
    ids = [sentence.id for sentence in builtset.sentences(built)]
    system.write_text("".join(json.dumps({"id": id, "spans": []}) + "\n" for id in ids), "utf-8")
    run("score", built, system, "--protocol", "blas", "--json")
    before = json.loads(capsys.readouterr().out)
    run("score", built, system, "--protocol", "blas", "--out", built, "--json")
    assert check(built).faults == []
    run("score", built, system, "--protocol", "blas", "--json")
    capsys.readouterr()
    report = json.loads((built / "reports" / "scores.json").read_text("utf-8"))
    assert report["signature"] == before["signature"], "a report does not change the data"
    assert report["overall"]["reason"].startswith("no predictions")


def test_a_report_is_written_whole_or_not_at_all(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores, map and checksums change together, and nothing is written into the middle of a set."""
    protocol = load_protocol("blas")
    system = tmp_path / "nothing.jsonl"
    ids = [sentence.id for sentence in builtset.sentences(built)]
    system.write_text("".join(json.dumps({"id": id, "spans": []}) + "\n" for id in ids), "utf-8")
    found = evaluate_spans(Files(gold=built, systems={"nothing": system}), protocol, Request(samples=10))
    write_scores(built, found)
    before = {path: path.read_bytes() for path in built.rglob("*") if path.is_file()}
    other = evaluate_spans(
        Files(gold=built, systems={"nothing": system}), protocol, Request(samples=10, by=["quotes"])
    )

    def fails(folder: Path) -> str:
        raise OSError("no space left")

    with monkeypatch.context() as patched, pytest.raises(UsageError, match="no space left"):
        patched.setattr(builtset, "checksums", fails)
        write_scores(built, other)
    assert {path: path.read_bytes() for path in built.rglob("*") if path.is_file()} == before
    with pytest.raises(UsageError, match="would stand in the built set"):
        write_scores(built / "reports", other)
    write_scores(built, other)
    assert check(built).faults == []
    assert json.loads((built / "reports" / "scores.json").read_text("utf-8"))["by"].keys() == {"quotes"}


def test_predictions_as_tokens_of_the_set(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """CoNLL made from the config ``tokens``: other spaces than the text, the same spans."""
    table = builtset.read(built, "tokens")
    from datasets import Features

    names = Features.from_arrow_schema(table.schema)["tags"].feature.names
    lines = []
    for row in table.to_pylist():
        lines.append(f"# id = {row['id']}")
        lines += [f"{token}\t{names[tag]}" for token, tag in zip(row["tokens"], row["tags"], strict=True)]
        lines.append("")
    path = tmp_path / "perfect.conll"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    run("score", built, path, "--json")
    found = json.loads(capsys.readouterr().out)
    assert (found["overall"]["f1"], found["token_accuracy"]) == (1.0, 1.0)
