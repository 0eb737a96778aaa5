"""Worked examples from print, each with its source and, where it is short, its derivation.

Layout: one word is an item, one character a rater, ``.`` no label. Numbers are given to the digits that
the source prints or that R (irr, irrCAC) gives.
"""

from __future__ import annotations

import pytest

from probeta.validation import agreement as A
from probeta.validation.agreement.labels import specific_agreement
from probeta.validation.agreement.pairs import grid

ANALYTIC = A.Interval(method="analytic")

K11C = "11.1 2232 3333 3333 2222 1234 4444 1121 2222 .555 ..11 .3.."
G4 = "11.1 2232 3333 3333 2222 1234 4444 1121 2222 .555 ..11 ..3."
WIKI = ".1. ... .22 .11 .33 334 444 13. 2.2 1.1 1.1 3.3 3.3 ... 3.4"
F71 = (
    "444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 224445 "
    "333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 133333 555555"
)


def rows(words: str) -> list[list[str | None]]:
    return [[None if cell == "." else cell for cell in word] for word in words.split()]


def value(estimate: A.Estimate) -> float:
    assert estimate.reason is None, estimate
    assert estimate.value is not None
    return estimate.value


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # Krippendorff 2011, A: D_o = 4/10; 14 zeros and 6 ones: D_e = 2*14*6/(20*19); 1 - 0.4/(168/380).
        ("0100000010", "1110010000", 1 - 0.4 / (168 / 380)),
        # Krippendorff 2011, B (.692).
        ("aabbdcccedda", "babbbccceddd", 0.691964),
        # Krippendorff 2004, p. 227 (.734): aa, ab, bb x4, bc, cc x5.
        ("aabbbbbccccc", "abbbbbcccccc", 0.734104),
    ],
)
def test_alpha_nominal_two_raters(first: str, second: str, expected: float) -> None:
    assert value(A.krippendorff_alpha(A.from_pair(first, second))) == pytest.approx(expected, abs=5e-7)


def test_alpha_with_missing_labels() -> None:
    # Krippendorff 2011, C: 904/1216 (.743).
    assert value(A.krippendorff_alpha(rows(K11C))) == pytest.approx(904 / 1216, abs=1e-12)
    # The three-coder example of Wikipedia and krippendorff's README.
    assert value(A.krippendorff_alpha(rows(WIKI))) == pytest.approx(0.691358, abs=5e-7)
    assert value(A.krippendorff_alpha(rows(WIKI), level="interval")) == pytest.approx(0.810845, abs=5e-7)


