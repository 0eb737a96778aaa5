"""Label Studio JSON: exports, tasks, the two units that offsets were counted in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from probeta.errors import DataError
from probeta.formats import ReadOptions, ReadReport, WriteOptions, read_sentences, write_sentences
from probeta.records import Sentence, Span

TEXT = "👩\u200d💻 Los burpees 🎉 y el pie"
# By code points: three, a space, then Los; burpees is 8-15. In UTF-16 both astral characters before it
# count twice: 10-17. The party popper counts once more before pie: 23-26 and 26-29.
BURPEES, PIE = (8, 15), (23, 26)


def region(start: int, end: int, text: str | None, label: str = "ENG", **changed: Any) -> dict[str, Any]:
    value = {"start": start, "end": end, "labels": [label]}
    if text is not None:
        value["text"] = text
    return {
        "id": "r",
        "from_name": "label",
        "to_name": "text",
        "type": "labels",
        "value": value,
        **changed,
    }


def task(number: int, *regions: dict[str, Any], text: str = TEXT, **changed: Any) -> dict[str, Any]:
    annotation = {"id": 9, "completed_by": 1, "was_cancelled": False, "result": list(regions)}
    return {
        "id": number,
        "data": {"text": text, "topic": "x"},
        "annotations": [annotation],
        "predictions": [],
        **changed,
    }


def read(path: Path, tasks: Any, report: ReadReport | None = None, **options: Any) -> list[Sentence]:
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return list(read_sentences(path, options=ReadOptions(**options), report=report))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "export.json"


def test_an_export_is_read(path: Path) -> None:
    assert TEXT[slice(*BURPEES)] == "burpees"
    assert TEXT[slice(*PIE)] == "pie"
    tasks = [
        task(7, region(*BURPEES, "burpees"), region(*PIE, "pie", "OTHER")),
        task(8, data={"id": "own", "text": "nada"}),
    ]
    assert read(path, tasks) == [
        Sentence("7", TEXT, (Span(8, 15, "ENG"), Span(23, 26, "OTHER")), {"topic": "x"}),
        Sentence("own", "nada"),
    ]


def test_offsets_of_an_old_export_are_converted_and_reported(path: Path) -> None:
    report = ReadReport()
    tasks = [
        task(1, region(10, 17, "burpees"), region(26, 29, "pie")),
        # No text tells the unit here; the file as a whole does.
        task(2, region(10, 17, None)),
        # Here nothing astral stands before the span.
        task(3, region(3, 6, "pie"), text="Un pie 🎉"),
    ]
    assert [s.surfaces() for s in read(path, tasks, report)] == [["burpees", "pie"], ["burpees"], ["pie"]]
    assert [(fault.code, fault.row) for fault in report.warnings] == [
        ("utf16_offsets", 1),
        ("utf16_offsets", 1),
        ("utf16_offsets", 2),
    ]
    assert "10-17 count UTF-16 units and are read as 8-15" in str(report.warnings[0])


def test_in_a_file_of_both_units_each_region_speaks_for_itself(path: Path) -> None:
    report = ReadReport()
    tasks = [task(1, region(10, 17, "burpees")), task(2, region(*PIE, "pie"))]
    assert [s.surfaces() for s in read(path, tasks, report)] == [["burpees"], ["pie"]]
    assert [fault.row for fault in report.warnings] == [1]


def test_all_faults_are_told_by_task(path: Path) -> None:
    tasks = [
        task(1, region(9, 16, "burpees")),  # fits in neither unit
        {"id": 2, "text": "JSON-MIN", "label": []},
        task(3, annotations=[{"result": []}, {"result": []}]),
        task(4, region(-3, 4, "x"), region(*PIE, "pie")),
        task(5, region(*PIE, "pie", type="hypertextlabels")),
        task(6, region(0, 1, None, value={"start": 0, "end": 1, "labels": ["A", "B"]})),
        task(7, region(8, 15, "burpees"), region(8, 20, None)),
        task(8, data={"text": None}),
        task(9, annotations=[{"no": "result"}]),
        task(10, region(*PIE, "pie")),
        "task",
        task(10, region(*PIE, "pie")),
    ]
    with pytest.raises(DataError) as caught:
        read(path, tasks)
    assert [(fault.row, fault.code) for fault in caught.value.faults] == [
        (1, "span_text"),
        (2, "task"),
        (3, "several"),
        (4, "span_out_of_range"),
        (5, "region"),
        (6, "labels"),
        (7, "span_order"),
        (8, "value_type"),
        (9, "task"),
        (11, "task"),
        (12, "id_twice"),
    ]


def test_what_is_left_out_is_listed(path: Path) -> None:
    report = ReadReport()
    choices = {"type": "choices", "value": {"choices": ["sí"]}, "from_name": "c", "to_name": "text"}
    tasks = [
        task(1, annotations=[]),
        task(2, annotations=[{"was_cancelled": True, "result": []}]),
        task(3, choices, region(*PIE, "pie")),
        task(4, choices),
        task(5, annotations=[{"was_cancelled": True, "result": []}, {"result": []}]),
    ]
    assert [sentence.id for sentence in read(path, tasks, report)] == ["3", "4", "5"]
    assert [(fault.code, fault.row) for fault in report.warnings] == [
        ("not_annotated", 1),
        ("skipped", 2),
        ("region", 3),
    ]


def test_what_is_written_can_be_imported(path: Path) -> None:
    sentences = [Sentence("a", TEXT, (Span(*BURPEES, "ENG"),), {"topic": "x"}), Sentence("#2", "nada")]
    write_sentences(path, sentences)
    first, second = json.loads(path.read_text(encoding="utf-8"))
    assert first["data"] == {"id": "a", "text": TEXT, "topic": "x"}
    (annotation,) = first["annotations"]
    # Label Studio takes an imported annotation for ground truth unless told otherwise.
    assert annotation["ground_truth"] is False
    assert annotation["result"][0]["value"] == {"start": 8, "end": 15, "text": "burpees", "labels": ["ENG"]}
    assert second["data"] == {"text": "nada"}
    assert list(read_sentences(path)) == sentences
    write_sentences(path, sentences, options=WriteOptions(regions="predictions"))
    assert "annotations" not in json.loads(path.read_text(encoding="utf-8"))[0]
    assert list(read_sentences(path, options=ReadOptions(regions="predictions"))) == sentences
    report = ReadReport()
    assert list(read_sentences(path, report=report)) == []
    assert len(report.warnings) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a.json:1: the file cannot be read"),
        (b'[{"data": {"text": "a", "text": "b"}}]', "the key 'text' stands twice"),
        (b'[\n{"a": 1},\n{]', "a.json:3: the file cannot be read"),
        (b'{"tasks": []}', "no list of tasks"),
        ('[{"data": {"text": "reunión"}}]'.encode("latin-1"), "not UTF-8"),
    ],
)
def test_a_broken_file_is_told_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        list(read_sentences(path))
