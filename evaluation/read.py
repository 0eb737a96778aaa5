"""Gold and predictions out of any format that is known, as items, strings or classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from probeta import builtset, tables
from probeta.errors import DataError, Fault, UsageError
from probeta.evaluation.items import Item
from probeta.evaluation.nli import LabelledItem
from probeta.evaluation.strings import StringRow
from probeta.evaluation.units import attribute_rows
from probeta.formats import ReadOptions, ReadReport, format_of, is_positional, read_sentences
from probeta.formats.adobo import read_rows
from probeta.formats.base import Faults, Source
from probeta.formats.conll import TaggedSentence, read_tagged
from probeta.formats.rows import RowReader
from probeta.formats.tags import Decoder
from probeta.hashing import file_sha256, text_hash
from probeta.records import Sentence, Span

#: Keys of a span that are not attributes.
_SPAN_KEYS = ("start", "end", "label", "text")
#: Columns of a built set that say nothing about a sentence's language.
_BOOKKEEPING = ("text_hash", "canary", "parameters", "duplicate_of", "tokens")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The items of one file or column, and how many of its tags broke the scheme."""

    name: str
    items: Sequence[Item]
    invalid: int


def load_items(path: Path | str, *, options: ReadOptions, format: str | None = None) -> Loaded:
    """Items of ``path`` in its order; a CoNLL file keeps tokens and tags, a built set its span attributes.

    The spans of a JSONL file may overlap or stand twice, as systems write them, and have attributes.
    """
    name = format or format_of(path)
    source = Source.of(path)
    if name == "conll":
        return _conll(source, options, [options.tag_column])[0]
    report = ReadReport()
    if name == "jsonl":
        items = _json_items(source, options, report)
    else:
        sentences = read_sentences(path, format=name, options=options, report=report)
        items = [_item(sentence) for sentence in sentences]
    if source.path is not None and source.path.is_dir():
        items = _with_tokens(source.path, items, options.split)
        items = _with_span_attributes(source.path, items, options.split)
    return Loaded(str(path), items, report.invalid_tags)


def load_columns(path: Path | str, *, options: ReadOptions, columns: Sequence[int]) -> list[Loaded]:
    """One CoNLL file with several columns of tags: the gold's first, then each system's."""
    return _conll(Source.of(path), options, columns)


def _item(sentence: Sentence) -> Item:
    attributes = {name: value for name, value in sentence.attributes.items() if name not in _BOOKKEEPING}
    return Item(
        id=None if is_positional(sentence.id) else sentence.id,
        text=sentence.text,
        spans=sentence.spans,
        attributes=attributes,
    )


def _conll(source: Source, options: ReadOptions, columns: Sequence[int]) -> list[Loaded]:
    faults = Faults(source.name)
    decode = Decoder(options.scheme, policy=options.invalid, label=options.label)
    items: list[list[Item]] = [[] for _ in columns]
    invalid = [0] * len(columns)
    tagged = read_tagged(source, token_column=options.token_column, tag_columns=columns, faults=faults)
    for sentence in tagged:
        for place, (tags, column) in enumerate(zip(sentence.tags, columns, strict=True)):
            spans, broken = _decoded(sentence, tags, column, decode, options.invalid, faults)
            invalid[place] += broken
            items[place].append(
                Item(
                    id=None if is_positional(sentence.id) else sentence.id,
                    text=sentence.text,
                    spans=spans,
                    tokens=sentence.tokens,
                    tags=tags,
                    attributes=sentence.attributes,
                )
            )
    faults.done()
    return [
        Loaded(f"{source.name} column {column}", items[place], invalid[place])
        for place, column in enumerate(columns)
    ]


def _decoded(
    sentence: TaggedSentence, tags: list[str], column: int, decode: Decoder, policy: str, faults: Faults
) -> tuple[list[Span], int]:
    decoded = decode(tags)
    for at, message in decoded.unknown or (decoded.invalid if policy == "error" else []):
        faults.add(
            Fault(
                code="tag" if decoded.unknown else "tag_sequence",
                message=message,
                row=sentence.lines[at],
                column=str(column),
                found=" ".join(tags[max(0, at - 1) : at + 2]),
                fix="name the scheme (--scheme) or the column"
                if decoded.unknown
                else "name a policy, --invalid conlleval or --invalid discard, or another --scheme",
            )
        )
    offsets = sentence.offsets
    spans = [Span(offsets[span.start][0], offsets[span.end - 1][1], span.label) for span in decoded.spans]
    return spans, len(decoded.invalid)


