"""Gate 1: rows that are what their features say, whatever the form of the file."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from probeta.errors import Fault
from probeta.publishing.gates.result import Result
from probeta.publishing.gates.subject import DataFile, Subject
from probeta.publishing.strict import feature_troubles, strict_faults

if TYPE_CHECKING:
    import pyarrow as pa
    from datasets import Features

#: The Hub's viewer shows no row that is larger.
VIEWER_BYTES = 2_000_000

#: Faults of one kind in one column told one by one; the rest is counted.
TOLD = 5

#: Cells that readers of CSV take for nothing.
_NOTHING = {"NA", "N/A", "null", "NULL", "None", "nan", "NaN", "n/a", "#N/A"}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?")


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
            faults += limited(csv_faults(file, declared.get(file.config)))
    return Result(faults=faults)


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


def parquet_faults(file: DataFile, *, built: bool) -> Iterator[Fault]:
    """A Parquet file: types that hold nothing, stray columns, labels out of range, texts, sizes, ids."""
    import pyarrow as pa

    try:
        features = file.features()
        schema_names = list(features)
    except (pa.ArrowInvalid, OSError, ValueError) as error:
        yield Fault(code="parquet", message=f"the file cannot be read: {error}", file=file.name)
        return
    for trouble in feature_troubles(features):
        yield Fault(**{**trouble._asdict(), "file": file.name})
    for name in schema_names:
        if re.fullmatch(r"__index_level_\d+__|Unnamed: \d+", name):
            yield Fault(
                code="index_column",
                message="an index of pandas became a column",
                file=file.name,
                column=name,
                fix="write with index=False, or reset_index(drop=True)",
            )
    ids: set[str] = set()
    start = 0
    for batch in file.batches():
        yield from _batch_faults(file, batch, features, start, built=built)
        if not built and "id" in schema_names and "span" not in schema_names:
            for at, value in enumerate(batch.column("id").to_pylist()):
                key = str(value)
                if value is None or key in ids:
                    what = "a row has no id" if value is None else f"the id {key} stands twice"
                    yield Fault(code="id", message=f"{what} in the split", **file.place(start + at + 1, "id"))
                ids.add(key)
        start += batch.num_rows


def _batch_faults(
    file: DataFile, batch: pa.RecordBatch, features: Features, start: int, *, built: bool
) -> Iterator[Fault]:
    import pyarrow.compute as pc

    for name, feature in features.items():
        column = batch.column(name)
        for label, values, parents in leaves(column, feature):
            if label is not None:
                wrong = pc.or_(pc.less(values, 0), pc.greater_equal(values, len(label)))
                for at in _where(wrong):
                    row = parents[at] if parents is not None else at
                    yield Fault(
                        code="label",
                        message=f"{values[at].as_py()} is the id of no label",
                        **file.place(start + row + 1, name),
                        expected=f"0 to {len(label) - 1}, or null",
                        fix="write null for a missing label",
                    )
            elif not built:
                yield from _text_faults(file, values, parents, start, name)
    if not built and batch.nbytes > VIEWER_BYTES:
        for at in range(batch.num_rows):
            if (
                batch.slice(at, 1).get_total_buffer_size() > VIEWER_BYTES
                and _row_bytes(batch, at) > VIEWER_BYTES
            ):
                yield Fault(
                    code="row_size",
                    message="the row is larger than 2 MB; the Hub's viewer does not show it",
                    **file.place(start + at + 1),
                    fix="split the text",
                )


def _row_bytes(batch: pa.RecordBatch, at: int) -> int:
    return len(json.dumps(batch.slice(at, 1).to_pylist(), default=str).encode("utf-8", "surrogatepass"))


def leaves(column: pa.Array, feature: Any) -> Iterator[tuple[list[str] | None, pa.Array, Any]]:
    """The class labels (with their names) and texts inside a column, with the row of each value.

    Rows are None where values and rows are the same.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from datasets import ClassLabel, LargeList, List

    def walk(values: pa.Array, kind: Any, rows: pa.Array | None) -> Iterator[Any]:
        if isinstance(kind, list):
            kind = List(kind[0])
        if isinstance(kind, List | LargeList):
            parents = pc.list_parent_indices(values)
            inner = pc.list_flatten(values)
            yield from walk(inner, kind.feature, parents if rows is None else rows.take(parents))
        elif isinstance(kind, dict):
            for name, one in kind.items():
                yield from walk(pc.struct_field(values, name), one, rows)
        elif isinstance(kind, ClassLabel):
            yield list(kind.names), values, rows
        elif pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
            yield None, values, rows

    for label, values, rows in walk(column, feature, None):
        yield label, values, rows.to_pylist() if rows is not None else None


def _text_faults(file: DataFile, values: pa.Array, parents: Any, start: int, name: str) -> Iterator[Fault]:
    import pyarrow.compute as pc

    for wrong, code, message, fix in (
        (pc.match_substring(values, "\0"), "text_unencodable", "NUL in the text", "remove it"),
        (
            pc.not_equal(pc.utf8_normalize(values, "NFC"), values),
            "text_not_nfc",
            "the text is not in Unicode normal form C, so offsets and comparisons differ between programs",
            "compose accents (NFC)",
        ),
    ):
        for at in _where(wrong):
            row = parents[at] if parents is not None else at
            yield Fault(code=code, message=message, **file.place(start + row + 1, name), fix=fix)


