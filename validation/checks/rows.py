"""Rows of a span set: ids, hashes, offsets and surfaces, Unicode, and the agreement of its three configs."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from probeta import tokens
from probeta.builders.spans.quotes import KIND
from probeta.errors import Fault
from probeta.formats.tags import Decoder
from probeta.hashing import text_hash
from probeta.records import span_faults, spans_of
from probeta.validation.checks.loaded import SpanSet, place

#: Marks that a span may not cover at its own edges: quotation belongs to the context.
_QUOTES = frozenset(KIND) | {"‟"}


def id_faults(loaded: SpanSet) -> Iterator[Fault]:
    """Ids are given and unique in ``sentences``, and ``tokens`` holds the same ids in the same order."""
    seen: dict[str, int] = {}
    for number, row in enumerate(loaded.sentences):
        if not row["id"]:
            yield Fault(code="id_missing", message="a row has no id", **place("sentences", number, "id"))
        elif row["id"] in seen:
            yield Fault(
                code="id_doubled",
                message=f"the id {row['id']} stands in row {seen[row['id']] + 1} too",
                **place("sentences", number, "id"),
            )
        else:
            seen[row["id"]] = number
    for number, row in enumerate(loaded.tokens):
        if row["id"] not in seen:
            yield Fault(
                code="id_unknown",
                message=f"no sentence has the id {row['id']}",
                **place("tokens", number, "id"),
            )
    with_tokens = {row["id"] for row in loaded.tokens}
    for number, row in enumerate(loaded.sentences):
        if row["id"] not in with_tokens:
            yield Fault(
                code="tokens_missing",
                message=f"the sentence {row['id']} has no tokens",
                **place("sentences", number),
            )


def text_faults(loaded: SpanSet) -> Iterator[Fault]:
    """Every text is encodable, free of NUL, NFC where it has a composed form, and as its hash says."""
    for number, row in enumerate(loaded.sentences):
        text = row["text"]
        where = place("sentences", number, "text")
        if not text or not text.strip():
            yield Fault(code="text_empty", message=f"{row['id']}: the text is empty", **where)
            continue
        if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
            yield Fault(code="text_unencodable", message=f"{row['id']}: NUL or lone surrogate", **where)
            continue
        if unicodedata.normalize("NFC", text) != text:
            yield Fault(
                code="text_not_nfc",
                message=f"{row['id']}: the text is not in Unicode normal form C",
                **where,
                fix="compose accents (NFC) in the source and build again",
            )
        if row["text_hash"] != text_hash(text):
            yield Fault(
                code="text_hash",
                message=f"{row['id']}: the text is not the one that was hashed",
                **place("sentences", number, "text_hash"),
                expected=text_hash(text),
                found=str(row["text_hash"]),
            )


def offset_faults(loaded: SpanSet) -> Iterator[Fault]:
    """Spans are in range, sorted, apart, and their ``text`` is what the offsets cover."""
    for number, row in enumerate(loaded.sentences):
        text = row["text"] or ""
        yield from span_faults(text, spans_of(row["spans"]), file="sentences", row=number + 1)
        for span in row["spans"]:
            surface = text[span["start"] : span["end"]]
            where = place("sentences", number, "spans")
            if surface != span["text"]:
                yield Fault(
                    code="span_surface",
                    message=f"{row['id']}: {span['start']}-{span['end']} does not cover its text",
                    **where,
                    expected=span["text"],
                    found=surface,
                )
            elif surface and (surface != surface.strip() or surface[0] in _QUOTES or surface[-1] in _QUOTES):
                yield Fault(
                    code="span_edges",
                    message=f"{row['id']}: the span begins or ends with a space or a quotation mark",
                    **where,
                    found=surface,
                )


def view_faults(loaded: SpanSet) -> Iterator[Fault]:
    """The config ``spans`` lists exactly the spans of ``sentences``."""
    listed: dict[tuple[str, int], tuple[int, tuple[object, ...]]] = {}
    for number, row in enumerate(loaded.spans):
        key = (row["id"], row["span"])
        if key in listed:
            yield Fault(
                code="span_doubled",
                message=f"span {row['span']} of {row['id']} stands twice",
                **place("spans", number),
            )
        listed[key] = (number, (row["start"], row["end"], row["label"], row["text"]))
    for number, row in enumerate(loaded.sentences):
        for at, span in enumerate(row["spans"]):
            there = (span["start"], span["end"], span["label"], span["text"])
            found = listed.pop((row["id"], at), None)
            if found is None:
                yield Fault(
                    code="span_unlisted",
                    message=f"span {at} of {row['id']} is not in the config spans",
                    **place("sentences", number, "spans"),
                )
            elif found[1] != there:
                yield Fault(
                    code="span_views_differ",
                    message=f"span {at} of {row['id']} differs between sentences and spans",
                    **place("spans", found[0]),
                    expected=str(there),
                    found=str(found[1]),
                )
    for (identifier, at), (number, _) in listed.items():
        yield Fault(
            code="span_unknown",
            message=f"no sentence has span {at} of {identifier}",
            **place("spans", number),
        )


def token_faults(loaded: SpanSet) -> Iterator[Fault]:
    """Tokens rejoin to the text, the tags are legal IOB2, and they say what the spans say."""
    sentences = {row["id"]: row for row in loaded.sentences}
    decode = Decoder("IOB2")
    for number, row in enumerate(loaded.tokens):
        sentence = sentences.get(row["id"])
        if sentence is None:
            continue
        where = place("tokens", number, "tags")
        if len(row["tokens"]) != len(row["tags"]):
            yield Fault(
                code="tags_length",
                message=f"{row['id']}: {len(row['tokens'])} tokens but {len(row['tags'])} tags",
                **where,
            )
            continue
        borders = tokens.place(row["tokens"], sentence["text"] or "")
        if borders is None:
            yield Fault(
                code="tokens_rejoin",
                message=f"{row['id']}: the tokens do not rejoin to the text",
                **place("tokens", number, "tokens"),
            )
            continue
        tags = [loaded.tag_names[tag] if 0 <= tag < len(loaded.tag_names) else "?" for tag in row["tags"]]
        decoded = decode(tags)
        if wrong := [*decoded.unknown, *decoded.invalid]:
            at, why = wrong[0]
            yield Fault(
                code="iob2",
                message=f"{row['id']}, token {at + 1}: {why}",
                **where,
                expected="B- before I- of the same label",
                found=" ".join(tags),
            )
            continue
        spans = [(borders[s.start][0], borders[s.end - 1][1], s.label) for s in decoded.spans]
        expected = [(s["start"], s["end"], s["label"]) for s in sentence["spans"]]
        if spans != expected:
            yield Fault(
                code="tags_differ",
                message=f"{row['id']}: the tags say other spans than the sentence",
                **where,
                expected=str(expected),
                found=str(spans),
            )


def label_faults(loaded: SpanSet, *, labels: Sequence[str]) -> Iterator[Fault]:
    """Every span has a label that the recipe declares."""
    for number, row in enumerate(loaded.sentences):
        for span in row["spans"]:
            if span["label"] not in labels:
                yield Fault(
                    code="label_unknown",
                    message=f"{row['id']}: {span['text']!r} has a label that the recipe does not declare",
                    **place("sentences", number, "spans"),
                    expected=", ".join(labels),
                    found=str(span["label"]),
                )
