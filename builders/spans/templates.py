"""Templates with slots: Jinja2 text whose slots stay objects until the text is put together.

The environment is like Jinja2's NativeEnvironment: what a slot gives is yielded as an object, not as a
string, so the span is known while the text grows and is never searched for. A template may hold slots,
their forms and features, ``agree(...)``, the filter ``initial`` and constants; statements, loops, calls and
arithmetic are refused when it is parsed, so rendering always ends.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import jinja2
from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.nativetypes import NativeCodeGenerator
from jinja2.sandbox import ImmutableSandboxedEnvironment

from probeta.builders.spans.agreement import Agreement
from probeta.builders.spans.joins import Join, apply_joins
from probeta.builders.spans.lexicon import Condition, Entry, Lexicon, surface_problem
from probeta.builders.spans.markup import scan
from probeta.builders.spans.sentences import SentenceRow, Slot
from probeta.errors import DataError, Fault, nearest
from probeta.recipe.schema import SpanRecipe
from probeta.records import Span


class Rendered(NamedTuple):
    """A finished text, its spans in order, and the entry behind each span (None where none is named)."""

    text: str
    spans: tuple[Span, ...]
    entries: tuple[Entry | None, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """What a slot, a feature or an agreement word puts into the text."""

    text: str
    entry: Entry | None = None


@dataclass(frozen=True, slots=True)
class SlotOutput(Output):
    """A form of an entry; ``lexicon`` and ``form`` say which."""

    lexicon: Lexicon | None = None
    form: str = ""

    def member(self, name: str) -> Output:
        """``{{ slot.name }}``: another form of the entry, or a feature as plain text."""
        assert self.lexicon is not None and self.entry is not None
        if name in self.entry.forms:
            return replace(self, text=self.entry.forms[name] or "", form=name)
        return Output(self.entry.columns[name].strip())


def _initial(value: Output | str) -> Output | str:
    """Upper-case the first letter; later letters stay as they are."""
    text = value if isinstance(value, str) else value.text
    raised = text[:1].upper() + text[1:]
    return raised if isinstance(value, str) else replace(value, text=raised)


class _Environment(ImmutableSandboxedEnvironment):
    code_generator_class = NativeCodeGenerator

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, SlotOutput):
            return obj.member(attribute)
        raise SecurityError(f"no access to {attribute}")


# A comment would swallow text such as {#1}; its delimiters are moved out of the way.
_ENVIRONMENT = _Environment(
    undefined=jinja2.StrictUndefined,
    comment_start_string="{\ue000#",
    comment_end_string="#\ue000}",
    keep_trailing_newline=True,
)
_ENVIRONMENT.filters = {"initial": _initial}
_ENVIRONMENT.globals.clear()


class Use(NamedTuple):
    """One way in which a template uses a slot: a form, a feature, or a word that agrees with a form."""

    kind: str
    name: str
    word: str = ""


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
        return None

    def key(self, slot: Slot, entry: Entry) -> tuple[str, ...]:
        """What ``entry`` puts into the text, use by use: equal keys give equal texts."""
        lexicon = self.lexicons[slot.lexicon]
        values = []
        for use in self.uses[slot.name]:
            if use.kind == "agree":
                values.append(self.agreement.form(use.word, lexicon.form_features(entry, use.name)))
            else:
                values.append(SlotOutput("", entry, lexicon).member(use.name).text)
        return tuple(values)

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
        return self._finish(self._assemble(self._pieces(fill)))

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

    def _assemble(self, pieces: Iterator[str | Output]) -> _Assembly:
        made = _Assembly(self)
        for piece in pieces:
            if isinstance(piece, Output):
                made.output(piece)
            else:
                for mark in scan(piece):
                    made.mark(mark.kind, mark.text)
        return made

    def _finish(self, made: _Assembly) -> Rendered:
        if made.opened is not None:
            raise DataError(_markup("the span is not closed", expected="]]"))
        if made.marks != len(self.row.entries) and self.row.entries:
            raise DataError(
                Fault(
                    code="entry_count",
                    message="the entries do not match the marked spans",
                    column="entry",
                    expected=f"{made.marks}",
                    found=f"{len(self.row.entries)}",
                )
            )
        text, spans = apply_joins("".join(made.parts), made.spans, made.borders, self.joins)
        faults = [
            _markup(f"a span {problem}", found=repr(text[span.start : span.end]))
            for span in spans
            if (problem := surface_problem(text[span.start : span.end]))
        ]
        if problem := surface_problem(text):
            faults.append(Fault(code="sentence_text", message=f"the sentence {problem}", column="text"))
        if faults:
            raise DataError(faults)
        return Rendered(text, tuple(spans), tuple(made.entries))


class _Assembly:
    """The text while it grows, with its spans, their entries, and the borders where joins may apply."""

    def __init__(self, template: Template) -> None:
        self.template = template
        self.parts: list[str] = []
        self.length = 0
        self.spans: list[Span] = []
        self.entries: list[Entry | None] = []
        self.borders: list[int] = []
        self.opened: int | None = None
        self.marks = 0

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def output(self, piece: Output) -> None:
        start = self.length
        self.borders.append(start)
        self.add(piece.text)
        self.borders.append(self.length)
        if piece.entry is not None and piece.entry.label is not None:
            if self.opened is not None:
                raise DataError(_markup("a labelled slot stands inside a marked span: the spans overlap"))
            self.spans.append(Span(start, self.length, piece.entry.label))
            self.entries.append(piece.entry)

    def mark(self, kind: str, text: str) -> None:
        if kind == "text":
            self.add(text)
        elif kind == "open":
            if self.opened is not None:
                raise DataError(_markup("a span opens inside a span: the spans overlap", expected="]]"))
            self.opened = self.length
        else:
            self._close(text)

    def _close(self, label: str) -> None:
        if self.opened is None:
            raise DataError(_markup("]] closes a span that was not opened", expected="[["))
        if self.opened == self.length:
            raise DataError(_markup("the span is empty", found="[[]]"))
        template = self.template
        marked = template.marked
        entry = marked[self.marks] if self.marks < len(marked) else None
        self.spans.append(Span(self.opened, self.length, self._label(label, entry)))
        self.entries.append(entry)
        if entry is not None:
            self._surface("".join(self.parts)[self.opened :], entry)
        self.marks += 1
        self.opened = None

    def _label(self, label: str, entry: Entry | None) -> str:
        labels = self.template.recipe.labels
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
        if not any(surface in (form, _initial(form)) for form in forms):
            raise DataError(
                Fault(
                    code="entry_surface",
                    message=f"the span is no form of the entry {entry.id}",
                    column="entry",
                    expected=" or ".join(forms),
                    found=surface,
                )
            )


def _markup(message: str, **details: str) -> Fault:
    return Fault(code="markup", message=message, column="text", **details)


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
    word must agree with every entry that fits.
    """
    faults: list[Fault] = []
    tree = None
    if row.slots:
        tree = _parse(row, lexicons)
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
    if faults:
        raise DataError(faults)
    template = Template(
        row,
        recipe,
        lexicons,
        agreement,
        joins,
        conditions,
        _uses(tree, row, lexicons) if tree is not None else {},
        tuple(_marked(entry, lexicons) for entry in row.entries),
        jinja2.Template.from_code(
            _ENVIRONMENT, _ENVIRONMENT.compile(tree), _ENVIRONMENT.make_globals(None), None
        )
        if tree is not None
        else None,
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


_IN_TEMPLATES = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.Name,
    nodes.Const,
    nodes.Getattr,
    nodes.Filter,
    nodes.Call,
)


