"""A pair set that someone damaged must not pass: each kind of damage, with its code and place."""

from __future__ import annotations

import json
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from probeta.builtset import checksums
from probeta.canary import canary
from probeta.hashing import text_hash
from probeta.pipeline.build import build
from probeta.validation.check import check

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def pair_set(tmp_path_factory: pytest.TempPathFactory, compose_corpus: Callable[..., Path]) -> Path:
    folder = tmp_path_factory.mktemp("pair-set")
    corpus = compose_corpus(folder / "composed.jsonl", documents=60)
    build("esnlir", out=folder / "set", corpus=[corpus])
    return folder / "set"


@pytest.fixture
def copy(pair_set: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(pair_set, tmp_path / "copy"))


def damage(folder: Path, change: Callable[[Rows], None], config: str = "pairs", split: str = "train") -> None:
    """Change the rows of a split; checksums are made anew, so that they do not give it away."""
    path = folder / config / f"{split}-00000-of-00001.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    (folder / "SHA256SUMS").write_text(checksums(folder), encoding="utf-8")


def codes(folder: Path) -> set[str]:
    return {fault.code for fault in check(folder).faults}


def test_what_was_built_is_sound(pair_set: Path) -> None:
    checked = check(pair_set)
    assert list(checked.faults) == []
    assert checked.counts["pairs"] > 100


def linking(rows: Rows) -> dict[str, Any]:
    return next(row for row in rows if row["connector"])


def neutral(rows: Rows) -> dict[str, Any]:
    return next(row for row in rows if not row["connector"])


def rehash(row: dict[str, Any]) -> None:
    row["text_hash"] = text_hash(row["sentence_1"], row["sentence_2"])


def row_lost(rows: Rows) -> None:
    del rows[3]


def row_doubled(rows: Rows) -> None:
    rows.append(dict(rows[3]))


def id_invented(rows: Rows) -> None:
    rows[3]["id"] = "0123456789abcdef"


def text_edited(rows: Rows) -> None:
    rows[3]["sentence_1"] += "!"


def text_emptied(rows: Rows) -> None:
    rows[3]["sentence_2"] = " "


def text_decomposed(rows: Rows) -> None:
    row = next(row for row in rows if unicodedata.normalize("NFD", row["sentence_1"]) != row["sentence_1"])
    row["sentence_1"] = unicodedata.normalize("NFD", row["sentence_1"])
    rehash(row)


def class_swapped(rows: Rows) -> None:
    row = linking(rows)
    row["connector_type"] = "reasoning" if row["connector_type"] != "reasoning" else "contrasting"


def class_unknown(rows: Rows) -> None:
    rows[3]["connector_type"] = "contradiction"


def connector_unknown(rows: Rows) -> None:
    linking(rows)["connector"] = "ahora bien"


def surface_wrong(rows: Rows) -> None:
    linking(rows)["connector_surface"] = "Ahora bien"


def phrase_put_back(rows: Rows) -> None:
    row = linking(rows)
    row["sentence_2"] = f"{row['connector_surface']}, {row['sentence_2']}"
    rehash(row)


def premise_moved(rows: Rows) -> None:
    linking(rows)["distance"] = 2


def connector_on_neutral(rows: Rows) -> None:
    neutral(rows)["connector"] = "por eso"


def strategy_lost(rows: Rows) -> None:
    neutral(rows)["neutral_strategy"] = None


def strategy_of_linking(rows: Rows) -> None:
    linking(rows)["extraction_strategy"] = "none"


def paragraph_shared(rows: Rows) -> None:
    row = neutral(rows)
    row["sentence_2_paragraph"] = row["sentence_1_paragraph"]


def second_document_named(rows: Rows) -> None:
    neutral(rows)["sentence_2_document"] = "doc-9"


def sentence_on_both_sides(rows: Rows) -> None:
    row = neutral(rows)
    row["sentence_2"] = row["sentence_1"].upper()
    rehash(row)


def conflict_made(rows: Rows) -> None:
    first = linking(rows)
    other = next(row for row in rows if row["connector_type"] not in (first["connector_type"], "neutral"))
    other["sentence_1"], other["sentence_2"] = first["sentence_1"].upper(), first["sentence_2"]
    rehash(other)


def pair_repeated(rows: Rows) -> None:
    first = linking(rows)
    other = next(r for r in rows if r["connector_type"] == first["connector_type"] and r is not first)
    other["sentence_1"], other["sentence_2"] = f"{first['sentence_1'].upper()}", first["sentence_2"].upper()
    rehash(other)


def canary_lost(rows: Rows) -> None:
    rows[3]["canary"] = canary("other", "1.0")


def position_negative(rows: Rows) -> None:
    rows[3]["sentence_1_position"] = -1


