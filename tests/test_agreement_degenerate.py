"""Degenerate input: a reason and what can be said instead; never a crash, a NaN, or a silent 0 or 1."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from probeta.errors import DataError, UsageError
from probeta.validation import agreement as A
from probeta.validation.agreement.annotators import per_annotator, self_agreement
from probeta.validation.agreement.labels import per_label
from probeta.validation.agreement.pairs import grid

CHANCE_CORRECTED = [name for name in A.COEFFICIENTS if name != "percent_agreement"]
TWO_RATERS = {"scott_pi", "cohen_kappa", "weighted_kappa"}


def estimates(coded: A.Coded, method: str = "bootstrap") -> dict[str, A.Estimate]:
    study = A.Study(coded, interval=A.Interval(method=method, resamples=200))  # type: ignore[arg-type]  # parametrized
    found = {name: function(study) for name, function in A.COEFFICIENTS.items()}
    whole: dict[str, Any] = {name: estimate.to_json() for name, estimate in found.items()}
    whole |= {"labels": per_label(study), "pairs": grid(study), "annotators": per_annotator(study)}
    json.dumps(whole, allow_nan=False)
    for estimate in found.values():
        assert (estimate.value is None) == (estimate.reason is not None)
        assert (estimate.low is None) == (estimate.interval_reason is not None)
        assert estimate.reason is None or estimate.reason in A.REASONS
    return found


@pytest.mark.parametrize("method", ["bootstrap", "two_way", "analytic", "none"])
@pytest.mark.parametrize(
    "rows",
    [
        [],
        [[None, None]],
        [["a", None], [None, "b"]],
        [["a", "a"]],
        [["a", "b"]],
        [["a", "a"], ["a", "a"]],
        [["a", "b"], ["a", "b"]],
        [["a", "a", "b"], ["b", None, None]],
    ],
)
def test_nothing_crashes(rows: list[list[str | None]], method: str) -> None:
    estimates(A.from_rows(rows), method)
    estimates(A.from_rows(rows, labels=["a", "b", "c"]), method)


def test_no_data() -> None:
    for coded in (A.from_rows([]), A.from_rows([[None, None]]), A.from_counts([[0, 0]])):
        assert {estimate.reason for estimate in estimates(coded).values()} == {"no_data"}


def test_one_annotator() -> None:
    found = estimates(A.from_rows([["a"], ["b"], ["a"]]))
    assert {estimate.reason for estimate in found.values()} == {"one_rater"}
    # A second column without a label is no second annotator.
    found = estimates(A.from_rows([["a", None], ["b", None]]))
    assert {estimate.reason for estimate in found.values()} == {"one_rater"}
    assert found["cohen_kappa"].raters == 1


def test_all_labels_equal() -> None:
    found = estimates(A.from_rows([["a", "a"]] * 5))
    for name in CHANCE_CORRECTED:
        assert found[name].reason == "no_variation", name
        assert found[name].observed == 1
        assert found[name].items == 5
    assert found["percent_agreement"].value == 1
    # With a declared set of two labels or more, chance is known for S, AC1, AC2 and PABAK.
    found = estimates(A.from_rows([["a", "a"]] * 5, labels=["a", "b"]))
    for name in ("brennan_prediger_s", "gwet_ac1", "gwet_ac2", "pabak"):
        assert found[name].value == 1, name
    for name in ("cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "conger_kappa", "light_kappa"):
        assert found[name].reason == "no_variation", name


def test_one_item() -> None:
    for name, estimate in estimates(A.from_rows([["a", "a"]])).items():
        assert estimate.items == 1
        if name != "percent_agreement":
            assert estimate.reason == "no_variation", name
    found = estimates(A.from_rows([["a", "b"]]))
    assert found["krippendorff_alpha"].value == 0
    assert found["cohen_kappa"].value == 0
    assert found["scott_pi"].value == -1
    for estimate in found.values():
        assert estimate.low is None
        assert estimate.interval_reason == "one_item"


def test_both_constant_with_different_labels() -> None:
    found = estimates(A.from_rows([["a", "b"]] * 4))
    # D_o = 1; D_e = 2*4*4/(8*7) = 4/7; 1 - 7/4.
    assert found["krippendorff_alpha"].value == pytest.approx(-0.75)
    assert found["cohen_kappa"].value == 0
    assert found["scott_pi"].value == -1
    assert "no label in common" in (found["cohen_kappa"].note or "")


def test_no_common_items() -> None:
    coded = A.from_rows([["a", None], ["b", None], [None, "a"], [None, "b"]])
    assert {estimate.reason for estimate in estimates(coded).values()} == {"no_common_items"}
    (pair,) = grid(A.Study(coded))
    assert (pair["items"], pair["kappa"], pair["reason"]) == (0, None, "no_common_items")


def test_one_common_item_agreeing() -> None:
    coded = A.from_rows([["a", "a"], ["b", None], [None, "b"]])
    for name, estimate in estimates(coded).items():
        assert estimate.items == 1
        if name != "percent_agreement":
            assert estimate.reason == "no_variation", name


def test_one_declared_missing_token() -> None:
    perfect = [["a", "a"], ["b", "b"], ["a", "NA"]]
    assert A.krippendorff_alpha(A.from_rows(perfect, missing="NA")).value == 1
    # Undeclared, the token is a label like any other, "nan" too.
    assert A.from_rows([["a", "nan"]]).labels == ("a", "nan")
    with pytest.raises(DataError, match="another token was declared"):
        A.from_rows([["a", None], ["b", "NA"]], missing="NA")
    with pytest.raises(DataError, match="another token was declared"):
        A.from_rows([[1.0, math.nan]])
    assert A.from_rows([[1.0, math.nan]], missing=math.nan).codes.tolist() == [[0, -1]]


def test_labels_of_mixed_types() -> None:
    with pytest.raises(DataError, match="several types"):
        A.from_rows([[2, "2"]])
    assert A.from_rows([[2, 2.0]]).labels == ("2",)


def test_unknown_label_names_the_likely_one() -> None:
    with pytest.raises(DataError, match="neutral is meant"):
        A.from_rows([["neutral", "Neutral"]], labels=["entailment", "neutral"])


def test_ordinal_needs_an_order_and_interval_numbers() -> None:
    with pytest.raises(UsageError, match="order"):
        A.krippendorff_alpha([["low", "high"]], level="ordinal")
    with pytest.raises(UsageError, match="numbers"):
        A.krippendorff_alpha([["low", "high"]], level="interval")
    with pytest.raises(UsageError, match="below 0"):
        A.krippendorff_alpha([[-1, 2]], level="ratio")
    # A zero is a value of a ratio scale.
    assert A.krippendorff_alpha([[0, 0], [2, 2], [1, 2]], level="ratio").value is not None


def test_wrong_weights() -> None:
    coded = A.from_confusion([[1, 2], [3, 4]])
    with pytest.raises(UsageError, match="on the diagonal"):
        A.weighted_kappa(coded, weights=[[0, 1], [1, 0]])
    with pytest.raises(UsageError, match="shape"):
        A.weighted_kappa(coded, weights=[[1]])
    with pytest.raises(UsageError, match="unknown weights"):
        A.weighted_kappa(coded, weights="linaer")


def test_more_than_two_raters_where_two_are_needed() -> None:
    found = estimates(A.from_rows([["a", "a", "b"], ["b", "b", "b"], ["a", "b", "a"]]))
    for name in TWO_RATERS:
        assert found[name].reason == "not_two_raters"
        assert found[name].observed is not None
        assert found[name].note


def test_no_repeats() -> None:
    found = self_agreement(A.from_rows([["a", "b"]]), A.Interval(method="none"))
    assert {estimate.reason for estimate in found.values()} == {"no_repeats"}


def test_an_interval_without_width_is_none() -> None:
    """All items agreed on: every sample gives 1, and the linearised error is 0."""
    coded = A.from_rows([["a", "a"], ["b", "b"], ["c", "c"]] * 40)
    for method in ("bootstrap", "analytic"):
        for name, estimate in estimates(coded, method).items():
            wanted = (
                "no_analytic_form" if method == "analytic" and "mean" in (estimate.note or "") else "no_width"
            )
            assert (estimate.value, estimate.interval_reason) == (1, wanted), name
        (pair,) = grid(A.Study(coded, interval=A.Interval(method=method)))  # type: ignore[arg-type]  # parametrized
        assert (pair["kappa"], pair["low"], pair["high"]) == (1, None, None)
