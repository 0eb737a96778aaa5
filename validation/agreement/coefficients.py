"""The coefficients.

Each function takes a ``Study``, a ``Coded`` or plain rows (one row an item, one column a rater, None for
no label) and returns an ``Estimate``. Scale: 1 is perfect agreement, 0 what chance gives, negative less;
``percent_agreement`` runs from 0 to 1. All of them share their conventions:

* no label at all: ``no_data``; labels from one rater: ``one_rater``; no item with two labels:
  ``no_common_items``; never a number;
* all compared labels equal: ``no_variation``, with the observed agreement 1 and n beside it. The
  coefficients whose chance agreement comes from the size of a *declared* label set (S, AC1, AC2) are
  still given;
* one item on which raters disagree: a value without an interval (``one_item``).

With missing labels, agreement is averaged over items with two labels or more, and the margins of Fleiss,
AC1 and AC2 are item-averaged over all items with a label, as in Gwet (2014); alpha uses Krippendorff's
pooled values instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from probeta.resampling import Units, distinct
from probeta.validation.agreement.estimates import Estimate
from probeta.validation.agreement.estimation import Parts, estimate_sampled
from probeta.validation.agreement.pairs import kappas
from probeta.validation.agreement.study import Study, study
from probeta.validation.agreement.sums import CountSums
from probeta.words import counted

Floats = npt.NDArray[Any]


def percent_agreement(data: Any, **choices: Any) -> Estimate:
    """The share of agreeing pairs of labels in an item, averaged over items (Artstein & Poesio 2008, A_o).

    >>> percent_agreement(["aa", "ab", "bb", "bb"]).value
    0.75
    """
    made = study(data, **choices)
    if made.reason:
        return made.undefined("percent_agreement", made.reason)

    def formula(sums: CountSums) -> Parts:
        observed = sums.agreement / sums.pairable
        return Parts(observed, observed, np.full_like(observed, np.nan))

    def variance(sums: CountSums) -> Floats:
        return _as_gwet(made, sums, np.zeros_like(sums.rated))

    return made.from_counts("percent_agreement", formula, variance=variance)


def fleiss_kappa(data: Any, **choices: Any) -> Estimate:
    """Fleiss' kappa (Fleiss 1971), the many-rater form of Scott's pi; margins are item-averaged.

    Chance: two labels drawn from the common distribution, p_k the mean over items of the label's share.
    """
    return _with_chance("fleiss_kappa", study(data, **choices), _fleiss_chance)


def brennan_prediger_s(data: Any, **choices: Any) -> Estimate:
    """S (Bennett et al. 1954; Brennan & Prediger 1981), also Randolph's free-marginal kappa.

    Chance: all labels of the set equally likely, used or not; so the set should be declared.
    """
    return _with_chance("brennan_prediger_s", study(data, **choices), _uniform_chance, needs_variation=False)


def gwet_ac1(data: Any, **choices: Any) -> Estimate:
    """Gwet's AC1 (Gwet 2008): chance is sum p_k (1 - p_k) / (q - 1) over the q labels of the set."""
    return _with_chance("gwet_ac1", study(data, **choices), _gwet_chance, needs_variation=False)


def gwet_ac2(data: Any, **choices: Any) -> Estimate:
    """Gwet's AC2 (Gwet 2014): AC1 with weights; equal to AC1 under identity weights."""
    made = study(data, **choices)
    return _with_chance(
        "gwet_ac2",
        made,
        _gwet_chance,
        weights=made.weights,
        needs_variation=False,
        note=f"weights: {made.weights_name}",
    )


def pabak(data: Any, **choices: Any) -> Estimate:
    """Prevalence-adjusted bias-adjusted kappa, 2 A_o - 1 (Byrt, Bishop & Carlin 1993).

    Equal to S for two labels. To be read beside kappa, prevalence and bias index, never instead.
    """
    made = study(data, **choices)
    reason = made.reason or ("no_variation" if len(made.coded.labels) < 2 else None)
    if reason is None and not made.varies and not made.coded.declared:
        reason = "no_variation"
    if reason:
        return made.undefined("pabak", reason)

    def formula(sums: CountSums) -> Parts:
        observed = sums.agreement / sums.pairable
        return Parts(2 * observed - 1, observed, np.full_like(observed, 0.5))

    def variance(sums: CountSums) -> Floats:
        return _as_gwet(made, sums, np.full_like(sums.rated, 0.5))

    return made.from_counts("pabak", formula, variance=variance)


