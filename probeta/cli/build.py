"""``probeta build``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probeta.cli.common import Json, command_app, print_json, reported
from probeta.progress import say

app = command_app()


@app.command()
def build(
    recipe: Annotated[str, typer.Argument(help="A bundled recipe's name, or a folder with probeta.yaml.")],
    out: Annotated[Path, typer.Option(help="The folder to write.")],
    seed: Annotated[int | None, typer.Option(help="Replaces the recipe's seed.")] = None,
    per_cell: Annotated[
        int | None, typer.Option(min=1, help="Base sentences in every cell, drawn from the templates.")
    ] = None,
    corpus: Annotated[
        list[Path] | None,
        typer.Option(
            help="Documents, for recipes that read them: a file, a folder, or NAME=PATH; may repeat. "
            "JSON lines and Parquet need id, and text or paragraphs."
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(help="Names of a tagged corpus's tags in the order of their numbers, with commas."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that mine documents; 1 by default.")
    ] = None,
    executor: Annotated[
        str | None,
        typer.Option(help="Who mines documents: processes (by default), local-datatrove, slurm or ray."),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace a built set that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Build a test set from a recipe: data, card, reports, checksums.

    Example: probeta build blas --out out/blas
    """
    with reported(as_json=as_json):
        from probeta.pipeline.build import build as run

        done = run(
            recipe,
            out=out,
            seed=seed,
            per_cell=per_cell,
            corpus=corpus or [],
            labels=[name.strip() for name in labels.split(",")] if labels else [],
            workers=workers,
            executor=executor,
            replace=replace,
        )
        for warning in done.warnings:
            say(f"! {warning}")
        if as_json:
            print_json(done.to_json())
            return
        from probeta.cli.summary import print_built

        print_built(done)
