"""Gate 6: what the card declares of the data is what the data is; the card wins when they differ, silently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from probeta.errors import Fault
from probeta.publishing.gates.header import Header
from probeta.publishing.gates.result import Result
from probeta.publishing.gates.subject import DataFile, Subject
from probeta.publishing.header import size_category

if TYPE_CHECKING:
    from datasets import Features


def check_info(subject: Subject) -> Result:
    """``dataset_info`` and ``size_categories`` against the Parquet files."""
    header = subject.header
    if not header.readable:
        return Result(reason="the header of the card cannot be read")
    parquet = [file for file in subject.files if file.kind == "parquet"]
    faults = list(_missing_configs(subject))
    entries = _entries(header)
    faults += _unreadable(header, entries)
    if not parquet:
        return Result(faults=faults, reason="there are no Parquet files")
    if not faults:
        for at, entry in entries:
            files = subject.configs.get(str(entry.get("config_name", "default")))
            if files is not None:
                faults += _entry_faults(header, at, entry, files)
        faults += _size_faults(subject)
    return Result(faults=faults)


def _entries(header: Header) -> list[tuple[tuple[str | int, ...], Mapping[str, Any]]]:
    info = header.value.get("dataset_info")
    if isinstance(info, Mapping):
        return [(("dataset_info",), info)]
    return [
        (("dataset_info", at), entry)
        for at, entry in enumerate(info if isinstance(info, list) else [])
        if isinstance(entry, Mapping)
    ]


def _missing_configs(subject: Subject) -> Iterator[Fault]:
    """Folders of data that nothing tells apart are read as one table."""
    if subject.header.value.get("configs"):
        return
    schemas: dict[str, str] = {}
    for file in subject.files:
        if file.kind == "parquet":
            columns = ", ".join(sorted(file.features()))
            if columns not in schemas.values() and schemas:
                other = next(iter(schemas))
                yield subject.header.fault(
                    "configs_missing",
                    f"the card declares no configs, so {other} and {file.name} are read as one table, and they "
                    "have other columns",
                    (),
                    fix="declare `configs`, one for each table",
                )
                return
            schemas[file.name] = columns


def _unreadable(
    header: Header, entries: list[tuple[tuple[str | int, ...], Mapping[str, Any]]]
) -> Iterator[Fault]:
    """Declared features that ``datasets`` refuses: unknown types, gaps in the ids of labels."""
    for at, entry in entries:
        try:
            _features(entry)
        except Exception as error:  # datasets raises many kinds for many mistakes
            yield header.fault(
                "dataset_info", f"the declared features cannot be read: {error}", (*at, "features")
            )


def _features(entry: Mapping[str, Any]) -> Features | None:
    from datasets import Features

    declared = entry.get("features")
    if declared is None:
        return None
    features = Features._from_yaml_list(list(declared))
    features.arrow_schema  # noqa: B018  # an unknown type is noticed here
    return features


def _entry_faults(
    header: Header, at: tuple[str | int, ...], entry: Mapping[str, Any], files: Mapping[str, list[DataFile]]
) -> Iterator[Fault]:
    config = str(entry.get("config_name", "default"))
    declared = _features(entry)
    for parts in files.values():
        for file in parts:
            if file.kind == "parquet" and declared is not None:
                yield from _feature_faults(header, (*at, "features"), declared, file)
    if "splits" not in entry:
        return
    counts = {
        split: sum(file.rows() for file in parts)
        for split, parts in files.items()
        if all(file.kind == "parquet" for file in parts)
    }
    listed = {
        str(one.get("name")): one.get("num_examples")
        for one in entry.get("splits") or ()
        if isinstance(one, Mapping)
    }
    for split in sorted(listed.keys() | counts.keys()):
        place = (*at, "splits")
        if split not in counts:
            yield header.fault(
                "info_split",
                f"{config} declares the split {split}, which has no file",
                place,
                fix="remove it, or add the file",
            )
        elif split not in listed:
            yield header.fault(
                "info_split", f"{config} does not declare its split {split}", place, fix="add it"
            )
        elif listed[split] != counts[split]:
            yield header.fault(
                "info_rows",
                f"{config} declares another number of rows for {split}",
                place,
                expected=str(counts[split]),
                found=str(listed[split]),
                fix="correct num_examples",
            )


def _feature_faults(
    header: Header, place: tuple[str | int, ...], declared: Features, file: DataFile
) -> Iterator[Fault]:
    own = file.features()
    for name in declared:
        if name not in own:
            yield header.fault(
                "info_column",
                f"the card declares the column {name}, which {file.name} lacks",
                place,
                fix="remove it, or rename it",
            )
    for name, feature in own.items():
        if name not in declared:
            yield header.fault(
                "info_column",
                f"the card does not declare the column {name} of {file.name}",
                place,
                fix="add it",
            )
        elif shown(declared[name]) != shown(feature):
            yield header.fault(
                "info_type",
                f"{file.name} has another type in {name} than the card declares; the card wins, so labels and "
                "values would change their meaning",
                place,
                expected=shown(feature),
                found=shown(declared[name]),
                fix="declare what the file has",
            )


def shown(feature: Any) -> str:
    """A feature as text; list forms that mean the same are the same."""
    from probeta.publishing.fields import type_of

    return type_of(feature)


def _size_faults(subject: Subject) -> Iterator[Fault]:
    header = subject.header
    declared = header.value.get("size_categories")
    words = declared if isinstance(declared, list) else [declared] if declared else []
    if not words or any(file.kind != "parquet" for file in subject.files):
        return
    totals = {
        config: sum(file.rows() for parts in splits.values() for file in parts)
        for config, splits in subject.configs.items()
    }
    fitting = {size_category(rows) for rows in (*totals.values(), sum(totals.values()))}
    if not fitting & set(words):
        yield header.fault(
            "size",
            "the size category is not that of the data",
            ("size_categories",),
            expected=" or ".join(sorted(fitting)),
            found=", ".join(map(str, words)),
        )