def krippendorff_alpha(data: Any, **choices: Any) -> Estimate:
    """Krippendorff's alpha, 1 - D_o / D_e (Krippendorff 1970, 2004, 2011), any level, labels may be missing.

    D_o is the mean distance of labels within items, D_e that of all labels of pairable items, without
    replacement. Levels: nominal, ordinal (his ordinal metric, not rank weights), interval, ratio, or a
    matrix of distances.

    >>> round(krippendorff_alpha(zip("0100000010", "1110010000")).value, 6)
    0.095238
    """
    made = study(data, **choices)
    level = made.level if isinstance(made.level, str) else "custom"
    note = f"level: {level}"
    if made.reason or not made.varies:
        return made.undefined("krippendorff_alpha", made.reason or "no_variation", note=note)

    def formula(sums: CountSums) -> Parts:
        distances = made.alpha_distances(sums)
        pooled = sums.pooled
        spread = np.einsum("...k,...kl,...l->...", pooled, distances, pooled)
        if made.distances is None:
            within = np.einsum("...kl,...kl->...", sums.coincidences, distances)
        else:
            within = sums.disagreement
        observed = within / sums.values
        expected = spread / (sums.values**2 - sums.selves)
        return Parts(1 - observed / expected, 1 - observed, 1 - expected)

    whole = made.count_total(made.identity)
    correction = whole.selves / whole.values**2 * (1 - formula(whole).observed)

    def variance(sums: CountSums) -> Floats:
        # Gwet linearises alpha with D_e taken with replacement, and centres each item's agreement on the
        # one corrected for small samples (irrCAC 1.0); items with one label are no units.
        parts = formula(sums)
        replaced = (1 - parts.expected) * (1 - sums.selves / sums.values**2)
        size = sums.values / sums.pairable / (whole.values / whole.pairable)
        return np.asarray(1 - (1 - parts.observed + correction * (size - 1)) / replaced)

    return made.from_counts("krippendorff_alpha", formula, variance=variance, only_pairable=True, note=note)


def scott_pi(data: Any, **choices: Any) -> Estimate:
    """Scott's pi (Scott 1955), two raters, over their common items; both raters' labels are pooled."""
    return _two_raters("scott_pi", study(data, **choices))


def cohen_kappa(data: Any, **choices: Any) -> Estimate:
    """Cohen's kappa (Cohen 1960), two raters, over their common items; each rater has margins of its own."""
    return _two_raters("cohen_kappa", study(data, **choices))


def weighted_kappa(data: Any, **choices: Any) -> Estimate:
    """Cohen's weighted kappa (Cohen 1968), two raters, any weights."""
    return _two_raters("weighted_kappa", study(data, **choices))


def conger_kappa(data: Any, **choices: Any) -> Estimate:
    """Conger's kappa (Conger 1980; also Hubert, Davies & Fleiss), the many-rater form of Cohen's.

    Chance: the mean over ordered pairs of different raters of the product of their margins, each rater's
    margins being over all items it labelled.
    """
    made = study(data, **choices)
    reason = _rater_reason(made)
    if reason:
        return made.undefined("conger_kappa", reason)

    def chance(counts: Floats, times: Floats) -> Floats:
        totals = counts.sum(axis=-1, keepdims=True)
        here = times * (totals[..., 0].real > 0)
        shares = counts / np.where(totals == 0, 1, totals)
        drawn = here[..., None] * shares
        mixed = drawn.sum(axis=-2)
        pairs = here.sum(axis=-1) ** 2 - (here**2).sum(axis=-1)
        return np.asarray(((mixed**2).sum(axis=-1) - (drawn**2).sum(axis=(-1, -2))) / pairs)

    def formula(sums: CountSums, counts: Floats, times: Floats) -> Parts:
        return _corrected(sums.agreement / sums.pairable, chance(counts, times))

    def variance(sums: CountSums, counts: Floats, times: Floats) -> Floats:
        return _as_gwet(made, sums, chance(counts, times))

    return made.from_raters("conger_kappa", formula, variance=variance)


