"""``probeta schema``."""

from __future__ import annotations

import typer

from probeta.cli.common import Json, print_json, reported

app = typer.Typer(add_completion=False)


@app.command()
def schema(as_json: Json = True) -> None:
    """Print the JSON Schema of probeta.yaml, so that an editor can complete and check it.

    Example: probeta schema > probeta.schema.json
    """
    with reported(as_json=as_json):
        from probeta.recipe import json_schema

        print_json(json_schema())
