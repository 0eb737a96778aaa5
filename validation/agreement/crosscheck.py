"""The same data through other libraries, where those are right, and the difference from ours."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from probeta.errors import PrerequisiteError
from probeta.validation.agreement.coefficients import cohen_kappa, krippendorff_alpha, weighted_kappa
from probeta.validation.agreement.pairs import kappas
from probeta.validation.agreement.study import Study

Floats = npt.NDArray[Any]


def cross_check(made: Study) -> list[dict[str, Any]]:
    """Rows of ``{coefficient, library, ours, theirs, difference, reason}``.

    Krippendorff's alpha from ``krippendorff`` at the study's level; Cohen's kappa of every pair (and the
    weighted one under linear and quadratic weights) from scikit-learn, of which the pair with the largest
    difference is shown. A value that the library refuses has the library's own words as its reason.
    """
    rows = [_alpha(made)]
    if not made.coded.anonymous:
        rows += _pairs(made)
    return rows


def _alpha(made: Study) -> dict[str, Any]:
    try:
        import krippendorff
    except ImportError:
        raise PrerequisiteError(
            "--cross-check needs the package krippendorff", fix="install it: pip install krippendorff"
        ) from None
    ours = krippendorff_alpha(made)
    if not isinstance(made.level, str):
        return _row(
            "krippendorff_alpha", "krippendorff", ours.value, None, "a matrix of distances is not passed on"
        )
    theirs, reason = None, None
    scores = made.coded.scores()
    numeric = made.level in ("interval", "ratio") and scores is not None
    domain = list(scores) if numeric and scores is not None else list(range(len(made.coded.labels)))
    try:
        with np.errstate(all="ignore"):
            theirs = float(
                krippendorff.alpha(
                    value_counts=made.coded.counts.astype(int),
                    value_domain=domain,
                    level_of_measurement=cast(Any, made.level),
                )
            )
        if not np.isfinite(theirs):
            theirs, reason = None, "nan"
    except ValueError as error:
        reason = str(error)
    return _row("krippendorff_alpha", "krippendorff", ours.value, theirs, reason)


def _pairs(made: Study) -> list[dict[str, Any]]:
    try:
        from sklearn.metrics import cohen_kappa_score
    except ImportError:
        raise PrerequisiteError(
            "--cross-check needs scikit-learn", fix="install it: pip install scikit-learn"
        ) from None
    found = []
    schemes: list[tuple[str, str | None, Floats]] = [("cohen_kappa", None, made.identity)]
    if made.weights_name in ("linear", "quadratic") and _equidistant(made):
        schemes.append(("weighted_kappa", made.weights_name, made.weights))
    grid = made.pair_tables
    codes = made.coded.codes
    for name, scheme, weights in schemes:
        ours = kappas(grid.tables, weights).value
        worst: dict[str, Any] | None = None
        for first, second, value in zip(grid.first, grid.second, ours, strict=True):
            if not np.isfinite(value):
                continue
            both = (codes[:, first] >= 0) & (codes[:, second] >= 0)
            theirs = float(
                cohen_kappa_score(
                    codes[both, first],
                    codes[both, second],
                    labels=range(len(made.coded.labels)),
                    weights=scheme,
                )
            )
            row = _row(name, "scikit-learn", float(value), theirs, None)
            row["pair"] = [made.coded.raters[first], made.coded.raters[second]]
            if worst is None or abs(row["difference"]) > abs(worst["difference"]):
                worst = row
        if worst is None:
            function = cohen_kappa if scheme is None else weighted_kappa
            reason = function(made).reason
            worst = _row(name, "scikit-learn", None, None, reason)
        worst["pairs"] = int(np.isfinite(ours).sum())
        found.append(worst)
    return found


def _equidistant(made: Study) -> bool:
    """scikit-learn weighs by rank: comparable where the labels' numbers are evenly spaced."""
    scores = made.coded.scores()
    return scores is None or len(set(np.round(np.diff(scores), 12))) < 2


def _row(
    name: str, library: str, ours: float | None, theirs: float | None, reason: str | None
) -> dict[str, Any]:
    difference = None if ours is None or theirs is None else ours - theirs
    return {
        "coefficient": name,
        "library": library,
        "ours": ours,
        "theirs": theirs,
        "difference": difference,
        "reason": reason,
    }
