"""Intervals and tests by cluster: hand numbers, what they are without clusters, every sign tried."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta.evaluation.clustered import PairedCounts, Rate, Together, effective_number, sign_flip
from probeta.evaluation.intervals import mcnemar, newcombe, paired_difference
from probeta.rates import wilson


def rate(together: Together, hits: list[bool], among: list[bool] | None = None) -> Rate:
    found = together.rate(np.array(hits), np.array(among or [True] * len(hits)))
    assert found is not None
    return found


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40))
def test_units_of_their_own_have_the_intervals_of_wilson_and_newcombe(rows: list[tuple[bool, bool]]) -> None:
    """Also where some other unit has a copy: the cell's own units are then clusters of one."""
    names = [str(number) for number in range(len(rows))]
    hits, here = np.array([hit for hit, _ in rows]), np.array([one for _, one in rows])
    for together, cut in ((Together(names), 0), (Together([*names, "0"]), 1)):
        padded, own = np.array([*hits, *[True] * cut]), np.array([*here, *[False] * cut])
        other = np.array([*~here, *[False] * cut])
        one, rest = together.rate(padded, own), together.rate(padded, other)
        if one is not None:
            assert one.interval == pytest.approx(wilson(one.hits, one.support))
        if one is not None and rest is not None:
            expected = newcombe(one.hits, one.support, rest.hits, rest.support)
            assert together.gap(one, rest) == pytest.approx(expected)


def test_copies_that_are_all_alike_are_worth_their_sentences() -> None:
    # Two sentences found in all their copies, two in none: p = 1/2; each cluster moves the rate by 1/4 of
    # +-1/2, so the variance is 4/3 * 4 * (1/8)**2 = 1/12 and 1 + (1/4) / (1/12) = 4 units are independent. Few
    # clusters: times (t(11) / t(3))**2 = (2.200985 / 3.182446)**2 = 0.478311.
    base = ["a", "b", "c", "d"] * 3
    found = rate(Together(base), [one in "ab" for one in base])
    assert found.variance == pytest.approx(1 / 12)
    assert found.effective == pytest.approx(4 * 0.478311, abs=1e-5)
    # All found: no variance is seen, and 12 * 12 / (4 * 3 * 3) = 4 sentences are what there is.
    assert rate(Together(base), [True] * 12).interval == wilson(4, 4)


def test_one_sentence_says_as_much_as_one_unit() -> None:
    assert rate(Together(["a"] * 12), [True, False] * 6).effective == 1


def test_the_same_words_go_together_among_copies() -> None:
    """Four sentences, two words: a system that knows one of them has seen two things, not four."""
    base = ["a", "b", "c", "d"] * 3
    words = ["show" if one in "ab" else "look" for one in base]
    known = [word == "show" for word in words]
    assert rate(Together(base, words), known).effective < rate(Together(base), known).effective
    # All found: sizes 4 * 9 by sentence and 2 * 36 by word, less 4 * 9 by both; 144 / 72 = 2 words.
    assert rate(Together(base, words), [True] * 12).effective == 2


def test_a_gap_within_sentences_is_surer_than_one_between_them() -> None:
    """Half the sentences are known, and the copies in the cell are as those outside."""
    base = [str(number) for number in range(20)] * 2
    cell = np.arange(40) < 20
    hits = np.array([int(one) < 10 for one in base])
    together = Together(base)
    within = together.gap(*(rate(together, hits.tolist(), part.tolist()) for part in (cell, ~cell)))
    apart = newcombe(10, 20, 10, 20)
    assert apart is not None
    assert within.low == pytest.approx(-within.high)
    assert 0 < within.high < apart.high / 2


@given(st.lists(st.integers(-4, 4), max_size=9))
def test_sign_flip_tries_every_sign(sums: list[int]) -> None:
    far = abs(sum(sums))
    signs = list(product((1, -1), repeat=len(sums)))
    as_far = sum(abs(sum(one * sign for one, sign in zip(sums, row, strict=True))) >= far for row in signs)
    assert sign_flip(sums) == pytest.approx(as_far / len(signs))


@given(st.lists(st.integers(-1, 1), min_size=1, max_size=40))
def test_pairs_of_their_own_have_mcnemar_and_bonett_and_price(differences: list[int]) -> None:
    pairs = PairedCounts(np.array(differences), [np.arange(len(differences))])
    first, second = differences.count(1), differences.count(-1)
    assert pairs.p_value == mcnemar(first, second)
    assert pairs.interval == pytest.approx(paired_difference(first, second, len(differences)))


def test_copies_of_a_pair_prove_nothing_new() -> None:
    """Three sentences of thirty pairs each, all in favour of the first: p is that of three pairs."""
    way = np.repeat(np.arange(3), 30)
    pairs = PairedCounts(np.ones(90, dtype=np.int64), [way])
    assert (pairs.clusters, pairs.p_value) == (3, mcnemar(3, 0))
    assert pairs.interval == pytest.approx(paired_difference(3, 0, 3))
    # Two ways: the one that has fewer clusters decides.
    assert PairedCounts(pairs.differences, [way, way // 2]).p_value == mcnemar(2, 0)
    assert PairedCounts(np.zeros(3, dtype=np.int64), [np.arange(3)]).p_value is None


def test_thousands_of_clusters_do_not_overflow() -> None:
    assert sign_flip([1] * 1500 + [-1] * 1400) == pytest.approx(0.0660, abs=1e-3)
    assert sign_flip([1] * 1498 + [2] + [-1] * 1400) == pytest.approx(0.0660, abs=1e-3)


def test_the_effective_number_never_exceeds_the_units() -> None:
    assert effective_number(0.25, 1e-6, 20, 10, 40.0) == 20
