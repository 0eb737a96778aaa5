"""Our coefficients against the libraries that are right, on random data, in every run."""

from __future__ import annotations

import numpy as np
import pytest

from probeta.validation import agreement as A
from probeta.validation.agreement.crosscheck import cross_check
from probeta.validation.agreement.pairs import grid


def random_codes(seed: int, *, items: int, raters: int, labels: int, missing: float) -> A.Coded:
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, labels, items)
    codes = np.where(
        generator.random((items, raters)) < 0.6,
        truth[:, None],
        generator.integers(0, labels, (items, raters)),
    )
    codes[generator.random((items, raters)) < missing] = -1
    names = tuple(map(str, range(1, labels + 1)))
    return A.Coded(
        codes,
        names,
        tuple(map(str, range(items))),
        tuple(f"r{rater}" for rater in range(raters)),
        declared=True,
    )


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("seed", range(3))
def test_cross_check_agrees(seed: int, level: str) -> None:
    coded = random_codes(seed, items=60, raters=5, labels=4, missing=0.4)
    weights = "quadratic" if level == "interval" else "linear"
    rows = cross_check(A.Study(coded, level=level, weights=weights))
    assert [row["coefficient"] for row in rows] == ["krippendorff_alpha", "cohen_kappa", "weighted_kappa"]
    for row in rows:
        assert row["reason"] is None
        assert row["difference"] == pytest.approx(0, abs=1e-12), row


def test_cross_check_reports_what_the_library_refuses() -> None:
    (alpha, kappa) = cross_check(A.Study(A.from_rows([["a", "a"], ["a", "a"]])))
    assert alpha["theirs"] is None and alpha["reason"]
    assert kappa["ours"] is None and kappa["reason"] == "no_variation"


@pytest.mark.parametrize("seed", range(3))
def test_statsmodels_on_complete_data(seed: int) -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    coded = random_codes(seed, items=50, raters=4, labels=3, missing=0)
    counts = coded.counts.astype(int)
    assert A.fleiss_kappa(coded).value == pytest.approx(inter_rater.fleiss_kappa(counts))
    assert A.brennan_prediger_s(coded).value == pytest.approx(inter_rater.fleiss_kappa(counts, method="rand"))
    pair = random_codes(seed, items=50, raters=2, labels=3, missing=0)
    table = np.zeros((3, 3))
    np.add.at(table, (pair.codes[:, 0], pair.codes[:, 1]), 1)
    theirs = inter_rater.cohens_kappa(table)
    ours = A.cohen_kappa(pair, interval=A.Interval(method="analytic"))
    assert ours.value == pytest.approx(theirs.kappa)
    assert ours.standard_error == pytest.approx(theirs.std_kappa * (50 / 49) ** 0.5)
    weighted = inter_rater.cohens_kappa(table, wt="quadratic")
    ours = A.weighted_kappa(pair, weights="quadratic", interval=A.Interval(method="analytic"))
    assert ours.value == pytest.approx(weighted.kappa)
    assert ours.standard_error == pytest.approx(weighted.std_kappa * (50 / 49) ** 0.5)


@pytest.mark.parametrize("seed", range(3))
def test_nltk_on_complete_data(seed: int) -> None:
    agreement = pytest.importorskip("nltk.metrics.agreement")
    coded = random_codes(seed, items=40, raters=4, labels=3, missing=0)
    task = agreement.AnnotationTask(
        data=[
            (rater, item, coded.labels[code])
            for item, row in zip(coded.items, coded.codes, strict=True)
            for rater, code in zip(coded.raters, row, strict=True)
        ]
    )
    assert A.percent_agreement(coded).value == pytest.approx(task.avg_Ao())
    assert A.fleiss_kappa(coded).value == pytest.approx(task.pi())
    assert A.light_kappa(coded).value == pytest.approx(task.kappa())
    assert A.conger_kappa(coded).value == pytest.approx(task.multi_kappa())
    assert A.krippendorff_alpha(coded).value == pytest.approx(task.alpha())


def test_sklearn_on_every_pair_with_missing_labels() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    coded = random_codes(7, items=80, raters=6, labels=3, missing=0.5)
    place = {rater: column for column, rater in enumerate(coded.raters)}
    for pair in grid(A.Study(coded)):
        codes = coded.codes[:, [place[pair["first"]], place[pair["second"]]]]
        both = codes[(codes >= 0).all(axis=1)]
        assert pair["items"] == len(both)
        assert pair["kappa"] == pytest.approx(metrics.cohen_kappa_score(both[:, 0], both[:, 1]))
