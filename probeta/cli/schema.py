"""``probeta schema``."""

from __future__ import annotations

from probeta.cli.common import Json, command_app, print_json, reported

app = command_app()


@app.command()
def schema(as_json: Json = True) -> None:
    """Print the JSON Schema of probeta.yaml, so that an editor can complete and check it.

    Example: probeta schema > probeta.schema.json
    """
    with reported(as_json=as_json):
        from probeta.recipe import json_schema

        print_json(json_schema())
