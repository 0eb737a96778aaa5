"""``probeta schema``."""

from __future__ import annotations

from typing import Annotated

import typer

from probeta.cli.common import Json, command_app, print_json, reported
from probeta.errors import one_of

app = command_app()


@app.command()
def schema(
    of: Annotated[
        str, typer.Argument(metavar="[recipe|protocol]", help="probeta.yaml or protocol.yaml.")
    ] = "recipe",
    as_json: Json = True,
) -> None:
    """Print the JSON Schema of probeta.yaml or protocol.yaml, so that an editor can complete and check it.

    Example: probeta schema > probeta.schema.json
    """
    with reported(as_json=as_json):
        if one_of(of, ("recipe", "protocol"), what="schema") == "protocol":
            from probeta.evaluation.protocol import protocol_schema

            print_json(protocol_schema())
            return
        from probeta.recipe import json_schema

        print_json(json_schema())
