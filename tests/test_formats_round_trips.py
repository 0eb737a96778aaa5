"""Every format: what is written is read back, and what is not is listed by its row."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from edge_rows import EDGE_ROWS, EDGE_SENTENCES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from probeta.builders.spans.perturb import configurations
from probeta.errors import DataError
from probeta.formats import ReadOptions, WriteOptions, WriteReport, read_sentences, write_sentences
from probeta.records import Sentence, Span

#: format -> a file name that names it.
FILES = {
    "jsonl": "a.jsonl",
    "parquet": "a.parquet",
    "conll": "a.conll",
    "adobo": "a.csv",
    "docbin": "a.spacy",
    "label_studio": "a.json",
}
#: The formats that hold everything of a set with string attributes.
LOSSLESS = [name for name in FILES if name != "adobo"]


def there_and_back(path: Path, sentences: list[Sentence]) -> tuple[list[Sentence], WriteReport]:
    report = write_sentences(path, sentences)
    return list(read_sentences(path, options=ReadOptions(ambiguous="first"))), report


def comparable(sentence: Sentence) -> Sentence:
    """An attribute that is null and one that is not there are the same."""
    attributes = {name: value for name, value in sentence.attributes.items() if value is not None}
    return replace(sentence, attributes=attributes)


def test_the_edge_rows_are_those_of_the_table() -> None:
    assert sorted(EDGE_ROWS) == list(range(1, 24))
    assert EDGE_ROWS[8][0].surfaces() == ["pop", "corn"]


@pytest.mark.parametrize("name", LOSSLESS)
def test_edge_rows_come_back(tmp_path: Path, name: str) -> None:
    read, report = there_and_back(tmp_path / FILES[name], list(EDGE_SENTENCES))
    assert read == list(EDGE_SENTENCES)
    assert report.sentences == len(EDGE_SENTENCES)
    # Rows 8 and 21 have spans inside a token, which formats of tokens cut and list.
    expected = ["edge-08", "edge-21"] if name in ("conll", "docbin") else []
    assert [(fault.code, fault.row) for fault in report.lost] == [("token_split", row) for row in expected]


def test_edge_rows_come_back_from_adobo_but_for_their_ids(tmp_path: Path) -> None:
    read, report = there_and_back(tmp_path / "a.csv", list(EDGE_SENTENCES))
    numbered = [replace(s, id=f"#{number}") for number, s in enumerate(EDGE_SENTENCES, start=1)]
    assert read == numbered
    assert [(fault.code, fault.column) for fault in report.lost] == [("not_held", "id")]


@pytest.mark.parametrize("policy", ["error", "drop"])
@pytest.mark.parametrize("name", ["conll", "docbin"])
def test_a_span_inside_a_token_is_never_lost_in_silence(tmp_path: Path, name: str, policy: str) -> None:
    path = tmp_path / FILES[name]
    options = WriteOptions(misaligned=policy)
    if policy == "error":
        with pytest.raises(DataError) as caught:
            write_sentences(path, EDGE_SENTENCES, options=options)
        assert [fault.row for fault in caught.value.faults] == ["edge-08", "edge-08", "edge-21"]
        assert not path.exists()
    else:
        report = write_sentences(path, EDGE_SENTENCES, options=options)
        assert [fault.row for fault in report.lost] == ["edge-08", "edge-08", "edge-21"]
        spans = sum(len(sentence.spans) for sentence in EDGE_SENTENCES)
        assert (report.spans, spans) == (spans - 3, spans)


@pytest.mark.parametrize("name", LOSSLESS)
def test_all_configurations_of_the_edge_rows_come_back(tmp_path: Path, name: str) -> None:
    sentences = list(configurations(EDGE_SENTENCES))
    assert len(sentences) == 12 * len(EDGE_SENTENCES)
    read, _ = there_and_back(tmp_path / FILES[name], sentences)
    assert list(map(comparable, read)) == list(map(comparable, sentences))


@pytest.mark.parametrize("name", FILES)
def test_the_built_blas_comes_back(blas: Path, tmp_path: Path, name: str) -> None:
    built = list(read_sentences(blas))
    assert (len(built), sum(len(sentence.spans) for sentence in built)) == (1836, 2076)
    read, report = there_and_back(tmp_path / FILES[name], built)
    if name != "adobo":
        assert report.lost == []
        assert list(map(comparable, read)) == list(map(comparable, built))
        return
    assert [(s.text, s.spans) for s in read] == [(s.text, s.spans) for s in built]
    columns = {column for s in built for column, value in s.attributes.items() if value is not None}
    assert {fault.column for fault in report.lost} == {"id", *columns}
    assert all(fault.row is None for fault in report.lost)


# Not NUL, which every format refuses, and no surrogates; much of what breaks formats.
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0") | st.sampled_from(
    list("ab '\"«».,;#-=\t\n\r\u00a0\u0301\u2028🎉\u200d👩")
)
texts = st.text(characters, max_size=16)


@st.composite
def sentences(draw: st.DrawFn) -> list[Sentence]:
    made = []
    for number, text in enumerate(draw(st.lists(texts, max_size=3)), start=1):
        cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
        spans = [Span(a, b, draw(st.sampled_from(["ENG", "ARGM-LOC", "o"]))) for a, b in _pairs(cuts)]
        attributes = {"casing": draw(texts), "topic": draw(st.none() | texts)}
        try:
            made.append(Sentence(f"s{number}", text, tuple(spans), attributes))
        except DataError:  # a span on a combining mark
            made.append(Sentence(f"s{number}", text, (), attributes))
    return made


def _pairs(cuts: list[int]) -> list[tuple[int, int]]:
    """Spans that touch, or not, by the number of cuts."""
    step = 1 if len(cuts) % 2 else 2
    return list(zip(cuts[::step], cuts[1::step], strict=False))


@pytest.mark.parametrize("name", LOSSLESS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=sentences())
def test_whatever_is_not_listed_comes_back(
    tmp_path_factory: pytest.TempPathFactory, name: str, drawn: list[Sentence]
) -> None:
    path = tmp_path_factory.mktemp(name) / FILES[name]
    try:
        read, report = there_and_back(path, drawn)
    except DataError as error:
        assert name == "conll", error
        assert not path.exists()
        for fault in error.faults:
            (row,) = [sentence for sentence in drawn if sentence.id == fault.row]
            breaks = any(mark in row.text for mark in "\n\r")
            blank = any(not piece[:1].strip() or not piece[-1:].strip() for piece in row.surfaces())
            assert breaks if fault.code == "cannot_hold" else blank, fault
        return
    listed = {(fault.row, fault.column) for fault in report.lost if fault.code == "not_held"}
    assert not listed or name == "conll"
    for before, after in zip(drawn, read, strict=True):
        kept = {
            column: value for column, value in before.attributes.items() if (before.id, column) not in listed
        }
        assert comparable(after) == comparable(replace(before, attributes=kept))


SPOILERS = [
    b'"',
    b";",
    b"\n",
    b"{",
    b"}",
    b"[",
    b"null",
    b"\xff",
    b"NaN",
    b"\t",
    b"# id = x\n",
    b"\\ud800",
    b"\0",
]


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=60)
@given(data=st.data())
def test_any_damage_is_a_fault_or_another_file_and_never_a_crash(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp(name) / FILES[name]
    write_sentences(path, [replace(s, attributes={"topic": "x", "n": 3}) for s in EDGE_SENTENCES[:6]])
    content = path.read_bytes()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        cut = data.draw(st.sampled_from([0, 1, 5, 50, len(content)]))
        content = content[:at] + data.draw(st.sampled_from([b"", *SPOILERS])) + content[at + cut :]
    path.write_bytes(content)
    with suppress(DataError):
        list(read_sentences(path))
