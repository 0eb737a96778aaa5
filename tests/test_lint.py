"""``lint`` on folders and cards that our writer did not make: every known way to break or corrupt a set."""

from __future__ import annotations

import gzip
import io
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from datasets import ClassLabel, Dataset, DatasetInfo, Features, List, Value
from datasets.info import DatasetInfosDict
from datasets.utils.metadata import MetadataConfigs
from huggingface_hub import DatasetCard, DatasetCardData

from probeta.cli.main import main
from probeta.errors import DataError, UsageError
from probeta.publishing.gates.names import check_repository, split_faults
from probeta.publishing.lint import Linted, lint
from probeta.publishing.strict import strict_faults, strict_table

HEADER = """license: cc-by-4.0
language: [es]
configs:
- config_name: default
  data_files:
  - split: train
    path: data/train-*
dataset_info:
  features:
  - name: id
    dtype: string
  - name: text
    dtype: string
  - name: label
    dtype:
      class_label:
        names:
          '0': neg
          '1': pos
  splits:
  - name: train
    num_examples: 2
size_categories: ["n<1K"]
"""

FEATURES = Features(
    {"id": Value("string"), "text": Value("string"), "label": ClassLabel(names=["neg", "pos"])}
)
ROWS = [{"id": "a", "text": "Una.", "label": 0}, {"id": "b", "text": "Dos.", "label": 1}]


def folder_of(
    tmp_path: Path,
    header: str | bytes | None = HEADER,
    *,
    features: Features = FEATURES,
    rows: list[dict[str, Any]] | None = None,
) -> Path:
    """A folder as people make it: pushed by ``datasets``, its card by hand."""
    folder = tmp_path / "theirs"
    (folder / "data").mkdir(parents=True)
    table = pa.Table.from_pylist(ROWS if rows is None else rows, schema=features.arrow_schema)
    pq.write_table(table, folder / "data/train-00000-of-00001.parquet")
    if isinstance(header, str):
        header = f"---\n{header}---\n# Theirs\n".encode()
    if header is not None:
        (folder / "README.md").write_bytes(header)
    return folder


def codes(linted: Linted) -> set[str]:
    return {fault.code for fault in linted.faults}


def test_a_sound_folder_passes_and_says_what_does_not_apply(tmp_path: Path) -> None:
    linted = lint(folder_of(tmp_path))
    assert list(linted.faults) == []
    assert {name: result.status for name, result in linted.gates.items()} == {
        "own_promises": "not_applicable",
        "rows": "passed",
        "spans": "not_applicable",
        "pairs": "not_applicable",
        "names": "passed",
        "metadata": "passed",
        "declared_data": "passed",
        "documents": "not_applicable",
        "load_back": "passed",
        "held_back": "not_applicable",
    }


CONFIG = HEADER[HEADER.index("configs:") : HEADER.index("dataset_info:")]
NAMES = "          '0': neg\n          '1': pos\n"


