"""Options that several commands share, declared once: how files are read, and how annotations are laid out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probeta.errors import UsageError
from probeta.formats import FORMATS, ReadOptions, WriteOptions, foreign

# Which formats files of sentences are in.
SourceFormat = Annotated[
    str | None,
    typer.Option("--from", help=f"The format of IN, if its ending does not tell: {', '.join(FORMATS)}."),
]
OutFormat = Annotated[
    str | None,
    typer.Option(
        "--to",
        help="The format of OUT, if its ending does not tell: "
        f"{', '.join(name for name, known in FORMATS.items() if known.writes)}.",
    ),
]

# How a file of sentences is read.
Scheme = Annotated[str, typer.Option(help="Tags that are read: IOB1, IOB2, IOBES or BILOU; never guessed.")]
Invalid = Annotated[
    str, typer.Option(help="Tag sequences that the scheme forbids: error, conlleval or discard.")
]
Label = Annotated[
    str | None, typer.Option(help="The label of spans without one (bare B and I tags, ADoBo CSV).")
]
TokenColumn = Annotated[int, typer.Option(min=0, help="CoNLL: column of the tokens, from 0.")]
TagColumn = Annotated[int, typer.Option(min=0, help="CoNLL: column of the tags, from 0.")]
Ambiguous = Annotated[
    str, typer.Option(help="A span string of an ADoBo CSV that fits several places: error or first.")
]
Split = Annotated[
    str | None, typer.Option(help="One split of a built set; test by default, if there is one.")
]

ReplaceFile = Annotated[bool, typer.Option("--replace", help="Write OUT anew where it exists.")]

# How spans get their automatic attributes.
NoAmbiguity = Annotated[
    bool, typer.Option("--no-ambiguity", help="Leave ambiguity out, and out of the type.")
]
NoAdjacency = Annotated[bool, typer.Option("--no-adjacency", help="Leave adjacency out of length and type.")]
Spelling = Annotated[
    str, typer.Option(metavar="FAMILY", help="Spelling rules: strict or lenient, options as +no_ze.")
]
Ambiguity = Annotated[
    str, typer.Option(metavar="LIST", help="Word list: wspanish, or wspanish_entries uninflected.")
]
RuleLanguage = Annotated[
    str | None,
    typer.Option("--language", help="Whose rules and lists; if not given, a built set's own, else es."),
]

# How texts without tokens get them.
TokenLanguage = Annotated[
    str | None,
    typer.Option(
        "--language",
        help="The tokenizer's, where IN gives no tokens; if not given, a built set's own, else es.",
    ),
]

# What was annotated, and how the table of answers is laid out.
Answers = Annotated[
    Path, typer.Argument(help="A campaign folder, or the table as .parquet, .jsonl, .csv, .tsv or .xlsx.")
]
Wide = Annotated[bool, typer.Option("--wide", help="One row an item, one column an annotator.")]
Items = Annotated[
    Path | None, typer.Option(help="Item columns: a built set, or a table with a column item or id.")
]
Labels = Annotated[str | None, typer.Option(help="The declared label set in its order, separated by commas.")]
Missing = Annotated[
    list[str] | None,
    typer.Option(help="A token that means no label, as an empty cell does with --wide; may be repeated."),
]
Fold = Annotated[
    list[str] | None, typer.Option(help="Read one label as another: written=meant; may be repeated.")
]
Duplicates = Annotated[
    str, typer.Option(help="An annotator's second answer to an item: error, first or last counts.")
]
ItemColumn = Annotated[str, typer.Option(help="The item column of the table.")]
AnnotatorColumn = Annotated[str, typer.Option(help="The annotator column (long form).")]
LabelColumn = Annotated[str, typer.Option(help="The label column (long form).")]
SpansColumn = Annotated[str, typer.Option(help="The column of spans (long form).")]
Annotators = Annotated[
    str | None, typer.Option(help="The annotators' columns (wide form), separated by commas.")
]
Resamples = Annotated[int, typer.Option(min=100, help="Bootstrap samples.")]
BootstrapSeed = Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.")]


def named(text: str | None, *, option: str) -> tuple[str, ...] | None:
    """The names of an option that takes several, separated by commas, each once; None where it is not given.

    >>> named("a, b", option="--labels")
    ('a', 'b')
    """
    if text is None:
        return None
    names = tuple(part.strip() for part in text.split(","))
    if "" in names:
        raise UsageError(f"{option} {text!r}: a name is empty; names are separated by one comma")
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{option} {text!r}: {name} stands twice")
    return names


#: The options of ``WriteOptions`` whose plain name is taken by what is read.
_OUT = {"scheme": "out-scheme", "span_group": "out-span-group", "regions": "out-regions"}


def refuse_foreign(options: ReadOptions | WriteOptions, format: str) -> None:
    """Raise a UsageError for options that were given though they say nothing to the format of the file."""
    reading = isinstance(options, ReadOptions)
    side = "IN" if reading else "OUT"
    told = [
        f"--{_OUT.get(name, name.replace('_', '-')) if not reading else name.replace('_', '-')} concerns "
        f"{' and '.join(formats)}"
        for name, formats in foreign(options, format).items()
    ]
    if told:
        raise UsageError(f"{side} is {format}: {', '.join(told)}")


def listed(text: str | None) -> tuple[str, ...] | None:
    """The words of an option that takes several, separated by commas; None where it is not given.

    >>> listed("a, b,"), listed(None)
    (('a', 'b'), None)
    """
    return None if text is None else tuple(part.strip() for part in text.split(",") if part.strip())
