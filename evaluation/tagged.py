"""Tag sequences to spans, fast: a million tokens in a fraction of a second, memory flat.

A tag scheme is a rule about neighbours: given the tag before and this tag, does a span begin, does one
go on, and is that valid? The rule is asked once for each pair of distinct tags; the sequences are then
decoded as arrays, a block of sentences at a time. Sequences that break the rule follow a named policy:

* ``error``: they are faults, and no span is read;
* ``conlleval``: they are read as conlleval.pl reads them: a span goes on while the label stays and the
  prefixes allow it, and anything else begins one;
* ``discard``: a span that conlleval would read but that breaks the scheme is left out.

What breaks the rule is counted under every policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from probeta.errors import DataError, Fault, one_of
from probeta.evaluation.counts import Counts, total
from probeta.evaluation.spantable import Labels, SpanTable, from_arrays
from probeta.formats.tags import POLICIES, SCHEMES, scheme_named

#: Tokens decoded at once: small beside any corpus, large beside the cost of a numpy call.
_BLOCK = 1 << 16
#: Faults kept with their address; the rest is counted.
_KEPT_FAULTS = 1000

Tags = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCounts:
    """Tokens, those with equal tags (None: two tag schemes), and those with a label, any tag but O."""

    tokens: int
    equal: int | None
    labelled: Counts

    def __add__(self, other: TokenCounts) -> TokenCounts:
        return TokenCounts(
            tokens=self.tokens + other.tokens,
            equal=None if self.equal is None or other.equal is None else self.equal + other.equal,
            labelled=self.labelled + other.labelled,
        )

    @property
    def accuracy(self) -> float | None:
        """Tokens with equal tags of all tokens; None without tokens, or where tags do not compare."""
        return self.equal / self.tokens if self.tokens and self.equal is not None else None


class TagCounts(NamedTuple):
    """What two tagged corpora share: spans over all labels and by label, tokens, broken sequences."""

    spans: Counts
    by_label: dict[str, Counts]
    tokens: TokenCounts
    invalid: dict[str, int]


class _Vocabulary(dict[str, int]):
    """Tags to codes in order of first use; 0 stands for what is before and after a sequence."""

    def __missing__(self, tag: str) -> int:
        code = self[tag] = len(self) + 1
        return code


@dataclass(frozen=True, slots=True)
class _Rules:
    """What the scheme says about each pair of codes (before, this), and about each code."""

    goes_on: npt.NDArray[np.bool_]
    bad_start: npt.NDArray[np.bool_]
    bad_end: npt.NDArray[np.bool_]
    label: npt.NDArray[np.int64]


def _rules(vocabulary: _Vocabulary, scheme: str, labels: Labels) -> _Rules:
    parsed: list[tuple[str, int]] = [("O", -1)]
    for tag in vocabulary:
        prefix, _, label = tag.partition("-")
        # A prefix that is none was reported; what it stands for no longer matters.
        kind = SCHEMES[scheme].get(prefix, "O")
        parsed.append((kind, -1) if kind == "O" else (kind, labels[label]))
    size = len(parsed)
    goes_on = np.zeros((size, size), dtype=np.bool_)
    bad_start = np.zeros((size, size), dtype=np.bool_)
    for before, (prefix_before, label_before) in enumerate(parsed):
        for this, (prefix, code) in enumerate(parsed):
            same = code >= 0 and code == label_before
            goes_on[before, this] = same and prefix_before in "BI" and prefix in "IE"
            if scheme == "IOB1":
                # There a B only parts a span from the one before it; I begins any other.
                bad_start[before, this] = prefix == "B" and not same
            else:
                bad_start[before, this] = prefix in "IE" and not goes_on[before, this]
    open_end = scheme in ("IOBES", "BILOU")
    bad_end = np.array([open_end and prefix in "BI" for prefix, _ in parsed], dtype=np.bool_)
    return _Rules(goes_on, bad_start, bad_end, np.array([label for _, label in parsed], dtype=np.int64))


class _Spans(NamedTuple):
    """Spans of a block, in its tokens; ``broken`` holds the starts of those that break the scheme."""

    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    label: npt.NDArray[np.int64]
    broken: npt.NDArray[np.int64]


class _Decoder:
    """Decodes one side of the comparison; remembers the rule for the tags seen so far."""

    def __init__(self, vocabulary: _Vocabulary, labels: Labels, scheme: str, policy: str, file: str):
        self.vocabulary, self.labels, self.scheme = vocabulary, labels, scheme
        self.policy = one_of(policy, POLICIES, what="policy for invalid tag sequences")
        self.file = file
        self.faults: list[Fault] = []
        self.invalid = 0
        self._known = 0
        self.rules = _rules(vocabulary, self.scheme, labels)

    def codes(self, block: Tags) -> npt.NDArray[np.int64]:
        """The tags' codes, one after another."""
        return np.fromiter(map(self.vocabulary.__getitem__, chain.from_iterable(block)), dtype=np.int64)

    def learn(self) -> None:
        """Bring the rule up to the vocabulary; a tag that the scheme does not know is a fault."""
        if len(self.vocabulary) > self._known:
            for tag in list(self.vocabulary)[self._known :]:
                self._check(tag)
            self._known = len(self.vocabulary)
            self.rules = _rules(self.vocabulary, self.scheme, self.labels)

    def _check(self, tag: str) -> None:
        prefix, dash, label = tag.partition("-")
        if tag == "O" or (prefix in SCHEMES[self.scheme] and dash and label):
            return
        others = [name for name, known in SCHEMES.items() if prefix in known and label]
        self.faults.append(
            Fault(
                code="tag",
                message=f"{tag!r} is no tag of the scheme {self.scheme}",
                file=self.file,
                expected="O, or one of " + ", ".join(f"{known}-LABEL" for known in SCHEMES[self.scheme]),
                found=repr(tag),
                fix=f"name the scheme: {' or '.join(others)}" if others else "write the label after a hyphen",
            )
        )

    def spans(
        self, codes: npt.NDArray[np.int64], begins: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
    ) -> _Spans:
        """The spans kept under the policy, and the starts of the broken ones.

        Positions count the block's tokens; ``begins`` and ``ends`` are the first and last position of
        each sequence.
        """
        rules = self.rules
        before, after = np.empty_like(codes), np.empty_like(codes)
        before[1:], after[:-1] = codes[:-1], codes[1:]
        before[begins] = 0
        after[ends] = 0
        inside = rules.label[codes] >= 0
        start = np.flatnonzero(inside & ~rules.goes_on[before, codes])
        last = np.flatnonzero(inside & ~rules.goes_on[codes, after])
        broken = rules.bad_start[before[start], codes[start]] | rules.bad_end[codes[last]]
        kept = ~broken if self.policy == "discard" else np.ones_like(broken)
        self.invalid += int(broken.sum())
        label = rules.label[codes[start]]
        return _Spans(start[kept], last[kept] + 1, label[kept], start[broken])

    def report(
        self, broken: npt.NDArray[np.int64], offsets: npt.NDArray[np.int64], first: int, block: Tags
    ) -> None:
        """Under the policy ``error``, a fault for each broken span, with sentence and token from 1."""
        if self.policy != "error":
            return
        for position in broken[: max(0, _KEPT_FAULTS - len(self.faults))].tolist():
            sentence = int(np.searchsorted(offsets, position, side="right")) - 1
            token = position - int(offsets[sentence])
            tags = block[sentence]
            self.faults.append(
                Fault(
                    code="tag_sequence",
                    message=f"sentence {first + sentence + 1}, token {token + 1}: the tags break {self.scheme}",
                    file=self.file,
                    row=first + sentence + 1,
                    expected=f"a valid {self.scheme} sequence",
                    found=" ".join(tags[max(0, token - 1) : token + 2]),
                    fix="correct the tags, name their scheme, or choose the policy conlleval or discard",
                )
            )


