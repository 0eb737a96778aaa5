"""``probeta coverage``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from probeta.cli.common import Json, command_app, fault_counts, print_faults, print_json, reported
from probeta.cli.tabular import share

if TYPE_CHECKING:
    from probeta.builders.spans.grid import CellCoverage

app = command_app()


@app.command()
def coverage(
    recipe: Annotated[str, typer.Argument(help="A bundled recipe's name, or a folder with probeta.yaml.")],
    as_json: Json = False,
) -> None:
    """Show a recipe's grid: which cells are filled, empty or over-full, and how far each can grow.

    Exit 1 if a cell cannot reach its target, or holds more hand-picked sentences than that.

    Example: probeta coverage blank
    """
    with reported(as_json=as_json):
        from probeta.builders.spans.grid import cells_report, coverage_faults
        from probeta.builders.spans.grid import coverage as measure
        from probeta.errors import UsageError
        from probeta.recipe import SpanRecipe, load_recipe

        loaded = load_recipe(recipe)
        if not isinstance(loaded, SpanRecipe):
            raise UsageError(f"{loaded.name} has no grid: it is a recipe of the kind {loaded.kind}")
        cells = measure(loaded)
        faults = coverage_faults(loaded, cells)
        if as_json:
            shown = [fault.to_json() for fault in faults]
            print_json({**cells_report(loaded, cells), "faults": shown, "fault_counts": fault_counts(faults)})
        else:
            print_coverage(cells)
        if faults:
            print_faults(faults)
            raise typer.Exit(1)


def print_coverage(cells: Sequence[CellCoverage]) -> None:
    """The grid as a table, with its sums."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    names = list(cells[0].values)
    for name in names:
        table.add_column(name, no_wrap=True)
    for name in ("target", "hand-picked", "drawn", "templates", "maximum", "share"):
        table.add_column(name, justify="right")
    table.add_column("status", no_wrap=True)
    for cell in cells:
        numbers = (cell.target, cell.hand_picked, cell.drawn, cell.templates, cell.maximum)
        status = cell.status.replace("_", "-")
        table.add_row(*cell.values.values(), *(f"{one:,}" for one in numbers), share(cell.share), status)
    sums = [
        sum(getattr(cell, name) for cell in cells)
        for name in ("target", "hand_picked", "drawn", "templates", "maximum")
    ]
    table.add_section()
    table.add_row("all", *[""] * (len(names) - 1), *(f"{one:,}" for one in sums), "", "")
    # Wide enough for any table: a pipe or a narrow window must not cut numbers off or break a row.
    Console(width=1000, highlight=False, soft_wrap=True).print(table)
    # Below it: a sentence in a column makes every line as long as the longest.
    for cell in cells:
        if cell.reason:
            print(f"{' '.join(str(value) for value in cell.values.values())}: {cell.reason}")
