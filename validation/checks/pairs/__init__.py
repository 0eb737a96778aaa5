"""The checks of a built pair set: every promise of its recipe, proved on the rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from probeta.builders.pairs.phrases import Matcher, read_phrases
from probeta.errors import Fault
from probeta.recipe import PairRecipe
from probeta.validation.checks.pairs.derived import funnel_faults, stress_faults
from probeta.validation.checks.pairs.loaded import NEUTRAL, Rows, Stream, load, place
from probeta.validation.checks.pairs.rows import id_faults, linking_faults, neutral_faults, row_faults
from probeta.validation.checks.pairs.sets import balance_faults, corpus_faults, duplicate_faults, leak_faults

#: Cells that no pair may have empty.
FILLED = ("id", "sentence_1", "sentence_2", "connector_type", "dataset", "document")


def pair_faults(folder: Path, recipe: PairRecipe) -> Iterator[Fault]:
    """Every fault of a pair set, files and card aside.

    In the order: schemas, rows, ids, classes and balance, leaks, duplicates, neutral pairs, stress sets,
    funnel. Raises a DataError where a config or a column is missing, since nothing else could be read.
    """
    tables = load(folder, recipe)
    phrases = read_phrases(folder / "build" / recipe.pairs.phrases, name=f"build/{recipe.pairs.phrases}")
    rows: Rows = {split: Stream(table) for (config, split), table in tables.items() if config == "pairs"}
    matcher = Matcher(phrases)
    seen: dict[int, tuple[str, int]] = {}
    for split, found in rows.items():
        for number, row in enumerate(found):
            at = place("pairs", split, number)
            if empty := [column for column in FILLED if not (row[column] or "").strip()]:
                yield Fault(**{**at, "column": empty[0]}, code="empty", message="the cell is empty")
                continue
            yield from row_faults(row, at, recipe)
            yield from id_faults(row, at, split, number, seen)
            if row["connector_type"] == NEUTRAL:
                yield from neutral_faults(row, at, recipe)
            else:
                yield from linking_faults(row, at, matcher)
    yield from balance_faults(rows, recipe, phrases)
    yield from leak_faults(rows)
    yield from duplicate_faults(rows, dedupe=recipe.pairs.filters.dedupe)
    yield from corpus_faults(rows, folder, recipe)
    for name in recipe.pairs.stress:
        if "test" in rows:
            yield from stress_faults(name, tables, list(rows["test"]), folder, recipe)
    yield from funnel_faults(folder, rows, recipe.card.hold_back)
