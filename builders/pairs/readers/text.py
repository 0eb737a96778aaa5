"""Plain text: one file is one document, named by its path below the corpus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from probeta.builders.pairs.encoding import decode
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
from probeta.builders.pairs.repair import clean, paragraphs_of
from probeta.errors import DataError

ENDINGS = (".txt", ".text")


def _read(shard: Shard, part: Part) -> Iterator[Document | Refused]:
    path = Path(part.path)
    name, shown = document_id(shard, path, ENDINGS), relative(shard, path)
    try:
        text, encoding = decode(whole(path, shown), file=shown)
    except DataError as error:
        yield Refused(error.faults[0])
        return
    yield judged(name, text, lambda: paragraphs_of(clean(text)), file=shown, row=None, encoding=encoding)


TEXT = Kind(endings=ENDINGS, cut=None, read=_read, content=whole_file)