def _json_items(source: Source, options: ReadOptions, report: ReadReport) -> list[Item]:
    """The items of a JSONL file; further keys of a span are its attributes.

    Spans may overlap or stand twice, as systems write them. With ``options.texts`` texts may be missing.
    """
    faults = Faults(source.name)
    build = RowReader(replace(options, span_keys="drop"), report, faults)
    items: list[Item] = []
    for line, record in _json_lines(source, faults):
        number = len(items) + 1
        id = record.get("id") if isinstance(record, dict) else None
        if (
            options.texts is not None
            and isinstance(id, str)
            and "text" not in record
            and id not in options.texts
        ):
            faults.add(
                Fault(
                    code="unknown_item",
                    message=f"item {number} of the predictions is not in the gold",
                    row=line,
                    expected="an id of the gold",
                    found=repr(id),
                    fix="score the predictions against the gold they were made for",
                )
            )
            items.append(Item())
            continue
        spans: list[Span] = []
        attributes: list[Mapping[str, Any]] = []
        sentence = None
        for layer in _layers(record):
            listed = layer.get("spans") if isinstance(layer, dict) else None
            sentence = build(layer, row=line, number=number)
            if sentence is None:
                break
            spans += sentence.spans
            attributes += [
                {name: value for name, value in span.items() if name not in _SPAN_KEYS}
                for span in sorted(listed or (), key=_place)
            ]
        items.append(
            Item()
            if sentence is None
            else replace(_item(sentence), spans=spans, span_attributes=attributes if any(attributes) else ())
        )
    faults.done()
    return items


def _json_lines(source: Source, faults: Faults) -> Iterator[tuple[int, Any]]:
    """The JSON values of a file, one a line, with their lines; blank lines are skipped."""
    import orjson

    with source.open() as handle:
        for line, raw in enumerate(handle, start=1):
            if raw.isspace():
                continue
            try:
                yield line, orjson.loads(raw.removeprefix(b"\xef\xbb\xbf") if line == 1 else raw)
            except orjson.JSONDecodeError as error:
                faults.add(
                    Fault(
                        code="json",
                        message=f"the line cannot be read: {error.msg}",
                        row=line,
                        expected="one JSON object a line",
                        found=repr(raw[:40]),
                    )
                )


def _layers(record: Any) -> Iterator[Any]:
    """The row once for every layer of spans that do not overlap: what a record can hold and be checked."""
    listed = record.get("spans") if isinstance(record, dict) else None
    if not isinstance(listed, list) or not all(_is_plain(span) for span in listed):
        yield record
        return
    layers: list[list[Mapping[str, Any]]] = []
    for span in sorted(listed, key=_place):
        for layer in layers:
            if layer[-1]["end"] <= span["start"]:
                layer.append(span)
                break
        else:
            layers.append([span])
    for spans in layers or [[]]:
        yield {**record, "spans": spans}


def _place(span: Mapping[str, Any]) -> tuple[int, int, str]:
    return span["start"], span["end"], str(span.get("label"))


def _is_plain(span: Any) -> bool:
    return isinstance(span, dict) and isinstance(span.get("start"), int) and isinstance(span.get("end"), int)


def _with_tokens(folder: Path, items: Sequence[Item], split: str | None) -> list[Item]:
    """Tokens and tags of a built set's config ``tokens``, by id."""
    from datasets import Features

    if "tokens" not in builtset.configs(folder):
        return list(items)
    table = builtset.read(folder, "tokens", split)
    names = Features.from_arrow_schema(table.schema)["tags"].feature.names
    rows = {row["id"]: row for row in table.to_pylist()}
    found = []
    for item in items:
        row = rows.get(item.id)
        if row is not None:
            item = replace(item, tokens=row["tokens"], tags=[names[tag] for tag in row["tags"]])
        found.append(item)
    return found


def _with_span_attributes(folder: Path, items: Sequence[Item], split: str | None) -> list[Item]:
    if "spans" not in builtset.configs(folder):
        return list(items)
    rows = builtset.read(folder, "spans", split).to_pylist()
    for row in rows:
        row["item"] = row.pop("id")
        row.pop("label", None)
        row.pop("span", None)
    return join_attributes(items, rows, file="spans")


def join_attributes(items: Sequence[Item], rows: Sequence[Mapping[str, Any]], *, file: str) -> list[Item]:
    """Items with the attributes of their spans, from rows with ``item, start, end`` and the attributes.

    ``item`` is the item's id, or its number from 1 where it has none. Raises a DataError for a span of
    the gold that has no row.
    """
    by_span = attribute_rows(rows, file=file)
    joined, faults = [], []
    for number, item in enumerate(items, start=1):
        names = [item.id] if item.id is not None else [f"#{number}", str(number)]
        found = []
        for span in item.spans:
            keys = [(name, span.start, span.end) for name in names]
            row = next((by_span[key] for key in keys if key in by_span), None)
            if row is None:
                faults.append(
                    Fault(
                        code="span_attributes",
                        message=f"a span of item {number} has no row",
                        file=file,
                        row=number,
                        expected=f"item={names[0]}, start={span.start}, end={span.end}",
                        found="none",
                        fix="write the table for this very gold with `probeta attributes`",
                    )
                )
            found.append(row or {})
        joined.append(replace(item, span_attributes=found))
    if faults:
        raise DataError(faults)
    return joined


