"""Span answers: who marked which spans in which item, over a declared label set."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from probeta.errors import DataError, Fault
from probeta.validation.agreement.answers import settled
from probeta.validation.agreement.coded import numbered
from probeta.validation.agreement.labelset import alike, too_many, unknown_label

if TYPE_CHECKING:
    import pandas as pd

Ints = npt.NDArray[np.intp]
Span = tuple[int, int, str]


class SpanRepeat(NamedTuple):
    """Two answers of one annotator to one item."""

    item: str
    rater: str
    first: frozenset[Span]
    later: frozenset[Span]


@dataclass(frozen=True)
class SpanAnswers:
    """Spans as columns: ``item`` and ``rater`` are positions, offsets are code points, ``label`` a code.

    ``answered`` (items, raters) says who answered what: an answer may hold no span. Nested spans and one
    span under two labels are kept. ``texts`` are the items' texts where they are known.
    """

    items: tuple[str, ...]
    raters: tuple[str, ...]
    labels: tuple[str, ...]
    answered: npt.NDArray[np.bool_]
    item: Ints
    rater: Ints
    start: Ints
    end: Ints
    label: Ints
    declared: bool = False
    clusters: Ints | None = None
    texts: tuple[str, ...] | None = None
    folded: Mapping[tuple[str, str], int] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    repeats: Sequence[SpanRepeat] = ()

    @cached_property
    def pairable(self) -> npt.NDArray[np.bool_]:
        """The items that two or more raters answered."""
        return np.asarray(self.answered.sum(axis=1) > 1)

    @cached_property
    def active(self) -> Ints:
        """The raters who answered anything."""
        return np.flatnonzero(self.answered.any(axis=0))

    @cached_property
    def sizes(self) -> Ints:
        """Number of spans by item and rater."""
        flat = np.bincount(self.item * len(self.raters) + self.rater, minlength=self.answered.size)
        return flat.reshape(self.answered.shape)

    def keep(self, spans: npt.NDArray[np.bool_]) -> SpanAnswers:
        """The same answers with only the spans of a mask."""
        columns = {name: getattr(self, name)[spans] for name in ("item", "rater", "start", "end", "label")}
        return replace(self, **columns)

    def select(self, items: Sequence[int]) -> SpanAnswers:
        """The answers to some items, given by position, in that order."""
        chosen = np.asarray(items, dtype=np.intp)
        place = np.full(len(self.items), -1, dtype=np.intp)
        place[chosen] = np.arange(len(chosen))
        kept = self.keep(place[self.item] >= 0)
        clusters = None
        if self.clusters is not None:
            clusters = np.unique(self.clusters[chosen], return_inverse=True)[1]
        return replace(
            kept,
            items=tuple(self.items[index] for index in chosen),
            answered=self.answered[chosen],
            item=place[kept.item],
            clusters=clusters,
            texts=None if self.texts is None else tuple(self.texts[index] for index in chosen),
            repeats=(),
        )

    def pair(self, first: int, second: int) -> SpanAnswers:
        """Two raters and the items that both answered."""
        both = np.flatnonzero(self.answered[:, first] & self.answered[:, second])
        here = self.select(both.tolist())
        kept = here.keep((here.rater == first) | (here.rater == second))
        return replace(
            kept,
            raters=(self.raters[first], self.raters[second]),
            answered=here.answered[:, [first, second]],
            rater=(kept.rater == second).astype(np.intp),
        )


def from_answers(
    answers: Mapping[tuple[str, str], Sequence[Span] | None],
    *,
    labels: Sequence[str] | None = None,
    clusters: Mapping[str, Hashable] | None = None,
    texts: Mapping[str, str] | None = None,
    folded: Mapping[tuple[str, str], int] | None = None,
    dropped: Mapping[str, int] | None = None,
    repeats: Sequence[SpanRepeat] = (),
    items: Sequence[str] = (),
    raters: Sequence[str] = (),
) -> SpanAnswers:
    """Answers by (item, rater); an empty sequence is the answer that there is no span.

    ``items`` and ``raters`` add names without an answer. A span that one rater marked twice counts once.

    >>> made = from_answers({("1", "a"): [(0, 3, "X")], ("1", "b"): []})
    >>> made.sizes.tolist(), made.answered.tolist()
    ([[1, 0]], [[True, True]])
    """
    given = {key: spans for key, spans in answers.items() if spans is not None}
    item_names = tuple(sorted({item for item, _ in given} | set(items)))
    rater_names = tuple(sorted({rater for _, rater in given} | set(raters)))
    found = {label for spans in given.values() for _, _, label in spans}
    names = tuple(labels) if labels is not None else tuple(sorted(found))
    item_index = {name: position for position, name in enumerate(item_names)}
    rater_index = {name: position for position, name in enumerate(rater_names)}
    code = {name: position for position, name in enumerate(names)}
    answered = np.zeros((len(item_names), len(rater_names)), dtype=bool)
    rows = []
    for (item, rater), spans in given.items():
        place = item_index[item], rater_index[rater]
        answered[place] = True
        rows += [(*place, start, end, code[label]) for start, end, label in set(spans)]
    rows.sort()
    item_of, rater_of, start, end, label_of = np.array(rows, dtype=np.intp).reshape(-1, 5).T
    known = texts is not None and all(item in texts for item in item_names)
    return SpanAnswers(
        items=item_names,
        raters=rater_names,
        labels=names,
        answered=answered,
        item=item_of,
        rater=rater_of,
        start=start,
        end=end,
        label=label_of,
        declared=labels is not None,
        clusters=None if clusters is None else numbered([clusters[item] for item in item_names]),
        texts=tuple(texts[item] for item in item_names) if known and texts is not None else None,
        folded=folded or {},
        dropped=dropped or {},
        repeats=repeats,
    )


def from_table(
    rows: pd.DataFrame,
    *,
    labels: Sequence[str] | None = None,
    fold: Mapping[str, str] | None = None,
    duplicates: Literal["error", "first", "last"] = "error",
    clusters: Mapping[str, Hashable] | None = None,
    texts: Mapping[str, str] | None = None,
    items: Iterable[str] = (),
    again: pd.DataFrame | None = None,
    file: str | None = None,
) -> SpanAnswers:
    """Span answers from the annotation table; policies as for labels (``answers.from_table``).

    A status ``empty`` is an answer without spans. A span beyond its item's text is a fault. ``again``
    holds answers to items asked twice on purpose, ``items`` further items that nobody answered.
    """
    folded: dict[tuple[str, str], int] = {}
    dropped: dict[str, int] = {}
    faults: list[Fault] = []
    fold = fold or {}
    given: dict[tuple[str, str], list[tuple[str, int, frozenset[Span]]]] = {}
    found: set[str] = set()
    columns = (rows[name].tolist() for name in ("item", "annotator", "spans", "status", "created", "updated"))
    for line, item, rater, spans, status, created, updated in zip(rows.index, *columns, strict=True):
        if status == "skipped":
            dropped[status] = dropped.get(status, 0) + 1
            continue
        text = texts.get(item) if texts is not None else None
        kept = set()
        for span in spans if spans is not None else ():
            written = span["label"]
            meant = fold.get(written, written)
            if meant != written:
                folded[written, meant] = folded.get((written, meant), 0) + 1
            if labels is not None and meant not in labels:
                faults.append(unknown_label(meant, labels, file=file, row=int(line)))
            elif text is not None and span["end"] > len(text):
                faults.append(
                    Fault(
                        code="span_out_of_range",
                        message="a span ends beyond the item's text",
                        file=file,
                        row=int(line),
                        column="spans",
                        expected=f"at most {len(text)}",
                        found=f"{span['start']}-{span['end']} {meant}",
                    )
                )
            else:
                found.add(meant)
                kept.add((int(span["start"]), int(span["end"]), str(meant)))
        given.setdefault((item, rater), []).append(
            (str(updated or created or ""), int(line), frozenset(kept))
        )
    if labels is None:
        faults += alike(found, file)
    faults += too_many(found if labels is None else labels, file)
    done = settled(given, policy=duplicates, file=file)
    faults += done.faults
    if faults:
        raise DataError(faults)
    answers: dict[tuple[str, str], Sequence[Span]] = {
        key: sorted(spans) for key, spans in done.chosen.items()
    }
    repeats = [SpanRepeat(*repeat) for repeat in done.repeats]
    if again is not None:
        for item, rater, spans, status in zip(
            *(again[name] for name in ("item", "annotator", "spans", "status")), strict=True
        ):
            if status != "skipped" and (item, rater) in answers:
                later = frozenset(
                    (int(span["start"]), int(span["end"]), fold.get(span["label"], str(span["label"])))
                    for span in (spans if spans is not None else ())
                )
                repeats.append(SpanRepeat(item, rater, frozenset(answers[item, rater]), later))
    return from_answers(
        answers,
        labels=labels,
        clusters=clusters,
        texts=texts,
        folded=folded,
        dropped=dropped,
        repeats=sorted(repeats, key=lambda repeat: repeat[:2]),
        items=sorted({*rows["item"], *items}),
        raters=sorted(set(rows["annotator"])),
    )


def overlapping(answers: SpanAnswers) -> Any:
    """Per span, whether another span of the same rater and item overlaps it."""
    order = np.lexsort((answers.end, answers.start, answers.rater, answers.item))
    clash = np.zeros(len(order), dtype=bool)
    reach: dict[tuple[int, int], tuple[int, int]] = {}
    for span in order:
        key = int(answers.item[span]), int(answers.rater[span])
        end, owner = reach.get(key, (-1, -1))
        if answers.start[span] < end:
            clash[span] = clash[owner] = True
        if answers.end[span] > end:
            reach[key] = int(answers.end[span]), int(span)
    return clash
