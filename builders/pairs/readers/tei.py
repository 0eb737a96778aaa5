"""TEI: each outermost ``<text>`` is a document, its ``<p>`` are the paragraphs, notes are left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from probeta.builders.pairs.readers.base import (
    Kind,
    Part,
    Refused,
    Shard,
    document_id,
    judged,
    relative,
    whole,
    whole_file,
)
from probeta.builders.pairs.records import Document
from probeta.builders.pairs.repair import clean, fold_space
from probeta.errors import DataError, Fault

ENDINGS = (".xml", ".tei")

#: Elements whose text is no running prose of the paragraph that holds them.
_LEFT_OUT = frozenset({"note", "fw", "figDesc", "teiHeader", "bibl"})


def _read(shard: Shard, part: Part) -> Iterator[Document | Refused]:
    from xml.etree import ElementTree

    path = Path(part.path)
    name, shown = document_id(shard, path, ENDINGS), relative(shard, path)
    try:
        root = ElementTree.fromstring(whole(path, shown))
    except DataError as error:
        yield Refused(error.faults[0])
        return
    except ElementTree.ParseError as error:
        fault = Fault(
            code="xml", message=f"the file is no XML: {error.msg}", file=shown, row=error.position[0]
        )
        yield Refused(fault)
        return
    texts = list(_outermost(root, "text"))
    for at, text in enumerate(texts):
        paragraphs = [fold_space(clean(_prose(node))) for node in _outermost(text, "p")]
        own = name if len(texts) == 1 else f"{name}#{at}"
        yield judged(own, "\n".join(paragraphs), paragraphs.copy, file=shown, row=None)


def _outermost(node: Any, wanted: str) -> Iterator[Any]:
    """The elements ``wanted`` below ``node`` that stand in no other one, notes and headers left out."""
    for child in node:
        local = _local(child)
        if local == wanted:
            yield child
        elif local not in _LEFT_OUT:
            yield from _outermost(child, wanted)


def _local(node: Any) -> str:
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def _prose(node: Any) -> str:
    """The text of a paragraph: notes are left out and what follows them is kept; breaks part words."""
    parts = [node.text or ""]
    for child in node:
        local = _local(child)
        if local in ("lb", "pb", "cb"):
            if child.get("break") == "no":
                parts[-1] = parts[-1].rstrip().removesuffix("-")
            else:
                parts.append(" ")
        elif local and local not in _LEFT_OUT:
            parts.append(_prose(child))
        parts.append(child.tail or "")
    return "".join(parts)


TEI = Kind(endings=ENDINGS, cut=None, read=_read, content=whole_file)
