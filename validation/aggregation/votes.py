"""Majority and plurality with the state of every item; ties are never broken in silence."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[Any]


class State(StrEnum):
    """What the votes on an item amount to.

    ``unique``: one label won by the rule; ``tie``: the most votes went to several labels; ``minority``:
    one label has the most votes but not more than half of them (under ``majority``); ``too_few``: fewer
    votes than the rule asks for; ``abstained``: annotators answered, but nobody gave a label.
    """

    UNIQUE = "unique"
    TIE = "tie"
    MINORITY = "minority"
    TOO_FEW = "too_few"
    ABSTAINED = "abstained"


class Votes(NamedTuple):
    """Per item: the winning label's code (-1 without one), the state, the winner's votes and all votes."""

    label: npt.NDArray[np.intp]
    state: list[State]
    best: Counts
    total: Counts


def count_votes(
    counts: Counts,
    *,
    rule: str = "plurality",
    at_least: int = 1,
    abstentions: Counts | None = None,
    count_abstentions: bool = False,
) -> Votes:
    """The outcome of label ``counts`` (items, labels).

    ``plurality``: the label with the most votes, if it is one; ``majority``: it must also have more than
    half of the votes, abstentions among them if ``count_abstentions``. ``at_least`` votes are needed.
    Weighted counts are allowed; the sums decide.

    >>> [str(state) for state in count_votes(np.array([[2, 1], [1, 1], [0, 0]])).state]
    ['unique', 'tie', 'too_few']
    """
    total = counts.sum(axis=1)
    away = np.zeros(len(counts)) if abstentions is None else abstentions
    best = counts.max(axis=1, initial=0)
    # Weighted sums differ in the last bits by order of adding: equal means equal to rounding.
    winners = np.isclose(counts, best[:, None], rtol=1e-9, atol=0) & (counts > 0)
    label = np.where(winners.sum(axis=1) == 1, winners.argmax(axis=1) if counts.shape[1] else -1, -1)
    needed = (total + away if count_abstentions else total) / 2
    # The first that holds decides.
    rules = [
        (State.ABSTAINED, (total == 0) & (away > 0)),
        (State.TOO_FEW, (total < at_least) | (total == 0)),
        (State.TIE, label < 0),
        (State.MINORITY, (best <= needed) & (rule == "majority")),
    ]
    order = [state for state, _ in rules] + [State.UNIQUE]
    chosen = np.select([holds for _, holds in rules], range(len(rules)), default=len(rules))
    return Votes(np.where(chosen == len(rules), label, -1), [order[index] for index in chosen], best, total)
