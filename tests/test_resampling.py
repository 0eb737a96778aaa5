"""The bootstrap that agreement, scoring and artifacts share."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta import resampling
from probeta.resampling import Draws, by_cluster, distinct, draws, each, percentiles


def drawn(multiplicity: list[int], *, samples: int, seed: int = 0, key: str = "units") -> np.ndarray:
    blocks = draws(np.array(multiplicity), samples=samples, seed=seed, key=key)
    return np.concatenate(list(blocks))


@given(st.lists(st.integers(1, 30), min_size=1, max_size=8), st.integers(0, 2**40))
def test_a_sample_draws_as_many_units_as_there_are(multiplicity: list[int], seed: int) -> None:
    samples = drawn(multiplicity, samples=20, seed=seed)
    assert samples.shape == (20, len(multiplicity))
    assert (samples.sum(axis=1) == sum(multiplicity)).all()
    assert (samples >= 0).all()
    assert np.array_equal(samples, drawn(multiplicity, samples=20, seed=seed))


def test_both_ways_of_drawing_have_the_multinomials_moments() -> None:
    """n draws of k equally likely units: each count has mean n p and variance n p (1 - p).

    With 4,000 samples the mean of a count of variance v lies within 5 sqrt(v / 4000) of it.
    """
    for multiplicity in ([1] * 10, [10] * 4):
        number = sum(multiplicity)
        share = multiplicity[0] / number
        variance = number * share * (1 - share)
        samples = drawn(multiplicity, samples=4000)
        assert abs(samples.mean(axis=0) - number * share).max() < 5 * np.sqrt(variance / 4000)
        assert samples.var(axis=0) == pytest.approx(np.full(len(multiplicity), variance), rel=0.15)


def test_every_key_draws_its_own_and_the_global_generator_is_left_alone() -> None:
    before = np.random.get_state()[1].tolist()
    assert not np.array_equal(drawn([1] * 9, samples=5), drawn([1] * 9, samples=5, key="raters"))
    assert not np.array_equal(drawn([1] * 9, samples=5), drawn([1] * 9, samples=5, seed=1))
    assert np.random.get_state()[1].tolist() == before


@pytest.mark.parametrize("multiplicity", [[1] * 50, [40, 7, 3]])
def test_blocks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch, multiplicity: list[int]) -> None:
    whole = drawn(multiplicity, samples=60)
    monkeypatch.setattr(resampling, "BLOCK", 170)
    assert np.array_equal(drawn(multiplicity, samples=60), whole)
    sums = np.arange(len(multiplicity), dtype=float)[:, None]
    units = resampling.Units(sums, np.array(multiplicity))
    assert np.array_equal(Draws(samples=60, seed=0).sums(units), whole @ sums)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=12))
def test_distinct_rows_stand_for_all(rows: list[tuple[int, int]]) -> None:
    found = distinct(np.array(rows, dtype=float).reshape(-1, 2))
    counted = Counter(rows)
    assert [tuple(map(int, row)) for row in found.sums] == sorted(counted, key=lambda row: row[::-1])
    assert {tuple(map(int, row)): n for row, n in zip(found.sums, found.multiplicity, strict=True)} == counted
    assert found.number == len(rows)


def test_clusters_stay_together() -> None:
    rows = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert by_cluster(rows, None) is rows
    # Clusters 0 and 2 have one row each, 1 has none, and the sums are by column.
    clusters = np.array([2, 0, 2])
    assert by_cluster(rows, clusters).tolist() == [[3.0, 4.0], [0.0, 0.0], [6.0, 8.0]]
    sums = Draws(samples=200, seed=0).sums(each(np.array([[0.0], [10.0]])))
    assert set(sums.ravel().tolist()) == {0.0, 10.0, 20.0}


def test_nothing_to_draw() -> None:
    assert drawn([], samples=3).shape == (3, 0)
    assert Draws(samples=3, seed=0).sums(each(np.zeros((0, 2)))).tolist() == [[0.0, 0.0]] * 3
    assert by_cluster(np.zeros((0, 2)), np.zeros(0, dtype=np.intp)).shape == (0, 2)
    assert percentiles(np.zeros(0)) == (None, None, 0, "unstable")


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=50), st.sampled_from([0.5, 0.9, 0.95]))
def test_percentiles_are_numpys_linear_ones(values: list[float], confidence: float) -> None:
    found = percentiles(np.array(values), confidence=confidence)
    tail = (1 - confidence) / 2
    assert found[:2] == pytest.approx(tuple(np.quantile(values, [tail, 1 - tail])), abs=1e-12)
    assert found[2:] == (0, None)


def test_undefined_samples() -> None:
    """Twenty known values and one undefined: 1/21 is under one in twenty; with two it is 2/22."""
    known = np.linspace(0, 1, 20)
    low, high, undefined, reason = percentiles(np.append(known, np.nan))
    assert (low, high) == pytest.approx((0.025, 0.975))
    assert (undefined, reason) == (1, None)
    assert percentiles(np.append(known, [np.nan, np.inf])) == (None, None, 2, "unstable")


def test_bounds_that_meet() -> None:
    same = percentiles(np.full(50, 0.25))
    assert same[:2] == (0.25, 0.25)
    assert same.with_width() == (None, None, 0, "no_width")
    apart = percentiles(np.linspace(0, 1, 50))
    assert apart.with_width() == apart
    assert percentiles(np.zeros(0)).with_width().reason == "unstable"
