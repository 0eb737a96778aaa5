"""Agreement on spans: pairwise F1, strict and relaxed, overall and per label.

F1 of two annotators is 2 TP / (n_1 + n_2), n being their numbers of spans; it is the same whichever is
taken as the reference, equals positive specific agreement, and is what kappa tends to as text without
spans grows (Hripcsak & Rothschild 2005, JAMIA 12:296). For more annotators the counts of all pairs of
answers are added up. Strict: a span is agreed on if the other has the same boundaries and label. Relaxed:
if the other has a span of that label that shares a character with it; both sides are counted. Items on
which nobody marked a span add nothing, and are told; without any span at all the value is ``no_spans``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from probeta.resampling import by_cluster, distinct
from probeta.validation.agreement.estimates import Estimate
from probeta.validation.agreement.estimation import Basis, Parts, Sampler, estimate
from probeta.validation.agreement.intervals import Interval
from probeta.validation.agreement.spansets import SpanAnswers
from probeta.words import counted

Floats = npt.NDArray[Any]


def basis(answers: SpanAnswers) -> Basis:
    """What estimates on these answers stand on; pairs are pairs of answers to one item."""
    number = answers.answered.sum(axis=1)
    return Basis(int(answers.pairable.sum()), len(answers.active), int((number * (number - 1) // 2).sum()))


def reason(answers: SpanAnswers) -> str | None:
    """Why nothing can be said, or None."""
    if not answers.answered.any():
        return "no_data"
    if len(answers.active) < 2:
        return "one_rater"
    if not answers.pairable.any():
        return "no_common_items"
    return None if answers.sizes[answers.pairable].any() else "no_spans"


def undefined(name: str, answers: SpanAnswers, code: str) -> Estimate:
    """The estimate that says why there is no value."""
    found = basis(answers)
    return Estimate(
        name=name,
        reason=code,
        interval_reason=code,
        items=found.items,
        raters=found.raters,
        pairs=found.pairs,
    )


def span_f1(
    answers: SpanAnswers,
    *,
    relaxed: bool = False,
    interval: Interval | None = None,
    sampler: Sampler | None = None,
) -> Estimate:
    """Pairwise F1 over all pairs of answers to an item; resampled by item or cluster.

    >>> from probeta.validation.agreement.spansets import from_answers
    >>> made = from_answers({("1", "a"): [(0, 3, "X"), (5, 8, "X")], ("1", "b"): [(0, 4, "X")]})
    >>> span_f1(made).value, round(span_f1(made, relaxed=True).value, 3)
    (0.0, 0.667)
    """
    name = "span_f1_relaxed" if relaxed else "span_f1"
    missing = reason(answers)
    if missing:
        return undefined(name, answers, missing)
    rows = relaxed_rows(answers) if relaxed else strict_rows(answers)
    units = distinct(by_cluster(rows[answers.pairable], _clusters(answers)))

    def parts(packed: Floats) -> Parts:
        value = packed[..., 0] / packed[..., 1]
        return Parts(value, value, np.full_like(value, np.nan))

    empty = int((answers.pairable & (rows[:, 1] == 0)).sum())
    return estimate(
        name,
        parts,
        units,
        sampler=sampler or Sampler(interval or Interval(method="none")),
        basis=basis(answers),
        undefined=lambda code: undefined(name, answers, code),
        note=f"{counted(empty, 'item')} in which nobody marked a span" if empty else None,
    )


def strict_rows(answers: SpanAnswers) -> Floats:
    """Per item: twice the agreed spans over pairs of answers, and the spans on both sides of them."""
    order = np.lexsort((answers.label, answers.end, answers.start, answers.item))
    keys = np.stack([answers.item, answers.start, answers.end, answers.label])[:, order]
    first = np.flatnonzero(np.r_[True, np.any(keys[:, 1:] != keys[:, :-1], axis=0)]) if len(order) else order
    # One key is one span as marked by ``votes`` raters; each pair of them agrees on it.
    votes = np.diff(np.r_[first, len(order)])
    agreed = np.bincount(keys[0][first], weights=votes * (votes - 1.0), minlength=len(answers.items))
    return np.column_stack([agreed, _sides(answers)])


def relaxed_rows(answers: SpanAnswers) -> Floats:
    """Per item: the spans that overlap one of the same label in the other answer, and all spans."""
    matched = np.zeros(len(answers.items))
    groups: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    columns = (answers.item, answers.label, answers.rater, answers.start, answers.end)
    for item, label, rater, start, end in zip(*(column.tolist() for column in columns), strict=True):
        groups.setdefault((item, label), []).append((start, end, rater))
    for (item, _), spans in groups.items():
        for start, end, rater in spans:
            others = {who for begin, stop, who in spans if who != rater and begin < end and start < stop}
            matched[item] += len(others)
    return np.column_stack([matched, _sides(answers)])


def of_label(answers: SpanAnswers, label: int) -> SpanAnswers:
    """The same answers with the spans of one label."""
    return answers.keep(answers.label == label)


def _sides(answers: SpanAnswers) -> Floats:
    """Per item, the spans of all raters, each counted once for every other answer to the item."""
    others = np.maximum(answers.answered.sum(axis=1) - 1, 0)
    return np.asarray(answers.sizes.sum(axis=1) * others, dtype=float)


def _clusters(answers: SpanAnswers) -> Any:
    if answers.clusters is None:
        return None
    return np.unique(answers.clusters[answers.pairable], return_inverse=True)[1]


def span_pairs(answers: SpanAnswers, *, interval: Interval) -> list[dict[str, Any]]:
    """Every pair of raters: common items, spans of each, strict and relaxed F1, strict with its interval.

    The interval is the analytic one of the pair's own items or clusters.
    """
    sampler = Sampler(
        Interval(method="none" if interval.method == "none" else "analytic", confidence=interval.confidence)
    )
    rows = []
    for position, first in enumerate(answers.active):
        for second in answers.active[position + 1 :]:
            pair = answers.pair(int(first), int(second))
            strict, relaxed = span_f1(pair, sampler=sampler), span_f1(pair, relaxed=True)
            spans = pair.sizes.sum(axis=0)
            rows.append(
                {
                    "first": answers.raters[first],
                    "second": answers.raters[second],
                    "items": len(pair.items),
                    "spans": [int(spans[0]), int(spans[1])],
                    "span_f1": strict.value,
                    "low": strict.low,
                    "high": strict.high,
                    "span_f1_relaxed": relaxed.value,
                    "reason": strict.reason if len(pair.items) else "no_common_items",
                }
            )
    return rows