def _blocks(tags: Tags) -> Iterator[tuple[int, int]]:
    """Ranges of sentences of about ``_BLOCK`` tokens."""
    first = tokens = 0
    for number, sentence in enumerate(tags):
        tokens += len(sentence)
        if tokens >= _BLOCK:
            yield first, number + 1
            first, tokens = number + 1, 0
    if first < len(tags):
        yield first, len(tags)


def _bounds(block: Tags) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Where each sentence starts, then the first and last positions of those that are not empty."""
    lengths = np.fromiter(map(len, block), dtype=np.int64, count=len(block))
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    filled = lengths > 0
    return offsets, offsets[:-1][filled], offsets[1:][filled] - 1


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

    Both are sequences of sentences, each a sequence of tags; ``scheme`` is never guessed. Memory beyond
    the input is that of one block. Token accuracy compares the tags as they stand, so it needs one
    scheme on both sides. Raises a DataError for sentences of unequal length, unknown tags and, under
    the policy ``error``, broken sequences.

    >>> counts = score_tags(gold=[["B-ENG", "I-ENG", "O"]], predicted=[["B-ENG", "O", "O"]])
    >>> counts.spans.correct, counts.tokens.equal
    (0, 2)
    """
    labels = Labels()
    second_scheme = predicted_scheme or scheme
    vocabulary = _Vocabulary()
    # One vocabulary for both sides makes equal tags equal codes; with two schemes tags do not compare.
    other = vocabulary if second_scheme == scheme else _Vocabulary()
    one = _Decoder(vocabulary, labels, scheme_named(scheme), policy, gold_file)
    two = _Decoder(other, labels, scheme_named(second_scheme), policy, predicted_file)
    if faults := _length_faults(gold, predicted, predicted_file):
        raise DataError(faults)
    found: npt.NDArray[np.int64] = np.zeros((3, 0), dtype=np.int64)
    tokens = TokenCounts(tokens=0, equal=0, labelled=total([]))
    for first, end in _blocks(gold):
        blocks = gold[first:end], predicted[first:end]
        offsets, begins, ends = _bounds(blocks[0])
        codes = one.codes(blocks[0]), two.codes(blocks[1])
        one.learn()
        two.learn()
        if one.faults or two.faults:
            break
        spans = one.spans(codes[0], begins, ends), two.spans(codes[1], begins, ends)
        one.report(spans[0].broken, offsets, first, blocks[0])
        two.report(spans[1].broken, offsets, first, blocks[1])
        found = np.pad(found, ((0, 0), (0, len(labels) - found.shape[1])))
        found += _span_counts(spans[0], spans[1], len(codes[0]), len(labels))
        tokens += _token_counts(codes[0], codes[1], one.rules, two.rules, comparable=other is vocabulary)
    if faults := one.faults + two.faults:
        raise DataError(faults)
    by_label = {
        name: Counts(gold=int(found[0, code]), predicted=int(found[1, code]), correct=int(found[2, code]))
        for name, code in sorted(labels.items())
        if found[:, code].any()
    }
    invalid = {"gold": one.invalid, "predicted": two.invalid}
    return TagCounts(total(by_label.values()), by_label, tokens, invalid)


