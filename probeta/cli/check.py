"""``probeta check``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probeta.cli.common import Json, command_app, print_faults, print_json, reported

app = command_app()


@app.command()
def check(
    folder: Annotated[Path, typer.Argument(help="A built set.")],
    as_json: Json = False,
) -> None:
    """Prove a built set sound: exit 0 without faults, 1 with every fault named by file, row and column.

    Example: probeta check out/blas
    """
    with reported(as_json=as_json):
        from probeta.validation.check import check as run

        done = run(folder)
        if as_json:
            print_json(done.to_json())
        if done.faults:
            print_faults(done.faults)
            raise typer.Exit(1)
        if not as_json:
            counted = ", ".join(f"{count:,} in {config}" for config, count in done.counts.items())
            print(f"{folder} is sound; rows: {counted}")