def load_attribute_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a table of span attributes, in any format that `probeta attributes` writes."""
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return list(_json_rows(path))
    if path.suffix.lower() == ".parquet":
        import pyarrow.parquet as pq

        rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
        return rows
    return [dict(row.values) for row in tables.read_table(path, required=("item", "start", "end"))]


def is_attribute_table(path: Path) -> bool:
    """Whether a file is a table of span attributes rather than an annotated corpus, by its first row."""
    suffix = path.suffix.lower()
    if not path.is_file():
        return False
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        names = set(pq.read_schema(path).names)
    elif suffix == ".jsonl":
        names = set(next(_json_rows(path), {}))
    elif suffix == ".xlsx":
        names = set(tables.read_table(path).columns)
    elif suffix in (".csv", ".tsv"):
        with path.open(encoding="utf-8-sig", errors="replace") as handle:
            names = set(handle.readline().strip().replace("\t", ",").replace(";", ",").split(","))
    else:
        return False
    return {"item", "start", "end"} <= names


def _json_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file."""
    faults = Faults(str(path))
    for line, record in _json_lines(Source.of(path), faults):
        if isinstance(record, dict):
            yield record
        else:
            faults.add(
                Fault(code="record_type", message="the row is no object", row=line, expected="an object")
            )
    faults.done()


def load_strings(path: Path | str) -> list[StringRow]:
    """Sentences with the strings of their spans: an ADoBo CSV as it stands, or any annotated file."""
    if format_of(path) == "adobo":
        source = Source.of(path)
        faults = Faults(source.name)
        rows = [StringRow(row.sentence, row.spans) for row in read_rows(source, faults)]
        faults.done()
        return rows
    return [
        StringRow(sentence.text, tuple(sentence.surfaces()))
        for sentence in read_sentences(path, options=ReadOptions())
    ]


def load_labels(path: Path, *, config: str | None = "pairs", split: str | None = None) -> list[LabelledItem]:
    """Classes by id: a config of a built set, or a table or JSONL with ``id`` and ``label``.

    A built set's class is its ``connector_type``, which a file may have in place of ``label``. Rows of a
    file that name another ``config`` are left out, unless none is asked for.
    """
    if path.is_dir():
        rows: list[dict[str, Any]] = builtset.read(path, config or "pairs", split).to_pylist()
    elif path.suffix.lower() in (".jsonl", ".ndjson"):
        rows = list(_json_rows(path))
    else:
        rows = [dict(row.values) for row in tables.read_table(path, required=("id",))]
    items, faults = [], []
    for number, row in enumerate(rows, start=1):
        if config is not None and row.get("config") not in (None, "", config):
            continue
        id, label = row.pop("id", None), row.pop("label", None)
        if label in (None, ""):
            label = row.pop("connector_type", None)
        if id in (None, ""):
            faults.append(
                Fault(
                    code="missing_id",
                    message="the row has no id",
                    file=str(path),
                    row=number,
                    column="id",
                    expected="the id of a pair",
                    fix="give every row the id of its pair",
                )
            )
            continue
        items.append(LabelledItem(str(id), None if label in (None, "") else str(label), row))
    if faults:
        raise DataError(faults)
    if not items:
        raise UsageError(f"{path} holds no pairs{f' of the config {config}' if config else ''}")
    return items


def named_files(arguments: Sequence[str], *, what: str) -> dict[str, Path]:
    """Files by name: ``NAME=FILE``, or a file whose stem is its name; ``what`` says what they are.

    >>> sorted(named_files(["crf=out/1.jsonl", "out/beto.jsonl"], what="systems"))
    ['beto', 'crf']
    """
    found: dict[str, Path] = {}
    for argument in arguments:
        name, equals, file = argument.partition("=")
        if not equals or not name or Path(argument).exists():
            name, file = Path(argument).stem, argument
        if name in found:
            raise UsageError(f"two {what} are called {name}: name them, NAME=FILE")
        found[name] = Path(file)
    return found


def data_version(path: Path | str) -> str:
    """What a signature calls the data: a built set's name and version, else the file's name, and a hash.

    The hash of a built set leaves its reports out: a score written into the set does not change its data.
    """
    if str(path) == "-":
        return "stdin"
    place = Path(path)
    if place.is_dir():
        recipe = place / "build" / "probeta.yaml"
        sums = place / "SHA256SUMS"
        if recipe.is_file() and sums.is_file():
            from probeta.recipe.source import parse_yaml

            declared = parse_yaml(recipe.read_text(encoding="utf-8"), file=recipe.name).value
            if isinstance(declared, dict):
                lines = sums.read_text(encoding="utf-8").splitlines()
                kept = text_hash(*(line for line in lines if "  reports/" not in line))
                return f"{declared.get('name')}-{declared.get('version')}@{kept[:8]}"
        return place.name
    return f"{place.name}@{file_sha256(place)[:8]}"
