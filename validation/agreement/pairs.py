"""Cohen's kappa over confusion tables, and the grid of all pairs of raters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from probeta.validation.agreement.study import Study

Floats = npt.NDArray[Any]


class PairKappas(NamedTuple):
    """Cohen's kappa of each table, with observed and expected agreement; NaN where undefined."""

    value: Floats
    observed: Floats
    expected: Floats


def kappas(tables: Floats, weights: Floats) -> PairKappas:
    """Cohen's (weighted) kappa of tables (..., labels, labels), rows being the first rater's labels.

    A table without counts, or whose chance agreement is 1, gives NaN.
    """
    size = tables.sum(axis=(-1, -2))
    first, second = tables.sum(axis=-1), tables.sum(axis=-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        if np.array_equal(weights, np.eye(len(weights))):
            observed = np.einsum("...kk->...", tables) / size
            expected = np.einsum("...k,...k->...", first, second) / size**2
        else:
            observed = np.einsum("...kl,kl->...", tables, weights) / size
            expected = np.einsum("...k,...k->...", first @ weights, second) / size**2
        return PairKappas((observed - expected) / (1 - expected), observed, expected)


def standard_errors(tables: Floats, weights: Floats) -> Floats:
    """The large-sample standard error of (weighted) kappa (Fleiss, Cohen & Everitt 1969), per table.

    Times sqrt(n / (n - 1)), as Gwet's linearised variance has it. NaN for fewer than two items.
    """
    size = tables.sum(axis=(-1, -2))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = tables / size[..., None, None]
        first, second = shares.sum(axis=-1), shares.sum(axis=-2)
        observed = np.einsum("...kl,kl->...", shares, weights)
        expected = np.einsum("...k,...k->...", first @ weights, second)
        rows, columns = second @ weights.T, first @ weights
        spread = (
            weights * (1 - expected)[..., None, None]
            - (rows[..., :, None] + columns[..., None, :]) * (1 - observed)[..., None, None]
        )
        centre = observed * expected - 2 * expected + observed
        variance = (np.einsum("...kl,...kl->...", shares, spread**2) - centre**2) / (1 - expected) ** 4
        return np.asarray(np.sqrt(np.maximum(variance, 0) / (size - 1)))


def grid(made: Study) -> list[dict[str, Any]]:
    """Every pair of raters with labels, sorted by name: n, agreement, kappa and its analytic interval.

    A pair without common items has n 0 and the reason ``no_common_items``; one whose compared labels are
    all the same has ``no_variation`` and its observed agreement. With two labels, the prevalence index
    (a - d) / n, the bias index (b - c) / n and PABAK stand beside kappa (Byrt, Bishop & Carlin 1993).
    """
    coded = made.coded
    if coded.anonymous:
        return []
    found = made.pair_tables
    plain = kappas(found.tables, made.identity)
    weighted = kappas(found.tables, made.weights)
    size = found.tables.sum(axis=(1, 2))
    errors = standard_errors(found.tables, made.identity)
    width = _quantiles(size, made.interval.confidence) * errors
    place = {
        (int(a), int(b)): index for index, (a, b) in enumerate(zip(found.first, found.second, strict=True))
    }
    rows = []
    for position, first in enumerate(coded.active):
        for second in coded.active[position + 1 :]:
            row: dict[str, Any] = {
                "first": coded.raters[first],
                "second": coded.raters[second],
                "items": 0,
                "percent_agreement": None,
                "kappa": None,
                "low": None,
                "high": None,
                "weighted_kappa": None,
                "reason": "no_common_items",
            }
            index = place.get((int(first), int(second)))
            if index is not None:
                value = float(plain.value[index])
                row |= {"items": int(size[index]), "percent_agreement": float(plain.observed[index])}
                row["reason"] = None if np.isfinite(value) else "no_variation"
                if row["reason"] is None:
                    row["kappa"] = value
                    row["weighted_kappa"] = _number(weighted.value[index])
                    if np.isfinite(width[index]):
                        row["low"] = value - float(width[index])
                        row["high"] = min(1.0, value + float(width[index]))
                if len(coded.labels) == 2:
                    row |= _two_labels(found.tables[index])
            rows.append(row)
    return rows


def _two_labels(table: Floats) -> dict[str, float]:
    size = float(table.sum())
    return {
        "prevalence_index": float(table[0, 0] - table[1, 1]) / size,
        "bias_index": float(table[0, 1] - table[1, 0]) / size,
        "pabak": 2 * float(table[0, 0] + table[1, 1]) / size - 1,
    }


def _quantiles(sizes: Floats, confidence: float) -> Floats:
    """Student's t quantile of each size; NaN below two items."""
    from scipy.special import stdtrit

    with np.errstate(invalid="ignore"):
        return np.asarray(stdtrit(np.where(sizes > 1, sizes - 1, np.nan), 1 - (1 - confidence) / 2))


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
