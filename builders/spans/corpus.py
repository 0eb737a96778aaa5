"""Sentences out of a tagged corpus as it was released, one row a sentence (``corpus_files`` reads the rows).

Tokens are kept as given, and the text is the tokens joined by one space. Tags may be names, or numbers
with names: those of a Parquet file's features, or those that the caller names. Every fault of every file
is told at once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from probeta.builders.spans.corpus_files import Rows, read_files
from probeta.errors import DataError, Fault, UsageError, nearest
from probeta.formats.tags import Decoder
from probeta.recipe import TaggedRecipe
from probeta.records import Sentence, Span
from probeta.tokens import joined

#: Reading stops at this many faults: whoever has more has another corpus, or another recipe.
_MOST_FAULTS = 1000


class _Read(NamedTuple):
    """A sentence and where it stands."""

    file: str
    row: int
    sentence: Sentence


def read_tagged_corpus(
    paths: Sequence[Path], recipe: TaggedRecipe, *, labels: Sequence[str] = ()
) -> dict[str, list[Sentence]]:
    """The sentences of every split, in the files' order, as ``recipe.source`` says.

    ``paths`` are files or folders; ``labels`` are the names of the tags, for files that only have their
    numbers. A sentence's attributes are the recipe's sentence attributes, ``tokens`` and ``tags`` (names,
    in the corpus's own labels). Where an id stands in two splits, all ids begin with their split's name.
    Raises a DataError with every fault; a file whose name begins like no split of the recipe is one.
    """
    faults: list[Fault] = []
    if twice := [name for number, name in enumerate(labels) if name in labels[:number]]:
        raise UsageError(
            f"--labels names {twice[0]} twice: name each tag once, in the order of their numbers"
        )
    files = list(read_files(paths, recipe, faults))
    found: dict[str, list[_Read]] = {}
    for file in files:
        if labels and file.names is not None and list(labels) != list(file.names):
            faults.append(_other_names(file, labels, recipe))
            continue
        reader = _Reader(recipe, file, labels, faults)
        found.setdefault(file.split, []).extend(reader.sentences())
        if len(faults) >= _MOST_FAULTS:
            break
    if not faults:
        faults += _doubled(found)
    if faults:
        raise DataError(faults[:_MOST_FAULTS])
    if not any(found.values()):
        raise UsageError(f"{', '.join(map(str, paths))}: the corpus holds no sentence")
    return _apart({split: [one.sentence for one in read] for split, read in found.items()})


def _other_names(file: Rows, labels: Sequence[str], recipe: TaggedRecipe) -> Fault:
    return Fault(
        code="tag_names",
        message="--labels names other tags than the file's own features",
        file=file.file,
        row=1,
        column=recipe.source.columns.tags,
        expected=",".join(file.names or ()),
        found=",".join(labels),
        fix="leave --labels out: the file says what its numbers mean",
    )


class _Reader:
    """The sentences of one file; what is wrong goes to ``faults`` with file and row."""

    def __init__(self, recipe: TaggedRecipe, file: Rows, labels: Sequence[str], faults: list[Fault]) -> None:
        self._recipe = recipe
        self._file = file
        self._names = labels or file.names
        self._faults = faults
        self._columns = recipe.source.columns
        self._attributes = {
            name: attribute for name, attribute in recipe.attributes.items() if attribute.level == "sentence"
        }
        self._decode = Decoder(recipe.source.scheme)
        self._nameless = False

    def sentences(self) -> Iterator[_Read]:
        """Yield the rows that are sound."""
        for number, row in enumerate(self._file.rows, start=1):
            before = len(self._faults)
            sentence = self._sentence(row, number)
            if sentence is not None and len(self._faults) == before:
                yield _Read(self._file.file, number, sentence)
            if len(self._faults) >= _MOST_FAULTS or self._nameless:
                # The rest would say the same.
                return

    def _fault(
        self,
        number: int,
        column: str | None,
        code: str,
        message: str,
        *,
        expected: str,
        found: object,
        fix: str,
    ) -> None:
        self._faults.append(
            Fault(
                code=code,
                message=message,
                file=self._file.file,
                row=number,
                column=column,
                expected=expected,
                found=str(found),
                fix=fix,
            )
        )

    def _sentence(self, row: Any, number: int) -> Sentence | None:
        columns = self._columns
        wanted = [columns.id, columns.tokens, columns.tags, *self._attributes]
        if not isinstance(row, dict) or any(name not in row for name in wanted):
            there = ", ".join(row) if isinstance(row, dict) else type(row).__name__
            self._fault(
                number,
                None,
                "corpus_columns",
                "the row lacks a column",
                expected=", ".join(wanted),
                found=there,
                fix="name the columns in the recipe's source.columns",
            )
            return None
        tokens, tags = row[columns.tokens], row[columns.tags]
        if not self._are_tokens(tokens, number) or not self._are_parallel(tokens, tags, number):
            return None
        id = self._id(row[columns.id], number)
        names = [self._tag(tag, at, number) for at, tag in enumerate(tags)]
        attributes = {name: self._attribute(name, row[name], number) for name in self._attributes}
        if id is None or any(name is None for name in names):
            return None
        known = [name for name in names if name is not None]
        spans = self._spans(tokens, known, number)
        own = {**attributes, "tokens": tuple(tokens), "tags": tuple(known)}
        try:
            return Sentence(id, " ".join(tokens), spans, own)
        except DataError as error:
            for fault in error.faults:
                fix = "mend the tokens in the corpus"
                self._faults.append(replace(fault, file=self._file.file, row=number, fix=fix))
            return None

    def _are_tokens(self, tokens: Any, number: int) -> bool:
        sound = isinstance(tokens, list) and tokens and all(isinstance(t, str) and t for t in tokens)
        if not sound:
            self._fault(
                number,
                self._columns.tokens,
                "corpus_tokens",
                "the tokens are no list of words",
                expected="one word or more, none of them empty",
                found=repr(tokens)[:80],
                fix="mend the row in the corpus",
            )
            return False
        broken = {at: why for at, token in enumerate(tokens) if (why := _why_no_token(token))}
        for at, why in broken.items():
            self._fault(
                number,
                self._columns.tokens,
                "corpus_token",
                f"token {at + 1} {why}",
                expected="a word that stands on one line, without white space around it",
                found=ascii(tokens[at])[:80],
                fix="mend the token in the corpus, or take it and its tag out of the row",
            )
        return not broken

    def _id(self, value: Any, number: int) -> str | None:
        id = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        if id and id == id.strip() and not _why_no_token(id):
            return id
        self._fault(
            number,
            self._columns.id,
            "corpus_id",
            "the row has no id to be told by",
            expected="a text or a whole number, without white space around it",
            found=repr(value)[:80],
            fix="give the row an id of its own",
        )
        return None

    def _are_parallel(self, tokens: list[str], tags: Any, number: int) -> bool:
        if isinstance(tags, list) and len(tags) == len(tokens):
            return True
        self._fault(
            number,
            self._columns.tags,
            "corpus_tags",
            "there is not one tag a token",
            expected=f"{len(tokens)} tags",
            found=len(tags) if isinstance(tags, list) else repr(tags)[:40],
            fix="mend the row in the corpus",
        )
        return False

    def _tag(self, tag: Any, at: int, number: int) -> str | None:
        """The tag's name with the recipe's label."""
        if isinstance(tag, int) and not isinstance(tag, bool):
            if self._names is None:
                if self._nameless:
                    return None
                self._nameless = True
                self._fault(
                    number,
                    self._columns.tags,
                    "tag_number",
                    "the tags are numbers and nothing says what they mean",
                    expected="tag names, or a Parquet file whose features name them",
                    found=tag,
                    fix="name them in their order: --labels O,B-PERS,I-PERS,…",
                )
                return None
            if not 0 <= tag < len(self._names):
                self._fault(
                    number,
                    self._columns.tags,
                    "tag_number",
                    f"token {at + 1} has a number that names no tag",
                    expected=f"0 to {len(self._names) - 1}",
                    found=tag,
                    fix="name every tag, in the corpus's order: --labels",
                )
                return None
            tag = self._names[tag]
        if not isinstance(tag, str) or not tag:
            self._fault(
                number,
                self._columns.tags,
                "tag_value",
                f"token {at + 1} has neither a tag's name nor its number",
                expected="a name such as B-PERS, or a whole number",
                found=repr(tag)[:40],
                fix="mend the tag in the corpus",
            )
            return None
        prefix, dash, label = tag.partition("-")
        own = self._recipe.source.labels.get(label, label)
        if dash and own not in self._recipe.labels:
            hint = nearest(own, self._recipe.labels)
            self._fault(
                number,
                self._columns.tags,
                "tag_label",
                f"token {at + 1} has a label that the recipe does not know",
                expected=", ".join([*self._recipe.source.labels, *self._recipe.labels]),
                found=tag,
                fix=f"perhaps {hint} is meant" if hint else "declare it in the recipe's source.labels",
            )
            return None
        return f"{prefix}-{own}" if dash else tag

    def _attribute(self, name: str, value: Any, number: int) -> str | None:
        declared = self._attributes[name].values
        text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        if not text.strip() or (declared is not None and text not in declared):
            hint = nearest(text, declared or ())
            if not text.strip():
                message, fix = f"the row has no {name}", f"give the row its {name}"
            else:
                message = f"the {name} is not one that the recipe declares"
                fix = f"perhaps {hint} is meant" if hint else f"declare it as a value of {name} in the recipe"
            self._fault(
                number,
                name,
                "attribute_value",
                message,
                expected=", ".join(declared) if declared else "a text, or a whole number",
                found=repr(value)[:80],
                fix=fix,
            )
            return None
        return text

    def _spans(self, tokens: Sequence[str], names: Sequence[str], number: int) -> tuple[Span, ...]:
        decoded = self._decode(names)
        for at, message in [*decoded.unknown, *decoded.invalid]:
            self._fault(
                number,
                self._columns.tags,
                "tag_sequence",
                f"token {at + 1}: {message}",
                expected=f"a valid {self._recipe.source.scheme} sequence",
                found=" ".join(names[max(0, at - 1) : at + 2]),
                fix="mend the tags in the corpus, or name their scheme in the recipe's source",
            )
        borders = joined(tokens)
        return tuple(
            Span(borders[span.start][0], borders[span.end - 1][1], span.label) for span in decoded.spans
        )


def _why_no_token(token: str) -> str | None:
    """What keeps a token from standing in a line, or as a word in a text; None if nothing does."""
    if token != token.strip():
        return "has white space around it" if token.strip() else "is white space alone"
    if any(char in token for char in "\t\n\r\0"):
        return "holds a tab, a line break or a NUL"
    if any("\ud800" <= char <= "\udfff" for char in token):
        return "holds half a character (a lone surrogate)"
    if unicodedata.combining(token[0]):
        return "begins with a mark that belongs to the letter before it"
    return None


def _doubled(found: Mapping[str, Sequence[_Read]]) -> list[Fault]:
    """An id that stands twice in one split."""
    faults = []
    for split, read in found.items():
        first: dict[str, _Read] = {}
        for one in read:
            id = one.sentence.id
            if id in first:
                faults.append(
                    Fault(
                        code="id_doubled",
                        message=f"the id {id} stands twice in the split {split}",
                        file=one.file,
                        row=one.row,
                        expected="one row an id",
                        found=f"also in {first[id].file}, row {first[id].row}",
                        fix="keep one of the two rows",
                    )
                )
            first.setdefault(id, one)
    return faults


def _apart(found: Mapping[str, Sequence[Sentence]]) -> dict[str, list[Sentence]]:
    ids = [sentence.id for sentences in found.values() for sentence in sentences]
    if len(set(ids)) == len(ids):
        return {split: list(sentences) for split, sentences in found.items()}
    return {
        split: [replace(sentence, id=f"{split}-{sentence.id}") for sentence in sentences]
        for split, sentences in found.items()
    }
