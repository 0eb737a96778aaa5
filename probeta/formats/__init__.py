"""Every reader and writer of sentences, once.

``read_sentences`` streams checked sentences out of any format, ``write_sentences`` writes them into any,
whole or not at all, and says what the format could not hold. The format follows from the ending or is
named. Reading tells every fault of a file at once, each with its line; after the first one nothing more
is given out.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from probeta.errors import DataError, Fault, UsageError, one_of
from probeta.formats.base import (
    Faults,
    Ids,
    ReadOptions,
    ReadReport,
    Source,
    WriteOptions,
    WriteReport,
    is_positional,
    positional_id,
    sink,
)
from probeta.records import Sentence

__all__ = [
    "FORMATS",
    "ReadOptions",
    "ReadReport",
    "WriteOptions",
    "WriteReport",
    "foreign",
    "format_of",
    "is_positional",
    "positional_id",
    "read_sentences",
    "write_sentences",
]


class Format(NamedTuple):
    """Where a format is read and written, the endings that name it, what it is, in words.

    ``reading`` and ``writing`` name the fields of ``ReadOptions`` and ``WriteOptions`` that concern it.
    """

    module: str
    endings: tuple[str, ...]
    title: str
    reading: tuple[str, ...] = ()
    writing: tuple[str, ...] = ()
    writes: bool = True


#: name -> format; the module is imported when the format is used.
FORMATS: dict[str, Format] = {
    "jsonl": Format("jsonl", (".jsonl", ".ndjson"), "JSONL, a sentence a line", ("span_keys",)),
    "parquet": Format("parquet", (".parquet",), "Parquet, a sentence a row", ("span_keys",)),
    "conll": Format(
        "conll",
        (".conll", ".iob", ".bio", ".tsv"),
        "CoNLL, a token and its tag a line",
        ("scheme", "invalid", "label", "token_column", "tag_column"),
        ("scheme", "language", "misaligned"),
    ),
    "adobo": Format("adobo", (".csv",), "ADoBo CSV, sentence;span;span", ("label", "ambiguous")),
    "docbin": Format(
        "docbin", (".spacy",), "spaCy's DocBin", ("span_group",), ("language", "misaligned", "span_group")
    ),
    "label_studio": Format(
        "label_studio", (".json",), "Label Studio tasks, an export as JSON", ("regions",), ("regions",)
    ),
    "folder": Format(
        "folder",
        (),
        "a built set, or a folder that `datasets` saved",
        ("split", "span_keys"),
        writes=False,
    ),
}


def format_of(path: Path | str, *, writing: bool = False, option: str | None = None) -> str:
    """The name of the format of ``path``, by its ending; JSONL for ``-``.

    ``option`` is what names a format where the ending does not: ``--from``, or ``--to`` in writing, if not said.

    >>> format_of("dev.conll")
    'conll'
    """
    if str(path) == "-":
        return "jsonl"
    if not writing and Path(path).is_dir():
        return "folder"
    suffix = Path(path).suffix.lower()
    for name, known in FORMATS.items():
        if suffix in known.endings:
            return name
    if not writing and not Path(path).exists():
        raise UsageError(f"no such file: {path}")
    option = option or ("--to" if writing else "--from")
    endings = ", ".join(ending for known in FORMATS.values() for ending in known.endings)
    names = ", ".join(name for name, known in FORMATS.items() if known.writes or not writing)
    raise UsageError(
        f"{path}: the ending names no format (known are {endings}); name one with {option}: {names}"
    )


def foreign(options: ReadOptions | WriteOptions, format: str) -> dict[str, list[str]]:
    """The options that were chosen and say nothing to ``format`` -> the formats that they concern.

    >>> foreign(ReadOptions(tag_column=3), "jsonl"), foreign(ReadOptions(tag_column=3), "conll")
    ({'tag_column': ['conll']}, {})
    """
    side = "reading" if isinstance(options, ReadOptions) else "writing"
    default = type(options)()
    found = {}
    for name in {name: None for known in FORMATS.values() for name in getattr(known, side)}:
        concerned = [other for other, known in FORMATS.items() if name in getattr(known, side)]
        if getattr(options, name) != getattr(default, name) and format not in concerned:
            found[name] = concerned
    return found


def _module(path: Path | str, format: str | None, *, writing: bool) -> Any:
    name = format or format_of(path, writing=writing)
    known = FORMATS[one_of(name, FORMATS, what="format")]
    if writing and not known.writes:
        raise UsageError(f"the format {name} is read, not written: `probeta build` writes a built set")
    return importlib.import_module(f"probeta.formats.{known.module}")


def read_sentences(
    path: Path | str,
    *,
    format: str | None = None,
    options: ReadOptions | None = None,
    report: ReadReport | None = None,
) -> Iterator[Sentence]:
    """Yield the checked sentences of ``path`` (``-``: standard input) one by one.

    A ``report`` that is handed in is filled while reading. Raises a UsageError at once where nothing is
    there or no format is known, and a DataError at the end with every fault of the file; an id that stands
    twice is told then, after both were given out. Where the file has no ids they are the sentences' numbers
    (``positional_id``).
    """
    module = _module(path, format, writing=False)
    source = Source.of(path)
    return _checked(module, source, options or ReadOptions(), ReadReport() if report is None else report)


def _checked(module: Any, source: Source, options: ReadOptions, report: ReadReport) -> Iterator[Sentence]:
    faults = Faults(source.name)
    ids = Ids()
    for line, sentence in module.read(source, options, report, faults):
        ids.add(sentence.id, line)
        if not faults.found:
            report.sentences += 1
            report.spans += len(sentence.spans)
            yield sentence
    for line, first in ids.twice():
        faults.add(
            Fault(
                code="id_twice",
                message=f"the id stands twice, first in row {first}",
                row=line,
                column="id",
                expected="an id of its own",
            )
        )
    faults.done()


def write_sentences(
    path: Path | str,
    sentences: Iterable[Sentence],
    *,
    format: str | None = None,
    options: WriteOptions | None = None,
) -> WriteReport:
    """Write ``sentences`` to ``path`` (``-``: standard output), whole or not at all.

    The report lists what the format could not hold, by row, or by column where it concerns all rows. What
    would make the file wrong (a text that does not fit, a lone surrogate) raises a DataError instead.
    """
    module = _module(path, format, writing=True)
    at: str | None = None

    def watched() -> Iterator[Sentence]:
        nonlocal at
        for sentence in sentences:
            at = sentence.id
            yield sentence

    with sink(path) as handle:
        try:
            report: WriteReport = module.write(handle, watched(), options or WriteOptions())
        except UnicodeEncodeError as error:
            found = repr(error.object[max(0, error.start - 20) : error.end + 20])
            message = "a lone surrogate is no character"
            raise DataError(Fault(code="surrogate", message=message, row=at, found=found)) from None
    return report
