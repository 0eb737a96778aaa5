"""What adjudicators decided: where a campaign keeps it, and how it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from probeta.errors import UsageError
from probeta.validation.agreement.spansets import Span
from probeta.validation.annotations import read
from probeta.words import counted

#: The folder of the round of adjudication in a campaign.
ROUND = "adjudication-round"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """Item -> the adjudicators' answers (labels, or tuples of spans), and -> who gave them.

    ``file`` is told in faults; ``notes`` are for the report, which is published: they name no path.
    """

    answers: Mapping[str, list[Any]] = field(default_factory=dict)
    adjudicators: Mapping[str, list[str]] = field(default_factory=dict)
    file: str | None = None
    notes: tuple[str, ...] = ()


def decisions(
    annotations: Path, *, named: Path | None, without: bool, kind: str, fold: Mapping[str, str]
) -> Decisions:
    """The decisions of the file ``named``, or else those in the campaign folder ``annotations``.

    A round that is open, left out (``without``) or decided in part is a note, so that nobody takes votes
    for decisions. Labels are folded as the annotators' are. Raises a UsageError where ``without`` and
    ``named`` stand together, where ``without`` is asked of a table, or where the decisions are of another
    ``kind``.
    """
    if named is not None and without:
        raise UsageError("--without-decisions and --decisions exclude each other: drop one")
    if without and not annotations.is_dir():
        raise UsageError(f"--without-decisions concerns a campaign folder; {annotations} is a table")
    own = annotations / ROUND
    if named is not None or not annotations.is_dir() or not own.is_dir():
        return Decisions() if named is None else _read(named, kind=kind, fold=fold)
    if without:
        return Decisions(notes=(f"the decisions of {ROUND} are left out",))
    if not (own / "annotations.parquet").is_file():
        return Decisions(
            notes=(f"{ROUND} is open and counts for nothing until `campaign adjudicate --merge` pulls it",)
        )
    return _read(own, kind=kind, fold=fold)


def _read(path: Path, *, kind: str, fold: Mapping[str, str]) -> Decisions:
    decided = read(path)
    # A round to which nobody has answered says nothing of its kind.
    if len(decided.rows) and decided.kind != kind:
        raise UsageError(f"{decided.name} holds {decided.kind}, and the annotations hold {kind}")
    answers: dict[str, list[Any]] = {}
    who: dict[str, list[str]] = {}
    for item, annotator, label, spans, status in zip(
        *(decided.rows[name] for name in ("item", "annotator", "label", "spans", "status")), strict=True
    ):
        if kind == "labels" and status == "answered":
            answers.setdefault(item, []).append(fold.get(label, label))
        elif kind == "spans" and status != "skipped":
            found = as_spans(spans if spans is not None else ())
            meant = ((start, end, fold.get(name, name)) for start, end, name in found)
            answers.setdefault(item, []).append(tuple(sorted(meant)))
        else:
            continue
        who.setdefault(item, []).append(annotator)
    open_items = set(decided.items.index) - set(answers)
    notes: tuple[str, ...] = ()
    if path.is_dir() and open_items:
        total = counted(len(decided.items.index), "item")
        notes = (f"{len(open_items)} of {total} of {path.name} without a decision",)
    return Decisions(answers=answers, adjudicators=who, file=decided.name, notes=notes)


def as_spans(spans: Any) -> tuple[Span, ...]:
    """Spans as sorted (start, end, label) from mappings."""
    return tuple(sorted((int(span["start"]), int(span["end"]), str(span["label"])) for span in spans))
