"""One estimate: a value with its interval and what it stands on, or a reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: Why a value or an interval is undefined. The codes are stable; the texts are for people.
REASONS = {
    "no_data": "there is no label",
    "one_rater": "only one annotator gave labels",
    "no_common_items": "no item has labels from two annotators",
    "no_variation": "all compared labels are the same, so agreement by chance cannot be told from skill",
    "not_two_raters": "defined for exactly two annotators",
    "anonymous_raters": "the counts do not say who gave which label",
    "no_numbers": "the level needs numbers as labels",
    "no_spans": "no annotator marked a span in the compared items",
    "no_text": "the items' texts are not known",
    "overlapping_spans": "an annotator's spans overlap, which one tag a token cannot hold",
    "no_repeats": "no annotator answered an item twice",
    "no_reference": "no reference label is known for the items",
    "one_item": "an interval needs two items or clusters",
    "no_width": "its bounds would meet, as where all agree everywhere: that is no certainty",
    "unstable": "more than one resample in twenty is undefined",
    "no_analytic_form": "no analytic interval is known; take the bootstrap",
    "no_two_way_form": "the two-way bootstrap needs annotators that are known and at least three of them",
    "not_requested": "no interval was asked for",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A coefficient's value.

    ``value`` is null exactly when ``reason`` (a key of ``REASONS``) is set; ``low`` and ``high`` bound
    the interval and are null when ``interval_reason`` is set. ``items`` are the items that two or more
    annotators labelled, ``raters`` the annotators with a label, ``pairs`` the compared pairs of labels.
    ``observed`` and ``expected`` are agreement as observed and by chance (for alpha 1 - disagreement).
    ``standard_error`` is the linearised one, whatever the interval's method. ``undefined_resamples``
    counts bootstrap samples in which the value is undefined. ``note`` says what else a reader must know.
    """

    name: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    interval_reason: str | None = None
    items: int = 0
    raters: int = 0
    pairs: int = 0
    observed: float | None = None
    expected: float | None = None
    standard_error: float | None = None
    undefined_resamples: int = 0
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The estimate as a mapping; every key is always there, undefined ones are null."""
        names = (name for name in self.__slots__ if name != "name")
        return {name: getattr(self, name) for name in names}
