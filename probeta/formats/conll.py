"""CoNLL: a token a line with its tag, a blank line between sentences.

Columns are separated by tabs, or by spaces where a line has no tab, and count from 0. The text is the
tokens joined by single spaces, unless a comment ``# text = …`` gives it. ``# id = …`` (or ``sent_id``)
gives the id; any other ``# name = value`` is an attribute, and other comments are nobody's. ``-DOCSTART-``
lines are skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from probeta.errors import DataError, Fault
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
    text_lines,
)
from probeta.formats.fitting import Fitter, listed_tokens
from probeta.formats.rows import to_row
from probeta.formats.tags import Decoder, encode
from probeta.records import Sentence, Span
from probeta.tokens import Token, joined, place

_COMMENT = re.compile(r"# +(?P<name>[\w.-]+) *= ?(?P<value>.*)", re.DOTALL)
_NAME = re.compile(r"[\w.-]+")
_ID_NAMES = ("id", "sent_id")


@dataclass(slots=True)
class TaggedSentence:
    """A sentence as its file has it; ``tags`` has one list for each column that was asked for.

    ``lines`` are the lines of the tokens, ``offsets`` where the tokens stand in ``text``.
    """

    id: str
    text: str
    tokens: list[str]
    offsets: list[Token]
    tags: tuple[list[str], ...]
    lines: list[int]
    line: int
    attributes: dict[str, str]


@dataclass(slots=True)
class _Block:
    """The lines of one sentence, as far as they were read."""

    comments: dict[str, str] = field(default_factory=dict)
    cells: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    line: int = 0

    def is_sentence(self) -> bool:
        """Whether there are tokens, or a comment that stands for a sentence without any."""
        return bool(self.cells) or any(name in self.comments for name in (*_ID_NAMES, "text"))


def read_tagged(
    source: Source, *, token_column: int, tag_columns: Sequence[int], faults: Faults
) -> Iterator[TaggedSentence]:
    """Yield sentences with their tokens and the tags of one or more columns, tags as written."""
    wanted = max(token_column, *tag_columns) + 1
    number = 0
    for block in _blocks(source, tag_columns, faults):
        if len(block.cells) == 1 and block.cells[0][0] == "-DOCSTART-":
            continue
        number += 1
        if not _complete(block, (token_column, *tag_columns), wanted, faults):
            continue
        tokens = [cells[token_column] for cells in block.cells]
        comments = block.comments
        id_name = next((name for name in _ID_NAMES if name in comments), None)
        id = comments.pop(id_name) if id_name else positional_id(number)
        text = comments.pop("text", None)
        offsets: list[Token] | None
        if text is None:
            text, offsets = " ".join(tokens), joined(tokens)
        else:
            offsets = place(tokens, text)
        if offsets is None:
            faults.add(
                Fault(
                    code="text_tokens",
                    message="the comment `# text` is not made of the sentence's tokens",
                    row=block.line,
                    expected=repr(" ".join(tokens)[:80]),
                    found=repr(text[:80]),
                )
            )
            continue
        yield TaggedSentence(
            id=id,
            text=text,
            tokens=tokens,
            offsets=offsets,
            tags=tuple([cells[column] for cells in block.cells] for column in tag_columns),
            lines=block.lines,
            line=block.line,
            attributes=comments,
        )


def _complete(block: _Block, columns: Sequence[int], wanted: int, faults: Faults) -> bool:
    """Whether every line has what is asked for; if not, each line that has not is a fault."""
    before = len(faults.found)
    for line, cells in zip(block.lines, block.cells, strict=True):
        if len(cells) < wanted or not all(cells[column] for column in columns):
            faults.add(
                Fault(
                    code="columns",
                    message="the line has too few columns or an empty one",
                    row=line,
                    expected=f"at least {wanted} columns",
                    found=repr("\t".join(cells)[:80]),
                )
            )
    return len(faults.found) == before


def _blocks(source: Source, tag_columns: Sequence[int], faults: Faults) -> Iterator[_Block]:
    block = _Block()
    with source.open() as handle:
        for number, line in text_lines(handle, faults):
            line = line.removesuffix("\n").removesuffix("\r")
            if not line or line.isspace():
                if block.is_sentence():
                    yield block
                block = _Block()
                continue
            block.line = block.line or number
            tabbed = "\t" in line
            if line.startswith("# ") and (comment := _COMMENT.fullmatch(line)):
                name = comment["name"]
                if name in block.comments or name == "spans":
                    message = "a comment stands twice" if name in block.comments else "the name is taken"
                    faults.add(Fault(code="comment", message=message, row=number, column=name))
                elif name in _ID_NAMES and not comment["value"]:
                    faults.add(Fault(code="id_empty", message="the id is empty", row=number, column=name))
                block.comments[name] = comment["value"]
                continue
            cells = line.split("\t") if tabbed else [cell for cell in line.split(" ") if cell]
            if line[0] != "#" or tabbed or _tagged(cells, tag_columns):
                block.cells.append(cells)
                block.lines.append(number)
    if block.is_sentence():
        yield block


def _tagged(cells: Sequence[str], tag_columns: Sequence[int]) -> bool:
    """Whether a line that begins with # is a token all the same: every tag column holds a tag."""
    return all(
        column < len(cells) and (cells[column] == "O" or cells[column][:2] in _PREFIXES)
        for column in tag_columns
    )


