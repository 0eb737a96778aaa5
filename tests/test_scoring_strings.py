"""The protocol adobo2025: sets of strings by sentence, counted by hand."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from probeta.cli.main import main
from probeta.evaluation.strings import folded, string_set

# Gold: {look}, {e-mail}, {fact checkers, show, ghost}, {}: 5 strings. `look` stands twice in its sentence,
# `ghost` not at all; neither is an error.
GOLD = """\
Un look y otro look;look
El e-mail;E-MAIL
Los «Fact Checkers» del show;«fact checkers»;show;ghost
Nada
"""
# crf: {look} once, though written three ways; {correo}; {fact checkers, show}, {nada}: 5 strings, 3 right.
CRF = """\
Un look y otro look;«LOOK»;LOOK;look
El e-mail;correo
Los «Fact Checkers» del show;“Fact Checkers”;'SHOW'
Nada;nada
"""
# beto: {}; {e-mail}; {show}; {}: 2 strings, both right.
BETO = """\
Un look y otro look
El e-mail;"e-mail"
Los «Fact Checkers» del show;Show
Nada;
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    paths = tuple(tmp_path / f"{name}.csv" for name in ("gold", "crf", "beto"))
    for path, text in zip(paths, (GOLD, CRF, BETO), strict=True):
        path.write_text(text, "utf-8")
    gold, crf, beto = paths
    return gold, crf, beto


def run(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> tuple[str, str]:
    with pytest.raises(SystemExit) as stop:
        main(["score", *map(str, arguments), "--protocol", "adobo2025"])
    out, err = capsys.readouterr()
    assert stop.value.code == code, err
    return out, err


def run_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(capsys, *arguments, "--json")[0])
    return found


def test_what_is_compared() -> None:
    assert {folded(text) for text in ("«Look»", " LOOK ", '"look"', "look", "‘look’", "` look´")} == {"look"}
    # Quotation marks inside stay, and a set knows no repetition and nothing empty.
    assert folded("fact 'checker") == "fact 'checker"
    assert string_set(["Look", "«look»", "", "«»"]) == {"look"}
    # Case folding goes further than lower case.
    assert folded("STRASSE") == folded("Straße")


def test_counts_by_hand(files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(capsys, *files)
    crf, beto = found["systems"]["crf"]["overall"], found["systems"]["beto"]["overall"]
    assert (crf["gold"], crf["predicted"], crf["correct"]) == (5, 5, 3)
    assert (crf["precision"], crf["recall"], crf["f1"]) == (3 / 5, 3 / 5, 6 / 10)
    assert (beto["gold"], beto["predicted"], beto["correct"]) == (5, 2, 2)
    assert (beto["precision"], beto["recall"], beto["f1"]) == (1.0, 2 / 5, 4 / 7)
    assert found["ranks"] == {"by": "f1", "systems": {"crf": 1, "beto": 2}}
    assert found["systems"]["crf"]["labels"] == {}
    (difference,) = found["differences"]
    assert difference["difference"] == pytest.approx(6 / 10 - 4 / 7)
    assert "protocol:adobo2025" in found["signature"] and "seed:0" in found["signature"]


def test_the_interval_is_that_of_all_samples_of_sentences(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Four sentences can be drawn in 4**4 ways; the bootstrap's quantiles are those of all of them."""
    gold, predicted, correct = np.array([(1, 1, 3, 0), (1, 1, 2, 1), (1, 0, 2, 0)])
    drawn = [list(sample) for sample in product(range(4), repeat=4)]
    f1 = [
        2 * correct[sample].sum() / (gold[sample].sum() + predicted[sample].sum())
        for sample in drawn
        if gold[sample].sum() + predicted[sample].sum()
    ]
    low, high = np.quantile(f1, [0.025, 0.975])
    interval = run_json(capsys, *files[:2], "--samples", 20000)["overall"]["intervals"]["f1"]
    assert interval["low"] == pytest.approx(low, abs=1e-9)
    assert interval["high"] == pytest.approx(high, abs=1e-9)


def test_by_attributes_of_the_strings(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    found = run_json(capsys, *files[:2], "--by", "length,quotes")["by"]
    counts = {
        name: {value: (cell["gold"], cell["correct"]) for value, cell in cells.items()}
        for name, cells in found.items()
    }
    # `ghost` stands nowhere, so it has no attribute; of `look` the first place counts.
    assert counts == {
        "length": {"single": (3, 2), "multi": (1, 1), "(missing)": (1, 0)},
        "quotes": {"without": (3, 2), "with": (1, 1), "(missing)": (1, 0)},
    }


def test_success_and_error_examples(
    files: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run_json(capsys, *files[:2], "--examples", 9)["examples"]
    assert {kind: [(row["item"], row["span"]) for row in rows] for kind, rows in found.items()} == {
        "hits": [("#1", "look"), ("#3", "fact checkers"), ("#3", "show")],
        "misses": [("#2", "e-mail"), ("#3", "ghost")],
        "spurious": [("#2", "correo"), ("#4", "nada")],
    }
    out, _ = run(capsys, *files, "--examples", 9, "--by", "length", "--out", tmp_path / "out")
    assert "  #3: [[ghost]] in: Los «Fact Checkers» del show" in out
    assert "  #3: Los «[[Fact Checkers]]» del show" in out and "  #1: Un [[look]] y otro look" in out
    assert "beto, spurious: none" in out
    assert "recall by length" in (tmp_path / "out" / "reports" / "scores.svg").read_text("utf-8")


def test_annotated_files_compare_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSONL in another order: matched by id, with the attributes of sentences, whatever the offsets."""

    def row(id: str, base: str, quotes: str, text: str, *strings: str) -> dict[str, Any]:
        spans = [
            {"start": text.index(one), "end": text.index(one) + len(one), "label": "ENG"} for one in strings
        ]
        return {"id": id, "base_id": base, "quotes": quotes, "text": text, "spans": spans}

    gold = [
        row("1w", "1", "with", "El «look» y la moda", "look"),
        row("1o", "1", "without", "El look y la moda", "look"),
        row("2w", "2", "with", "Un «big data»", "big data"),
        row("2o", "2", "without", "Un big data", "big data"),
    ]
    # «look» with its marks is right; of `big data` half is found without them.
    system = [
        row("2o", "2", "without", "Un big data", "data"),
        row("2w", "2", "with", "Un «big data»", "big data"),
        row("1o", "1", "without", "El look y la moda"),
        row("1w", "1", "with", "El «look» y la moda", "«look»"),
    ]
    for name, rows in (("gold", gold), ("system", system)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    paths = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    found = run_json(capsys, *paths, "--by", "quotes", "--paired", "quotes=without")
    by = found["by"]["quotes"]
    assert (by["with"]["predicted"], by["with"]["f1"]) == (2, 1.0)
    assert (by["without"]["predicted"], by["without"]["correct"]) == (1, 0)
    (paired,) = found["paired"]
    assert (paired["pairs"], paired["only_value"], paired["only_against"]) == (2, 2, 0)


def test_another_sentence_is_a_fault_with_its_line(
    files: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.csv"
    other.write_text(CRF.replace("El e-mail", "El correo"), "utf-8")
    _, err = run(capsys, files[0], other, code=1)
    assert "other.csv:2: item 2 has another text than the gold" in err
    other.write_text(CRF + "Más;más\n", "utf-8")
    _, err = run(capsys, files[0], other, code=1)
    assert "other.csv:5: gold and predictions have different numbers of items" in err
