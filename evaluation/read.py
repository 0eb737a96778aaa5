"""Gold and predictions out of any format that is known, as items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from probeta import builtset
from probeta.errors import Fault, UsageError
from probeta.evaluation.attribute_table import join_attributes
from probeta.evaluation.items import Item, layers
from probeta.evaluation.spantable import Labels
from probeta.evaluation.tagblocks import BLOCK, BlockDecoder, DecodedBlock
from probeta.formats import ReadOptions, ReadReport, format_of, is_positional, read_sentences
from probeta.formats.base import Faults, Source
from probeta.formats.conll import TaggedSentence, read_tagged, tag_faults
from probeta.formats.jsonl import records
from probeta.formats.rows import RowReader
from probeta.formats.tags import Decoder
from probeta.records import Sentence, Span

#: Keys of a span that are not attributes.
_SPAN_KEYS = ("start", "end", "label", "text")
#: Columns of a built set that say nothing about a sentence's language.
_BOOKKEEPING = ("text_hash", "canary", "parameters", "duplicate_of", "tokens")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The items of one file or column, and how many of its tags broke the scheme; ``name`` is the file's.

    ``doubts`` are what a reader should know of it: tasks left out, places that were chosen.
    """

    name: str
    items: Sequence[Item]
    invalid: int
    doubts: Sequence[Fault] = ()


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
    return Loaded(str(path), items, report.invalid_tags, report.warnings)


def only_test(path: Path) -> str | None:
    """``test`` for a built set of several splits with that one among them; else None, all there is."""
    splits = builtset.configs(path).get("sentences", []) if path.is_dir() else []
    return "test" if len(splits) > 1 and "test" in splits else None


def refuse_split(path: Path, split: str | None) -> None:
    """Raise a UsageError where a split is asked for of what has none."""
    if split is not None and not path.is_dir():
        raise UsageError(f"{path} is a file and has no splits: leave --split out, or name the built set")


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
    labels = Labels()
    # What must be told is read again by the rule alone, which says what is wrong.
    rule = Decoder(options.scheme, policy=options.invalid, label=options.label)
    decoders = [BlockDecoder(rule, labels) for _ in columns]
    items: list[list[Item]] = [[] for _ in columns]
    tagged = read_tagged(source, token_column=options.token_column, tag_columns=columns, faults=faults)
    for block in _tagged_blocks(tagged):
        for place, (decode, column) in enumerate(zip(decoders, columns, strict=True)):
            found = decode([sentence.tags[place] for sentence in block])
            for sentence in found.troubled:
                tag_faults(block[sentence], rule, column=column, faults=faults, place=place)
            if not faults.found:
                spans = _placed(block, found, list(labels))
                items[place] += [
                    _tagged_item(sentence, place, spans.get(number, ()))
                    for number, sentence in enumerate(block)
                ]
    faults.done()
    return [Loaded(source.name, found, decode.invalid) for found, decode in zip(items, decoders, strict=True)]


def _tagged_blocks(sentences: Iterable[TaggedSentence]) -> Iterator[list[TaggedSentence]]:
    """The sentences in lists of about as many tokens as are decoded at once."""
    block: list[TaggedSentence] = []
    tokens = 0
    for sentence in sentences:
        block.append(sentence)
        tokens += len(sentence.tokens)
        if tokens >= BLOCK:
            yield block
            block, tokens = [], 0
    if block:
        yield block


def _placed(
    block: Sequence[TaggedSentence], found: DecodedBlock, labels: Sequence[str]
) -> dict[int, list[Span]]:
    """The spans in characters, by the number of their sentence in the block."""
    spans: dict[int, list[Span]] = {}
    columns = (found.item, found.start, found.end, found.label)
    for item, start, end, label in zip(*(column.tolist() for column in columns), strict=True):
        spans.setdefault(item, []).append(block[item].span(start, end, labels[label]))
    return spans


def _tagged_item(sentence: TaggedSentence, place: int, spans: Sequence[Span]) -> Item:
    return Item(
        id=None if is_positional(sentence.id) else sentence.id,
        row=sentence.line,
        text=sentence.text,
        spans=spans,
        tokens=sentence.tokens,
        tags=sentence.tags[place],
        attributes=sentence.attributes,
    )


def _json_items(source: Source, options: ReadOptions, report: ReadReport) -> list[Item]:
    """The items of a JSONL file; further keys of a span are its attributes.

    Spans may overlap or stand twice, as systems write them. With ``options.texts`` texts may be missing.
    """
    faults = Faults(source.name)
    build = RowReader(replace(options, span_keys="drop"), report, faults)
    items: list[Item] = []
    for line, _, record in records(source, faults):
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
            items.append(Item(row=line))
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
            Item(row=line)
            if sentence is None
            else replace(
                _item(sentence), row=line, spans=spans, span_attributes=attributes if any(attributes) else ()
            )
        )
    faults.done()
    return items


def _layers(record: Any) -> Iterator[Any]:
    """The row once for every layer of spans that do not overlap: what a record can hold and be checked."""
    listed = record.get("spans") if isinstance(record, dict) else None
    if not isinstance(listed, list) or not all(_is_plain(span) for span in listed):
        yield record
        return
    spans = sorted(listed, key=_place)
    for layer in layers([(span["start"], span["end"]) for span in spans]) or [[]]:
        yield {**record, "spans": [spans[number] for number in layer]}


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
