"""Gate 8: every config and split is loaded back, with a fresh cache, and its rows are those of the files."""

from __future__ import annotations

import contextlib
import importlib
import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from probeta.errors import Fault
from probeta.publishing.gates.result import Result
from probeta.publishing.gates.subject import Subject


def check_loading(subject: Subject) -> Result:
    """Load the folder as its users will; an old cache of ``datasets`` can return the rows of another build."""
    if subject.folder is None:
        return Result(reason="there is only a card")
    if not subject.header.readable:
        return Result(reason="the header of the card cannot be read")
    if not subject.files:
        return Result(reason="there are no data files")
    with tempfile.TemporaryDirectory(prefix="probeta-load-") as cache:
        return Result(faults=list(loading_faults(str(subject.folder.resolve()), subject, Path(cache))))


def loading_faults(place: str, subject: Subject, cache: Path, **options: Any) -> Iterator[Fault]:
    """Load every config from ``place`` (a folder or a repository) and compare it with the subject's files."""
    for config, splits in subject.configs.items():
        try:
            with quiet():
                loaded = load(
                    place, config, cache, declared=bool(subject.header.value.get("configs")), **options
                )
        except Exception as error:  # datasets raises many kinds; each means it does not load
            yield Fault(
                code="load", message=f"the config {config} cannot be loaded: {_short(error)}", file=config
            )
            continue
        for split, files in splits.items():
            if split not in loaded:
                yield Fault(
                    code="load_split",
                    message=f"the split {split} of {config} is not loaded",
                    file=config,
                    found=", ".join(loaded),
                )
            elif all(file.kind == "parquet" for file in files):
                yield from _compare(loaded[split], files)
        for split in sorted(set(loaded) - set(splits)):
            yield Fault(
                code="load_split",
                message=f"a split {split} of {config} is loaded that was not declared",
                file=config,
            )


def load(place: str, config: str, cache: Path, *, declared: bool, **options: Any) -> Any:
    """One config, all splits, into a fresh cache."""
    import datasets

    name = config if declared else None
    return datasets.load_dataset(place, name, cache_dir=str(cache), **options)


def _compare(loaded: Any, files: Any) -> Iterator[Fault]:
    import pyarrow as pa

    # Whatever the features say, the values of a column are compared as they lie in memory.
    table = loaded.with_format("arrow")
    rows = sum(file.rows() for file in files)
    if loaded.num_rows != rows:
        yield Fault(
            code="load_rows",
            message="another number of rows is loaded than stands in the files",
            file=files[0].name,
            expected=str(rows),
            found=str(loaded.num_rows),
        )
        return
    at = 0
    for file in files:
        for batch in file.batches(size=20_000):
            own = pa.Table.from_batches([batch]).replace_schema_metadata(None)
            there = table[at : at + batch.num_rows].replace_schema_metadata(None)
            if own.column_names != there.column_names:
                yield Fault(
                    code="load_columns",
                    message="other columns are loaded than stand in the file",
                    file=file.name,
                    expected=", ".join(own.column_names),
                    found=", ".join(there.column_names),
                )
                return
            for name in own.column_names:
                column, loaded_column = own.column(name), there.column(name)
                if not column.equals(loaded_column) and column.to_pylist() != loaded_column.to_pylist():
                    row = next(
                        n
                        for n, (one, other) in enumerate(
                            zip(column.to_pylist(), loaded_column.to_pylist(), strict=True)
                        )
                        if one != other
                    )
                    yield Fault(
                        code="load_values",
                        message="another value is loaded than stands in the file",
                        **file.place(at + row + 1, name),
                    )
                    return
            at += batch.num_rows


def _short(error: BaseException) -> str:
    # What datasets says first is that something went wrong; what it was is the cause.
    while type(error).__name__.startswith("DatasetGeneration") and error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {error}".replace("\n", " ")[:300]


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the progress bars of ``datasets`` and ``huggingface_hub``, and without its log: no news here."""
    import datasets

    # The package does not list these among its exports, though it documents them.
    hub: Any = importlib.import_module("huggingface_hub.utils")
    logger = logging.getLogger("datasets")
    level = logger.level
    # What it would say of a file that it cannot read is in the error too.
    logger.setLevel(logging.CRITICAL)
    shown, hub_shown = not datasets.are_progress_bars_disabled(), not hub.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    hub.disable_progress_bars()
    try:
        yield
    finally:
        logger.setLevel(level)
        if shown:
            datasets.enable_progress_bars()
        if hub_shown:
            hub.enable_progress_bars()
