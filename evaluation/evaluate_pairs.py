"""Classifiers of sentence pairs under a protocol: the pairs, their parts, the stress tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from probeta import builtset
from probeta.evaluation.compare import Difference
from probeta.evaluation.counts import unknown_labels
from probeta.evaluation.evaluate import expanded
from probeta.evaluation.files import data_version
from probeta.evaluation.labelled import LabelledItem, matched_labels
from probeta.evaluation.nli import Classified, NliScores, classified, compare_labels, score_labels
from probeta.evaluation.pair_examples import pair_examples
from probeta.evaluation.protocol import Protocol, declared_values
from probeta.evaluation.read import refuse_split
from probeta.evaluation.read_labels import load_labels
from probeta.signature import signature

#: The config of a built set that holds the pairs, and the one that holds what annotators validated.
PAIRS, VALIDATED = "pairs", "validated"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairEvaluation:
    """Scores with their protocol and signature; ranks and differences where there are several systems."""

    protocol: Protocol
    signature: str
    systems: Mapping[str, NliScores]
    ranks: Mapping[str, int | None]
    differences: Sequence[Difference]

    def warnings(self) -> list[str]:
        """What a reader should know before the numbers: systems with classes that the gold does not have."""
        found = (unknown_labels(name, one.overall.classes()) for name, one in self.systems.items())
        return [line for line in found if line is not None]

    def to_json(self) -> dict[str, Any]:
        """The design's keys for one system; ``systems``, ``ranks`` and ``differences`` for several."""
        found: dict[str, Any] = {"protocol": self.protocol.name, "signature": self.signature}
        if warnings := self.warnings():
            found["warnings"] = warnings
        if len(self.systems) == 1:
            ((name, scores),) = self.systems.items()
            return found | {"system": name} | scores.to_json()
        return found | {
            "systems": {name: scores.to_json() for name, scores in self.systems.items()},
            "ranks": {"by": self.protocol.primary, "systems": dict(self.ranks)},
            "differences": [difference.to_json() for difference in self.differences],
        }


def evaluate_pairs(
    gold: Path,
    systems: Mapping[str, Path],
    protocol: Protocol,
    *,
    by: Sequence[str] = (),
    seen: Sequence[str] | None = None,
    split: str | None = None,
    samples: int = 1000,
    seed: int = 0,
    examples: int = 0,
) -> PairEvaluation:
    """Score classifiers against a built set of pairs, or a file with ``id`` and ``label``.

    Of a built set the split ``test`` is taken where none is named; the corpora of its split ``train``
    are the seen ones where ``seen`` is not given. Its further configs (stress tests, the validated
    subset) become parts where every system has predictions for them: for a stress test rows that name
    it under ``config``.
    """
    refuse_split(gold, split)
    configs = builtset.configs(gold) if gold.is_dir() else {}
    if split is None and "test" in configs.get(PAIRS, ()):
        split = "test"
    items = load_labels(gold, config=PAIRS, split=split)
    known = {name: None for item in items for name in item.attributes}
    declared = [name for name, listed in declared_values(protocol, gold).items() if listed and name in known]
    # What is asked for must be there; of what the protocol shows, what is there is taken.
    asked = expanded(by, declared) or [name for name in expanded(protocol.by, declared) if name in known]
    if seen is None and "train" in configs.get(PAIRS, ()) and split != "train":
        trained = load_labels(gold, config=PAIRS, split="train")
        here = {str(item.attributes.get("dataset")) for item in items}
        seen = sorted(here & {str(item.attributes.get("dataset")) for item in trained})
    found = {}
    for name, path in systems.items():
        predicted = load_labels(path, config=None)
        about = [item for item in predicted if _is_about(item, PAIRS)]
        pairs = matched_labels(items, about, gold_file=str(gold), file=str(path))
        scores = score_labels(pairs, by=asked, seen=seen, samples=samples, seed=seed)
        parts = {**scores.parts, **_parts(gold, configs, split, path, items, predicted)}
        found[name] = replace(scores, parts=parts, examples=pair_examples(pairs, count=examples, seed=seed))
    ranks, differences = compare_labels(found, primary=protocol.primary)
    line = signature(
        {
            "data": data_version(gold),
            "protocol": protocol.name,
            "split": split,
            "seen": ",".join(seen) if seen else None,
            "samples": samples,
            "seed": seed,
        }
    )
    return PairEvaluation(
        protocol=protocol, signature=line, systems=found, ranks=ranks, differences=differences
    )


def _is_about(item: LabelledItem, config: str) -> bool:
    """Whether a prediction is for a row of this config; rows that name none are for the pairs."""
    return (item.attributes.get("config") or PAIRS) == config


def _parts(
    gold: Path,
    configs: Mapping[str, Sequence[str]],
    split: str | None,
    path: Path,
    items: Sequence[LabelledItem],
    predicted: Sequence[LabelledItem],
) -> dict[str, Classified]:
    """The further configs that the predictions answer: stress tests, the validated pairs."""
    found = {}
    for config in sorted(configs):
        if config in (PAIRS, VALIDATED) or not any(_is_about(item, config) for item in predicted):
            continue
        answers = [item for item in predicted if _is_about(item, config)]
        rows = load_labels(gold, config=config, split=split if split in configs[config] else None)
        found[config] = classified(matched_labels(rows, answers, gold_file=str(gold), file=str(path)))
    predicted = [item for item in predicted if _is_about(item, PAIRS)]
    if VALIDATED in configs:
        found[VALIDATED] = _validated(gold, items, predicted, path)
    return found


def _validated(
    gold: Path, items: Sequence[LabelledItem], predicted: Sequence[LabelledItem], path: Path
) -> Classified:
    """The predictions on the pairs that annotators kept, against the classes that they gave.

    A kept pair without a gold class (a tie in which the set's own class had as many votes) keeps its own.
    """
    here = {item.id for item in items}
    kept = [
        item._replace(label=item.attributes.get("gold") or item.label)
        for item in load_labels(gold, config=VALIDATED)
        if item.id in here and item.attributes.get("kept")
    ]
    wanted = {item.id for item in kept}
    return classified(
        matched_labels(
            kept, [item for item in predicted if item.id in wanted], gold_file=str(gold), file=str(path)
        )
    )
