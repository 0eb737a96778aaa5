"""The readable end of a build: what is in the set, where it is, what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from probeta.cli.tabular import share

if TYPE_CHECKING:
    from probeta.pipeline.build import Built


def print_built(built: Built) -> None:
    """Counts per cell where the set has a grid, totals, the folder, the next command."""
    console = Console(highlight=False, soft_wrap=True)
    coverage = built.reports.get("coverage")
    if coverage:
        table = Table(box=None, pad_edge=False)
        for name in coverage["cells"][0]["values"]:
            table.add_column(name)
        for name in ("target", "sentences", "possible", "share"):
            table.add_column(name, justify="right")
        for cell in coverage["cells"]:
            made = cell["hand_picked"] + cell["drawn"]
            numbers = (cell["target"], made, cell["maximum"])
            table.add_row(*cell["values"].values(), *(f"{one:,}" for one in numbers), share(cell["share"]))
        console.print(table)
        console.print()
    for name, report in built.reports.items():
        if name.startswith("by_"):
            # A pipe or a narrow window must not cut numbers off.
            Console(width=max(console.width, 120), highlight=False).print(by_value(report))
            console.print()
    if funnel := built.reports.get("funnel"):
        from probeta.builders.pairs.funnel import readable

        # Warnings are told by the command, on stderr.
        console.print(readable({**funnel, "warnings": []}))
    width = max(map(len, built.counts))
    for name, count in built.counts.items():
        if isinstance(count, int):
            console.print(f"{name.replace('_', ' '):<{width}}  {count:>9,}")
    console.print()
    console.print(f"written to {built.out} in {built.seconds:.1f} s  ({built.signature})")
    console.print(f"next: probeta check {shlex.quote(str(built.out))}")


def by_value(report: Mapping[str, Any]) -> Table:
    """Sentences, tokens and spans by label for each value of an attribute."""
    table = Table(box=None, pad_edge=False)
    table.add_column(report["attribute"])
    labels = next(iter(report["values"].values()))["labels"]
    for name in ("sentences", "tokens", "spans", *labels):
        table.add_column(name, justify="right")
    for value, row in report["values"].items():
        counts = (row["sentences"], row["tokens"], row["spans"], *row["labels"].values())
        table.add_row(value, *(f"{count:,}" for count in counts))
    return table
