"""Templates with slots and hand-written rows: ready to render, proved when they are made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import jinja2

from probeta.builders.spans.agreement import Agreement
from probeta.builders.spans.assembly import Assembly
from probeta.builders.spans.conditions import Condition
from probeta.builders.spans.joins import Join, apply_joins
from probeta.builders.spans.lexicon import NO_FORM, Entry, Lexicon, surface_problem
from probeta.builders.spans.markup import NOT_CLOSED, markup_fault, unbalanced
from probeta.builders.spans.sentences import SentenceRow, Slot
from probeta.builders.spans.slots import Output, SlotOutput, Use, compiled, parse, slot_uses
from probeta.errors import DataError, Fault, nearest
from probeta.recipe.schema import SpanRecipe
from probeta.records import Span


class Rendered(NamedTuple):
    """A finished text, its spans in order, and the entry behind each span (None where none is named)."""

    text: str
    spans: tuple[Span, ...]
    entries: tuple[Entry | None, ...]


@dataclass(frozen=True)
class Template:
    """A row that is ready to render; a hand-written row is a template without slots."""

    row: SentenceRow
    recipe: SpanRecipe
    lexicons: Mapping[str, Lexicon]
    agreement: Agreement
    joins: Sequence[Join]
    conditions: Mapping[str, Condition | None]
    uses: Mapping[str, tuple[Use, ...]]
    marked: tuple[Entry | None, ...]
    code: jinja2.Template | None

    @property
    def identity(self) -> str:
        """Rows with the same text are one template with several fills."""
        return self.row.text

    def entry(self, slot: Slot, entry_id: str) -> Entry:
        """The entry that a fill names; a DataError where the lexicon has none of that id."""
        entries = self.lexicons[slot.lexicon].entries
        if entry_id not in entries:
            hint = nearest(entry_id, entries)
            raise DataError(
                Fault(
                    code="unknown_entry",
                    message=f"the lexicon {slot.lexicon} has no entry {entry_id}",
                    column="fill",
                    fix=f"did you mean {hint}?" if hint else None,
                )
            )
        return entries[entry_id]

    def misfit(self, slot: Slot, entry: Entry) -> str | None:
        """Why ``entry`` cannot stand in ``slot``, or None if it can."""
        condition = self.conditions[slot.name]
        if condition is not None and not condition(entry):
            return f"not so: {condition.expression}"
        for name, value in zip(self.recipe.grid.by, self.row.cell, strict=True):
            named = condition is not None and name in condition.names
            if name in entry.features and not named and entry.features[name] != value:
                return f"{name} is {entry.features[name] or 'not given'}, the cell's is {value}"
        for use in self.uses[slot.name]:
            if use.kind != "feature" and entry.forms[use.name] is None:
                return f"it has no {use.name}"
            if use.kind == "feature" and use.name != "id" and entry.features[use.name] is None:
                return f"its {use.name} is not given"
            if use.kind == "agree" and self._agreeing(slot, entry, use) == NO_FORM:
                return f"{use.word} has no form for it"
        return None

    def key(self, slot: Slot, entry: Entry) -> tuple[str, ...]:
        """What ``entry`` puts into the text, use by use: equal keys give equal texts."""
        lexicon = self.lexicons[slot.lexicon]
        values = []
        for use in self.uses[slot.name]:
            if use.kind == "agree":
                values.append(self._agreeing(slot, entry, use))
            else:
                values.append(SlotOutput("", entry, lexicon).member(use.name).text)
        return tuple(values)

    def _agreeing(self, slot: Slot, entry: Entry, use: Use) -> str:
        """The form of an agreement word beside a form of ``entry``."""
        return self.agreement.form(use.word, self.lexicons[slot.lexicon].form_features(entry, use.name))

    @cached_property
    def candidates(self) -> dict[str, dict[tuple[str, ...], Entry]]:
        """For each slot the entries that fit, by key; of entries with one key the first."""
        found: dict[str, dict[tuple[str, ...], Entry]] = {}
        for slot in self.row.slots:
            fitting = found.setdefault(slot.name, {})
            for entry in self.lexicons[slot.lexicon].entries.values():
                if self.misfit(slot, entry) is None:
                    fitting.setdefault(self.key(slot, entry), entry)
        return found

    def pinned(self) -> dict[str, Entry]:
        """The entries of the row's fill, by slot."""
        return {slot.name: self.entry(slot, self.row.fill[slot.name]) for slot in self.row.slots}

    def render(self, fill: Mapping[str, Entry]) -> Rendered:
        """The sentence with ``fill`` in its slots; a DataError where markup and slots make no sentence."""
        made = Assembly(self.recipe, self.marked)
        for piece in self._pieces(fill):
            made.add(piece)
        return self._finish(made)

    def _pieces(self, fill: Mapping[str, Entry]) -> Iterator[str | Output]:
        if self.code is None:
            yield self.row.text
            return
        values: dict[str, object] = {"agree": self._agree}
        for slot in self.row.slots:
            lexicon, entry = self.lexicons[slot.lexicon], fill[slot.name]
            form = lexicon.first_form
            values[slot.name] = SlotOutput(entry.forms[form] or "", entry, lexicon, form)
        yield from self.code.root_render_func(self.code.new_context(values))

    def _agree(self, slot: SlotOutput, word: str) -> Output:
        assert slot.lexicon is not None and slot.entry is not None
        return Output(self.agreement.form(word, slot.lexicon.form_features(slot.entry, slot.form)))

    def _entry_form(self) -> str:
        """How the row's first entry is written, for a message; its id where no lexicon has it."""
        named = self.row.entries[0]
        entry = next((entry for entry in self.marked if entry is not None and entry.id == named), None)
        forms = entry.forms.values() if entry is not None else ()
        return next((form for form in forms if form is not None), named)

    def _finish(self, made: Assembly) -> Rendered:
        if made.opened is not None:
            raise DataError(NOT_CLOSED)
        if made.marks != len(self.row.entries) and self.row.entries:
            raise DataError(
                Fault(
                    code="entry_count",
                    message="the entries do not match the marked spans",
                    column="entry",
                    expected=f"{made.marks}",
                    found=f"{len(self.row.entries)}",
                    fix=None if made.marks else "no span is marked; write [[" + self._entry_form() + "]]",
                )
            )
        text, spans = apply_joins("".join(made.parts), made.spans, made.borders, self.joins)
        faults = [
            markup_fault(f"a span {problem}", found=repr(text[span.start : span.end]))
            for span in spans
            if (problem := surface_problem(text[span.start : span.end]))
        ]
        if problem := surface_problem(text):
            faults.append(Fault(code="sentence_text", message=f"the sentence {problem}", column="text"))
        if faults:
            raise DataError(faults)
        return Rendered(text, tuple(spans), tuple(made.entries))


