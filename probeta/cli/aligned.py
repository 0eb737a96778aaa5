"""Aligned columns and rounded numbers for reports of agreement; rounding happens here and nowhere else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from probeta.validation.agreement.estimates import REASONS
from probeta.words import counted

#: More annotators than this are not all named in the first line.
SHOWN_NAMES = 12

#: More pairs of annotators than this are summed up in one line; all of them are in the JSON.
SHOWN_PAIRS = 20


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Columns aligned: the first to the left, numbers to the right, the last as it is."""
    cells = [tuple(header), *map(tuple, rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    for row in cells:
        padded = [
            cell.ljust(width) if column in (0, len(header) - 1) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(padded).rstrip()


def titled(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table under its title, after an empty line."""
    yield ""
    yield title
    yield from table(header, rows)


def number(value: float | None, digits: int = 3) -> str:
    """A value as printed; an undefined one is a dash, and what rounds to zero has no sign.

    >>> number(0.61234), number(-0.0002), number(None)
    ('0.612', '0.000', '-')
    """
    return "-" if value is None else f"{value:z.{digits}f}"


def with_interval(estimate: Mapping[str, Any]) -> str:
    """A value with its interval, where it has one."""
    if estimate["low"] is None:
        return number(estimate["value"])
    return f"{number(estimate['value'])} [{number(estimate['low'])}, {number(estimate['high'])}]"


def estimate_row(name: str, estimate: Mapping[str, Any]) -> tuple[str, ...]:
    """A row of a table of estimates: value, interval, what it stands on, and what must be said of it."""
    remarks = []
    if estimate["reason"]:
        remarks.append(f"undefined: {estimate['reason']} ({REASONS[estimate['reason']]})")
        if estimate["observed"] is not None:
            remarks.append(f"observed agreement {number(estimate['observed'])}")
    elif estimate["interval_reason"] not in (None, "not_requested"):
        remarks.append(f"no interval: {REASONS[estimate['interval_reason']]}")
    if estimate["undefined_resamples"]:
        remarks.append(f"{estimate['undefined_resamples']} resamples undefined")
    if estimate["note"]:
        remarks.append(estimate["note"])
    return (
        name,
        number(estimate["value"]),
        number(estimate["low"]),
        number(estimate["high"]),
        str(estimate["items"]),
        str(estimate["raters"]),
        "; ".join(remarks),
    )


def named_annotators(names: Collection[str]) -> str:
    """How many annotators there are, and who: what was taken for an annotator is seen at once.

    >>> named_annotators(["eva", "luis"])
    '2 annotators (eva, luis)'
    """
    shown = [*sorted(names)[:SHOWN_NAMES], *(["…"] if len(names) > SHOWN_NAMES else [])]
    who = f" ({', '.join(shown)})" if shown else ""
    return f"{counted(len(names), 'annotator')}{who}"
