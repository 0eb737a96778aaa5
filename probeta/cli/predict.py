"""``probeta predict``: recall on an outside corpus from recall per cell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probeta.cli import options
from probeta.cli.common import Json, command_app, print_json, reported

if TYPE_CHECKING:
    from probeta.evaluation.predict import CorpusPrediction, Prediction

app = command_app()

#: Cells listed for people, those with most spans; a corpus may have hundreds.
_SHOWN_CELLS = 20


@app.command()
def command(
    recalls: Annotated[
        Path, typer.Option(help="A table: system, any attributes (blank: any value), n, recall (0 to 1).")
    ],
    corpus: Annotated[
        list[str],
        typer.Option(
            metavar="[NAME=]FILE", help="An annotated corpus, or a table of span attributes; may repeat."
        ),
    ],
    label: Annotated[str | None, typer.Option(help="Only spans with this label.")] = None,
    true: Annotated[
        Path | None,
        typer.Option(help="A table: system, recall, perhaps f1, and corpus where there are several."),
    ] = None,
    shrink: Annotated[
        str | None, typer.Option(help="Shrink small cells: margins. Off by default; proves itself by --true.")
    ] = None,
    no_ambiguity: options.NoAmbiguity = False,
    no_adjacency: options.NoAdjacency = False,
    spelling: options.Spelling = "strict",
    ambiguity: options.Ambiguity = "wspanish",
    language: options.RuleLanguage = None,
    split: options.Split = None,
    scheme: options.Scheme = "IOB2",
    invalid: options.Invalid = "error",
    token_column: options.TokenColumn = 0,
    tag_column: options.TagColumn = 1,
    as_json: Json = False,
) -> None:
    """Predict recall on a corpus that the systems have not seen, cell by cell.

    A span whose cell is not in the table follows a stated fallback: quotes on one side count as none;
    lower casing as standard, other casing as span_title; a cell that is missing is looked up at position
    mid; else a coarser row stands in (that of a casing, say), or all cells together. Each is listed.

    Example: probeta predict --recalls cells.csv --corpus dev.conll --label ENG --true true.csv
    """
    with reported(as_json=as_json):
        from probeta.evaluation.files import named_files
        from probeta.evaluation.predict import SpanOptions
        from probeta.evaluation.predict_files import Files, Request, predict_files
        from probeta.formats import ReadOptions

        found = predict_files(
            Files(recalls=recalls, corpora=named_files(corpus, what="corpora"), true=true),
            Request(
                spans=SpanOptions(
                    label=label,
                    language=language,
                    spelling=spelling,
                    ambiguity=None if no_ambiguity else ambiguity,
                    adjacency=not no_adjacency,
                ),
                reading=ReadOptions(
                    scheme=scheme,
                    invalid=invalid,
                    label=label,
                    token_column=token_column,
                    tag_column=tag_column,
                ),
                split=split,
                shrink=shrink,
            ),
        )
        if as_json:
            print_json(found.to_json())
        else:
            print_prediction(found)


def print_prediction(found: Prediction) -> None:
    """The layout of the paper's Table 6, with intervals, then the unseen cells of each corpus."""
    from probeta.cli.tabular import print_table

    names = list(dict.fromkeys(name for corpus in found.corpora for name in corpus.systems))
    columns: list[list[str]] = [["system", *names]]
    for corpus in found.corpora:
        columns += _corpus_columns(corpus, names)
    header, *rows = zip(*columns, strict=True)
    print_table("Predicted recall (percent)", header, rows)
    if any(corpus.true for corpus in found.corpora):
        _print_agreement(found)
    for corpus in found.corpora:
        _print_unseen(corpus)
    if found.shrinkage is not None:
        _print_shrinkage(found)
    print(f"\n{found.signature}")


