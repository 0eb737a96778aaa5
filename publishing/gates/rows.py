"""Gate 1: rows that are what their features say, whatever the form of the file.

Parquet is read in ``parquet_rows``, JSONL and CSV in ``text_rows``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from probeta.errors import Fault
from probeta.publishing.gates.parquet_rows import parquet_faults
from probeta.publishing.gates.records import columns_of, id_faults, records
from probeta.publishing.gates.result import Result
from probeta.publishing.gates.subject import DataFile, Subject
from probeta.publishing.gates.text_rows import csv_faults, jsonl_faults

if TYPE_CHECKING:
    from datasets import Features

#: Faults of one kind in one column told one by one; the rest is counted.
TOLD = 5


def check_rows(subject: Subject) -> Result:
    """Every data file; a built set's own promises are tested by ``check``."""
    if subject.folder is None:
        return Result(reason="there is only a card")
    if not subject.files:
        return Result(reason="there are no data files")
    faults: list[Fault] = []
    declared = declared_features(subject)
    for file in subject.files:
        if file.kind == "parquet":
            faults += limited(parquet_faults(file, built=subject.recipe is not None))
        elif file.kind == "jsonl":
            faults += limited(jsonl_faults(file, declared.get(file.config)))
        elif file.kind == "csv":
            faults += limited(csv_faults(file, declared.get(file.config), subject.options(file.config)))
        if file.kind != "parquet":
            faults += limited(_ids(file, subject))
    return Result(faults=faults)


def _ids(file: DataFile, subject: Subject) -> Iterator[Fault]:
    """The ids of a file that is no Parquet file; one row a span repeats the id of its text."""
    rows = list(records(file, subject.options(file.config)))
    columns = columns_of(file, rows)
    if "id" in columns and "span" not in columns:
        yield from id_faults(file, ((number, row.get("id")) for number, row in rows), set())


def limited(faults: Iterable[Fault]) -> Iterator[Fault]:
    """The first few faults of each code and column of a file, and how many more there are."""
    counts: Counter[tuple[str, str | None, str | None]] = Counter()
    last: dict[tuple[str, str | None, str | None], Fault] = {}
    for fault in faults:
        key = (fault.code, fault.file, fault.column)
        counts[key] += 1
        last[key] = fault
        if counts[key] <= TOLD:
            yield fault
    for key, count in counts.items():
        if count > TOLD:
            yield Fault(
                code=key[0],
                file=key[1],
                column=key[2],
                message=f"and {count - TOLD} more such rows, the last is row {last[key].row}",
                fix=last[key].fix,
            )


def declared_features(subject: Subject) -> dict[str, Features]:
    """Config -> the features that the card declares, as far as they can be read."""
    from datasets.info import DatasetInfosDict
    from huggingface_hub import DatasetCardData

    info = subject.header.value.get("dataset_info")
    if not info:
        return {}
    try:
        infos = DatasetInfosDict.from_dataset_card_data(DatasetCardData(dataset_info=info))
    except Exception:  # whatever is wrong with it is told by the gate of the header
        return {}
    return {name: one.features for name, one in infos.items() if one.features}
