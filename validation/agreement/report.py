"""The agreement report: every coefficient with its interval and reasons, for a person and for the card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from probeta.errors import DataError, Fault, UsageError
from probeta.signature import signature
from probeta.validation.agreement.annotators import per_annotator, self_agreement
from probeta.validation.agreement.answers import from_table
from probeta.validation.agreement.coded import Coded
from probeta.validation.agreement.coefficients import COEFFICIENTS
from probeta.validation.agreement.intervals import Interval
from probeta.validation.agreement.labels import per_label
from probeta.validation.agreement.pairs import grid
from probeta.validation.agreement.reference import against_reference, reference_codes
from probeta.validation.agreement.study import Study
from probeta.validation.annotations import Annotations, span_faults

if TYPE_CHECKING:
    import pandas as pd

#: Raised when a key of the report changes its meaning.
SCHEMA_VERSION = 1

#: A group with fewer items than this is flagged: its interval says more than its value.
FEW = 30

#: The coefficients shown for each group of ``by``.
GROUP_COEFFICIENTS = ("percent_agreement", "fleiss_kappa", "gwet_ac1", "krippendorff_alpha")

#: The item column with the text that spans stand in.
TEXT = "text"

#: The item column with the label that the item came with.
ORIGINAL = "original"

#: The item column that ties the perturbed copies of a sentence together.
BASE = "base_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a reader must know to repeat the figures.

    ``cluster`` is an item column, None for the default (the base sentence where the items are perturbed
    copies, else none) or ``item`` for none. ``by`` and ``reference`` are item columns. ``language`` (of
    the tokenizer) and ``scheme`` (IO or IOB2) concern token-level agreement on spans.
    """

    labels: Sequence[str] | None = None
    fold: Mapping[str, str] = field(default_factory=dict)
    missing: Sequence[str] = ()
    duplicates: Literal["error", "first", "last"] = "error"
    level: str | npt.ArrayLike = "nominal"
    weights: str | npt.ArrayLike | None = None
    interval: Interval = field(default_factory=Interval)
    cluster: str | None = None
    by: Sequence[str] = ()
    reference: str | None = None
    language: str | None = None
    scheme: str = "IO"


def code(table: Annotations, choices: Choices, *, clusters: Mapping[str, Any] | None) -> Coded:
    """The labels of a table as codes under the choices. Raises a DataError with every fault."""
    return from_table(
        table.rows,
        labels=choices.labels or table.labels,
        fold=choices.fold,
        missing=choices.missing,
        duplicates=choices.duplicates,
        clusters=clusters,
        items=table.items.index,
        again=table.again,
        file=table.name,
    )


def references(table: Annotations, choices: Choices, *, what: str) -> dict[str, Any]:
    """The reference answer of each item, its labels folded as the annotators' are; none without a reference.

    ``what`` says in a message what the column holds.
    """
    if choices.reference is None:
        return {}
    given = table.column(choices.reference, what=what)
    place = {"file": table.name, "column": choices.reference}
    if table.kind == "labels":
        faults = [
            Fault(
                code="label_type",
                message="the label is not text",
                **place,
                row=f"item {item}",
                found=repr(label)[:40],
            )
            for item, label in given.items()
            if not isinstance(label, str | None)
        ]
        if faults:
            raise DataError(faults)
        return {item: choices.fold.get(label, label) for item, label in given.items()}
    known = texts(table)
    faults = []
    for item, spans in given.items():
        length = len(known[item]) if item in known else None
        faults += span_faults(spans, item=item, **place, row=f"item {item}", length=length)
    if faults:
        raise DataError(faults)
    return {
        item: None
        if spans is None
        else [{**span, "label": choices.fold.get(span["label"], span["label"])} for span in spans]
        for item, spans in given.items()
    }


def texts(table: Annotations) -> dict[str, str]:
    """The items' texts where they are known; a DataError where one is no text."""
    if TEXT not in table.items.columns:
        return {}
    found = {item: text for item, text in table.column(TEXT, what="the texts").items() if text is not None}
    faults = [
        Fault(
            code="text_type",
            message="the item's text is no text",
            file=table.name,
            row=f"item {item}",
            column=TEXT,
            found=repr(text)[:40],
        )
        for item, text in found.items()
        if not isinstance(text, str)
    ]
    if faults:
        raise DataError(faults)
    return found


