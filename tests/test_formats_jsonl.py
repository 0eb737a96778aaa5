"""JSONL: every key survives, every fault is told at once with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta.errors import DataError, UsageError
from probeta.formats import ReadOptions, ReadReport, is_positional, read_sentences, write_sentences
from probeta.records import Sentence, Span

GOOD = {
    "id": "a",
    "text": "Los burpees",
    "spans": [{"start": 4, "end": 11, "label": "ENG", "text": "burpees"}],
}


def faults_of(path: Path, content: str | bytes, **options: object) -> list[tuple[object, object, str]]:
    """Row, column and code of each fault of a file with this content."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DataError) as caught:
        list(read_sentences(path, options=ReadOptions(**options)))
    assert all(fault.file == str(path) for fault in caught.value.faults)
    return [(fault.row, fault.column, fault.code) for fault in caught.value.faults]


def test_every_key_and_value_is_kept(tmp_path: Path) -> None:
    extra = {
        "casing": "upper",
        "n": 7,
        "big": 123456789012345678901234567890,
        "nested": [{"big": 2**70, "x": None}, "y"],
        "score": 0.1,
        "flag": True,
        "nothing": None,
        "lines": "two\nlines\u2028three",
    }
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(GOOD | extra) + "\n", encoding="utf-8")
    read = list(read_sentences(path))
    assert read == [Sentence("a", "Los burpees", (Span(4, 11, "ENG"),), extra)]
    write_sentences(tmp_path / "b.jsonl", read)
    assert json.loads((tmp_path / "b.jsonl").read_text(encoding="utf-8")) == GOOD | extra


def test_all_faults_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    def line(**changed: object) -> str:
        return json.dumps(GOOD | changed)

    def span(**changed: object) -> str:
        return line(spans=[GOOD["spans"][0] | changed])  # type: ignore[index]

    content = [
        json.dumps(GOOD),  # 1: nothing wrong
        '{"id": "b", "text": "x", "spans": []',  # 2: cut short
        '{"id": "c", "text": "x", "spans": [], "n": NaN}',
        '{"id": "d", "text": "\\ud83c", "spans": []}',
        line(id="e", text="nul \0 here", spans=[]),
        line(id=6),
        line(id="g", text=None),
        line(id="h", spans=None),
        line(),  # 9: the id of line 1
        "[1, 2]",
        span(start=5),  # 11: and then the text differs
        span(end=99, text=None),
        span(start="4"),
        span(label=""),
        span(score=0.5),
        line(id="p", spans=[GOOD["spans"][0], GOOD["spans"][0]]),  # type: ignore[index]
        line(id="q", note="nul \0"),
        line(id=""),
        "",  # 19: blank, skipped
        json.dumps({"id": "t", "txt": "x", "spans": []}),
        span(start=True),
        "null",
    ]
    assert faults_of(tmp_path / "a.jsonl", "\n".join(content)) == [
        (2, "character 38", "json"),
        (3, "character 44", "json"),
        (4, "character 22", "json"),
        (5, "text", "nul"),
        (6, "id", "value_type"),
        (7, "text", "value_type"),
        (8, "spans", "value_type"),
        (9, "id", "id_twice"),
        (10, None, "record_type"),
        (11, "spans[0]", "span_text"),
        (12, "spans", "span_out_of_range"),
        (13, "spans[0].start", "value_type"),
        (14, "spans[0].label", "span_label"),
        (15, "spans[0]", "span_key"),
        (16, "spans", "span_order"),
        (17, "note", "value"),
        (18, "id", "id_empty"),
        (20, "text", "value_type"),
        (21, "spans[0].start", "value_type"),
        (22, None, "record_type"),
    ]


def test_nothing_is_given_out_after_the_first_fault(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [GOOD | {"id": str(n)} for n in range(3)]
    rows[1]["text"] = 5
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    given = []
    with pytest.raises(DataError):
        for sentence in read_sentences(path):
            given.append(sentence.id)
    assert given == ["0"]


def test_a_message_helps(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "a", "txt": "x", "spans": []}\n{"id": "b", "n": NaN}\n', encoding="utf-8")
    with pytest.raises(DataError) as caught:
        list(read_sentences(path))
    first, second = map(str, caught.value.faults)
    assert f"{path}:1 [text]" in first
    assert "'txt' perhaps meant" in first
    assert "NaN and Infinity are no JSON" in second


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "mac_roman", "utf-16"])
def test_other_encodings_are_refused_with_their_line(tmp_path: Path, encoding: str) -> None:
    good = json.dumps(GOOD) + "\n"
    bad = json.dumps(GOOD | {"id": "b", "text": "la reunión de mañana"}, ensure_ascii=False) + "\n"
    content = (good + bad * 3).encode(encoding)
    rows = faults_of(tmp_path / "a.jsonl", content)
    assert rows[-1] == (1 if encoding == "utf-16" else 2, None, "encoding")


