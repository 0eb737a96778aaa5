"""The rows of a built pair set, read in batches, with their schemas checked on the way in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import builtset
from probeta.errors import DataError, Fault
from probeta.recipe import PairRecipe
from probeta.validation.checks import loaded

if TYPE_CHECKING:
    import pyarrow as pa

SPLITS = ("train", "validation", "test")
NEUTRAL = "neutral"

Row = Mapping[str, Any]


class Stream:
    """The rows of a split, read in batches every time they are asked for."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __iter__(self) -> Iterator[Row]:
        for batch in self._table.to_batches(max_chunksize=4096):
            yield from batch.to_pylist()

    def __len__(self) -> int:
        return int(self._table.num_rows)


Rows = Mapping[str, Stream]


def place(config: str, split: str, number: int, column: str | None = None) -> dict[str, Any]:
    """The address of a row: config/split, row from 1, column."""
    return loaded.place(f"{config}/{split}", number, column)


def load(folder: Path, recipe: PairRecipe) -> dict[tuple[str, str], pa.Table]:
    """Every split of every config; a DataError names what is missing or has another type."""
    there = builtset.configs(folder)
    expected = ["pairs"]
    if "test" in there.get("pairs", ()):
        expected += [f"stress_{name}" for name in recipe.pairs.stress]
    schema = builtset.pair_features().arrow_schema
    faults: list[Fault] = []
    tables: dict[tuple[str, str], pa.Table] = {}
    for config in expected:
        if config not in there:
            faults.append(Fault(code="config_missing", message="a config is missing", file=config))
            continue
        allowed = SPLITS if config == "pairs" else ("test",)
        for split in there[config]:
            if split not in allowed:
                faults.append(Fault(code="split_unknown", message="no such split", file=f"{config}/{split}"))
                continue
            table = builtset.read(folder, config, split)
            faults += loaded.schema_faults(table, schema, file=f"{config}/{split}")
            tables[config, split] = table
    for config in sorted(set(there) - set(expected) - {"annotations", "validated"}):
        faults.append(
            Fault(code="config_unknown", message="a config that the recipe does not make", file=config)
        )
    if faults:
        raise DataError(faults)
    return {key: tables[key] for key in sorted(tables, key=lambda key: (key[0], SPLITS.index(key[1])))}
