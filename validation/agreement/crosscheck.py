"""The same data through other libraries, where those are right, and the difference from ours.

krippendorff and scikit-learn come with probeta. statsmodels and nltk are used where they are installed, and
for what they compute rightly: statsmodels on items that have as many labels each, nltk on items that all
annotators labelled (its nominal alpha also with labels missing).
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from probeta.validation.agreement.coefficients import COEFFICIENTS
from probeta.validation.agreement.pairs import kappas
from probeta.validation.agreement.study import Study

Floats = npt.NDArray[Any]
Labels = npt.NDArray[np.intp]


def cross_check(made: Study) -> list[dict[str, Any]]:
    """Rows of ``{coefficient, library, ours, theirs, difference, reason}``.

    Of Cohen's kappa (and the weighted one under linear and quadratic weights) every pair is compared, and
    the one with the largest difference shown. ``reason`` says why there is nothing to compare: the library is
    not installed, is not right on such data, or refuses it, in its own words.
    """
    rows: list[dict[str, Any]] = []
    for library in LIBRARIES:
        module = _imported(library.module)
        rows += [_whole(made, name, library, module) for name in library.whole]
        if library.pairs is not None and not made.coded.anonymous:
            rows += _pairs(made, library, module)
    return rows


class _Whole(NamedTuple):
    """A coefficient of the whole study: the library's value, and why it would not be right, or None."""

    value: Callable[[Any, Study], float]
    limit: Callable[[Study], str | None]


class _Library(NamedTuple):
    """A library: ``pairs`` is its kappa of two annotators' labels, under the named weights, or None."""

    name: str
    module: str
    whole: Mapping[str, _Whole]
    pairs: Callable[[Any, Labels, Labels, int, str | None], float] | None = None


def _imported(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def _whole(made: Study, coefficient: str, library: _Library, module: Any) -> dict[str, Any]:
    ours = COEFFICIENTS[coefficient](made)
    check = library.whole[coefficient]
    theirs: float | None = None
    reason = "not installed" if module is None else check.limit(made)
    if reason is None:
        theirs, reason = _refused(lambda: check.value(module, made))
    return _row(coefficient, library.name, ours.value, theirs, reason or ours.reason)


def _refused(call: Callable[[], float]) -> tuple[float | None, str | None]:
    """A library's value, or what it says in its place."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = float(call())
    except (ValueError, ArithmeticError, RuntimeError) as error:
        return None, str(error)
    return (value, None) if np.isfinite(value) else (None, "nan")


def _pairs(made: Study, library: _Library, module: Any) -> Iterator[dict[str, Any]]:
    score = library.pairs
    schemes: list[tuple[str, str | None, Floats]] = [("cohen_kappa", None, made.identity)]
    if made.weights_name in ("linear", "quadratic") and _equidistant(made):
        schemes.append(("weighted_kappa", made.weights_name, made.weights))
    grid = made.pair_tables
    codes = made.coded.codes
    for name, scheme, weights in schemes:
        ours = kappas(grid.tables, weights).value
        defined = np.flatnonzero(np.isfinite(ours))
        if module is None or score is None or not len(defined):
            reason = "not installed" if module is None else COEFFICIENTS[name](made).reason
            yield _row(name, library.name, None, None, reason)
            continue
        worst: dict[str, Any] | None = None
        for pair in defined:
            first, second = grid.first[pair], grid.second[pair]
            both = (codes[:, first] >= 0) & (codes[:, second] >= 0)
            theirs = score(module, codes[both, first], codes[both, second], len(made.coded.labels), scheme)
            row = _row(name, library.name, float(ours[pair]), float(theirs), None)
            row |= {"pair": [made.coded.raters[first], made.coded.raters[second]], "pairs": len(defined)}
            if worst is None or abs(row["difference"]) > abs(worst["difference"]):
                worst = row
        if worst is not None:
            yield worst


def _equidistant(made: Study) -> bool:
    """The libraries weigh by rank: comparable where the labels' numbers are evenly spaced."""
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


# What each library computes, and on which data it is right.


def _named_level(made: Study) -> str | None:
    return None if isinstance(made.level, str) else "a matrix of distances is not passed on"


def _nominal(made: Study) -> str | None:
    return None if made.level == "nominal" else "compared at the level nominal only"


def _equal_numbers(made: Study) -> str | None:
    return None if len(set(made.totals.tolist())) < 2 else "right only if all items have as many labels"


def _complete(made: Study) -> str | None:
    if made.coded.anonymous or (made.totals < made.raters).any():
        return "right only if every annotator labelled every item"
    return None


def _complete_and_varied(made: Study) -> str | None:
    """nltk takes a pair without variation as 1, ours leaves it out."""
    varied = np.isfinite(kappas(made.pair_tables.tables, made.identity).value).all()
    return _complete(made) or (None if varied else "right only if every pair of annotators varies")


def _krippendorff_alpha(module: Any, made: Study) -> float:
    scores = made.coded.scores()
    numeric = made.level in ("interval", "ratio") and scores is not None
    return float(
        module.alpha(
            value_counts=made.coded.counts.astype(int),
            value_domain=list(scores if numeric and scores is not None else range(len(made.coded.labels))),
            level_of_measurement=cast(Any, made.level),
        )
    )


def _sklearn_kappa(module: Any, first: Labels, second: Labels, labels: int, weights: str | None) -> float:
    return float(module.cohen_kappa_score(first, second, labels=range(labels), weights=weights))


def _statsmodels_kappa(module: Any, first: Labels, second: Labels, labels: int, weights: str | None) -> float:
    table = np.bincount(first * labels + second, minlength=labels * labels).reshape(labels, labels)
    return float(module.cohens_kappa(table, wt=weights, return_results=False))


def _task(module: Any, made: Study) -> Any:
    coded = made.coded
    items, raters = coded.given
    codes = coded.codes[items, raters]
    return module.AnnotationTask(data=list(zip(raters.tolist(), items.tolist(), codes.tolist(), strict=True)))


LIBRARIES = (
    _Library(
        "krippendorff", "krippendorff", {"krippendorff_alpha": _Whole(_krippendorff_alpha, _named_level)}
    ),
    _Library("scikit-learn", "sklearn.metrics", {}, _sklearn_kappa),
    _Library(
        "statsmodels",
        "statsmodels.stats.inter_rater",
        {
            "fleiss_kappa": _Whole(lambda m, made: m.fleiss_kappa(made.coded.counts), _equal_numbers),
            "brennan_prediger_s": _Whole(
                lambda m, made: m.fleiss_kappa(made.coded.counts, method="randolph"), _equal_numbers
            ),
        },
        _statsmodels_kappa,
    ),
    _Library(
        "nltk",
        "nltk.metrics.agreement",
        {
            "percent_agreement": _Whole(lambda m, made: _task(m, made).avg_Ao(), _complete),
            "fleiss_kappa": _Whole(lambda m, made: _task(m, made).pi(), _complete),
            "conger_kappa": _Whole(lambda m, made: _task(m, made).multi_kappa(), _complete),
            "light_kappa": _Whole(lambda m, made: _task(m, made).kappa(), _complete_and_varied),
            "krippendorff_alpha": _Whole(lambda m, made: _task(m, made).alpha(), _nominal),
        },
    ),
)
