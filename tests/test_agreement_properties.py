"""Properties of the coefficients that hold for any data."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from probeta.validation import agreement as A
from probeta.validation.agreement.labels import per_label, specific_agreement
from probeta.validation.agreement.pairs import grid, kappas
from probeta.validation.agreement.report import Choices, label_report
from probeta.validation.annotations import COLUMNS, Annotations

LABELS = ["x", "y", "z"]


def matrices(*, raters: int = 4, missing: bool = True) -> st.SearchStrategy[list[list[str | None]]]:
    cell = st.sampled_from([*LABELS, None] if missing else LABELS)
    width = st.integers(2, raters)
    return width.flatmap(
        lambda number: st.lists(st.lists(cell, min_size=number, max_size=number), min_size=1, max_size=12)
    )


def values(coded: A.Coded) -> dict[str, float | None]:
    study = A.Study(coded)
    return {name: function(study).value for name, function in A.COEFFICIENTS.items()}


def same(first: dict[str, float | None], second: dict[str, float | None]) -> None:
    assert {
        name: None if value is None else pytest.approx(value, abs=1e-9) for name, value in first.items()
    } == second


@given(matrices(), st.randoms(use_true_random=False))
def test_names_and_order_do_not_matter(rows: list[list[str | None]], random: Any) -> None:
    coded = A.from_rows(rows, labels=LABELS)
    items, raters = list(range(len(rows))), list(range(len(rows[0])))
    random.shuffle(items)
    random.shuffle(raters)
    moved = [[rows[item][rater] for rater in raters] for item in items]
    same(values(coded), values(A.from_rows(moved, labels=LABELS)))
    # Nominal labels may be renamed, and so may their order.
    renamed = dict(zip(LABELS, random.sample(LABELS, 3), strict=True))
    other = [[None if cell is None else renamed[cell] for cell in row] for row in rows]
    same(values(coded), values(A.from_rows(other, labels=LABELS)))


@given(matrices())
def test_values_are_in_range_and_json_holds_no_nan(rows: list[list[str | None]]) -> None:
    coded = A.from_rows(rows, labels=LABELS)
    study = A.Study(coded, interval=A.Interval(resamples=100))
    found = {name: function(study).to_json() for name, function in A.COEFFICIENTS.items()}
    for name, estimate in found.items():
        value = estimate["value"]
        assert value is None or value <= 1 + 1e-12, name
        if estimate["low"] is not None:
            assert estimate["low"] <= estimate["high"]
            assert estimate["undefined_resamples"] <= 5
    json.dumps([found, per_label(study), grid(study)], allow_nan=False)


@given(st.lists(st.sampled_from(LABELS), min_size=2, max_size=10), st.data())
def test_perfect_agreement_is_one_whatever_is_missing(truth: list[str], data: st.DataObject) -> None:
    rows = [
        [label if data.draw(st.booleans()) or rater < 2 else None for rater in range(4)] for label in truth
    ]
    assume(len(set(truth)) > 1)
    for name, value in values(A.from_rows(rows, labels=LABELS)).items():
        if value is not None:
            assert value == pytest.approx(1), name
    assert A.krippendorff_alpha(A.from_rows(rows)).value == 1


@given(matrices(raters=2, missing=False))
def test_two_raters_meet_their_general_forms(rows: list[list[str | None]]) -> None:
    coded = A.from_rows(rows, labels=LABELS)
    found = values(coded)
    for special, general in (
        ("cohen_kappa", "conger_kappa"),
        ("cohen_kappa", "light_kappa"),
        ("cohen_kappa", "mean_pairwise_kappa"),
        ("scott_pi", "fleiss_kappa"),
        ("gwet_ac1", "gwet_ac2"),
    ):
        if found[special] is not None:
            assert found[general] == pytest.approx(found[special]), general


@given(matrices(missing=False))
def test_alpha_is_fleiss_corrected_for_size(rows: list[list[str | None]]) -> None:
    coded = A.from_rows(rows, labels=LABELS)
    found = values(coded)
    number = coded.counts.sum()
    if found["fleiss_kappa"] is not None:
        # On complete nominal data 1 - alpha = (1 - kappa) (n - 1) / n.
        assert found["krippendorff_alpha"] == pytest.approx(
            1 - (1 - found["fleiss_kappa"]) * (number - 1) / number
        )


@given(matrices())
def test_sums_of_a_partition_are_the_total(rows: list[list[str | None]]) -> None:
    coded = A.from_rows(rows, labels=LABELS)
    half = np.arange(len(rows)) % 2 == 0
    parts = [A.Study(coded.select(mask)) for mask in (half, ~half)]
    whole = A.Study(coded)
    assert sum(part.pairable for part in parts) == whole.pairable
    assert sum(part.pairs_compared for part in parts) == whole.pairs_compared
    assert sum(part.coded.counts.sum() for part in parts) == whole.coded.counts.sum()
    assert sum(pair["items"] for pair in grid(whole)) == whole.pairs_compared
    assert sum(row["count"] for row in per_label(whole).values()) == whole.coded.counts.sum()


@given(st.integers(1, 60), st.integers(0, 15), st.integers(0, 15))
def test_kappa_tends_to_f1_as_negatives_grow(both: int, first: int, second: int) -> None:
    f1 = 2 * both / (2 * both + first + second)
    gaps = []
    for negatives in (10**3, 10**5, 10**7):
        table = np.array([[both, first], [second, negatives]])
        gaps.append(abs(float(kappas(table[None].astype(float), np.eye(2)).value[0]) - f1))
    assert gaps[0] + 1e-12 >= gaps[1] >= gaps[2] - 1e-12
    assert gaps[2] < 1e-4
    exact = specific_agreement(A.Study(A.from_confusion([[both, first], [second, 50]])), 0).value
    assert exact == pytest.approx(f1)


def table_of(rows: list[tuple[str, str, str]]) -> Annotations:
    frame = pd.DataFrame(
        [
            {"item": item, "annotator": rater, "label": label, "status": "answered"}
            for item, rater, label in rows
        ],
        columns=list(COLUMNS),
    ).astype(object)
    items = pd.DataFrame(
        {"base_id": [item[:1] for item in sorted({item for item, _, _ in rows})]},
        index=pd.Index(sorted({item for item, _, _ in rows}), name="item"),
    )
    return Annotations(frame, items, "table", "labels")


@pytest.mark.parametrize("cluster", ["item", "base_id"])
@pytest.mark.parametrize("method", ["bootstrap", "two_way"])
def test_bootstrap_is_the_same_under_reordering(method: str, cluster: str) -> None:
    generator = np.random.default_rng(5)
    rows = [
        (f"{item % 7}-{item}", f"r{rater}", LABELS[generator.integers(0, 3)])
        for item in range(40)
        for rater in generator.choice(6, 3, replace=False)
    ]
    choices = Choices(interval=A.Interval(method=method, resamples=200, seed=3), cluster=cluster)  # type: ignore[arg-type]  # parametrized
    first = label_report(table_of(rows), choices)
    generator.shuffle(rows)
    assert label_report(table_of(rows), choices) == first
    # Counts-based coefficients do not look at names either.
    alpha = first["coefficients"]["krippendorff_alpha"]
    assert alpha["low"] < alpha["value"] < alpha["high"]
    if method == "bootstrap" and cluster == "item":
        renamed = [(item[::-1], f"x{rater}", label) for item, rater, label in rows]
        assert label_report(table_of(renamed), choices)["coefficients"]["krippendorff_alpha"] == alpha


def test_seed_and_resamples_are_what_moves_the_interval() -> None:
    rows = [["x", "y"], ["x", "x"], ["y", "y"], ["z", "z"], ["x", "z"], ["y", "x"]] * 10
    coded = A.from_rows(rows)
    one, again, other = (A.krippendorff_alpha(coded, interval=A.Interval(seed=seed)) for seed in (1, 1, 2))
    assert one == again
    assert one.value == other.value
    assert (one.low, one.high) != (other.low, other.high)
    assert one.low == pytest.approx(other.low, abs=0.05)


def test_analytic_and_bootstrap_intervals_agree_on_a_large_sample() -> None:
    generator = np.random.default_rng(8)
    truth = generator.integers(0, 3, 2000)
    codes = np.where(generator.random((2000, 3)) < 0.6, truth[:, None], generator.integers(0, 3, (2000, 3)))
    coded = A.from_rows([[LABELS[code] for code in row] for row in codes])
    for name in ("percent_agreement", "fleiss_kappa", "conger_kappa", "gwet_ac1", "krippendorff_alpha"):
        analytic = A.COEFFICIENTS[name](coded, interval=A.Interval(method="analytic"))
        sampled = A.COEFFICIENTS[name](coded, interval=A.Interval(resamples=4000))
        assert analytic.low == pytest.approx(sampled.low, abs=0.003), name
        assert analytic.high == pytest.approx(sampled.high, abs=0.003), name


def test_clusters_widen_the_interval_when_errors_repeat() -> None:
    # 60 base sentences in 12 copies that are labelled alike: n is 60, not 720.
    generator = np.random.default_rng(9)
    base = [
        [LABELS[code] for code in (generator.integers(0, 3), generator.integers(0, 3))] for _ in range(30)
    ] + [[label, label] for label in LABELS * 10]
    rows = [row for row in base for _ in range(12)]
    clusters = [number for number in range(60) for _ in range(12)]
    plain = A.krippendorff_alpha(A.from_rows(rows), interval=A.Interval())
    grouped = A.krippendorff_alpha(A.from_rows(rows, clusters=clusters), interval=A.Interval())
    assert plain.value == grouped.value
    widths = [found.high - found.low for found in (plain, grouped) if found.high and found.low]
    # The square root of 12, up to the bootstrap's own noise.
    assert widths[1] / widths[0] == pytest.approx(12**0.5, rel=0.15)
    assert plain.standard_error is not None and grouped.standard_error is not None
    assert grouped.standard_error / plain.standard_error == pytest.approx(12**0.5, rel=0.02)


def test_two_way_is_wider_than_by_item() -> None:
    generator = np.random.default_rng(10)
    truth = generator.integers(0, 3, 300)
    skill = generator.uniform(0.2, 0.95, 8)
    codes = np.where(generator.random((300, 8)) < skill, truth[:, None], generator.integers(0, 3, (300, 8)))
    coded = A.from_rows([[LABELS[code] for code in row] for row in codes])
    for name in ("krippendorff_alpha", "conger_kappa", "light_kappa", "gwet_ac1"):
        items = A.COEFFICIENTS[name](coded, interval=A.Interval(resamples=300))
        both = A.COEFFICIENTS[name](coded, interval=A.Interval(method="two_way", resamples=300))
        assert both.value == pytest.approx(items.value)
        assert both.low is not None and items.low is not None and items.high is not None
        assert both.high is not None
        assert both.high - both.low > 2 * (items.high - items.low), name


def test_memory_and_blocks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    from probeta import resampling
    from probeta.validation.agreement import study

    rows = [["x", "y", "x"], ["x", None, "x"], ["y", "y", "z"], ["z", "z", None]] * 25
    coded = A.from_rows(rows)
    interval = A.Interval(resamples=150)
    whole = A.light_kappa(coded, interval=interval)
    for module in (resampling, study):
        monkeypatch.setattr(module, "BLOCK", 1500)
    assert A.light_kappa(coded, interval=interval) == whole
