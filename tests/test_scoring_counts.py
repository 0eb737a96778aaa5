"""Counts, intervals and relaxed matches: hand numbers, properties, equality with statsmodels."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probeta.evaluation import intervals
from probeta.evaluation.counts import Counts, macro, total
from probeta.evaluation.relaxed import SCHEMES, RelaxedCounts, relaxed_counts
from probeta.evaluation.spantable import Labels, from_spans, strict_counts, untyped_counts
from probeta.records import Span

SPANS = st.lists(
    st.builds(
        lambda start, length, label: Span(start, start + length, label),
        st.integers(0, 12),
        st.integers(1, 4),
        st.sampled_from("AB"),
    ),
    max_size=6,
)


def test_scores_follow_from_counts() -> None:
    # 8 gold, 5 predicted, 3 correct: P 3/5, R 3/8, F1 2*3/(8+5).
    counts = Counts(gold=8, predicted=5, correct=3)
    assert (counts.precision, counts.recall, counts.f1) == (3 / 5, 3 / 8, 6 / 13)
    assert counts.to_json() == {
        "gold": 8,
        "predicted": 5,
        "correct": 3,
        "precision": 3 / 5,
        "recall": 3 / 8,
        "f1": 6 / 13,
    }


@pytest.mark.parametrize(
    ("gold", "predicted", "scores"),
    [
        (0, 0, (None, None, None)),
        # Only false positives, only misses: F1 is 0, since 2 TP + FP + FN is not empty.
        (0, 2, (0.0, None, 0.0)),
        (2, 0, (None, 0.0, 0.0)),
        (2, None, (None, 0.0, None)),
    ],
)
def test_an_empty_denominator_is_null_with_a_reason(
    gold: int, predicted: int | None, scores: tuple[float | None, ...]
) -> None:
    counts = Counts(gold=gold, predicted=predicted, correct=0)
    assert (counts.precision, counts.recall, counts.f1) == scores
    assert counts.to_json()["reason"]


def test_macro_leaves_undefined_labels_out_and_says_so() -> None:
    found = macro({"A": Counts(gold=2, predicted=1, correct=1), "B": Counts(gold=0, predicted=1, correct=0)})
    # Recall: A 1/2, B undefined. Precision: A 1, B 0. F1: A 2/3, B 0.
    assert found == {
        "precision": 0.5,
        "recall": 0.5,
        "f1": pytest.approx(1 / 3),
        "averaged": {"precision": 2, "recall": 1, "f1": 2},
    }
    assert macro({})["f1"] is None


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), max_size=8))
def test_counts_add_up_in_any_order(parts: list[tuple[int, int, int]]) -> None:
    counts = [Counts(gold=a, predicted=b, correct=c) for a, b, c in parts]
    assert total(counts) == total(reversed(counts))


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 60), st.integers(1, 60))
def test_wilson_and_newcombe_equal_statsmodels(one: int, other: int, first: int, second: int) -> None:
    from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

    one, other = min(one, first), min(other, second)
    low, high = intervals.wilson(one, first) or (math.nan, math.nan)
    theirs = proportion_confint(one, first, method="wilson")
    assert (low, high) == pytest.approx(tuple(map(float, theirs)), abs=1e-9)
    low, high = intervals.newcombe(one, first, other, second) or (math.nan, math.nan)
    theirs = confint_proportions_2indep(one, first, other, second, compare="diff", method="newcomb")
    assert (low, high) == pytest.approx(tuple(map(float, theirs)), abs=1e-9)


def test_intervals_without_support_are_null() -> None:
    assert intervals.wilson(0, 0) is None
    assert intervals.newcombe(0, 0, 1, 2) is None
    assert intervals.paired_difference(0, 0, 0) is None
    assert intervals.mcnemar(0, 0) is None


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_equals_statsmodels(one: int, other: int) -> None:
    from statsmodels.stats.contingency_tables import mcnemar

    ours = intervals.mcnemar(one, other)
    if one + other:
        theirs = mcnemar([[3, one], [other, 4]], exact=True).pvalue
        assert ours == pytest.approx(min(1.0, float(theirs)), abs=1e-12)


def test_mcnemar_of_thousands_of_pairs_does_not_overflow() -> None:
    assert intervals.mcnemar(1500, 1400) == pytest.approx(0.0660, abs=1e-3)


def test_bootstrap_keeps_clusters_together() -> None:
    # Two clusters of ten units: each sample's sum is 0, 10 or 20, never between.
    units = np.concatenate([np.zeros((10, 1)), np.ones((10, 1))])
    cluster = intervals.clusters(["a"] * 10 + ["b"] * 10)
    sums = intervals.resample(units, cluster, samples=500, seed=3)
    assert set(sums.ravel().tolist()) == {0.0, 10.0, 20.0}
    # Binomial(2, 1/2): a quarter, a half, a quarter.
    assert np.mean(sums == 10) == pytest.approx(0.5, abs=0.07)


@given(st.integers(0, 10_000))
def test_bootstrap_does_not_depend_on_the_order(seed: int) -> None:
    generator = random.Random(seed)
    names = [generator.choice("abcdef") for _ in range(30)]
    numbers = [float(generator.randint(0, 3)) for _ in names]
    order = generator.sample(range(30), 30)

    def sums(chosen: list[int]) -> list[float]:
        units = np.array([[numbers[unit]] for unit in chosen])
        cluster = intervals.clusters([names[unit] for unit in chosen])
        return intervals.resample(units, cluster, samples=20, seed=seed).ravel().tolist()

    assert sums(list(range(30))) == sums(order)


def test_percentile_leaves_undefined_samples_out() -> None:
    # One of twenty-one undefined: twenty values from 0 to 1, percentiles between them.
    known = np.linspace(0, 1, 20)
    assert intervals.percentile(np.append(known, np.nan)) == pytest.approx((0.025, 0.975))
    # More than one in twenty: what is left stands for other data than were observed.
    assert intervals.percentile(np.append(known, [np.nan, np.nan])) is None
    # Equal samples are no certainty.
    assert intervals.percentile(np.array([0.5, 0.5])) is None
    assert intervals.percentile(np.array([np.nan])) is None


def relaxed(gold: list[Span], predicted: list[Span]) -> dict[str, tuple[int, ...]]:
    labels = Labels()
    tables = from_spans([gold], labels), from_spans([predicted], labels)
    found = {}
    for scheme in SCHEMES:
        counts = relaxed_counts(*tables, scheme=scheme)
        found[scheme] = (
            counts.correct,
            counts.incorrect,
            counts.partial,
            counts.missed,
            counts.spurious,
        )
    return found


@pytest.mark.parametrize(
    ("gold", "predicted", "exact", "partial", "by_type"),
    [
        # (correct, incorrect, partial, missed, spurious), after SemEval-2013 task 9.1's examples.
        ([Span(0, 4, "A")], [Span(0, 4, "A")], (1, 0, 0, 0, 0), (1, 0, 0, 0, 0), (1, 0, 0, 0, 0)),
        ([Span(0, 4, "A")], [Span(0, 4, "B")], (1, 0, 0, 0, 0), (1, 0, 0, 0, 0), (0, 1, 0, 0, 0)),
        ([Span(0, 4, "A")], [Span(0, 6, "A")], (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (1, 0, 0, 0, 0)),
        ([Span(0, 4, "A")], [Span(0, 6, "B")], (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 1, 0, 0, 0)),
        # End-exclusive: spans that touch do not overlap.
        ([Span(0, 4, "A")], [Span(4, 8, "A")], (0, 0, 0, 1, 1), (0, 0, 0, 1, 1), (0, 0, 0, 1, 1)),
        ([Span(0, 4, "A")], [], (0, 0, 0, 1, 0), (0, 0, 0, 1, 0), (0, 0, 0, 1, 0)),
        ([], [Span(0, 4, "A")], (0, 0, 0, 0, 1), (0, 0, 0, 0, 1), (0, 0, 0, 0, 1)),
        # One prediction over two gold spans is matched with one of them; by type with the right one.
        (
            [Span(0, 4, "A"), Span(5, 9, "B")],
            [Span(0, 9, "B")],
            (0, 1, 0, 1, 0),
            (0, 0, 1, 1, 0),
            (1, 0, 0, 1, 0),
        ),
    ],
)
def test_semeval_counts(
    gold: list[Span],
    predicted: list[Span],
    exact: tuple[int, ...],
    partial: tuple[int, ...],
    by_type: tuple[int, ...],
) -> None:
    assert relaxed(gold, predicted) == {"exact": exact, "partial": partial, "type": by_type}


def test_semeval_scores() -> None:
    # possible 1+1+2+1 = 5, actual 1+1+2+2 = 6, credit 1 + 2/2 = 2.
    counts = RelaxedCounts(correct=1, incorrect=1, partial=2, missed=1, spurious=2)
    assert (counts.possible, counts.actual) == (5, 6)
    assert (counts.precision, counts.recall) == (2 / 6, 2 / 5)
    assert counts.f1 == pytest.approx(2 * (2 / 6) * (2 / 5) / (2 / 6 + 2 / 5))


@settings(max_examples=300)
@given(SPANS, SPANS, st.randoms(use_true_random=False))
def test_no_score_depends_on_the_order_of_spans(
    gold: list[Span], predicted: list[Span], generator: random.Random
) -> None:
    labels = Labels()
    labels["A"], labels["B"]
    tables = from_spans([gold], labels), from_spans([predicted], labels)
    shuffled = [generator.sample(side, len(side)) + side[:1] for side in (gold, predicted)]
    others = from_spans([shuffled[0]], labels), from_spans([shuffled[1]], labels)
    assert strict_counts(*tables) == strict_counts(*others)
    assert untyped_counts(*tables) == untyped_counts(*others)
    for scheme in SCHEMES:
        assert relaxed_counts(*tables, scheme=scheme) == relaxed_counts(*others, scheme=scheme)


@given(SPANS, SPANS)
def test_relaxed_counts_are_consistent(gold: list[Span], predicted: list[Span]) -> None:
    labels = Labels()
    tables = from_spans([gold], labels), from_spans([predicted], labels)
    strict = strict_counts(*tables)
    for scheme in SCHEMES:
        counts = relaxed_counts(*tables, scheme=scheme)
        assert (counts.possible, counts.actual) == (strict.gold, strict.predicted)
        assert counts.correct + counts.partial >= strict.correct


def plain_spans(generator: random.Random) -> list[Span]:
    """Spans that lie so far apart that each can overlap one other at most."""
    found = []
    for place in range(0, 60, 20):
        if generator.random() < 0.7:
            start = place + generator.randint(0, 4)
            found.append(Span(start, start + generator.randint(1, 6), generator.choice("AB")))
    return found


def test_equal_to_nervaluate_where_spans_meet_one_to_one() -> None:
    from nervaluate import Evaluator

    generator = random.Random(6)
    golds = [plain_spans(generator) for _ in range(60)]
    others = [plain_spans(generator) for _ in range(60)]

    def inclusive(spans: list[Span]) -> list[dict[str, object]]:
        return [{"label": span.label, "start": span.start, "end": span.end - 1} for span in spans]

    theirs = Evaluator(
        list(map(inclusive, golds)), list(map(inclusive, others)), tags=["A", "B"], loader="dict"
    ).evaluate()["overall"]
    labels = Labels()
    tables = from_spans(golds, labels), from_spans(others, labels)
    for ours, name in (("exact", "exact"), ("partial", "partial"), ("type", "ent_type")):
        counts = relaxed_counts(*tables, scheme=ours)  # type: ignore[arg-type]  # a literal, from the loop
        for kind in ("correct", "incorrect", "partial", "missed", "spurious"):
            assert getattr(counts, kind) == getattr(theirs[name], kind), (ours, kind)
    strict = strict_counts(*tables)
    assert strict.correct == theirs["strict"].correct


def test_offsets_of_one_sentence_never_match_those_of_another() -> None:
    # The card's recipe builds one set for the whole corpus: it would find 1 of 1 here.
    labels = Labels()
    gold, predicted = from_spans([[Span(0, 4, "A")], []], labels), from_spans([[], [Span(0, 4, "A")]], labels)
    assert strict_counts(gold, predicted).correct == 0