def _corpus_columns(corpus: CorpusPrediction, names: list[str]) -> list[list[str]]:
    """Predicted recall with interval and rank, then what is known of the truth with its ranks."""
    from probeta.cli.tabular import percent, ranged

    ranks = corpus.ranks()

    def ranked(kind: str, title: str) -> list[str]:
        return [title, *("" if (rank := ranks[kind].get(name)) is None else f"#{rank}" for name in names)]

    systems = [corpus.systems[name] for name in names]
    columns = [
        [f"{corpus.name} predicted", *(percent(one.predicted) for one in systems)],
        ["95 %", *(ranged(one.interval) for one in systems)],
    ]
    several = len(names) > 1
    if several:
        columns.append(ranked("predicted", "rank"))
    true = [corpus.true.get(name) for name in names]
    if "true" in ranks:
        columns.append(["true R", *(percent(one.recall if one else None) for one in true)])
        columns += [ranked("true", "rank by true R")] if several else []
    if "true_f1" in ranks:
        columns.append(["true F1", *(percent(one.f1 if one else None) for one in true)])
        columns += [ranked("true_f1", "rank by true F1")] if several else []
    return columns


def _print_agreement(found: Prediction) -> None:
    from probeta.cli.tabular import percent, print_table

    rows = []
    for corpus in found.corpora:
        measures = corpus.agreement()
        shown = [
            "-" if measures[name].value is None else f"{measures[name].value:.4f}"
            for name in ("pearson", "spearman")
        ]
        hits, known = corpus.inside()
        f1 = corpus.spearman_f1().value
        rows.append(
            [
                corpus.name,
                *shown,
                "-" if f1 is None else f"{f1:.4f}",
                percent(measures["mean_absolute_error"].value),
                f"{hits} of {known}",
            ]
        )
    if len(found.corpora) > 1:
        medians = found.medians()
        rows.append(
            [
                "median",
                *(
                    "-" if medians[name] is None else f"{medians[name]:.4f}"
                    for name in ("pearson", "spearman")
                ),
                "",
                percent(medians["mean_absolute_error"]),
                "",
            ]
        )
    header = ["corpus", "Pearson", "Spearman", "Spearman with F1", "mean abs. error", "true in interval"]
    print_table("Predicted against true", header, rows)
    for corpus in found.corpora:
        for name, measure in corpus.agreement().items():
            if measure.reason:
                print(f"{corpus.name}, {name}: {measure.reason}")


def _print_unseen(corpus: CorpusPrediction) -> None:
    from probeta.cli.tabular import print_table

    groups: dict[tuple[tuple[str, int, str], ...], list[str]] = {}
    for name, one in corpus.systems.items():
        key = tuple((" ".join(cell.values.values()), cell.spans, cell.fallback) for cell in one.unseen)
        groups.setdefault(key, []).append(name)
    for cells, systems in groups.items():
        total = corpus.systems[systems[0]].spans
        count = sum(number for _, number, _ in cells)
        whose = "" if len(groups) == 1 else f" of {', '.join(systems)}"
        title = f"{corpus.name}: {count} of {total} spans are in cells not seen{whose}"
        if cells:
            rows = [[values, fallback, str(number)] for values, number, fallback in cells[:_SHOWN_CELLS]]
            print_table(title, ["cell", "fallback", "spans"], rows, words=2)
            if rest := cells[_SHOWN_CELLS:]:
                spans = sum(number for _, number, _ in rest)
                print(f"and {len(rest)} cells more with {spans} spans: --json lists all")


def _print_shrinkage(found: Prediction) -> None:
    from probeta.cli.tabular import percent

    shrinkage = found.shrinkage
    if shrinkage is None:
        return
    print(f"\nShrunk: {shrinkage.estimator}, weight {shrinkage.weight:g}")
    if shrinkage.falls is not None:
        verdict = "falls" if shrinkage.falls else "does not fall"
        print(
            f"Mean absolute error: {percent(shrinkage.error_without)} without, "
            f"{percent(shrinkage.error_with)} with, {percent(shrinkage.error_cross_validated)} "
            f"cross-validated over systems: it {verdict}"
        )
