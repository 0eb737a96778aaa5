"""A built span set in memory: its recipe and the rows of its configs, schemas checked on the way in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import builtset
from probeta.errors import DataError, Fault

if TYPE_CHECKING:
    import datasets
    import pyarrow as pa

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class SpanSet:
    """The rows of the configs ``sentences``, ``spans`` and ``tokens``, in the files' order."""

    folder: Path
    sentences: Rows
    spans: Rows
    tokens: Rows
    tag_names: Sequence[str]


def place(config: str, number: int, column: str | None = None) -> dict[str, Any]:
    """The address of a row in a fault: config, row counted from 1, column."""
    return {"file": config, "row": number + 1, "column": column}


def schema_faults(table: pa.Table, schema: pa.Schema, *, file: str) -> Iterator[Fault]:
    """Columns of ``schema`` that the table lacks, or has with another type."""
    for field in schema:
        if field.name not in table.schema.names:
            yield Fault(
                code="column_missing",
                message="a column is missing",
                file=file,
                column=field.name,
                expected=str(field.type),
            )
        elif (found := table.schema.field(field.name).type) != field.type:
            yield Fault(
                code="column_type",
                message="a column has another type",
                file=file,
                column=field.name,
                expected=str(field.type),
                found=str(found),
            )


def load(folder: Path, expected: Mapping[str, datasets.Features]) -> SpanSet:
    """Read the configs; a DataError names every missing config, column or changed type."""
    faults = []
    tables = {}
    for config, features in expected.items():
        if config not in builtset.configs(folder):
            faults.append(Fault(code="config_missing", message="a config is missing", file=config))
            continue
        table = builtset.read(folder, config)
        tables[config] = table
        schema = features.arrow_schema
        faults += schema_faults(table, schema, file=config)
        faults += [
            Fault(code="column_unknown", message="a column that was not declared", file=config, column=name)
            for name in table.schema.names
            if name not in schema.names
        ]
    if faults:
        raise DataError(faults)
    return SpanSet(
        folder=folder,
        sentences=tables["sentences"].to_pylist(),
        spans=tables["spans"].to_pylist(),
        tokens=tables["tokens"].to_pylist(),
        tag_names=expected["tokens"]["tags"].feature.names,
    )
