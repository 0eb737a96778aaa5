"""spaCy's DocBin: spans on spaCy's own tokens, id and attributes beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin

from probeta.errors import DataError, UsageError
from probeta.formats import ReadOptions, ReadReport, WriteOptions, read_sentences, write_sentences
from probeta.records import Sentence, Span

TEXT = "Los  burpees\ty el check-in, ya."
SENTENCE = Sentence(
    "a", TEXT, (Span(5, 12, "ENG"), Span(18, 26, "OTHER")), {"topic": "x", "n": 2**40, "l": [1, ["b"]]}
)


def docs(path: Path) -> list[spacy.tokens.Doc]:
    return list(DocBin().from_disk(path).get_docs(spacy.blank("es").vocab))


def test_what_spacy_sees(tmp_path: Path) -> None:
    path = tmp_path / "a.spacy"
    assert write_sentences(path, [SENTENCE], options=WriteOptions(span_group="sc")).lost == []
    (doc,) = docs(path)
    assert [token.text for token in doc] == [token.text for token in spacy.blank("es")(TEXT)]
    assert [(ent.text, ent.label_) for ent in doc.ents] == [("burpees", "ENG"), ("check-in", "OTHER")]
    assert [(span.text, span.label_) for span in doc.spans["sc"]] == [
        ("burpees", "ENG"),
        ("check-in", "OTHER"),
    ]
    assert doc.user_data["topic"] == "x"
    assert doc[0].ent_iob_ == "O", "a token without a span is annotated as such"
    assert list(read_sentences(path)) == [SENTENCE]
    assert list(read_sentences(path, options=ReadOptions(span_group="sc"))) == [SENTENCE]


def test_a_group_is_read_only_when_named(tmp_path: Path) -> None:
    nlp = spacy.blank("es")
    doc = nlp("Un pie ya")
    doc.spans["sc"] = [doc.char_span(3, 6, label="ENG")]
    path = tmp_path / "a.spacy"
    DocBin(docs=[doc]).to_disk(path)
    report = ReadReport()
    assert list(read_sentences(path, report=report)) == [Sentence("#1", "Un pie ya")]
    assert [fault.code for fault in report.warnings] == ["span_group"]
    (read,) = read_sentences(path, options=ReadOptions(span_group="sc"))
    assert read.surfaces() == ["pie"]
    with pytest.raises(UsageError, match="it has: sc"):
        list(read_sentences(path, options=ReadOptions(span_group="spans")))


def test_overlapping_spans_are_told_by_row(tmp_path: Path) -> None:
    doc = spacy.blank("es")("Un pie ya")
    doc.spans["sc"] = [doc[0:2], doc[1:3]]
    for span in doc.spans["sc"]:
        span.label_ = "ENG"
    doc.spans["sc"] = [spacy.tokens.Span(doc, 0, 2, "ENG"), spacy.tokens.Span(doc, 1, 3, "ENG")]
    path = tmp_path / "a.spacy"
    DocBin(docs=[doc]).to_disk(path)
    with pytest.raises(DataError) as caught:
        list(read_sentences(path, options=ReadOptions(span_group="sc")))
    assert [(fault.row, fault.code) for fault in caught.value.faults] == [(1, "span_order")]


def test_custom_attributes_of_the_document_are_read_those_of_tokens_listed(tmp_path: Path) -> None:
    doc = spacy.blank("es")("Un pie ya")
    spacy.tokens.Doc.set_extension("genre", default=None, force=True)
    spacy.tokens.Token.set_extension("gloss", default=None, force=True)
    doc._.genre = "news"
    doc[1]._.gloss = "tarta"
    path = tmp_path / "a.spacy"
    DocBin(docs=[doc], store_user_data=True).to_disk(path)
    report = ReadReport()
    assert next(read_sentences(path, report=report)).attributes == {"genre": "news"}
    assert [(fault.code, fault.row) for fault in report.warnings] == [("user_data", 1)]


def test_tokens_are_kept_on_request(tmp_path: Path) -> None:
    path = tmp_path / "a.spacy"
    given = Sentence("a", "e-mail", (Span(2, 6, "ENG"),), {"tokens": ["e", "-", "mail"]})
    write_sentences(path, [given])
    assert [token.text for token in docs(path)[0]] == ["e", "-", "mail"]
    assert list(read_sentences(path, options=ReadOptions(keep_tokens=True))) == [given]


@pytest.mark.parametrize("content", [b"garbage", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_a_broken_file_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.spacy"
    path.write_bytes(content)
    with pytest.raises(DataError, match="no DocBin"):
        list(read_sentences(path))


@pytest.mark.parametrize("text", ["un pie ", " pie", "  pie", "un  pie", "pie\t", " "])
def test_a_span_may_begin_or_end_with_a_space(tmp_path: Path, text: str) -> None:
    sentence = Sentence("a", text, (Span(0, len(text), "ENG"),))
    write_sentences(tmp_path / "a.spacy", [sentence])
    assert list(read_sentences(tmp_path / "a.spacy")) == [sentence]


def test_documents_of_other_languages_and_vocabularies(tmp_path: Path) -> None:
    # Their labels, tokens and gaps come from the file, not from a vocabulary of ours.
    german, chinese = spacy.blank("de")("Die Straße nach Köln ist zu."), spacy.blank("zh")("我在北京")
    german.set_ents([german.char_span(16, 20, label="ORT")])
    chinese.set_ents([chinese.char_span(2, 4, label="地点")])
    DocBin(docs=[german, chinese]).to_disk(tmp_path / "a.spacy")
    assert list(read_sentences(tmp_path / "a.spacy")) == [
        Sentence("#1", "Die Straße nach Köln ist zu.", (Span(16, 20, "ORT"),)),
        Sentence("#2", "我在北京", (Span(2, 4, "地点"),)),
    ]


def test_documents_that_were_stored_without_entities_are_a_doubt(tmp_path: Path) -> None:
    doc = spacy.blank("de")("Nach Köln.")
    doc.set_ents([doc.char_span(5, 9, label="ORT")])
    DocBin(attrs=["LEMMA"], docs=[doc]).to_disk(tmp_path / "a.spacy")
    report = ReadReport()
    assert list(read_sentences(tmp_path / "a.spacy", report=report)) == [Sentence("#1", "Nach Köln.")]
    assert [warning.code for warning in report.warnings] == ["no_entities"]
