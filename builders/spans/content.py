"""Everything that a recipe's tables hold, read and proved together: all faults of all files at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from probeta.builders.spans.agreement import Agreement, read_agreement
from probeta.builders.spans.dimensions import family_faults, perturbation_faults
from probeta.builders.spans.joins import Join, read_joins
from probeta.builders.spans.lexicon import Lexicon, read_lexicon
from probeta.builders.spans.markup import unbalanced
from probeta.builders.spans.sentences import SPLIT, SentenceRow, read_sentences
from probeta.builders.spans.templates import Template, make_template
from probeta.errors import DataError, Fault
from probeta.recipe.schema import SpanRecipe

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Content:
    """The lexicons by name and the templates (hand-written rows among them) in the tables' order.

    ``held_back`` are the rows of splits that stay on this machine; ``templates`` does not have them, so that
    nothing that is published or counted comes from them.
    """

    recipe: SpanRecipe
    lexicons: Mapping[str, Lexicon]
    agreement: Agreement
    joins: Sequence[Join]
    templates: Sequence[Template]
    held_back: Sequence[Template] = ()

    def cell(self, key: tuple[str, ...]) -> list[Template]:
        """The templates of one cell."""
        return [template for template in self.templates if template.row.cell == key]

    def claim(self, span_attributes: Mapping[str, str | None]) -> str | None:
        """The author's reason why the attributes of a span's entry differ from the automatic ones."""
        lexicon, entry = span_attributes.get("lexicon"), span_attributes.get("entry")
        if lexicon is None or entry is None or (column := self.recipe.lexicons[lexicon].claims) is None:
            return None
        return self.lexicons[lexicon].entries[entry].columns.get(column, "").strip() or None


def load_content(recipe: SpanRecipe) -> Content:
    """Read the tables of ``recipe``; a DataError with every fault, each with file, row and column."""
    faults = [*perturbation_faults(recipe), *family_faults(recipe)]

    def attempt(read: Callable[[], T]) -> T | None:
        try:
            return read()
        except DataError as error:
            faults.extend(error.faults)
            return None

    lexicons = {}
    for name in recipe.lexicons:
        lexicon = attempt(partial(read_lexicon, recipe, name))
        if lexicon is not None:
            lexicons[name] = lexicon
    agreement = attempt(lambda: read_agreement(recipe))
    joins = attempt(lambda: read_joins(recipe))
    rows, row_faults = read_sentences(recipe)
    faults += row_faults
    templates: list[Template] = []
    if agreement is not None and joins is not None and len(lexicons) == len(recipe.lexicons):
        for row in rows:
            try:
                template = make_template(
                    row, recipe=recipe, lexicons=lexicons, agreement=agreement, joins=joins
                )
            except DataError as error:
                faults += [_placed(fault, row) for fault in error.faults]
                continue
            templates.append(template)
        faults += _doubled_texts(templates)
    else:
        faults += [_placed(fault, row) for row in rows for fault in unbalanced(row.text)]
    if faults or agreement is None or joins is None:
        raise DataError(faults)
    public = [template for template in templates if template.row.split == SPLIT]
    held_back = [template for template in templates if template.row.split != SPLIT]
    return Content(recipe, lexicons, agreement, joins, public, held_back)


def _placed(fault: Fault, row: SentenceRow) -> Fault:
    return replace(fault, file=row.file, row=row.line, column=fault.column or "text")


def _doubled_texts(templates: Sequence[Template]) -> Iterator[Fault]:
    """Hand-picked rows that give the same text."""
    seen: dict[str, Template] = {}
    for template in templates:
        if template.row.hand_picked:
            text = template.render(template.pinned()).text
            other = seen.setdefault(text, template).row
            if other is not template.row:
                yield _placed(
                    Fault(
                        code="doubled_text",
                        message=f"the sentence stands twice: {text}",
                        found=f"already {other.id} in {other.file}:{other.line}",
                    ),
                    template.row,
                )
