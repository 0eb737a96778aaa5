"""``probeta score``: systems against a gold, under a named protocol."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probeta.cli import options
from probeta.cli.common import Json, command_app, print_json, reported
from probeta.progress import say

if TYPE_CHECKING:
    from probeta.evaluation.evaluate import SpanEvaluation
    from probeta.evaluation.evaluate_pairs import PairEvaluation
    from probeta.evaluation.protocol import Protocol

app = command_app()


@app.command()
def command(
    context: typer.Context,
    gold: Annotated[Path, typer.Argument(help="The gold: a built set, or any annotated file.")],
    predictions: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME=]PRED...", help="Files of predictions; the system is called NAME."),
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(help="strict, nli, adobo2025, a bundled recipe's name, or a file: what is compared."),
    ] = None,
    gold_column: Annotated[int, typer.Option(min=0, help="CoNLL: column of the gold tags, from 0.")] = 1,
    pred_column: Annotated[
        list[int] | None,
        typer.Option(min=0, help="CoNLL: columns of tags in GOLD itself, one a system; may repeat."),
    ] = None,
    token_column: options.TokenColumn = 0,
    scheme: options.Scheme = "IOB2",
    pred_scheme: Annotated[
        str | None, typer.Option(help="Tags of the predictions, if they differ from the gold's.")
    ] = None,
    invalid: options.Invalid = "error",
    label: options.Label = None,
    ambiguous: options.Ambiguous = "error",
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="Attributes in place of the protocol's: with commas one at a time, crossed with colons; "
            "may repeat."
        ),
    ] = None,
    match: Annotated[
        list[str] | None,
        typer.Option(help="Further matches, with commas: untyped, exact, partial, type (SemEval 2013)."),
    ] = None,
    paired: Annotated[
        list[str] | None,
        typer.Option(help="ATTRIBUTE=VALUE: the same sentences with every other value against this one."),
    ] = None,
    scenario: Annotated[
        str | None, typer.Option(help="Who is best there, for instance quotes=without,casing=lower.")
    ] = None,
    where: Annotated[
        str | None, typer.Option(help="Score only these items, for instance casing=standard|lower.")
    ] = None,
    seen: Annotated[
        str | None, typer.Option(help="Pairs: the corpora that the systems were trained on, with commas.")
    ] = None,
    split: options.Split = None,
    attributes: Annotated[
        Path | None, typer.Option(help="A table of span attributes, as `probeta attributes` writes it.")
    ] = None,
    language: options.RuleLanguage = None,
    examples: Annotated[
        int,
        typer.Option(
            min=0,
            help="Show N hits, misses and spurious spans; of pairs N right and N wrong ones of each class.",
        ),
    ] = 0,
    samples: Annotated[int, typer.Option(min=1, help="Bootstrap samples.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap and of the examples.")] = 0,
    gold_format: Annotated[
        str | None, typer.Option(help="The gold's format, if its ending does not tell.")
    ] = None,
    pred_format: Annotated[
        str | None, typer.Option(help="The predictions' format, if their endings do not tell.")
    ] = None,
    pred_regions: Annotated[
        str, typer.Option(help="Label Studio: a system's regions are annotations or predictions.")
    ] = "annotations",
    out: Annotated[
        Path | None,
        typer.Option(help="A folder for reports/scores.json and scores.svg; may be the built set."),
    ] = None,
    cells: Annotated[
        Path | None, typer.Option(help="A CSV of recall per cell, for `probeta predict --recalls`.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Score systems: counts first, scores from counts, with intervals, by any attribute.

    Example: probeta score gold.jsonl crf=crf.jsonl beto=beto.jsonl --by casing,quotes --by casing:quotes
    """
    with reported(as_json=as_json):
        from probeta.errors import UsageError
        from probeta.evaluation.files import named_files
        from probeta.evaluation.protocol import load_protocol

        systems = named_files(predictions or [], what="systems")
        if bool(systems) == bool(pred_column):
            raise UsageError("name files of predictions, or with --pred-column columns of GOLD")
        chosen = load_protocol(protocol or _default_protocol(gold))
        _refuse(context, chosen)
        crossings = _listed(by)
        if chosen.kind == "pairs":
            _pairs(chosen, gold, systems, crossings, seen, split, samples, seed, examples, out, as_json)
            return
        from probeta.cli.score_tables import print_spans
        from probeta.evaluation.evaluate import Files, Request, evaluate_spans
        from probeta.evaluation.read import only_test
        from probeta.evaluation.report import write_cells
        from probeta.formats import ReadOptions

        found = evaluate_spans(
            Files(
                gold=gold,
                systems=systems,
                columns={f"column {column}": column for column in pred_column or ()},
                gold_format=gold_format,
                system_format=pred_format,
                attributes=attributes,
            ),
            chosen,
            Request(
                options=ReadOptions(
                    scheme=scheme,
                    invalid=invalid,
                    label=label,
                    ambiguous=ambiguous,
                    token_column=token_column,
                    tag_column=gold_column,
                    split=split or only_test(gold),
                ),
                system_scheme=pred_scheme,
                system_regions=pred_regions,
                matches=_listed(match),
                by=crossings,
                contrasts=paired or (),
                scenario=scenario,
                where=where,
                samples=samples,
                seed=seed,
                examples=examples,
                language=language,
            ),
        )
        _warn(found.warnings())
        if cells is not None:
            write_cells(cells, found, by=crossings)
            say(f"written: {cells}")
        _written(found, out, crossings)
        if as_json:
            print_json(found.to_json())
        else:
            print_spans(found)


