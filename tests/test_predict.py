"""``probeta predict``: hand numbers, fallbacks, intervals that cover, the paper's figures on COALAS dev."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import paper_tables
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta.cli.main import main
from probeta.errors import DataError, UsageError
from probeta.evaluation.betabinomial import central_interval, found_spans
from probeta.evaluation.predict import SpanOptions, corpus_spans, predict
from probeta.evaluation.predict_files import Files, Request, predict_files
from probeta.evaluation.projection import CellRate, look_up, project, read_rates
from probeta.evaluation.shrinkage import margins, shrink_rates
from probeta.formats import ReadOptions


def cell(recall: float, support: int = 10, **values: str) -> CellRate:
    return CellRate(values=values, support=support, recall=recall)


def test_the_prediction_is_the_mean_of_the_spans_cells() -> None:
    # The paper's own example: 20 spans of a cell with recall 0.9 are 18 found; with 10 of 0.3, 3 more.
    rates = [cell(0.9, quotes="with"), cell(0.3, quotes="without")]
    spans = [{"quotes": "with"}] * 20 + [{"quotes": "without"}] * 10
    found = project(rates, spans)
    assert found.predicted == pytest.approx(21 / 30)
    assert (found.spans, found.unseen) == (30, [])
    assert found.interval is not None
    assert found.interval.low < 0.7 < found.interval.high


FULL = {"casing": "standard", "quotes": "without", "type": "compliant", "position": "mid"}


@pytest.mark.parametrize(
    ("span", "recall", "fallback"),
    [
        ({}, 0.5, None),
        ({"quotes": "left"}, 0.5, "quotes left as without"),
        ({"quotes": "right"}, 0.5, "quotes right as without"),
        ({"casing": "lower"}, 0.5, "casing lower as standard"),
        ({"position": "initial"}, 0.5, "position initial as mid"),
        ({"casing": "title"}, 0.1, "the row of casing title quotes without"),
        (
            {"casing": "other"},
            0.2,
            "casing other as span_title, the row of casing span_title quotes without",
        ),
        # A casing row keeps the span's own position out of it.
        ({"casing": "title", "position": "initial"}, 0.1, "the row of casing title quotes without"),
        ({"type": "adjacent"}, 0.3, "the row of casing standard quotes without"),
        # Nothing fits: the rate of the whole cells together.
        ({"casing": "upper"}, 0.5, "all cells together"),
    ],
)
def test_fallbacks(span: dict[str, str], recall: float, fallback: str | None) -> None:
    rates = [
        cell(0.5, **FULL),
        cell(0.1, 173, casing="title", quotes="without"),
        cell(0.2, 173, casing="span_title", quotes="without"),
        cell(0.3, 173, casing="standard", quotes="without"),
    ]
    found = look_up(rates, FULL | span)
    assert (found.rate.recall, found.fallback) == (recall, fallback)


def test_a_cell_that_is_there_needs_no_fallback() -> None:
    rates = [cell(0.5, casing="standard"), cell(0.9, casing="lower")]
    assert look_up(rates, {"casing": "lower"}).fallback is None


def test_unseen_cells_are_listed_with_their_spans() -> None:
    found = project([cell(0.5, quotes="without")], [{"quotes": "left"}] * 3 + [{"quotes": "without"}])
    assert [one.to_json() for one in found.unseen] == [
        {"cell": {"quotes": "left"}, "spans": 3, "fallback": "quotes left as without"}
    ]


def test_a_corpus_without_spans_has_no_prediction() -> None:
    found = project([cell(0.5, quotes="without")], [])
    assert (found.predicted, found.interval, found.spans) == (None, None, 0)


def test_an_attribute_that_the_corpus_lacks_is_a_wrong_use() -> None:
    with pytest.raises(UsageError, match="no attribute domain"):
        project([cell(0.5, domain="sport")], [{"quotes": "with"}])


def test_one_cell_is_beta_binomial() -> None:
    # With one cell the mixture of beta distributions keeps most of the weight near 9 of 10.
    chances = found_spans(hits=[9], support=[10], spans=[100])
    mean = float(chances @ np.arange(101))
    assert 80 < mean < 92
    low, high = central_interval(chances)
    assert 50 < low < mean < high <= 100


@given(
    st.lists(st.tuples(st.integers(0, 10), st.integers(0, 20)), min_size=1, max_size=5),
    st.randoms(use_true_random=False),
)
def test_the_distribution_does_not_depend_on_the_cells_order(
    cells: list[tuple[int, int]], generator: Any
) -> None:
    def chances(some: list[tuple[int, int]]) -> np.ndarray[Any, Any]:
        hits, spans = zip(*some, strict=True)
        return found_spans(hits=hits, support=[10] * len(some), spans=spans)

    one, other = chances(cells), chances(generator.sample(cells, len(cells)))
    assert len(one) == sum(spans for _, spans in cells) + 1
    assert np.allclose(one, other, atol=1e-12)
    assert one.sum() == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["uniform", "strong", "paper"])
def test_calibration_over_1000_simulated_systems(kind: str) -> None:
    """The 95 % interval covers 93 to 97 % of simulated results, whatever kind of system is simulated.

    True rates are uniform, or mostly high, or the paper's: a system of its Table 5 with each rate drawn
    anew from what its spans leave open. A test set of 32 cells with ten spans each is drawn from them,
    then a corpus of 300 spans that has cells as unevenly filled as a newspaper's.
    """
    generator = np.random.default_rng(20260000)
    support = np.full(32, 10)
    spans = generator.multinomial(300, generator.dirichlet(np.full(32, 0.3)))
    values = [f"v{number}" for number in range(32)]
    rows = [{"cell": value} for value, number in zip(values, spans, strict=True) for _ in range(number)]
    printed: dict[str, list[float]] = {}
    for row in paper_tables.rows("table5"):
        printed.setdefault(row["model"], []).append(paper_tables.fraction(row["recall"]))
    models = [np.array(rates) for rates in printed.values()]
    covered = 0
    for number in range(1000):
        if kind == "uniform":
            rates = generator.uniform(size=32)
        elif kind == "strong":
            rates = generator.beta(5, 1, size=32)
        else:
            known = 10 * models[number % len(models)]
            rates = generator.beta(known + 0.5, 10 - known + 0.5)
        hits = generator.binomial(support, rates)
        found = project([cell(hit / 10, cell=value) for value, hit in zip(values, hits, strict=True)], rows)
        true = generator.binomial(spans, rates).sum() / 300
        assert found.interval is not None
        covered += found.interval.low <= true <= found.interval.high
    assert 930 <= covered <= 970


def run(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> tuple[str, str]:
    with pytest.raises(SystemExit) as stop:
        main(["predict", *map(str, arguments)])
    out, err = capsys.readouterr()
    assert stop.value.code == code, err
    return out, err


@pytest.fixture
def cells(tmp_path: Path) -> Path:
    return paper_tables.write(tmp_path / "cells.csv", paper_tables.cells())


def true_scores(tmp_path: Path, dataset: str) -> Path:
    rows: list[dict[str, object]] = [
        {"system": row["model"], "recall": paper_tables.fraction(row["true_recall"])}
        for row in paper_tables.rows("table6")
        if row["dataset"] == dataset
    ]
    return paper_tables.write(tmp_path / "true.csv", rows)


def test_coalas_dev_within_a_point_of_the_paper(
    reference_data: Path, cells: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = reference_data / "coalas" / "dev_gold_crf.conll"
    true = true_scores(tmp_path, "COALAS dev")
    found = json.loads(
        run(
            capsys,
            *("--recalls", cells, "--corpus", corpus, "--label", "ENG", "--true", true),
            *("--no-ambiguity", "--json"),
        )[0]
    )
    printed = {row["model"]: row for row in paper_tables.rows("table6") if row["dataset"] == "COALAS dev"}
    for name, row in printed.items():
        one = found["systems"][name]
        assert 100 * one["predicted"] == pytest.approx(float(row["predicted_recall"]), abs=1.0)
        assert one["low"] <= one["predicted"] <= one["high"]
        assert one["spans"] == 306
        assert found["ranks"]["predicted"][name] == int(row["predicted_rank"])
    # 8 left and 4 right quotes, 19 spans in other casings, none of an unseen type.
    unseen = found["systems"]["CRF"]["unseen"]
    assert sum(one["spans"] for one in unseen if "the row of casing" in one["fallback"]) == 19
    assert sum(one["spans"] for one in unseen if one["cell"]["quotes"] in ("left", "right")) == 12
    assert found["pearson"] == pytest.approx(0.7881, abs=0.005)


def test_shrinking_lowers_the_error_on_coalas_dev(
    reference_data: Path, cells: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = reference_data / "coalas" / "dev_gold_crf.conll"
    true = true_scores(tmp_path, "COALAS dev")
    options = ("--label", "ENG", "--no-ambiguity", "--true", true, "--shrink", "margins", "--json")
    found = json.loads(run(capsys, "--recalls", cells, "--corpus", corpus, *options)[0])["shrinkage"]
    assert found["falls"] is True
    assert found["mean_absolute_error_with"] < found["mean_absolute_error_without"]


def test_margins_have_no_interactions() -> None:
    # Rates 0.2, 0.5, 0.5, 0.8: on the logit scale the two attributes add up, so margins keep the cells.
    cells = [
        cell(0.2, 1000, a="x", b="x"),
        cell(0.5, 1000, a="x", b="y"),
        cell(0.5, 1000, a="y", b="x"),
        cell(0.8, 1000, a="y", b="y"),
    ]
    assert margins(cells) == pytest.approx([0.2, 0.5, 0.5, 0.8], abs=0.01)
    # Ten hits of ten, in a column that else has half: the cell moves towards its margin, not past it.
    small = [cell(1.0, 10, a="x"), cell(0.5, 10, a="y")]
    moved = shrink_rates(small, weight=10)
    assert margins(small)[0] < moved[0].recall < 1.0
    assert shrink_rates(small, weight=0)[0].recall == 1.0


CORPUS = [
    # quoted mid, bare initial (falls to mid), half quoted (counts as bare)
    ("Los «looks» cansan", [(5, 10)]),
    ("Looks nuevos", [(0, 5)]),
    ("Los «looks cansan", [(5, 10)]),
]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    rows = [
        {"text": text, "spans": [{"start": a, "end": b, "label": "ENG"} for a, b in spans]}
        for text, spans in CORPUS
    ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def small_cells(tmp_path: Path) -> Path:
    path = tmp_path / "recalls.csv"
    lines = ["system,position,quotes,n,recall"]
    for system, quoted, bare in (("one", 0.9, 0.3), ("two", 0.6, 0.6), ("three", 0.5, 0.0)):
        lines += [f"{system},mid,with,10,{quoted}", f"{system},mid,without,10,{bare}"]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_the_whole_command(
    corpus: Path, small_cells: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    true = tmp_path / "true.csv"
    true.write_text("system,recall,f1\none,0.6,0.5\ntwo,0.7,0.6\nthree,0.1,0.2\n", "utf-8")
    arguments = ("--recalls", small_cells, "--corpus", f"news={corpus}", "--true", true)
    found = json.loads(run(capsys, *arguments, "--json")[0])
    predicted = {name: one["predicted"] for name, one in found["systems"].items()}
    # (0.9 + 2 * 0.3) / 3, 0.6, 0.5 / 3.
    assert predicted == pytest.approx({"one": 0.5, "two": 0.6, "three": 1 / 6})
    assert found["spearman"] == pytest.approx(1)
    assert found["spearman_f1"] == pytest.approx(1)
    assert found["mean_absolute_error"] == pytest.approx((0.1 + 0.1 + 1 / 15) / 3)
    assert found["calibration"] == {"inside": 3, "systems": 3}
    assert [one["fallback"] for one in found["systems"]["one"]["unseen"]] == [
        "position initial as mid",
        "quotes left as without",
    ]
    out = run(capsys, *arguments)[0]
    plain = [" ".join(line.split()) for line in out.splitlines()]
    assert any(line.startswith("two 60.00 [") and line.endswith("#1 70.00 #1 60.00 #1") for line in plain)
    assert "news: 2 of 3 spans are in cells not seen" in out
    titles = "system news predicted 95 % rank true R rank by true R true F1 rank by true F1"
    assert titles in plain
    plain = [" ".join(line.split()) for line in run(capsys, *arguments[:-2])[0].splitlines()]
    assert "system news predicted 95 % rank" in plain


def test_several_corpora_have_medians(
    corpus: Path, small_cells: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    true = tmp_path / "true.csv"
    lines = ["corpus,system,recall"]
    for name, recalls in (("a", (0.6, 0.7, 0.1)), ("b", (0.5, 0.5, 0.5))):
        lines += [
            f"{name},{system},{recall}"
            for system, recall in zip(("one", "two", "three"), recalls, strict=True)
        ]
    true.write_text("\n".join(lines) + "\n", "utf-8")
    files = ("--corpus", f"a={corpus}", "--corpus", f"b={corpus}", "--true", true)
    found = json.loads(run(capsys, "--recalls", small_cells, *files, "--json")[0])
    assert set(found["corpora"]) == {"a", "b"}
    # Constant true recalls have no correlation: null, with a reason, and left out of the median.
    assert found["corpora"]["b"]["pearson"] is None
    assert "same score" in found["corpora"]["b"]["reasons"]["pearson"]
    assert found["medians"]["pearson"] == found["corpora"]["a"]["pearson"]
    out = run(capsys, "--recalls", small_cells, *files)[0]
    assert "a predicted" in out and "b predicted" in out and "median" in out


def test_a_table_of_attributes_is_a_corpus_too(
    corpus: Path, small_cells: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "spans.csv"
    with pytest.raises(SystemExit):
        main(["attributes", str(corpus), "--out", str(table)])
    capsys.readouterr()
    from_table = json.loads(run(capsys, "--recalls", small_cells, "--corpus", table, "--json")[0])
    from_corpus = json.loads(run(capsys, "--recalls", small_cells, "--corpus", corpus, "--json")[0])
    assert from_table["systems"] == from_corpus["systems"]


def test_a_corpus_keeps_its_own_attributes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Predicted on the very set that was scored, the recall is the set's own."""
    gold, system, cells = tmp_path / "gold.jsonl", tmp_path / "crf.jsonl", tmp_path / "cells.csv"
    rows = [
        # A surname looks like span_title, and the set says that it was not changed.
        ("a", "standard", "Vino Paz ayer", 5, 8, True),
        ("b", "standard", "Vino Ruiz ayer", 5, 9, True),
        ("c", "standard", "Vino Gil ayer", 5, 8, True),
        ("d", "upper", "VINO SANZ AYER", 5, 9, False),
    ]
    with gold.open("w", encoding="utf-8") as handle, system.open("w", encoding="utf-8") as found:
        for id, casing, text, start, end, hit in rows:
            span = {"start": start, "end": end, "label": "PER"}
            handle.write(json.dumps({"id": id, "text": text, "casing": casing, "spans": [span]}) + "\n")
            found.write(json.dumps({"id": id, "spans": [span] * hit}) + "\n")
    with pytest.raises(SystemExit):
        main(["score", str(gold), str(system), "--by", "casing", "--cells", str(cells)])
    capsys.readouterr()
    done = json.loads(run(capsys, "--recalls", cells, "--corpus", gold, "--json")[0])["systems"]["crf"]
    assert (done["predicted"], done["unseen"]) == (3 / 4, [])


