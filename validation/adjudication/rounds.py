"""The round of adjudication: conflicts with blinded votes out, decisions back in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from probeta.errors import DataError, Fault, one_of
from probeta.randomness import keyed
from probeta.validation.adjudication.ledger import Entry, Ledger, shown
from probeta.validation.aggregation.votes import State

#: What of an item may be sent to adjudication: no winner, a winner other than the original, or any
#: disagreement at all.
SCOPES = ("undecided", "not_kept", "disagreed")


def conflicts(
    ledger: Ledger, *, scope: str = "undecided", seed: int = 0, texts: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """The items to adjudicate, each with the answers that were given, blinded.

    ``options`` are the distinct answers in an order drawn by (seed, item): neither who gave them, nor how
    many, nor which is the original label can be read off. ``undecided`` items are those whose votes have
    no winner; ``not_kept`` adds those whose winner is not the original; ``disagreed`` are all items on
    which annotators differ. Options of spans are offsets; ``words`` beside them quotes from ``texts``.
    """
    one_of(scope, SCOPES, what="scope")
    rows = []
    for entry in ledger.entries:
        if _in_scope(entry, scope):
            options = sorted(entry.votes)
            keyed(seed, "adjudication", entry.item).shuffle(options)
            row: dict[str, Any] = {"item": entry.item, "options": options}
            if texts and entry.item in texts:
                row["words"] = [entry.words(option, texts[entry.item]) for option in options]
            rows.append(row)
    return rows


def _in_scope(entry: Entry, scope: str) -> bool:
    if scope == "disagreed":
        return entry.disagrees
    return bool(entry.votes) and (entry.gold is None if scope == "undecided" else not entry.kept)


def disagreements(ledger: Ledger, texts: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    """The items on which annotators differ, with who said what: the list to hand back to them."""
    return [entry.row((texts or {}).get(entry.item)) for entry in ledger.entries if entry.disagrees]


def merge(
    ledger: Ledger,
    decisions: Mapping[str, Sequence[Any]],
    *,
    adjudicators: Mapping[str, Sequence[str]] | None = None,
    file: str | None = None,
) -> Ledger:
    """The ledger with the adjudicators' answers (labels, or tuples of spans) put in, and who gave them.

    An item on which the adjudicators agree gets their answer as gold; one on which they differ stays as
    it is and is faulted, as is an item that the ledger does not know or a label outside its set. Under
    ``original_matches_votes`` a decision keeps the item only if it is the original.
    """
    known = {entry.item: entry for entry in ledger.entries}
    faults: list[Fault] = []
    decided: dict[str, Entry] = {}
    for item, answers in sorted(decisions.items()):
        distinct = sorted(set(answers))
        entry = known.get(item)

        def fault(code: str, message: str, found: str, item: str = item) -> None:
            faults.append(
                Fault(code=code, message=f"{item}: {message}", file=file, column="item", found=found)
            )

        if entry is None:
            fault("unknown_item", "the decision is about an item that was not annotated", item)
        elif len(distinct) > 1:
            fault("open_conflict", "the adjudicators differ", " or ".join(map(shown, distinct)))
        elif not set(_labels(distinct[0])) <= set(ledger.labels):
            fault("unknown_label", "the decision is not in the label set", shown(distinct[0]))
        else:
            who = tuple(sorted(set((adjudicators or {}).get(item, ()))))
            decided[item] = replace(_decided(entry, distinct[0], ledger), adjudicators=who)
    if faults:
        raise DataError(faults)
    return ledger.with_entries(decided)


def _labels(answer: Any) -> list[str]:
    return [answer] if isinstance(answer, str) else [label for _, _, label in answer]


def _decided(entry: Entry, gold: Any, ledger: Ledger) -> Entry:
    reason = "adjudicated"
    if ledger.rule.name == "original_matches_votes":
        if entry.original is None:
            reason = "no_original"
        elif gold != entry.original:
            reason = "adjudicated_differs"
    return replace(entry, gold=gold, state=State.UNIQUE, reason=reason, confidence=None)
