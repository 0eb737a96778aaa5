"""``probeta attributes``: one row a span with its automatic attributes, for any corpus."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from probeta.builders.spans.attribute_table import Labelled, label_spans
from probeta.cli import options
from probeta.cli.common import Json, command_app, print_json, reported, shown_target
from probeta.errors import UsageError
from probeta.formats import ReadOptions, format_of
from probeta.words import counted

app = command_app()


@app.command()
def command(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="An annotated file or built set; - is standard input.")
    ],
    out: Annotated[
        str, typer.Option(help="A .csv, .tsv, .parquet or .jsonl file; - is CSV on standard output.")
    ] = "-",
    no_ambiguity: options.NoAmbiguity = False,
    no_adjacency: options.NoAdjacency = False,
    no_spelling: Annotated[
        bool, typer.Option("--no-spelling", help="Leave spelling out, and out of the type.")
    ] = False,
    spelling: options.Spelling = "strict",
    ambiguity: options.Ambiguity = "wspanish",
    language: options.RuleLanguage = None,
    source_format: options.SourceFormat = None,
    scheme: options.Scheme = "IOB2",
    invalid: options.Invalid = "error",
    label: options.Label = None,
    token_column: options.TokenColumn = 0,
    tag_column: options.TagColumn = 1,
    replace: options.ReplaceFile = False,
    as_json: Json = False,
) -> None:
    """Write one row a span with its length, position, quotes, casing, adjacency, spelling, ambiguity, type.

    Each word that the spelling rules reject is named with the rule's code (`spelling_reasons`), each
    ambiguous word with the entry of the word list that it inflects (`ambiguous_words`).

    Example: probeta attributes dev.conll --out spans.csv
    """
    with reported(as_json=as_json):
        if no_spelling and spelling != "strict":
            raise UsageError("--spelling and --no-spelling cannot stand together")
        if no_ambiguity and ambiguity != "wspanish":
            raise UsageError("--ambiguity and --no-ambiguity cannot stand together")
        reading = ReadOptions(
            scheme=scheme,
            invalid=invalid,
            label=label,
            token_column=token_column,
            tag_column=tag_column,
        )
        options.refuse_foreign(reading, source_format or format_of(source))
        done = label_spans(
            source,
            out=None if as_json and out == "-" else out,
            language=language,
            spelling=None if no_spelling else spelling,
            ambiguity=None if no_ambiguity else ambiguity,
            adjacency=not no_adjacency,
            format=source_format,
            reading=reading,
            replace=replace,
        )
        if as_json:
            print_json(_as_json(done, out))
        _print(done, out)


def _as_json(done: Labelled, out: str) -> dict[str, object]:
    result: dict[str, object] = {
        "out": out,
        "counts": {
            "sentences": done.read.sentences,
            "spans": done.read.spans,
            "invalid_tags": done.read.invalid_tags,
        },
        "attributes": done.counts,
        "spelling": done.spelling,
        "ambiguity": done.ambiguity,
        "signature": done.signature,
        "warnings": [fault.to_json() for fault in done.read.warnings],
    }
    if out == "-":
        result["rows"] = done.rows
    return result


def _print(done: Labelled, out: str) -> None:
    """What was counted, on stderr: the table may be standard output."""
    for fault in done.read.warnings:
        print(f"read with a doubt: {fault}", file=sys.stderr)
    for name, counts in done.counts.items():
        if counts:
            values = ", ".join(f"{value} {count}" for value, count in counts.most_common())
            print(f"{name:<10} {values}", file=sys.stderr)
    print(
        f"{shown_target(out)}: {counted(done.read.spans, 'span')} "
        f"of {counted(done.read.sentences, 'sentence')}",
        file=sys.stderr,
    )
    print(done.signature, file=sys.stderr)
