"""The fills of a template: every choice of entries for its slots, and how many there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from probeta.builders.spans.lexicon import Entry
from probeta.builders.spans.templates import Template


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
            choices = 1
            for block in blocks:
                sign = 1
                for step in range(1, len(block)):
                    sign *= -step
                choices *= sign * len(frozenset.intersection(*block))
            ways += choices
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
    for entries in product(*choices):
        if admissible(entries):
            yield dict(zip(names, entries, strict=True))


def admissible(entries: Sequence[Entry]) -> bool:
    """Whether no entry stands twice."""
    return len({(entry.lexicon, entry.id) for entry in entries}) == len(entries)
