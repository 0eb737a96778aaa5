"""Which document goes to which split: greedy by size, each to the split that lacks its classes most.

A hash of the id would let the smallest class of a corpus swing by half between splits; taking documents from
the largest down loses well under one per cent of the pairs that balancing could keep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from probeta.builders.pairs.records import number


def assign(
    documents: Sequence[tuple[int, str, Sequence[int]]],
    shares: Mapping[str, float],
    *,
    seed: int,
    corpus: str,
) -> dict[int, str]:
    """Documents of one corpus to splits; each is (key, id, linking pairs by class).

    A document's place in the order depends on its size and, between equals, on a draw keyed by its id; never
    on the order of arrival. Documents without a linking pair follow the draw alone.

    >>> found = assign([(0, "a", [8]), (1, "b", [1]), (2, "c", [1])], {"train": 0.8, "test": 0.2}, seed=1, corpus="c")
    >>> found[0], sorted((found[1], found[2]))
    ('train', ['test', 'test'])
    """
    names = list(shares)
    classes = len(documents[0][2]) if documents else 0
    totals = [sum(sizes[label] for _, _, sizes in documents) for label in range(classes)]
    drawn = [(number("split", str(seed), corpus, name), key, sizes) for key, name, sizes in documents]
    ordered = sorted(drawn, key=lambda one: (-sum(one[2]), one[0]))
    assigned: dict[int, str] = {}
    # What each split still lacks of each class, as a share of its target; weighted by the class's rarity.
    lacking = [[1.0 if total else 0.0 for total in totals] for _ in names]
    steps = [[1 / (shares[name] * total) if total else 0.0 for total in totals] for name in names]
    rarity = [1 / total if total else 0.0 for total in totals]
    for draw, key, sizes in ordered:
        if not any(sizes):
            assigned[key] = _by_draw(draw, shares)
            continue
        weights = [size * weight for size, weight in zip(sizes, rarity, strict=True)]
        best, score = 0, float("-inf")
        for at, lack in enumerate(lacking):
            value = sum(map(float.__mul__, weights, lack))
            if value > score:
                best, score = at, value
        lack, step = lacking[best], steps[best]
        for label, size in enumerate(sizes):
            if size:
                lack[label] -= size * step[label]
        assigned[key] = names[best]
    return assigned


def _by_draw(draw: int, shares: Mapping[str, float]) -> str:
    point = draw / 2**64
    for name, share in shares.items():
        point -= share
        if point < 0:
            return name
    return list(shares)[-1]
