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
from itertools import accumulate
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
from probeta.formats.tags import Decoded, Decoder, encode
from probeta.records import Sentence, Span
from probeta.tokens import Token, place

_COMMENT = re.compile(r"# +(?P<name>[\w.-]+) *= ?(?P<value>.*)", re.DOTALL)
_NAME = re.compile(r"[\w.-]+")
_ID_NAMES = ("id", "sent_id")


@dataclass(slots=True)
class TaggedSentence:
    """A sentence as its file has it; ``tags`` has one list for each column that was asked for.

    ``lines`` are the lines of the tokens; ``placed`` says where the tokens stand in ``text``, None where
    one space parts them.
    """

    id: str
    text: str
    tokens: list[str]
    placed: list[Token] | None
    tags: tuple[list[str], ...]
    lines: list[int]
    line: int
    attributes: dict[str, str]
    _before: list[int] | None = None

    def span(self, start: int, end: int, label: str) -> Span:
        """The span of the tokens ``start`` to before ``end``, in characters of ``text``."""
        if self.placed is not None:
            return Span(self.placed[start][0], self.placed[end - 1][1], label)
        if self._before is None:
            self._before = list(accumulate(map(len, self.tokens), initial=0))
        # One space stands before each token but the first.
        return Span(self._before[start] + start, self._before[end] + end - 1, label)


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
        columns = _columns(block, (token_column, *tag_columns), wanted, faults)
        if columns is None:
            continue
        tokens, *tags = columns
        comments = block.comments
        id_name = next((name for name in _ID_NAMES if name in comments), None)
        id = comments.pop(id_name) if id_name else positional_id(number)
        text = comments.pop("text", None)
        placed = None if text is None else place(tokens, text)
        if text is None:
            text = " ".join(tokens)
        elif placed is None:
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
            placed=placed,
            tags=tuple(tags),
            lines=block.lines,
            line=block.line,
            attributes=comments,
        )


def _columns(block: _Block, columns: Sequence[int], wanted: int, faults: Faults) -> list[list[str]] | None:
    """The cells of the columns asked for; None, and a fault for each line, where a line lacks one."""
    if min(map(len, block.cells), default=wanted) >= wanted:
        found = [[cells[column] for cells in block.cells] for column in columns]
        if not any("" in column for column in found):
            return found
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
    return None


def _blocks(source: Source, tag_columns: Sequence[int], faults: Faults) -> Iterator[_Block]:
    block = _Block()
    with source.open() as handle:
        for number, line in text_lines(handle, faults):
            line = line.removesuffix("\n").removesuffix("\r")
            # Nearly every line begins with a letter: no blank one and no comment.
            if line and line[0] > "#" and not line[0].isspace():
                block.line = block.line or number
                block.cells.append(
                    line.split("\t") if "\t" in line else [cell for cell in line.split(" ") if cell]
                )
                block.lines.append(number)
                continue
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
    decoded = tag_faults(sentence, decode, column=column, faults=faults, place=place)
    return [sentence.span(*span) for span in decoded.spans], len(decoded.invalid)


def tag_faults(
    sentence: TaggedSentence, decode: Decoder, *, column: int, faults: Faults, place: int
) -> Decoded:
    """The tags of one column decoded; what is unknown or forbidden is a fault with its line."""
    tags = sentence.tags[place]
    decoded = decode(tags)
    for at, message in decoded.unknown or (decoded.invalid if decode.policy == "error" else ()):
        if not decoded.unknown:
            code, expected = "tag_sequence", f"a valid {decode.scheme} sequence"
            fix = "name a policy, --invalid conlleval or --invalid discard, or another --scheme"
        elif "no label" in message:
            code, expected, fix = "tag", decode.expected, "name the label: --label NAME"
        else:
            code, expected = "tag", decode.expected
            fix = "name the scheme (--scheme), or the column of the tags, counted from 0"
        faults.add(
            Fault(
                code=code,
                message=message,
                row=sentence.lines[at],
                column=str(column),
                expected=expected,
                found=" ".join(tags[max(0, at - 1) : at + 2]),
                fix=fix,
            )
        )
    return decoded


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
