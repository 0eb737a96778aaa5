"""``probeta artifacts``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from probeta.cli.common import Json, command_app, print_json, reported

app = command_app()


@app.command()
def artifacts(
    folder: Annotated[Path, typer.Argument(help="A built pair set.")],
    xgboost: Annotated[
        bool, typer.Option("--xgboost", help="Add bags of words in boosted trees (extra: baselines).")
    ] = False,
    estimators: Annotated[int, typer.Option(min=1, help="Boosted trees of --xgboost.")] = 2000,
    seed: Annotated[int | None, typer.Option(help="Replaces the recipe's seed.")] = None,
    as_json: Json = False,
) -> None:
    """Measure what a model can guess from half of a pair; exit 1 where a gate of the recipe fails.

    Example: probeta artifacts out/esnlir
    """
    with reported(as_json=as_json):
        from probeta.validation.artifacts import artifacts as run

        report = run(folder, xgboost=xgboost, estimators=estimators, seed=seed)
        if as_json:
            print_json(report)
        else:
            _print(report)
        if any(gate["status"] == "failed" for gate in report["gates"].values()):
            raise typer.Exit(1)


def _print(report: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    from probeta.validation.artifacts import gate_warnings

    console = Console(highlight=False, soft_wrap=True, width=max(140, Console().width))
    classes = list(report["classes"])
    table = Table(box=None, pad_edge=False)
    table.add_column("baseline", no_wrap=True)
    for name in ("accuracy", "95 % interval", *classes, "gate"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, scores in report["baselines"].items():
        accuracy = scores["accuracy"]
        gate = report["gates"].get(name)
        table.add_row(
            name.replace("_", " "),
            _percent(accuracy["value"]),
            "" if accuracy["low"] is None else f"{_percent(accuracy['low'])} to {_percent(accuracy['high'])}",
            *(_percent(scores["classes"].get(label, {}).get("recall", {}).get("value")) for label in classes),
            f"{gate['status'].replace('_', ' ')} ({_percent(gate['limit'])})" if gate else "",
        )
    console.print(
        f"{report['measured_pairs']:,} of {report['pairs']:,} pairs, {report['documents']:,} documents; "
        f"chance {_percent(report['chance'])}; classes: recall"
    )
    console.print(table)
    for baseline, words in report["words"].items():
        console.print(f"\nwords that give a class away ({baseline.replace('_', ' ')}):")
        for label, found in words.items():
            console.print(f"  {label}: " + ", ".join(f"{one['word']} ({one['pairs']})" for one in found))
    reasons = {scores["accuracy"]["reason"] for scores in report["baselines"].values()} - {None}
    for reason in sorted(reasons):
        console.print(f"! nothing could be measured: {reason}")
    for line in gate_warnings(report):
        console.print(f"! {line}")
    console.print(f"\n{report['signature']}")


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f} %"
