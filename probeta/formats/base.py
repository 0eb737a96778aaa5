"""What every format shares: options, reports, positional ids, where bytes come from and go to."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from probeta import atomic, builtset
from probeta.errors import DataError, Fault, UsageError, one_of
from probeta.formats.tags import POLICIES, scheme_named
from probeta.tables import decode_utf8

#: Reading stops at this many faults; whoever has more has the wrong file or the wrong format.
MOST_FAULTS = 1000

#: The values of the options that are words; the first is the default.
AMBIGUOUS = ("error", "first")
SPAN_KEYS = ("error", "drop")
MISALIGNED = ("split", "error", "drop")
REGIONS = ("annotations", "predictions")

_POSITIONAL = re.compile(r"#[1-9]\d*")


def positional_id(number: int) -> str:
    """The id of a sentence whose file gives none: its number, from 1.

    >>> positional_id(12)
    '#12'
    """
    return f"#{number}"


def is_positional(id: str) -> bool:
    """Whether an id was made by ``positional_id``: it names a place in a file and nothing more."""
    return _POSITIONAL.fullmatch(id) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How to read; each format takes what concerns it.

    ``scheme``, ``invalid``: tag scheme and policy for invalid sequences (``probeta.formats.tags``).
    ``label``: the label of spans that the file leaves without one: bare B and I tags, ADoBo CSV.
    ``token_column``, ``tag_column``: columns of a CoNLL file, from 0.
    ``ambiguous``: what to do where a span string of an ADoBo CSV fits several places: ``error`` or
    ``first``.
    ``span_keys``: what to do with keys of a span beyond start, end, label and text: ``error`` or ``drop``.
    ``span_group``: the spaCy span group to read in place of ``doc.ents``.
    ``regions``: which regions of a Label Studio task to read, ``annotations`` or ``predictions``.
    ``split``: one split of a folder; all of them where it is None.
    ``texts``: texts by id, for predictions that carry no text of their own.
    ``keep_tokens``: give the sentence its file's tokens as the attribute ``tokens``.
    """

    scheme: str = "IOB2"
    invalid: str = "error"
    label: str | None = None
    token_column: int = 0
    tag_column: int = 1
    ambiguous: str = "error"
    span_keys: str = "error"
    span_group: str | None = None
    regions: str = "annotations"
    split: str | None = None
    texts: Mapping[str, str] | None = None
    keep_tokens: bool = False

    def __post_init__(self) -> None:
        scheme_named(self.scheme)
        one_of(self.invalid, POLICIES, what="policy for invalid tag sequences")
        one_of(self.ambiguous, AMBIGUOUS, what="choice for ambiguous spans")
        one_of(self.span_keys, SPAN_KEYS, what="choice for further keys of spans")
        one_of(self.regions, REGIONS, what="kind of regions")
        if self.token_column == self.tag_column:
            raise UsageError(f"tokens and tags cannot both stand in column {self.tag_column}")
        if self.label == "":
            raise UsageError("the label of spans without one is empty")


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """How to write; each format takes what concerns it.

    ``scheme``: tag scheme. ``language``: whose tokenizer splits a text that comes without tokens; one
    that spaCy does not know is refused. Where it is None, ``own_language`` is the text's, and one that spaCy
    does not know gets the general rules.
    ``misaligned``: what to do with a span that begins or ends inside a token: ``split`` the token there,
    ``error``, or ``drop`` the span; the report lists each.
    ``span_group``: the spaCy span group that repeats the entities, if any.
    ``regions``: write the regions of a Label Studio task as ``annotations`` or ``predictions``.
    """

    scheme: str = "IOB2"
    language: str | None = None
    own_language: str = builtset.LANGUAGE
    misaligned: str = "split"
    span_group: str | None = None
    regions: str = "annotations"

    def __post_init__(self) -> None:
        scheme_named(self.scheme)
        one_of(self.misaligned, MISALIGNED, what="choice for misaligned spans")
        one_of(self.regions, REGIONS, what="kind of regions")


@dataclass(slots=True)
class ReadReport:
    """What a reading met: counts, tags that their scheme does not allow, and what a person should know."""

    sentences: int = 0
    spans: int = 0
    invalid_tags: int = 0
    warnings: list[Fault] = field(default_factory=list)


@dataclass(slots=True)
class WriteReport:
    """What a writing did; ``lost`` says by row, or by column for all rows, what the format could not hold."""

    sentences: int = 0
    spans: int = 0
    lost: list[Fault] = field(default_factory=list)


class Faults:
    """The faults of one reading or writing, collected so that all of them are told at once."""

    __slots__ = ("file", "found")

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Fault] = []

    def add(self, fault: Fault) -> None:
        """Note a fault, with this file's name; the one after too many ends the reading."""
        self.found.append(replace(fault, file=self.file))
        if len(self.found) >= MOST_FAULTS:
            self.found.append(
                Fault(
                    code="too_many",
                    message=f"reading stopped at {MOST_FAULTS} faults",
                    file=self.file,
                    row=fault.row,
                )
            )
            raise DataError(self.found)

    def stop(self, fault: Fault) -> DataError:
        """The error to raise where reading on makes no sense."""
        self.add(fault)
        return DataError(self.found)

    def done(self) -> None:
        """Raise a DataError with every fault, in the order of the rows, if there is one."""
        if self.found:
            self.found.sort(key=lambda fault: fault.row if isinstance(fault.row, int) else 0)
            raise DataError(self.found)


