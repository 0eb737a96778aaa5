"""What is said about each label: specific agreement, and kappa of the label against the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from probeta.resampling import by_cluster, distinct
from probeta.validation.agreement.coefficients import conger_kappa, fleiss_kappa
from probeta.validation.agreement.estimates import Estimate
from probeta.validation.agreement.estimation import Parts
from probeta.validation.agreement.study import Study

Floats = npt.NDArray[Any]


def specific_agreement(made: Study, label: int) -> Estimate:
    """The chance that a second annotator of an item gives the label too, once one has given it.

    Sum over items of r (r - 1) over that of r (n - 1), r being the label's votes among n (Cicchetti &
    Feinstein 1990; for two annotators 2a / (2a + b + c), which is F1). A label that nobody gave to an
    item with two labels is ``no_data``.
    """
    name = "specific_agreement"
    counts = made.coded.counts
    total = counts.sum(axis=1)
    votes = counts[:, label]
    rows = np.column_stack([votes * (votes - 1), votes * (total - 1)])
    if made.reason or not rows[:, 1].any():
        return made.undefined(name, made.reason or "no_data")

    def parts(packed: Floats) -> Parts:
        share = packed[..., 0] / packed[..., 1]
        return Parts(share, share, np.full_like(share, np.nan))

    return made.from_units(name, parts, distinct(by_cluster(rows, made.coded.clusters)))


def per_label(made: Study) -> dict[str, dict[str, Any]]:
    """Per label: count, share, specific agreement and two kappas of the label against the rest.

    ``kappa_pooled`` is Fleiss' kappa on the two-label recoding (pooled margins; for complete data the
    category kappa of Fleiss 1971); ``kappa_one_vs_rest`` is Conger's on it, for two annotators Cohen's.
    They differ where annotators use a label unequally often: name the one you print. For two annotators
    the prevalence index (share of items to which both gave the label, minus the share to which neither
    did) and the bias index stand beside them (Byrt, Bishop & Carlin 1993); else they are null.
    """
    counts = made.coded.counts.sum(axis=0)
    found: dict[str, dict[str, Any]] = {}
    for label, name in enumerate(made.coded.labels):
        binary = Study(made.coded.against(label), sampler=made.sampler)
        found[name] = {
            "count": int(counts[label]),
            "share": float(counts[label] / counts.sum()) if counts.sum() else None,
            "specific_agreement": specific_agreement(made, label).to_json(),
            "kappa_pooled": fleiss_kappa(binary).to_json(),
            "kappa_one_vs_rest": conger_kappa(binary).to_json(),
            **_indices(binary),
        }
    return found


def _indices(binary: Study) -> dict[str, float | None]:
    """Prevalence and bias index of the label, which is code 1 of the two."""
    tables = binary.pair_tables.tables
    if binary.coded.anonymous or binary.raters != 2 or not len(tables):
        return {"prevalence_index": None, "bias_index": None}
    table = tables[0] / tables[0].sum()
    return {
        "prevalence_index": float(table[1, 1] - table[0, 0]),
        "bias_index": float(table[1, 0] - table[0, 1]),
    }