def _where(mask: pa.Array) -> list[int]:
    import pyarrow.compute as pc

    return [int(at) for at in pc.indices_nonzero(pc.fill_null(mask, False)).to_pylist()]


def jsonl_faults(file: DataFile, features: Features | None) -> Iterator[Fault]:
    """A JSONL file: against the declared features, or against itself: keys and types that change."""
    rows: list[Mapping[str, Any]] = []
    for number, line in enumerate(file.path.read_bytes().splitlines(), start=1):
        try:
            row = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError:
            yield Fault(
                code="encoding", message="the line is not UTF-8", **file.place(number), fix="save as UTF-8"
            )
            return
        except json.JSONDecodeError as error:
            yield Fault(code="json", message=f"the line is not JSON: {error.msg}", **file.place(number))
            continue
        if not isinstance(row, dict):
            yield Fault(code="json", message="the line is not an object", **file.place(number))
            continue
        rows.append(row)
    if features is not None:
        yield from strict_faults(rows, features, file=file.name)
        return
    if not rows:
        yield Fault(code="split_empty", message="there is no row", file=file.name, fix="leave the split out")
        return
    yield from _consistent(file, rows)


def _consistent(file: DataFile, rows: list[Mapping[str, Any]]) -> Iterator[Fault]:
    """Rows without declared features: the same keys and types everywhere, since readers guess from some."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    first: dict[str, str] = {}
    filled: set[str] = set()
    for number, row in enumerate(rows, start=1):
        for key in keys:
            if key not in row:
                yield Fault(
                    code="key_missing",
                    message=f"the key {key}, which other rows have, is missing",
                    **file.place(number, key),
                    fix="give it, or null",
                )
                continue
            for column, value in _scalars(row[key], key):
                filled.add(key)
                kind = (
                    "number"
                    if isinstance(value, int | float) and not isinstance(value, bool)
                    else type(value).__name__
                )
                if first.setdefault(column, kind) != kind:
                    yield Fault(
                        code="type",
                        message=f"{column} is {kind} here and {first[column]} before",
                        **file.place(number, column),
                        fix="write one type",
                    )
                if isinstance(value, int) and not -(2**63) <= value < 2**63:
                    yield Fault(
                        code="number_range",
                        message=f"{value} is read as a float and loses digits",
                        **file.place(number, column),
                        fix="write it as text",
                    )
                if isinstance(value, str):
                    if "\0" in value or any("\ud800" <= sign <= "\udfff" for sign in value):
                        yield Fault(
                            code="text_unencodable",
                            message="NUL or a lone surrogate in the text",
                            **file.place(number, column),
                        )
                    elif _DATE.fullmatch(value):
                        yield Fault(
                            code="date",
                            message=f"{value} is read as a point in time, not as text",
                            **file.place(number, column),
                            fix="declare features in dataset_info",
                        )
            if row[key] == {}:
                yield Fault(
                    code="empty_struct",
                    message="a struct without keys cannot be written as Parquet",
                    **file.place(number, key),
                    fix="write null",
                )
    for key in keys:
        if key not in filled:
            yield Fault(
                code="null_column",
                message="no row has a value, so the type of the column is null",
                file=file.name,
                column=key,
                fix="declare features in dataset_info, or leave it out",
            )


def _scalars(value: Any, at: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _scalars(inner, f"{at}.{key}")
    elif isinstance(value, list):
        keys = {key for item in value if isinstance(item, dict) for key in item}
        for item in value:
            yield from _scalars({**dict.fromkeys(keys), **item} if isinstance(item, dict) else item, at)
    elif value is not None:
        yield at, value


def csv_faults(file: DataFile, features: Features | None) -> Iterator[Fault]:
    """A CSV file: cells that readers take for nothing, for numbers or for dates."""
    try:
        text = file.path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        line = file.path.read_bytes()[: error.start].count(b"\n") + 1
        yield Fault(code="encoding", message="the file is not UTF-8", **file.place(line), fix="save as UTF-8")
        return
    delimiter = "\t" if file.path.suffix.lower() == ".tsv" else ","
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    head = next(reader, [])
    texts = {
        name for name, feature in (features or {}).items() if str(getattr(feature, "dtype", "")) == "string"
    }
    empty = True
    for row in reader:
        empty = False
        place = reader.line_num
        if len(row) != len(head):
            yield Fault(
                code="cells",
                message=f"{len(row)} cells in a table of {len(head)} columns",
                **file.place(place),
            )
            continue
        for name, cell in zip(head, row, strict=True):
            if cell in _NOTHING:
                yield Fault(
                    code="csv_nothing",
                    message=f"{cell} is read as an empty cell",
                    **file.place(place, name),
                    fix="publish Parquet, or leave the cell empty",
                )
            elif name not in texts and re.fullmatch(r"0\d+", cell):
                yield Fault(
                    code="csv_number",
                    message=f"{cell} is read as {int(cell)}",
                    **file.place(place, name),
                    fix="declare the column as string in dataset_info, or publish Parquet",
                )
            elif name not in texts and _DATE.fullmatch(cell):
                yield Fault(
                    code="date",
                    message=f"{cell} may be read as a point in time",
                    **file.place(place, name),
                    fix="declare the column as string in dataset_info, or publish Parquet",
                )
    if empty:
        yield Fault(code="split_empty", message="there is no row", file=file.name, fix="leave the split out")