@pytest.mark.parametrize(
    ("before", "after", "code", "place"),
    [
        # Table 1.3 of the notes: what the Hub's library takes, or only the Hub itself refuses.
        ("license: cc-by-4.0", "license: cc-by-4.0: really", "yaml_syntax", None),
        ("license: cc-by-4.0", "license:\n\t- cc-by-4.0", "yaml_syntax", None),
        (HEADER, "- a\n- list\n", "header_mapping", None),
        ("license: cc-by-4.0", "license: cc-by-five", "licence", "license"),
        ("license: cc-by-4.0", "licence: cc-by-4.0", "unknown_key", "licence"),
        ("license: cc-by-4.0", "license: other", "licence_other", "license"),
        ("language: [es]", "language: [Spanish]", "language", "language[0]"),
        ("language: [es]", "languages: [es]", "unknown_key", "languages"),
        ("language: [es]", "language: [no]", "text_boolean", "language[0]"),
        ("n<1K", "lots", "vocabulary", "size_categories[0]"),
        ("n<1K", "1M<n<10M", "size", "size_categories"),
        ("license:", "task_categories: [structure-prediction]\nlicense:", "vocabulary", "task_categories[0]"),
        ("license:", "task_ids: [nli]\nlicense:", "vocabulary", "task_ids[0]"),
        ("license: cc-by-4.0", "license: cc-by-4.0\nlicense: mit", "yaml_doubled_key", "license"),
        ("language: [es]", "tags: !!python/tuple [a]", "yaml_tag", "tags"),
        (CONFIG, "configs: {default: data}\n", "configs", "configs"),
        ("- config_name: default\n  data_files:", "- data_files:", "config_name", "configs[0]"),
        ("config_name: default", "config_name: 2024", "config_name", "configs[0].config_name"),
        ("config_name: default", "config_name: no", "config_name", "configs[0].config_name"),
        ("split: train", "split: train es", "split_name", "configs[0].data_files[0].split"),
        (
            "  data_files:\n  - split: train\n    path: data/train-*\n",
            "  data_files:\n    train: data/train-*\n",
            "data_files",
            "configs[0].data_files",
        ),
        ("config_name: default", "config_name: a/b", "config_name", "configs[0].config_name"),
        ("split: train", "split: train-es", "split_name", "configs[0].data_files[0].split"),
        ("split: train", "split: all", "split_name", "configs[0].data_files[0].split"),
        (
            "    path: data/train-*",
            "    path: data/train-*\n    paths: x",
            "data_files",
            "configs[0].data_files[0].paths",
        ),
        (CONFIG, CONFIG + CONFIG.removeprefix("configs:\n"), "config_doubled", "configs"),
        (
            CONFIG,
            CONFIG
            + CONFIG.removeprefix("configs:\n").replace("default", "b")
            + "  default: true\n- config_name: c\n  default: true\n",
            "config_default",
            "configs",
        ),
        (
            "    path: data/train-*",
            "    path: data/train-*\n  - split: train\n    path: data/*",
            "split_doubled",
            None,
        ),
        ("path: data/train-*", "path: data/training-*", "file_missing", None),
        ("dtype: string", "dtype: strin", "dataset_info", None),
        (NAMES, NAMES.replace("'1'", "'2'"), "label_ids", None),
        (NAMES, NAMES.replace("pos", "no"), "label_name", None),
        (NAMES, NAMES.replace("pos", "neg"), "label_doubled", None),
        (NAMES, "          '0': pos\n          '1': neg\n", "info_type", None),
        (NAMES, "          '0': neg\n", "info_type", None),
        ("    dtype:\n      class_label:\n        names:\n" + NAMES, "    dtype: int64\n", "info_type", None),
        ("  - name: text\n", "  - name: body\n", "info_column", None),
        ("  - name: text\n    dtype: string\n", "", "info_column", None),
        ("num_examples: 2", "num_examples: 3", "info_rows", None),
        ("  - name: train\n", "  - name: train\n    num_examples: 2\n  - name: test\n", "info_split", None),
        ("license:", "extra_gated_fields: {Name: word}\nlicense:", "gating", "extra_gated_fields.Name"),
    ],
)
def test_damaged_headers(tmp_path: Path, before: str, after: str, code: str, place: str | None) -> None:
    assert before in HEADER
    linted = lint(folder_of(tmp_path, HEADER.replace(before, after, 1)))
    found = [fault for fault in linted.faults if fault.code == code]
    assert found, [str(fault) for fault in linted.faults]
    assert found[0].file == "README.md" and isinstance(found[0].row, int)
    if place:
        assert found[0].column == place


@pytest.mark.parametrize("split", ["validación", "test.es", "train_2"])
def test_names_of_splits_that_are_fine(split: str) -> None:
    assert list(split_faults("a", split)) == []


@pytest.mark.parametrize(
    ("text", "row", "message"),
    [
        ("---\nlicense: mit\n# Title\n", 1, "the header does not end"),
        ("# Title\n---\nlicense: mit\n---\n", 2, "the header is not the first thing in the card"),
        ("", 1, "the card has no YAML header"),
    ],
)
def test_headers_that_are_not_where_they_should_be(tmp_path: Path, text: str, row: int, message: str) -> None:
    fault = lint(folder_of(tmp_path, text.encode())).faults[0]
    assert (fault.code, fault.row, fault.message) == ("card_header", row, message)


def test_a_card_under_another_name_is_named(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / "README.md").rename(folder / "Readme.md")
    fault = lint(folder).faults[0]
    assert (fault.code, fault.found) == ("card_missing", "Readme.md")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (None, "card_missing"),
        (b"# No header\n", "card_header"),
        (b"\xef\xbb\xbf---\nlicense: mit\n---\n", "card_bom"),
        ("---\nlicense: mit\npretty_name: España\n---\n".encode("latin-1"), "card_encoding"),
    ],
)
def test_cards_that_programs_read_differently(tmp_path: Path, data: bytes | None, code: str) -> None:
    assert code in codes(lint(folder_of(tmp_path, data)))


