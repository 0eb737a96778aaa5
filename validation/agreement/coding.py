"""Labels as codes: a matrix of items by annotators over a declared label set.

Every coefficient starts from a ``Coded``. Make one from plain arrays (``from_rows``, ``from_pair``,
``from_confusion``, ``from_counts``) or from the annotation table (``from_table``), which folds labels,
drops what is no answer with its reason, and refuses unknown labels and double answers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from probeta.errors import DataError, Fault, UsageError, nearest

if TYPE_CHECKING:
    import pandas as pd

Codes = npt.NDArray[np.intp]

#: What to do when an annotator answered an item more than once.
DUPLICATE_POLICIES = ("error", "first", "last")


class Repeat(NamedTuple):
    """Two answers of one annotator to one item: codes of the first and of a later one."""

    item: str
    rater: str
    first: int
    later: int


@dataclass(frozen=True)
class Coded:
    """Labels as codes.

    ``codes`` is (items, raters), -1 where there is no label; ``labels`` are the label set in its order
    and ``declared`` says whether a person declared it or it was read off the data. ``clusters`` numbers
    each item's cluster from 0. ``anonymous``: columns are positions, not persons. ``folded`` maps
    (written, meant) to a count, ``dropped`` a reason to a count of answers; ``repeats`` holds double
    answers.
    """

    codes: Codes
    labels: tuple[str, ...]
    items: Sequence[str]
    raters: tuple[str, ...]
    declared: bool = False
    clusters: Codes | None = None
    anonymous: bool = False
    folded: Mapping[tuple[str, str], int] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    repeats: Sequence[Repeat] = ()

    @cached_property
    def counts(self) -> npt.NDArray[np.float64]:
        """How often each label was given to each item: (items, labels)."""
        return self.counts_of(np.ones(len(self.raters)))

    def counts_of(self, multiplicity: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Label counts per item with each annotator counted ``multiplicity`` times."""
        rows, columns = self.given
        number = len(self.labels)
        flat = np.bincount(
            rows * number + self.codes[rows, columns],
            weights=multiplicity[columns],
            minlength=len(self.items) * number,
        )
        return np.asarray(flat, dtype=float).reshape(len(self.items), number)

    @cached_property
    def given(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Item and rater of every label that was given, in item order."""
        rows, columns = np.nonzero(self.codes >= 0)
        return rows, columns

    @cached_property
    def active(self) -> npt.NDArray[np.intp]:
        """The raters with at least one label."""
        return np.flatnonzero((self.codes >= 0).any(axis=0))

    def select(self, items: npt.NDArray[Any]) -> Coded:
        """The same study over the items of a mask or index; raters without a label there stay."""
        chosen = np.arange(len(self.items))[items]
        clusters = None
        if self.clusters is not None:
            clusters = np.unique(self.clusters[chosen], return_inverse=True)[1]
        return replace(
            self,
            codes=self.codes[chosen],
            items=tuple(self.items[index] for index in chosen),
            clusters=clusters,
            repeats=(),
        )

    def without(self, rater: int) -> Coded:
        """The study without one rater, given by its column."""
        kept = [index for index in range(len(self.raters)) if index != rater]
        return replace(
            self, codes=self.codes[:, kept], raters=tuple(self.raters[index] for index in kept), repeats=()
        )

    def with_rater(self, name: str, codes: Codes) -> Coded:
        """The study with one more rater, whose codes are given for every item."""
        return replace(self, codes=np.column_stack([self.codes, codes]), raters=(*self.raters, name))

    def against(self, label: int) -> Coded:
        """One label against the rest: codes 1 and 0."""
        codes = np.where(self.codes < 0, -1, self.codes == label)
        return replace(self, codes=codes, labels=("other", self.labels[label]), declared=True)

    def scores(self) -> tuple[float, ...] | None:
        """The labels as numbers, or None if one is none."""
        try:
            values = tuple(float(label) for label in self.labels)
        except ValueError:
            return None
        return values if np.isfinite(values).all() else None


def from_rows(
    rows: Iterable[Sequence[Hashable]],
    *,
    labels: Sequence[str] | None = None,
    missing: Hashable = None,
    raters: Sequence[str] | None = None,
    clusters: Sequence[Hashable] | None = None,
) -> Coded:
    """Code a matrix: one row an item, one column a rater; ``missing`` is the one token for no label.

    Without ``labels`` the label set is what occurs, in sorted order (numbers by size). Labels of mixed
    types, NaN and unknown labels raise a DataError.

    >>> from_rows([["a", "a"], ["a", None]]).codes.tolist()
    [[0, 0], [0, -1]]
    """
    table = [list(row) for row in rows]
    width = max(map(len, table), default=0)
    faults = [
        Fault(
            code="row_length",
            message="the row is shorter than the others",
            row=number,
            expected=f"{width} cells",
            found=str(len(row)),
        )
        for number, row in enumerate(table, start=1)
        if len(row) != width
    ]
    if faults:
        raise DataError(faults)
    names, (codes,) = _encode([[cell for row in table for cell in row]], labels, missing, width=width)
    return Coded(
        codes=codes.reshape(len(table), width),
        labels=names,
        items=Positions(len(table)),
        raters=tuple(raters) if raters is not None else tuple(Positions(width)),
        declared=labels is not None,
        clusters=None if clusters is None else numbered(clusters),
    )


def from_pair(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    *,
    labels: Sequence[str] | None = None,
    missing: Hashable = None,
    clusters: Sequence[Hashable] | None = None,
) -> Coded:
    """Code two raters' labels of the same items, given as two sequences of equal length.

    >>> from_pair("aab", "abb").labels
    ('a', 'b')
    """
    if len(first) != len(second):
        raise UsageError(f"the two sequences have {len(first)} and {len(second)} labels")
    names, codes = _encode([first, second], labels, missing, width=1)
    return Coded(
        codes=np.column_stack(codes),
        labels=names,
        items=Positions(len(first)),
        raters=("1", "2"),
        declared=labels is not None,
        clusters=None if clusters is None else numbered(clusters),
    )


def from_confusion(table: npt.ArrayLike, *, labels: Sequence[str] | None = None) -> Coded:
    """Code a two-rater table of counts, rows being the first rater's labels."""
    counts = np.asarray(table)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise UsageError(f"the table has the shape {counts.shape}, expected a square")
    number = len(counts)
    cells = np.repeat(np.arange(number * number), counts.ravel().astype(int))
    names = tuple(labels) if labels is not None else tuple(Positions(number))
    return Coded(
        codes=np.column_stack(np.divmod(cells, number)).astype(np.intp),
        labels=names,
        items=Positions(len(cells)),
        raters=("1", "2"),
        declared=True,
    )


def from_counts(table: npt.ArrayLike, *, labels: Sequence[str] | None = None) -> Coded:
    """Code a table of label counts per item whose raters are not known.

    Coefficients that need to know who gave which label (Cohen, Conger, Light) are then undefined.
    """
    counts = np.atleast_2d(np.asarray(table)).astype(int)
    width = int(counts.sum(axis=1).max()) if counts.size else 0
    codes = np.full((len(counts), width), -1, dtype=np.intp)
    for row, cells in enumerate(counts):
        given = np.repeat(np.arange(len(cells)), cells)
        codes[row, : len(given)] = given
    return Coded(
        codes=codes,
        labels=tuple(labels) if labels is not None else tuple(Positions(counts.shape[1])),
        items=Positions(len(counts)),
        raters=tuple(Positions(width)),
        declared=True,
        anonymous=True,
    )


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
    names = tuple(labels) if labels is not None else _sorted({label for _, _, label, _, _ in kept})
    item_names = tuple(sorted({*rows["item"], *items}))
    raters = tuple(sorted(set(rows["annotator"])))
    answers: dict[tuple[str, str], list[tuple[str, int, str]]] = {}
    for item, rater, label, when, line in kept:
        answers.setdefault((item, rater), []).append((when, line, label))
    item_index = {item: number for number, item in enumerate(item_names)}
    rater_index = {rater: number for number, rater in enumerate(raters)}
    code = {label: number for number, label in enumerate(names)}
    codes = np.full((len(item_names), len(raters)), -1, dtype=np.intp)
    repeats = []
    for (item, rater), given in answers.items():
        if len(given) > 1:
            given.sort()
            repeats += [
                Repeat(item, rater, code.get(given[0][2], -1), code.get(later[2], -1)) for later in given[1:]
            ]
            if duplicates == "error":
                faults.append(
                    duplicate_fault(
                        item,
                        rater,
                        len(given),
                        file=file,
                        row=given[1][1],
                        found=", ".join(label for _, _, label in given),
                    )
                )
        chosen = given[-1] if duplicates == "last" else given[0]
        codes[item_index[item], rater_index[rater]] = code.get(chosen[2], -1)
    if faults:
        raise DataError(faults)
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


class Positions(Sequence[str]):
    """Names from 1 to ``number``, made when they are asked for: most are not."""

    def __init__(self, number: int) -> None:
        self._range = range(1, number + 1)

    def __len__(self) -> int:
        return len(self._range)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [str(number) for number in self._range[index]]
        return str(self._range[index])


def numbered(keys: Sequence[Hashable]) -> Codes:
    """Each key's number in the sorted order of its text, so that the order of rows does not matter."""
    order = {key: number for number, key in enumerate(sorted(set(map(str, keys))))}
    return np.fromiter((order[str(key)] for key in keys), dtype=np.intp, count=len(keys))


def _sorted(labels: Iterable[str]) -> tuple[str, ...]:
    """Labels in text order, or by size if all of them are numbers."""
    names = sorted(labels)
    try:
        return tuple(sorted(names, key=float))
    except ValueError:
        return tuple(names)


def _encode(
    columns: Sequence[Sequence[Hashable]], labels: Sequence[str] | None, missing: Hashable, *, width: int
) -> tuple[tuple[str, ...], list[Codes]]:
    """The label set and the columns' cells as codes, -1 where missing.

    Only distinct cells are looked at; ``width`` cells make a row in messages.
    """
    found: set[Hashable] = set()
    for column in columns:
        found.update(column)
    given = [cell for cell in found if not _is_missing(cell, missing)]
    if None in given or any(isinstance(cell, (float, np.floating)) and cell != cell for cell in given):
        raise _undeclared()
    kinds = {float if isinstance(cell, (int, float, np.number)) else type(cell) for cell in given}
    if len(kinds) > 1:
        raise DataError(
            Fault(
                code="label_type",
                message="the labels are of several types",
                expected="one type",
                found=", ".join(sorted(kind.__name__ for kind in kinds)),
                fix="make them all strings, so that 2 and '2' cannot be taken for two labels",
            )
        )
    texts = {cell: _text(cell) for cell in given}
    names = tuple(map(_text, labels)) if labels is not None else _sorted(set(texts.values()))
    code = {name: number for number, name in enumerate(names)}
    unknown = {cell for cell, text in texts.items() if text not in code}
    if unknown:
        raise DataError(
            [
                unknown_label(texts[cell], names, row=position // width + 1)
                for column in columns
                for position, cell in enumerate(column)
                if cell in unknown
            ]
        )
    index = dict.fromkeys(found, -1) | {cell: code[text] for cell, text in texts.items()}
    return names, [
        np.fromiter(map(index.__getitem__, column), dtype=np.intp, count=len(column)) for column in columns
    ]


def _text(cell: Hashable) -> str:
    """A label as text; a whole number is written without a fraction, so that 2 and 2.0 are one label."""
    if isinstance(cell, (float, np.floating)) and float(cell).is_integer():
        return str(int(cell))
    return str(cell)


def _is_missing(cell: Hashable, missing: Hashable) -> bool:
    if isinstance(missing, float) and missing != missing:
        return isinstance(cell, (float, np.floating)) and bool(cell != cell)
    return cell == missing and type(cell) is type(missing)


def _undeclared() -> DataError:
    return DataError(
        Fault(
            code="undeclared_missing",
            message="a cell is empty though another token was declared for no label",
            expected="one token for missing labels",
            fix="pass missing=None (or NaN) if an empty cell means no label",
        )
    )


def unknown_label(
    label: str | None, labels: Sequence[str], *, file: str | None = None, row: int | None = None
) -> Fault:
    """The fault of a label outside the declared set, with the folding that most likely mends it."""
    hint = nearest(str(label).strip().casefold(), labels)
    return Fault(
        code="unknown_label",
        message="the label is not in the declared set",
        file=file,
        row=row,
        column="label",
        expected=", ".join(labels),
        found=repr(label),
        fix=f"if {hint} is meant, declare it: --fold {label!r}={hint}" if hint else None,
    )


def duplicate_fault(
    item: str, rater: str, number: int, *, file: str | None, row: int, found: str | None = None
) -> Fault:
    """The fault of an annotator who answered an item more than once."""
    return Fault(
        code="duplicate_answer",
        message=f"{rater} answered the item {item} {number} times",
        file=file,
        row=row,
        found=found,
        fix="choose which answer counts: --duplicates first or last",
    )


def alike(labels: set[str], file: str | None) -> list[Fault]:
    """Labels that differ only by case or blanks: one label written in two ways, unless both are declared."""
    groups: dict[str, list[str]] = {}
    for label in sorted(labels):
        groups.setdefault(" ".join(label.casefold().split()), []).append(label)
    return [
        Fault(
            code="labels_alike",
            message="labels differ only by case or blanks",
            file=file,
            column="label",
            found=", ".join(map(repr, group)),
            fix=f"fold them (--fold {group[0]!r}={group[-1]!r}), or declare the label set with --labels",
        )
        for group in groups.values()
        if len(group) > 1
    ]
