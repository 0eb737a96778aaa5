"""The sentence tables: hand-written rows and templates, side by side, in CSV or XLSX.

Columns: ``id``, one for each attribute of the grid, ``text``, and where they are needed ``slots``, ``fill``,
``entry``, ``topic``, ``author``, ``split``; columns named like other declared attributes are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from probeta.builders.spans.lexicon import surface_problem
from probeta.builders.spans.markup import unbalanced
from probeta.errors import DataError, Fault, nearest
from probeta.recipe.schema import SpanRecipe
from probeta.tables import Row, Table, read_table

_ID = re.compile(r"[A-Za-z0-9_.-]+")
_SLOT_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
#: Words that mean something else inside a template.
_RESERVED = {"agree", "and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "self"}
#: What a sentence is made from: a row with faults elsewhere is still proved as a template.
_MAKING = ("text", "slots", "entry")
_OPTIONAL = ("slots", "fill", "entry", "topic", "author", "split")

#: A diagnostic set is a test set: every row is of this split, but for those that are held back.
SPLIT = "test"


class Slot(NamedTuple):
    """A declared slot: a lexicon, and the condition on its entries."""

    name: str
    lexicon: str
    condition: str | None


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """One row: a hand-written sentence, or a template if it declares ``slots``.

    ``entries`` are the lexicon entries of its marked-up spans, in order; ``cell`` has the values of the
    grid's attributes in the grid's order; ``split`` is ``test``, or one that the recipe holds back.
    """

    file: str
    line: int
    id: str
    cell: tuple[str, ...]
    text: str
    slots: tuple[Slot, ...]
    fill: Mapping[str, str]
    entries: tuple[str, ...]
    topic: str | None
    author: str | None
    attributes: Mapping[str, str]
    split: str = SPLIT

    @property
    def hand_picked(self) -> bool:
        """Whether the row is itself a base sentence: written out, or a template with its entries."""
        return not self.slots or bool(self.fill)


def read_sentences(recipe: SpanRecipe) -> tuple[list[SentenceRow], list[Fault]]:
    """Every row of the recipe's sentence tables whose sentence can be made, and every fault.

    A row with a fault in its attributes is among the rows, so that those of its sentence are told too.
    """
    rows: list[SentenceRow] = []
    faults: list[Fault] = []
    places: dict[str, str] = {}
    for file in recipe.sentences:
        shown = recipe.shown(file)
        try:
            table = read_table(recipe.path(file), required=["id", *recipe.grid.by, "text"], name=shown)
        except DataError as error:
            faults += error.faults
            continue
        faults += _column_faults(recipe, table)
        for row in table:
            reader = _RowReader(recipe, table, row)
            read = reader.read()
            faults += reader.faults
            if read.id in places:
                faults.append(
                    reader.made("doubled_id", f"the id {read.id} stands twice", "id", found=places[read.id])
                )
            elif read.id:
                places[read.id] = f"already in {shown}:{row.line}"
            columns = {fault.column for fault in reader.faults}
            if columns.isdisjoint(_MAKING):
                rows.append(read)
            elif "text" not in columns:
                faults += [
                    replace(fault, file=shown, row=row.line, column="text") for fault in unbalanced(read.text)
                ]
    return rows, faults


def _column_faults(recipe: SpanRecipe, table: Table) -> Iterator[Fault]:
    """Columns whose name is close to one that means something; other further columns are notes."""
    known = ["id", "text", *recipe.attributes, *_OPTIONAL]
    missing = [column for column in known if column not in table.columns]
    for column in table.columns:
        if column not in known and (hint := nearest(column, missing)):
            yield Fault(
                code="unknown_column",
                message=f"the column {column} means nothing here",
                file=table.file,
                row=1,
                column=column,
                fix=f"did you mean {hint}?",
            )


class _RowReader:
    def __init__(self, recipe: SpanRecipe, table: Table, row: Row) -> None:
        self.recipe, self.table, self.row = recipe, table, row
        self.faults: list[Fault] = []

    def made(self, code: str, message: str, column: str, **details: str | None) -> Fault:
        return Fault(
            code=code, message=message, file=self.table.file, row=self.row.line, column=column, **details
        )

    def fault(self, code: str, message: str, column: str, **details: str | None) -> None:
        self.faults.append(self.made(code, message, column, **details))

    def read(self) -> SentenceRow:
        row, recipe = self.row, self.recipe
        slots = self._slots(row.get("slots"))
        fill = self._fill(row.get("fill"), slots)
        # A fill with a fault pins nothing; the template is proved without it.
        sound = all(fault.column != "fill" for fault in self.faults)
        return SentenceRow(
            self.table.file,
            row.line,
            self._id(row["id"]),
            self._cell(),
            self._text(row["text"]),
            slots,
            fill if sound else {},
            tuple(part.strip() for part in row.get("entry").split(";") if part.strip()),
            self._optional("topic"),
            self._optional("author"),
            {
                name: self._value(name)
                for name in recipe.attributes
                if name in self.table.columns and name not in recipe.grid.by and row[name].strip()
            },
            self._split(drawn_from=bool(slots) and not fill),
        )

    def _split(self, *, drawn_from: bool) -> str:
        text = self.row.get("split").strip() if "split" not in self.recipe.attributes else ""
        held_back = self.recipe.card.hold_back
        if text in ("", SPLIT):
            return SPLIT
        if text not in held_back:
            self.fault(
                "unknown_split",
                f"the split {text} is neither {SPLIT} nor held back",
                "split",
                expected=", ".join((SPLIT, *held_back)),
                found=text,
                fix="name it under card.hold_back, or leave the cell empty",
            )
        elif drawn_from:
            self.fault(
                "held_back_template",
                "a template without a fill is no sentence that could be held back",
                "split",
                expected="a written sentence, or a fill",
                found=text,
            )
        return text

    def _id(self, text: str) -> str:
        if not text.strip():
            self.fault("empty_cell", "the id is empty", "id")
        elif not _ID.fullmatch(text):
            self.fault(
                "sentence_id", "the id is not an id", "id", expected="letters, digits, _ . -", found=text
            )
        return text

    def _cell(self) -> tuple[str, ...]:
        grid = self.recipe.grid
        before = len(self.faults)
        cell = tuple(self._value(name) for name in grid.by)
        if len(self.faults) == before and cell not in grid.targets():
            self.fault(
                "unknown_cell",
                f"the grid has no cell {', '.join(cell)}",
                grid.by[0],
                fix="add the cell to the recipe, or change the row's values",
            )
        return cell

    def _value(self, name: str) -> str:
        text = self.row[name].strip()
        values = self.recipe.attributes[name].values if name in self.recipe.attributes else None
        if not text:
            self.fault("empty_cell", f"the row has no value for {name}", name, expected=_words(values))
        elif values is not None and text not in values:
            hint = nearest(text, values)
            self.fault(
                "unknown_value",
                f"unknown value {text} of the attribute {name}",
                name,
                expected=_words(values),
                fix=f"did you mean {hint}?" if hint else None,
            )
        return text

    def _text(self, text: str) -> str:
        if not text.strip():
            self.fault("empty_cell", "the text is empty", "text")
        elif problem := surface_problem(text):
            self.fault("sentence_text", f"the text {problem}", "text")
        return text

    def _optional(self, column: str) -> str | None:
        if column not in self.table.columns:
            return None
        text = self.row[column].strip()
        if not text:
            fix = f"fill it, or leave the column {column} out of the table"
            self.fault("empty_cell", f"the {column} is empty", column, fix=fix)
        return text

    def _slots(self, text: str) -> tuple[Slot, ...]:
        slots: dict[str, Slot] = {}
        for part in split_outside_quotes(text):
            name, equals, rest = (piece.strip() for piece in part.partition("="))
            lexicon, colon, condition = (piece.strip() for piece in rest.partition(":"))
            if not equals or not _SLOT_NAME.fullmatch(name) or not lexicon or (colon and not condition):
                self.fault(
                    "slot_syntax",
                    "the slot cannot be read",
                    "slots",
                    expected="name = lexicon, or name = lexicon: condition",
                    found=part,
                )
            elif name.lower() in _RESERVED:
                self.fault("slot_name", f"a slot cannot be called {name}", "slots", fix="use another name")
            elif name in slots:
                self.fault("slot_doubled", f"the slot {name} is declared twice", "slots")
            elif lexicon not in self.recipe.lexicons:
                hint = nearest(lexicon, self.recipe.lexicons)
                self.fault(
                    "unknown_lexicon",
                    f"there is no lexicon {lexicon}",
                    "slots",
                    expected=_words(self.recipe.lexicons),
                    fix=f"did you mean {hint}?" if hint else None,
                )
            else:
                slots[name] = Slot(name, lexicon, condition or None)
        return tuple(slots.values())

    def _fill(self, text: str, slots: tuple[Slot, ...]) -> dict[str, str]:
        fill: dict[str, str] = {}
        names = [slot.name for slot in slots]
        for part in split_outside_quotes(text):
            name, equals, entry = (piece.strip() for piece in part.partition("="))
            if not equals or not entry or name not in names or name in fill:
                self.fault(
                    "fill_syntax",
                    "the fill cannot be read",
                    "fill",
                    expected="slot = entry id, once for each slot"
                    + (f" ({', '.join(names)})" if names else ""),
                    found=part if names else "a fill, but no slots",
                )
            else:
                fill[name] = entry
        missing = [name for name in names if name not in fill]
        if fill and missing and not self.faults:
            self.fault(
                "fill_incomplete",
                "the fill leaves a slot open",
                "fill",
                expected="every slot, or an empty cell",
                found=f"nothing for {', '.join(missing)}",
            )
        return fill


def _words(names: Mapping[str, object] | None) -> str | None:
    return ", ".join(names) if names else None


def split_outside_quotes(text: str) -> list[str]:
    """The parts of ``text`` between semicolons that stand outside quotation marks, none of them blank.

    >>> split_outside_quotes("a = x: f == 'p;q' ; b = y;")
    ["a = x: f == 'p;q'", 'b = y']
    """
    parts, part, quote = [], "", ""
    for char in text:
        if char == ";" and not quote:
            parts.append(part)
            part = ""
            continue
        if quote == char:
            quote = ""
        elif not quote and char in "'\"":
            quote = char
        part += char
    return [part.strip() for part in (*parts, part) if part.strip()]
