"""Our coefficients against the libraries that are right, on random data, in every run."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from test_agreement_examples import F71, G4
from test_agreement_examples import rows as as_rows

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


#: What is compared with each library whatever the data.
PAIRS = ["cohen_kappa", "weighted_kappa"]
WHOLE = {
    "krippendorff": ["krippendorff_alpha"],
    "scikit-learn": PAIRS,
    "statsmodels": ["fleiss_kappa", "brennan_prediger_s", *PAIRS],
    "nltk": ["percent_agreement", "fleiss_kappa", "conger_kappa", "light_kappa", "krippendorff_alpha"],
}


def compared(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The coefficients that each library gave a value of; their differences are nothing."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row["reason"] is None:
            assert row["difference"] == pytest.approx(0, abs=1e-12), row
            found.setdefault(row["library"], []).append(row["coefficient"])
    return found


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("seed", range(3))
def test_every_library_agrees_on_complete_data(seed: int, level: str) -> None:
    coded = random_codes(seed, items=50, raters=4, labels=4, missing=0)
    weights = "quadratic" if level == "interval" else "linear"
    rows = cross_check(A.Study(coded, level=level, weights=weights))
    wanted = WHOLE | ({} if level == "nominal" else {"nltk": WHOLE["nltk"][:-1]})
    assert compared(rows) == wanted


@pytest.mark.parametrize("seed", range(3))
def test_only_what_is_right_with_labels_missing_is_compared(seed: int) -> None:
    coded = random_codes(seed, items=60, raters=5, labels=4, missing=0.4)
    rows = cross_check(A.Study(coded, weights="linear"))
    assert compared(rows) == WHOLE | {"statsmodels": PAIRS, "nltk": ["krippendorff_alpha"]}
    told = {row["reason"] for row in rows if row["library"] == "nltk"}
    assert "right only if every annotator labelled every item" in told
    # As many labels in every item, though not of the same annotators: statsmodels is right again.
    generator = np.random.default_rng(seed)
    codes = np.full((60, 5), -1)
    for row in codes:
        row[generator.choice(5, 3, replace=False)] = generator.integers(0, 4, 3)
    balanced = replace(coded, codes=codes)
    assert compared(cross_check(A.Study(balanced)))["statsmodels"][:2] == WHOLE["statsmodels"][:2]


def test_cross_check_reports_what_the_library_refuses() -> None:
    found = {
        (row["library"], row["coefficient"]): row
        for row in cross_check(A.Study(A.from_rows([["a", "a"], ["a", "a"]])))
    }
    alpha = found["krippendorff", "krippendorff_alpha"]
    assert alpha["theirs"] is None and "more than one value" in alpha["reason"]
    kappa = found["scikit-learn", "cohen_kappa"]
    assert kappa["ours"] is None and kappa["reason"] == "no_variation"
    # nltk says 1 where there is no variation: shown, and not called a difference.
    assert found["nltk", "conger_kappa"]["theirs"] == 1
    assert found["nltk", "conger_kappa"]["difference"] is None
    assert found["nltk", "percent_agreement"]["difference"] == 0


def test_a_library_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.metrics.agreement", None)
    rows = cross_check(A.Study(random_codes(0, items=20, raters=3, labels=2, missing=0), weights="linear"))
    assert {row["reason"] for row in rows if row["library"] == "nltk"} == {"not installed"}
    assert compared(rows) == {name: whole for name, whole in WHOLE.items() if name != "nltk"}


@pytest.mark.parametrize("seed", range(3))
def test_standard_errors_of_statsmodels(seed: int) -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    pair = random_codes(seed, items=50, raters=2, labels=3, missing=0)
    table = np.zeros((3, 3))
    np.add.at(table, (pair.codes[:, 0], pair.codes[:, 1]), 1)
    analytic = A.Interval(method="analytic")
    for name, weights in (("cohen_kappa", None), ("weighted_kappa", "quadratic")):
        theirs = inter_rater.cohens_kappa(table, wt=weights)
        ours = A.COEFFICIENTS[name](pair, weights=weights, interval=analytic)
        assert ours.value == pytest.approx(theirs.kappa)
        assert ours.standard_error == pytest.approx(theirs.std_kappa * (50 / 49) ** 0.5)


@pytest.mark.parametrize(
    ("weights", "value", "error", "expected", "whole", "whole_error", "whole_expected"),
    [
        ("identity", 0.775444068, 0.142949951, 0.190321181, 0.447884516, 0.055662142, 0.195015432),
        ("linear", 0.858739136, 0.117329022, 0.570963542, 0.385473614, 0.076087520, 0.585046296),
        ("quadratic", 0.914000724, 0.103962245, 0.713704427, 0.380228301, 0.104656837, 0.731307870),
        ("radical", 0.819811702, 0.128355525, 0.429869227, 0.409382590, 0.064046077, 0.440471906),
        ("ordinal", 0.898939770, 0.106903524, 0.685156250, 0.381689353, 0.095953747, 0.702055556),
        ("ratio", 0.857367558, 0.122071330, 0.678298106, 0.366303850, 0.102533122, 0.695028256),
    ],
)
def test_ac1_and_ac2_are_those_of_irrcac(
    weights: str,
    value: float,
    error: float,
    expected: float,
    whole: float,
    whole_error: float,
    whole_expected: float,
) -> None:
    """irrCAC 0.4.4 on Gwet's four raters (labels missing) and on Fleiss's six (complete).

    Frozen: irrCAC is right under pandas 2 only, which its pins ask for and we cannot have (newer pandas makes
    it count a missing label as a category).
    """
    for words, numbers in (
        (G4, (value, error, expected)),
        (F71, (whole, whole_error, whole_expected)),
    ):
        coded = A.from_rows(as_rows(words), labels=list("12345"))
        found = A.gwet_ac2(coded, weights=weights, interval=A.Interval(method="analytic"))
        assert (found.value, found.standard_error, found.expected) == pytest.approx(numbers, abs=1e-9)
        if weights == "identity":
            assert A.gwet_ac1(coded).value == found.value


def test_sklearn_on_every_pair_with_missing_labels() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    coded = random_codes(7, items=80, raters=6, labels=3, missing=0.5)
    place = {rater: column for column, rater in enumerate(coded.raters)}
    for pair in grid(A.Study(coded)):
        codes = coded.codes[:, [place[pair["first"]], place[pair["second"]]]]
        both = codes[(codes >= 0).all(axis=1)]
        assert pair["items"] == len(both)
        assert pair["kappa"] == pytest.approx(metrics.cohen_kappa_score(both[:, 0], both[:, 1]))