def _syntax(message: str, **details: str | None) -> DataError:
    return DataError(Fault(code="template_syntax", message=message, column="text", **details))


def _parse(row: SentenceRow, lexicons: Mapping[str, Lexicon]) -> nodes.Template:
    try:
        tree = _ENVIRONMENT.parse(row.text)
    except (jinja2.TemplateSyntaxError, RecursionError) as error:
        raise _syntax(f"the template cannot be read: {error}") from None
    for node in tree.find_all(nodes.Node):
        name = type(node).__name__
        if not isinstance(node, _IN_TEMPLATES):
            raise _syntax(
                f"a template cannot hold a {name.lower()}",
                expected="slots, their forms and features, agree(slot, 'word'), | initial",
            )
        if isinstance(node, nodes.Filter) and (node.name != "initial" or node.args or node.kwargs):
            raise _syntax(f"unknown filter {node.name}", expected="initial")
    names = {slot.name for slot in row.slots}
    for node in tree.find_all(nodes.Call):
        if not _is_agree(node, names):
            raise _syntax(
                "the call cannot be read", expected="agree(slot, 'word') or agree(slot.form, 'word')"
            )
    faults = []
    called = {id(node.node) for node in tree.find_all(nodes.Call)}
    used = set()
    for node in tree.find_all(nodes.Name):
        if id(node) in called:
            continue
        used.add(node.name)
        if node.name not in names:
            hint = nearest(node.name, names)
            faults.append(
                Fault(
                    code="slot_undeclared",
                    message=f"the slot {node.name} is not declared",
                    column="text",
                    expected=", ".join(names),
                    fix=f"did you mean {hint}?" if hint else "declare it in the column slots",
                )
            )
    faults += [
        Fault(code="slot_unused", message=f"the slot {name} is not used", column="slots")
        for name in sorted(names - used)
    ]
    lexicon_of = {slot.name: lexicons[slot.lexicon] for slot in row.slots}
    for node in tree.find_all(nodes.Getattr):
        if not isinstance(node.node, nodes.Name):
            raise _syntax("only slots have forms and features", expected="slot.form")
        if node.node.name in lexicon_of:
            faults += _member_faults(node.attr, node.node.name, lexicon_of[node.node.name])
    if faults:
        raise DataError(faults)
    return tree