def _span_counts(gold: _Spans, predicted: _Spans, tokens: int, labels: int) -> npt.NDArray[np.int64]:
    """Three rows, gold, predicted and correct, by label. Spans of a sequence never share a start."""
    end_of_gold = np.zeros(tokens, dtype=np.int64)
    label_of_gold = np.zeros(tokens, dtype=np.int64)
    end_of_gold[gold.start] = gold.end
    label_of_gold[gold.start] = gold.label
    correct = (end_of_gold[predicted.start] == predicted.end) & (
        label_of_gold[predicted.start] == predicted.label
    )
    sides = gold.label, predicted.label, predicted.label[correct]
    return np.stack([np.bincount(side, minlength=labels) for side in sides])


def _token_counts(
    gold: npt.NDArray[np.int64],
    predicted: npt.NDArray[np.int64],
    gold_rules: _Rules,
    predicted_rules: _Rules,
    *,
    comparable: bool,
) -> TokenCounts:
    first, second = gold_rules.label[gold], predicted_rules.label[predicted]
    labelled = first >= 0
    return TokenCounts(
        tokens=len(gold),
        equal=int((gold == predicted).sum()) if comparable else None,
        labelled=Counts(
            gold=int(labelled.sum()),
            predicted=int((second >= 0).sum()),
            correct=int((labelled & (first == second)).sum()),
        ),
    )


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


def spans_of_tags(
    tags: Tags, *, scheme: str = "IOB2", policy: str = "error", labels: Labels, file: str = "tags"
) -> tuple[SpanTable, int]:
    """The spans of tagged sentences, in tokens, and how many broke the scheme."""
    decoder = _Decoder(_Vocabulary(), labels, scheme_named(scheme), policy, file)
    parts = []
    for first, end in _blocks(tags):
        block = tags[first:end]
        offsets, begins, ends = _bounds(block)
        codes = decoder.codes(block)
        decoder.learn()
        if decoder.faults:
            break
        spans = decoder.spans(codes, begins, ends)
        decoder.report(spans.broken, offsets, first, block)
        item = np.searchsorted(offsets, spans.start, side="right") - 1
        base = offsets[item]
        parts.append(np.stack([item + first, spans.start - base, spans.end - base, spans.label]))
    if decoder.faults:
        raise DataError(decoder.faults)
    columns = np.concatenate(parts, axis=1) if parts else np.zeros((4, 0), dtype=np.int64)
    return from_arrays(*columns), decoder.invalid
