"""ADoBo CSV: strings become offsets, and a string whose place is in doubt is told by row."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta.errors import DataError
from probeta.formats import ReadOptions, ReadReport, read_sentences, write_sentences
from probeta.formats.adobo import read_rows, resolve
from probeta.formats.base import Faults, Source
from probeta.records import Sentence, Span


def test_padding_and_doubled_quotation_marks_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "dev.csv"
    path.write_text(
        'Los youtubers y los gamers;youtubers;gamers;;;\r\n'
        '"Dijo ""spoilers""; y se fue";spoilers;;;;\r\n'
        "Sin anglicismos;;;;;\r\n"
        '"Una sola celda"\r\n',
        encoding="utf-8",
        newline="",
    )  # fmt: skip
    assert list(read_sentences(path)) == [
        Sentence("#1", "Los youtubers y los gamers", (Span(4, 13, "ENG"), Span(20, 26, "ENG"))),
        Sentence("#2", 'Dijo "spoilers"; y se fue', (Span(6, 14, "ENG"),)),
        Sentence("#3", "Sin anglicismos"),
        Sentence("#4", "Una sola celda"),
    ]
    rows = list(read_rows(Source.of(path), Faults("dev")))
    assert [(row.line, row.spans) for row in rows][:2] == [(1, ("youtubers", "gamers")), (2, ("spoilers",))]


@pytest.mark.parametrize(
    ("sentence", "strings", "surfaces", "codes"),
    [
        # Whole words first: the bar in Barcelona is none.
        ("El bar de Barcelona abre", ["bar"], [(3, 6)], []),
        # Longer strings first: the look of `total look` is taken.
        ("El look del total look", ["look", "total look"], [(3, 7), (12, 22)], []),
        # As often in the row as in the sentence: no doubt.
        ("Un pie y otro pie", ["pie", "pie"], [(3, 6), (14, 17)], []),
        ("Un pie y otro pie", ["pie"], [(3, 6)], ["span_repeated"]),
        ("Un pie", ["pie", "pie"], [(3, 6)], ["span_surplus"]),
        # Both stand there, yet a scorer that folds case takes them for one.
        ("Youtubers y youtubers", ["Youtubers", "youtubers"], [(0, 9), (12, 21)], ["span_case"] * 2),
        ("Un Pie", ["pie"], [(3, 6)], ["span_other_case"]),
        ("Un live  show\u00a0hoy", ["live show", "show hoy"], [(3, 13)], ["span_other_space", "span_absent"]),
        ("UN LIVE  SHOW", ["live show"], [(3, 13)], ["span_other_case"]),
        ("Un pie", ["tarta"], [], ["span_absent"]),
        # Quotation marks around an output are no part of it.
        ("Un pie", ["“pie”"], [(3, 6)], []),
        ("Un “pie”", ["“pie”"], [(3, 8)], []),
        ("c++ y c#", ["c#", "c++"], [(0, 3), (6, 8)], []),
        # Inside a word where it stands nowhere else.
        ("Las webcams", ["web"], [(4, 7)], []),
    ],
)
def test_strings_are_resolved(
    sentence: str, strings: list[str], surfaces: list[tuple[int, int]], codes: list[str]
) -> None:
    places, doubts = resolve(sentence, strings)
    assert places == surfaces
    assert [doubt.code for doubt in doubts] == codes


def test_doubts_are_faults_by_row_or_listed_on_request(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "Un pie y otro pie;pie\nBien\nUn Pie;pie\nYoutubers y youtubers;Youtubers;youtubers\n",
        encoding="utf-8",
    )
    with pytest.raises(DataError) as caught:
        list(read_sentences(path))
    assert [(fault.row, fault.code) for fault in caught.value.faults] == [
        (1, "span_repeated"),
        (3, "span_other_case"),
    ]
    assert "--ambiguous first" in str(caught.value)
    report = ReadReport()
    read = list(read_sentences(path, options=ReadOptions(ambiguous="first"), report=report))
    assert [sentence.surfaces() for sentence in read] == [["pie"], [], ["Pie"], ["Youtubers", "youtubers"]]
    assert [(fault.row, fault.code) for fault in report.warnings] == [
        (1, "span_repeated"),
        (3, "span_other_case"),
        (4, "span_case"),
        (4, "span_case"),
    ]
    path.write_text("Un pie;tarta\n", encoding="utf-8")
    with pytest.raises(DataError, match=r":1 \[spans\].*does not stand"):
        list(read_sentences(path, options=ReadOptions(ambiguous="first")))


def test_a_header_is_skipped_and_bad_syntax_is_placed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("sentence;span1;span2\nUn pie;pie;\n", encoding="utf-8")
    assert [sentence.text for sentence in read_sentences(path)] == ["Un pie"]
    path.write_text('Un pie;pie\n"abierta;pie\nUn pie;pie\n', encoding="utf-8")
    with pytest.raises(DataError, match="a.csv:2"):
        list(read_sentences(path))
    path.write_bytes("Un pie;pie\nUna reunión mañana;\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"a.csv:2: .*not UTF-8"):
        list(read_sentences(path))


def test_what_the_format_does_not_hold_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    report = write_sentences(
        path,
        [
            Sentence("a", 'Un "pie"; y\notro pie', (Span(17, 20, "OTHER"),), {"casing": "upper", "x": None}),
            Sentence("b", "Un look y pie", (Span(3, 7, "ENG"), Span(10, 13, "ENG"))),
        ],
    )
    assert path.read_text() == '"Un ""pie""; y\notro pie";pie;\nUn look y pie;look;pie\n'
    assert [(fault.code, fault.row, fault.column) for fault in report.lost] == [
        ("not_held", None, "id"),
        ("not_held", None, "casing"),
        ("label", None, "spans"),
        ("offsets", "a", "spans"),
    ]


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@given(texts=st.lists(texts | st.text('ab ;"\n\r', max_size=12), max_size=4), data=st.data())
def test_whatever_is_not_listed_comes_back(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], data: st.DataObject
) -> None:
    sentences = []
    for number, text in enumerate(texts, start=1):
        cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
        spans = [Span(a, b, "ENG") for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
        try:
            sentences.append(Sentence(f"#{number}", text, tuple(spans)))
        except DataError:  # a span on a combining mark
            sentences.append(Sentence(f"#{number}", text))
    path = tmp_path_factory.mktemp("adobo") / "a.csv"
    report = write_sentences(path, sentences)
    doubtful = {fault.row for fault in report.lost}
    kept = [Sentence(s.id, s.text) if s.id in doubtful else s for s in sentences]
    write_sentences(path, kept)
    assert list(read_sentences(path)) == kept


def test_a_table_with_commas_is_no_adobo_csv(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,text\n1,hola\n", encoding="utf-8")
    with pytest.raises(DataError, match="header of a table with commas"):
        list(read_sentences(path))
    path.write_text("Un pie, dos shows\nNada\n", encoding="utf-8")
    report = ReadReport()
    assert len(list(read_sentences(path, report=report))) == 2
    assert [fault.code for fault in report.warnings] == ["no_spans"]
