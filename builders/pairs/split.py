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

    Larger documents come first; which of several with the same sizes goes where is told by a draw keyed by
    the id, never by the order of arrival. Documents without a linking pair follow the draw alone.

    >>> found = assign([(0, "a", [8]), (1, "b", [1]), (2, "c", [1])], {"train": 0.8, "test": 0.2}, seed=1, corpus="c")
    >>> found[0], sorted((found[1], found[2]))
    ('train', ['test', 'test'])
    """
    # Of equals the larger comes first: a corpus of few documents gives to test before validation.
    names = sorted(shares, key=lambda name: -shares[name])
    alike: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for key, name, sizes in documents:
        alike.setdefault(tuple(sizes), []).append((number("split", str(seed), corpus, name), key))
    classes = len(next(iter(alike), ()))
    totals = [
        sum(sizes[label] * len(members) for sizes, members in alike.items()) for label in range(classes)
    ]
    assigned: dict[int, str] = {}
    # What each split still lacks of each class, as a share of its target.
    lacking = {name: [1.0 if total else 0.0 for total in totals] for name in names}
    for sizes in sorted(alike, key=lambda sizes: (-sum(sizes), sizes)):
        members = sorted(alike[sizes])
        if not any(sizes):
            assigned |= {key: _by_draw(draw, shares) for draw, key in members}
            continue
        # A document's worth to a split: what the split lacks of its classes, weighted by their rarity.
        weights = [size / total if total else 0.0 for size, total in zip(sizes, totals, strict=True)]
        worth = {name: sum(map(float.__mul__, weights, lacking[name])) for name in names}
        loss = {name: sum(weight * weight for weight in weights) / shares[name] for name in names}
        taken = dict.fromkeys(names, 0)
        for _, key in members:
            best = max(names, key=worth.__getitem__)
            worth[best] -= loss[best]
            taken[best] += 1
            assigned[key] = best
        for name in names:
            for label, weight in enumerate(weights):
                lacking[name][label] -= taken[name] * weight / shares[name]
    return assigned


def _by_draw(draw: int, shares: Mapping[str, float]) -> str:
    point = draw / 2**64
    for name, share in shares.items():
        point -= share
        if point < 0:
            return name
    return list(shares)[-1]