def label_report(table: Annotations, choices: Choices) -> dict[str, Any]:
    """The report on an annotation table of labels. Raises a DataError with every fault of the data."""
    clusters, why = clustering(table, choices)
    coded = code(table, choices, clusters=clusters)
    made = Study(coded, level=choices.level, weights=choices.weights, interval=choices.interval)
    totals = coded.counts.sum(axis=1)
    report: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "kind": "labels",
        "signature": signature(
            {
                "level": choices.level if isinstance(choices.level, str) else "custom",
                "weights": made.weights_name,
                **interval_parts(choices.interval, why),
                "labels": "declared" if coded.declared else "observed",
                "duplicates": choices.duplicates if coded.repeats else None,
            }
        ),
        "intervals": interval_record(choices.interval, why),
        "items": {
            "total": len(coded.items),
            "without_label": int((totals == 0).sum()),
            "one_label": int((totals == 1).sum()),
            "pairable": int((totals > 1).sum()),
        },
        "annotations": int(totals.sum()),
        "dropped": dict(sorted(coded.dropped.items())),
        "folded": folded(choices, coded.folded),
        "notes": list(table.notes),
        "label_set": {
            "labels": list(coded.labels),
            "declared": coded.declared,
            "counts": dict(zip(coded.labels, map(int, coded.counts.sum(axis=0)), strict=True)),
        },
        "coefficients": {name: function(made).to_json() for name, function in COEFFICIENTS.items()},
        "labels": per_label(made),
        "pairs": grid(made),
        "annotators": per_annotator(made),
        "self_agreement": {
            name: estimate.to_json() for name, estimate in self_agreement(coded, choices.interval).items()
        },
        "by": {},
        "reference": None,
    }
    for column in choices.by:
        report["by"][column] = label_groups(coded, made, item_groups(table, column, coded.items))
    if choices.reference is not None:
        values = references(table, choices, what="the reference")
        codes = reference_codes(coded, values, column=choices.reference, file=table.name)
        report["reference"] = {
            "column": choices.reference,
            **against_reference(coded, codes, level=choices.level, interval=choices.interval),
        }
    return report


def folded(choices: Choices, counts: Mapping[tuple[str, str], int]) -> list[dict[str, Any]]:
    """Every folding that was declared, with the number of answers that it changed, which may be none."""
    return [
        {"from": written, "to": meant, "count": counts.get((written, meant), 0)}
        for written, meant in sorted(choices.fold.items())
    ]


def label_groups(coded: Coded, made: Study, groups: Mapping[str, list[int]]) -> dict[str, dict[str, Any]]:
    """The main coefficients in each group of the items of ``coded``, under the choices of ``made``.

    ``few`` flags a group under 30 pairable items.
    """
    found = {}
    for value, members in groups.items():
        chosen = coded.select(np.asarray(members, dtype=np.intp))
        part = Study(chosen, level=made.level, interval=made.interval)
        found[value] = {
            "items": len(members),
            "pairable": part.pairable,
            "few": part.pairable < FEW,
            **{name: COEFFICIENTS[name](part).to_json() for name in GROUP_COEFFICIENTS},
        }
    return found


def clustering(table: Annotations, choices: Choices) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Each item's cluster, or None, and the record of the choice with its reason."""
    column = choices.cluster
    if column is None:
        column = BASE if _perturbed(table.items) else "item"
        why = (
            "the items are perturbed copies of base sentences, which tend to be right or wrong together"
            if column == BASE
            else "no item column ties items together"
        )
    else:
        why = "as asked for"
    if column == "item":
        return None, {"unit": "item", "why": why}
    values = table.column(column, what="the clusters")
    absent = sum(value is None for value in values.values())
    if absent:
        raise UsageError(f"{table.name}: {absent} items have no {column} to cluster by")
    return values, {"unit": column, "clusters": len(set(map(str, values.values()))), "why": why}


def _perturbed(items: pd.DataFrame) -> bool:
    if BASE not in items.columns or items[BASE].isna().any():
        return False
    return bool(items[BASE].map(str).nunique() < len(items))


def item_groups(table: Annotations, column: str, items: Sequence[str]) -> dict[str, list[int]]:
    """Positions in ``items`` by value of an item column, sorted; items without a value are ``(none)``.

    ``perturbation`` is made from the columns casing and quotes, or operation, where it is no column;
    ``class`` is the original label, where it is none.
    """
    if column == "class" and column not in table.items.columns and ORIGINAL in table.items.columns:
        column = ORIGINAL
    if column == "perturbation" and column not in table.items.columns:
        values = _perturbations(table)
    else:
        values = table.column(column, what="--by")
    groups: dict[str, list[int]] = {}
    for position, item in enumerate(items):
        value = values.get(item)
        groups.setdefault("(none)" if value is None else str(value), []).append(position)
    return dict(sorted(groups.items()))


def _perturbations(table: Annotations) -> dict[str, Any]:
    there = [column for column in ("casing", "quotes") if column in table.items.columns]
    if not there:
        return {
            item: value or "base"
            for item, value in table.column("operation", what="--by perturbation").items()
        }
    columns = [table.column(column, what="--by perturbation") for column in there]
    return {item: "|".join(str(column[item]) for column in columns) for item in columns[0]}


def interval_record(interval: Interval, why: Mapping[str, Any]) -> dict[str, Any]:
    """How the intervals were made, as the report shows it."""
    sampled = interval.method in ("bootstrap", "two_way")
    return {
        "method": interval.method,
        "confidence": interval.confidence,
        "resamples": interval.resamples if sampled else None,
        "seed": interval.seed if sampled else None,
        **why,
    }


def interval_parts(interval: Interval, why: Mapping[str, Any]) -> dict[str, object]:
    """The parts of the signature that concern intervals."""
    if interval.method == "none":
        return {"interval": "none"}
    sampled = interval.method in ("bootstrap", "two_way")
    return {
        "interval": f"{interval.method}-{interval.confidence:g}",
        "unit": why["unit"],
        "resamples": interval.resamples if sampled else None,
        "seed": interval.seed if sampled else None,
    }
