"""Folders: the config ``sentences`` of a built set, or what ``datasets`` saved with ``save_to_disk``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import builtset
from probeta.errors import Fault, UsageError
from probeta.formats.base import Faults, ReadOptions, ReadReport, Source
from probeta.formats.parquet import ROWS, read_batches, schema_faults
from probeta.records import Sentence

if TYPE_CHECKING:
    import datasets
    import pyarrow as pa

CONFIG = "sentences"


def read(
    source: Source, options: ReadOptions, report: ReadReport, faults: Faults
) -> Iterator[tuple[int, Sentence]]:
    """Yield each sentence with its row, from 1 through all splits, or through ``options.split``."""
    if source.path is None:
        raise UsageError("a folder cannot be standard input")
    if not source.path.is_dir():
        raise UsageError(f"{source.name} is no folder")
    if CONFIG in builtset.configs(source.path):
        table = builtset.read(source.path, CONFIG, options.split)
        schema_faults(table.schema, faults)
        yield from read_batches(table.to_batches(ROWS), options, report, faults)
    elif any((source.path / name).is_file() for name in ("dataset_dict.json", "dataset_info.json")):
        yield from read_batches(_saved(source.path, options.split, faults), options, report, faults)
    else:
        raise UsageError(
            f"{source.name} is neither a built set with a config {CONFIG!r} nor a folder that `datasets` saved"
        )


def _saved(folder: Path, split: str | None, faults: Faults) -> Iterator[Any]:
    """The Arrow batches of the splits of a saved data set."""
    import datasets

    try:
        loaded = datasets.load_from_disk(str(folder))
    except (OSError, ValueError, KeyError) as error:
        raise faults.stop(Fault(code="dataset", message=f"the folder cannot be read: {error}")) from None
    single = isinstance(loaded, datasets.Dataset)
    splits = {str(loaded.split or "train"): loaded} if single else dict(loaded)
    if split is not None and split not in splits:
        raise UsageError(f"{folder} has no split {split!r}; it has: {', '.join(splits)}")
    for name, dataset in splits.items():
        if split in (None, name):
            yield from _batches(dataset, faults)


def _batches(dataset: datasets.Dataset, faults: Faults) -> Iterator[pa.RecordBatch]:
    """The batches of one split, its class labels by name."""
    from datasets import ClassLabel, Value

    for name, feature in dict(dataset.features).items():
        if isinstance(feature, ClassLabel):
            names = feature.names

            def named(values: list[int | None], names: list[str] = names) -> list[str | None]:
                return [None if value is None else names[value] for value in values]

            dataset = dataset.map(
                lambda batch, name=name, named=named: {name: named(batch[name])},
                batched=True,
                features=type(dataset.features)({**dataset.features, name: Value("string")}),
                keep_in_memory=True,
            )
    schema_faults(dataset.features.arrow_schema, faults)
    for table in dataset.with_format("arrow").iter(ROWS):
        yield from table.to_batches()
