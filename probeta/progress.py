"""The one way to report progress: a bar on stderr, and only where a person watches."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def track(items: Iterable[T], *, label: str, total: int | None = None) -> Iterator[T]:
    """Yield ``items`` while a bar with rate and time left runs on stderr, if that is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield from bar.track(items, description=label, total=total)


def say(message: str) -> None:
    """One line for the person who waits, on stderr."""
    print(message, file=sys.stderr, flush=True)
