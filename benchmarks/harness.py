"""What every benchmark shares: best-of-n CPU times, peers that must be there, one table."""

from __future__ import annotations

import gc
import importlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from probeta.errors import PrerequisiteError


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table: what was measured, what it should be, and beside which peer.

    ``ratio`` is ours over the peer's, taken in the same run, in the direction that ``goal`` speaks of.
    ``met`` is None where a line only informs.
    """

    name: str
    measured: str
    goal: str = ""
    peer: str = ""
    ratio: float | None = None
    met: bool | None = None


def best_cpu(call: Callable[[], Any], *, runs: int = 5) -> float:
    """CPU seconds of the fastest of ``runs`` calls: the least disturbed one.

    The garbage collector rests during a call, as in ``timeit``, so that one contender's garbage is not
    charged to another.
    """
    best = float("inf")
    for _ in range(runs):
        gc.collect()
        gc.disable()
        try:
            start = time.process_time()
            call()
            best = min(best, time.process_time() - start)
        finally:
            gc.enable()
    return best


def consume(items: Iterable[Any]) -> int:
    """Run an iterator to its end and count its items."""
    return sum(1 for _ in items)


def peer(name: str) -> ModuleType:
    """Import a peer; a PrerequisiteError, exit 2, says how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise PrerequisiteError(
            f"the benchmarks compare with {name}, which cannot be imported ({error})",
            fix="install the dependency group `peers` (`make bench` does)",
        ) from error


def rate(count: int, seconds: float) -> str:
    """``251,000/s``.

    >>> rate(500, 0.002)
    '250,000/s'
    """
    return f"{count / seconds:,.0f}/s"


def table(rows: Iterable[Row]) -> str:
    """The rows as aligned text."""
    header = ("benchmark", "measured", "goal", "peer", "ratio", "")
    words = {None: "", True: "ok", False: "MISSED"}
    lines = [
        header,
        *(
            (
                row.name,
                row.measured,
                row.goal,
                row.peer,
                "" if row.ratio is None else f"{row.ratio:.2f}",
                words[row.met],
            )
            for row in rows
        ),
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
