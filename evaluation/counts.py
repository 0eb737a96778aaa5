"""Counts first, scores from counts: precision, recall and F1 with no silent 0 or 100.

A score is a fraction from 0 to 1, or None where its denominator is empty; nothing is rounded here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from probeta.errors import nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many gold units there are, how many a system predicted, how many of them are correct.

    ``predicted`` is None where predictions cannot be told apart by what the counts are about, for
    instance by a property that only gold spans have; precision and F1 are then undefined.

    >>> counts = Counts(gold=4, predicted=2, correct=1)
    >>> counts.precision, counts.recall, round(counts.f1, 4)
    (0.5, 0.25, 0.3333)
    >>> Counts(gold=0, predicted=0, correct=0).f1 is None
    True
    """

    gold: int
    predicted: int | None
    correct: int

    def __add__(self, other: Counts) -> Counts:
        known = self.predicted is not None and other.predicted is not None
        return Counts(
            gold=self.gold + other.gold,
            predicted=(self.predicted or 0) + (other.predicted or 0) if known else None,
            correct=self.correct + other.correct,
        )

    @property
    def precision(self) -> float | None:
        """Correct of predicted; None without predictions."""
        return self.correct / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        """Correct of gold; None without gold."""
        return self.correct / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        """2 TP / (2 TP + FP + FN); None only if both gold and prediction are empty (or unknown)."""
        if self.predicted is None or self.gold + self.predicted == 0:
            return None
        return 2 * self.correct / (self.gold + self.predicted)

    @property
    def reason(self) -> str | None:
        """Why a score is None, or None if all are defined."""
        reasons = []
        if not self.gold:
            reasons.append("no gold: recall has no denominator")
        if self.predicted is None:
            reasons.append("predictions do not have this property: only recall is defined")
        elif not self.predicted:
            reasons.append("no predictions: precision has no denominator")
        return "; ".join(reasons) or None

    def to_json(self) -> dict[str, Any]:
        """The design's keys; ``reason`` is there where a score is null."""
        found: dict[str, Any] = {
            "gold": self.gold,
            "predicted": self.predicted,
            "correct": self.correct,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
        }
        return found if self.reason is None else found | {"reason": self.reason}


def total(parts: Iterable[Counts]) -> Counts:
    """The sum of counts; of none, zero."""
    found = Counts(gold=0, predicted=0, correct=0)
    for part in parts:
        found += part
    return found


def macro(by_label: Mapping[str, Counts]) -> dict[str, Any]:
    """Unweighted means over the labels; a label whose score is undefined is left out and counted.

    ``averaged`` says over how many labels each mean was taken.

    >>> scores = macro({"A": Counts(gold=2, predicted=2, correct=1), "B": Counts(gold=0, predicted=1, correct=0)})
    >>> scores["recall"], scores["f1"], scores["averaged"]
    (0.5, 0.25, {'precision': 2, 'recall': 1, 'f1': 2})
    """
    found: dict[str, Any] = {}
    averaged = {}
    for name in ("precision", "recall", "f1"):
        values = [value for counts in by_label.values() if (value := getattr(counts, name)) is not None]
        found[name] = sum(values) / len(values) if values else None
        averaged[name] = len(values)
    found["averaged"] = averaged
    if not all(averaged.values()):
        found["reason"] = "no label has a denominator for it"
    return found


def unknown_labels(system: str, labels: Mapping[str, Counts]) -> str | None:
    """A line about the labels that a system uses and the gold does not have; None if there are none.

    >>> unknown_labels("crf", {"PER": Counts(gold=3, predicted=0, correct=0),
    ...                        "PERS": Counts(gold=0, predicted=3, correct=0)})
    'crf uses labels that the gold lacks: PERS (3 predictions; did you mean PER?)'
    """
    known = [name for name, counts in labels.items() if counts.gold]
    found = []
    for name, counts in labels.items():
        if counts.predicted and not counts.gold:
            hint = nearest(name, known)
            meant = f"; did you mean {hint}?" if hint else ""
            plural = "" if counts.predicted == 1 else "s"
            found.append(f"{name} ({counts.predicted} prediction{plural}{meant})")
    return f"{system} uses labels that the gold lacks: {', '.join(found)}" if known and found else None
