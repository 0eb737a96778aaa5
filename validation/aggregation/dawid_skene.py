"""Dawid & Skene (1979): labels and every annotator's confusion matrix at once, by EM.

The likelihood is the true one: each item has one label from the prior, and each answer, repeated answers
of one annotator included, is drawn from the annotator's row of that label, independently given the label.
EM starts from the vote shares, needs no seed, and its log-likelihood never falls.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from probeta.validation.agreement.coded import Coded

Floats = npt.NDArray[Any]

#: EM stops when a step gains less than this in log-likelihood.
TOLERANCE = 1e-6
MAX_STEPS = 2000


class DawidSkene(NamedTuple):
    """What EM found.

    ``posterior`` is (items, labels), rows of items without an answer being the prior; ``prior`` the
    labels' shares; ``confusion`` (raters, true labels, given labels), a row being NaN where the rater saw
    no item that could have the label; ``log_likelihood`` holds one value a step, the last being that of
    the parameters returned; ``converged`` tells whether the gain fell below the tolerance.
    """

    posterior: Floats
    prior: Floats
    confusion: Floats
    log_likelihood: list[float]
    converged: bool


class Answers(NamedTuple):
    """Answers as columns of codes, one row an answer."""

    item: npt.NDArray[np.intp]
    rater: npt.NDArray[np.intp]
    label: npt.NDArray[np.intp]


def answers_of(coded: Coded) -> Answers:
    """Every answer of a study, repeated answers included, in item order."""
    items, raters = coded.given
    rows = set(zip(items.tolist(), raters.tolist(), strict=True))
    item_index = {name: position for position, name in enumerate(coded.items)}
    rater_index = {name: position for position, name in enumerate(coded.raters)}
    found: list[tuple[int, int, int]] = []
    repeated: set[tuple[int, int]] = set()
    for repeat in coded.repeats:
        place = item_index[repeat.item], rater_index[repeat.rater]
        if place not in repeated:
            found.append((*place, repeat.first))
        repeated.add(place)
        found.append((*place, repeat.later))
    found += [(item, rater, int(coded.codes[item, rater])) for item, rater in rows - repeated]
    found.sort()
    columns = np.array(found, dtype=np.intp).reshape(-1, 3).T
    return Answers(*columns)


def dawid_skene(
    answers: Answers,
    *,
    items: int,
    raters: int,
    labels: int,
    tolerance: float = TOLERANCE,
    max_steps: int = MAX_STEPS,
) -> DawidSkene:
    """Run EM to ``tolerance`` in log-likelihood.

    >>> votes = Answers(*np.array([[0, 0, 0], [0, 1, 0], [0, 2, 1], [1, 0, 1], [1, 1, 1], [1, 2, 1]]).T)
    >>> dawid_skene(votes, items=2, raters=3, labels=2).posterior.argmax(axis=1).tolist()
    [0, 1]
    """
    if not len(answers.item):
        even = np.full(labels, 1 / max(1, labels))
        return DawidSkene(
            np.tile(even, (items, 1)), even, np.full((raters, labels, labels), np.nan), [], True
        )
    order = np.lexsort((answers.label, answers.rater, answers.item))
    item, rater, label = (column[order] for column in answers)
    cell = rater * labels + label
    item_starts = np.flatnonzero(np.r_[True, item[1:] != item[:-1]])
    seen = item[item_starts]
    by_cell = np.argsort(cell, kind="stable")
    sorted_cells = cell[by_cell]
    cell_starts = np.flatnonzero(np.r_[True, sorted_cells[1:] != sorted_cells[:-1]])
    used_cells = sorted_cells[cell_starts]
    cell_items = item[by_cell]

    votes = np.bincount(item * labels + label, minlength=items * labels).reshape(items, labels)
    posterior = votes[seen] / votes[seen].sum(axis=1, keepdims=True)
    position = np.empty(items, dtype=np.intp)
    position[seen] = np.arange(len(seen))
    cell_position, steps = position[cell_items], []
    converged = False
    for _ in range(max_steps):
        prior = posterior.mean(axis=0)
        counts = np.zeros((raters * labels, labels))
        counts[used_cells] = np.add.reduceat(posterior[cell_position], cell_starts, axis=0)
        # (given label, true label) cells to (rater, true label, given label) shares.
        table = counts.reshape(raters, labels, labels).transpose(0, 2, 1)
        rows = table.sum(axis=2, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            confusion = table / rows
            logs = np.log(np.where(rows > 0, confusion, 1.0))
            log_prior = np.log(prior)
        per_cell = logs.transpose(0, 2, 1).reshape(raters * labels, labels)
        joint = log_prior + np.add.reduceat(per_cell[cell], item_starts, axis=0)
        top = joint.max(axis=1, keepdims=True)
        weight = np.exp(joint - top)
        total = weight.sum(axis=1, keepdims=True)
        posterior = weight / total
        steps.append(float((top + np.log(total)).sum()))
        if len(steps) > 1 and steps[-1] - steps[-2] < tolerance:
            converged = True
            break
    whole = np.tile(prior, (items, 1))
    whole[seen] = posterior
    return DawidSkene(whole, prior, confusion, steps, converged)
