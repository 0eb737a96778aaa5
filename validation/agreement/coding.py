"""Plain arrays as coded labels: rows, a pair of annotators, a confusion table, counts.

The annotation table has a road of its own, ``answers.from_table``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from probeta.errors import DataError, Fault, UsageError
from probeta.validation.agreement.coded import Coded, Codes, Positions, numbered
from probeta.validation.agreement.labelset import sorted_labels, unknown_label


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
        # Columns side by side in memory: what is asked of every item then runs along them.
        codes=np.array(codes).T,
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
    names = tuple(map(_text, labels)) if labels is not None else sorted_labels(set(texts.values()))
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
