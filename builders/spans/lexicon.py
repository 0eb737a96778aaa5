"""Lexicons: typed tables of entries with forms and features."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from probeta.builders.spans.conditions import Condition
from probeta.errors import DataError, Fault, nearest
from probeta.recipe.schema import Lexicon as Declaration
from probeta.recipe.schema import SpanRecipe
from probeta.tables import Row, Table, read_table

#: The cell that says "this form does not exist".
NO_FORM = "-"

_ID = re.compile(r"[a-z0-9_-]+")


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One row of a lexicon; ``forms`` maps each form column to its text, or to None for ``-``.

    ``features`` hold text or numbers, None where the cell is empty; ``columns`` every cell as written.
    """

    lexicon: str
    id: str
    line: int
    label: str | None
    forms: Mapping[str, str | None]
    features: Mapping[str, str | float | None]
    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The entries of one table, in its order, by id."""

    name: str
    file: str
    declaration: Declaration
    entries: Mapping[str, Entry]
    _conditions: dict[str, Condition] = field(default_factory=dict, repr=False, compare=False)

    @property
    def first_form(self) -> str:
        """The form that a slot takes when none is named."""
        return next(iter(self.declaration.forms))

    def form_features(self, entry: Entry, form: str) -> dict[str, str | float | None]:
        """The features of one form: the entry's, overridden by what its column declares."""
        return {**entry.features, **self.declaration.forms[form]}

    def select(self, condition: Condition | None) -> list[Entry]:
        """The entries that satisfy ``condition``, in the table's order."""
        if condition is None:
            return list(self.entries.values())
        return [entry for entry in self.entries.values() if condition(entry)]

    def condition(self, expression: str) -> Condition:
        """Compile ``expression``; a DataError where it is no condition over this lexicon's features."""
        if expression not in self._conditions:
            self._conditions[expression] = Condition(expression, self)
        return self._conditions[expression]


def read_lexicon(recipe: SpanRecipe, name: str) -> Lexicon:
    """Read the lexicon ``name`` of ``recipe``; a DataError with every fault of the table."""
    declaration = recipe.lexicons[name]
    file = recipe.shown(declaration.file)
    required = ["id", *declaration.forms, *declaration.features]
    optional = (declaration.label_column, declaration.reasons, declaration.claims)
    required += [column for column in optional if column is not None]
    table = read_table(recipe.path(declaration.file), required=list(dict.fromkeys(required)), name=file)
    reader = _Reader(recipe, name, declaration, table)
    entries = reader.entries()
    if not entries and not reader.faults:
        reader.faults.append(
            Fault(code="lexicon_empty", message="the lexicon has no entries", file=file, row=1)
        )
    if reader.faults:
        raise DataError(reader.faults)
    return Lexicon(name, file, declaration, entries)


class _Reader:
    def __init__(self, recipe: SpanRecipe, name: str, declaration: Declaration, table: Table) -> None:
        self.recipe, self.name, self.declaration, self.table = recipe, name, declaration, table
        self.faults: list[Fault] = []

    def fault(self, code: str, message: str, row: Row, column: str, **details: str | None) -> None:
        self.faults.append(
            Fault(code=code, message=message, file=self.table.file, row=row.line, column=column, **details)
        )

    def entries(self) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        for row in self.table:
            entry_id = row["id"]
            if not _ID.fullmatch(entry_id):
                self.fault(
                    "entry_id",
                    "the id is empty" if not entry_id else "the id is not an id",
                    row,
                    "id",
                    expected="lower-case letters, digits, _ and -",
                    found=entry_id or None,
                )
            elif entry_id in found:
                self.fault(
                    "doubled_id",
                    f"the id {entry_id} stands twice",
                    row,
                    "id",
                    found=f"already in line {found[entry_id].line}",
                )
            entry = Entry(
                self.name,
                entry_id,
                row.line,
                self._label(row),
                {column: self._form(row, column) for column in self.declaration.forms},
                {column: self._feature(row, column) for column in self.declaration.features},
                row.values,
            )
            found.setdefault(entry_id, entry)
        return found

    def _label(self, row: Row) -> str | None:
        column = self.declaration.label_column
        if column is None:
            return self.declaration.label
        label = row[column]
        if label not in self.recipe.labels:
            hint = nearest(label, self.recipe.labels)
            self.fault(
                "unknown_label" if label else "empty_cell",
                f"unknown label {label}" if label else "the entry has no label",
                row,
                column,
                expected=", ".join(self.recipe.labels),
                fix=f"did you mean {hint}?" if hint else None,
            )
        return label

    def _form(self, row: Row, column: str) -> str | None:
        text = row[column]
        if text == NO_FORM:
            if self.declaration.reasons is not None and not row[self.declaration.reasons].strip():
                self.fault(
                    "form_reason",
                    f"nothing says why there is no {column}",
                    row,
                    self.declaration.reasons,
                    expected="a reason for -",
                )
            return None
        if not text.strip():
            self.fault("empty_cell", "the form is empty", row, column, expected=f"a form, or {NO_FORM}")
        elif problem := surface_problem(text):
            self.fault("form_text", f"the form {problem}", row, column, found=repr(text))
        return text

    def _feature(self, row: Row, column: str) -> str | float | None:
        text = row[column].strip()
        if not text:
            return None
        attribute = self.recipe.attributes.get(column)
        if attribute is not None and attribute.values is not None and text not in attribute.values:
            hint = nearest(text, attribute.values)
            self.fault(
                "unknown_value",
                f"unknown value {text} of the attribute {column}",
                row,
                column,
                expected=", ".join(attribute.values),
                fix=f"did you mean {hint}?" if hint else None,
            )
        if self.declaration.features[column] == "text":
            return text
        try:
            return float(text)
        except ValueError:
            self.fault("feature_number", f"{column} is not a number", row, column, found=text)
            return None


def surface_problem(text: str) -> str | None:
    """What is wrong with a text that is to be a span or a sentence, or None.

    >>> surface_problem(" pie ")
    'begins or ends with a space'
    """
    if text != text.strip():
        return "begins or ends with a space"
    if re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", text.replace("\t", "")):
        return "holds a line break or a control character"
    if "\ufeff" in text or "\ufffd" in text:
        return "holds a character that a wrong encoding left behind"
    return None
