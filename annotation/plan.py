"""Who annotates what: balanced designs, sliding windows, and what happens when someone leaves.

A plan maps each item to its annotators. Every item has exactly ``overlap`` different ones and loads
differ by at most one; where it can be, the graph in which annotators are joined by a shared item is
connected, so that no group's agreement hangs in the air.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from math import gcd

from probeta.errors import UsageError, one_of
from probeta.randomness import keyed

DESIGNS = ("balanced", "windows")

Plan = dict[str, tuple[str, ...]]


def plan(
    items: Sequence[str],
    annotators: Sequence[str],
    *,
    overlap: int,
    design: str = "balanced",
    seed: int = 0,
) -> Plan:
    """Assign every item to ``overlap`` of the annotators.

    ``balanced`` lets every two annotators share about as many items. ``windows`` gives each annotator one
    stretch of the items in their order, shifted from the one before so that neighbours share half of it, or
    what is nearest to half (see ``_windows``).

    >>> plan(["p", "q"], ["a", "b"], overlap=2)
    {'p': ('a', 'b'), 'q': ('a', 'b')}
    """
    one_of(design, DESIGNS, what="design")
    if overlap < 1 or overlap > len(annotators):
        raise UsageError(f"an overlap of {overlap} needs as many annotators; there are {len(annotators)}")
    if len(set(annotators)) < len(annotators) or len(set(items)) < len(items):
        raise UsageError("an item or an annotator stands twice in the plan")
    if design == "windows":
        return _windows(items, annotators, overlap)
    return _balanced(items, annotators, overlap, seed)


def _windows(items: Sequence[str], annotators: Sequence[str], overlap: int) -> Plan:
    """One stretch of ``overlap * N / n`` items for each of the n annotators, on the circle of the N items.

    Each begins ``step * N / n`` items behind the one before, so neighbours share ``(overlap - step) / overlap``
    of it. With a step of half the overlap that is half, and the windows go round the circle ``step`` times.
    An odd overlap has no such step: windows half of which is shared cover every item an even number of
    times, so the nearest step that covers every item equally often is taken, the smaller of two.
    """
    n = len(annotators)
    # Beginnings fall on every g-th place g times, g the greatest common divisor; that is even if g divides k.
    steps = [step for step in range(1, max(overlap, 2)) if overlap % gcd(step, n) == 0]
    steps.sort(key=lambda step: (abs(2 * step - overlap), step))
    for step in steps:
        made = _turned(items, annotators, overlap, step)
        # With fewer items than people wide steps can leave groups apart.
        if step == 1 or connected(made, annotators):
            return made
    raise AssertionError("unreachable: a step of one is always among them")


def _turned(items: Sequence[str], annotators: Sequence[str], overlap: int, step: int) -> Plan:
    """Windows ``[sN/n, (s + k)N/n)`` with ``s`` a step farther for each annotator."""
    n, size = len(annotators), len(items)
    chosen: dict[str, list[str]] = {item: [] for item in items}
    for place, annotator in enumerate(annotators):
        first = place * step % n
        for at in range(first * size // n, (first + overlap) * size // n):
            chosen[items[at % size]].append(annotator)
    return {item: tuple(who) for item, who in chosen.items()}


def _balanced(items: Sequence[str], annotators: Sequence[str], overlap: int, seed: int) -> Plan:
    """Fill each item with those who have least; among them join separate groups, then shun known pairs."""
    n = len(annotators)
    load = [0] * n
    together = [[0] * n for _ in range(n)]
    group = list(range(n))
    plan: Plan = {}
    for item in items:
        tie = keyed(seed, "plan", item)
        order = [tie.random() for _ in range(n)]
        chosen: list[int] = []
        while len(chosen) < overlap:
            groups = {group[one] for one in chosen}
            best = min(
                (one for one in range(n) if one not in chosen),
                key=lambda one: (
                    load[one],
                    group[one] in groups,
                    sum(together[one][other] for other in chosen),
                    order[one],
                ),
            )
            chosen.append(best)
        for one in chosen:
            load[one] += 1
            for other in chosen:
                if one != other:
                    together[one][other] += 1
        joined = {group[one] for one in chosen}
        if len(joined) > 1:
            target = min(joined)
            group = [target if mark in joined else mark for mark in group]
        plan[item] = tuple(annotators[one] for one in sorted(chosen))
    return plan


def neighbours_share(plan: Mapping[str, Sequence[str]], annotators: Sequence[str]) -> list[float]:
    """The share of an annotator's items that the next one has too, for each of them, the last one's next
    being the first; none where there are no two annotators.

    >>> neighbours_share({"p": ("a", "b"), "q": ("a",), "r": ("b",)}, ["a", "b"])
    [0.5, 0.5]
    """
    has = {one: {item for item, who in plan.items() if one in who} for one in annotators}
    nexts = [*annotators[1:], *annotators[:1]] if len(annotators) > 1 else []
    return [
        len(has[one] & has[after]) / len(has[one])
        for one, after in zip(annotators, nexts, strict=False)
        if has[one]
    ]


def loads(plan: Mapping[str, Sequence[str]], annotators: Sequence[str]) -> dict[str, int]:
    """How many items each annotator has."""
    counted = Counter(one for who in plan.values() for one in who)
    return {one: counted[one] for one in annotators}


def connected(plan: Mapping[str, Sequence[str]], annotators: Sequence[str]) -> bool:
    """Whether every one of ``annotators`` can be reached from every other one over shared items."""
    group = {one: one for one in annotators}

    def root(one: str) -> str:
        while group[one] != one:
            group[one] = group[group[one]]
            one = group[one]
        return one

    for who in plan.values():
        here = [one for one in who if one in group]
        for one in here[1:]:
            group[root(one)] = root(here[0])
    return len({root(one) for one in annotators}) <= 1


def reassign(
    plan: Mapping[str, Sequence[str]],
    *,
    leaver: str,
    done: Set[str],
    remaining: Sequence[str],
    seed: int = 0,
) -> Plan:
    """The plan when ``leaver`` stops: the items not ``done`` go to the ``remaining`` with least to do.

    What the leaver has done stays theirs. Raises a UsageError where an item has nobody left to go to.
    """
    new: Plan = {item: tuple(who) for item, who in plan.items()}
    count = loads(plan, remaining)
    open_items = [item for item, who in plan.items() if leaver in who and item not in done]
    # Items with the fewest takers first, so that the last ones are not left without any.
    open_items.sort(key=lambda item: (-len(plan[item]), keyed(seed, "leaver", item).random()))
    handed: dict[str, str] = {}
    for item in open_items:
        takers = [one for one in remaining if one not in new[item] and one != leaver]
        if not takers:
            raise UsageError(
                f"nobody is left to take {item}: its other annotators are all there are; name in the same call "
                f"who takes the place: --leaver {leaver} --annotator EMAIL"
            )
        order = keyed(seed, "leaver", item, leaver)
        taker = min(takers, key=lambda one: (count[one], order.random()))
        count[taker] += 1
        new[item] = tuple(taker if one == leaver else one for one in new[item])
        handed[item] = taker
    _level(new, count, handed)
    return new


def _level(plan: Plan, count: dict[str, int], handed: dict[str, str]) -> None:
    """Hand items on once more, from those with most to those with least, while that narrows the gap."""
    while True:
        step = next(
            (
                (item, high, low)
                for high in sorted(count, key=lambda one: (-count[one], one))
                for low in sorted(count, key=lambda one: (count[one], one))
                if count[high] - count[low] > 1
                for item in sorted(handed)
                if handed[item] == high and low not in plan[item]
            ),
            None,
        )
        if step is None:
            return
        item, high, low = step
        plan[item] = tuple(low if one == high else one for one in plan[item])
        handed[item] = low
        count[high] -= 1
        count[low] += 1