#: What says how spans stand in a file, or what is counted of spans: nothing to pairs of sentences.
_SPANS_ONLY = (
    "gold_column",
    "pred_column",
    "token_column",
    "scheme",
    "pred_scheme",
    "invalid",
    "label",
    "ambiguous",
    "match",
    "paired",
    "scenario",
    "where",
    "attributes",
    "language",
    "gold_format",
    "pred_format",
    "pred_regions",
    "cells",
)
#: Kind of protocol -> options that it can do nothing with.
_NOT_FOR = {"spans": ("seen",), "pairs": _SPANS_ONLY, "strings": ("pred_column", "match", "seen")}


def _refuse(context: typer.Context, protocol: Protocol) -> None:
    """A UsageError where an option was given that would be ignored."""
    from probeta.errors import UsageError

    ignored = [
        f"--{name.replace('_', '-')}"
        for name in _NOT_FOR[protocol.kind]
        if (source := context.get_parameter_source(name)) is not None and source.name != "DEFAULT"
    ]
    if ignored:
        raise UsageError(
            f"the protocol {protocol.name} compares {protocol.kind}, which {', '.join(ignored)} cannot work on"
        )


def _listed(entries: list[str] | None) -> list[str]:
    """The parts of an option that may repeat and takes commas."""
    return [part.strip() for entry in entries or () for part in entry.split(",") if part.strip()]


def _default_protocol(gold: Path) -> str:
    """``nli`` for a built set of pairs, else ``strict``."""
    from probeta.builtset import configs

    return "nli" if gold.is_dir() and "pairs" in configs(gold) else "strict"


def _pairs(
    protocol: Protocol,
    gold: Path,
    systems: dict[str, Path],
    by: list[str],
    seen: str | None,
    split: str | None,
    samples: int,
    seed: int,
    examples: int,
    out: Path | None,
    as_json: bool,
) -> None:
    from probeta.cli.score_tables import print_pairs
    from probeta.evaluation.evaluate_pairs import evaluate_pairs

    found = evaluate_pairs(
        gold,
        systems,
        protocol,
        by=by,
        seen=options.listed(seen),
        split=split,
        samples=samples,
        seed=seed,
        examples=examples,
    )
    _warn(found.warnings())
    _written(found, out, by)
    if as_json:
        print_json(found.to_json())
    else:
        print_pairs(found)


def _warn(warnings: list[str]) -> None:
    for warning in warnings:
        say(f"! {warning}")


def _written(found: SpanEvaluation | PairEvaluation, out: Path | None, by: list[str]) -> None:
    """Write the report where one is asked for, and say what was written."""
    from probeta.pipeline.scored import write_scores

    if out is not None:
        say(f"written to {out}: {', '.join(write_scores(out, found, by=by))}")
