"""What the set was made from: SOURCES.csv and the card's table."""

from __future__ import annotations

import csv
import io
from typing import NamedTuple

from probeta.publishing.facts import Facts

#: What stands for a licence that nobody recorded, and for the use of a corpus that was read.
NOT_RECORDED, CORPUS = "not recorded", "corpus"


class SourceRow(NamedTuple):
    """A source with its licence; empty where it is not recorded."""

    source: str
    licence: str
    url: str
    used_for: str
    sha256: str


def source_rows(facts: Facts) -> list[SourceRow]:
    """The recipe's sources, then the corpora that were read, each with the hash of what was read of it."""
    rows = [
        SourceRow(source.name, source.licence or "", source.url or "", source.used_for or "", "")
        for source in facts.card.sources
    ]
    for name, corpus in (facts.build.get("corpora") or {}).items():
        rows.append(
            SourceRow(name, corpus.get("licence") or NOT_RECORDED, "", CORPUS, corpus.get("sha256", ""))
        )
    return rows


def sources_csv(facts: Facts) -> str:
    """SOURCES.csv."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(SourceRow._fields)
    writer.writerows(source_rows(facts))
    return buffer.getvalue()
