"""Tag lists scored: what seqeval and its kin do, by the parts that `probeta score` reads and counts with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from probeta.errors import DataError, Fault
from probeta.evaluation.counts import Counts, total
from probeta.evaluation.spantable import Ints, Labels, SpanTable, counts_by_label, from_arrays
from probeta.evaluation.tagblocks import BlockDecoder, CodedTags, Codes, Tags, blocks
from probeta.evaluation.token_scores import block_counts, summed
from probeta.formats.tags import Decoder

#: Faults kept with their address: whoever has more has the wrong scheme.
_KEPT_FAULTS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCounts:
    """Tokens, those with equal tags (None: two tag schemes), and those with a label, any tag but O."""

    tokens: int
    equal: int | None
    labelled: Counts

    @property
    def accuracy(self) -> float | None:
        """Tokens with equal tags of all tokens; None without tokens, or where tags do not compare."""
        return self.equal / self.tokens if self.tokens and self.equal is not None else None


class TagCounts(NamedTuple):
    """What two tagged corpora share: spans over all labels and by label, tokens, tags that break the rule."""

    spans: Counts
    by_label: dict[str, Counts]
    tokens: TokenCounts
    invalid: dict[str, int]


def score_tags(
    *,
    gold: Tags,
    predicted: Tags,
    scheme: str = "IOB2",
    predicted_scheme: str | None = None,
    policy: str = "error",
    gold_file: str = "gold",
    predicted_file: str = "predictions",
) -> TagCounts:
    """Strict span counts, counts by label and token counts of two tagged corpora.

    Both are sequences of sentences, each a sequence of tags; ``scheme`` is never guessed. Token accuracy
    compares the tags as they stand, so it needs one scheme on both sides. Raises a DataError for
    sentences of unequal length, unknown tags and, under the policy ``error``, broken sequences.

    >>> counts = score_tags(gold=[["B-ENG", "I-ENG", "O"]], predicted=[["B-ENG", "O", "O"]])
    >>> counts.spans.correct, counts.tokens.equal
    (0, 2)
    """
    if faults := _length_faults(gold, predicted, predicted_file):
        raise DataError(faults)
    labels, codes = Labels(), Codes()
    one = _Side(gold, Decoder(scheme, policy=policy), labels, codes, gold_file)
    other = _Side(
        predicted, Decoder(predicted_scheme or scheme, policy=policy), labels, codes, predicted_file
    )
    tokens = summed(
        block_counts(one.read(first, end), other.read(first, end)) for first, end in blocks(map(len, gold))
    )
    if faults := one.faults + other.faults:
        raise DataError(faults)
    by_label = counts_by_label(one.table(), other.table(), labels)
    comparable = one.decode.decoder.scheme == other.decode.decoder.scheme
    return TagCounts(
        spans=total(by_label.values()),
        by_label=by_label,
        tokens=TokenCounts(
            tokens=int(tokens.tokens.sum()),
            equal=int(tokens.equal.sum()) if comparable else None,
            labelled=tokens.labelled(),
        ),
        invalid={"gold": one.decode.invalid, "predicted": other.decode.invalid},
    )


def spans_of_tags(
    tags: Tags, *, scheme: str = "IOB2", policy: str = "error", labels: Labels, file: str = "tags"
) -> tuple[SpanTable, int]:
    """The spans of tagged sentences, in tokens, and how many tags broke the scheme."""
    side = _Side(tags, Decoder(scheme, policy=policy), labels, Codes(), file)
    for first, end in blocks(map(len, tags)):
        side.read(first, end)
    if side.faults:
        raise DataError(side.faults)
    return side.table(), side.decode.invalid


class _Side:
    """One tagged corpus as it is read block by block: its spans, and its faults up to a number of them."""

    def __init__(self, tags: Tags, decoder: Decoder, labels: Labels, codes: Codes, file: str) -> None:
        self.decode = BlockDecoder(decoder, labels, codes)
        self.faults: list[Fault] = []
        self._tags, self._file = tags, file
        self._parts: list[Ints] = [np.zeros((4, 0), dtype=np.int64)]

    def read(self, first: int, end: int) -> CodedTags:
        """Decode the sentences ``first`` to before ``end``; their codes are returned."""
        block = self.decode(self._tags[first:end])
        for sentence in block.troubled:
            if len(self.faults) < _KEPT_FAULTS:
                number = first + sentence
                self.faults += _tag_faults(number + 1, self._tags[number], self.decode.decoder, self._file)
        self._parts.append(np.stack([block.item + first, block.start, block.end, block.label]))
        return block.tags

    def table(self) -> SpanTable:
        """The spans of everything read so far."""
        return from_arrays(*np.concatenate(self._parts, axis=1))


def _tag_faults(number: int, tags: Sequence[str], decoder: Decoder, file: str) -> list[Fault]:
    """The faults of sentence ``number``, counted from 1."""
    decoded = decoder(tags)
    return [
        Fault(
            code="tag" if decoded.unknown else "tag_sequence",
            message=f"sentence {number}, token {at + 1}: {message}",
            file=file,
            row=number,
            expected=decoder.expected if decoded.unknown else f"a valid {decoder.scheme} sequence",
            found=" ".join(tags[max(0, at - 1) : at + 2]),
            fix="name the scheme of the tags"
            if decoded.unknown
            else "correct the tags, name their scheme, or choose the policy conlleval or discard",
        )
        for at, message in decoded.unknown or decoded.invalid
    ]


def _length_faults(gold: Tags, predicted: Tags, file: str) -> list[Fault]:
    faults = []
    if len(gold) != len(predicted):
        faults.append(
            Fault(
                code="item_count",
                message="gold and predictions have different numbers of sentences",
                file=file,
                row=min(len(gold), len(predicted)) + 1,
                expected=str(len(gold)),
                found=str(len(predicted)),
                fix="every sentence of the gold needs its prediction",
            )
        )
    for number, (one, other) in enumerate(zip(gold, predicted, strict=False), start=1):
        if len(one) != len(other):
            faults.append(
                Fault(
                    code="token_count",
                    message=f"sentence {number} has another number of tokens than the gold",
                    file=file,
                    row=number,
                    expected=str(len(one)),
                    found=str(len(other)),
                    fix="every token needs one tag",
                )
            )
    return faults
