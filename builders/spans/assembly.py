"""Putting a sentence together, piece by piece, with its spans known while the text grows."""

from __future__ import annotations

from collections.abc import Sequence

from probeta.builders.spans.lexicon import Entry
from probeta.builders.spans.markup import NESTED, NOT_OPENED, markup_fault, scan
from probeta.builders.spans.slots import Output, initial
from probeta.errors import DataError, Fault, nearest
from probeta.recipe.schema import SpanRecipe
from probeta.records import Span


class Assembly:
    """The text while it grows, with its spans, their entries, and the borders where joins may apply.

    ``marked`` has the entries that the row names for its marked-up spans. ``opened`` is where a marked span
    has begun, ``marks`` how many have ended.
    """

    def __init__(self, recipe: SpanRecipe, marked: Sequence[Entry | None]) -> None:
        self.recipe, self.marked = recipe, marked
        self.parts: list[str] = []
        self.length = 0
        self.spans: list[Span] = []
        self.entries: list[Entry | None] = []
        self.borders: list[int] = []
        self.opened: int | None = None
        self.marks = 0

    def add(self, piece: str | Output) -> None:
        """Add literal text, whose markup is read here, or what a slot or an agreement word gives."""
        if isinstance(piece, Output):
            self._output(piece)
        else:
            for mark in scan(piece):
                self._mark(mark.kind, mark.text)

    def _text(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def _output(self, piece: Output) -> None:
        start = self.length
        self.borders.append(start)
        self._text(piece.text)
        self.borders.append(self.length)
        if piece.entry is not None and piece.entry.label is not None:
            if self.opened is not None:
                raise DataError(
                    markup_fault("a labelled slot stands inside a marked span: the spans overlap")
                )
            self.spans.append(Span(start, self.length, piece.entry.label))
            self.entries.append(piece.entry)

    def _mark(self, kind: str, text: str) -> None:
        if kind == "text":
            self._text(text)
        elif kind == "open":
            if self.opened is not None:
                raise DataError(NESTED)
            self.opened = self.length
        else:
            self._close(text)

    def _close(self, label: str) -> None:
        if self.opened is None:
            raise DataError(NOT_OPENED)
        if self.opened == self.length:
            raise DataError(markup_fault("the span is empty", found="[[]]"))
        entry = self.marked[self.marks] if self.marks < len(self.marked) else None
        self.spans.append(Span(self.opened, self.length, self._label(label, entry)))
        self.entries.append(entry)
        if entry is not None:
            self._surface("".join(self.parts)[self.opened :], entry)
        self.marks += 1
        self.opened = None

    def _label(self, label: str, entry: Entry | None) -> str:
        labels = self.recipe.labels
        if not label and entry is not None and entry.label is not None:
            return entry.label
        if not label and len(labels) == 1:
            return next(iter(labels))
        if label not in labels:
            hint = nearest(label, labels)
            raise DataError(
                Fault(
                    code="unknown_label",
                    message=f"unknown label {label}" if label else "the span has no label",
                    column="text",
                    expected=f"]]{{LABEL}} with one of {', '.join(labels)}",
                    fix=f"did you mean {hint}?" if hint else None,
                )
            )
        return label

    def _surface(self, surface: str, entry: Entry) -> None:
        forms = [form for form in entry.forms.values() if form is not None]
        if not any(surface in (form, initial(form)) for form in forms):
            raise DataError(
                Fault(
                    code="entry_surface",
                    message=f"the span is no form of the entry {entry.id}",
                    column="entry",
                    expected=" or ".join(forms),
                    found=surface,
                )
            )
