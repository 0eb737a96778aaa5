"""Classes of sentence pairs: accuracy, macro F1, each class, the confusion matrix, results by attribute.

All scores follow from the confusion matrix. A class that neither gold nor prediction holds has no
scores and stands in no mean; accuracy and macro F1 are None without pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from probeta.errors import UsageError
from probeta.evaluation.cells import CROSS, attributes_named
from probeta.evaluation.compare import Difference, Floats, competition_ranks, differences
from probeta.evaluation.counts import Counts, macro
from probeta.evaluation.intervals import (
    Interval,
    clusters,
    newcombe,
    percentile,
    percentile_json,
    resample,
    wilson,
)
from probeta.evaluation.labelled import LabelledItem
from probeta.evaluation.units import unknown_attribute, values


@dataclass(frozen=True, slots=True, kw_only=True)
class Classified:
    """The confusion matrix of some pairs, as counts by (gold, predicted), with all that follows from it."""

    confusion: Mapping[tuple[str, str], int]

    @property
    def support(self) -> int:
        """The number of pairs."""
        return sum(self.confusion.values())

    @property
    def correct(self) -> int:
        """The number of pairs whose class is right."""
        return sum(count for (gold, predicted), count in self.confusion.items() if gold == predicted)

    @property
    def accuracy(self) -> float | None:
        """Right of all; None without pairs."""
        return self.correct / self.support if self.support else None

    def classes(self) -> dict[str, Counts]:
        """Counts of every class that gold or prediction holds, by name."""
        gold: Counter[str] = Counter()
        predicted: Counter[str] = Counter()
        for (one, other), count in self.confusion.items():
            gold[one] += count
            predicted[other] += count
        return {
            name: Counts(
                gold=gold[name], predicted=predicted[name], correct=self.confusion.get((name, name), 0)
            )
            for name in sorted(gold.keys() | predicted.keys())
        }

    @property
    def macro_f1(self) -> float | None:
        """The unweighted mean of the classes' F1; None without pairs."""
        found: float | None = macro(self.classes())["f1"]
        return found

    def to_json(self) -> dict[str, Any]:
        """Support, accuracy with Wilson's interval, macro F1."""
        interval = wilson(self.correct, self.support)
        found: dict[str, Any] = {
            "support": self.support,
            "correct": self.correct,
            "accuracy": self.accuracy,
            "low": interval.low if interval else None,
            "high": interval.high if interval else None,
            "macro_f1": self.macro_f1,
        }
        return found if self.support else found | {"reason": "no pairs"}


class Gap(NamedTuple):
    """How far a part's accuracy is from the rest's, with Newcombe's interval."""

    value: float
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NliScores:
    """One system's results; ``by`` has attributes, then values; ``parts`` named subsets of the pairs."""

    overall: Classified
    intervals: Mapping[str, Interval | None]
    by: Mapping[str, Mapping[str, Classified]]
    parts: Mapping[str, Classified] = field(default_factory=dict)
    samples: Mapping[str, Floats] = field(default_factory=dict)
    examples: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]] = field(default_factory=dict)

    def gap(self, part: Classified) -> Gap | None:
        """The accuracy of a part minus that of all other pairs; None where one of them has no pair."""
        right, pairs = self.overall.correct - part.correct, self.overall.support - part.support
        if not part.support or not pairs:
            return None
        interval = newcombe(part.correct, part.support, right, pairs)
        return Gap(part.correct / part.support - right / pairs, interval)

    def to_json(self) -> dict[str, Any]:
        """The design's keys; ``confusion`` is gold class -> predicted class -> pairs."""
        classes = self.overall.classes()
        confusion: dict[str, dict[str, int]] = {name: dict.fromkeys(classes, 0) for name in classes}
        for (gold, predicted), count in self.overall.confusion.items():
            confusion[gold][predicted] = count
        found = self.overall.to_json()
        found["intervals"] = {name: percentile_json(interval) for name, interval in self.intervals.items()}
        found["classes"] = {name: counts.to_json() for name, counts in classes.items()}
        found["confusion"] = confusion
        found["by"] = {
            attribute: {
                value: part.to_json() | {"gap": self._gap_json(part)} | _class_f1(part)
                for value, part in parts.items()
            }
            for attribute, parts in self.by.items()
        }
        if self.parts:
            found["parts"] = {name: part.to_json() | _class_f1(part) for name, part in self.parts.items()}
        if self.examples:
            found["examples"] = {
                name: {kind: list(rows) for kind, rows in kinds.items()}
                for name, kinds in self.examples.items()
            }
        return found

    def _gap_json(self, part: Classified) -> dict[str, float | None]:
        gap = self.gap(part)
        low, high = (gap.interval if gap else None) or (None, None)
        return {"value": gap.value if gap else None, "low": low, "high": high}


