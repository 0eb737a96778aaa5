"""Each annotator against the rest, the change when one is left out, and agreement with oneself."""

from __future__ import annotations

from typing import Any

import numpy as np

from probeta.validation.aggregation.votes import count_votes
from probeta.validation.agreement.coded import Coded
from probeta.validation.agreement.coding import from_pair
from probeta.validation.agreement.coefficients import cohen_kappa, krippendorff_alpha, percent_agreement
from probeta.validation.agreement.estimates import Estimate
from probeta.validation.agreement.intervals import Interval
from probeta.validation.agreement.pairs import kappas
from probeta.validation.agreement.study import Study

_PLAIN = Interval(method="none")


def per_annotator(made: Study) -> dict[str, dict[str, Any]]:
    """Per annotator: labels given, agreement with the others, and alpha without them.

    ``percent_agreement`` and ``kappa`` are means over the others, weighted by common items;
    ``with_majority`` is the share of items on which the annotator chose the label that most of the others
    chose, ties among them left out (``majority_items`` remain); ``alpha_without`` leaves the annotator
    out and ``change`` is that minus alpha: positive where the annotator lowers agreement. A value is null
    where nothing can be compared.
    """
    coded = made.coded
    if coded.anonymous or not len(coded.active):
        return {}
    grid = made.pair_tables
    found = kappas(grid.tables, made.identity)
    size = grid.tables.sum(axis=(1, 2))
    alpha = krippendorff_alpha(_plain(made, coded)).value
    rows: dict[str, dict[str, Any]] = {}
    for rater in coded.active:
        own = (grid.first == rater) | (grid.second == rater)
        defined = own & np.isfinite(found.value)
        others = coded.without(int(rater))
        without = krippendorff_alpha(_plain(made, others)).value
        given = coded.codes[:, rater] >= 0
        majority = count_votes(others.counts).label
        judged = given & (majority >= 0)
        self_rows = [repeat for repeat in coded.repeats if repeat.rater == coded.raters[rater]]
        rows[coded.raters[rater]] = {
            "labels": int(given.sum()),
            "common_items": int((given & (others.counts.sum(axis=1) > 0)).sum()),
            "percent_agreement": _mean(found.observed[own], size[own]),
            "kappa": _mean(found.value[defined], size[defined]),
            "undefined_pairs": int(own.sum() - defined.sum()),
            "majority_items": int(judged.sum()),
            "with_majority": _share(coded.codes[judged, rater] == majority[judged]),
            "alpha_without": without,
            "change": None if alpha is None or without is None else without - alpha,
            "repeats": len(self_rows),
            "self_agreement": _share(np.array([repeat.first == repeat.later for repeat in self_rows])),
        }
    return rows


def self_agreement(coded: Coded, interval: Interval) -> dict[str, Estimate]:
    """Agreement of answers with later answers of the same annotator to the same item.

    Percent agreement and Cohen's kappa, first answers against later ones, over all annotators; without
    repeats ``no_repeats``.
    """
    names = ("percent_agreement", "cohen_kappa")
    if not coded.repeats:
        return {
            name: Estimate(name=name, reason="no_repeats", interval_reason="no_repeats") for name in names
        }
    first = [coded.labels[repeat.first] for repeat in coded.repeats]
    later = [coded.labels[repeat.later] for repeat in coded.repeats]
    pair = from_pair(first, later, labels=coded.labels, clusters=[repeat.item for repeat in coded.repeats])
    made = Study(pair, interval=interval)
    return {"percent_agreement": percent_agreement(made), "cohen_kappa": cohen_kappa(made)}


def _plain(made: Study, coded: Coded) -> Study:
    return Study(coded, level=made.level, interval=_PLAIN)


def _mean(values: Any, sizes: Any) -> float | None:
    return float((values * sizes).sum() / sizes.sum()) if sizes.sum() else None


def _share(hits: Any) -> float | None:
    return float(hits.mean()) if len(hits) else None
