"""Span scores of one or more systems against one gold: counts, intervals, results by attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from probeta.errors import UsageError
from probeta.evaluation import relaxed
from probeta.evaluation.cells import Cell, attributes_named, cells
from probeta.evaluation.compare import (
    Difference,
    Floats,
    Scenario,
    competition_ranks,
    differences,
    scenario,
)
from probeta.evaluation.counts import Counts, macro
from probeta.evaluation.examples import examples
from probeta.evaluation.false_alarms import FalseAlarms, false_alarms
from probeta.evaluation.intervals import Interval, clusters, percentile, percentile_json, resample
from probeta.evaluation.items import Item, Matched, surface
from probeta.evaluation.paired import Contrast, PairedResult, paired
from probeta.evaluation.relaxed import RelaxedCounts
from probeta.evaluation.spantable import (
    Ints,
    Labels,
    SpanTable,
    counts_by_label,
    from_spans,
    shared,
    untyped_counts,
)
from probeta.evaluation.token_scores import Tokens, accuracy_by, token_scores
from probeta.evaluation.units import Predictions, Units, Values, values

#: Ways to match beside the strict one (boundaries and label).
MATCHES: Sequence[str] = ("untyped", *relaxed.SCHEMES)
_MEASURES = ("precision", "recall", "f1")


@dataclass(slots=True, kw_only=True)
class SystemScores:
    """One system's results; ``by`` has one list of cells for each ``--by``."""

    name: str
    overall: Counts
    labels: Mapping[str, Counts]
    matches: Mapping[str, Counts | RelaxedCounts]
    intervals: Mapping[str, Interval | None]
    tokens: Tokens | None
    by: Mapping[str, Sequence[Cell]]
    token_accuracy_by: Mapping[str, Mapping[str, float | None]]
    paired: Sequence[PairedResult]
    examples: Mapping[str, Sequence[Mapping[str, Any]]]
    invalid: Mapping[str, int] = field(default_factory=dict)
    repeated: int = 0
    false_alarms: FalseAlarms | None = None

    def to_json(self) -> dict[str, Any]:
        """The design's keys and what else is known."""
        overall = {"average": "micro", **self.overall.to_json()}
        overall["intervals"] = {name: percentile_json(interval) for name, interval in self.intervals.items()}
        found: dict[str, Any] = {
            "overall": overall,
            "macro": {"average": "macro", **macro(self.labels)},
            "labels": {label: counts.to_json() for label, counts in self.labels.items()},
            "by": {name: self._cells_json(name) for name in self.by},
        }
        if self.matches:
            found["matches"] = {name: counts.to_json() for name, counts in self.matches.items()}
        if self.tokens is not None:
            found["token_accuracy"] = self.tokens.accuracy()
            found["tokens"] = self.tokens.labelled().to_json() | {
                "tokens": int(self.tokens.tokens.sum()),
                "equal": int(self.tokens.equal.sum()),
            }
        if self.false_alarms is not None:
            found["false_alarms"] = self.false_alarms.to_json()
        if self.paired:
            found["paired"] = [result.to_json() for result in self.paired]
        if self.examples:
            found["examples"] = {kind: list(rows) for kind, rows in self.examples.items()}
        found["invalid"] = dict(self.invalid)
        found["repeated"] = self.repeated
        return found

    def _cells_json(self, name: str) -> dict[str, Any]:
        found = {}
        for one in self.by[name]:
            found[one.name] = one.to_json()
            if one.name in self.token_accuracy_by.get(name, {}):
                found[one.name]["token_accuracy"] = self.token_accuracy_by[name][one.name]
        return found


