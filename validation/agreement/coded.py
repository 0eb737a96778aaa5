"""Labels as codes: a matrix of items by annotators over a declared label set."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.intp]


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