def _class_f1(part: Classified) -> dict[str, Any]:
    return {"classes": {name: counts.to_json() for name, counts in part.classes().items()}}


def classified(pairs: Sequence[tuple[LabelledItem, str]]) -> Classified:
    """The confusion matrix of gold pairs with their predicted classes."""
    counts: Counter[tuple[str, str]] = Counter((item.label or "", label) for item, label in pairs)
    return Classified(confusion=counts)


def score_labels(
    pairs: Sequence[tuple[LabelledItem, str]],
    *,
    by: Sequence[str] = (),
    seen: Sequence[str] | None = None,
    corpus: str = "dataset",
    samples: int = 1000,
    seed: int = 0,
) -> NliScores:
    """Scores of one system; ``by`` names attributes, crossed ones joined by a colon.

    ``seen`` names the corpora that the system was trained on: the parts ``seen`` and ``unseen`` tell
    the others apart. Intervals are percentile bootstrap intervals over documents, where they are known.
    """
    known = {name: None for item, _ in pairs for name in item.attributes}
    parts: dict[str, Classified] = {}
    if seen is not None:
        corpora = {str(item.attributes.get(corpus)) for item, _ in pairs}
        if unknown := sorted(set(seen) - corpora):
            raise UsageError(
                f"no pair comes from {', '.join(unknown)}: the corpora are {', '.join(sorted(corpora))}"
            )
        members = [(pair, str(pair[0].attributes.get(corpus)) in seen) for pair in pairs]
        parts["seen"] = classified([pair for pair, is_seen in members if is_seen])
        parts["unseen"] = classified([pair for pair, is_seen in members if not is_seen])
    found: dict[str, Mapping[str, Classified]] = {}
    for crossing in by:
        names = attributes_named(crossing)
        for name in names:
            if name not in known:
                raise UsageError(unknown_attribute(name, known))
        columns = [values(item.attributes.get(name) for item, _ in pairs) for name in names]
        groups: dict[str, list[tuple[LabelledItem, str]]] = {}
        for pair, key in zip(pairs, zip(*columns, strict=True), strict=True):
            groups.setdefault(CROSS.join(key), []).append(pair)
        found[crossing] = {value: classified(groups[value]) for value in sorted(groups)}
    sampled = _sampled(pairs, samples, seed)
    return NliScores(
        overall=classified(pairs),
        intervals={name: percentile(column) for name, column in sampled.items()},
        by=found,
        parts=parts,
        samples=sampled,
    )


def _sampled(pairs: Sequence[tuple[LabelledItem, str]], samples: int, seed: int) -> dict[str, Floats]:
    names = sorted({item.label or "" for item, _ in pairs} | {label for _, label in pairs})
    code = {name: number for number, name in enumerate(names)}
    size = len(names)
    units = np.zeros((len(pairs), 3 * size))
    for row, (item, label) in enumerate(pairs):
        gold, predicted = code[item.label or ""], code[label]
        units[row, gold] = 1
        units[row, size + predicted] = 1
        units[row, 2 * size + gold] = gold == predicted
    cluster = clusters([str(item.attributes.get("document") or item.id) for item, _ in pairs])
    sums = resample(units, cluster, samples=samples, seed=seed)
    of_gold, of_predicted, correct = np.split(sums, 3, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        f1 = 2 * correct / (of_gold + of_predicted)
        count = (~np.isnan(f1)).sum(axis=1)
        macro_f1 = np.nansum(f1, axis=1) / np.where(count, count, np.nan)
        return {"accuracy": correct.sum(axis=1) / of_gold.sum(axis=1), "macro_f1": macro_f1}


def compare_labels(
    systems: Mapping[str, NliScores], *, primary: str
) -> tuple[dict[str, int | None], list[Difference]]:
    """Ranks by ``primary`` (accuracy or macro_f1), and every pair's difference on the same samples."""
    scores = {name: getattr(one.overall, primary) for name, one in systems.items()}
    samples = {name: one.samples[primary] for name, one in systems.items()}
    return competition_ranks(scores), differences(scores, samples)
