"""Votes weighted by how reliable their annotators are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from probeta.validation.aggregation.votes import count_votes
from probeta.validation.agreement.coded import Coded

Floats = npt.NDArray[Any]


def reliabilities(coded: Coded) -> Floats:
    """Each annotator's weight from 0 to 1.

    The share of items on which the annotator chose what most of the others chose (ties among them left
    out), corrected for guessing among the q labels: (share - 1/q) / (1 - 1/q), never below 0. An
    annotator who can be compared with nobody gets the mean of the others. Where nobody is above
    guessing, or nobody can be compared, all get 1.
    """
    number = len(coded.labels)
    weights = np.full(len(coded.raters), np.nan)
    for rater in coded.active:
        majority = count_votes(coded.without(int(rater)).counts).label
        own = coded.codes[:, rater]
        judged = (own >= 0) & (majority >= 0)
        if judged.any() and number > 1:
            share = float((own[judged] == majority[judged]).mean())
            weights[rater] = max(0.0, (share - 1 / number) / (1 - 1 / number))
    known = weights[~np.isnan(weights)]
    if not known.any():
        return np.ones(len(weights))
    return np.where(np.isnan(weights), known.mean(), weights)


def weighted_counts(coded: Coded, weights: Floats) -> Floats:
    """The label counts per item with each vote worth its annotator's weight."""
    return coded.counts_of(weights)
