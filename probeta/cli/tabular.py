"""Numbers and tables for people: percent with two decimals, rounded here and nowhere before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def percent(value: float | None) -> str:
    """A fraction in percent, two decimals; a dash where it is undefined. What rounds to zero has no sign.

    >>> percent(489 / 2076), percent(-1e-9), percent(None)
    ('23.55', '0.00', '-')
    """
    return "-" if value is None else f"{100 * value:z.2f}"


def share(value: float | None) -> str:
    """A share in percent, one decimal; a small one is not shown as none.

    >>> share(0.25), share(0.0001), share(0), share(None)
    ('25.0 %', '< 0.1 %', '0.0 %', '-')
    """
    if value is None:
        return "-"
    return "< 0.1 %" if 0 < value < 0.0005 else f"{100 * value:.1f} %"


def ranged(interval: tuple[float, float] | None) -> str:
    """An interval in percent; a dash where there is none.

    >>> ranged((0.5, 0.75))
    '[50.00, 75.00]'
    """
    return "-" if interval is None else f"[{percent(interval[0])}, {percent(interval[1])}]"


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, words: int = 1) -> None:
    """A titled table on stdout; the first ``words`` columns hold words, the others numbers."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place < words else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    # Wide enough for any table: a pipe or a narrow window must not cut numbers off.
    console = Console(width=1000, highlight=False, markup=False)
    console.print(f"\n{title}", style="bold", soft_wrap=True)
    console.print(table)
