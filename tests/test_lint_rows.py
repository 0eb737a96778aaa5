"""``lint`` on rows: every known way to break or corrupt a data file, whatever its form."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from datasets import ClassLabel, Dataset, Features, List, Value
from lint_folders import FEATURES, HEADER, ROWS, folder_of, with_file

from probeta.errors import DataError
from probeta.publishing.lint import Linted, lint
from probeta.publishing.strict import strict_faults, strict_table

SPANS = Features(
    {
        "text": Value("string"),
        "spans": List({"start": Value("int32"), "end": Value("int32"), "text": Value("string")}),
    }
)


@pytest.mark.parametrize(
    ("features", "row", "code", "column"),
    [
        # Table 3.3 of the notes: what datasets drops, casts or refuses late.
        (FEATURES, {"id": "b", "text": "x"}, "key_missing", "label"),
        (FEATURES, {"id": "b", "text": "x", "label": 0, "extra": 1}, "key_extra", "extra"),
        (FEATURES, {"id": "b", "text": 5, "label": 0}, "type", "text"),
        (FEATURES, {"id": "b", "text": b"caf\xe9", "label": 0}, "type", "text"),
        (FEATURES, {"id": "b", "text": "x\ud800", "label": 0}, "text_unencodable", "text"),
        (FEATURES, {"id": "b", "text": "x\0", "label": 0}, "text_unencodable", "text"),
        (FEATURES, {"id": "b", "text": "x", "label": -1}, "label", "label"),
        (FEATURES, {"id": "b", "text": "x", "label": 2}, "label", "label"),
        (FEATURES, {"id": "b", "text": "x", "label": "maybe"}, "label", "label"),
        (Features({"n": Value("int64")}), {"n": 1.5}, "type", "n"),
        (Features({"n": Value("int64")}), {"n": "7"}, "type", "n"),
        (Features({"n": Value("int64")}), {"n": True}, "type", "n"),
        (Features({"n": Value("int64")}), {"n": 2**63}, "number_range", "n"),
        (Features({"n": Value("float32")}), {"n": float("nan")}, "number_range", "n"),
        (Features({"n": Value("null")}), {"n": None}, "null_column", "n"),
        (Features({"n": List(Value("null"))}), {"n": []}, "null_column", "n"),
        (Features({"n": {}}), {"n": {}}, "empty_struct", "n"),
        (SPANS, {"text": "x", "spans": [{"start": 0, "end": 1}]}, "key_missing", "spans.text"),
        (
            SPANS,
            {"text": "x", "spans": [{"start": 0, "end": 1, "text": "x", "kind": 1}]},
            "key_extra",
            "spans.kind",
        ),
    ],
)
def test_rows_that_their_features_would_change(
    features: Features, row: Mapping[str, Any], code: str, column: str
) -> None:
    faults = list(strict_faults([row], features, file="rows"))
    assert (code, column) in {(fault.code, fault.column) for fault in faults}
    with pytest.raises(DataError):
        strict_table([row], features, file="rows")


def test_strict_rows_become_the_table_that_datasets_makes() -> None:
    table = strict_table(ROWS, FEATURES, file="rows")
    assert table.to_pylist() == Dataset.from_list(ROWS, features=FEATURES).to_list()
    names = [{**row, "label": FEATURES["label"].names[row["label"]]} for row in ROWS]
    assert strict_table(names, FEATURES, file="rows").equals(table)
    with pytest.raises(DataError, match="no row"):
        strict_table([], FEATURES, file="rows")


@pytest.mark.parametrize(
    ("rows", "features", "code"),
    [
        ([{**ROWS[0], "label": -1}, ROWS[1]], FEATURES, "label"),
        ([ROWS[0], ROWS[0]], FEATURES, "id"),
        ([{**ROWS[0], "text": "Pi\u0301a"}, ROWS[1]], FEATURES, "text_not_nfc"),
        ([{**ROWS[0], "text": "a" * 2_100_000}, ROWS[1]], FEATURES, "row_size"),
        ([], FEATURES, "split_empty"),
        ([{"id": "a", "n": None}], Features({"id": Value("string"), "n": Value("null")}), "null_column"),
        (
            [{"id": "a", "__index_level_0__": 0}],
            Features({"id": Value("string"), "__index_level_0__": Value("int64")}),
            "index_column",
        ),
    ],
)
def test_damaged_parquet(tmp_path: Path, rows: list[dict[str, Any]], features: Features, code: str) -> None:
    header = HEADER[: HEADER.index("dataset_info:")]
    linted = lint(folder_of(tmp_path, header, features=features, rows=rows))
    found = [fault for fault in linted.faults if fault.code == code]
    assert found, [str(fault) for fault in linted.faults]
    assert found[0].file == "data/train-00000-of-00001.parquet"


TEXT = "Vi 👋 un burpee café."
#     code points: V0 i1 _2 👋3 _4 u5 n6 _7 burpee 8-14; the emoji is two units of UTF-16 and four bytes of UTF-8.


@pytest.mark.parametrize(
    ("span", "fix"),
    [((8, 14), None), ((9, 15), "UTF-16 units"), ((11, 17), "UTF-8 bytes"), ((8, 13), ""), ((8, 99), "")],
)
def test_offsets_in_another_unit_are_named(tmp_path: Path, span: tuple[int, int], fix: str | None) -> None:
    rows = [{"text": TEXT, "spans": [{"start": span[0], "end": span[1], "text": "burpee"}]}]
    header = HEADER[: HEADER.index("dataset_info:")]
    linted = lint(folder_of(tmp_path, header, features=SPANS, rows=rows))
    assert linted.gates["spans"].status == ("passed" if fix is None else "failed")
    if fix:
        assert fix in str(linted.faults[0])


def test_tags_that_are_not_legal(tmp_path: Path) -> None:
    features = Features(
        {"tokens": List(Value("string")), "tags": List(ClassLabel(names=["O", "B-X", "I-X"]))}
    )
    rows = [
        {"tokens": ["a", "b"], "tags": [0, 2]},
        {"tokens": ["a", "b"], "tags": [1]},
        {"tokens": ["a"], "tags": [1]},
    ]
    header = HEADER[: HEADER.index("dataset_info:")]
    linted = lint(folder_of(tmp_path, header, features=features, rows=rows))
    assert [(fault.code, fault.row) for fault in linted.faults] == [("iob2", 1), ("tags_length", 2)]


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("train.csv", "id;text\n1;hola\n", {("csv_separator", 1, None)}),
        ("train.csv", "id,id\n1,2\n", {("csv_column", 1, "id")}),
        ("train.csv", 'id,text\n1,dijo "hola", y\n', {("cells", 2, None)}),
        ("train.csv", b"id,text\n1,a\x00b\n", {("text_unencodable", 2, "text")}),
        ("train.csv", "", {("split_empty", None, None)}),
        ("train.jsonl", '{"a": true}\n{"a": 1}\n', {("type", 2, "a")}),
        ("train.jsonl", '{"s": [{"b": 1}]}\n{"s": [{"b": 1, "e": 2}]}\n', {("key_missing", 1, "s.e")}),
        ("train.jsonl", '{"a": 1,}\n', {("json", 1, None)}),
        ("train.jsonl", '{"a": 1, "a": 2}\n', {("json", 1, None)}),
        (
            "train.jsonl",
            '{"a": {}}\n{"a": {}}\n',
            {("empty_struct", 1, "a"), ("empty_struct", 2, "a"), ("null_column", None, "a")},
        ),
        (
            "train.parquet",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:a\nsize 1\n",
            {("lfs_pointer", None, None)},
        ),
    ],
)
def test_damaged_tables_as_people_make_them(
    tmp_path: Path, name: str, data: str | bytes, expected: set[tuple[str, int | None, str | None]]
) -> None:
    gate = lint(with_file(tmp_path, name, data)).gates["rows"]
    assert {(fault.code, fault.row, fault.column) for fault in gate.faults} == expected


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        # Read as the config says: the cell is looked at like any other.
        ("latin-1", {("csv_nothing", 3, "text")}),
        ("ascii", {("encoding", 2, None)}),
        ("utf-8", {("encoding", 2, None)}),
    ],
)
def test_the_encoding_that_a_config_names(
    tmp_path: Path, encoding: str, expected: set[tuple[str, int | None, str | None]]
) -> None:
    config = f"configs:\n- config_name: default\n  data_files: a.csv\n  encoding: {encoding}\n"
    data = "id,text\n1,caña\n2,NA\n".encode("latin-1")
    linted = lint(with_file(tmp_path, "a.csv", data, f"---\nlicense: mit\n{config}---\n"))
    assert {(one.code, one.row, one.column) for one in linted.gates["rows"].faults} == expected


def in_form(name: str, rows: list[dict[str, Any]]) -> str | bytes:
    """Rows in the form that a file's name says."""
    if name.endswith(".jsonl"):
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if name.endswith(".json"):
        return json.dumps(rows)
    sink = io.BytesIO()
    if name.endswith(".csv"):
        pacsv.write_csv(pa.Table.from_pylist(rows), sink)
    else:
        pq.write_table(pa.Table.from_pylist(rows), sink)
    return sink.getvalue()


