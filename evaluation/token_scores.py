"""Token accuracy, and precision, recall and F1 of labelled tokens, where both sides are tagged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from probeta.evaluation.cells import CROSS, attributes_named
from probeta.evaluation.counts import Counts
from probeta.evaluation.items import Matched
from probeta.evaluation.spantable import Ints, Labels
from probeta.evaluation.tagblocks import CodedTags, Codes, Tags, blocks, bounds
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

    def coded(block: Tags) -> CodedTags:
        found = codes.of(block)
        label = [-1 if tag == "O" else labels[tag.partition("-")[2]] for tag in codes]
        return CodedTags(found, np.array(label, dtype=np.int32)[found], bounds(block))

    return summed(
        block_counts(coded(gold[first:end]), coded(predicted[first:end]))
        for first, end in blocks(map(len, gold))
    )


def block_counts(gold: CodedTags, predicted: CodedTags) -> Ints:
    """The counts of a block: five rows, one entry a sentence; codes and labels are those of both sides."""
    inside = gold.label >= 0
    flags = (
        gold.code == predicted.code,
        inside,
        predicted.label >= 0,
        inside & (gold.label == predicted.label),
    )
    sums = [np.concatenate(([0], np.cumsum(flag)))[gold.bounds] for flag in flags]
    return np.diff(np.stack([gold.bounds, *sums]), axis=1)


def summed(found: Iterable[Ints]) -> Tokens:
    """The counts of all blocks, one after another."""
    tokens, equal, gold, predicted, correct = np.concatenate(
        [np.zeros((5, 0), dtype=np.int64), *found], axis=1
    )
    return Tokens(tokens=tokens, equal=equal, gold=gold, predicted=predicted, correct=correct)


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