def test_line_ends_of_windows_are_read(tmp_path: Path) -> None:
    assert list(lint(folder_of(tmp_path, f"---\n{HEADER}---\n".replace("\n", "\r\n").encode())).faults) == []


def test_a_card_alone(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("---\nlicence: mit\nlanguage: [xx-none]\n---\n", encoding="utf-8")
    linted = lint(tmp_path / "README.md")
    assert [(fault.code, fault.row) for fault in linted.faults] == [("unknown_key", 2), ("language", 3)]
    assert linted.faults[0].fix == "write license"


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


def test_a_first_damaged_folder_pairs_over_two_splits(tmp_path: Path) -> None:
    """Pushed by hand: a pair in train and test, one with two labels; no configs, so the splits are guessed."""
    folder = tmp_path / "nli"
    folder.mkdir()
    columns = ("premise", "hypothesis", "label")
    train = [("Llueve.", "Está mojado.", "entailment"), ("Nieva.", "Hace frío.", "entailment")]
    test = [("Llueve.", "Está mojado.", "entailment"), ("Nieva.", "Hace frío.", "neutral")]
    for split, rows in (("train", train), ("test", test)):
        pq.write_table(
            pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows]),
            folder / f"{split}.parquet",
        )
    (folder / "README.md").write_text("---\nlicense: mit\nlanguages:\n- es\n---\n", encoding="utf-8")
    linted = lint(folder)
    assert {"pair_doubled", "pair_conflict", "unknown_key"} == codes(linted)
    doubled = next(fault for fault in linted.faults if fault.code == "pair_doubled")
    assert (doubled.file, doubled.row) == ("train.parquet", 1)
    assert "row 1 of test" in doubled.message


