"""The rows of the configs ``annotations`` and ``validated`` of a built set.

``annotations`` is pseudonymised: names are drawn anew from what each annotator answered, so that neither
a name nor its place in a list can be read off; times of day, tasks and sources are left out. ``validated``
holds every annotated item of the set with its gold, the counts of its votes, and whether and why it was
kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from probeta.builtset import spans_feature
from probeta.errors import DataError, Fault
from probeta.hashing import text_hash
from probeta.validation.adjudication.ledger import Entry, Ledger, shown

if TYPE_CHECKING:
    import datasets
    import pandas as pd


def pseudonyms(rows: pd.DataFrame) -> dict[str, str]:
    """A published name for every annotator: ``annotator-01`` and so on.

    Their order is that of a hash of their answers: it does not depend on their names, and the same
    answers give the same names.
    """
    answers: dict[str, list[str]] = {}
    columns = (rows[name].tolist() for name in ("item", "annotator", "label", "spans", "status"))
    for item, annotator, label, spans, status in zip(*columns, strict=True):
        marks = shown(_spans(spans)) if spans is not None else ""
        answers.setdefault(annotator, []).append("\x1f".join((item, label or "", marks, status)))
    order = sorted(answers, key=lambda name: (text_hash(*sorted(answers[name])), name))
    width = max(2, len(str(len(order))))
    return {name: f"annotator-{number:0{width}d}" for number, name in enumerate(order, start=1)}


def annotation_rows(
    rows: pd.DataFrame, names: Mapping[str, str], *, refused: Iterable[str] = ()
) -> list[dict[str, Any]]:
    """The rows to publish, sorted by item and annotator; those of ``refused`` annotators are left out."""
    away = set(refused)
    found = []
    for row in rows.to_dict("records"):
        if row["annotator"] in away:
            continue
        seconds = row["seconds"]
        found.append(
            {
                "item": row["item"],
                "annotator": names[row["annotator"]],
                "label": row["label"],
                "spans": row["spans"],
                "status": row["status"],
                "seconds": None if seconds is None or seconds != seconds else float(seconds),
                "created": _day(row["created"]),
                "updated": _day(row["updated"]),
                "task": None,
                "source": None,
            }
        )
    return sorted(found, key=lambda row: (row["item"], row["annotator"], row["updated"] or ""))


def validated_features(own: datasets.Features, kind: str) -> datasets.Features:
    """The item's own features with the outcome's."""
    from datasets import Features, List, Value

    string = Value("string")
    answer: Any = string if kind == "labels" else spans_feature()
    return Features(
        dict(own)
        | {
            "gold": answer,
            "original": answer,
            "votes": List({"answer": string, "count": Value("int32")}),
            "abstained": Value("int32"),
            "state": string,
            "kept": Value("bool"),
            "reason": string,
            "confidence": Value("float64"),
        }
    )


def validated_row(own: Mapping[str, Any], entry: Entry, kind: str) -> dict[str, Any]:
    """One item's row: its own columns and its outcome."""

    def answer(value: Any) -> Any:
        if value is None or kind == "labels":
            return value
        text = str(own["text"])
        return [
            {"start": start, "end": end, "label": label, "text": text[start:end]}
            for start, end, label in value
        ]

    return dict(own) | {
        "gold": answer(entry.gold),
        "original": answer(entry.original),
        "votes": [{"answer": vote, "count": len(who)} for vote, who in sorted(entry.votes.items())],
        "abstained": len(entry.abstained),
        "state": str(entry.state),
        "kept": entry.kept,
        "reason": entry.reason,
        "confidence": entry.confidence,
    }


def matched(
    ledger: Ledger, own: Mapping[str, Mapping[str, Any]], texts: Mapping[str, Mapping[str, Any]]
) -> None:
    """Raise a DataError unless every item of the ledger is a row of the set with the text that was annotated.

    ``own`` are the set's rows by id; ``texts`` are the annotated items' text fields, where known.
    """
    faults = []
    for entry in ledger.entries:
        row = own.get(entry.item)
        if row is None:
            faults.append(
                Fault(
                    code="unknown_item", message="the annotated item is not in the built set", row=entry.item
                )
            )
            continue
        for name, text in texts.get(entry.item, {}).items():
            if text is not None and row.get(name) != text:
                faults.append(
                    Fault(
                        code="text_changed",
                        message="the annotated text is not the set's",
                        row=entry.item,
                        column=name,
                        expected=repr(str(row.get(name))[:60]),
                        found=repr(str(text)[:60]),
                        fix="validate the set that the campaign was made from",
                    )
                )
    if faults:
        raise DataError(faults)


def _spans(spans: Sequence[Mapping[str, Any]]) -> tuple[tuple[int, int, str], ...]:
    return tuple(sorted((int(span["start"]), int(span["end"]), str(span["label"])) for span in spans))


def _day(moment: object) -> str | None:
    """The day of an ISO time: the hour would help to tell persons apart."""
    return str(moment)[:10] if moment else None
