"""What a perturbation is: a named, span-preserving change of a sentence, given as edits.

Write one as a small class and hand its file to ``probeta perturb --plugin FILE.py`` (or publish it under
the entry point group ``probeta.perturbations``)::

    from dataclasses import dataclass

    from probeta.builders.spans.perturbation import Perturbation
    from probeta.offsets import Edit


    @dataclass(frozen=True, kw_only=True)
    class Shout(Perturbation):
        \"\"\"Every full stop outside the spans becomes exclamation marks.\"\"\"

        name = "shout"
        marks: int = 3

        def edits(self, sentence, *, value, seed):
            inside = {at for span in sentence.spans for at in range(span.start, span.end)}
            stops = [at for at, char in enumerate(sentence.text) if char == "." and at not in inside]
            return [Edit(at, at + 1, "!" * self.marks) for at in stops]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from typing import Any, ClassVar, Literal, NamedTuple, get_args, get_origin, get_type_hints

from probeta.errors import DataError, Fault, one_of
from probeta.offsets import Edit, apply_edits
from probeta.records import Sentence, Span, span_faults


class Variant(NamedTuple):
    """A changed text with its spans; ``record`` says what was met on the way and would else be lost."""

    text: str
    spans: tuple[Span, ...]
    record: Mapping[str, Any] | None = None


class Perturbation(ABC):
    """Base of every perturbation; a subclass with parameters is a frozen dataclass, they are its fields.

    ``name`` is its name in commands, recipes and ids. ``values`` are its values where it is a dimension of
    a grid; the first one leaves a sentence as it is. ``seeded`` says that the outcome depends on the seed,
    which then stands among the parameters of a row.
    """

    name: ClassVar[str]
    values: ClassVar[tuple[str, ...]] = ("no", "yes")
    seeded: ClassVar[bool] = False

    @abstractmethod
    def edits(self, sentence: Sentence, *, value: str, seed: int) -> Sequence[Edit]:
        """The edits, sorted and not overlapping, that make ``value`` of ``sentence``.

        It is not called for the first value, which changes nothing.
        A random draw is keyed by (seed, name, ``sentence.id``): ``probeta.randomness.keyed``. The id stays
        the base sentence's where several dimensions are applied in turn.
        """

    def variants(self, versions: Sequence[Sentence], *, values: Sequence[str], seed: int) -> list[Variant]:
        """Each version of one base sentence under each of ``values``, values varying fastest.

        Spans go through the offset map. Raises a DataError where an edit swallows a span. A subclass may
        override this by something faster that gives the same result.
        """
        return [self.variant(sentence, value=value, seed=seed) for sentence in versions for value in values]

    def variant(self, sentence: Sentence, *, value: str, seed: int) -> Variant:
        """The sentence under one value: unchanged under the first one, else by its edits."""
        if value == self.values[0]:
            return Variant(sentence.text, sentence.spans)
        return self.edited(sentence, value=value, seed=seed)

    def edited(self, sentence: Sentence, *, value: str, seed: int) -> Variant:
        """The sentence with the edits of ``value`` applied."""
        edits = self.edits(sentence, value=value, seed=seed)
        if not edits:
            return Variant(sentence.text, sentence.spans)
        text, moved = apply_edits(sentence.text, edits)
        spans = tuple(moved.span(span) for span in sentence.spans)
        if faults := span_faults(text, spans, row=sentence.id):
            raise DataError(
                Fault(
                    code="perturbation_span",
                    message=f"the perturbation {self.name} ({value}) loses a span",
                    row=sentence.id,
                    column="spans",
                    expected="edits that leave something of every span",
                    found=f"{faults[0].code} in {text!r}",
                )
            )
        return Variant(text, spans)

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, in the order of their declaration."""
        return {name: getattr(self, name) for name in parameter_names(type(self))}

    def chosen(self) -> dict[str, Any]:
        """The parameters that do not have their default value."""
        defaults = {field.name: field.default for field in _fields(type(self))}
        return {name: value for name, value in self.parameters().items() if value != defaults[name]}


def _fields(cls: type) -> tuple[Field[Any], ...]:
    return fields(cls) if is_dataclass(cls) else ()


def parameter_names(cls: type) -> list[str]:
    """The names of a perturbation's parameters: the fields of the dataclass that it is, if it is one."""
    return [field.name for field in _fields(cls)]


def literal_choices(cls: type) -> Mapping[str, tuple[str, ...]]:
    """The values that each ``Literal`` field of a dataclass may have, by field."""
    hints = get_type_hints(cls)
    return {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Literal}


def check_literals(instance: Any) -> None:
    """Raise a UsageError, with the nearest right word, for a ``Literal`` field with another value."""
    for name, choices in literal_choices(type(instance)).items():
        one_of(getattr(instance, name), choices, what=name)