def test_a_second_damaged_folder_jsonl_that_changes_from_row_to_row(tmp_path: Path) -> None:
    folder = tmp_path / "jsonl"
    folder.mkdir()
    lines = [
        {"id": 1, "text": "a", "note": None, "day": "2026-01-02"},
        {"id": "2", "text": "b", "note": None, "day": "2026-01-03", "late": 1},
        {"id": 3, "text": "c\ud800", "note": None, "day": "x", "late": 2**63},
    ]
    (folder / "train.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    (folder / "README.md").write_text("---\nlicense: mit\nlanguage: es\n---\n", encoding="utf-8")
    linted = lint(folder)
    found = {(fault.code, fault.row, fault.column) for fault in linted.gates["rows"].faults}
    assert found == {
        ("key_missing", 1, "late"),
        ("type", 2, "id"),
        ("date", 1, "day"),
        ("date", 2, "day"),
        ("number_range", 3, "late"),
        ("text_unencodable", 3, "text"),
        ("null_column", None, "note"),
    }


def test_a_third_damaged_folder_tables_of_two_kinds_and_a_csv(tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    pq.write_table(pa.table({"id": ["a"]}), folder / "train.parquet")
    pq.write_table(pa.table({"system": ["crf"], "f1": [0.5]}), folder / "scores.parquet")
    (folder / "test.csv").write_text("id,code,day\n1,007,2026-01-02\n2,NA,x\n3,1\n", encoding="utf-8")
    (folder / "dev.csv").write_bytes("id,text\n1,España\n".encode("latin-1"))
    (folder / "README.md").write_text("---\nlicense: mit\n---\n", encoding="utf-8")
    linted = lint(folder)
    assert {"configs_missing", "csv_number", "csv_nothing", "date", "cells", "encoding", "load"} <= codes(
        linted
    )


MIT = "---\nlicense: mit\n---\n"


def with_file(tmp_path: Path, name: str, data: str | bytes, card: str = MIT) -> Path:
    """A folder with one data file and a card."""
    (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    (tmp_path / "README.md").write_text(card, encoding="utf-8")
    return tmp_path


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


def test_why_a_config_does_not_load_is_told_not_that_it_does_not(tmp_path: Path) -> None:
    faults = lint(with_file(tmp_path, "train.jsonl", '{"a": 1, "a": 2}\n')).gates["load_back"].faults
    assert "specified twice" in faults[0].message


def test_what_save_to_disk_wrote_is_no_folder_to_publish(tmp_path: Path) -> None:
    Dataset.from_list(ROWS, features=FEATURES).save_to_disk(str(tmp_path / "disk"))
    (tmp_path / "disk/README.md").write_text(MIT, encoding="utf-8")
    assert codes(lint(tmp_path / "disk")) == {"saved_to_disk"}


SOUND = HEADER[: HEADER.index("configs:")]


@pytest.mark.parametrize(
    ("name", "data", "card"),
    [
        ("train.csv", "id,text\n1,a\n\n2,b\n", MIT),
        ("train.csv", b"\xef\xbb\xbfid,text\n1,a\n", MIT),
        ("train.csv", "id,text\n1,a\u2028b\n", MIT),
        ("train.csv", 'id,text\n1,"a\nb"\n', MIT),
        ("data.tsv", "a\tb\nx\ty\n", MIT),
        (
            "a.csv",
            "id;text\n1;a, b\n",
            f"---\n{SOUND}configs:\n- config_name: default\n  data_files: a.csv\n  sep: ;\n---\n",
        ),
        (
            "a.csv",
            "1,a\n2,b\n",
            f"---\n{SOUND}configs:\n- config_name: x\n  data_files: [a.csv]\n  names: [id, text]\n---\n",
        ),
        ("train.jsonl", '{"a": 1}\n\n{"a": 2.5}\n', MIT),
        ("train.jsonl", '{"a": "x\u2028y"}\n{"a": "z"}\n', MIT),
        ("train.jsonl.gz", gzip.compress(b'{"a": 1}\n'), MIT),
        ("train.json", '[{"a": 1}, {"a": 2}]', MIT),
        (
            "train.csv",
            "a\nx\n",
            "---\nlicense: mit\nextra_gated_fields:\n- Name: text\n- Country: country\n---\n",
        ),
    ],
)
def test_tables_of_others_that_are_sound(tmp_path: Path, name: str, data: str | bytes, card: str) -> None:
    linted = lint(with_file(tmp_path, name, data, card))
    assert [str(fault) for fault in linted.faults] == []
    assert linted.gates["load_back"].status == "passed"


def test_folders_that_datasets_writes_itself_are_sound(tmp_path: Path) -> None:
    """``to_parquet`` of several kinds of features, with the library's own card and its own header."""
    kinds = {
        "labels": Dataset.from_list(ROWS, features=FEATURES),
        "tokens": Dataset.from_dict(
            {"tokens": [["Ana", "vino"], ["No"]], "ner_tags": [[1, 0], [0]]},
            features=Features(
                {"tokens": List(Value("string")), "ner_tags": List(ClassLabel(names=["O", "B-PER"]))}
            ),
        ),
        "answers": Dataset.from_dict(
            {
                "id": ["a"],
                "context": ["Ana vive en Soria."],
                "answers": [{"text": ["Soria"], "answer_start": [12]}],
            }
        ),
        "nli": Dataset.from_dict({"premise": ["a", "a"], "hypothesis": ["b", "c"], "label": [0, 1]}),
        "empty_lists": Dataset.from_dict(
            {"text": ["a", "b"], "spans": [[], [{"start": 0, "end": 1}]]},
        ),
    }
    for name, data in kinds.items():
        # The Hub's template, without a config: the only one is guessed.
        alone = tmp_path / name
        data.to_parquet(str(alone / "data/train-00000-of-00001.parquet"))
        DatasetCard.from_template(DatasetCardData(license="mit", language=["es"], pretty_name=name)).save(
            alone / "README.md"
        )
        assert [str(fault) for fault in lint(alone).faults] == [], name
        # One folder for all, with declared configs and features.
        for split in ("train", "test"):
            data.to_parquet(str(tmp_path / f"all/{name}/{split}-00000-of-00001.parquet"))
    card = DatasetCardData(license="cc-by-4.0", language="es", size_categories=["n<1K"])
    infos = {name: DatasetInfo(features=data.features, config_name=name) for name, data in kinds.items()}
    DatasetInfosDict(infos).to_dataset_card_data(card)
    entries = {
        name: {"data_files": [{"split": one, "path": f"{name}/{one}-*"} for one in ("train", "test")]}
        for name in kinds
        if name != "nli"  # the same pairs in train and test are a fault, and rightly so
    }
    MetadataConfigs(entries).to_dataset_card_data(card)
    DatasetCard(f"---\n{card.to_yaml()}\n---\n# All\n").save(tmp_path / "all/README.md")
    assert [str(fault) for fault in lint(tmp_path / "all").faults] == []


def test_croissant_and_cff_of_others(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / "CITATION.cff").write_text(
        "cff-version: 1.2.0\ntitle: T\nlicense: cc-by-4.0\n", encoding="utf-8"
    )
    file = {
        "@type": "cr:FileObject",
        "@id": "f",
        "name": "f",
        "contentUrl": "data/train-00000-of-00001.parquet",
        "sha256": "0" * 64,
    }
    (folder / "croissant.json").write_text(
        json.dumps({"name": "x", "distribution": [file]}), encoding="utf-8"
    )
    linted = lint(folder)
    assert {"cff", "croissant_key", "croissant_sha256"} == codes(linted)
    messages = " ".join(fault.message for fault in linted.faults)
    assert "authors" in messages and "cc-by-4.0" in messages


@pytest.mark.parametrize("name", ["org/a b", "org/café", "org/a--b", "org/-a", "a", "a/b/c", "../x"])
def test_repository_names(name: str) -> None:
    with pytest.raises(UsageError):
        check_repository(name)
    check_repository("my-org/set_1.0")


@pytest.mark.parametrize(
    "name", ["a/b", "a*b", "a?b", "a[1]", "a:b", "a<b", "a|b", "a\\b", " a", "../x", "data"]
)
def test_config_names(name: str) -> None:
    from probeta.publishing.gates.names import config_faults

    assert list(config_faults(name))
    assert not [
        fault for good in ("a b", "café", "1.10", "a#b", "stress_overlap") for fault in config_faults(good)
    ]


def test_the_command_prints_gates_and_faults_and_exits_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_of(tmp_path, HEADER.replace("cc-by-4.0", "cc-by-five"))
    with pytest.raises(SystemExit) as stop:
        main(["lint", str(folder), "--json"])
    out, err = capsys.readouterr()
    value = json.loads(out)
    assert stop.value.code == 1
    assert value["faults"][0]["code"] == "licence" and value["faults"][0]["row"] == 2
    assert value["gates"]["metadata"] == {"status": "failed", "reason": None, "faults": 1}
    assert "did you mean" in err or "write cc-by-" in err
    with pytest.raises(SystemExit) as stop:
        main(["lint", str(tmp_path / "nothing")])
    assert stop.value.code == 2


def test_our_own_set_passes_every_gate_and_a_changed_number_does_not(blas: Path, tmp_path: Path) -> None:
    import shutil

    linted = lint(blas)
    assert list(linted.faults) == []
    assert linted.gates["documents"].status == linted.gates["own_promises"].status == "passed"
    folder = Path(shutil.copytree(blas, tmp_path / "blas"))
    card = folder / "README.md"
    card.write_text(
        card.read_text(encoding="utf-8").replace("153 base sentences", "154 base sentences"), encoding="utf-8"
    )
    faults = lint(folder).faults
    assert [fault.code for fault in faults] == ["document_differs"]
    assert "154" in str(faults[0].found)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("spans/test-00000-of-00001.parquet", b"PAR1 no more"),
        ("reports/coverage.json", b'{"cells": 5}'),
        ("reports/stats.json", b"\xff"),
        ("build/build.json", b"[]"),
        ("croissant.json", b"5"),
    ],
)
def test_our_own_set_with_a_damaged_file(blas: Path, tmp_path: Path, name: str, data: bytes) -> None:
    folder = tmp_path / "blas"
    shutil.copytree(blas, folder)
    (folder / name).write_bytes(data)
    found = lint(folder)
    assert ("checksum", name) in {(fault.code, fault.file) for fault in found.faults}


def test_annotations_without_recorded_consent(blas: Path, tmp_path: Path) -> None:
    import shutil

    from probeta.publishing.gates.held_back import check_held_back
    from probeta.publishing.gates.subject import DataFile, open_subject

    folder = Path(shutil.copytree(blas, tmp_path / "blas"))
    subject = open_subject(folder)
    path = folder / "annotations/test-00000-of-00001.parquet"
    path.parent.mkdir()
    pq.write_table(pa.table({"item": ["a"]}), path)
    from dataclasses import replace

    file = DataFile(
        config="annotations", split="test", path=path, name="annotations/test-00000-of-00001.parquet"
    )
    changed = replace(subject, files=(*subject.files, file))
    assert [fault.code for fault in check_held_back(changed).faults] == ["consent"]
