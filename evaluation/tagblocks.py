"""Tag sequences to spans as arrays, a block of sentences at a time: fast, and flat in memory.

A tag scheme is a rule about neighbours (``probeta.formats.tags.Decoder``). It is asked once for each pair
of kinds of tags; whatever is scored from tags, files of `probeta score` or tag lists, is decoded here.

Sequences that break the rule follow the decoder's policy: under ``error`` they are told, under
``conlleval`` read as that script reads them, under ``discard`` their broken spans are left out. Tags that
break the rule are counted under every policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from probeta.evaluation.spantable import Flags, Ints, Labels
from probeta.formats.tags import Decoder, Meaning

#: Tokens decoded at once: small beside any corpus, large beside the cost of a numpy call.
BLOCK = 1 << 16

#: The kinds of tags, O first.
_KINDS = "OIBES"

Tags = Sequence[Sequence[str]]


class CodedTags(NamedTuple):
    """The tags of a block of sentences: one code and one label's code (-1: none) a token.

    ``bounds`` says where each sentence begins among the tokens and, last, where the block ends.
    """

    code: Ints
    label: npt.NDArray[np.int32]
    bounds: Ints


class DecodedBlock(NamedTuple):
    """The spans of a block of sentences: ``item`` counts its sentences, ``start`` and ``end`` tokens.

    ``tags`` are what they were read from. ``troubled`` are the sentences with a tag that is unknown, or under
    the policy ``error`` forbidden; none of the block's spans is to be used if there are any.
    """

    item: Ints
    start: Ints
    end: Ints
    label: Ints
    tags: CodedTags
    troubled: list[int]


class Codes(dict[str, int]):
    """Tags to codes in order of first use."""

    def __missing__(self, tag: str) -> int:
        code = self[tag] = len(self)
        return code

    def of(self, block: Tags) -> Ints:
        """The codes of all tags, one after another."""
        return np.fromiter(map(self.__getitem__, chain.from_iterable(block)), dtype=np.int64)


class _Rule(NamedTuple):
    """A decoder's rule: by the kinds of two neighbours and whether their labels are equal (``_pairs``)."""

    joins: Flags
    starts_badly: Flags
    ends_badly: Flags


def _rule(decoder: Decoder) -> _Rule:
    pairs = [
        (Meaning(before, "a"), Meaning(this, label)) for before in _KINDS for this in _KINDS for label in "ba"
    ]
    return _Rule(
        joins=np.array([decoder.joins(*pair) for pair in pairs]),
        starts_badly=np.array([decoder.starts_badly(*pair) for pair in pairs]),
        ends_badly=np.array([decoder.ends_badly(Meaning(kind, "a")) for kind in _KINDS]),
    )


class BlockDecoder:
    """Decodes blocks of sentences by one decoder's rule; ``invalid`` counts the tags that broke it so far.

    Decoders that share their ``codes`` give equal tags equal codes.
    """

    __slots__ = ("_codes", "_kinds", "_labels", "_meant", "_rule", "decoder", "invalid")

    def __init__(self, decoder: Decoder, labels: Labels, codes: Codes | None = None) -> None:
        self.decoder = decoder
        self.invalid = 0
        self._rule = _rule(decoder)
        self._codes = Codes() if codes is None else codes
        self._labels = labels
        self._kinds: list[int] = []
        self._meant: list[int] = []

    def _learn(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
        """The kind of each code and its label's code, -1 for none; an unknown tag has the kind -1."""
        for tag in islice(self._codes, len(self._kinds), None):
            meaning = self.decoder.meaning(tag)
            self._kinds.append(-1 if meaning is None else _KINDS.index(meaning.kind))
            self._meant.append(-1 if meaning is None or meaning.kind == "O" else self._labels[meaning.label])
        return np.array(self._kinds, dtype=np.int8), np.array(self._meant, dtype=np.int32)

    def __call__(self, block: Tags) -> DecodedBlock:
        """The spans of the block's sentences, in their order."""
        codes = self._codes.of(block)
        kinds, meant = self._learn()
        kind, label = kinds[codes], meant[codes]
        offsets = bounds(block)
        begins = offsets[:-1][offsets[:-1] < offsets[1:]]
        # The pair of each tag with the one before it; where a sentence begins, that is O.
        pair = kind * 2
        pair[1:] += kind[:-1] * (2 * len(_KINDS)) + (label[1:] == label[:-1])
        pair[begins] = kind[begins] * 2
        joins = np.append(self._rule.joins[pair], False)
        inside = label >= 0
        start = np.flatnonzero(inside & ~joins[:-1])
        last = np.flatnonzero(inside & ~joins[1:])
        bad_start, bad_end = self._rule.starts_badly[pair[start]], self._rule.ends_badly[kind[last]]
        broken = bad_start | bad_end
        # One tag may break the rule at both ends of its span.
        self.invalid += int(bad_start.sum()) + int((bad_end & ~(bad_start & (start == last))).sum())
        trouble = np.flatnonzero(kind < 0)
        if self.decoder.policy == "error":
            trouble = np.concatenate((trouble, start[broken]))
        kept = ~broken if self.decoder.policy == "discard" else np.ones_like(broken)
        item = np.searchsorted(offsets, start, side="right") - 1
        base = offsets[item]
        return DecodedBlock(
            item=item[kept],
            start=(start - base)[kept],
            end=(last + 1 - base)[kept],
            label=label[start][kept].astype(np.int64),
            tags=CodedTags(codes, label, offsets),
            troubled=np.unique(np.searchsorted(offsets, trouble, side="right") - 1).tolist(),
        )


def bounds(block: Tags) -> Ints:
    """Where each sentence begins among the block's tokens, and, last, where the block ends."""
    lengths = np.fromiter(map(len, block), dtype=np.int64, count=len(block))
    return np.concatenate(([0], np.cumsum(lengths)))


def blocks(sizes: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Ranges of sentences of about ``BLOCK`` tokens; ``sizes`` are the sentences' numbers of tokens."""
    first = tokens = end = 0
    for end, size in enumerate(sizes, start=1):
        tokens += size
        if tokens >= BLOCK:
            yield first, end
            first, tokens = end, 0
    if first < end:
        yield first, end
