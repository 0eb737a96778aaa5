"""What ``probeta campaign`` prints for people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from probeta.annotation.collect import Collected


def print_sample(folder: Path, report: Mapping[str, Any]) -> None:
    """What each stratum had and gave."""
    from rich.console import Console
    from rich.table import Table

    names = report["by"]
    table = Table(*names, "had", "gave", box=None)
    for stratum in report["strata"]:
        table.add_row(*stratum["values"].values(), str(stratum["had"]), str(stratum["gave"]))
    if names:
        Console().print(table)
    drawn, asked = report["drawn"], report["asked"]
    short = "" if drawn == asked else f" of {asked} asked for: there were no more"
    print(f"{folder}: {drawn} items drawn{short}, {report['checks']} checks, {report['repeats']} repeats")


def print_pulled(folder: Path, made: Collected) -> None:
    """The counts of a pull."""
    counts = made.counts()
    print(
        f"{folder}/annotations.parquet: {counts['rows']} answers of {counts['annotators']} annotators "
        f"({counts['answered']} answered, {counts['empty']} empty, {counts['skipped']} skipped), "
        f"{counts['drafts']} drafts; pulls/{made.pull.name}"
    )
    if counts["from_prediction"]:
        share = counts["accepted_unchanged"] / counts["from_prediction"]
        print(
            f"{counts['from_prediction']} began with a pre-annotation; {share:.1%} of them left it unchanged"
        )
