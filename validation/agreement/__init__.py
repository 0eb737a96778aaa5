"""Agreement between annotators: coefficients, intervals, reasons."""

from probeta.validation.agreement.answers import from_table
from probeta.validation.agreement.coded import Coded
from probeta.validation.agreement.coding import from_confusion, from_counts, from_pair, from_rows
from probeta.validation.agreement.coefficients import (
    COEFFICIENTS,
    brennan_prediger_s,
    cohen_kappa,
    conger_kappa,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
    light_kappa,
    mean_pairwise_kappa,
    pabak,
    percent_agreement,
    scott_pi,
    weighted_kappa,
)
from probeta.validation.agreement.estimates import REASONS, Estimate
from probeta.validation.agreement.intervals import Interval
from probeta.validation.agreement.study import Study

__all__ = [
    "COEFFICIENTS",
    "REASONS",
    "Coded",
    "Estimate",
    "Interval",
    "Study",
    "brennan_prediger_s",
    "cohen_kappa",
    "conger_kappa",
    "fleiss_kappa",
    "from_confusion",
    "from_counts",
    "from_pair",
    "from_rows",
    "from_table",
    "gwet_ac1",
    "gwet_ac2",
    "krippendorff_alpha",
    "light_kappa",
    "mean_pairwise_kappa",
    "pabak",
    "percent_agreement",
    "scott_pi",
    "weighted_kappa",
]
