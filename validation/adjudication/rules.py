"""Keep rules: which items stay in the validated set, and how many would stay by chance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Literal

from probeta.validation.aggregation.votes import State

#: Why an item is kept or not; ``matches`` and ``agreed`` and ``adjudicated`` keep it.
REASONS = {
    "matches": "the votes' winner is the original label",
    "tie_matches": "the original label is among the labels that tie for the most votes",
    "agreed": "the votes have a winner",
    "adjudicated": "an adjudicator decided",
    "differs": "the votes' winner is another label than the original",
    "adjudicated_differs": "an adjudicator decided for another label than the original",
    "tie": "several labels, or a span, have equally many votes",
    "minority": "no label has more than half of the votes",
    "too_few": "too few annotators gave a label",
    "abstained": "annotators answered, but none gave a label",
    "no_original": "there is no original label to compare with",
}

KEPT_REASONS = ("matches", "tie_matches", "agreed", "adjudicated")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepRule:
    """When an item is kept.

    ``name``: ``original_matches_votes`` keeps an item whose original label is the votes' winner: only
    items whose original label matches the majority of human labels are retained. ``votes_agree`` keeps
    every item with a winner. ``votes``: ``plurality`` (most
    votes, one label) or ``majority`` (also more than half). ``ties``: ``drop``, or ``keep`` an item whose
    original label is among those that tie for the most votes. ``abstentions``: ``ignore``, or ``count``
    them among the votes of which more than half is asked. ``at_least`` labels are needed.
    """

    name: Literal["original_matches_votes", "votes_agree"] = "original_matches_votes"
    votes: Literal["plurality", "majority"] = "majority"
    ties: Literal["drop", "keep"] = "drop"
    abstentions: Literal["ignore", "count"] = "ignore"
    at_least: int = 2

    def text(self) -> str:
        """The rule in one line, as reports show it."""
        return (
            f"{self.name}: {self.votes}, ties {self.ties}, abstentions {self.abstentions}, "
            f"at least {self.at_least} labels"
        )

    def reason(self, *, state: State, winner: str | None, tied: frozenset[str], original: str | None) -> str:
        """The reason code of an item, from the state of its votes and its original label."""
        if self.name == "votes_agree":
            return "agreed" if state is State.UNIQUE else str(state)
        if original is None:
            return "no_original"
        if state is State.UNIQUE:
            return "matches" if winner == original else "differs"
        if state is State.TIE and self.ties == "keep" and original in tied:
            return "tie_matches"
        return str(state)

    def chance(self, *, votes: int, abstained: int, labels: int) -> float:
        """The chance that an item is kept if every annotator who voted had drawn a label blindly.

        Each of ``votes`` labels is drawn with equal chances among ``labels``, independently. Exact, by
        counting the draws in which the original label (one fixed label) meets the rule.

        >>> KeepRule().chance(votes=3, abstained=0, labels=4)  # 2 or 3 of 3: 3 * 1/16 * 3/4 + 1/64
        0.15625
        """
        if votes < max(1, self.at_least) or not labels:
            return 0.0
        asked = votes + (abstained if self.abstentions == "count" else 0)
        favourable = 0
        for own in range(1, votes + 1):
            others = votes - own
            strict = _draws(others, labels - 1, own - 1)
            tied = _draws(others, labels - 1, own) - strict
            ways = strict if self.votes == "plurality" or 2 * own > asked else 0
            ways += tied if self.ties == "keep" and self.name == "original_matches_votes" else 0
            favourable += comb(votes, own) * ways
        share = float(favourable / labels**votes)
        return share if self.name == "original_matches_votes" else share * labels


@lru_cache(maxsize=4096)
def _draws(votes: int, labels: int, most: int) -> int:
    """In how many sequences of ``votes`` draws from ``labels`` no label comes more than ``most`` times."""
    if labels == 0:
        return int(votes == 0)
    if most < 0:
        return 0
    # Exponential generating function, one label after the other, kept in whole numbers.
    ways = [1] + [0] * votes
    for _ in range(labels):
        ways = [
            sum(comb(total, own) * ways[total - own] for own in range(min(most, total) + 1))
            for total in range(votes + 1)
        ]
    return ways[votes]
