"""Tag sequences and spans: IOB1, IOB2, IOBES and BILOU, never guessed.

Positions are tokens, counted from 0 and end-exclusive. The schemes (Tjong Kim Sang & Veenstra 1999;
Ratinov & Roth 2009 for BILOU):

* IOB2: ``B-`` begins every span, ``I-`` continues it.
* IOB1: ``I-`` begins and continues; ``B-`` begins a span only right behind one of the same type.
* IOBES, BILOU: as IOB2, with a last token ``E-`` or ``L-`` and a span of one token ``S-`` or ``U-``.

A tag that is no tag of the scheme (``B_X``, ``LOC``, ``-``) is a fault under every policy. A sequence that
the scheme does not allow follows a named policy: ``error``; ``conlleval``, which reads it as the CoNLL
2000 script does; ``discard``, which leaves out each span that the script would read but that breaks the
scheme.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

from probeta.errors import UsageError, one_of
from probeta.tokens import TokenSpan

Policy = Literal["error", "conlleval", "discard"]
POLICIES: tuple[str, ...] = get_args(Policy)

#: scheme -> its prefixes and what they mean in terms of I, O, B, E (end) and S (single).
SCHEMES: dict[str, dict[str, str]] = {
    "IOB2": {"B": "B", "I": "I"},
    "IOB1": {"B": "B", "I": "I"},
    "IOBES": {"B": "B", "I": "I", "E": "E", "S": "S"},
    "BILOU": {"B": "B", "I": "I", "L": "E", "U": "S"},
}
_ALIASES = {"BIO": "IOB2", "BIOES": "IOBES", "BILUO": "BILOU"}


class Decoded(NamedTuple):
    """The spans of a sequence and its faults: positions with what is wrong there.

    ``unknown`` are tags that are none of the scheme, ``invalid`` ones that may not stand where they do.
    Where ``unknown`` is not empty, or ``invalid`` under the policy ``error``, ``spans`` is empty.
    """

    spans: list[TokenSpan]
    unknown: list[tuple[int, str]]
    invalid: list[tuple[int, str]]


def scheme_named(name: str) -> str:
    """The scheme's own name; BIO, BIOES and BILUO are understood, any case.

    >>> scheme_named("bio")
    'IOB2'
    """
    upper = name.upper()
    return one_of(_ALIASES.get(upper, upper), SCHEMES, what="tag scheme")


class Meaning(NamedTuple):
    """What a tag says: ``kind`` is I, O, B, E (end) or S (single) in any scheme; O has no label."""

    kind: str
    label: str


#: What stands before the first and behind the last tag of a sequence.
OUTSIDE = Meaning("O", "")


class Decoder:
    """One scheme's rule and policy, and the spans of one sentence by it.

    A scheme is a rule about neighbours: given the tag before, does this one go on with its span
    (``joins``), and is it allowed there (``starts_badly``, ``ends_badly``)? Whatever reads tags asks this
    rule; ``probeta.evaluation.tagblocks`` asks it once for each pair of kinds.

    ``label`` names the spans of bare ``B`` and ``I`` tags; where it is None they are unknown tags.

    >>> Decoder("IOB2")(["B-ENG", "I-ENG", "O", "B-ARGM-LOC"]).spans
    [TokenSpan(start=0, end=2, label='ENG'), TokenSpan(start=3, end=4, label='ARGM-LOC')]
    """

    __slots__ = ("_closes", "_label", "_meanings", "_prefixes", "_scheme", "policy")

    def __init__(self, scheme: str = "IOB2", *, policy: str = "error", label: str | None = None) -> None:
        self._scheme = scheme_named(scheme)
        self.policy = one_of(policy, POLICIES, what="policy for invalid tag sequences")
        self._label = label
        self._prefixes = SCHEMES[self._scheme]
        self._closes = "E" in self._prefixes.values()
        self._meanings: dict[str, Meaning | None] = {"O": OUTSIDE}

    @property
    def scheme(self) -> str:
        """The scheme's own name."""
        return self._scheme

    @property
    def expected(self) -> str:
        """The tags of the scheme, for a message about one that is none."""
        return "O, or one of " + ", ".join(f"{prefix}-LABEL" for prefix in self._prefixes)

    def meaning(self, tag: str) -> Meaning | None:
        """What ``tag`` says, wherever it stands; None if it is no tag of the scheme."""
        if tag in self._meanings:
            return self._meanings[tag]
        prefix, dash, label = tag.partition("-")
        kind = self._prefixes.get(prefix)
        if kind is None or (dash and not label) or (not dash and self._label is None):
            meaning = None
        else:
            meaning = Meaning(kind, label or self._label or "")
        self._meanings[tag] = meaning
        return meaning

    def joins(self, before: Meaning, this: Meaning) -> bool:
        """Whether ``this`` goes on with the span of ``before``; a tag with a label that does not begins one."""
        return before.kind in "BI" and this.kind in "IE" and before.label == this.label

    def starts_badly(self, before: Meaning, this: Meaning) -> bool:
        """Whether ``this`` may not stand behind ``before``."""
        if self._scheme == "IOB1":
            # There a B only parts a span from the one before it; I begins any other.
            return this.kind == "B" and not (before.kind in "BI" and before.label == this.label)
        return this.kind in "IE" and not self.joins(before, this)

    def ends_badly(self, last: Meaning) -> bool:
        """Whether ``last`` may not be the last of a span: IOBES and BILOU close every span."""
        return self._closes and last.kind in "BI"

    def __call__(self, tags: Sequence[str]) -> Decoded:
        """The spans of one sentence's tags."""
        meanings = [self.meaning(tag) for tag in tags]
        unknown = [(at, self._why_unknown(tags[at])) for at, one in enumerate(meanings) if one is None]
        if unknown:
            return Decoded([], unknown, [])
        wrong: dict[int, str] = {}
        spans: list[TokenSpan] = []
        start, before = 0, OUTSIDE
        for at, this in enumerate((*meanings, OUTSIDE)):
            if this is None or this is before is OUTSIDE:
                continue
            if not self.joins(before, this):
                if before is not OUTSIDE:
                    spans.append(TokenSpan(start, at, before.label))
                    if self.ends_badly(before):
                        message = f"{tags[at - 1]} opens or continues a span that is not closed"
                        wrong.setdefault(at - 1, message)
                start = at
                if self.starts_badly(before, this):
                    wrong[at] = f"{tags[at]} {self._why_bad_start(this)}"
            before = this
        invalid = sorted(wrong.items())
        if invalid and self.policy == "error":
            return Decoded([], [], invalid)
        if invalid and self.policy == "discard":
            broken = {at for at, _ in invalid}
            spans = [span for span in spans if broken.isdisjoint(range(span.start, span.end))]
        return Decoded(spans, [], invalid)

    def _why_unknown(self, tag: str) -> str:
        if tag in self._prefixes:
            return f"the tag {tag!r} has no label and no default label is named"
        return f"{tag!r} is no tag of {self._scheme}"

    def _why_bad_start(self, this: Meaning) -> str:
        if this.kind == "B":
            return "does not stand right behind a span of its type"
        return "continues no span of its type"


def encode(spans: Iterable[TokenSpan], *, length: int, scheme: str = "IOB2") -> list[str]:
    """The tags of ``length`` tokens for spans that are sorted and do not overlap.

    >>> encode([TokenSpan(0, 1, "X"), TokenSpan(1, 3, "X")], length=4, scheme="IOBES")
    ['S-X', 'B-X', 'E-X', 'O']
    """
    scheme = scheme_named(scheme)
    prefixes = {kind: prefix for prefix, kind in SCHEMES[scheme].items()}
    tags = ["O"] * length
    last: TokenSpan | None = None
    for span in spans:
        if not (last.end if last else 0) <= span.start < span.end <= length:
            raise UsageError(f"token span {span.start}-{span.end} is empty, out of order or beyond {length}")
        begin = "B"
        if scheme == "IOB1" and not (last and last.end == span.start and last.label == span.label):
            begin = "I"
        kinds = [begin, *"I" * (span.end - span.start - 1)]
        if "E" in prefixes:
            kinds[-1] = "E" if len(kinds) > 1 else "S"
        tags[span.start : span.end] = [f"{prefixes[kind]}-{span.label}" for kind in kinds]
        last = span
    return tags
