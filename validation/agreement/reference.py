"""Agreement with a reference label, such as the one that the linking phrase defines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from probeta.errors import DataError
from probeta.validation.aggregation.votes import State, count_votes
from probeta.validation.agreement.coded import Coded, Codes
from probeta.validation.agreement.coding import from_pair
from probeta.validation.agreement.coefficients import cohen_kappa, krippendorff_alpha
from probeta.validation.agreement.intervals import Interval
from probeta.validation.agreement.labelset import unknown_label
from probeta.validation.agreement.study import Study


def reference_codes(
    coded: Coded, reference: Mapping[str, str | None], *, column: str, file: str | None = None
) -> Codes:
    """The reference labels as codes of the study's label set, -1 where there is none.

    A reference label outside the set raises a DataError; a reference label that no annotator used is in
    the set only if the set is declared.
    """
    index = {label: code for code, label in enumerate(coded.labels)}
    values = [reference.get(item) for item in coded.items]
    faults = [
        replace(
            unknown_label(value, coded.labels, file=file),
            row=f"item {item}",
            column=column,
            message="the reference label is not in the label set",
            **({} if coded.declared else {"fix": "declare the label set with --labels"}),
        )
        for item, value in zip(coded.items, values, strict=True)
        if value and value not in index
    ]
    if faults:
        raise DataError(faults)
    return np.array([index[value] if value else -1 for value in values], dtype=np.intp)


def against_reference(
    coded: Coded, codes: Codes, *, level: Any = "nominal", interval: Interval | None = None
) -> dict[str, Any]:
    """Three numbers: alpha among annotators, alpha with the reference as one more coder, and Cohen's kappa
    of the reference against the unique majority, with the number of items left out of it by reason.
    """
    interval = interval or Interval(method="none")
    votes = count_votes(coded.counts)
    judged = (codes >= 0) & (votes.label >= 0)
    left_out = {
        "ties": sum(state is State.TIE for state in votes.state),
        "no_votes": sum(state is State.TOO_FEW for state in votes.state),
        "no_reference": int((codes < 0).sum()),
    }
    names = np.array(coded.labels, dtype=object)
    clusters = None if coded.clusters is None else coded.clusters[judged].tolist()
    pair = from_pair(
        names[codes[judged]].tolist(),
        names[votes.label[judged]].tolist(),
        labels=coded.labels,
        clusters=clusters,
    )
    whole = coded.with_rater("reference", codes)
    return {
        "alpha_annotators": krippendorff_alpha(Study(coded, level=level, interval=interval)).to_json(),
        "alpha_with_reference": krippendorff_alpha(Study(whole, level=level, interval=interval)).to_json(),
        "kappa_majority": cohen_kappa(Study(pair, interval=interval)).to_json(),
        "agreement_majority": float((codes[judged] == votes.label[judged]).mean()) if judged.any() else None,
        "items": int(judged.sum()),
        "left_out": left_out,
    }