def light_kappa(data: Any, **choices: Any) -> Estimate:
    """Light's kappa (Light 1971): the plain mean of Cohen's kappa over pairs of raters with common items.

    Pairs whose kappa is undefined are left out and counted in the note.
    """
    return _mean_of_pairs("light_kappa", study(data, **choices), by_overlap=False)


def mean_pairwise_kappa(data: Any, **choices: Any) -> Estimate:
    """The mean of Cohen's kappa over pairs of raters, each weighted by its number of common items.

    This is the figure that the ESNLIR authors publish with their code. Undefined pairs are left out and
    counted in the note.
    """
    return _mean_of_pairs("mean_pairwise_kappa", study(data, **choices), by_overlap=True)


#: Every coefficient over labels, in the order of the report.
COEFFICIENTS = {
    "percent_agreement": percent_agreement,
    "scott_pi": scott_pi,
    "cohen_kappa": cohen_kappa,
    "weighted_kappa": weighted_kappa,
    "fleiss_kappa": fleiss_kappa,
    "conger_kappa": conger_kappa,
    "light_kappa": light_kappa,
    "mean_pairwise_kappa": mean_pairwise_kappa,
    "brennan_prediger_s": brennan_prediger_s,
    "gwet_ac1": gwet_ac1,
    "gwet_ac2": gwet_ac2,
    "pabak": pabak,
    "krippendorff_alpha": krippendorff_alpha,
}


def _corrected(observed: Floats, expected: Floats) -> Parts:
    return Parts((observed - expected) / (1 - expected), observed, expected)


def _as_gwet(made: Study, sums: CountSums, expected: Floats) -> Floats:
    """The form of a chance-corrected coefficient that Gwet (2014) linearises.

    It takes the share of items with two labels as known, so that an item with one label adds to the
    variance; the value is the same.
    """
    share = len(made.coded.items) / made.pairable
    return np.asarray(share * (sums.agreement - expected * sums.pairable) / sums.rated / (1 - expected))


def _fleiss_chance(sums: CountSums, weights: Floats) -> Floats:
    shares = sums.margins / sums.rated[..., None]
    return np.asarray(np.einsum("...k,kl,...l->...", shares, weights, shares))


def _uniform_chance(sums: CountSums, weights: Floats) -> Floats:
    return np.full_like(sums.rated, weights.mean())


def _gwet_chance(sums: CountSums, weights: Floats) -> Floats:
    number = len(weights)
    shares = sums.margins / sums.rated[..., None]
    return np.asarray(weights.sum() / (number * (number - 1)) * (shares * (1 - shares)).sum(axis=-1))


def _with_chance(
    name: str,
    made: Study,
    chance: Any,
    *,
    weights: Floats | None = None,
    needs_variation: bool = True,
    note: str | None = None,
) -> Estimate:
    reason = made.reason
    if reason is None and len(made.coded.labels) < 2:
        reason = "no_variation"
    if reason is None and not made.varies and (needs_variation or not made.coded.declared):
        reason = "no_variation"
    if reason:
        return made.undefined(name, reason, note=note)
    chosen = made.identity if weights is None else weights

    def formula(sums: CountSums) -> Parts:
        return _corrected(sums.agreement / sums.pairable, chance(sums, chosen))

    def variance(sums: CountSums) -> Floats:
        return _as_gwet(made, sums, chance(sums, chosen))

    return made.from_counts(name, formula, weights=chosen, variance=variance, note=note)


def _rater_reason(made: Study) -> str | None:
    if made.reason:
        return made.reason
    if made.coded.anonymous:
        return "anonymous_raters"
    return None if made.varies else "no_variation"


