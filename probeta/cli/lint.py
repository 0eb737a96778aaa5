"""``probeta lint``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probeta.cli.common import Json, command_app, print_faults, print_json, print_listed, reported

app = command_app()


@app.command()
def lint(
    folder: Annotated[Path, typer.Argument(help="A data set's folder, or a card such as README.md.")],
    as_json: Json = False,
) -> None:
    """Find what would break or corrupt a data set on the Hub, offline; works on any folder or card.

    Exit 0 without faults, 1 with every fault named by file, row and column.

    Example: probeta lint out/blas
    """
    with reported(as_json=as_json):
        from probeta.publishing.lint import lint as run

        done = run(folder)
        if as_json:
            print_json(done.to_json())
        print_listed("note", done.notes)
        if not as_json:
            width = max(map(len, done.gates))
            for name, result in done.gates.items():
                reason = f": {result.reason}" if result.status == "not_applicable" else ""
                count = f": {len(result.faults)}" if result.faults else ""
                print(f"{name.replace('_', ' '):<{width}}  {result.status.replace('_', ' ')}{count}{reason}")
        if done.faults:
            print_faults(done.faults)
            raise typer.Exit(1)
