"""What the stages of mining hand to each other."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

SEPARATOR = "\x1f"


class Document(NamedTuple):
    """A document with its clean paragraphs; ``encoding`` is what its file was read in."""

    id: str
    paragraphs: Sequence[str]
    encoding: str | None = None


class Place(NamedTuple):
    """Where a sentence stands: paragraph in the document and sentence in the paragraph, from 0."""

    paragraph: int
    sentence: int


class Text(NamedTuple):
    """A sentence as a pair uses it: its turn's dash parted, its place kept; ``order`` counts sentences."""

    text: str
    place: Place
    order: int
    turn: str = ""


@dataclass(slots=True)
class Candidate:
    """A hit with its premise: a linking pair if every filter lets it pass."""

    premise: Text
    hypothesis: Text
    phrase: str
    label: str
    surface: str
    lead_in: str
    chained: bool
    in_dialogue: bool


@dataclass(slots=True)
class Scanned:
    """What one document gives: candidates, and unused sentences for neutral pairs by the role they fit."""

    document: str
    candidates: list[Candidate]
    premises: list[Text] = field(default_factory=list)
    hypotheses: list[Text] = field(default_factory=list)
    pool: list[Text] = field(default_factory=list)


class Reject(NamedTuple):
    """A hit that made no pair, so that a person can read why; ``draw`` picks the sample."""

    reason: str
    corpus: str
    document: str
    paragraph: int
    sentence: int
    phrase: str
    premise: str | None
    hypothesis: str
    draw: int


@dataclass(slots=True)
class Counts:
    """The funnel of some documents; adding two gives the funnel of both."""

    totals: Counter[str] = field(default_factory=Counter)
    encodings: Counter[str] = field(default_factory=Counter)
    documents_refused: Counter[str] = field(default_factory=Counter)
    #: (phrase, rule or "") -> sentences that open with it; "" are the hits.
    phrases: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: class -> hits.
    hits: Counter[str] = field(default_factory=Counter)
    #: (reason, class) -> hits refused.
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: class -> linking pairs.
    linking: Counter[str] = field(default_factory=Counter)
    #: strategy -> neutral pairs.
    neutral: Counter[str] = field(default_factory=Counter)

    def add(self, other: Counts) -> None:
        """Add ``other`` to this one."""
        for name in self.__slots__:
            getattr(self, name).update(getattr(other, name))

    def to_json(self) -> dict[str, dict[str, int]]:
        """Every counter with its keys as text, sorted, so that equal counts give equal bytes."""
        return {
            name: {
                SEPARATOR.join(key) if isinstance(key, tuple) else key: count
                for key, count in sorted(getattr(self, name).items())
                if count
            }
            for name in self.__slots__
        }

    @classmethod
    def from_json(cls, value: dict[str, dict[str, int]]) -> Counts:
        """What ``to_json`` wrote."""
        counts = cls()
        for name in cls.__slots__:
            keyed = name in ("phrases", "refused")
            getattr(counts, name).update(
                {(tuple(key.split(SEPARATOR)) if keyed else key): n for key, n in value[name].items()}
            )
        return counts


def fold_text(text: str) -> str:
    """The key under which two texts are the same: NFC is given, case and white space are folded."""
    return " ".join(text.casefold().split())


def number(*parts: str) -> int:
    """Sixty-four bits that depend on nothing but ``parts``."""
    material = SEPARATOR.join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(material, digest_size=8).digest(), "big")


def pair_key(corpus: str, documents: Sequence[str], first: Place, second: Place, strategy: str) -> int:
    """A pair's id as a number: a hash of corpus, document (both, where they differ), both positions and
    strategy. The id is its sixteen hex digits."""
    places = (f"{first.paragraph}.{first.sentence}", f"{second.paragraph}.{second.sentence}")
    return number(corpus, *documents, *places, strategy)
