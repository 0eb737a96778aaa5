"""Conditions: expressions of Jinja2's language that choose among the entries of a lexicon.

They run in a sandbox that knows no calls and no arithmetic. One that names an unknown feature, or that
nothing satisfies, is a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import jinja2
from jinja2 import nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from probeta.errors import DataError, Fault, nearest

if TYPE_CHECKING:
    from probeta.builders.spans.lexicon import Entry, Lexicon


class Condition:
    """A compiled expression over the features of a lexicon's entries; call it with an entry."""

    __slots__ = ("_answers", "_call", "expression", "lexicon", "names")

    def __init__(self, expression: str, lexicon: Lexicon) -> None:
        self.expression, self.lexicon = expression, lexicon
        # Many templates ask the same of the same entries.
        self._answers: dict[str, bool] = {}
        known = ["id", *lexicon.declaration.features]
        try:
            tree = _CONDITIONS.parse("{{ (" + expression + ") }}")
            self._call: Callable[..., Any] = _compiled(expression)
        except (jinja2.TemplateSyntaxError, RecursionError) as error:
            raise DataError(
                Fault(
                    code="condition_syntax",
                    message=f"the condition cannot be read: {error}",
                    expected="an expression such as domain == 'sport' and number == 'singular'",
                    found=expression,
                )
            ) from None
        for node in tree.find_all(nodes.Expr):
            known_name = not isinstance(node, nodes.Filter | nodes.Test) or node.name in _FILTERS_AND_TESTS
            if not isinstance(node, _IN_CONDITIONS) or not known_name:
                raise DataError(
                    Fault(
                        code="condition_syntax",
                        message="a condition compares features; it calls nothing",
                        expected="==, !=, <, >, in, and, or, not, is none",
                        found=expression,
                    )
                )
        self.names = {node.name for node in tree.find_all(nodes.Name)}
        faults = []
        for name in sorted(self.names - set(known)):
            hint = nearest(name, known)
            faults.append(
                Fault(
                    code="unknown_feature",
                    message=f"the lexicon {lexicon.name} has no feature {name}",
                    expected=", ".join(known),
                    found=expression,
                    fix=f"did you mean {hint}?" if hint else "quote it, if it is a value",
                )
            )
        if faults:
            raise DataError(faults)

    def __call__(self, entry: Entry) -> bool:
        """Whether the entry satisfies the condition; a DataError where a comparison makes no sense."""
        if entry.id in self._answers:
            return self._answers[entry.id]
        try:
            answer = bool(self._call(id=entry.id, **entry.features))
        except (TypeError, ValueError, ArithmeticError, jinja2.TemplateError) as error:
            raise DataError(
                Fault(
                    code="condition_value",
                    message=f"the condition cannot be tested on the entry {entry.id}: {error}",
                    found=self.expression,
                    fix="an empty cell is null: say 'feature and feature > 3'; declare numbers as number",
                )
            ) from None
        self._answers[entry.id] = answer
        return answer

    def hint(self) -> str | None:
        """Where a compared value is not in the table: the nearest one that is."""
        tree = _CONDITIONS.parse("{{ (" + self.expression + ") }}")
        for compare in tree.find_all(nodes.Compare):
            if not isinstance(compare.expr, nodes.Name):
                continue
            values = self._values(compare.expr.name)
            for wanted in _constants(operand.expr for operand in compare.ops):
                if wanted not in values:
                    near = nearest(wanted, values)
                    return f"{compare.expr.name} is never {wanted}" + (
                        f"; did you mean {near}?" if near else f"; it is {_some(values)}"
                    )
        return None

    def _values(self, name: str) -> list[str]:
        found = (
            entry.id if name == "id" else entry.features[name] for entry in self.lexicon.entries.values()
        )
        return sorted({str(value) for value in found if value is not None})


def _some(values: Sequence[str]) -> str:
    return ", ".join(values[:8]) + (", …" if len(values) > 8 else "")


def _constants(expressions: Iterable[nodes.Expr]) -> list[str]:
    found = []
    for expression in expressions:
        items = expression.items if isinstance(expression, nodes.List | nodes.Tuple) else [expression]
        found += [
            item.value for item in items if isinstance(item, nodes.Const) and isinstance(item.value, str)
        ]
    return found


#: What a condition may be made of: no calls, no attributes, no arithmetic that could grow without bound.
_IN_CONDITIONS = (
    nodes.Name,
    nodes.Const,
    nodes.List,
    nodes.Tuple,
    nodes.Compare,
    nodes.And,
    nodes.Or,
    nodes.Not,
    nodes.Neg,
    nodes.Filter,
    nodes.Test,
)
_FILTERS_AND_TESTS = ("lower", "upper", "length", "first", "last", "none")

_CONDITIONS = ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined)


@cache
def _compiled(expression: str) -> Callable[..., Any]:
    return _CONDITIONS.compile_expression(expression, undefined_to_none=False)
