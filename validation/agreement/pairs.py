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
    """Every pair of raters with labels, sorted by name: n, agreement, kappa and its analytic interval
    (unless the study makes none).

    A pair without common items has n 0 and the reason ``no_common_items``; one whose compared labels are
    all the same has ``no_variation`` and its observed agreement. With two labels, the prevalence index
    (a - d) / n, the bias index (b - c) / n and PABAK stand beside kappa (Byrt, Bishop & Carlin 1993).
    """
    coded = made.coded
    if coded.anonymous:
        return []
    found = made.pair_tables
    plain = kappas(found.tables, made.identity)
    weighted = plain if made.weights_name == "identity" else kappas(found.tables, made.weights)
    size = found.tables.sum(axis=(1, 2))
    width: Floats = np.full(len(size), np.nan)
    if made.interval.method != "none":
        width = _quantiles(size, made.interval.confidence) * standard_errors(found.tables, made.identity)
        # Where all agree the error is 0, which is no certainty.
        width = np.where(width > 0, width, np.nan)
    columns = (
        size.astype(int).tolist(),
        plain.observed.tolist(),
        _numbers(plain.value),
        _numbers(np.maximum(-1.0, plain.value - width)),
        _numbers(np.minimum(1.0, plain.value + width)),
        _numbers(weighted.value),
    )
    known = {
        pair: (index, *values)
        for index, (pair, values) in enumerate(
            zip(
                zip(found.first.tolist(), found.second.tolist(), strict=True),
                zip(*columns, strict=True),
                strict=True,
            )
        )
    }
    rows = []
    active = coded.active.tolist()
    for position, first in enumerate(active):
        for second in active[position + 1 :]:
            nothing = (None, 0, None, None, None, None, None)
            index, items, observed, kappa, low, high, other = known.get((first, second), nothing)
            row: dict[str, Any] = {
                "first": coded.raters[first],
                "second": coded.raters[second],
                "items": items,
                "percent_agreement": observed,
                "kappa": kappa,
                "low": low,
                "high": high,
                "weighted_kappa": other,
                "reason": "no_common_items" if not items else "no_variation" if kappa is None else None,
            }
            if index is not None and len(coded.labels) == 2:
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


def _numbers(values: Floats) -> list[float | None]:
    """The values as floats, None for NaN."""
    return [value if value == value else None for value in values.tolist()]
