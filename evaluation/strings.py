"""Span strings compared as sets by sentence, without offsets, as the shared task ADoBo 2025 does.

Casing is ignored, quotation marks around a string are ignored, a string that is repeated in a sentence
counts once. A string that does not stand in the sentence is a wrong prediction like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from probeta.errors import DataError, Fault
from probeta.evaluation.counts import Counts, total

_QUOTES = "\"'“”‘’«»‹›„‚`´"


class StringRow(NamedTuple):
    """A sentence and the strings of its spans."""

    sentence: str
    spans: Sequence[str]


def folded(string: str) -> str:
    """What of a span string is compared.

    >>> folded("«Fact-Checkers»"), folded(" e-mail ")
    ('fact-checkers', 'e-mail')
    """
    return string.strip().strip(_QUOTES).strip().casefold()


def string_set(spans: Iterable[str]) -> frozenset[str]:
    """The distinct strings of a sentence; empty ones do not count."""
    return frozenset(kept for span in spans if (kept := folded(span)))


@dataclass(frozen=True, slots=True, kw_only=True)
class StringScores:
    """One system's counts, and its errors by sentence number, from 1."""

    overall: Counts
    errors: Mapping[int, Mapping[str, Sequence[str]]]

    def to_json(self) -> dict[str, Any]:
        """The design's keys; strings have no label."""
        return {"overall": self.overall.to_json(), "labels": {}, "by": {}}


def score_strings(
    gold: Sequence[StringRow],
    predicted: Sequence[StringRow],
    *,
    file: str = "predictions",
) -> StringScores:
    """Compare sentence by sentence; the sentences must be the same, in the same order.

    >>> gold = [StringRow("Los «Looks» del look", ["looks", "look"])]
    >>> score_strings(gold, [StringRow("Los «Looks» del look", ["«LOOKS»"])]).overall.recall
    0.5
    """
    if faults := _faults(gold, predicted, file):
        raise DataError(faults)
    parts, errors = [], {}
    for number, (one, other) in enumerate(zip(gold, predicted, strict=True), start=1):
        right, found = string_set(one.spans), string_set(other.spans)
        parts.append(Counts(gold=len(right), predicted=len(found), correct=len(right & found)))
        if right != found:
            errors[number] = {"missed": sorted(right - found), "spurious": sorted(found - right)}
    return StringScores(overall=total(parts), errors=errors)


def _faults(gold: Sequence[StringRow], predicted: Sequence[StringRow], file: str) -> list[Fault]:
    faults = []
    if len(gold) != len(predicted):
        faults.append(
            Fault(
                code="item_count",
                message="gold and predictions have different numbers of sentences",
                file=file,
                row=min(len(gold), len(predicted)) + 1,
                expected=str(len(gold)),
                found=str(len(predicted)),
                fix="every sentence of the gold needs its row, without spans if nothing was found",
            )
        )
    for number, (one, other) in enumerate(zip(gold, predicted, strict=False), start=1):
        if one.sentence.strip() != other.sentence.strip():
            faults.append(
                Fault(
                    code="text_mismatch",
                    message=f"item {number} has another sentence than the gold",
                    file=file,
                    row=number,
                    expected=repr(one.sentence[:60]),
                    found=repr(other.sentence[:60]),
                    fix="score the predictions against the gold they were made for",
                )
            )
    return faults
