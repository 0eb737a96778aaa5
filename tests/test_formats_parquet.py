"""Parquet and folders: types declared from all rows, faults of the schema told once."""

from __future__ import annotations

import datetime
from pathlib import Path

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from probeta import builtset
from probeta.errors import DataError, UsageError
from probeta.formats import ReadOptions, parquet, read_sentences, write_sentences
from probeta.records import Sentence, Span

GOOD = {"id": "a", "text": "Un pie", "spans": [{"start": 3, "end": 6, "label": "ENG", "text": "pie"}]}
PIE = Sentence("a", "Un pie", (Span(3, 6, "ENG"),))


def test_types_are_declared_from_all_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "ROWS", 2)  # so that the first batch does not show what the last one holds
    path = tmp_path / "a.parquet"
    day = datetime.date(2026, 1, 2)
    attributes = [
        {"late": None, "empty": None, "n": 1, "list": [], "day": None},
        {},
        {"late": "x", "n": 2**62, "list": ["y"], "flag": True, "nested": {"a": [None]}, "day": day},
    ]
    report = write_sentences(
        path, [Sentence(f"s{n}", "x", (), values) for n, values in enumerate(attributes)]
    )
    assert report.lost == []
    types = {field.name: str(field.type) for field in pq.read_schema(path)}
    assert types == {
        "id": "string",
        "text": "string",
        "spans": "list<element: struct<start: int32, end: int32, label: string, text: string>>",
        "late": "string",
        "empty": "string",
        "n": "int64",
        "list": "list<element: string>",
        "day": "date32[day]",
        "flag": "bool",
        "nested": "struct<a: list<element: string>>",
    }
    read = [sentence.attributes for sentence in read_sentences(path)]
    assert [{k: v for k, v in row.items() if v is not None} for row in read] == [
        {"n": 1, "list": []},
        {},
        attributes[2],
    ]


def test_what_a_column_of_one_type_does_not_hold_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    report = write_sentences(
        path,
        [Sentence("a", "x", (), {"n": 1, "o": {"a": 1}}), Sentence("b", "x", (), {"n": 0.5, "o": {"b": 1}})],
    )
    assert [(fault.code, fault.row, fault.column) for fault in report.lost] == [
        ("as_fraction", None, "n"),
        ("not_same", "a", "o"),
        ("not_same", "b", "o"),
    ]


def test_a_column_of_several_types_is_a_fault_and_nothing_is_written(tmp_path: Path) -> None:
    rows = [{"n": 1, "m": "x", "big": 2**70}, {"n": "one", "m": True, "big": 1}]
    with pytest.raises(DataError) as caught:
        write_sentences(
            tmp_path / "a.parquet", [Sentence(str(n), "x", (), row) for n, row in enumerate(rows)]
        )
    assert [(fault.code, fault.column) for fault in caught.value.faults] == [
        ("column_type", "n"),
        ("column_type", "m"),
        ("column_type", "big"),
    ]
    assert list(tmp_path.iterdir()) == []


def test_no_sentence_is_a_file_too(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    assert write_sentences(path, []).sentences == 0
    assert list(read_sentences(path)) == []


def test_faults_are_told_by_row_those_of_the_schema_once(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    rows = [GOOD, GOOD | {"id": "b", "text": "Un té"}, GOOD, GOOD | {"id": None}]
    pq.write_table(pa.Table.from_pylist(rows).append_column("x", [[0.5, None, float("nan"), 1.0]]), path)
    with pytest.raises(DataError) as caught:
        list(read_sentences(path))
    assert [(fault.row, fault.column, fault.code) for fault in caught.value.faults] == [
        (2, "spans", "span_out_of_range"),
        (3, "x", "value"),
        (4, "id", "value_type"),
    ]
    pq.write_table(pa.table({"id": ["a"] * 5, "texto": ["x"] * 5}), path)
    with pytest.raises(DataError) as caught:
        list(read_sentences(path))
    assert [(fault.row, fault.column) for fault in caught.value.faults] == [(None, "text"), (None, "spans")]
    assert "texto, perhaps meant" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no parquet at all", b"PAR1" + b"\0" * 50 + b"PAR1"])
def test_a_broken_file_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(content)
    with pytest.raises(DataError, match="a.parquet: the file cannot be read"):
        list(read_sentences(path))


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A folder with the config `sentences` in two splits, as a build writes it."""
    folder = tmp_path / "set"
    schema = builtset.sentence_features(["casing"]).arrow_schema
    (folder / "sentences").mkdir(parents=True)
    for split, id in (("test", "a"), ("train", "b")):
        row = dict.fromkeys(schema.names) | GOOD | {"id": id, "casing": "upper"}
        table = pa.Table.from_pylist([row], schema=schema)
        pq.write_table(table, folder / "sentences" / f"{split}-00000-of-00001.parquet")
    return folder


def test_a_built_set_is_read_whole_or_by_split(built: Path) -> None:
    assert [sentence.id for sentence in read_sentences(built)] == ["a", "b"]
    (only,) = read_sentences(built, options=ReadOptions(split="train"))
    assert (only.id, only.spans, only.attributes["casing"]) == ("b", PIE.spans, "upper")
    with pytest.raises(UsageError, match="sentences/dev"):
        list(read_sentences(built, options=ReadOptions(split="dev")))
    with pytest.raises(UsageError, match="read, not written"):
        write_sentences(built, [PIE], format="folder")


def test_a_saved_data_set_is_read_with_its_class_labels_by_name(tmp_path: Path) -> None:
    features = datasets.Features(
        {
            "id": datasets.Value("string"),
            "text": datasets.Value("string"),
            "spans": datasets.List(
                {
                    "start": datasets.Value("int32"),
                    "end": datasets.Value("int32"),
                    "label": datasets.Value("string"),
                    "text": datasets.Value("string"),
                }
            ),
            "genre": datasets.ClassLabel(names=["news", "blog"]),
        }
    )
    rows = [GOOD | {"genre": 1}, GOOD | {"id": "b", "genre": None}]
    single = datasets.Dataset.from_list(rows, features=features)
    single.save_to_disk(tmp_path / "single")
    read = list(read_sentences(tmp_path / "single"))
    assert [(s.id, s.spans, s.attributes) for s in read] == [
        ("a", PIE.spans, {"genre": "blog"}),
        ("b", PIE.spans, {"genre": None}),
    ]
    datasets.DatasetDict({"dev": single.select([1]), "test": single.select([0])}).save_to_disk(
        tmp_path / "both"
    )
    assert [s.id for s in read_sentences(tmp_path / "both")] == ["b", "a"]
    assert [s.id for s in read_sentences(tmp_path / "both", options=ReadOptions(split="test"))] == ["a"]
    with pytest.raises(UsageError, match="dev, test"):
        list(read_sentences(tmp_path / "both", options=ReadOptions(split="train")))


def test_any_other_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither a built set"):
        list(read_sentences(tmp_path))
    (tmp_path / "dataset_info.json").write_text("{}")
    with pytest.raises(DataError, match="cannot be read"):
        list(read_sentences(tmp_path))
