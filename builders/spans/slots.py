"""The syntax of templates: Jinja2 whose slots stay objects until the text is put together.

The environment is like Jinja2's NativeEnvironment: what a slot gives is yielded as an object, not as a
string, so the span is known while the text grows and is never searched for. A template may hold slots,
their forms and features, ``agree(...)``, the filter ``initial`` and constants; statements, loops, calls and
arithmetic are refused when it is parsed, so rendering always ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import jinja2
from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.nativetypes import NativeCodeGenerator
from jinja2.sandbox import ImmutableSandboxedEnvironment

from probeta.builders.spans.lexicon import Entry, Lexicon
from probeta.builders.spans.sentences import SentenceRow
from probeta.errors import DataError, Fault, nearest


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


def initial(value: Output | str) -> Output | str:
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
_ENVIRONMENT.filters = {"initial": initial}
_ENVIRONMENT.globals.clear()


class Use(NamedTuple):
    """One way in which a template uses a slot: a form, a feature, or a word that agrees with a form."""

    kind: str
    name: str
    word: str = ""


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


def parse(row: SentenceRow, lexicons: Mapping[str, Lexicon]) -> nodes.Template:
    """The syntax tree of a row's text; a DataError with what a template cannot hold."""
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
    names = [slot.name for slot in row.slots]
    for node in tree.find_all(nodes.Call):
        if not _is_agree(node):
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
        for name in sorted(set(names) - used)
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


def _is_agree(node: nodes.Call) -> bool:
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


def slot_uses(
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


def compiled(tree: nodes.Template) -> jinja2.Template:
    """Jinja2's code for a parsed template."""
    code = _ENVIRONMENT.compile(tree)
    return jinja2.Template.from_code(_ENVIRONMENT, code, _ENVIRONMENT.make_globals(None), None)