def _two_raters(name: str, made: Study) -> Estimate:
    note = f"weights: {made.weights_name}" if name == "weighted_kappa" else None
    reason = made.reason
    if reason is None and made.coded.anonymous:
        reason = "anonymous_raters"
    if reason is None and made.raters != 2:
        reason, note = "not_two_raters", _INSTEAD[name]
    if reason is None and not made.varies:
        reason = "no_variation"
    if reason:
        return made.undefined(name, reason, note=note)
    weights = made.weights if name == "weighted_kappa" else made.identity
    number = len(made.coded.labels)
    left, right = made.coded.active
    one, other = made.coded.codes[:, left], made.coded.codes[:, right]
    common = (one >= 0) & (other >= 0)
    cells = one[common] * number + other[common]
    times = np.bincount(cells, minlength=number * number)
    filled = np.flatnonzero(times)
    # What an item in a cell of the table adds: itself, its agreement, its labels. The margins are enough, so
    # that many labels make no table a sample.
    rows = np.zeros((len(filled), 2 + 2 * number))
    first, second = np.divmod(filled, number)
    rows[:, 0] = 1
    rows[:, 1] = weights[first, second]
    rows[np.arange(len(filled)), 2 + first] = 1
    rows[np.arange(len(filled)), 2 + number + second] = 1
    clusters = made.coded.clusters
    if clusters is None:
        # Every item is in one cell, or in none: the units are known without looking at each.
        units = Units(
            np.vstack([rows, np.zeros_like(rows[:1])]), np.r_[times[filled], len(common) - len(cells)]
        )
    else:
        place = np.cumsum(times > 0) - 1
        flat = np.bincount(clusters[common] * len(filled) + place[cells], minlength=made.units * len(filled))
        units = distinct(flat.reshape(made.units, len(filled)) @ rows)

    def parts(packed: Floats) -> Parts:
        size = packed[..., :1]
        first, second = np.split(packed[..., 2:] / size, 2, axis=-1)
        if name == "scott_pi":
            first = second = (first + second) / 2
        observed = packed[..., 1] / size[..., 0]
        return _corrected(observed, np.einsum("...k,kl,...l->...", first, weights, second))

    if not np.intersect1d(first, second).size:
        note = "; ".join(filter(None, [note, "the two annotators have no label in common"]))
    return made.from_units(name, parts, units, note=note)


_INSTEAD = {
    "scott_pi": "fleiss_kappa is its form for more annotators",
    "cohen_kappa": "conger_kappa, light_kappa and the pairs are its forms for more annotators",
    "weighted_kappa": "gwet_ac2 and the pairs are its forms for more annotators",
}


def _mean_of_pairs(name: str, made: Study, *, by_overlap: bool) -> Estimate:
    reason = _rater_reason(made)
    if reason:
        return made.undefined(name, reason)
    grid = made.pair_tables

    def mean(values: Floats, sizes: Floats, times: Floats | None = None) -> Floats:
        weights = sizes if by_overlap else np.ones_like(sizes)
        if times is not None:
            weights = weights * times[:, grid.first] * times[:, grid.second]
        weights = np.where(np.isfinite(values), weights, 0)
        return np.asarray((np.where(weights > 0, values, 0) * weights).sum(axis=-1) / weights.sum(axis=-1))

    found = kappas(grid.tables, made.identity).value
    undefined_pairs = int((~np.isfinite(found)).sum())
    note = f"mean over {counted(len(grid.first) - undefined_pairs, 'pair')}"
    if undefined_pairs:
        note += f"; {counted(undefined_pairs, 'undefined pair')} left out"
    with np.errstate(divide="ignore", invalid="ignore"):
        total = mean(found, grid.tables.sum(axis=(-1, -2)))

    def sampled() -> Floats:
        times = made.rater_draws if made.interval.method == "two_way" else None
        return mean(*made.sampled_pairs, times)

    return estimate_sampled(
        name,
        Parts(total, np.full_like(total, np.nan), np.full_like(total, np.nan)),
        sampled,
        interval=made.interval,
        basis=made.basis,
        units=made.units,
        undefined=lambda code: made.undefined(name, code, note=note),
        forms=made.sampled_forms,
        note=note,
    )