_PREFIXES = {*"BIELSU", *(f"{prefix}-" for prefix in "BIELSU")}


def read(
    source: Source, options: ReadOptions, report: ReadReport, faults: Faults
) -> Iterator[tuple[int, Sentence]]:
    """Yield each sentence with its first line; tags of ``options.tag_column`` become spans."""
    decode = Decoder(options.scheme, policy=options.invalid, label=options.label)
    column = options.tag_column
    tagged = read_tagged(source, token_column=options.token_column, tag_columns=(column,), faults=faults)
    for item in tagged:
        before = len(faults.found)
        spans, invalid = spans_of(item, decode, column=column, faults=faults)
        report.invalid_tags += invalid
        if len(faults.found) > before:
            continue
        attributes: dict[str, object] = dict(item.attributes)
        if options.keep_tokens:
            attributes["tokens"] = item.tokens
        try:
            yield item.line, Sentence(item.id, item.text, tuple(spans), attributes)
        except DataError as error:
            for fault in error.faults:
                faults.add(replace(fault, row=item.line))


def spans_of(
    sentence: TaggedSentence, decode: Decoder, *, column: int, faults: Faults, place: int = 0
) -> tuple[list[Span], int]:
    """The spans of one of a sentence's tag columns, and how many of its tags break the scheme.

    ``place`` is the column's among those that were read, ``column`` its number in the file. Tags that the
    scheme does not know, and under the policy ``error`` those that it forbids, are faults with their line.
    """
    decoded = decode(sentence.tags[place])
    for at, message in decoded.unknown or (decoded.invalid if decode.policy == "error" else ()):
        faults.add(_tag_fault(message, sentence.lines[at], column, unknown=bool(decoded.unknown)))
    offsets = sentence.offsets
    spans = [Span(offsets[s.start][0], offsets[s.end - 1][1], s.label) for s in decoded.spans]
    return spans, len(decoded.invalid)


def _tag_fault(message: str, line: int, column: int, *, unknown: bool) -> Fault:
    if unknown:
        fix = (
            "name the label: --label NAME"
            if "no label" in message
            else "name the scheme or the column: --scheme, --tag-column (from 0)"
        )
        return Fault(code="tag", message=message, row=line, column=str(column), fix=fix)
    return Fault(
        code="tag_sequence",
        message=message,
        row=line,
        column=str(column),
        fix="name a policy, --invalid conlleval or --invalid discard, or another --scheme",
    )


def write(handle: BinaryIO, sentences: Iterable[Sentence], options: WriteOptions) -> WriteReport:
    """Write token, tab, tag. Tokens are the attribute ``tokens`` where given, else the tokenizer's."""
    report = WriteReport()
    losses = Losses()
    faults: list[Fault] = []
    fit = Fitter(options, losses, faults)
    for sentence in sentences:
        to_row(sentence)  # refuses what no reader would take back
        tokens, ranges = fit(sentence, fit.tokens(sentence))
        words = [sentence.text[start:end] for start, end in tokens]
        faults += _unholdable(sentence, words)
        lines = _comments(sentence, losses)
        if " ".join(words) != sentence.text or not words:
            lines.append(f"# text = {sentence.text}")
        tags = encode(ranges, length=len(tokens), scheme=options.scheme)
        lines += [f"{word}\t{tag}" for word, tag in zip(words, tags, strict=True)]
        report.sentences += 1
        report.spans += len(ranges)
        if not faults:
            handle.write(("\n".join(lines) + "\n\n").encode())
    if faults:
        raise DataError(faults)
    report.lost = losses.all()
    return report


def _unholdable(sentence: Sentence, words: Iterable[str]) -> Iterator[Fault]:
    """What of a sentence no line of a CoNLL file can hold."""

    def fault(message: str, column: str, found: str) -> Fault:
        return Fault(code="cannot_hold", message=message, row=sentence.id, column=column, found=found)

    for column, value in (("id", sentence.id), ("text", sentence.text)):
        if _breaks(value):
            yield fault("a line break does not fit a line", column, repr(value[:80]))
    for word in words:
        if "\t" in word or word.startswith("# "):
            yield fault("the token does not fit a column", "tokens", repr(word))
    for span in sentence.spans:
        if "\t" in span.label or _breaks(span.label):
            yield fault("the label does not fit a column", "spans", repr(span.label))


def _breaks(value: str) -> bool:
    return "\n" in value or "\r" in value


def _comments(sentence: Sentence, losses: Losses) -> list[str]:
    """The comment lines of a sentence: its id, and its attributes as far as they fit; null is left out."""
    attributes = sentence.attributes
    lines = []
    if not is_positional(sentence.id) or "sent_id" in attributes:
        lines.append(f"# id = {sentence.id}")
    for name, value in attributes.items():
        if value is None or (name == "tokens" and listed_tokens(sentence) is not None):
            continue
        if not _NAME.fullmatch(name) or name == "text" or isinstance(value, list | dict):
            losses.column(code="not_held", column=name, message="the attribute has no place in a comment")
        elif not isinstance(value, str):
            losses.column(code="as_text", column=name, message="the value is written as text")
            lines.append(f"# {name} = {json.dumps(value, default=str)}")
        elif _breaks(value):
            losses.row(
                code="not_held",
                row=sentence.id,
                column=name,
                message="a line break does not fit a comment",
                found=repr(value[:80]),
            )
        else:
            lines.append(f"# {name} = {value}")
    return lines
