"""Weights of agreement between labels, and the distances of Krippendorff's alpha.

Weights are 1 on the diagonal and grow with closeness (Cohen 1968; Gwet 2014); distances are 0 on the
diagonal. Both are (labels, labels) arrays over the declared labels in their declared order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from probeta.errors import UsageError, one_of

Floats = npt.NDArray[Any]

LEVELS = ("nominal", "ordinal", "interval", "ratio")
WEIGHTS = ("identity", "linear", "quadratic", "radical", "ordinal", "ratio")

#: The weights of the weighted coefficients where none are named.
DEFAULT_WEIGHTS = {"nominal": "identity", "ordinal": "linear", "interval": "quadratic", "ratio": "ratio"}


def weight_matrix(weights: str | npt.ArrayLike, scores: Sequence[float]) -> Floats:
    """The weights by name over the labels' ``scores`` (ranks, or the numbers they are), or as given.

    With d = |x - y| and D its maximum: linear 1 - d/D, quadratic 1 - (d/D)^2, radical 1 - sqrt(d/D);
    ordinal 1 - C(r+1, 2) / C(R+1, 2) over rank distances r; ratio 1 - ((x-y)/(x+y))^2 / max. A matrix of
    one's own must be square, 1 on the diagonal and at most 1 elsewhere; it may be asymmetric (rows are
    the first annotator), and coefficients for more than two annotators then use its symmetric part.

    >>> weight_matrix("linear", [1, 2, 3]).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    number = len(scores)
    if not isinstance(weights, str):
        matrix = np.asarray(weights, dtype=float)
        if matrix.shape != (number, number):
            raise UsageError(f"the weights have the shape {matrix.shape}, expected {(number, number)}")
        if not np.isfinite(matrix).all() or not (np.diag(matrix) == 1).all() or (matrix > 1).any():
            raise UsageError(
                "weights must be 1 on the diagonal and at most 1 elsewhere (agreement, not cost)"
            )
        return matrix
    one_of(weights, WEIGHTS, what="weights")
    values = np.asarray(scores, dtype=float)
    if weights == "identity" or number < 2:
        return np.eye(number)
    gap = np.abs(values[:, None] - values[None, :])
    if weights == "ordinal":
        ranks = np.arange(number)
        steps = np.abs(ranks[:, None] - ranks[None, :]) + 1
        cost = steps * (steps - 1) / 2
    elif weights == "ratio":
        cost = _ratio(values)
    else:
        cost = gap ** {"linear": 1, "quadratic": 2, "radical": 0.5}[weights]
    return np.asarray(1 - cost / cost.max())


def distance_matrix(level: str | npt.ArrayLike, scores: Sequence[float]) -> Floats:
    """Krippendorff's squared differences for a level other than ordinal, or a matrix of one's own.

    nominal 0 or 1; interval (x - y)^2; ratio ((x - y) / (x + y))^2, 0 where both are 0. The ordinal
    metric depends on the labels' counts: ``ordinal_distances``.
    """
    number = len(scores)
    if not isinstance(level, str):
        matrix = np.asarray(level, dtype=float)
        if matrix.shape != (number, number):
            raise UsageError(f"the distances have the shape {matrix.shape}, expected {(number, number)}")
        sound = np.isfinite(matrix).all() and (matrix == matrix.T).all() and (matrix >= 0).all()
        if not sound or np.diag(matrix).any():
            raise UsageError("distances must be symmetric, 0 on the diagonal and never negative")
        return matrix
    values = np.asarray(scores, dtype=float)
    if level == "nominal":
        return 1 - np.eye(number)
    if level == "interval":
        return np.asarray((values[:, None] - values[None, :]) ** 2)
    return _ratio(values)


def ordinal_distances(counts: Floats) -> Floats:
    """Krippendorff's ordinal squared differences for label counts (..., labels), labels in rank order.

    The difference of c < k is the number of values from c to k less half of those at both ends.
    """
    middle = np.cumsum(counts, axis=-1) - counts / 2
    return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)


def _ratio(values: Floats) -> Floats:
    if (values < 0).any():
        raise UsageError("a ratio scale has no values below 0")
    total = values[:, None] + values[None, :]
    gap = values[:, None] - values[None, :]
    return np.asarray(np.divide(gap, total, out=np.zeros_like(total), where=total != 0) ** 2)
