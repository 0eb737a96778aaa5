"""``probeta adjudicate``: from annotations to gold, with a ledger of what was kept and why."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from probeta.cli import options
from probeta.cli.common import Json, command_app, print_json, reported
from probeta.errors import UsageError

app = command_app()


@app.command()
def adjudicate(
    annotations: options.Answers,
    reference: Annotated[
        str | None, typer.Option(help="The item column with the original label or spans. Default: original.")
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(
            help="original_matches_votes (default with originals) or votes_agree (keep what has a winner)."
        ),
    ] = None,
    votes: Annotated[
        str, typer.Option(help="majority (more than half) or plurality (most votes, one label).")
    ] = "majority",
    ties: Annotated[
        str, typer.Option(help="drop, or keep an item whose original is among the tied labels.")
    ] = "drop",
    abstentions: Annotated[
        str, typer.Option(help="ignore, or count them among the votes that a majority is asked of.")
    ] = "ignore",
    at_least: Annotated[int, typer.Option(min=1, help="Labels that an item needs.")] = 2,
    method: Annotated[
        str | None,
        typer.Option(help="Labels: votes, weighted, dawid_skene. Spans: exact, tokens."),
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option(help="A table by this item column; may be repeated.")
    ] = None,
    items: options.Items = None,
    decisions: Annotated[
        Path | None,
        typer.Option(
            help="An annotation table of adjudicators, merged into the gold. Default: a campaign's own round."
        ),
    ] = None,
    without_decisions: Annotated[
        bool, typer.Option("--without-decisions", help="Leave the decisions of a campaign's own round out.")
    ] = False,
    conflicts: Annotated[
        str,
        typer.Option(
            help="What conflicts.jsonl holds for adjudicators, votes blinded: undecided, not_kept, disagreed."
        ),
    ] = "undecided",
    wide: options.Wide = False,
    labels: options.Labels = None,
    missing: options.Missing = None,
    fold: options.Fold = None,
    duplicates: options.Duplicates = "error",
    language: Annotated[
        str | None,
        typer.Option(help="Whose spaCy tokenizer the method tokens uses. Default: the campaign's, or es."),
    ] = None,
    resamples: options.Resamples = 1000,
    seed: options.BootstrapSeed = 0,
    item_column: options.ItemColumn = "item",
    annotator_column: options.AnnotatorColumn = "annotator",
    label_column: options.LabelColumn = "label",
    spans_column: options.SpansColumn = "spans",
    annotators: options.Annotators = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for ledger, gold and disagreements; in a campaign adjudication/ by default."
        ),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(help="A built set that gains the configs annotations and validated and both reports."),
    ] = None,
    consent: Annotated[
        str | None, typer.Option(help="How annotators agreed to publication; needed with --into.")
    ] = None,
    as_json: Json = False,
) -> None:
    """From annotations to gold: majority, ties, keep rule, and a ledger that gives every item's reason.

    Example: probeta adjudicate campaign --by genre
    """
    with reported(as_json=as_json):
        from probeta.cli.adjudication_text import lines
        from probeta.pipeline import validated
        from probeta.validation.adjudication.run import AdjudicateOptions, run

        # Asked for before anything is computed or written.
        if consent is not None and into is None:
            raise UsageError("--consent is for --into: nothing is published without it")
        agreed = None if into is None else validated.consent(consent, annotations)
        made = run(
            AdjudicateOptions(
                annotations=annotations,
                wide=wide,
                items=items,
                columns={
                    "item": item_column,
                    "annotator": annotator_column,
                    "label": label_column,
                    "spans": spans_column,
                },
                annotators=options.named(annotators, option="--annotators") or (),
                labels=options.named(labels, option="--labels"),
                missing=tuple(missing or ()),
                fold=tuple(fold or ()),
                duplicates=duplicates,
                reference=reference,
                by=tuple(by or ()),
                rule=rule,
                votes=votes,
                ties=ties,
                abstentions=abstentions,
                at_least=at_least,
                method=method,
                language=language,
                decisions=decisions,
                without_decisions=without_decisions,
                conflicts=conflicts,
                resamples=resamples,
                seed=seed,
                out=out,
            )
        )
        report = made.report | {"out": None if made.out is None else str(made.out)}
        if into is not None and agreed is not None:
            report = report | {"into": validated.into(into, made, agreed)}
        if as_json:
            print_json(report)
            return
        for line in lines(report, annotators=set(made.table.rows["annotator"])):
            print(line)
        print()
        if made.out is not None:
            print(f"written to {made.out}: {', '.join(sorted(path.name for path in made.out.iterdir()))}")
        elif into is None:
            print("nothing written; --out FOLDER writes gold, ledger and lists")
        if into is not None:
            check = f"probeta check {shlex.quote(str(into))}"
            print(f"{into} now holds the configs annotations and validated; next: {check}")