def test_cohen_1960_page_45() -> None:
    coded = A.from_confusion([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    kappa = A.cohen_kappa(coded, interval=ANALYTIC)
    # p_o = 140/200; p_e = .6*.5 + .3*.3 + .1*.2 = .41; (.70 - .41) / .59.
    assert kappa.observed == pytest.approx(0.70)
    assert kappa.expected == pytest.approx(0.41)
    assert value(kappa) == pytest.approx(0.491525, abs=5e-7)
    assert kappa.standard_error is not None
    # The source's ASE .0510 is the large-sample one (Fleiss, Cohen & Everitt 1969), without n / (n - 1).
    assert kappa.standard_error * (199 / 200) ** 0.5 == pytest.approx(0.0510, abs=5e-5)
    # The grid's closed form is the same number as the linearisation.
    (pair,) = grid(A.Study(coded, interval=ANALYTIC))
    assert pair["low"] == pytest.approx(kappa.low, abs=1e-12)


def test_cohen_1960_page_37() -> None:
    kappa = A.cohen_kappa(A.from_confusion([[25, 12, 3], [13, 2, 15], [12, 16, 2]]))
    assert kappa.observed == pytest.approx(0.29)
    # Margins 40, 30, 30 and 50, 30, 20: p_e = .20 + .09 + .06 = .35.
    assert kappa.expected == pytest.approx(0.35)
    assert value(kappa) == pytest.approx(-0.092308, abs=5e-7)


def test_artstein_poesio_page_558() -> None:
    coded = A.from_confusion([[20, 20], [10, 50]])
    assert value(A.brennan_prediger_s(coded)) == pytest.approx(0.4)
    assert value(A.scott_pi(coded)) == pytest.approx(0.340659, abs=5e-7)
    assert value(A.cohen_kappa(coded)) == pytest.approx(0.347826, abs=5e-7)
    study = A.Study(coded)
    # 2a / (2a + b + c): 40/70 and 100/130.
    assert value(specific_agreement(study, 0)) == pytest.approx(40 / 70)
    assert value(specific_agreement(study, 1)) == pytest.approx(100 / 130)


def test_artstein_poesio_page_568() -> None:
    coded = A.from_confusion([[46, 6, 0], [0, 32, 0], [0, 6, 10]])
    expected = {
        "percent_agreement": 0.88,
        "brennan_prediger_s": 0.82,
        "scott_pi": 0.799532,
        "cohen_kappa": 0.801325,
        "krippendorff_alpha": 0.800535,
    }
    for name, number in expected.items():
        assert value(A.COEFFICIENTS[name](coded)) == pytest.approx(number, abs=5e-7), name


def test_fleiss_1971() -> None:
    kappa = A.fleiss_kappa(rows(F71), interval=ANALYTIC)
    assert kappa.observed == pytest.approx(0.5556, abs=5e-5)
    # 26, 26, 30, 55 and 43 of 180 labels: A_e = .21994; the printed .2201 squares rounded shares.
    assert kappa.expected == pytest.approx((26**2 + 26**2 + 30**2 + 55**2 + 43**2) / 180**2)
    assert sum(share**2 for share in (0.144, 0.144, 0.167, 0.306, 0.239)) == pytest.approx(0.2201, abs=5e-5)
    assert value(kappa) == pytest.approx(0.430245, abs=5e-7)
    assert kappa.standard_error == pytest.approx(0.0542, abs=5e-5)  # R irrCAC


def test_fleiss_of_wikipedia_from_counts() -> None:
    counts = [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
    coded = A.from_counts(counts)
    assert value(A.fleiss_kappa(coded)) == pytest.approx(0.209931, abs=5e-7)
    # Counts do not say who gave which label.
    assert A.conger_kappa(coded).reason == "anonymous_raters"
    assert A.light_kappa(coded).reason == "anonymous_raters"
    assert grid(A.Study(coded)) == []


@pytest.mark.parametrize(
    ("table", "expected"), [([[40, 9], [6, 45]], 0.699519), ([[80, 10], [5, 5]], 0.318182)]
)
def test_feinstein_cicchetti_paradox(table: list[list[int]], expected: float) -> None:
    # 1990: the same observed agreement .85, kappa .70 and .32.
    coded = A.from_confusion(table)
    kappa = A.cohen_kappa(coded)
    assert kappa.observed == pytest.approx(0.85)
    assert value(kappa) == pytest.approx(expected, abs=5e-7)
    assert value(A.pabak(coded)) == pytest.approx(0.70)
    (pair,) = grid(A.Study(coded))
    assert pair["prevalence_index"] == pytest.approx((table[0][0] - table[1][1]) / 100)
    assert pair["bias_index"] == pytest.approx((table[0][1] - table[1][0]) / 100)
    assert pair["pabak"] == pytest.approx(0.70)


def test_gwet_four_raters() -> None:
    # Gwet 2014, with missing labels; R irrCAC 1.0.
    coded = A.from_rows(rows(G4), labels=list("12345"))
    expected = {
        "percent_agreement": (0.818182, 5e-7),
        "gwet_ac1": (0.77544, 5e-6),
        "fleiss_kappa": (0.76117, 5e-6),
        "conger_kappa": (0.76282, 5e-6),
        "brennan_prediger_s": (0.77273, 5e-6),
        "krippendorff_alpha": (0.74342, 5e-6),
    }
    for name, (number, digits) in expected.items():
        assert value(A.COEFFICIENTS[name](coded)) == pytest.approx(number, abs=digits), name
    ac1 = A.gwet_ac1(coded, interval=ANALYTIC)
    assert ac1.standard_error == pytest.approx(0.14295, abs=5e-6)
    assert ac1.low == pytest.approx(0.461, abs=5e-4)
    assert ac1.high == 1
    alpha = A.krippendorff_alpha(coded, interval=ANALYTIC)
    assert alpha.standard_error == pytest.approx(0.14557, abs=5e-6)
    # Item-averaged margins; pooled ones would give .762483.
    assert value(A.fleiss_kappa(coded)) == pytest.approx(0.761169, abs=5e-7)
    # AC1 depends on the size of the label set, used or not.
    assert A.gwet_ac1(A.from_rows(rows(G4), labels=list("123456"))).value != ac1.value


def test_k11c_standard_error() -> None:
    # R irrCAC: .1456.
    alpha = A.krippendorff_alpha(rows(K11C), interval=ANALYTIC)
    assert alpha.standard_error == pytest.approx(0.1456, abs=5e-5)


def test_gwet_two_raters() -> None:
    coded = A.from_confusion([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
    expected = {
        "cohen_kappa": 0.796409,
        "scott_pi": 0.796240,
        "gwet_ac1": 0.849331,
        "brennan_prediger_s": 0.835,
        "krippendorff_alpha": 0.797258,
    }
    for name, number in expected.items():
        assert value(A.COEFFICIENTS[name](coded)) == pytest.approx(number, abs=5e-7), name
    kappa = A.cohen_kappa(coded, interval=ANALYTIC)
    assert kappa.standard_error is not None
    # irrCAC's table form takes the large-sample variance, without n / (n - 1).
    assert kappa.standard_error * (99 / 100) ** 0.5 == pytest.approx(0.058911, abs=5e-7)


def test_zwick_1988() -> None:
    coded = A.from_confusion([[20, 5, 5, 10], [0, 10, 5, 5], [0, 5, 10, 5], [0, 0, 0, 20]])
    assert value(A.brennan_prediger_s(coded)) == pytest.approx(0.466667, abs=5e-7)
    assert value(A.scott_pi(coded)) == pytest.approx(0.459459, abs=5e-7)
    assert value(A.cohen_kappa(coded)) == pytest.approx(0.473684, abs=5e-7)


@pytest.mark.parametrize(("words", "fleiss"), [("111 110 001 000", 1 / 3), ("111 110 110 111", -0.2)])
def test_randolph_2005(words: str, fleiss: float) -> None:
    # A_o = 2/3 in both; p = 1/2 in the first (A_e 1/2), 5/6 in the second (A_e 26/36).
    coded = A.from_rows(rows(words), labels=["0", "1"])
    assert value(A.fleiss_kappa(coded)) == pytest.approx(fleiss)
    assert value(A.brennan_prediger_s(coded)) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("negatives", "kappa"), [(10, 0.614306), (100, 0.899759), (10_000, 0.946869), (1_000_000, 0.947363)]
)
def test_kappa_tends_to_f1(negatives: int, kappa: float) -> None:
    # Hripcsak & Rothschild 2005: F1 = 2*90/(2*90+6+4) = .947368 is the limit for many negatives.
    coded = A.from_confusion([[90, 6], [4, negatives]])
    assert value(A.cohen_kappa(coded)) == pytest.approx(kappa, abs=5e-7)
    assert value(specific_agreement(A.Study(coded), 0)) == pytest.approx(0.947368, abs=5e-7)


def test_linear_weights_follow_the_declared_order() -> None:
    # In alphabetical order (high, low, mid) other cells are neighbours: .348 for .545.
    order = ["low", "mid", "high"]
    first = ["low", "low", "mid", "mid", "high", "high", "low", "high"]
    second = ["low", "mid", "mid", "high", "high", "mid", "low", "high"]
    declared = A.weighted_kappa(A.from_pair(first, second, labels=order), weights="linear")
    alphabetical = A.weighted_kappa(A.from_pair(first, second, labels=sorted(order)), weights="linear")
    # Diagonal 5 of 8, three neighbours at weight 1/2: p_o = 6.5/8; margins 3,2,3 and 2,3,3:
    # p_e = (2*3 + 3*2 + 3*3 + (3*3 + 2*2 + 2*3 + 3*3)/2) / 64 = 35/64.
    assert value(declared) == pytest.approx((52 - 35) / (64 - 35))
    assert alphabetical.value != pytest.approx(declared.value)


def test_any_weight_matrix() -> None:
    coded = A.from_confusion([[20, 5, 1], [3, 15, 4], [2, 2, 10]])
    custom = [[1, 0.8, 0], [0.3, 1, 0.5], [0, 0.5, 1]]
    # By hand: p_o = (45 + .8*5 + .3*3 + .5*(4 + 2)) / 62.
    assert A.weighted_kappa(coded, weights=custom).observed == pytest.approx((45 + 4 + 0.9 + 3) / 62)
    identity = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert value(A.weighted_kappa(coded, weights=identity)) == pytest.approx(value(A.cohen_kappa(coded)))
