"""spaCy's DocBin: spans as entities, or as a span group; id and attributes in ``doc.user_data``.

spaCy's spans stand on tokens; offsets are told in code points by the tokens' places. The tokens are those
of the language's tokenizer, split where a span begins or ends inside one (option ``misaligned``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, cast

import orjson

from probeta.errors import DataError, Fault, UsageError
from probeta.formats.base import (
    Faults,
    Losses,
    ReadOptions,
    ReadReport,
    Source,
    WriteOptions,
    WriteReport,
    is_positional,
    positional_id,
)
from probeta.formats.fitting import Fitter, listed_tokens
from probeta.formats.rows import RowReader, to_row
from probeta.records import Sentence
from probeta.tokens import Token

#: The mark of spaCy's custom attributes among the keys of ``user_data``: ("._.", name, start, end).
_EXTENSION = "._."


def read(
    source: Source, options: ReadOptions, report: ReadReport, faults: Faults
) -> Iterator[tuple[int, Sentence]]:
    """Yield each document with its number, from 1; entities, or the group ``options.span_group``."""
    from spacy.attrs import ENT_IOB, ENT_TYPE
    from spacy.tokens import DocBin
    from spacy.vocab import Vocab

    with source.open() as handle:
        data = handle.read()
    stored = DocBin()
    try:
        docs = list(stored.from_bytes(data).get_docs(Vocab())) if data else []
    except Exception as error:  # what garbage raises inside spaCy and msgpack has no common base
        message = (
            f"the file is no DocBin: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        )
        raise faults.stop(Fault(code="docbin", message=message)) from None
    build = RowReader(options, report, faults)
    groups = {name for doc in docs for name in doc.spans}
    if options.span_group is not None and docs and options.span_group not in groups:
        there = ", ".join(sorted(groups)) or "none"
        raise UsageError(f"{source.name} has no span group {options.span_group!r}; it has: {there}")
    if options.span_group is None and groups and not any(doc.ents for doc in docs):
        message = f"there are no entities, and span groups are not read: {', '.join(sorted(groups))}"
        fix = "name the group: --span-group"
        report.warnings.append(Fault(code="span_group", message=message, file=faults.file, fix=fix))
    elif options.span_group is None and docs and not {ENT_IOB, ENT_TYPE} <= set(stored.attrs):
        message = "the documents were stored without their entities"
        fix = "store them: DocBin(attrs=['ENT_IOB', 'ENT_TYPE'])"
        report.warnings.append(Fault(code="no_entities", message=message, file=faults.file, fix=fix))
    for number, doc in enumerate(docs, start=1):
        spans = doc.ents if options.span_group is None else doc.spans.get(options.span_group, ())
        record = _user_data(doc.user_data, number, report, faults)
        record.setdefault("id", positional_id(number))
        record["text"] = doc.text
        record["spans"] = [
            {"start": span.start_char, "end": span.end_char, "label": span.label_} for span in spans
        ]
        if options.keep_tokens:
            record["tokens"] = [token.text for token in doc if not token.text.isspace()]
        sentence = build(record, row=number, number=number)
        if sentence is not None:
            yield number, sentence


def _user_data(data: dict[Any, Any], number: int, report: ReadReport, faults: Faults) -> dict[str, Any]:
    """Id and attributes: what has a name; a document's custom attributes too, not those of its tokens."""
    record = {}
    for key, value in data.items():
        if isinstance(key, tuple) and len(key) == 4 and key[0] == _EXTENSION and key[2:] == (None, None):
            key = key[1]
        if isinstance(key, str):
            record[key] = _listed(value)
        else:
            message = f"the user data {key!r} is left out: it is no document's attribute"
            report.warnings.append(Fault(code="user_data", message=message, file=faults.file, row=number))
    return record


def _listed(value: Any) -> Any:
    """The value with lists for the tuples that spaCy makes of them."""
    if isinstance(value, tuple | list):
        return [_listed(item) for item in value]
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    return value


def write(handle: BinaryIO, sentences: Iterable[Sentence], options: WriteOptions) -> WriteReport:
    """Write a DocBin with user data; ``options.span_group`` repeats the entities in that group."""
    from spacy.tokens import Doc, DocBin, Span
    from spacy.vocab import Vocab

    report, losses, faults = WriteReport(), Losses(), list[Fault]()
    fit = Fitter(options, losses, faults)
    vocab = Vocab()
    docs = DocBin(attrs=["ENT_IOB", "ENT_TYPE"], store_user_data=True)
    for sentence in sentences:
        to_row(sentence)  # refuses what no reader would take back
        text = sentence.text
        pieces, ranges = fit(sentence, _with_gaps(text, fit.tokens(sentence)))
        borders = [(pieces[r.start][0], pieces[r.end - 1][1], r.label) for r in ranges]
        words, spaces = _words(
            text, pieces, {start for start, _, _ in borders}, {end for _, end, _ in borders}
        )
        doc = Doc(vocab, words=words, spaces=spaces)
        # Each begins and ends where a word does, so that none of them is None.
        spans = [cast(Span, doc.char_span(start, end, label=label)) for start, end, label in borders]
        doc.set_ents(spans, default="outside")
        if options.span_group is not None:
            doc.spans[options.span_group] = spans
        doc.user_data.update(_to_user_data(sentence, losses))
        docs.add(doc)
        report.sentences += 1
        report.spans += len(spans)
    if faults:
        raise DataError(faults)
    handle.write(docs.to_bytes())
    report.lost = losses.all()
    return report


def _with_gaps(text: str, tokens: Iterable[Token]) -> list[Token]:
    """The tokens and the white space between them: a first single space, then the rest, as spaCy has it."""
    pieces: list[Token] = []
    last = 0
    for start, end in (*tokens, (len(text), len(text))):
        if last < start:
            cut = last + 1 if last and text[last] == " " else last
            pieces += [piece for piece in ((last, cut), (cut, start)) if piece[0] < piece[1]]
        if start < end:
            pieces.append((start, end))
        last = end
    return pieces


def _words(
    text: str, pieces: Iterable[Token], starts: set[int], ends: set[int]
) -> tuple[list[str], list[bool]]:
    """spaCy's words, each with whether a space follows; a space that is the edge of a span is a word."""
    words: list[str] = []
    spaces: list[bool] = []
    for start, end in pieces:
        outer = start in starts or end in ends
        if text[start:end] == " " and words and not spaces[-1] and not outer:
            spaces[-1] = True
        else:
            words.append(text[start:end])
            spaces.append(False)
    return words, spaces


def _to_user_data(sentence: Sentence, losses: Losses) -> dict[str, Any]:
    """The id, unless it only names a place, and the attributes; what msgpack has not becomes text."""
    data: dict[str, Any] = {} if is_positional(sentence.id) else {"id": sentence.id}
    for name, value in sentence.attributes.items():
        if name == "tokens" and listed_tokens(sentence) is not None:
            continue
        try:
            data[name] = orjson.loads(orjson.dumps(value, option=orjson.OPT_PASSTHROUGH_DATETIME))
        except TypeError:
            data[name] = str(value)
            losses.column(code="as_text", column=name, message="the value is written as text")
    return data
