"""``probeta perturb``: the configurations of casing and quotes, and other perturbations, over any file."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probeta.builders.spans.casing import CASINGS
from probeta.builders.spans.perturb import QUOTES, Policies, perturbed, refuse_idle
from probeta.builders.spans.perturb_file import Perturbed, perturb_file
from probeta.builders.spans.registry import BUILT_IN, Registry
from probeta.cli import options
from probeta.cli.common import Json, command_app, print_json, print_listed, reported, shown_target
from probeta.errors import UsageError
from probeta.formats import ReadOptions, WriteOptions, format_of, read_sentences
from probeta.records import Sentence
from probeta.words import counted

if TYPE_CHECKING:
    from rich.text import Text

app = command_app()

_OPERATIONS = ", ".join(cls.name for cls in BUILT_IN if cls.name not in ("casing", "quotes"))


@app.command()
def command(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="An annotated file or built set; - is standard input.")
    ],
    out: Annotated[str | None, typer.Option(help="The file to write; - is standard output.")] = None,
    casing: Annotated[
        list[str] | None, typer.Option(help=f"With commas, or repeated; all if none: {', '.join(CASINGS)}.")
    ] = None,
    quotes: Annotated[
        list[str] | None, typer.Option(help=f"With commas, or repeated; both if none: {', '.join(QUOTES)}.")
    ] = None,
    quote_style: Annotated[
        str,
        typer.Option(
            help="Quotation marks: curly “ ” ‘ ’, straight \" ', guillemets « » “ ”, german „ “ ‚ ‘, "
            "romanian „ ” « »."
        ),
    ] = "curly",
    nested_style: Annotated[
        str, typer.Option(help="Inside a quotation: the style's next free level (auto), or its single marks.")
    ] = "auto",
    existing_quotes: Annotated[
        str,
        typer.Option(
            help="A pair exactly around a span: strip it for `without`, keep it there too, or also convert "
            "it to the style for `with`."
        ),
    ] = "strip",
    title_rest: Annotated[
        str, typer.Option(help="The rest of a capitalised word: keep (NBA) or lower (Nba).")
    ] = "keep",
    hyphens: Annotated[
        str, typer.Option(help="Capitals of a hyphenated word: first (E-mail) or every (E-Mail).")
    ] = "first",
    span_words: Annotated[
        str, typer.Option(help="Words that `span_title` capitalises in a span: every or first.")
    ] = "every",
    locale: Annotated[
        str, typer.Option(help="Language of the case mappings: und, or tr and az for their two letters i.")
    ] = "und",
    operation: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[:KEY=VALUE,...]",
            help=f"A further perturbation, alone; may repeat: {_OPERATIONS}, or one of a plugin. "
            "Without --casing and --quotes no configurations are written.",
        ),
    ] = None,
    plugin: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE.py", help="A file that defines perturbations; it is run."),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="For perturbations that draw; the draw follows from it and the id.")
    ] = 0,
    show: Annotated[
        int | None,
        typer.Option(min=1, help="Write nothing; show the first sentences beside their variants."),
    ] = None,
    source_format: options.SourceFormat = None,
    out_format: options.OutFormat = None,
    scheme: options.Scheme = "IOB2",
    invalid: options.Invalid = "error",
    label: options.Label = None,
    token_column: options.TokenColumn = 0,
    tag_column: options.TagColumn = 1,
    ambiguous: options.Ambiguous = "error",
    language: options.TokenLanguage = None,
    replace: options.ReplaceFile = False,
    as_json: Json = False,
) -> None:
    """Write every sentence in twelve configurations, six casings with and without quotation marks.

    Spans keep their number and order and stand where their text went. The id of IN becomes `base_id`.

    Example: probeta perturb dev.conll --out dev-perturbed.jsonl --quote-style straight
    """
    with reported(as_json=as_json):
        if (out is None) == (show is None):
            raise UsageError("name a file to write, --out OUT, or see some sentences, --show 3; not both")
        if as_json and (out is None or out == "-"):
            raise UsageError("--json needs --out and a file: standard output holds the JSON object")
        registry = Registry(plugins=plugin or ())
        operations = [registry.parse(text) for text in operation or ()]
        grid = {"casing": _words(casing) or list(CASINGS), "quotes": _words(quotes) or list(QUOTES)}
        policies = Policies.of(
            {
                "quote_style": quote_style,
                "nested_style": nested_style,
                "existing_quotes": existing_quotes,
                "title_rest": title_rest,
                "hyphens": hyphens,
                "span_words": span_words,
                "locale": locale,
            }
        ).chosen()
        if operations and not casing and not quotes:
            grid = {}
        refuse_idle(policies, grid)
        if seed and not any(operation.seeded for operation in operations):
            raise UsageError("--seed concerns operations that draw, such as keyboard_typo; none is asked for")
        if idle := registry.unused([*grid, *(operation.name for operation in operations)]):
            raise UsageError(f"--plugin: {', '.join(idle)} is never asked for; name it with --operation")
        reading = ReadOptions(
            scheme=scheme,
            invalid=invalid,
            label=label,
            token_column=token_column,
            tag_column=tag_column,
            ambiguous=ambiguous,
        )
        writing = WriteOptions(language=language)
        options.refuse_foreign(reading, source_format or format_of(source))
        if out is None:
            if out_format or replace or writing != WriteOptions():
                raise UsageError("--to, --language and --replace are about OUT, and --show writes nothing")
            bases = itertools.islice(read_sentences(source, format=source_format, options=reading), show)
            for base in bases:
                rows = perturbed(
                    [base], grid=grid, policies=policies, operations=operations, registry=registry, seed=seed
                )
                _show(base, list(rows))
            return
        options.refuse_foreign(writing, out_format or format_of(out, writing=True))
        done = perturb_file(
            source,
            out,
            grid=grid,
            policies=policies,
            operations=operations,
            registry=registry,
            seed=seed,
            source_format=source_format,
            out_format=out_format,
            reading=reading,
            writing=writing,
            replace=replace,
        )
        if as_json:
            print_json(_as_json(done, out))
        _print(done, out)


def _words(given: list[str] | None) -> list[str]:
    """The words of an option that takes several, each time with commas between them."""
    return [word for text in given or () for word in options.listed(text) or ()]


def _as_json(done: Perturbed, out: str) -> dict[str, object]:
    return {
        "out": out,
        "counts": {
            "base_sentences": done.base_sentences,
            "sentences": done.sentences,
            "spans": done.spans,
            "duplicates": done.duplicates,
        },
        "signature": done.signature,
        "warnings": [fault.to_json() for fault in done.read.warnings],
        "lost": [fault.to_json() for fault in done.written.lost],
    }


def _print(done: Perturbed, out: str) -> None:
    """What happened, on stderr: OUT may be standard output."""
    print_listed("read with a doubt", done.read.warnings)
    print_listed("not held by OUT", done.written.lost)
    print(
        f"{shown_target(out)}: {counted(done.sentences, 'sentence')}, {counted(done.spans, 'span')} "
        f"of {counted(done.base_sentences, 'base sentence')}",
        file=sys.stderr,
    )
    if done.duplicates:
        print(f"{done.duplicates} coincide with an earlier one and name it in duplicate_of", file=sys.stderr)
    print(done.signature, file=sys.stderr)


def _show(base: Sentence, rows: Sequence[Sentence]) -> None:
    """The base and, below it, its variants: spans in brackets, what changed in bold, `=` for the same."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    names = [row.id.removeprefix(f"{base.id}|") for row in rows]
    width = max(map(len, (base.id, *names)))
    console.print(Text(base.id.ljust(width), "bold cyan"), _marked(base, base))
    for name, row in zip(names, rows, strict=True):
        earlier = row.attributes["duplicate_of"]
        same = Text(f"= {str(earlier).removeprefix(f'{base.id}|')}", "dim")
        shown = same if earlier else _marked(base, row)
        console.print(Text(name.ljust(width), "cyan"), shown)
    console.print()


def _marked(base: Sentence, row: Sentence) -> Text:
    """The row's text as `_show` prints it."""
    from rich.text import Text

    changed = {
        at
        for kind, _, _, start, end in SequenceMatcher(None, base.text, row.text, autojunk=False).get_opcodes()
        if kind != "equal"
        for at in range(start, end)
    }
    shown = Text()
    for at in range(len(row.text) + 1):
        shown.append("]" * sum(span.end == at for span in row.spans), "dim")
        shown.append("[" * sum(span.start == at for span in row.spans), "dim")
        if at < len(row.text):
            shown.append(row.text[at], "bold yellow" if at in changed else "")
    return shown
