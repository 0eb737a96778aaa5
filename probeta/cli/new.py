"""``probeta new``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probeta.cli.common import Json, command_app, print_json, reported

app = command_app()


@app.command()
def new(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder to write; it must not exist yet.")
    ],
    source: Annotated[
        str, typer.Option("--from", metavar="RECIPE", help="The recipe to start from.")
    ] = "blank",
    sheets: Annotated[bool, typer.Option("--xlsx", help="Write the tables as spreadsheets.")] = False,
    as_json: Json = False,
) -> None:
    """Start a recipe of your own from a bundled one (or any other); it builds at once.

    Example: probeta new my-set --from blank
    """
    with reported(as_json=as_json):
        from probeta.pipeline.new import new_recipe

        made = new_recipe(folder, source=source, sheets=sheets)
        if as_json:
            print_json(
                {"out": str(folder), "name": made.name, "files": made.files, "commands": made.commands}
            )
            return
        print(f"{folder} holds the recipe {made.name}: {len(made.files)} files")
        for number, command in enumerate(made.commands):
            print(f"{'      ' if number else 'next: '}{command}")