def places(linted: Linted, gate: str, name: str) -> set[tuple[str, int | None, str | None]]:
    """Code, row and column of a gate's faults; a CSV file's rows begin on its second line."""
    head = 1 if name.endswith(".csv") else 0
    return {(one.code, (one.row or 0) - head, one.column) for one in linted.gates[gate].faults}


FORMS = ["train.parquet", "train.jsonl", "train.json", "train.csv"]


@pytest.mark.parametrize("name", FORMS)
def test_ids_and_pairs_are_asked_whatever_the_form(tmp_path: Path, name: str) -> None:
    rows = [
        {"id": "a", "premise": "Llueve.", "hypothesis": "Moja.", "label": "entailment"},
        {"id": "b", "premise": "Nieva.", "hypothesis": "Moja.", "label": "neutral"},
        {"id": "a", "premise": "Llueve.", "hypothesis": "Moja.", "label": "neutral"},
        {"id": "d", "premise": "Nieva.", "hypothesis": "Moja.", "label": "neutral"},
        {"id": None, "premise": "Truena.", "hypothesis": "Moja.", "label": "neutral"},
    ]
    linted = lint(with_file(tmp_path, name, in_form(name, rows)))
    assert places(linted, "rows", name) == {("id", 3, "id"), ("id", 5, "id")}
    assert places(linted, "pairs", name) == {
        ("pair_conflict", 3, "premise"),
        ("pair_doubled", 4, "premise"),
    }
    sound = tmp_path / "sound"
    sound.mkdir()
    linted = lint(with_file(sound, name, in_form(name, rows[:2])))
    assert list(linted.faults) == [] and linted.gates["pairs"].status == "passed"


