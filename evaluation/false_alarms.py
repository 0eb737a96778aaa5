"""False alarms: of the sentences in which there is nothing to find, those in which a system finds something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from probeta.evaluation.cells import CROSS, attributes_named, ranked_by
from probeta.evaluation.clustered import Together
from probeta.evaluation.intervals import Interval
from probeta.evaluation.spantable import Flags
from probeta.evaluation.units import Values
from probeta.rates import wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseAlarms:
    """How many sentences without gold there are, and in how many of them there is a prediction.

    ``interval`` is by cluster of base sentences; ``by`` has the same for each value of attributes of sentences.
    """

    sentences: int
    alarms: int
    interval: Interval
    by: Mapping[str, Mapping[str, FalseAlarms]] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """The share of the sentences without gold in which something was found."""
        return self.alarms / self.sentences

    def to_json(self) -> dict[str, Any]:
        """Counts, rate and interval; ``wilson`` takes the sentences as independent."""
        found: dict[str, Any] = {"sentences": self.sentences, "alarms": self.alarms, "rate": self.rate}
        found |= {"low": self.interval.low, "high": self.interval.high}
        low, high = wilson(self.alarms, self.sentences) or (None, None)
        found["wilson"] = {"low": low, "high": high}
        if self.by:
            found["by"] = {
                name: {value: one.to_json() for value, one in parts.items()}
                for name, parts in self.by.items()
            }
        return found


def false_alarms(
    *,
    without_gold: Flags,
    predicted: Flags,
    base: Sequence[str],
    attributes: Mapping[str, Values],
    by: Sequence[str] = (),
    order: Mapping[str, Sequence[str]] | None = None,
) -> FalseAlarms | None:
    """The false alarms among sentences: one entry a sentence; None if each of them has gold.

    ``base`` names base sentences; of ``by`` only crossings of ``attributes``, those of sentences, are counted.
    """
    if not without_gold.any():
        return None
    together = Together(base)
    parts: dict[str, dict[str, FalseAlarms]] = {}
    for crossing in by:
        names = attributes_named(crossing)
        if not all(name in attributes for name in names):
            continue
        keys = list(zip(*(attributes[name] for name in names), strict=True))
        values = sorted({keys[place] for place in np.flatnonzero(without_gold)}, key=ranked_by(names, order))
        parts[crossing] = {
            CROSS.join(value): _counted(
                together, predicted, without_gold & np.array([key == value for key in keys]), {}
            )
            for value in values
        }
    return _counted(together, predicted, without_gold, parts)


def _counted(
    together: Together, predicted: Flags, among: Flags, by: Mapping[str, Mapping[str, FalseAlarms]]
) -> FalseAlarms:
    found = together.rate(predicted, among)
    assert found is not None, "only values that some sentence has are counted"
    return FalseAlarms(sentences=found.support, alarms=found.hits, interval=found.interval, by=by)
