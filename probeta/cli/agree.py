"""``probeta agree``: agreement between annotators, with intervals and reasons."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probeta.cli import options
from probeta.cli.common import Json, command_app, print_json, reported

app = command_app()


@app.command()
def agree(
    annotations: options.Answers,
    wide: options.Wide = False,
    items: options.Items = None,
    by: Annotated[
        list[str] | None, typer.Option(help="Break down by this item column; may be repeated.")
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            help="The item column with the original label, as one more coder; a campaign's own by default."
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="Resample whole groups of this item column; 'item' for none. Default: base_id."),
    ] = None,
    labels: options.Labels = None,
    level: Annotated[
        str, typer.Option(help="nominal, ordinal, interval or ratio, or a table of distances (.csv).")
    ] = "nominal",
    weights: Annotated[
        str | None,
        typer.Option(
            help="Of weighted kappa and AC2: identity, linear, quadratic, radical, ordinal, ratio, or a .csv."
        ),
    ] = None,
    missing: options.Missing = None,
    fold: options.Fold = None,
    duplicates: options.Duplicates = "error",
    interval: Annotated[str, typer.Option(help="bootstrap, two_way, analytic or none.")] = "bootstrap",
    resamples: options.Resamples = 1000,
    seed: options.BootstrapSeed = 0,
    confidence: Annotated[float, typer.Option(min=0.5, max=0.999, help="Of the intervals.")] = 0.95,
    item_column: options.ItemColumn = "item",
    annotator_column: options.AnnotatorColumn = "annotator",
    label_column: options.LabelColumn = "label",
    spans_column: options.SpansColumn = "spans",
    annotators: options.Annotators = None,
    language: Annotated[
        str | None,
        typer.Option(help="Whose spaCy tokenizer token kappa uses (spans). Default: the campaign's, or es."),
    ] = None,
    scheme: Annotated[str, typer.Option(help="Tags of token kappa: IO or IOB2 (spans).")] = "IO",
    gamma: Annotated[
        bool, typer.Option("--gamma", help="Also gamma, a document at a time (spans; needs probeta[gamma]).")
    ] = False,
    cross_check: Annotated[
        bool,
        typer.Option(
            "--cross-check",
            help="Compare with krippendorff, scikit-learn, statsmodels and nltk, where they are right.",
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the report here; for a campaign folder reports/agreement.json by default."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Agreement between annotators: coefficients with intervals, or the reason why there is none.

    Example: probeta agree answers.csv --wide --labels contrasting,entailment,neutral,reasoning
    """
    with reported(as_json=as_json):
        from probeta.validation.agreement.run import AgreeOptions, run

        report = run(
            AgreeOptions(
                annotations=annotations,
                wide=wide,
                items=items,
                by=tuple(by or ()),
                reference=reference,
                cluster=cluster,
                labels=options.named(labels, option="--labels"),
                level=level,
                weights=weights,
                missing=tuple(missing or ()),
                fold=tuple(fold or ()),
                duplicates=duplicates,
                method=interval,
                resamples=resamples,
                seed=seed,
                confidence=confidence,
                columns={
                    "item": item_column,
                    "annotator": annotator_column,
                    "label": label_column,
                    "spans": spans_column,
                },
                annotators=options.named(annotators, option="--annotators") or (),
                language=language,
                scheme=scheme,
                gamma=gamma,
                cross_check=cross_check,
                out=out,
            )
        )
        if as_json:
            print_json(report)
            return
        from probeta.cli.agreement_text import lines

        for line in lines(report):
            print(line)
