"""From the annotation table to codes: folding, missing tokens, unknown labels, double answers.

What is no answer is dropped with its reason; what may not be is a fault, and all faults are told at once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar

import numpy as np

from probeta.errors import DataError, Fault
from probeta.validation.agreement.coded import Coded, Codes, Repeat, numbered
from probeta.validation.agreement.labelset import alike, sorted_labels, too_many, unknown_label

if TYPE_CHECKING:
    import pandas as pd

Answer = TypeVar("Answer")


def from_table(
    rows: pd.DataFrame,
    *,
    labels: Sequence[str] | None = None,
    fold: Mapping[str, str] | None = None,
    missing: Sequence[str] = (),
    duplicates: Literal["error", "first", "last"] = "error",
    clusters: Mapping[str, Hashable] | None = None,
    items: Iterable[str] = (),
    again: pd.DataFrame | None = None,
    file: str | None = None,
) -> Coded:
    """Code the annotation table.

    ``fold`` maps labels as written to labels as meant; what was folded is counted. ``missing`` are the
    tokens for no label. Skipped and empty answers are dropped with their reason. An empty label, a label
    outside ``labels`` (or, without a declared set, two that differ only by case or blanks) and a double
    answer under the policy ``error`` raise a DataError with every fault. Double answers are ordered by
    ``updated``, then ``created``, then by row, and kept as ``repeats`` whatever the policy; so are the
    answers in ``again``, a second table of items asked twice on purpose. ``items`` adds items that
    nobody answered.
    """
    folded: dict[tuple[str, str], int] = {}
    dropped: dict[str, int] = {}
    faults: list[Fault] = []
    fold = fold or {}
    known = set(labels) if labels is not None else None
    kept: list[tuple[str, str, str, str, int]] = []
    columns = (rows[name].tolist() for name in ("item", "annotator", "label", "status", "created", "updated"))
    for line, item, rater, label, status, created, updated in zip(rows.index, *columns, strict=True):
        if status != "answered":
            dropped[status] = dropped.get(status, 0) + 1
            continue
        if label in missing:
            dropped["missing"] = dropped.get("missing", 0) + 1
            continue
        if not isinstance(label, str) or not label.strip():
            faults.append(
                Fault(
                    code="empty_label",
                    message="the answer has no label",
                    file=file,
                    row=int(line),
                    column="label",
                    fix="declare the token that means no label (--missing ''), or remove the row",
                )
            )
            continue
        meant = fold.get(label, label)
        if meant != label:
            folded[label, meant] = folded.get((label, meant), 0) + 1
        if known is not None and meant not in known:
            faults.append(unknown_label(meant, list(labels or ()), file=file, row=int(line)))
            continue
        kept.append((item, rater, meant, str(updated or created or ""), int(line)))
    if labels is None:
        faults += alike({label for _, _, label, _, _ in kept}, file)
    names = tuple(labels) if labels is not None else sorted_labels({label for _, _, label, _, _ in kept})
    faults += too_many(names, file)
    item_names = tuple(sorted({*rows["item"], *items}))
    raters = tuple(sorted(set(rows["annotator"])))
    answers: dict[tuple[str, str], list[tuple[str, int, str]]] = {}
    for item, rater, label, when, line in kept:
        answers.setdefault((item, rater), []).append((when, line, label))
    done = settled(answers, policy=duplicates, file=file, shown=str)
    faults += done.faults
    if faults:
        raise DataError(faults)
    item_index = {item: number for number, item in enumerate(item_names)}
    rater_index = {rater: number for number, rater in enumerate(raters)}
    code = {label: number for number, label in enumerate(names)}
    codes = np.full((len(item_names), len(raters)), -1, dtype=np.intp)
    for (item, rater), label in done.chosen.items():
        codes[item_index[item], rater_index[rater]] = code[label]
    repeats = [Repeat(item, rater, code[first], code[later]) for item, rater, first, later in done.repeats]
    if again is not None:
        repeats += _asked_again(again, codes, item_index, rater_index, code, fold)
    return Coded(
        codes=codes,
        labels=names,
        items=item_names,
        raters=raters,
        declared=labels is not None,
        clusters=None if clusters is None else numbered([clusters[item] for item in item_names]),
        folded=folded,
        dropped=dropped,
        repeats=tuple(sorted(repeats)),
    )


def _asked_again(
    again: pd.DataFrame,
    codes: Codes,
    items: Mapping[str, int],
    raters: Mapping[str, int],
    labels: Mapping[str, int],
    fold: Mapping[str, str],
) -> list[Repeat]:
    """Second answers beside first ones; an answer without a first one, or without a label, tells nothing."""
    found = []
    for item, rater, label in zip(again["item"], again["annotator"], again["label"], strict=True):
        later = labels.get(fold.get(label, label), -1)
        if item in items and rater in raters and later >= 0:
            first = int(codes[items[item], raters[rater]])
            if first >= 0:
                found.append(Repeat(item, rater, first, later))
    return found


class Settled(NamedTuple, Generic[Answer]):
    """The answer that counts of each (item, rater), what was answered twice, and the faults of that.

    ``repeats`` holds item, rater, the first answer and a later one.
    """

    chosen: dict[tuple[str, str], Answer]
    repeats: list[tuple[str, str, Answer, Answer]]
    faults: list[Fault]


def settled(
    answers: Mapping[tuple[str, str], Sequence[tuple[str, int, Answer]]],
    *,
    policy: str,
    file: str | None,
    shown: Callable[[Answer], str] | None = None,
) -> Settled[Answer]:
    """Settle double answers, given as (time, line, answer): by time, then by line, under the ``policy``.

    Under ``error`` each is a fault, with the answers as ``shown`` puts them.
    """
    found: Settled[Answer] = Settled({}, [], [])
    for (item, rater), several in answers.items():
        ordered = sorted(several, key=lambda answer: answer[:2])
        first, *later = (answer for _, _, answer in ordered)
        found.repeats.extend((item, rater, first, other) for other in later)
        if later and policy == "error":
            found.faults.append(
                Fault(
                    code="duplicate_answer",
                    message=f"{rater} answered the item {item} {len(ordered)} times",
                    file=file,
                    row=ordered[1][1],
                    found=None if shown is None else ", ".join(map(shown, (first, *later))),
                    fix="choose which answer counts: --duplicates first or last",
                )
            )
        found.chosen[item, rater] = later[-1] if later and policy == "last" else first
    return found
