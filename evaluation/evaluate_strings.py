"""Systems whose output is span strings by sentence, under a protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from probeta.evaluation.compare import competition_ranks
from probeta.evaluation.files import data_version
from probeta.evaluation.protocol import Protocol
from probeta.evaluation.strings import StringRow, StringScores, score_strings
from probeta.formats import ReadOptions, format_of, read_sentences
from probeta.formats.adobo import read_rows
from probeta.formats.base import Faults, Source
from probeta.signature import signature


@dataclass(frozen=True, slots=True, kw_only=True)
class StringEvaluation:
    """Scores with their protocol and signature."""

    protocol: Protocol
    signature: str
    systems: Mapping[str, StringScores]
    ranks: Mapping[str, int | None]

    def to_json(self) -> dict[str, Any]:
        """The design's keys for one system; ``systems`` and ``ranks`` for several."""
        found: dict[str, Any] = {"protocol": self.protocol.name, "signature": self.signature}
        if len(self.systems) == 1:
            return found | next(iter(self.systems.values())).to_json()
        return found | {
            "systems": {name: scores.to_json() for name, scores in self.systems.items()},
            "ranks": {"by": self.protocol.primary, "systems": dict(self.ranks)},
        }


def evaluate_strings(gold: Path, systems: Mapping[str, Path], protocol: Protocol) -> StringEvaluation:
    """Score systems by sets of strings; files are ADoBo CSV, or any annotated file."""
    rows = load_strings(gold)
    found = {name: score_strings(rows, load_strings(path), file=str(path)) for name, path in systems.items()}
    ranks = competition_ranks(
        {name: getattr(scores.overall, protocol.primary) for name, scores in found.items()}
    )
    line = signature({"data": data_version(gold), "protocol": protocol.name})
    return StringEvaluation(protocol=protocol, signature=line, systems=found, ranks=ranks)


def load_strings(path: Path | str) -> list[StringRow]:
    """Sentences with the strings of their spans: an ADoBo CSV as it stands, or any annotated file."""
    if format_of(path) == "adobo":
        source = Source.of(path)
        faults = Faults(source.name)
        rows = [StringRow(row.sentence, row.spans) for row in read_rows(source, faults)]
        faults.done()
        return rows
    return [
        StringRow(sentence.text, tuple(sentence.surfaces()))
        for sentence in read_sentences(path, options=ReadOptions())
    ]