def padded(rows: Rows) -> None:
    rows[3]["sentence_1"] += " "
    rehash(rows[3])


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (row_lost, "balance"),
        (row_lost, "funnel_rows"),
        (row_doubled, "id_doubled"),
        (id_invented, "id_differs"),
        (text_edited, "text_hash"),
        (text_emptied, "empty"),
        (text_decomposed, "text_not_nfc"),
        (class_swapped, "class_differs"),
        (class_unknown, "class_unknown"),
        (connector_unknown, "connector_unknown"),
        (surface_wrong, "connector_surface"),
        (phrase_put_back, "phrase_left"),
        (premise_moved, "premise"),
        (connector_on_neutral, "neutral_connector"),
        (strategy_lost, "strategy"),
        (strategy_of_linking, "strategy"),
        (paragraph_shared, "neutral_paragraph"),
        (second_document_named, "crossdoc"),
        (sentence_on_both_sides, "neutral_same"),
        (conflict_made, "pair_conflict"),
        (pair_repeated, "pair_doubled"),
        (canary_lost, "canary"),
        (position_negative, "position"),
        (padded, "text_space"),
    ],
)
def test_damage_is_found(copy: Path, change: Callable[[Rows], None], code: str) -> None:
    damage(copy, change)
    assert code in codes(copy)


def test_a_shared_document_and_sentence_are_placed(copy: Path) -> None:
    test = pq.read_table(copy / "pairs" / "test-00000-of-00001.parquet").to_pylist()

    def share(rows: Rows) -> None:
        rows[0]["document"] = test[0]["document"]
        rows[1]["sentence_1"] = test[1]["sentence_1"].upper()
        rehash(rows[1])

    damage(copy, share)
    faults = {fault.code: fault for fault in check(copy).faults}
    shared = faults["document_shared"], faults["sentence_shared"]
    assert [(f.file, f.row, f.column) for f in shared] == [
        ("pairs/train", 1, "document"),
        ("pairs/train", 2, "sentence_1"),
    ]
    assert "pairs/test" in shared[1].message


@pytest.mark.parametrize("name", ["length_mismatch", "negation", "overlap", "spelling"])
def test_stress_sets_are_held_to_the_test_split(copy: Path, name: str) -> None:
    def blunt(rows: Rows) -> None:
        side = "sentence_1" if name in ("length_mismatch", "spelling") else "sentence_2"
        rows[0][side] += "!"
        rehash(rows[0])

    damage(copy, blunt, config=f"stress_{name}", split="test")
    (fault,) = [fault for fault in check(copy).faults if fault.column != "text_hash"]
    assert (fault.code, fault.file, fault.row) == ("stress_differs", f"stress_{name}/test", 1)
    damage(copy, lambda rows: rows.pop(), config=f"stress_{name}", split="test")
    assert "stress_ids" in codes(copy)


def test_a_stress_set_that_changes_the_class_is_found(copy: Path) -> None:
    def swap(rows: Rows) -> None:
        rows[0]["connector_type"] = "neutral" if rows[0]["connector_type"] != "neutral" else "reasoning"

    damage(copy, swap, config="stress_negation", split="test")
    (fault,) = check(copy).faults
    assert (fault.code, fault.column) == ("stress_differs", "connector_type")


def test_missing_and_further_configs_are_told(copy: Path) -> None:
    shutil.rmtree(copy / "stress_negation")
    shutil.copytree(copy / "stress_overlap", copy / "stress_other")
    (copy / "SHA256SUMS").write_text(checksums(copy), encoding="utf-8")
    assert codes(copy) == {"config_missing", "config_unknown"}


def test_a_funnel_that_was_changed_is_told(copy: Path) -> None:
    path = copy / "reports" / "funnel.json"
    funnel = json.loads(path.read_text(encoding="utf-8"))
    funnel["corpora"][0]["hits"]["reasoning"] += 1
    path.write_text(json.dumps(funnel), encoding="utf-8")
    (copy / "SHA256SUMS").write_text(checksums(copy), encoding="utf-8")
    assert codes(copy) == {"funnel_sum", "funnel_rows"}  # the statistics repeat the hits


@pytest.mark.parametrize("name", ["documents", "sentences"])
def test_the_funnel_is_held_to_the_statistics_and_the_rows(copy: Path, name: str) -> None:
    path = copy / "reports" / "funnel.json"
    funnel = json.loads(path.read_text(encoding="utf-8"))
    funnel["corpora"][0][name] += 1
    path.write_text(json.dumps(funnel), encoding="utf-8")
    (copy / "SHA256SUMS").write_text(checksums(copy), encoding="utf-8")
    (fault,) = check(copy).faults
    assert (fault.code, fault.file) == ("funnel_rows", "reports/funnel.json")
    assert f"{name} in reports/stats.json" in fault.message


def test_a_document_that_was_moved_to_another_split_is_told(copy: Path) -> None:
    moved: Rows = []

    def take(rows: Rows) -> None:
        # Whole, so that no document is shared: a balanced move would still break the counts.
        moved.extend(row for row in rows if row["document"] == rows[0]["document"])
        rows[:] = [row for row in rows if row not in moved]

    damage(copy, take, split="test")
    damage(copy, lambda rows: rows.extend(moved), split="train")
    found = codes(copy)
    assert {"funnel_rows", "stress_ids"} <= found and "document_shared" not in found
    told = [fault.message for fault in check(copy).faults if fault.code == "funnel_rows"]
    assert any("documents of composed test" in message for message in told)


def test_a_test_only_corpus_in_train_and_a_cap_are_told(copy: Path) -> None:
    (copy / "build" / "corpora.csv").write_text(
        "corpus,genre,split,cap\ncomposed,books,test,8\n", encoding="utf-8"
    )
    (copy / "SHA256SUMS").write_text(checksums(copy), encoding="utf-8")
    assert codes(copy) == {"test_only", "genre", "cap"}
