"""``probeta convert``: annotated sentences from one format into another."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from probeta.cli import options
from probeta.cli.common import Json, command_app, print_json, print_listed, reported, shown_target
from probeta.errors import UsageError
from probeta.formats import ReadOptions, WriteOptions, format_of
from probeta.formats.convert import Conversion, convert
from probeta.words import counted

app = command_app()


@app.command()
def command(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file or folder; - is standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="A file; - is standard output.")],
    source_format: options.SourceFormat = None,
    target_format: options.OutFormat = None,
    scheme: options.Scheme = "IOB2",
    out_scheme: Annotated[str, typer.Option(help="Tags of OUT.")] = "IOB2",
    invalid: options.Invalid = "error",
    label: options.Label = None,
    token_column: options.TokenColumn = 0,
    tag_column: options.TagColumn = 1,
    ambiguous: options.Ambiguous = "error",
    span_keys: Annotated[
        str, typer.Option(help="Keys of a span beyond start, end, label and text: error or drop.")
    ] = "error",
    split: Annotated[
        str | None, typer.Option(help="One split of a folder; all of them if not given.")
    ] = None,
    span_group: Annotated[
        str | None, typer.Option(help="Read this span group of a DocBin in place of its entities.")
    ] = None,
    regions: Annotated[
        str, typer.Option(help="Regions of Label Studio tasks: annotations or predictions.")
    ] = "annotations",
    misaligned: Annotated[
        str,
        typer.Option(help="A span that begins or ends inside a token of OUT: split the token, error, drop."),
    ] = "split",
    language: options.TokenLanguage = None,
    out_span_group: Annotated[
        str | None, typer.Option(help="Repeat the entities of a DocBin in this span group.")
    ] = None,
    out_regions: Annotated[
        str, typer.Option(help="Write Label Studio regions as annotations or as predictions.")
    ] = "annotations",
    replace: options.ReplaceFile = False,
    as_json: Json = False,
) -> None:
    """Convert annotated sentences between formats, and list what the new one could not hold.

    Example: probeta convert dev.conll dev.jsonl
    """
    with reported(as_json=as_json):
        if as_json and target == "-":
            raise UsageError("--json and OUT - both want standard output; name a file")
        reading = ReadOptions(
            scheme=scheme,
            invalid=invalid,
            label=label,
            token_column=token_column,
            tag_column=tag_column,
            ambiguous=ambiguous,
            span_keys=span_keys,
            split=split,
            span_group=span_group,
            regions=regions,
        )
        writing = WriteOptions(
            scheme=out_scheme,
            language=language,
            misaligned=misaligned,
            span_group=out_span_group,
            regions=out_regions,
        )
        options.refuse_foreign(reading, source_format or format_of(source))
        options.refuse_foreign(writing, target_format or format_of(target, writing=True))
        done = convert(
            source,
            target,
            source_format=source_format,
            target_format=target_format,
            reading=reading,
            writing=writing,
            replace=replace,
        )
        if as_json:
            print_json(_as_json(done, target))
        _print(done, target)


def _as_json(done: Conversion, target: str) -> dict[str, object]:
    return {
        "out": target,
        "from": done.source_format,
        "to": done.target_format,
        "counts": {
            "sentences": done.written.sentences,
            "spans": done.written.spans,
            "invalid_tags": done.read.invalid_tags,
        },
        "warnings": [fault.to_json() for fault in done.read.warnings],
        "lost": [fault.to_json() for fault in done.written.lost],
    }


def _print(done: Conversion, target: str) -> None:
    """What happened, on stderr: OUT may be standard output."""
    print_listed("read with a doubt", done.read.warnings)
    print_listed(f"not held by {done.target_format}", done.written.lost)
    if done.read.invalid_tags:
        print(f"invalid tags in IN: {done.read.invalid_tags}", file=sys.stderr)
    print(
        f"{shown_target(target)}: {counted(done.written.sentences, 'sentence')}, "
        f"{counted(done.written.spans, 'span')} ({done.target_format})",
        file=sys.stderr,
    )
