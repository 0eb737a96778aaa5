"""The ledger: for every item its votes, winner, original label, whether it is kept, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from probeta.validation.adjudication.rules import KEPT_REASONS, KeepRule
from probeta.validation.aggregation.votes import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One item. ``gold`` is the label or the spans that won, None without a winner.

    ``votes`` maps what was voted for to the annotators; ``confidence`` is the winner's posterior or share
    of votes where the method gives one.
    """

    item: str
    votes: Mapping[str, tuple[str, ...]]
    abstained: tuple[str, ...] = ()
    state: State
    gold: Any = None
    original: Any = None
    reason: str
    confidence: float | None = None

    @property
    def kept(self) -> bool:
        """Whether the item is in the validated set."""
        return self.reason in KEPT_REASONS

    @property
    def number(self) -> int:
        """How many labels were given."""
        return sum(map(len, self.votes.values()))

    @property
    def disagrees(self) -> bool:
        """Whether annotators gave different answers."""
        return len(self.votes) > 1

    def row(self) -> dict[str, Any]:
        """The entry as a flat row of ``ledger.csv``."""
        return {
            "item": self.item,
            "votes": "; ".join(f"{vote}: {', '.join(who)}" for vote, who in sorted(self.votes.items())),
            "counts": "; ".join(f"{vote}: {len(who)}" for vote, who in sorted(self.votes.items())),
            "abstained": ", ".join(self.abstained),
            "state": str(self.state),
            "gold": shown(self.gold),
            "confidence": "" if self.confidence is None else f"{self.confidence:.6f}",
            "original": shown(self.original),
            "kept": "yes" if self.kept else "no",
            "reason": self.reason,
        }


#: Columns of ``ledger.csv``.
LEDGER_COLUMNS = (
    "item",
    "votes",
    "counts",
    "abstained",
    "state",
    "gold",
    "confidence",
    "original",
    "kept",
    "reason",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """All entries, sorted by item, with the rule and the method that made them."""

    entries: tuple[Entry, ...]
    rule: KeepRule
    method: str
    labels: tuple[str, ...]
    kind: str
    details: Mapping[str, Any] = field(default_factory=dict)

    def with_entries(self, entries: Mapping[str, Entry]) -> Ledger:
        """The ledger with some entries replaced, by item."""
        return replace(self, entries=tuple(entries.get(entry.item, entry) for entry in self.entries))


def shown(value: Any) -> str:
    """A label, or spans, as one cell: ``0-4 ENG; 9-12 ENG``; an empty set of spans is ``(no span)``."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return "; ".join(f"{start}-{end} {label}" for start, end, label in value) or "(no span)"
