"""Small cells shrunk towards their margins: an estimator by name, off by default, that must prove itself.

``margins``: a cell's rate becomes ``(hits + w * m) / (n + w)``. ``m`` is what the margins alone would
give: a logistic regression of the system's cells on their values, without interactions. ``w`` is a
number of imagined spans, the one under which every cell is likeliest when the others give its ``m``
(beta-binomial with mean ``m`` and strength ``w``, over all systems); it needs no true recall. Cells that
name other attributes (the row of a casing) are a table of their own.

Where true recalls are known, the error without and with shrinking is told, and that of a ``w`` chosen
for each system by the errors of the others (leave-one-system-out cross-validation over all corpora).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt

from probeta.errors import one_of
from probeta.evaluation.projection import CellRate, project_recall
from probeta.evaluation.true_scores import TrueScores

ESTIMATORS = ("margins",)
#: Imagined spans to choose from; 0 is no shrinking.
WEIGHTS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
#: A margin of 0 or 1 would rule out what a cell has seen.
_EDGE = 0.01
#: Of the coefficients' squares, halved: a prior with a standard deviation of 2 on the logit scale.
_PENALTY = 0.25
_MOST_STEPS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrinkage:
    """Shrunk rates by system, the weight, and the mean absolute errors where truth is known."""

    estimator: str
    weight: float
    rates: Mapping[str, Sequence[CellRate]]
    error_without: float | None
    error_with: float | None
    error_cross_validated: float | None

    @property
    def falls(self) -> bool | None:
        """Whether the cross-validated error is below the one without shrinking; None without truth."""
        if self.error_without is None or self.error_cross_validated is None:
            return None
        return self.error_cross_validated < self.error_without

    def to_json(self) -> dict[str, Any]:
        """Weight and errors, as fractions."""
        return {
            "estimator": self.estimator,
            "weight": self.weight,
            "mean_absolute_error_without": self.error_without,
            "mean_absolute_error_with": self.error_with,
            "mean_absolute_error_cross_validated": self.error_cross_validated,
            "falls": self.falls,
        }


def margins(cells: Sequence[CellRate], wanted: CellRate | None = None) -> npt.NDArray[np.float64]:
    """What the margins give for each cell, or for one ``wanted`` that need not be among them.

    All cells name the same attributes. The logistic regression has one coefficient a value, held back
    by a small penalty, since the values of an attribute sum to the constant.

    >>> cells = [CellRate(values={"quotes": "with"}, support=10, recall=0.8),
    ...          CellRate(values={"quotes": "without"}, support=10, recall=0.4)]
    >>> margins(cells).round(1).tolist()
    [0.8, 0.4]
    """
    columns = sorted({item for cell in cells for item in cell.values.items()})

    def design(some: Sequence[CellRate]) -> npt.NDArray[np.float64]:
        return np.array(
            [[1.0, *(cell.values.get(name) == value for name, value in columns)] for cell in some]
        )

    matrix = design(cells)
    support = np.array([cell.support for cell in cells], dtype=np.float64)
    hits = support * np.array([cell.recall for cell in cells])
    penalty = np.full(matrix.shape[1], _PENALTY)
    coefficients = np.zeros(matrix.shape[1])
    for _ in range(_MOST_STEPS):
        rate = 1 / (1 + np.exp(-matrix @ coefficients))
        slope = matrix.T @ (hits - support * rate) - penalty * coefficients
        curve = matrix.T @ (matrix * (support * rate * (1 - rate))[:, None]) + np.diag(penalty)
        step = np.clip(np.linalg.solve(curve, slope), -2, 2)
        coefficients += step
        if np.abs(step).max() < 1e-9:
            break
    asked = matrix if wanted is None else design([wanted])
    return np.asarray(np.clip(1 / (1 + np.exp(-asked @ coefficients)), _EDGE, 1 - _EDGE))


def _tables(rates: Sequence[CellRate]) -> list[list[CellRate]]:
    """The cells by the attributes that they name."""
    found: dict[tuple[str, ...], list[CellRate]] = {}
    for cell in rates:
        found.setdefault(tuple(sorted(cell.values)), []).append(cell)
    return list(found.values())


def shrink_rates(rates: Sequence[CellRate], *, weight: float) -> list[CellRate]:
    """Each cell moved towards its margin by ``weight`` imagined spans."""
    return [
        CellRate(
            values=cell.values,
            support=cell.support,
            recall=(cell.recall * cell.support + weight * float(middle)) / (cell.support + weight),
        )
        for table in _tables(rates)
        for cell, middle in zip(table, margins(table), strict=True)
    ]


def likeliest_weight(systems: Mapping[str, Sequence[CellRate]]) -> float:
    """The weight under which cells are likeliest when the other cells of their table give the margin."""
    from scipy.special import betaln

    tables = [table for rates in systems.values() for table in _tables(rates) if len(table) > 1]
    left_out = [
        (cell, float(margins([*table[:place], *table[place + 1 :]], cell)[0]))
        for table in tables
        for place, cell in enumerate(table)
    ]

    def log_likelihood(weight: float) -> float:
        total = 0.0
        for cell, middle in left_out:
            a, b, hits = weight * middle, weight * (1 - middle), cell.recall * cell.support
            total += float(betaln(hits + a, cell.support - hits + b) - betaln(a, b))
        return total

    return max(WEIGHTS[1:], key=log_likelihood)


def shrunk(
    estimator: str,
    systems: Mapping[str, Sequence[CellRate]],
    corpora: Mapping[str, Sequence[Mapping[str, Any]]],
    true: Mapping[str, Mapping[str, TrueScores]],
) -> Shrinkage:
    """The shrunk rates of every system, and whether shrinking helps where truth is known."""
    one_of(estimator, ESTIMATORS, what="estimator")
    weight = likeliest_weight(systems)
    errors: dict[str, dict[float, list[float]]] = {}
    for corpus, scores in true.items():
        for system, score in scores.items():
            for candidate in WEIGHTS:
                rates = shrink_rates(systems[system], weight=candidate)
                predicted = project_recall(rates, corpora[corpus])
                if predicted is not None:
                    error = abs(predicted - score.recall)
                    errors.setdefault(system, {}).setdefault(candidate, []).append(error)
    return Shrinkage(
        estimator=estimator,
        weight=weight,
        rates={name: shrink_rates(rates, weight=weight) for name, rates in systems.items()},
        error_without=_mean(errors, 0.0),
        error_with=_mean(errors, weight),
        error_cross_validated=_cross_validated(errors),
    )


def _mean(errors: Mapping[str, Mapping[float, Sequence[float]]], weight: float) -> float | None:
    found = [error for by_weight in errors.values() for error in by_weight[weight]]
    return fmean(found) if found else None


def _cross_validated(errors: Mapping[str, Mapping[float, Sequence[float]]]) -> float | None:
    """The mean error of each system under the weight that is best for the others."""
    if len(errors) < 2:
        return None
    found: list[float] = []
    for system, by_weight in errors.items():
        others = {name: other for name, other in errors.items() if name != system}
        best = min(WEIGHTS, key=lambda weight: _mean(others, weight) or 0.0)
        found += by_weight[best]
    return fmean(found)