@pytest.mark.parametrize("name", FORMS[:3])
def test_spans_and_tags_are_asked_whatever_the_form(tmp_path: Path, name: str) -> None:
    rows = [
        {"text": "un burpee ya", "spans": [{"start": 3, "end": 9, "label": "ENG"}]},
        {"text": "un burpee ya", "spans": [{"start": 7, "end": 13, "label": "ENG"}]},
    ]
    words = [
        {"tokens": ["Ana", "Ruiz"], "ner_tags": ["B-PER", "I-PER"]},
        {"tokens": ["Ana", "Ruiz"], "ner_tags": ["O", "I-PER"]},
        {"tokens": ["Ana"], "ner_tags": ["O", "O"]},
    ]
    expected = {
        "spans": (rows, {("span_range", 2, "spans")}),
        "tags": (words, {("iob2", 2, "ner_tags"), ("tags_length", 3, "ner_tags")}),
    }
    for kind, (data, found) in expected.items():
        for place, some, faults in ((kind, data, found), (f"{kind}-sound", data[:1], set())):
            (tmp_path / place).mkdir()
            linted = lint(with_file(tmp_path / place, name, in_form(name, some)))
            assert places(linted, "spans", name) == faults
            assert linted.gates["spans"].status == ("failed" if faults else "passed")


def test_lists_of_texts_beside_tokens_that_are_no_tags(tmp_path: Path) -> None:
    rows = [{"tokens": ["Ana", "vino"], "keywords": ["visita"], "ner": ["B-PER", "O"]}]
    linted = lint(with_file(tmp_path, "train.parquet", in_form("train.parquet", rows)))
    assert list(linted.faults) == [] and linted.gates["spans"].status == "passed"


def test_offsets_that_are_no_numbers_and_a_line_that_is_no_json(tmp_path: Path) -> None:
    rows = '{"text": "abc", "spans": [{"start": "0", "end": 1}]}\n{"text\n{"text": "abc", "spans": []}\n'
    linted = lint(with_file(tmp_path, "train.jsonl", rows))
    assert places(linted, "spans", "train.jsonl") == {("span_range", 1, "spans")}
