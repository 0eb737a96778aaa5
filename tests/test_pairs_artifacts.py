"""Artifacts: a leak that was planted is found and named, a clean set passes, a small one is not judged."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from probeta.recipe.pairs import ArtifactSettings
from probeta.validation.artifacts import BASELINES, artifact_report, gate_warnings

CLASSES = ("contrasting", "entailment", "neutral", "reasoning")
WORDS = [
    f"{a}{b}" for a in ("ca", "lu", "me", "so", "ti", "ra") for b in ("ta", "na", "lo", "mpo", "sa", "ble")
]


def rows(count: int, *, leak: float = 0.0, documents: int = 60) -> pa.Table:
    """Pairs of random words; in a share ``leak`` of them the hypothesis bears a word of its class."""
    rng = Random(3)
    found = []
    for n in range(count):
        label = CLASSES[n % 4]
        second = rng.sample(WORDS, 8)
        if rng.random() < leak:
            second[3] = f"delator{label}"
        found.append(
            {
                "id": f"{n:016x}",
                "sentence_1": "El " + " ".join(rng.sample(WORDS, 8)) + ".",
                "sentence_2": "La " + " ".join(second) + ".",
                "connector_type": label,
                "dataset": "c",
                "document": f"d{(n // 4) % documents}",
                "sentence_2_document": None,
            }
        )
    return pa.Table.from_pylist(found, schema=pa.schema([(name, pa.string()) for name in found[0]]))


SETTINGS = ArtifactSettings(gates=dict.fromkeys(BASELINES, 0.35))


def report(table: pa.Table, settings: ArtifactSettings = SETTINGS, **options: Any) -> dict[str, Any]:
    return artifact_report(table.to_batches(), settings, total=table.num_rows, name="x-1", seed=7, **options)


def test_a_clean_set_passes() -> None:
    found = report(rows(800))
    assert {gate["status"] for gate in found["gates"].values()} == {"passed"}
    for name in ("majority", *BASELINES):
        accuracy = found["baselines"][name]["accuracy"]
        assert accuracy["low"] <= accuracy["value"] <= accuracy["high"]
        assert accuracy["value"] == pytest.approx(0.25, abs=0.06)
    assert gate_warnings(found) == []


def test_a_planted_word_is_found_in_the_hypothesis_only() -> None:
    # Half of the hypotheses tell their class: accuracy 0.5 + 0.5 * 0.25 = 0.625.
    found = report(rows(800, leak=0.5))
    statuses = {name: gate["status"] for name, gate in found["gates"].items()}
    assert statuses.pop("hypothesis_words") == "failed"
    assert set(statuses.values()) == {"passed"}
    assert found["baselines"]["hypothesis_words"]["accuracy"]["value"] == pytest.approx(0.625, abs=0.07)
    for label, words in found["words"]["hypothesis_words"].items():
        assert (words[0]["word"], words[0]["share"]) == (f"delator{label}", 1.0)
    (warning,) = gate_warnings(found)
    assert "hypothesis words" in warning and "0.35" in warning


def test_a_gate_is_judged_by_the_lower_bound() -> None:
    found = report(rows(800, leak=0.5))
    accuracy = found["baselines"]["hypothesis_words"]["accuracy"]
    between = (accuracy["low"] + accuracy["value"]) / 2
    settings = SETTINGS.model_copy(update={"gates": {"hypothesis_words": between}})
    assert report(rows(800, leak=0.5), settings)["gates"]["hypothesis_words"]["status"] == "passed"


def test_first_characters_are_read() -> None:
    table = rows(800)
    firsts = dict(zip(CLASSES, "ABCD", strict=True))
    seconds = [
        firsts[label] + text[1:]
        for label, text in zip(
            table["connector_type"].to_pylist(), table["sentence_2"].to_pylist(), strict=True
        )
    ]
    table = table.set_column(2, "sentence_2", pa.array(seconds))
    found = report(table)
    assert found["baselines"]["hypothesis_first_character"]["accuracy"]["value"] == 1.0
    assert found["gates"]["hypothesis_first_character"]["status"] == "failed"


def test_too_few_pairs_are_said() -> None:
    found = report(rows(396, leak=1.0))
    assert {gate["status"] for gate in found["gates"].values()} == {"too_few"}
    (warning,) = gate_warnings(found)
    assert "396 pairs are too few" in warning


def test_the_order_of_rows_changes_nothing() -> None:
    table = rows(480, leak=0.2)
    backwards = table.take(list(range(table.num_rows - 1, -1, -1)))
    assert report(table) == report(backwards)


def test_one_document_gives_reasons_and_no_numbers() -> None:
    found = report(rows(400, documents=1))
    accuracy = found["baselines"]["hypothesis_words"]["accuracy"]
    assert accuracy["value"] is None and "two unconnected documents" in accuracy["reason"]
    assert json.dumps(found, allow_nan=False)


def test_pairs_across_documents_bind_their_documents() -> None:
    # Each document is tied to the next: all are one group, and nothing can be held out.
    table = rows(400, documents=10)
    others = [f"d{(int(name[1:]) + 1) % 10}" for name in table["document"].to_pylist()]
    table = table.set_column(6, "sentence_2_document", pa.array(others))
    assert report(table)["documents"] == 1


def test_a_sample_is_drawn_by_id() -> None:
    settings = SETTINGS.model_copy(update={"sample": 200})
    found = report(rows(800), settings)
    assert (found["pairs"], found["measured_pairs"]) == (800, 200)


def test_boosted_trees() -> None:
    pytest.importorskip("xgboost", reason="the extra baselines is not installed")
    found = report(rows(480, leak=0.9), xgboost=True, estimators=20)
    assert found["baselines"]["xgboost_pair"]["accuracy"]["value"] > 0.7
    assert found["baselines"]["xgboost_premise"]["accuracy"]["value"] < 0.4


def test_the_command_needs_a_pair_set(blas: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "probeta.cli.main", "artifacts", str(blas)], capture_output=True, text=True
    )
    assert run.returncode == 2
    assert "holds no pairs" in run.stderr and "Traceback" not in run.stderr
