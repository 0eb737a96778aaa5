"""The agreement report on spans: F1 first, token kappa and alpha_U beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from probeta.signature import signature
from probeta.tokens import Tokenizer
from probeta.validation.agreement.estimates import Estimate
from probeta.validation.agreement.estimation import Sampler
from probeta.validation.agreement.intervals import Interval
from probeta.validation.agreement.report import (
    FEW,
    SCHEMA_VERSION,
    Choices,
    clustering,
    folded,
    interval_parts,
    interval_record,
    item_groups,
    references,
    texts,
)
from probeta.validation.agreement.spans import of_label, span_f1, span_pairs
from probeta.validation.agreement.spansets import SpanAnswers, from_table
from probeta.validation.agreement.tokens import sensitivity, token_kappa
from probeta.validation.agreement.unitizing import alpha_u
from probeta.validation.annotations import Annotations

_PLAIN = Interval(method="none")


def read_answers(table: Annotations, choices: Choices) -> tuple[SpanAnswers, dict[str, Any]]:
    """The span answers of a table under the choices, and the record of how they are clustered."""
    clusters, why = clustering(table, choices)
    answers = from_table(
        table.rows,
        labels=choices.labels or table.labels,
        fold=choices.fold,
        duplicates=choices.duplicates,
        clusters=clusters,
        texts=texts(table) or None,
        items=table.items.index,
        again=table.again,
        file=table.name,
    )
    return answers, why


def tokenizer(table: Annotations, choices: Choices) -> Tokenizer:
    """spaCy's tokenizer of the language that was asked for, or that the campaign is in; Spanish else."""
    return Tokenizer(choices.language or table.language or "es", any_language=choices.language is None)


def span_report(table: Annotations, choices: Choices) -> dict[str, Any]:
    """The report on an annotation table of spans. Raises a DataError with every fault of the data.

    The tokenizer is spaCy's for the choices' language; the texts come from the item column ``text``.
    """
    answers, why = read_answers(table, choices)
    sampler = Sampler(choices.interval)
    tokenize = tokenizer(table, choices)
    strict = span_f1(answers, sampler=sampler)
    tokens = token_kappa(
        answers, tokenize, tokenizer=tokenize.name, scheme=choices.scheme, interval=choices.interval
    )
    number = answers.answered.sum(axis=1)
    report: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "kind": "spans",
        "signature": signature(
            {
                **interval_parts(choices.interval, why),
                "tokens": tokenize.name,
                "scheme": choices.scheme,
                "labels": "declared" if answers.declared else "observed",
                "duplicates": choices.duplicates if answers.repeats else None,
            }
        ),
        "intervals": interval_record(choices.interval, why),
        "items": {
            "total": len(answers.items),
            "without_answer": int((number == 0).sum()),
            "one_answer": int((number == 1).sum()),
            "pairable": int(answers.pairable.sum()),
            "without_span": int((answers.pairable & (answers.sizes.sum(axis=1) == 0)).sum()),
        },
        "annotations": int(answers.answered.sum()),
        "spans": len(answers.item),
        "dropped": dict(sorted(answers.dropped.items())),
        "folded": folded(choices, answers.folded),
        "notes": list(table.notes),
        "label_set": {
            "labels": list(answers.labels),
            "declared": answers.declared,
            "counts": dict(
                zip(
                    answers.labels,
                    np.bincount(answers.label, minlength=len(answers.labels)).tolist(),
                    strict=True,
                )
            ),
        },
        "coefficients": {
            "span_f1": strict.to_json(),
            "span_f1_relaxed": span_f1(answers, relaxed=True, sampler=sampler).to_json(),
            "token_kappa": tokens,
            "alpha_u": alpha_u(answers, sampler=sampler).to_json(),
        },
        "token_kappa_under_other_cuts": sensitivity(answers, tokenize, tokenizer=tokenize.name),
        "labels": {
            label: {
                "spans": int((answers.label == code).sum()),
                "span_f1": span_f1(of_label(answers, code), sampler=sampler).to_json(),
                "span_f1_relaxed": span_f1(of_label(answers, code), relaxed=True, sampler=sampler).to_json(),
            }
            for code, label in enumerate(answers.labels)
        },
        "pairs": span_pairs(answers, interval=choices.interval),
        "annotators": {},
        "self_agreement": {"span_f1": self_f1(answers).to_json()},
        "by": {},
        "reference": None,
    }
    report["annotators"] = _annotators(answers, strict)
    # The design names these three beside the coefficients.
    report |= {name: report["coefficients"][name] for name in ("span_f1", "token_kappa", "alpha_u")}
    for column in choices.by:
        report["by"][column] = span_groups(answers, item_groups(table, column, answers.items), sampler)
    if choices.reference is not None:
        report["reference"] = against_gold(
            answers, references(table, choices, what="the reference"), column=choices.reference
        )
    return report