def test_an_unknown_value_is_told_with_the_nearest(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = tmp_path / "cells.csv"
    cells.write_text("system,casing,n,recall\na,standart,4,0.5\nb,standart,4,0.5\nb,upper,4,0.5\n", "utf-8")
    _, err = run(capsys, "--recalls", cells, "--corpus", corpus, code=1)
    assert "cells.csv:2 [casing]: casing has no such value" in err and "write standard" in err
    assert "1 fault" in err


def test_people_see_the_largest_unseen_cells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """25 genres with a cell each that the table lacks; of the first there are two spans."""
    corpus, cells = tmp_path / "corpus.jsonl", tmp_path / "cells.csv"
    genres = ["g00", *(f"g{number:02}" for number in range(25))]
    span = {"start": 0, "end": 4, "label": "ENG"}
    corpus.write_text(
        "".join(
            json.dumps({"id": str(number), "text": "Look", "genre": genre, "spans": [span]}) + "\n"
            for number, genre in enumerate(genres)
        ),
        "utf-8",
    )
    cells.write_text("system,genre,n,recall\ncrf,none,4,0.5\n", "utf-8")
    out, _ = run(capsys, "--recalls", cells, "--corpus", corpus)
    assert "26 of 26 spans are in cells not seen" in out
    assert "g19" in out and "g20" not in out
    assert "and 5 cells more with 5 spans: --json lists all" in out
    told = json.loads(run(capsys, "--recalls", cells, "--corpus", corpus, "--json")[0])
    assert len(told["systems"]["crf"]["unseen"]) == 25


def test_the_library_predicts_from_files_as_the_command(
    corpus: Path, small_cells: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = json.loads(run(capsys, "--recalls", small_cells, "--corpus", f"dev={corpus}", "--json")[0])
    found = predict_files(Files(recalls=small_cells, corpora={"dev": corpus}), Request())
    assert found.to_json() == told
    assert "spelling:es-strict" in found.signature and "split:" not in found.signature
    _, err = run(capsys, "--recalls", small_cells, "--corpus", corpus, "--split", "test", code=2)
    assert "--split names a split of a built set, and no corpus is one" in err


def test_a_corpus_without_spans_is_a_wrong_use(
    small_cells: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text('{"text": "Nada", "spans": []}\n', "utf-8")
    _, err = run(capsys, "--recalls", small_cells, "--corpus", empty, code=2)
    assert "has no span" in err


def test_faults_are_all_told(
    corpus: Path, small_cells: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("system,quotes,n,recall\na,with,10,43.04\na,without,x,0.5\nb,with,1,0.5\nb,with,1,1\n")
    with pytest.raises(DataError) as caught:
        read_rates(path)
    assert [(fault.row, fault.column) for fault in caught.value.faults] == [
        (2, "recall"),
        (3, "n"),
        (5, "system"),
    ]
    assert "divide percentages by 100" in str(caught.value)
    _, err = run(capsys, "--recalls", path, "--corpus", corpus, code=1)
    assert "3 faults" in err
    _, err = run(capsys, "--recalls", small_cells, "--corpus", corpus, "--label", "OTHER", code=2)
    assert "its labels are ENG" in err
    _, err = run(capsys, "--recalls", small_cells, "--corpus", corpus, "--shrink", "all", code=2)
    assert "expected one of margins" in err


@pytest.mark.parametrize(
    ("rows", "column"),
    [
        (",with,10,0.5\n", "system"),
        ("a,with,99999999999999999999,0.5\n", "n"),
        ("a,with,inf,0.5\n", "n"),
        ("", None),
    ],
)
def test_cells_that_say_nothing(tmp_path: Path, rows: str, column: str | None) -> None:
    (tmp_path / "cells.csv").write_text("system,quotes,n,recall\n" + rows)
    with pytest.raises(DataError) as caught:
        read_rates(tmp_path / "cells.csv")
    assert [fault.column for fault in caught.value.faults] == [column]


@pytest.mark.parametrize("row", ["a,0.6", ",0.6"])
def test_true_scores_are_one_row_a_system(tmp_path: Path, row: str) -> None:
    from probeta.evaluation.true_scores import read_true

    (tmp_path / "true.csv").write_text(f"system,recall\na,0.5\n{row}\n")
    with pytest.raises(DataError, match=r"true\.csv:3 \[system\]"):
        read_true(tmp_path / "true.csv", corpora=["dev"])


def test_true_scores_of_an_unknown_system_are_refused(corpus: Path, small_cells: Path) -> None:
    from probeta.evaluation.true_scores import TrueScores

    spans = corpus_spans(corpus, wanted=("position", "quotes"), options=SpanOptions(), reading=ReadOptions())
    with pytest.raises(UsageError, match="which have no cells"):
        predict(read_rates(small_cells), {"a": spans}, true={"a": {"four": TrueScores(recall=0.5)}})
