"""Base sentences: the hand-picked ones, then seeded draws from the templates of each cell.

A template that several rows share (the same text with other fills) is one template here. Draws are
without replacement, keyed by (seed, template), taken in turn from a cell's templates, and never repeat a
text; drawing more only adds sentences to those of a smaller draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from random import Random
from typing import Any, Literal

from probeta.builders.spans.content import Content, load_content
from probeta.builders.spans.fills import admissible, all_fills, distinct_fills
from probeta.builders.spans.lexicon import Entry
from probeta.builders.spans.sentences import SentenceRow
from probeta.builders.spans.templates import Rendered, Template
from probeta.errors import DataError, Fault
from probeta.randomness import keyed
from probeta.recipe.schema import SpanRecipe
from probeta.records import Sentence

#: Between a template's row id and the entries of a drawn sentence; no row id holds it.
DRAWN = "+"

PerCell = int | Literal["all"] | None

Fill = Mapping[str, Entry]


def generate_base(
    recipe: SpanRecipe,
    *,
    seed: int | None = None,
    per_cell: PerCell = None,
    content: Content | None = None,
) -> Iterator[Sentence]:
    """Yield the base sentences of ``recipe``, cell by cell in the grid's order.

    A cell gives its hand-picked sentences (written out, or templates with a fill) in the tables' order.
    If they are fewer than its target, sentences are drawn up to the target, as far as its templates reach;
    ``per_cell`` draws up to that number in every cell with a target that is not 0, ``"all"`` whatever there
    is. ``seed`` replaces the recipe's. ``content`` saves reading the tables again.

    Each ``Sentence`` has the attributes ``template`` (the row's id, None if written by hand), ``topic``,
    ``author``, ``cell`` (the grid's values in the grid's order), the recipe's sentence attributes, and
    ``span_attributes``: a tuple of mappings, one a span in order, with the recipe's span attributes (from
    the cell, else the lexicon's column of that name, else the row's), ``entry`` (the entry's id or None)
    and ``lexicon``. A drawn sentence's id is ``<row id>+<entry ids joined by +>`` in slot order.

    Raises a DataError with every fault of the tables, or of every cell that has fewer than ``per_cell``
    sentences, before the first sentence is yielded.
    """
    content = load_content(recipe) if content is None else content
    chosen = recipe.seed if seed is None else seed
    cells = [CellPlan(content, key, target) for key, target in recipe.grid.targets().items()]
    if isinstance(per_cell, int):
        faults = [fault for cell in cells if (fault := cell.shortage(per_cell))]
        if faults:
            raise DataError(faults)
    return _sentences(cells, chosen, per_cell)


def _sentences(cells: Sequence[CellPlan], seed: int, per_cell: PerCell) -> Iterator[Sentence]:
    seen: set[str] = set()
    finished = [list(cell.hand_picked_sentences()) for cell in cells]
    seen.update(sentence.text for sentences in finished for sentence in sentences)
    for cell, sentences in zip(cells, finished, strict=True):
        yield from sentences
        goal = cell.goal(per_cell)
        have = len(sentences)
        for sentence in cell.draws(seed):
            if goal is not None and have >= goal:
                break
            if sentence.text not in seen:
                seen.add(sentence.text)
                have += 1
                yield sentence
        if isinstance(per_cell, int) and goal is not None and have < goal:
            raise DataError(cell.short_fault(goal, have))


@dataclass(frozen=True)
class Family:
    """The rows of a cell that share a template text, by slot declaration."""

    templates: Sequence[Template]

    @cached_property
    def variants(self) -> list[Template]:
        """One template for each slot declaration: the first row that has it."""
        found: dict[object, Template] = {}
        for template in self.templates:
            found.setdefault(template.row.slots, template)
        return list(found.values())

    def key(self, template: Template, fill: Fill) -> tuple[tuple[str, ...], ...]:
        """What a fill puts into the text: equal keys give equal texts."""
        return tuple(template.key(slot, fill[slot.name]) for slot in template.row.slots)

    @cached_property
    def size(self) -> int:
        """How many different sentences the family can make."""
        if len(self.variants) == 1:
            template = self.variants[0]
            return distinct_fills(
                [
                    (slot.lexicon, frozenset(e.id for e in template.candidates[slot.name].values()))
                    for slot in template.row.slots
                ]
            )
        return len({self.key(template, fill) for template in self.variants for fill in all_fills(template)})

    def pinned_inside(self) -> int:
        """How many of the family's sentences its hand-picked rows already are."""
        found = set()
        for template in self.templates:
            if template.row.fill:
                key = self.key(template, template.pinned())
                if any(self._reaches(variant, key) for variant in self.variants):
                    found.add(key)
        return len(found)

    @staticmethod
    def _reaches(template: Template, key: tuple[tuple[str, ...], ...]) -> bool:
        entries = []
        for slot, part in zip(template.row.slots, key, strict=True):
            entry = template.candidates[slot.name].get(part)
            if entry is None:
                return False
            entries.append(entry)
        return admissible(entries)

    def draws(self, seed: int) -> Iterator[tuple[Template, Fill]]:
        """Every fill of every variant, in a seeded order, the variants in turn."""
        yield from _in_turn(
            [_draws(template, keyed(seed, "draw", template.row.id)) for template in self.variants]
        )


def _draws(template: Template, random: Random) -> Iterator[tuple[Template, Fill]]:
    names = [slot.name for slot in template.row.slots]
    labelled = [
        slot.name for slot in template.row.slots if template.lexicons[slot.lexicon].declaration.labelled
    ]
    rest = [name for name in names if name not in labelled]
    choices = {name: list(template.candidates[name].values()) for name in names}
    spans_in_all = prod(len(choices[name]) for name in labelled)
    others_in_all = prod(len(choices[name]) for name in rest)
    for spans, others in varied(spans_in_all, others_in_all, random):
        fill = {}
        for group, index in ((labelled, spans), (rest, others)):
            for name in group:
                index, at = divmod(index, len(choices[name]))
                fill[name] = choices[name][at]
        if admissible(list(fill.values())):
            yield template, {name: fill[name] for name in names}


def varied(first: int, second: int, random: Random) -> Iterator[tuple[int, int]]:
    """Every pair of numbers below ``first`` and ``second``, each once, in random order by rounds.

    A round has each first number once, so that the spans of a template vary before what stands around them.
    """
    shifts = shuffled(second, random)
    shift = next(shifts, 0)
    round_ = []
    for number in shuffled(first, random):
        round_.append((number, random.randrange(second)))
        yield number, (round_[-1][1] + shift) % second
    for shift in shifts:
        for number, offset in round_:
            yield number, (offset + shift) % second


def shuffled(count: int, random: Random) -> Iterator[int]:
    """The numbers below ``count`` in random order, each once, without holding them all.

    A Fisher-Yates shuffle that remembers only the places it has touched: memory grows with what is drawn.
    """
    moved: dict[int, int] = {}
    for at in range(count):
        other = random.randrange(at, count)
        yield moved.get(other, other)
        moved[other] = moved.pop(at, at)


def _in_turn(sources: Sequence[Iterator[tuple[Template, Fill]]]) -> Iterator[tuple[Template, Fill]]:
    waiting = list(sources)
    while waiting:
        still = []
        for source in waiting:
            item = next(source, None)
            if item is not None:
                yield item
                still.append(source)
        waiting = still


class CellPlan:
    """One cell: its hand-picked rows, its templates, and how many sentences it can hold."""

    def __init__(self, content: Content, key: tuple[str, ...], target: int) -> None:
        self.recipe, self.key, self.target = content.recipe, key, target
        templates = content.cell(key)
        self.hand_picked = [template for template in templates if template.row.hand_picked]
        families: dict[str, list[Template]] = {}
        for template in templates:
            if template.row.slots:
                families.setdefault(template.identity, []).append(template)
        self.families = [Family(members) for members in families.values()]

    @cached_property
    def maximum(self) -> int:
        """How many different sentences the cell can hold, hand-picked ones among them."""
        texts = {template.render(template.pinned()).text for template in self.hand_picked}
        return len(texts) + sum(family.size - family.pinned_inside() for family in self.families)

    def goal(self, per_cell: PerCell) -> int | None:
        """How many sentences to reach; None for all."""
        if per_cell == "all":
            return None
        return max(self.target, per_cell or 0) if self.target else 0

    def shortage(self, per_cell: int) -> Fault | None:
        """The fault where the cell cannot reach ``per_cell``."""
        goal = self.goal(per_cell) or 0
        return self.short_fault(goal, self.maximum) if self.maximum < goal else None

    def short_fault(self, wanted: int, maximum: int) -> Fault:
        """The fault that says the cell's true maximum."""
        return Fault(
            code="cell_maximum",
            message=f"the cell {', '.join(self.key)} cannot hold {wanted} sentences",
            file=self.recipe.shown("probeta.yaml"),
            row=self.recipe.cell_line(self.key),
            expected=f"at most {maximum}: {len(self.hand_picked)} hand-picked, the rest from "
            f"{len(self.families)} template{'s' if len(self.families) != 1 else ''}",
            found=str(wanted),
            fix="add templates or lexicon entries to the cell, or ask for fewer",
        )

    def hand_picked_sentences(self) -> Iterator[Sentence]:
        """The sentences of the hand-picked rows."""
        for template in self.hand_picked:
            yield _sentence(self.recipe, template, template.row.id, template.render(template.pinned()))

    def draws(self, seed: int) -> Iterator[Sentence]:
        """Sentences from the cell's templates, in a seeded order, the templates in turn."""
        families = list(self.families)
        keyed(seed, "cell", *self.key).shuffle(families)
        for template, fill in _in_turn([family.draws(seed) for family in families]):
            name = DRAWN.join([template.row.id, *(entry.id for entry in fill.values())])
            yield _sentence(self.recipe, template, name, template.render(fill))


def held_back_base(content: Content) -> dict[str, list[Sentence]]:
    """The base sentences of every split that is held back, in the tables' order, as ``generate_base`` has them."""
    found: dict[str, list[Sentence]] = {}
    for template in content.held_back:
        made = _sentence(content.recipe, template, template.row.id, template.render(template.pinned()))
        found.setdefault(template.row.split, []).append(made)
    return found


def is_drawn(sentence_id: str) -> bool:
    """Whether a base sentence was drawn from a template rather than picked by hand."""
    return DRAWN in sentence_id


def _sentence(recipe: SpanRecipe, template: Template, name: str, made: Rendered) -> Sentence:
    row = template.row
    given = dict(zip(recipe.grid.by, row.cell, strict=True)) | dict(row.attributes)
    attributes: dict[str, Any] = {
        "template": row.id if row.slots else None,
        "topic": row.topic,
        "author": row.author,
        "cell": row.cell,
    }
    attributes |= {
        attribute: given.get(attribute)
        for attribute, declared in recipe.attributes.items()
        if declared.level == "sentence"
    }
    attributes["span_attributes"] = tuple(
        _span_attributes(recipe, row, given, entry) for entry in made.entries
    )
    return Sentence(name, made.text, made.spans, attributes)


def _span_attributes(
    recipe: SpanRecipe, row: SentenceRow, given: Mapping[str, str], entry: Entry | None
) -> dict[str, str | None]:
    columns = entry.columns if entry is not None else {}
    found: dict[str, str | None] = {}
    for attribute, declared in recipe.attributes.items():
        if declared.level == "span":
            own = None if attribute in recipe.grid.by else columns.get(attribute, "").strip() or None
            found[attribute] = own or given.get(attribute)
    found["entry"] = entry.id if entry is not None else None
    found["lexicon"] = entry.lexicon if entry is not None else None
    return found