def span_groups(
    answers: SpanAnswers, groups: Mapping[str, Sequence[int]], sampler: Sampler
) -> dict[str, dict[str, Any]]:
    """Strict and relaxed F1 in each group of items; ``few`` flags a group under 30 pairable items."""
    found = {}
    for value, members in groups.items():
        part = answers.select(members)
        pairable = int(part.pairable.sum())
        found[value] = {
            "items": len(members),
            "pairable": pairable,
            "few": pairable < FEW,
            "spans": len(part.item),
            "span_f1": span_f1(part, sampler=sampler).to_json(),
            "span_f1_relaxed": span_f1(part, relaxed=True, sampler=sampler).to_json(),
        }
    return found


def self_f1(answers: SpanAnswers) -> Estimate:
    """Strict F1 of answers with later answers of the same annotator to the same item."""
    repeats = answers.repeats
    if not repeats:
        return Estimate(name="span_f1", reason="no_repeats", interval_reason="no_repeats")
    agreed = sum(len(repeat.first & repeat.later) for repeat in repeats)
    total = sum(len(repeat.first) + len(repeat.later) for repeat in repeats)
    raters = len({repeat.rater for repeat in repeats})
    return Estimate(
        name="span_f1",
        value=2 * agreed / total if total else None,
        reason=None if total else "no_spans",
        interval_reason="not_requested" if total else "no_spans",
        items=len({repeat.item for repeat in repeats}),
        raters=raters,
        pairs=len(repeats),
    )


def _annotators(answers: SpanAnswers, whole: Estimate) -> dict[str, dict[str, Any]]:
    """Per annotator: F1 against the others, pooled over pairs, and the F1 of the others without them."""
    rows = {}
    for rater in answers.active:
        agreed = total = 0.0
        for other in answers.active:
            if other != rater:
                pair = answers.pair(int(rater), int(other))
                found = span_f1(pair)
                spans = float(pair.sizes.sum())
                total += spans
                agreed += spans * (found.value or 0.0)
        rest = _without(answers, int(rater))
        without = span_f1(rest).value
        rows[answers.raters[rater]] = {
            "items": int(answers.answered[:, rater].sum()),
            "spans": int((answers.rater == rater).sum()),
            "span_f1": agreed / total if total else None,
            "span_f1_without": without,
            "change": None if without is None or whole.value is None else without - whole.value,
            "repeats": sum(repeat.rater == answers.raters[rater] for repeat in answers.repeats),
        }
    return rows


def _without(answers: SpanAnswers, rater: int) -> SpanAnswers:
    kept = answers.keep(answers.rater != rater)
    answered = answers.answered.copy()
    answered[:, rater] = False
    return replace(kept, answered=answered)


def against_gold(answers: SpanAnswers, gold: Mapping[str, Any], *, column: str) -> dict[str, Any]:
    """Each annotator against reference spans: strict F1 over the items that have both."""
    known = {
        position: {(span["start"], span["end"], span["label"]) for span in gold[item]}
        for position, item in enumerate(answers.items)
        if gold.get(item) is not None
    }
    rows: dict[str, Any] = {}
    marked: dict[tuple[int, int], set[tuple[int, int, str]]] = {}
    columns = (answers.item, answers.rater, answers.start, answers.end, answers.label)
    for item, rater, start, end, label in zip(*(values.tolist() for values in columns), strict=True):
        marked.setdefault((item, rater), set()).add((start, end, answers.labels[label]))
    for rater in answers.active.tolist():
        agreed = total = items = 0
        for position, spans in known.items():
            if answers.answered[position, rater]:
                own = marked.get((position, rater), set())
                agreed += len(own & spans)
                total += len(own) + len(spans)
                items += 1
        rows[answers.raters[rater]] = {
            "items": items,
            "span_f1": 2 * agreed / total if total else None,
            "reason": None if total else ("no_spans" if items else "no_reference"),
        }
    return {"column": column, "items": len(known), "annotators": rows}