def test_a_byte_order_mark_and_carriage_returns_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(GOOD).encode() + b"\r\n\r\n")
    assert [sentence.id for sentence in read_sentences(path)] == ["a"]


def test_without_ids_a_sentence_is_its_number(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [{"text": "a", "spans": []}, {"text": "b", "spans": []}]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    ids = [sentence.id for sentence in read_sentences(path)]
    assert ids == ["#1", "#2"]
    assert all(map(is_positional, ids))
    rows.append({"id": "c", "text": "c", "spans": []})
    assert faults_of(path, "\n".join(map(json.dumps, rows))) == [(3, "id", "id_missing")]
    assert faults_of(path, "\n".join(map(json.dumps, rows[::-1]))) == [
        (2, "id", "value_type"),
        (3, "id", "value_type"),
    ]


def test_spans_may_stand_in_any_order_and_carry_what_is_left_out_on_request(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    spans = [
        {"start": 4, "end": 7, "label": "X", "score": 0.5},
        {"start": 0, "end": 3, "label": "X", "text": None},
    ]
    path.write_text(json.dumps({"id": "a", "text": "pop pie", "spans": spans}), encoding="utf-8")
    report = ReadReport()
    read = list(read_sentences(path, options=ReadOptions(span_keys="drop"), report=report))
    assert read == [Sentence("a", "pop pie", (Span(0, 3, "X"), Span(4, 7, "X")))]
    assert [(fault.code, fault.row) for fault in report.warnings] == [("span_key", 1)]
    assert (report.sentences, report.spans) == (1, 2)


def test_predictions_may_take_their_text_from_the_gold(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": "a", "spans": GOOD["spans"]}), encoding="utf-8")
    texts = {"a": "Los burpees"}
    read = list(read_sentences(path, options=ReadOptions(texts=texts)))
    assert read == [Sentence("a", "Los burpees", (Span(4, 11, "ENG"),))]
    assert faults_of(path, json.dumps({"id": "b", "spans": []}), texts=texts) == [(1, "text", "value_type")]


@pytest.mark.parametrize("content", ["[\n{}\n]", "{\n  1\n}"])
def test_a_document_over_several_lines_is_told_once(tmp_path: Path, content: str) -> None:
    assert faults_of(tmp_path / "a.jsonl", content) == [(1, None, "json")]


def test_too_many_faults_end_the_reading(tmp_path: Path) -> None:
    faults = faults_of(tmp_path / "a.jsonl", "x\n" * 5000)
    assert len(faults) == 1001
    assert faults[-1] == (1000, None, "too_many")


@pytest.mark.parametrize(
    ("sentence", "code"),
    [
        (Sentence("a", "x", (), {"n": float("nan")}), "value"),
        (Sentence("a", "x", (), {"n": [float("inf")]}), "value"),
        (Sentence("a", "nul \0"), "value"),
        (Sentence("a", "lone \ud83c"), "surrogate"),
        (Sentence("", "x"), "id_empty"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(tmp_path: Path, sentence: Sentence, code: str) -> None:
    path = tmp_path / "a.jsonl"
    with pytest.raises(DataError) as caught:
        write_sentences(path, [Sentence("ok", "x"), sentence])
    assert [fault.code for fault in caught.value.faults] == [code]
    assert list(tmp_path.iterdir()) == []


def test_an_attribute_cannot_take_the_place_of_a_key(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="text"):
        write_sentences(tmp_path / "a.jsonl", [Sentence("a", "x", (), {"text": "y"})])


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@given(value=values)
def test_any_value_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    sentence = Sentence("a", "x", (), {"value": value})
    write_sentences(path, [sentence])
    (read,) = read_sentences(path)
    assert read == sentence
    assert repr(read.attributes["value"]) == repr(value)