@dataclass(slots=True, kw_only=True)
class SpanScores:
    """All systems' results, their ranks by ``primary``, their differences and the scenario's winner."""

    primary: str
    systems: Mapping[str, SystemScores]
    ranks: Mapping[str, int | None]
    differences: Sequence[Difference]
    scenario: Scenario | None
    units: Units

    def to_json(self) -> dict[str, Any]:
        """For one system its keys; for several ``systems``, ``ranks`` and ``differences``."""
        found: dict[str, Any]
        if len(self.systems) == 1:
            ((name, scores),) = self.systems.items()
            found = {"system": name} | scores.to_json()
        else:
            found = {
                "systems": {name: scores.to_json() for name, scores in self.systems.items()},
                "ranks": {"by": self.primary, "systems": dict(self.ranks)},
                "differences": [difference.to_json() for difference in self.differences],
            }
        found["clusters"] = self.units.together.numbers
        if self.scenario is not None:
            found["scenario"] = self.scenario.to_json()
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What to compute beside the strict counts; ``by`` names attributes, crossed ones joined by a colon."""

    primary: str = "f1"
    matches: Sequence[str] = ()
    by: Sequence[str] = ()
    contrasts: Sequence[Contrast] = ()
    scenario: Mapping[str, Sequence[str]] | None = None
    samples: int = 1000
    seed: int = 0
    examples: int = 0
    order: Mapping[str, Sequence[str]] = field(default_factory=dict)


def score_spans(
    *,
    systems: Mapping[str, Matched],
    choices: Choices = Choices(),
    invalid: Mapping[str, Mapping[str, int]] | None = None,
    comparable_tags: bool = True,
) -> SpanScores:
    """Score systems whose predictions were matched to the same gold items.

    Everything follows from the counts: strict spans (item, boundaries and label), the named matches,
    labels, tokens where both sides are tagged, cells by attribute. Intervals are percentile bootstrap
    intervals over base sentences. Nothing depends on the order of items or spans. Token accuracy is
    left out unless ``comparable_tags``: tags of two schemes are not equal where the spans are.
    """
    if not systems:
        raise UsageError("there is no system to score")
    gold = next(iter(systems.values())).gold
    labels = Labels()
    table = from_spans([item.spans for item in gold], labels)
    predicted = {
        name: from_spans([item.spans for item in matched.predicted], labels)
        for name, matched in systems.items()
    }
    of_item = item_attributes(gold)
    units = _units(gold, of_item, table, labels, predicted)
    cluster_names = [_cluster(item, number) for number, item in enumerate(gold)]
    cluster = clusters(cluster_names)
    samples = _sampled(table, predicted, units, len(gold), cluster, choices)
    scores: dict[str, SystemScores] = {}
    for name, matched in systems.items():
        tokens = token_scores(matched) if comparable_tags else None
        by = {
            crossing: cells(units, name, attributes_named(crossing), order=choices.order)
            for crossing in choices.by
        }
        scores[name] = SystemScores(
            name=name,
            overall=Counts(
                gold=len(table), predicted=len(predicted[name]), correct=int(units.systems[name].hits.sum())
            ),
            # Strings are units without a label.
            labels=counts_by_label(table, predicted[name], labels) if any(labels) else {},
            matches={
                match: untyped_counts(table, predicted[name])
                if match == "untyped"
                else relaxed.relaxed_counts(table, predicted[name], scheme=relaxed.scheme_named(match))
                for match in choices.matches
            },
            intervals={measure: percentile(samples[name][measure]) for measure in _MEASURES},
            tokens=tokens,
            by=by,
            token_accuracy_by={} if tokens is None else accuracy_by(of_item, tokens, choices.by),
            paired=[
                result
                for contrast in choices.contrasts
                for result in paired(units, name, contrast, order=choices.order.get(contrast.attribute, ()))
            ],
            examples=examples(
                matched,
                units.systems[name],
                gold=table,
                predicted=predicted[name],
                labels=labels,
                count=choices.examples,
                seed=choices.seed,
            ),
            invalid=(invalid or {}).get(name, {}),
            repeated=predicted[name].repeated,
            false_alarms=false_alarms(
                without_gold=np.bincount(table.item, minlength=len(gold)) == 0,
                predicted=np.bincount(predicted[name].item, minlength=len(gold)) > 0,
                base=cluster_names,
                attributes=of_item,
                by=choices.by,
                order=choices.order,
            ),
        )
    primary = {name: getattr(one.overall, choices.primary) for name, one in scores.items()}
    return SpanScores(
        primary=choices.primary,
        systems=scores,
        ranks=competition_ranks(primary),
        differences=differences(primary, {name: one[choices.primary] for name, one in samples.items()}),
        scenario=None
        if choices.scenario is None
        else scenario(units, choices.scenario, samples=choices.samples, seed=choices.seed),
        units=units,
    )


def _cluster(item: Item, number: int) -> str:
    base = item.attributes.get("base_id")
    return str(base if base is not None else item.id if item.id is not None else number)


def item_attributes(items: Sequence[Item]) -> dict[str, Values]:
    """Attributes of items, one entry an item: every plain value that any of them has."""
    names = dict.fromkeys(
        name
        for item in items
        for name, value in item.attributes.items()
        if value is None or isinstance(value, str | int | float | bool)
    )
    return {name: values(item.attributes.get(name) for item in items) for name in names}


def _units(
    gold: Sequence[Item],
    of_item: Mapping[str, Values],
    table: SpanTable,
    labels: Labels,
    predicted: Mapping[str, SpanTable],
) -> Units:
    names = list(labels)
    attributes = {name: column[table.item] for name, column in of_item.items()}
    attributes |= _span_attributes(gold, table, names, taken=attributes)
    attributes["label"] = values(names[code] for code in table.label)
    systems = {}
    for name, other in predicted.items():
        hits, correct = shared(table, other)
        known = {attribute: column[other.item] for attribute, column in of_item.items()}
        known["label"] = values(names[code] for code in other.label)
        systems[name] = Predictions(hits=hits, correct=correct, attributes=known)
    texts = [
        surface(gold[item], start, end)
        for item, start, end in zip(
            table.item.tolist(), table.start.tolist(), table.end.tolist(), strict=True
        )
    ]
    return Units(
        item=table.item,
        cluster=[_cluster(gold[item], item) for item in table.item.tolist()],
        text=texts,
        attributes=attributes,
        systems=systems,
    )


def _span_attributes(
    gold: Sequence[Item], table: SpanTable, labels: Sequence[str], *, taken: Mapping[str, Values]
) -> dict[str, Values]:
    """Attributes of single spans, in the table's order; those of items go first where both have one."""
    by_span: dict[tuple[int, int, int, str], Mapping[str, Any]] = {}
    for number, item in enumerate(gold):
        for span, attributes in zip(item.spans, item.span_attributes, strict=False):
            by_span[number, span.start, span.end, span.label] = attributes
    names = dict.fromkeys(name for attributes in by_span.values() for name in attributes)
    rows = [
        by_span.get((item, start, end, labels[label]), {})
        for item, start, end, label in zip(
            table.item.tolist(), table.start.tolist(), table.end.tolist(), table.label.tolist(), strict=True
        )
    ]
    return {name: values(row.get(name) for row in rows) for name in names if name not in taken}


def _sampled(
    gold: SpanTable,
    predicted: Mapping[str, SpanTable],
    units: Units,
    items: int,
    cluster: Ints,
    choices: Choices,
) -> dict[str, dict[str, Floats]]:
    """Each system's precision, recall and F1 in the same bootstrap samples; NaN for an empty denominator."""
    columns = [np.bincount(gold.item, minlength=items)]
    for name, table in predicted.items():
        columns.append(np.bincount(table.item, minlength=items))
        columns.append(np.bincount(gold.item[units.systems[name].hits], minlength=items))
    sums = resample(
        np.stack(columns, axis=1).astype(np.float64), cluster, samples=choices.samples, seed=choices.seed
    )
    of_gold, *others = sums.T
    found = {}
    with np.errstate(invalid="ignore", divide="ignore"):
        for name, of_predicted, correct in zip(predicted, others[::2], others[1::2], strict=True):
            found[name] = {
                "precision": correct / of_predicted,
                "recall": correct / of_gold,
                "f1": 2 * correct / (of_gold + of_predicted),
            }
    return found
