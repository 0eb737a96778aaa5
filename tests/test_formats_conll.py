"""CoNLL: tokens, tags and comments, from any of four schemes, with the line of each fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from probeta.errors import DataError
from probeta.formats import ReadOptions, ReadReport, WriteOptions, read_sentences, write_sentences
from probeta.formats.base import Faults, Source
from probeta.formats.conll import read_tagged
from probeta.records import Sentence, Span

#: One sentence in each scheme: two spans that touch, and one of two tokens.
SCHEMES = {
    "IOB2": "O B-ENG B-ENG O B-ENG I-ENG",
    "IOB1": "O I-ENG B-ENG O I-ENG I-ENG",
    "IOBES": "O S-ENG S-ENG O B-ENG E-ENG",
    "BILOU": "O U-ENG U-ENG O B-ENG L-ENG",
}
WORDS = ["El", "look", "vintage", "del", "fact", "checker"]


def written(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("separator", ["\t", " ", "  "])
def test_every_scheme_gives_the_same_spans(tmp_path: Path, scheme: str, separator: str) -> None:
    rows = [separator.join(row) for row in zip(WORDS, SCHEMES[scheme].split(), strict=True)]
    path = written(tmp_path / "a.conll", rows)
    (sentence,) = read_sentences(path, options=ReadOptions(scheme=scheme))
    assert sentence == Sentence(
        "#1",
        "El look vintage del fact checker",
        (Span(3, 7, "ENG"), Span(8, 15, "ENG"), Span(20, 32, "ENG")),
    )
    for out in SCHEMES:
        write_sentences(tmp_path / "b.conll", [sentence], options=WriteOptions(scheme=out))
        tags = [line.split("\t")[1] for line in (tmp_path / "b.conll").read_text().splitlines() if line]
        assert tags == SCHEMES[out].split()


def test_comments_give_id_text_and_attributes(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.conll",
        [
            "-DOCSTART- -X- O",
            "",
            "# free words of someone",
            "# id = a 1",
            "# text = Cerró l'after  hours.",
            "# genre = crónica = local",
            "Cerró\tO",
            "l'\tO",
            "after\tB-ENG",
            "hours\tI-ENG",
            ".\tO",
            "",
            "",
            "# sent_id = b",
            "#\tO",
            "#ya\tB-ENG",
            "",
            "# id = empty",
            "# text = ",
            "",
            "# nothing but a remark",
        ],
    )
    assert list(read_sentences(path)) == [
        Sentence("a 1", "Cerró l'after  hours.", (Span(8, 20, "ENG"),), {"genre": "crónica = local"}),
        Sentence("b", "# #ya", (Span(2, 5, "ENG"),)),
        Sentence("empty", ""),
    ]


def test_columns_count_from_0_and_are_chosen(tmp_path: Path) -> None:
    path = written(tmp_path / "a.conll", ["1\tpie\tNN\tB-ENG\tO", "2\tya\tADV\tO\tO"])
    (sentence,) = read_sentences(path, options=ReadOptions(token_column=1, tag_column=3))
    assert (sentence.text, sentence.surfaces()) == ("pie ya", ["pie"])
    (tagged,) = read_tagged(Source.of(path), token_column=1, tag_columns=(3, 4), faults=Faults("a"))
    assert tagged.tags == (["B-ENG", "O"], ["O", "O"])
    assert (tagged.tokens, tagged.lines) == (["pie", "ya"], [1, 2])
    assert [tagged.span(*place, "X") for place in ((0, 1), (1, 2), (0, 2))] == [
        Span(0, 3, "X"),
        Span(4, 6, "X"),
        Span(0, 6, "X"),
    ]


def test_all_faults_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.conll",
        [
            "pie\tB-ENG",
            "ya",  # 2: one column
            "",
            "pie\tI-ENG",  # 4: begins nothing
            "",
            "pie\tB_ENG",  # 6: no tag
            "",
            "# text = another text",  # 8
            "pie\tO",
            "",
            "nul \0\tO",  # 11
            "",
            "pie\tB",  # 13: no label
            "",
            "# id = a",
            "# id = b",  # 16
            "pie\tO",
            "",
            "# id = same",
            "pie\tO",
            "",
            "# id = same",  # 22
            "pie\tO",
            "",
            "# id =",  # 25
            "pie\tO",
        ],
    )
    with pytest.raises(DataError) as caught:
        list(read_sentences(path))
    assert [(fault.row, fault.code) for fault in caught.value.faults] == [
        (2, "columns"),
        (4, "tag_sequence"),
        (6, "tag"),
        (8, "text_tokens"),
        (11, "nul"),
        (13, "tag"),
        (16, "comment"),
        (22, "id_twice"),
        (25, "id_empty"),
    ]
    assert "--invalid conlleval" in str(caught.value)
    assert "--label NAME" in str(caught.value)


@pytest.mark.parametrize(("policy", "spans"), [("conlleval", ["pie ya"]), ("discard", [])])
def test_invalid_sequences_follow_the_policy_and_are_counted(
    tmp_path: Path, policy: str, spans: list[str]
) -> None:
    path = written(tmp_path / "a.conll", ["pie\tI-ENG", "ya\tI-ENG"])
    report = ReadReport()
    (sentence,) = read_sentences(path, options=ReadOptions(invalid=policy), report=report)
    assert (sentence.surfaces(), report.invalid_tags) == (spans, 1)


def test_tokens_are_kept_on_request_and_used_again(tmp_path: Path) -> None:
    path = written(tmp_path / "a.conll", ["e\tB-ENG", "-\tI-ENG", "mail\tI-ENG", "ya\tO"])
    read = list(read_sentences(path, options=ReadOptions(keep_tokens=True)))
    assert read[0].attributes["tokens"] == ["e", "-", "mail", "ya"]
    write_sentences(tmp_path / "b.conll", read)
    assert (tmp_path / "b.conll").read_text() == "e\tB-ENG\n-\tI-ENG\nmail\tI-ENG\nya\tO\n\n"
    stale = Sentence("a", "otro", (), {"tokens": ["e"]})
    with pytest.raises(DataError, match="does not spell"):
        write_sentences(tmp_path / "b.conll", [stale])


def test_a_span_inside_a_token_follows_the_choice(tmp_path: Path) -> None:
    sentence = Sentence("a", "Cerró l'after hours.", (Span(8, 19, "ENG"),))
    path = tmp_path / "a.conll"
    report = write_sentences(path, [sentence])
    assert [(fault.code, fault.row, fault.found) for fault in report.lost] == [
        ("token_split", "a", '"l\'after"')
    ]
    assert list(read_sentences(path)) == [sentence]
    report = write_sentences(path, [sentence], options=WriteOptions(misaligned="drop"))
    assert [(fault.code, fault.row) for fault in report.lost] == [("span_dropped", "a")]
    assert next(read_sentences(path)).spans == ()
    before = path.read_bytes()
    with pytest.raises(DataError, match="8-19 'after hours'.*--misaligned split"):
        write_sentences(path, [sentence], options=WriteOptions(misaligned="error"))
    assert path.read_bytes() == before, "nothing half-written"


def test_what_no_line_holds_is_told_by_row(tmp_path: Path) -> None:
    odd = Sentence("a", "pie ya", (), {"note": "two\nlines", "n": 3, "list": ["x"], "none": None, "ok": "="})
    path = tmp_path / "a.conll"
    report = write_sentences(path, [odd])
    assert [(fault.code, fault.row, fault.column) for fault in report.lost] == [
        ("as_text", None, "n"),
        ("not_held", None, "list"),
        ("not_held", "a", "note"),
    ]
    assert next(read_sentences(path)).attributes == {"n": "3", "ok": "="}
    with pytest.raises(DataError) as caught:
        write_sentences(path, [Sentence("a\nb", "x"), Sentence("b", "two\nlines")])
    assert [(fault.row, fault.column) for fault in caught.value.faults] == [("a\nb", "id"), ("b", "text")]
    with pytest.raises(DataError, match="b: a lone surrogate"):
        write_sentences(path, [Sentence("a", "x"), Sentence("b", "\ud83c")])


def test_the_reference_corpus_reads_as_its_notes_say(reference_data: Path) -> None:
    # 306 ENG spans in 215 single and 91 multi; the CRF's 259 predictions = 191 right + 68 wrong.
    path = reference_data / "coalas" / "dev_gold_crf.conll"
    gold = [span for s in read_sentences(path) for span, label in _labelled(s) if label == "ENG"]
    assert (len(gold), sum(" " in surface for surface in gold)) == (306, 91)
    predicted = read_sentences(path, options=ReadOptions(tag_column=2))
    assert sum(len(sentence.spans) for sentence in predicted) == 259


def _labelled(sentence: Sentence) -> list[tuple[str, str]]:
    return [(surface, span.label) for surface, span in zip(sentence.surfaces(), sentence.spans, strict=True)]
