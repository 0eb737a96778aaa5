"""The ledger: for every item its votes, winner, original label, whether it is kept, and why."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from probeta.validation.adjudication.rules import KEPT_REASONS, KeepRule
from probeta.validation.aggregation.votes import State
from probeta.validation.agreement.spansets import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One item. ``gold`` is the label or the spans that won, None without a winner.

    ``votes`` maps what was voted for to the annotators, ``marked`` each of these to its spans, where they
    are spans; ``confidence`` is the winner's posterior or share of votes where the method gives one.
    ``adjudicators`` are who decided, where somebody did.
    """

    item: str
    votes: Mapping[str, tuple[str, ...]]
    marked: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    abstained: tuple[str, ...] = ()
    state: State
    gold: Any = None
    original: Any = None
    reason: str
    confidence: float | None = None
    adjudicators: tuple[str, ...] = ()

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

    def words(self, vote: str, text: str | None) -> str:
        """What was voted for as people read it: a label, or the marked words of the item's ``text``."""
        return shown(self.marked.get(vote, vote), text)

    def row(self, text: str | None = None) -> dict[str, Any]:
        """The entry as a flat row of ``ledger.csv``; spans are quoted from ``text`` where it is known."""
        votes = [(self.words(vote, text), who) for vote, who in sorted(self.votes.items())]
        return {
            "item": self.item,
            "votes": "; ".join(f"{vote}: {', '.join(who)}" for vote, who in votes),
            "counts": "; ".join(f"{vote}: {len(who)}" for vote, who in votes),
            "abstained": ", ".join(self.abstained),
            "state": str(self.state),
            "gold": shown(self.gold, text),
            "confidence": "" if self.confidence is None else f"{self.confidence:.6f}",
            "original": shown(self.original, text),
            "adjudicators": ", ".join(self.adjudicators),
            "kept": "yes" if self.kept else "no",
            "reason": self.reason,
        }

    def offsets(self) -> str:
        """The spans of votes, gold and original as JSON, for programs: annotator -> [start, end, label]."""
        votes = {
            annotator: self.marked[vote] for vote, who in sorted(self.votes.items()) for annotator in who
        }
        return json.dumps({"votes": votes, "gold": self.gold, "original": self.original}, ensure_ascii=False)


#: Columns of ``ledger.csv``; one of spans ends with ``offsets``.
LEDGER_COLUMNS = (
    "item",
    "votes",
    "counts",
    "abstained",
    "state",
    "gold",
    "confidence",
    "original",
    "adjudicators",
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


def shown(value: Any, text: str | None = None, *, nothing: str = "(no span)") -> str:
    """A label, or spans, as one cell: offsets, or with their ``text`` its words; no span is ``nothing``.

    Words that the text has twice bear their offsets too, or nobody could tell which are meant.

    >>> shown([(0, 3, "ENG"), (9, 12, "ENG")])
    '0-3 ENG; 9-12 ENG'
    >>> shown([(0, 3, "ENG"), (9, 12, "ENG")], "Pop y un hit")
    '«Pop» ENG; «hit» ENG'
    >>> shown([(7, 10, "ENG")], "hit, o hit")
    '«hit» ENG (7-10)'
    >>> shown([(0, 7, "ENG")], "big\\nhit")
    '«big↵hit» ENG'
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return "; ".join(_quoted(span, text) for span in value) or nothing


def _quoted(span: Span, text: str | None) -> str:
    start, end, label = span
    words = "" if text is None else text[start:end]
    if text is None or len(words) != end - start:
        return f"{start}-{end} {label}"
    twice = text.find(words) != text.rfind(words)
    # Answers stand one a line.
    words = re.sub(r"\r\n?|\n", "↵", words)
    return f"«{words}» {label}" + (f" ({start}-{end})" if twice else "")
