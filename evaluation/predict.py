"""Predicted recall of systems on corpora, from recall per cell and the corpora's spans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from statistics import median
from typing import Any

from probeta.errors import DataError, UsageError
from probeta.evaluation.attribute_table import is_attribute_table, load_attribute_rows
from probeta.evaluation.automatic import AutomaticOptions, with_automatic
from probeta.evaluation.compare import competition_ranks
from probeta.evaluation.correlation import Coefficient, agreement, spearman
from probeta.evaluation.projection import CellRate, Projection, project, value_faults
from probeta.evaluation.read import load_items
from probeta.evaluation.shrinkage import Shrinkage, shrunk
from probeta.evaluation.true_scores import TrueScores
from probeta.formats import ReadOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusPrediction:
    """The systems' projections on one corpus, and the truth where it is known."""

    name: str
    systems: Mapping[str, Projection]
    true: Mapping[str, TrueScores]

    def predicted(self) -> dict[str, float]:
        """The predicted recalls that are defined."""
        return {name: one.predicted for name, one in self.systems.items() if one.predicted is not None}

    def agreement(self) -> dict[str, Coefficient]:
        """Pearson, Spearman and mean absolute error against the true recalls."""
        return agreement(self.predicted(), {name: one.recall for name, one in self.true.items()})

    def spearman_f1(self) -> Coefficient:
        """Spearman's correlation of predicted recall with true F1, where every F1 is known."""
        predicted = self.predicted()
        f1 = {name: one.f1 for name, one in self.true.items() if one.f1 is not None and name in predicted}
        if not f1:
            return Coefficient(None, "no true F1")
        return spearman([predicted[name] for name in f1], list(f1.values()))

    def inside(self) -> tuple[int, int]:
        """How many true recalls lie in their interval, of how many."""
        known = [name for name in self.predicted() if name in self.true]
        hits = 0
        for name in known:
            interval = self.systems[name].interval
            hits += interval is not None and interval.low <= self.true[name].recall <= interval.high
        return hits, len(known)

    def ranks(self) -> dict[str, dict[str, int | None]]:
        """Competition ranks by predicted recall, by true recall and by true F1."""
        predicted: dict[str, float | None] = {name: one.predicted for name, one in self.systems.items()}
        found = {"predicted": competition_ranks(predicted)}
        if self.true:
            found["true"] = competition_ranks({name: one.recall for name, one in self.true.items()})
        f1 = {name: one.f1 for name, one in self.true.items()}
        if any(value is not None for value in f1.values()):
            found["true_f1"] = competition_ranks(f1)
        return found

    def to_json(self) -> dict[str, Any]:
        """The design's keys; a coefficient that is undefined is null with its reason."""
        systems: dict[str, dict[str, Any]] = {}
        for name, one in self.systems.items():
            low, high = one.interval or (None, None)
            truth = self.true.get(name)
            systems[name] = {
                "predicted": one.predicted,
                "low": low,
                "high": high,
                "true": None if truth is None else truth.recall,
                "true_f1": None if truth is None else truth.f1,
                "spans": one.spans,
                "unseen": [cell.to_json() for cell in one.unseen],
            }
            if one.predicted is None:
                systems[name]["reason"] = "the corpus has no such span"
        coefficients = {**self.agreement(), "spearman_f1": self.spearman_f1()}
        hits, known = self.inside()
        return {
            "systems": systems,
            **{name: coefficient.value for name, coefficient in coefficients.items()},
            "reasons": {name: one.reason for name, one in coefficients.items() if one.reason},
            "calibration": {"inside": hits, "systems": known},
            "ranks": self.ranks(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """All corpora; ``medians`` of the coefficients that are defined."""

    corpora: Sequence[CorpusPrediction]
    signature: str
    shrinkage: Shrinkage | None = None

    def medians(self) -> dict[str, float | None]:
        """The median of each coefficient over the corpora where it is defined."""
        found: dict[str, float | None] = {}
        for name in ("pearson", "spearman", "mean_absolute_error"):
            values = [
                value for corpus in self.corpora if (value := corpus.agreement()[name].value) is not None
            ]
            found[name] = median(values) if values else None
        return found

    def to_json(self) -> dict[str, Any]:
        """For one corpus the design's keys; for several they stand under ``corpora``, with ``medians``."""
        found: dict[str, Any] = {"signature": self.signature}
        if len(self.corpora) == 1:
            found |= {"corpus": self.corpora[0].name, **self.corpora[0].to_json()}
        else:
            found["corpora"] = {corpus.name: corpus.to_json() for corpus in self.corpora}
            found["medians"] = self.medians()
        if self.shrinkage is not None:
            found["shrinkage"] = self.shrinkage.to_json()
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanOptions(AutomaticOptions):
    """Which of the corpora's spans count, and how they get the attributes that the corpora lack."""

    label: str | None = None


def corpus_spans(
    path: Path, *, wanted: Iterable[str], options: SpanOptions, reading: ReadOptions
) -> list[dict[str, Any]]:
    """One row a span with its attributes: of a built set or annotated file, or of a table that has them.

    What a corpus says of its items or spans holds, as it does for scores; those of the ``wanted`` attributes
    that it does not have are read off its texts. Raises a UsageError for a corpus without such a span.
    """
    rows: list[dict[str, Any]]
    if is_attribute_table(path):
        rows = load_attribute_rows(path)
    else:
        items = with_automatic(load_items(path, options=reading).items, wanted, options)
        rows = [
            {**own, **item.attributes, "label": span.label}
            for item in items
            for span, own in zip(item.spans, item.span_attributes or repeat({}), strict=False)
        ]
    if not rows:
        raise UsageError(f"{path} has no span: there is nothing to predict on")
    if options.label is None:
        return rows
    kept = [row for row in rows if row.get("label") == options.label]
    if not kept:
        there = ", ".join(sorted({str(row.get("label")) for row in rows}))
        raise UsageError(f"{path} has no span labelled {options.label}: its labels are {there}")
    return kept


def predict(
    rates: Mapping[str, Sequence[CellRate]],
    corpora: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    true: Mapping[str, Mapping[str, TrueScores]] | None = None,
    signature: str = "",
    shrink: str | None = None,
    file: str | None = None,
) -> Prediction:
    """Project every system onto every corpus; ``corpora`` are rows of spans with attributes by name.

    Raises a DataError, with ``file`` as the table of the rates, for values that no attribute has, and a
    UsageError where a true score is given for a system that has no cells.
    """
    if faults := value_faults(rates, chain.from_iterable(corpora.values()), file=file):
        raise DataError(faults)
    truth = true or {}
    for name, scores in truth.items():
        if unknown := sorted(scores.keys() - rates.keys()):
            raise UsageError(f"{name} has true scores of {', '.join(unknown)}, which have no cells")
    shrinkage = None if shrink is None else shrunk(shrink, rates, corpora, truth)
    used = rates if shrinkage is None else shrinkage.rates
    return Prediction(
        corpora=[
            CorpusPrediction(
                name=name,
                systems={system: project(cells, spans) for system, cells in used.items()},
                true=truth.get(name, {}),
            )
            for name, spans in corpora.items()
        ],
        signature=signature,
        shrinkage=shrinkage,
    )
