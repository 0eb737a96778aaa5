"""The built set on disk: configs, their columns and declared features, and how to read them.

A built set is the folder that a build writes and that is published (``publishing/folder.py`` writes it).
Each config is ``<config>/<split>-00000-of-00001.parquet``. The columns are the design's; attributes,
labels and casing are strings, only ``tags`` is a ClassLabel, because a README can silently override a
ClassLabel's names.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta.errors import DataError, Fault, UsageError
from probeta.hashing import file_sha256
from probeta.records import Sentence, spans_of

if TYPE_CHECKING:
    import datasets
    import pyarrow as pa

#: A shard's name, as the Hub's own tools write it.
SHARD = re.compile(r"(?P<split>[\w.]+)-\d{5}-of-\d{5}\.parquet$")

#: Columns of the config ``sentences`` that are not attributes of the recipe.
SENTENCE_COLUMNS = (
    "id",
    "base_id",
    "text",
    "spans",
    "operation",
    "parameters",
    "duplicate_of",
    "template",
    "topic",
    "author",
    "text_hash",
    "canary",
)


def spans_feature() -> Any:
    """The feature of a column of spans, as ``Sentence.span_rows`` gives them."""
    from datasets import List, Value

    number, string = Value("int32"), Value("string")
    return List({"start": number, "end": number, "label": string, "text": string})


def sentence_features(attributes: Sequence[str]) -> datasets.Features:
    """Features of the config ``sentences``; ``attributes`` are the sentence attributes, in order."""
    from datasets import Features, Value

    string = Value("string")
    columns: dict[str, Any] = {"id": string, "base_id": string, "text": string, "spans": spans_feature()}
    columns |= dict.fromkeys(attributes, string)
    columns |= dict.fromkeys(SENTENCE_COLUMNS[4:], string)
    return Features(columns)


def span_features(attributes: Sequence[str]) -> datasets.Features:
    """Features of the config ``spans``, one row a span; ``attributes`` are the span attributes."""
    from datasets import Features, Value

    string, number = Value("string"), Value("int32")
    columns: dict[str, Any] = {"id": string, "span": number, "start": number, "end": number}
    columns |= {"label": string, "text": string, **dict.fromkeys(attributes, string)}
    return Features(columns)


def token_features(labels: Sequence[str]) -> datasets.Features:
    """Features of the config ``tokens``: IOB2 tags over the labels, in their declared order."""
    from datasets import ClassLabel, Features, List, Value

    names = ["O", *(f"{prefix}-{label}" for label in labels for prefix in "BI")]
    return Features(
        {"id": Value("string"), "tokens": List(Value("string")), "tags": List(ClassLabel(names=names))}
    )


#: Columns of the pair configs; names as ESNLIR released them, then ours.
PAIR_COLUMNS: Mapping[str, str] = {
    "id": "string",
    "sentence_1": "string",
    "sentence_2": "string",
    "connector": "string",
    "connector_surface": "string",
    "lead_in": "string",
    "connector_type": "string",
    "extraction_strategy": "string",
    "distance": "int32",
    "sentence_1_position": "int32",
    "sentence_1_paragraph": "int32",
    "sentence_2_position": "int32",
    "sentence_2_paragraph": "int32",
    "dataset": "string",
    "genre": "string",
    "domain": "string",
    "document": "string",
    "sentence_2_document": "string",
    "neutral_strategy": "string",
    "chained": "bool",
    "in_dialogue": "bool",
    "text_hash": "string",
    "canary": "string",
}


def pair_features() -> datasets.Features:
    """Features of the configs ``pairs`` and ``stress_*``."""
    from datasets import Features, Value

    return Features({name: Value(kind) for name, kind in PAIR_COLUMNS.items()})


#: Held-back splits, on this machine only: never under a checksum, never published.
PRIVATE = "private"


def is_summed(name: str) -> bool:
    """Whether SHA256SUMS covers a file, by its path in the folder.

    Not the cards, since people edit them and their generated part is verified from the reports; not what
    is held back; not the sums themselves.

    >>> is_summed("reports/stats.json"), is_summed("README.es.md"), is_summed("private/pairs/a.parquet")
    (True, False, False)
    """
    first, _, rest = name.partition("/")
    return not (
        first == PRIVATE
        or (not rest and (first == "SHA256SUMS" or (first.startswith("README") and first.endswith(".md"))))
    )


def checksums(folder: Path, *, instead: Mapping[str, bytes] | None = None) -> str:
    """The text of SHA256SUMS for what stands in ``folder``, in the form that ``sha256sum --check`` reads.

    Files of ``instead`` are summed as they would be with that content.
    """
    other = instead or {}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return "".join(
        f"{hashlib.sha256(other[name]).hexdigest() if name in other else file_sha256(folder / name)}  {name}\n"
        for name in sorted(there | other.keys())
        if is_summed(name)
    )


def is_built_set(folder: Path) -> bool:
    """Whether ``folder`` was written by a build: it names its recipe and its checksums."""
    return (folder / "build" / "probeta.yaml").is_file() and (folder / "SHA256SUMS").is_file()


#: What a text is taken for where neither a person nor a built set says its language.
LANGUAGE = "es"


def language(path: Path | str) -> str | None:
    """The language that a built set's recipe declares; None for what is no built set, or says none."""
    import yaml

    try:
        text = (Path(path) / "build" / "probeta.yaml").read_text(encoding="utf-8")
        # The base loader keeps `no` the text that it is: Norwegian.
        declared = yaml.load(text, Loader=yaml.BaseLoader)
    except (OSError, ValueError, yaml.YAMLError):
        return None
    found = declared.get("language") if isinstance(declared, dict) else None
    return found if isinstance(found, str) and found else None