def make_template(
    row: SentenceRow,
    *,
    recipe: SpanRecipe,
    lexicons: Mapping[str, Lexicon],
    agreement: Agreement,
    joins: Sequence[Join],
) -> Template:
    """Compile ``row`` and prove that it renders; a DataError with its faults, column by column.

    Every slot must be declared, used, and fit at least one entry; a pinned entry must fit its slot; every
    word must agree with every entry that fits. What is wrong in one column hides nothing of the others, as
    far as they can be proved alone.
    """
    try:
        return _made(row, recipe=recipe, lexicons=lexicons, agreement=agreement, joins=joins)
    except DataError as error:
        told = any(fault.code == "markup" for fault in error.faults)
        raise DataError([*error.faults, *(() if told else unbalanced(row.text))]) from None


def _made(
    row: SentenceRow,
    *,
    recipe: SpanRecipe,
    lexicons: Mapping[str, Lexicon],
    agreement: Agreement,
    joins: Sequence[Join],
) -> Template:
    faults: list[Fault] = []
    tree = None
    if row.slots:
        try:
            tree = parse(row, lexicons)
        except DataError as error:
            faults += error.faults
    elif "{{" in row.text:
        faults.append(
            Fault(
                code="slot_undeclared",
                message="the text has a slot, but no slots are declared",
                column="text",
                fix="declare it in the column slots: name = lexicon",
            )
        )
    conditions: dict[str, Condition | None] = {}
    for slot in row.slots:
        try:
            conditions[slot.name] = (
                lexicons[slot.lexicon].condition(slot.condition) if slot.condition else None
            )
        except DataError as error:
            faults += [replace(fault, column="slots") for fault in error.faults]
    marked: list[Entry | None] = []
    for entry in row.entries:
        try:
            marked.append(_marked(entry, lexicons))
        except DataError as error:
            faults += error.faults
    if faults:
        raise DataError(faults)
    template = Template(
        row,
        recipe,
        lexicons,
        agreement,
        joins,
        conditions,
        slot_uses(tree, row, lexicons) if tree is not None else {},
        tuple(marked),
        compiled(tree) if tree is not None else None,
    )
    _prove(template)
    return template