def _is_agree(node: nodes.Call, slots: set[str]) -> bool:
    if not isinstance(node.node, nodes.Name) or node.node.name != "agree" or len(node.args) != 2:
        return False
    slot, word = node.args
    if isinstance(slot, nodes.Getattr):
        slot = slot.node
    return (
        isinstance(slot, nodes.Name)
        and isinstance(word, nodes.Const)
        and isinstance(word.value, str)
        and not (node.kwargs or node.dyn_args or node.dyn_kwargs)
    )


def _member_faults(name: str, slot: str, lexicon: Lexicon) -> Iterator[Fault]:
    known = [*lexicon.declaration.forms, *lexicon.declaration.features, "id"]
    if name not in known:
        hint = nearest(name, known)
        yield Fault(
            code="unknown_feature",
            message=f"{slot}.{name}: the lexicon {lexicon.name} has no such form or feature",
            column="text",
            expected=", ".join(known),
            fix=f"did you mean {hint}?" if hint else None,
        )


def _uses(
    tree: nodes.Template, row: SentenceRow, lexicons: Mapping[str, Lexicon]
) -> dict[str, tuple[Use, ...]]:
    """How each slot is used, each way once, in the order of the text."""
    lexicon_of = {slot.name: lexicons[slot.lexicon] for slot in row.slots}
    found: dict[str, dict[Use, None]] = {slot.name: {} for slot in row.slots}

    def visit(node: nodes.Node) -> None:
        if isinstance(node, nodes.Call):
            slot, word = node.args
            name, form = _slot_member(slot)
            assert isinstance(word, nodes.Const)
            found[name][Use("agree", form or lexicon_of[name].first_form, word.value)] = None
        elif isinstance(node, nodes.Name | nodes.Getattr):
            name, member = _slot_member(node)
            lexicon = lexicon_of[name]
            member = member or lexicon.first_form
            kind = "form" if member in lexicon.declaration.forms else "feature"
            found[name][Use(kind, member)] = None
        else:
            for child in node.iter_child_nodes():
                visit(child)

    visit(tree)
    return {name: tuple(uses) for name, uses in found.items()}


def _slot_member(node: nodes.Node) -> tuple[str, str | None]:
    if isinstance(node, nodes.Getattr):
        assert isinstance(node.node, nodes.Name)
        return node.node.name, node.attr
    assert isinstance(node, nodes.Name)
    return node.name, None


def distinct_fills(slots: Sequence[tuple[str, frozenset[str]]]) -> int:
    """How many ways there are to fill ``slots`` (lexicon, candidate ids) with different entries of each lexicon.

    Inclusion and exclusion over the partitions of each lexicon's slots: a block of ``b`` slots that take
    the same entry counts ``(-1)^(b-1) (b-1)!`` times the entries that all of them may take.

    >>> distinct_fills([("x", frozenset("ab")), ("x", frozenset("abc")), ("y", frozenset("pq"))])
    8
    """
    total = 1
    for lexicon in dict.fromkeys(name for name, _ in slots):
        sets = [ids for name, ids in slots if name == lexicon]
        ways = 0
        for blocks in _partitions(sets):
            product = 1
            for block in blocks:
                sign = 1
                for step in range(1, len(block)):
                    sign *= -step
                product *= sign * len(frozenset.intersection(*block))
            ways += product
        total *= ways
    return total


def _partitions(items: list[frozenset[str]]) -> Iterator[list[list[frozenset[str]]]]:
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for blocks in _partitions(rest):
        yield [[first], *blocks]
        for at in range(len(blocks)):
            yield [*blocks[:at], [first, *blocks[at]], *blocks[at + 1 :]]


def all_fills(template: Template) -> Iterator[dict[str, Entry]]:
    """Every fill of a template, in the lexicons' order, with different entries of each lexicon."""
    names = [slot.name for slot in template.row.slots]
    choices = [list(template.candidates[name].values()) for name in names]
    for entries in itertools.product(*choices):
        if admissible(entries):
            yield dict(zip(names, entries, strict=True))


def admissible(entries: Sequence[Entry]) -> bool:
    """Whether no entry stands twice."""
    return len({(entry.lexicon, entry.id) for entry in entries}) == len(entries)