def around(path: Path) -> Path | None:
    """The built set that ``path`` would stand in, or None."""
    return next((folder for folder in path.absolute().parents if is_built_set(folder)), None)


def refuse_inside(path: Path) -> None:
    """Raise a UsageError where ``path`` stands in a built set, whose checksums would break."""
    if (folder := around(path)) is not None:
        raise UsageError(f"{path} would stand in the built set {folder}; choose a place outside it")


#: Version, seed and size of the build, in a built set's folder.
BUILD = "build/build.json"

#: Where the set was published, ORG/NAME; there from its first push on.
PUBLISHED = "build/published.json"


def record(folder: Path, name: str, *, keys: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON object in the file ``name`` of a built set; a DataError unless it is one and has ``keys``."""
    try:
        value = json.loads((folder / name).read_text(encoding="utf-8"))
        found = "no object" if not isinstance(value, dict) else ", ".join(value)
    except (OSError, ValueError) as error:
        value, found = None, str(error)
    if not isinstance(value, dict) or any(key not in value for key in keys):
        raise DataError(
            Fault(
                code="record",
                message="the file is not what a build wrote",
                file=name,
                expected=f"a JSON object with {', '.join(keys)}" if keys else "a JSON object",
                found=found,
                fix="build the set again",
            )
        )
    return value


def configs(folder: Path) -> dict[str, list[str]]:
    """The configs of a built set and their splits, both sorted by name."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*/*.parquet")):
        if match := SHARD.match(path.name):
            splits = found.setdefault(path.parent.name, [])
            if match["split"] not in splits:
                splits.append(match["split"])
    return found


@contextmanager
def readable(name: str) -> Iterator[None]:
    """A DataError where the Parquet file ``name`` cannot be read."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(
            Fault(code="parquet", message=f"the file cannot be read: {error}", file=name)
        ) from None


def read(folder: Path, config: str, split: str | None = None) -> pa.Table:
    """One config as an Arrow table; every split, in the files' order, where none is named."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not folder.is_dir():
        raise UsageError(f"no such folder: {folder}")
    paths = [
        path
        for path in sorted((folder / config).glob("*.parquet"))
        if (match := SHARD.match(path.name)) and split in (None, match["split"])
    ]
    if not paths:
        there = ", ".join(configs(folder)) or "none"
        wanted = config if split is None else f"{config}/{split}"
        raise UsageError(f"{folder} has no config {wanted}; it has: {there}")
    tables = []
    for path in paths:
        with readable(f"{config}/{path.name}"):
            tables.append(pq.read_table(path))
    with readable(config):
        # Splits whose columns differ cannot be put together either.
        return pa.concat_tables(tables)


def sentences(folder: Path, split: str | None = None) -> Iterator[Sentence]:
    """The config ``sentences`` as records; every other column is an attribute."""
    for batch in read(folder, "sentences", split).to_batches():
        for row in batch.to_pylist():
            spans = spans_of(row.pop("spans"))
            yield Sentence(row.pop("id"), row.pop("text"), spans, row)