class Ids:
    """Find ids that stand twice in 16 bytes an id: hashes of 64 bits, compared once, at the end."""

    __slots__ = ("_hashes", "_rows")

    def __init__(self) -> None:
        self._hashes = array("q")
        self._rows = array("q")

    def add(self, id: str, row: int) -> None:
        """Note an id and its row."""
        self._hashes.append(hash(id))
        self._rows.append(row)

    def twice(self) -> list[tuple[int, int]]:
        """Each row whose id stood before, with the row where it stood first; by row."""
        import numpy as np

        hashes = np.frombuffer(self._hashes, dtype=np.int64)
        order = np.argsort(hashes, kind="stable")
        again = np.flatnonzero(np.diff(hashes[order]) == 0) + 1
        found = []
        for at in again.tolist():
            first = at
            while first and hashes[order[first - 1]] == hashes[order[at]]:
                first -= 1
            found.append((self._rows[order[at]], self._rows[order[first]]))
        return sorted(found)


class Losses:
    """Collect what a format cannot hold: by row, or counted by column where it concerns a whole column."""

    def __init__(self) -> None:
        self._rows: list[Fault] = []
        self._columns: dict[tuple[str, str, str], int] = {}

    def row(self, *, code: str, row: str, message: str, column: str | None = None, found: str) -> None:
        """One row's loss; ``row`` is the sentence's id."""
        self._rows.append(Fault(code=code, message=message, row=row, column=column, found=found))

    def column(self, *, code: str, column: str, message: str) -> None:
        """One row more in which ``column`` is not held, or not as it was."""
        key = (code, column, message)
        self._columns[key] = self._columns.get(key, 0) + 1

    def all(self) -> list[Fault]:
        """Columns first, then rows in their order."""
        columns = [
            Fault(code=code, message=f"{message} in {rows} row{'s' if rows > 1 else ''}", column=column)
            for (code, column, message), rows in self._columns.items()
        ]
        return columns + self._rows


@dataclass(frozen=True, slots=True)
class Source:
    """Where to read: a path, or standard input for ``-``; ``name`` is what faults show."""

    path: Path | None
    name: str

    @classmethod
    def of(cls, path: Path | str) -> Source:
        """The source at ``path``; a UsageError if nothing is there."""
        if str(path) == "-":
            return cls(None, "<stdin>")
        there = Path(path)
        if not there.exists():
            raise UsageError(f"no such file: {path}")
        return cls(there, str(path))

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes."""
        if self.path is None:
            if sys.stdin is None:
                raise UsageError("standard input is closed")
            yield sys.stdin.buffer
            return
        try:
            handle = self.path.open("rb")
        except OSError as error:
            raise UsageError(f"cannot read {self.name}: {error.strerror or error}") from error
        with handle:
            yield handle


@contextmanager
def sink(path: Path | str) -> Iterator[BinaryIO]:
    """Where to write; a file or, for ``-``, standard output receives everything or nothing."""
    if str(path) == "-":
        if sys.stdout is None:
            raise UsageError("standard output is closed")
        with tempfile.TemporaryFile() as whole:
            yield whole
            whole.seek(0)
            shutil.copyfileobj(whole, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        return
    with atomic.file(Path(path)) as temporary, temporary.open("wb") as handle:
        yield handle


def refuse_target(source: Path | str, target: Path | str, *, replace: bool) -> None:
    """Raise a UsageError unless ``target`` may be written from ``source``.

    It may not be the source, nor stand in a built set; a file that is there is replaced only with
    ``replace``. Standard output (``-``) may always be written.
    """
    out = Path(target)
    if str(target) == "-":
        return
    builtset.refuse_inside(out)
    if not out.exists() or out.is_dir():  # what is wrong with a folder the writer says
        return
    if not out.is_file():
        raise UsageError(f"{target} is no file; name a file, or - for standard output")
    if str(source) != "-" and Path(source).exists() and out.samefile(source):
        raise UsageError(f"{target} is the input itself; name another file")
    if not replace:
        raise UsageError(f"{target} exists; say --replace to write it anew")


def not_utf8(raw: bytes, handle: BinaryIO, line: int, faults: Faults) -> DataError:
    """The error to raise at a line that is not UTF-8: what follows it helps to say what it may be."""
    try:
        decode_utf8(raw + handle.read(1 << 16), file=faults.file)
    except DataError as error:
        return faults.stop(replace(error.faults[0], row=line))
    return faults.stop(Fault(code="encoding", message="the line is not UTF-8", row=line))


def text_lines(handle: BinaryIO, faults: Faults) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file with their numbers from 1 and without a byte order mark.

    Only a line feed ends a line, and it stays on. A NUL is a fault; bytes that are not UTF-8 end the reading.
    """
    for number, raw in enumerate(handle, start=1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise not_utf8(raw, handle, number, faults) from None
        if "\0" in line:
            faults.add(Fault(code="nul", message="the line holds a NUL character", row=number))
        else:
            yield number, line
