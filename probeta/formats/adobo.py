"""ADoBo CSV: ``sentence;span;span;…``, the spans as strings, as the shared task of 2025 has it.

Semicolons, quotation marks doubled, rows padded with empty cells, no header (one that reads
``sentence;span1;…`` is skipped). There are no offsets: a string is looked for in its sentence, whole
words first, longer strings first, and where that leaves a choice the row is told.
"""

from __future__ import annotations

import csv
import re
import tempfile
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO, NamedTuple

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
from probeta.formats.rows import to_row
from probeta.records import Sentence, Span

#: The label of the spans: the format has none, and the task is about anglicisms.
LABEL = "ENG"
_QUOTES = "\"'“”‘’«»‹›„‚`´"
#: The first line of a table with commas: names with nothing but commas between them.
_OTHER_TABLE = re.compile(r"\w+(?:,\w+)+")
_HEADER = re.compile(r"span_?\d*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AdoboRow:
    """One row: the sentence and its span strings as written, empty cells left out."""

    line: int
    sentence: str
    spans: tuple[str, ...]


class Doubt(NamedTuple):
    """A span string whose place is no matter of course; ``places`` counts those it fits."""

    code: str
    string: str
    message: str
    places: int


def read_rows(source: Source, faults: Faults) -> Iterator[AdoboRow]:
    """Yield the rows; nothing is looked for in the sentences."""
    with source.open() as handle:
        lines = (line for _, line in text_lines(handle, faults))
        rows = csv.reader(lines, delimiter=";", quotechar='"', doublequote=True, strict=True)
        line = 1
        try:
            for cells in rows:
                if line == 1 and len(cells) == 1 and _OTHER_TABLE.fullmatch(cells[0]):
                    raise faults.stop(
                        Fault(
                            code="not_adobo",
                            message="the first line is the header of a table with commas",
                            row=line,
                            expected="ADoBo CSV: sentence;span;span",
                            found=cells[0],
                            fix="write the sentences as JSONL, with id, text and spans",
                        )
                    )
                if cells and not (line == 1 and _is_header(cells)):
                    yield AdoboRow(line, cells[0], tuple(cell for cell in cells[1:] if cell.strip()))
                line = rows.line_num + 1
        except csv.Error as error:
            raise faults.stop(
                Fault(
                    code="csv_syntax",
                    message=f"the row cannot be read: {error}",
                    row=line,
                    fix='a quotation mark inside a quoted cell is doubled: ""',
                )
            ) from None


def _is_header(cells: Sequence[str]) -> bool:
    names = [cell for cell in cells[1:] if cell]
    return cells[0].lower() == "sentence" and bool(names) and all(map(_HEADER.fullmatch, names))


def read(
    source: Source, options: ReadOptions, report: ReadReport, faults: Faults
) -> Iterator[tuple[int, Sentence]]:
    """Yield each sentence with its line; a doubt is a fault, or a warning with ``ambiguous="first"``."""
    label = options.label or LABEL
    spanned = False
    for number, row in enumerate(read_rows(source, faults), start=1):
        spanned = spanned or bool(row.spans)
        places, doubts = resolve(row.sentence, row.spans)
        before = len(faults.found)
        for doubt in doubts:
            fault = Fault(
                code=doubt.code,
                message=doubt.message,
                file=faults.file,
                row=row.line,
                column="spans",
                found=repr(doubt.string),
            )
            if doubt.code == "span_case" or (doubt.places and options.ambiguous == "first"):
                report.warnings.append(fault)
            else:
                fix = "--ambiguous first takes the first place and lists it" if doubt.places else None
                faults.add(replace(fault, fix=fix))
        if len(faults.found) > before:
            continue
        spans = tuple(Span(start, end, label) for start, end in places)
        try:
            yield row.line, Sentence(positional_id(number), row.sentence, spans)
        except DataError as error:
            for found in error.faults:
                faults.add(replace(found, row=row.line))
    if report.sentences and not spanned:
        report.warnings.append(
            Fault(
                code="no_spans",
                message="no line has a span; in an ADoBo CSV spans stand behind semicolons",
                file=faults.file,
            )
        )


def resolve(sentence: str, strings: Sequence[str]) -> tuple[list[tuple[int, int]], list[Doubt]]:
    """Where the strings stand in the sentence, sorted, and each string of which that is in doubt.

    A doubtful string takes the first places that are free; one that is absent takes none.

    >>> resolve("El bar de Barcelona", ["bar"])
    ([(3, 6)], [])
    >>> places, doubts = resolve("Un look y otro look", ["look"])
    >>> places, doubts[0].code
    ([(3, 7)], 'span_repeated')
    """
    claimed: list[tuple[int, int]] = []
    doubts: list[Doubt] = []
    asked = Counter(strings)
    for string in sorted(asked, key=len, reverse=True):
        places, doubt = _places(sentence, string, claimed)
        if doubt is None and len(places) > asked[string]:
            message = f"the span's text stands {len(places)} times in the sentence"
            doubt = Doubt("span_repeated", string, message, len(places))
        elif doubt is None and len(places) < asked[string]:
            message = "the span stands more often in the row than in the sentence"
            doubt = Doubt("span_surplus", string, message, len(places))
        if doubt is not None:
            doubts.append(doubt)
        claimed += places[: asked[string]]
    folded = Counter(string.casefold() for string in asked)
    for string in asked:
        if folded[string.casefold()] > 1:
            message = "two spans of the row differ in case alone"
            doubts.append(Doubt("span_case", string, message, 1))
    return sorted(claimed), doubts


def _places(
    sentence: str, string: str, claimed: Sequence[tuple[int, int]]
) -> tuple[list[tuple[int, int]], Doubt | None]:
    """The free places of ``string``, as written; else without its outer quotation marks; else in doubt.

    In doubt are places with other white space between the words (the sentence's own may be doubled or not
    break), and then those in other case.
    """
    inner = string.strip().strip(_QUOTES).strip()
    for wanted in dict.fromkeys((string, string.strip(), inner)):
        if wanted and (found := _free(sentence, re.compile(re.escape(wanted)), claimed)):
            return found, None
    spaced = r"\s+".join(map(re.escape, inner.split()))
    if spaced and (found := _free(sentence, re.compile(spaced), claimed)):
        message = "the span stands there with other white space only"
        return found, Doubt("span_other_space", string, message, len(found))
    if spaced and (found := _free(sentence, re.compile(spaced, re.IGNORECASE), claimed)):
        return found, Doubt("span_other_case", string, "the span stands there in other case only", len(found))
    return [], Doubt("span_absent", string, "the span does not stand in the sentence", 0)


def _free(
    sentence: str, pattern: re.Pattern[str], claimed: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The places of a pattern that overlap no claimed one nor each other: whole words, else any."""
    found: list[tuple[int, int]] = []
    whole: list[tuple[int, int]] = []
    for match in pattern.finditer(sentence):
        start, end = match.span()
        if all(end <= a or start >= b for a, b in claimed):
            found.append((start, end))
            if not (_inside_word(sentence, start) or _inside_word(sentence, end)):
                whole.append((start, end))
    return whole or found


def _inside_word(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and _in_word(text[offset - 1]) and _in_word(text[offset])


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_" or unicodedata.combining(char) != 0


def write(handle: BinaryIO, sentences: Iterable[Sentence], options: WriteOptions) -> WriteReport:
    """Write a row a sentence, all of one length; ids, labels, attributes and offsets are listed as lost.

    Offsets are lost where the row, read again, gives other ones or leaves them in doubt.
    """
    report = WriteReport()
    losses = Losses()
    # How much to pad is known at the end only: the rows wait in a file, their sizes in memory.
    sizes, counts = array("Q"), array("Q")
    with tempfile.TemporaryFile() as waiting:
        for sentence in sentences:
            to_row(sentence)  # refuses what no reader would take back
            surfaces = sentence.surfaces()
            _list_losses(sentence, surfaces, losses)
            sizes.append(waiting.write(";".join(map(_quoted, (sentence.text, *surfaces))).encode()))
            counts.append(len(surfaces))
            report.spans += len(surfaces)
        waiting.seek(0)
        most = max(counts, default=0)
        for size, count in zip(sizes, counts, strict=True):
            handle.write(waiting.read(size) + b";" * (most - count) + b"\n")
    report.sentences = len(sizes)
    report.lost = losses.all()
    return report


def _quoted(cell: str) -> str:
    if not cell or any(mark in cell for mark in ';"\n\r'):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _list_losses(sentence: Sentence, surfaces: Sequence[str], losses: Losses) -> None:
    if not is_positional(sentence.id):
        losses.column(code="not_held", column="id", message="the id has no place")
    for column, value in sentence.attributes.items():
        if value is not None:
            losses.column(code="not_held", column=column, message="the attribute has no place")
    for span in sentence.spans:
        if span.label != LABEL:
            message = f"the label {span.label} has no place and is read back as {LABEL}"
            losses.column(code="label", column="spans", message=message)
    # A cell of white space alone is read as padding.
    places, doubts = resolve(sentence.text, [surface for surface in surfaces if surface.strip()])
    doubtful = [doubt.string for doubt in doubts if doubt.code != "span_case"]
    if doubtful or places != [(span.start, span.end) for span in sentence.spans]:
        losses.row(
            code="offsets",
            row=sentence.id,
            column="spans",
            message="the offsets cannot be told from the strings",
            found=repr(doubtful or surfaces),
        )
