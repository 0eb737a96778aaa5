"""Neutral pairs inside a document, by the four strategies of ESNLIR.

``both_random`` joins two unused sentences, ``first_random`` a used premise with an unused sentence,
``second_random`` an unused sentence with a used hypothesis, ``both_entailed`` the premise of one linking pair
with the hypothesis of another. The texts stand in different paragraphs, more than ``separation`` sentences
apart; a pair is refused if it is also a linking pair or if its two texts are one sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from random import Random
from typing import NamedTuple

from probeta.builders.pairs.filters import ratio_passes
from probeta.builders.pairs.records import Candidate, Text, fold_text
from probeta.recipe.pairs import Strategy


class NeutralPair(NamedTuple):
    """Two texts and the strategy that joined them."""

    strategy: Strategy
    first: Text
    second: Text


def random_slots(linking: int) -> int:
    """How many pairs with an unused sentence a document makes: enough for the smallest class, half as many
    as its linking pairs, since the smallest of three classes has at most a third of them."""
    return ceil(linking / 2)


def unused_needed(linking: int) -> tuple[int, int]:
    """Unused sentences to draw for the premise's and the hypothesis's role; some will fail the tagger."""
    slots = random_slots(linking)
    return ceil(slots * 0.9) + 1, ceil(slots * 0.9) + 1


def neutral_pairs(
    linking: Sequence[Candidate],
    premises: Sequence[Text],
    hypotheses: Sequence[Text],
    *,
    rng: Random,
    strategies: Sequence[Strategy],
    separation: int,
    max_ratio: float | None,
) -> Iterator[NeutralPair]:
    """The neutral pairs of one document; strategies take turns, an unused sentence is used once."""
    if not linking:
        return
    known = {(fold_text(c.premise.text), fold_text(c.hypothesis.text)) for c in linking}
    used_premises = [candidate.premise for candidate in linking]
    used_hypotheses = [candidate.hypothesis for candidate in linking]
    for role in (used_premises, used_hypotheses):
        rng.shuffle(role)
    free_premises, free_hypotheses = list(premises), list(hypotheses)
    sources: dict[Strategy, tuple[list[Text], list[Text]]] = {
        "both_random": (free_premises, free_hypotheses),
        "first_random": (used_premises, free_hypotheses),
        "second_random": (free_premises, used_hypotheses),
        "both_entailed": (list(used_premises), list(used_hypotheses)),
    }

    def fits(first: Text, second: Text) -> bool:
        if first.place.paragraph == second.place.paragraph or abs(first.order - second.order) <= separation:
            return False
        folded = fold_text(first.text), fold_text(second.text)
        return (
            folded[0] != folded[1]
            and folded not in known
            and ratio_passes(first.text, second.text, max_ratio)
        )

    def join(strategy: Strategy) -> NeutralPair | None:
        firsts, seconds = sources[strategy]
        for first in firsts:
            for second in seconds:
                if fits(first, second):
                    known.add((fold_text(first.text), fold_text(second.text)))
                    firsts.remove(first)
                    seconds.remove(second)
                    return NeutralPair(strategy, first, second)
        return None

    turning = [strategy for strategy in strategies if strategy != "both_entailed"]
    if turning:
        offset = rng.randrange(len(turning))
        turning = turning[offset:] + turning[:offset]
        for turn in range(random_slots(len(linking))):
            order = turning[turn % len(turning) :] + turning[: turn % len(turning)]
            pair = next((pair for strategy in order if (pair := join(strategy))), None)
            if pair is None:
                break
            yield pair
    if "both_entailed" in strategies:
        wanted = ceil(len(linking) / (4 if turning else 1))
        for _ in range(wanted):
            pair = join("both_entailed")
            if pair is None:
                break
            yield pair
