"""The paper's tables: Table 3 to 5 from predictions in one command, Table 6's coefficients and ranks."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

import paper_tables
import pytest

from probeta.cli.main import main
from probeta.cli.tabular import percent
from probeta.evaluation.compare import competition_ranks
from probeta.evaluation.correlation import agreement, average_ranks, pearson
from probeta.evaluation.counts import Counts, total

MODELS = ["CRF", "BETO", "mBERT", "BiLSTM (unadapted)", "BiLSTM (codeswitch)", "Llama3"]
TRUE_POSITIVES = dict(zip(MODELS, (135, 489, 494, 489, 493, 755), strict=True))


def hits_by_configuration() -> dict[str, dict[tuple[str, str], int]]:
    """Table 4 as counts: every printed cell is a whole number of the 173 spans."""
    found: dict[str, dict[tuple[str, str], int]] = defaultdict(dict)
    for row in paper_tables.rows("table4"):
        hits = round(float(row["recall"]) * 173 / 100)
        assert percent(hits / 173) == row["recall"]
        found[row["model"]][paper_tables.CASINGS[row["casing"]], row["quotation"]] = hits
    return found


def test_table_3_from_counts() -> None:
    table = hits_by_configuration()
    printed = {row["model"]: row for row in paper_tables.rows("table3")}
    totals = {
        model: total(Counts(gold=173, predicted=None, correct=hits) for hits in table[model].values())
        for model in MODELS
    }
    assert {model: counts.correct for model, counts in totals.items()} == TRUE_POSITIVES
    for model, counts in totals.items():
        assert counts.gold == 2076
        assert percent(counts.recall) == printed[model]["blas_recall"]
    # BETO and BiLSTM (unadapted) found 489 spans each and share rank 4.
    ranks = competition_ranks({model: counts.recall for model, counts in totals.items()})
    assert {model: str(rank) for model, rank in ranks.items()} == {
        model: row["blas_rank"] for model, row in printed.items()
    }


def test_the_mean_of_rounded_cells_is_not_the_recall() -> None:
    cells = [float(row["recall"]) for row in paper_tables.rows("table4") if row["model"] == "BETO"]
    assert sum(cells) / 12 == pytest.approx(23.5550)
    assert percent(489 / 2076) == "23.55"


def test_every_printed_rank() -> None:
    tables: dict[str, dict[str, float | None]] = defaultdict(dict)
    printed: dict[str, dict[str, str]] = defaultdict(dict)
    for row in paper_tables.rows("table3"):
        for kind in ("blas", "coalas2022"):
            tables[kind][row["model"]] = float(row[f"{kind}_recall"])
            printed[kind][row["model"]] = row[f"{kind}_rank"]
    for row in paper_tables.rows("table6"):
        for kind in ("predicted", "true"):
            key = f"{row['dataset']} {kind}"
            tables[key][row["model"]] = float(row[f"{kind}_recall"])
            printed[key][row["model"]] = row[f"{kind}_rank"]
    assert sum(map(len, printed.values())) == 72
    for key, scores in tables.items():
        ranks = competition_ranks(scores)
        assert {model: str(rank) for model, rank in ranks.items()} == printed[key], key


@pytest.mark.parametrize(
    ("dataset", "r", "rho", "error"),
    [
        # scipy's pearsonr and spearmanr on the printed recalls; the printed 0.41 of CALCS dev is Pearson's
        # coefficient of the printed ranks, not Spearman's with average ranks for its tie.
        ("COALAS test", 0.9415, 0.8857, 9.73),
        ("COALAS dev", 0.7868, 0.8286, 8.15),
        ("CALCS test A", 0.8456, 0.6571, 8.61),
        ("CALCS test B", 0.9088, 0.9429, 6.56),
        ("CALCS dev", 0.8400, 0.4638, 8.01),
    ],
)
def test_table_6_coefficients(dataset: str, r: float, rho: float, error: float) -> None:
    rows = [row for row in paper_tables.rows("table6") if row["dataset"] == dataset]
    predicted = {row["model"]: float(row["predicted_recall"]) for row in rows}
    true = {row["model"]: float(row["true_recall"]) for row in rows}
    found = agreement(predicted, true)
    values = [found[name].value for name in ("pearson", "spearman", "mean_absolute_error")]
    assert [round(value or 0, places) for value, places in zip(values, (4, 4, 2), strict=True)] == [
        r,
        rho,
        error,
    ]
    printed = next(row for row in paper_tables.rows("table6_correlations") if row["dataset"] == dataset)
    assert f"{r:.2f}" == printed["pearson_printed"]
    if dataset != "CALCS dev":
        assert f"{rho:.2f}" == printed["spearman_printed"]


def test_table_6_medians_and_the_printed_exception() -> None:
    pairs = defaultdict(dict)
    for row in paper_tables.rows("table6"):
        pairs[row["dataset"]][row["model"]] = row
    coefficients = []
    for rows in pairs.values():
        predicted = {model: float(row["predicted_recall"]) for model, row in rows.items()}
        true = {model: float(row["true_recall"]) for model, row in rows.items()}
        coefficients.append(agreement(predicted, true))
    assert round(median(one["pearson"].value or 0 for one in coefficients), 4) == 0.8456
    assert round(median(one["spearman"].value or 0 for one in coefficients), 4) == 0.8286
    ranks = [
        [float(row[f"{kind}_rank"]) for row in pairs["CALCS dev"].values()] for kind in ("predicted", "true")
    ]
    assert round(pearson(*ranks).value or 0, 4) == 0.4140


def test_raw_recall_does_not_predict() -> None:
    rows = paper_tables.rows("table3")
    columns = [[float(row[name]) for row in rows] for name in ("blas_recall", "coalas2022_recall")]
    assert round(pearson(*columns).value or 0, 4) == -0.0457


def test_undefined_coefficients_have_a_reason() -> None:
    assert pearson([1, 1, 1], [1, 2, 3]).reason == "all systems have the same score on one side"
    assert pearson([], []).reason == "fewer than 3 systems"
    assert average_ranks([3.0, 1.0, 3.0]) == [2.5, 1.0, 2.5]


@pytest.fixture(scope="module")
def blas_files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Path]]:
    """A set of the paper's shape (153 sentences, 1,836 in all) and predictions with the tables' counts.

    Words stand for spans; in a cell the first spans are found, as many as the tables say.
    """
    folder = tmp_path_factory.mktemp("blas")
    base = []
    for row in paper_tables.rows("table1"):
        for number in range(int(row["sentences"])):
            words = 2 if row["type"] == "adjacent" else 1
            base.append((f"{row['type']}-{row['length']}-{row['position']}-{number:02}", row, words))
    standard = {
        (
            row["model"],
            row["type"],
            row["length"],
            paper_tables.POSITIONS[row["position"]],
            row["quotation"],
        ): round(float(row["recall"]) * int(row["n_spans"]) / 100)
        for row in paper_tables.rows("table5")
    }
    others = hits_by_configuration()
    gold, predicted = [], defaultdict(list)
    for casing in paper_tables.CASINGS.values():
        for quotes in ("with", "without"):
            left = {model: others[model][casing, quotes] for model in MODELS}
            cells = {key: hits for key, hits in standard.items() if key[4] == quotes}
            for name, row, words in base:
                spans = [{"start": 5 * at, "end": 5 * at + 4, "label": "ENG"} for at in range(words)]
                id = f"{name}|{casing}|{quotes}"
                attributes = {key: row[key] for key in ("type", "length", "position")}
                gold.append(
                    {"id": id, "base_id": name, "text": "word word fin", "spans": spans, **attributes}
                    | {"casing": casing, "quotes": quotes}
                )
                for model in MODELS:
                    if casing == "standard":
                        key = (model, row["type"], row["length"], row["position"], quotes)
                        found = min(words, cells[key])
                        cells[key] -= found
                    else:
                        found = min(words, left[model])
                        left[model] -= found
                    predicted[model].append({"id": id, "spans": spans[:found]})

    def write(path: Path, rows: list[dict[str, Any]]) -> Path:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return path

    systems = {
        model: write(folder / f"{place}.jsonl", predicted[model]) for place, model in enumerate(MODELS)
    }
    return write(folder / "gold.jsonl", gold), systems


def test_tables_3_4_and_5_from_one_command(
    blas_files: tuple[Path, dict[str, Path]], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    gold, systems = blas_files
    arguments = [f"{name}={path}" for name, path in systems.items()]
    cells = tmp_path / "cells.csv"
    with pytest.raises(SystemExit) as stop:
        main(["score", str(gold), *arguments, "--protocol", "blas", "--cells", str(cells)])
    out = capsys.readouterr().out
    assert stop.value.code == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    for row in paper_tables.rows("table3"):
        line = next(line for line in lines if line.startswith(f"{row['model']} 2076 "))
        assert f" {TRUE_POSITIVES[row['model']]} {row['blas_recall']} [" in line
        assert line.endswith(f"#{row['blas_rank']}")
    for printed, key in (("table4", ("casing",)), ("table5", ("type", "length", "position"))):
        wanted: dict[str, list[str]] = defaultdict(list)
        for row in paper_tables.rows(printed):
            names = {**paper_tables.CASINGS, **paper_tables.POSITIONS}
            wanted[" ".join(names.get(row[name], row[name]) for name in key)].append(row["recall"])
        assert len(wanted) == {"table4": 6, "table5": 16}[printed]
        for name, recalls in wanted.items():
            line = next(
                line for line in lines if line.startswith(f"{name} ") and len(line.split()) == len(key) + 13
            )
            shown = line.split()[len(key) + 1 :]
            # The command shows the quotes in the recipe's order, the files with first.
            ours = {tuple(pair) for pair in (sorted(shown[at : at + 2]) for at in range(0, 12, 2))}
            assert ours == {tuple(sorted(recalls[at : at + 2])) for at in range(0, 12, 2)}, name
    rows = list(csv.DictReader(cells.open(encoding="utf-8")))
    assert len(rows) == 6 * (12 + 32)
    assert "quotes: with against without" in out and "position: initial against mid" in out
    assert "recipe" not in lines[0]


def test_scenarios_of_the_papers_advice(
    blas_files: tuple[Path, dict[str, Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Section 5.1.2: BETO for quoted standard text, mBERT without quotes, Llama3 for other casings."""
    gold, systems = blas_files
    arguments = [f"{name}={path}" for name, path in systems.items()]
    for where, best in (
        ("casing=standard,quotes=with", "BETO"),
        ("casing=standard,quotes=without", "mBERT"),
        ("casing=span_title|title|span_upper|upper", "Llama3"),
        ("casing=lower,quotes=with", "BiLSTM (unadapted)"),
    ):
        with pytest.raises(SystemExit):
            main(["score", str(gold), *arguments, "--scenario", where, "--samples", "200", "--json"])
        scenario = json.loads(capsys.readouterr().out)["scenario"]
        assert scenario["best"] == [best]
        chances = {name: one["best_probability"] for name, one in scenario["systems"].items()}
        assert max(chances, key=lambda name: chances[name]) == best
        assert sum(chances.values()) == pytest.approx(1)