def _prove(template: Template) -> None:
    row = template.row
    faults: list[Fault] = []
    for slot in row.slots:
        try:
            if not template.candidates[slot.name]:
                faults.append(_unfilled(template, slot))
        except DataError as error:
            raise DataError(
                replace(fault, column="text" if fault.code.startswith("agreement") else "slots")
                for fault in error.faults
            ) from None
        if row.fill:
            try:
                entry = template.entry(slot, row.fill[slot.name])
            except DataError as error:
                faults += error.faults
                continue
            if reason := template.misfit(slot, entry):
                faults.append(
                    Fault(
                        code="fill_misfit",
                        message=f"{entry.id} does not fit the slot {slot.name}",
                        column="fill",
                        found=reason,
                    )
                )
    pinned = [(slot.lexicon, row.fill[slot.name]) for slot in row.slots if row.fill]
    faults += [
        Fault(code="fill_doubled", message=f"{name} stands in two slots", column="fill")
        for lexicon, name in sorted(set(pinned))
        if pinned.count((lexicon, name)) > 1
    ]
    if faults:
        raise DataError(faults)
    template.render(
        template.pinned()
        if row.fill
        else {name: next(iter(fitting.values())) for name, fitting in template.candidates.items()}
    )


def _unfilled(template: Template, slot: Slot) -> Fault:
    lexicon = template.lexicons[slot.lexicon]
    condition = template.conditions[slot.name]
    chosen = lexicon.select(condition)
    reasons: dict[str, int] = {}
    for entry in chosen:
        reason = template.misfit(slot, entry) or ""
        reasons[reason] = reasons.get(reason, 0) + 1
    most = sorted(reasons.items(), key=lambda item: -item[1])[:3]
    return Fault(
        code="slot_unfilled",
        message=f"no entry of {lexicon.name} fits the slot {slot.name}",
        column="slots",
        expected=f"at least one of {len(lexicon.entries)}",
        found="; ".join(f"{count}: {reason}" for reason, count in most)
        or f"nothing satisfies {slot.condition}",
        fix=condition.hint() if condition is not None and not chosen else None,
    )


def _marked(name: str, lexicons: Mapping[str, Lexicon]) -> Entry | None:
    """The entry that a hand-written row names: ``id``, or ``lexicon:id``."""
    lexicon_name, colon, entry_id = name.partition(":")
    among = [lexicon for lexicon in lexicons.values() if lexicon.declaration.labelled]
    if colon:
        among = [lexicon for lexicon in among if lexicon.name == lexicon_name]
    else:
        entry_id = name
    found = [lexicon.entries[entry_id] for lexicon in among if entry_id in lexicon.entries]
    if len(found) == 1:
        return found[0]
    known = [entry for lexicon in among for entry in lexicon.entries]
    hint = nearest(entry_id, known)
    raise DataError(
        Fault(
            code="unknown_entry" if not found else "ambiguous_entry",
            message=f"{len(found) or 'no'} lexicon{'s have' if found else ' has'} an entry {name}",
            column="entry",
            fix="write lexicon:id" if found else f"did you mean {hint}?" if hint else None,
        )
    )
