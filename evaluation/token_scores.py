"""Token accuracy, and precision, recall and F1 of labelled tokens, where both sides are tagged."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from probeta.evaluation.cells import CROSS, attributes_named
from probeta.evaluation.counts import Counts
from probeta.evaluation.items import Matched
from probeta.evaluation.spantable import Ints
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
    rows = []
    for one, other in zip(matched.gold, matched.predicted, strict=True):
        if one.tags is None or other.tags is None:
            return None
        equal = sum(map(operator.eq, one.tags, other.tags))
        first, second = list(map(_label, one.tags)), list(map(_label, other.tags))
        correct = sum(a is not None and a == b for a, b in zip(first, second, strict=True))
        labelled = [sum(label is not None for label in side) for side in (first, second)]
        rows.append((len(one.tags), equal, *labelled, correct))
    tokens, equals, gold, predicted, both = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    return Tokens(tokens=tokens, equal=equals, gold=gold, predicted=predicted, correct=both)


def _label(tag: str) -> str | None:
    return None if tag == "O" else tag.partition("-")[2]


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
