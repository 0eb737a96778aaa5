"""Token accuracy, and precision, recall and F1 of labelled tokens, where both sides are tagged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from probeta.evaluation.cells import CROSS, attributes_named
from probeta.evaluation.counts import Counts
from probeta.evaluation.items import Matched
from probeta.evaluation.spantable import Ints, Labels
from probeta.evaluation.tagblocks import Codes, Tags, blocks, bounds
from probeta.evaluation.units import Values


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Token counts by item: all, those with equal tags, labelled ones in gold, prediction and both."""

    tokens: Ints
    equal: Ints
    gold: Ints
    predicted: Ints
    correct: Ints

    def accuracy(self, items: Sequence[int] | slice = slice(None)) -> float | None:
        """Tokens with equal tags of all tokens of the items; None without tokens."""
        count = int(self.tokens[items].sum())
        return int(self.equal[items].sum()) / count if count else None

    def labelled(self) -> Counts:
        """Tokens with a label: their counts give token precision, recall and F1."""
        return Counts(
            gold=int(self.gold.sum()),
            predicted=int(self.predicted.sum()),
            correct=int(self.correct.sum()),
        )


def token_scores(matched: Matched) -> Tokens | None:
    """Token counts, where every item is tagged on both sides."""
    gold = [item.tags for item in matched.gold if item.tags is not None]
    predicted = [item.tags for item in matched.predicted if item.tags is not None]
    if len(gold) < len(matched.gold) or len(predicted) < len(matched.predicted):
        return None
    return token_counts(gold, predicted)


def token_counts(gold: Tags, predicted: Tags) -> Tokens:
    """Token counts by sentence; both sides have as many sentences and tags."""
    codes, labels = Codes(), Labels()
    found: list[Ints] = [np.zeros((5, 0), dtype=np.int64)]
    for first, end in blocks(map(len, gold)):
        one, other = codes.of(gold[first:end]), codes.of(predicted[first:end])
        label = np.array(
            [-1 if tag == "O" else labels[tag.partition("-")[2]] for tag in codes], dtype=np.int32
        )
        here, there = label[one], label[other]
        inside = here >= 0
        flags = (one == other, inside, there >= 0, inside & (here == there))
        offsets = bounds(gold[first:end])
        sums = [np.concatenate(([0], np.cumsum(flag))) for flag in flags]
        found.append(np.stack([np.diff(column[offsets]) for column in (np.arange(offsets[-1] + 1), *sums)]))
    tokens, equal, of_gold, of_predicted, correct = np.concatenate(found, axis=1)
    return Tokens(tokens=tokens, equal=equal, gold=of_gold, predicted=of_predicted, correct=correct)


def accuracy_by(
    of_item: Mapping[str, Values], tokens: Tokens, by: Sequence[str]
) -> dict[str, dict[str, float | None]]:
    """Token accuracy for each value of the attributes that items have."""
    found: dict[str, dict[str, float | None]] = {}
    for crossing in by:
        names = attributes_named(crossing)
        if not all(name in of_item for name in names):
            continue
        members: dict[str, list[int]] = {}
        for item, key in enumerate(zip(*(of_item[name] for name in names), strict=True)):
            members.setdefault(CROSS.join(key), []).append(item)
        found[crossing] = {key: tokens.accuracy(items) for key, items in members.items()}
    return found
