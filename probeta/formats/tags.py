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


class Decoder:
    """Decode tag sequences of one scheme; what each tag means is worked out once.

    ``label`` names the spans of bare ``B`` and ``I`` tags; where it is None they are unknown tags.

    >>> Decoder("IOB2")(["B-ENG", "I-ENG", "O", "B-ARGM-LOC"]).spans
    [TokenSpan(start=0, end=2, label='ENG'), TokenSpan(start=3, end=4, label='ARGM-LOC')]
    """

    __slots__ = ("_label", "_meanings", "_prefixes", "_scheme", "policy")

    def __init__(self, scheme: str = "IOB2", *, policy: str = "error", label: str | None = None) -> None:
        self._scheme = scheme_named(scheme)
        self.policy = one_of(policy, POLICIES, what="policy for invalid tag sequences")
        self._label = label
        self._prefixes = SCHEMES[self._scheme]
        self._meanings: dict[str, tuple[str, str] | None] = {"O": ("O", "")}

    def _meaning(self, tag: str) -> tuple[str, str] | None:
        prefix, dash, label = tag.partition("-")
        kind = self._prefixes.get(prefix)
        if kind is None or (dash and not label) or (not dash and self._label is None):
            meaning = None
        else:
            meaning = (kind, label or self._label or "")
        self._meanings[tag] = meaning
        return meaning

    def knows(self, tag: str) -> bool:
        """Whether ``tag`` is a tag of the scheme, wherever it stands."""
        return (self._meanings[tag] if tag in self._meanings else self._meaning(tag)) is not None

    def __call__(self, tags: Sequence[str]) -> Decoded:
        """The spans of one sentence's tags."""
        meanings = self._meanings
        kinds: list[tuple[str, str]] = []
        unknown: list[tuple[int, str]] = []
        for at, tag in enumerate(tags):
            meaning = meanings[tag] if tag in meanings else self._meaning(tag)
            if meaning is None:
                unknown.append((at, self._why_unknown(tag)))
            else:
                kinds.append(meaning)
        if unknown:
            return Decoded([], unknown, [])
        invalid = self._invalid(kinds, tags)
        if invalid and self.policy == "error":
            return Decoded([], [], invalid)
        spans = _chunks(kinds)
        if invalid and self.policy == "discard":
            broken = {at for at, _ in invalid}
            spans = [span for span in spans if broken.isdisjoint(range(span.start, span.end))]
        return Decoded(spans, [], invalid)

    def _why_unknown(self, tag: str) -> str:
        if tag in self._prefixes:
            return f"the tag {tag!r} has no label and no default label is named"
        return f"{tag!r} is no tag of {self._scheme}"

    def _invalid(self, kinds: Sequence[tuple[str, str]], tags: Sequence[str]) -> list[tuple[int, str]]:
        """Each position whose tag the scheme does not allow there, and why."""
        found: list[tuple[int, str]] = []
        last, last_label = "O", ""
        closes = self._scheme in ("IOBES", "BILOU")
        for at, (kind, label) in enumerate(kinds):
            inside = last in "BI" and last_label == label
            if kind in "IE" and not inside and self._scheme != "IOB1":
                found.append((at, f"{tags[at]} continues no span of its type"))
            if kind == "B" and not inside and self._scheme == "IOB1":
                found.append((at, f"{tags[at]} does not stand right behind a span of its type"))
            if closes and last in "BI" and not (inside and kind in "IE"):
                found.append((at - 1, f"{tags[at - 1]} opens or continues a span that is not closed"))
            last, last_label = kind, label
        if closes and last in "BI":
            found.append((len(kinds) - 1, f"{tags[-1]} opens or continues a span that is not closed"))
        return sorted(found)


def _chunks(kinds: Sequence[tuple[str, str]]) -> list[TokenSpan]:
    """The spans as conlleval reads them; on valid input, as the scheme defines them."""
    spans = []
    start, last, last_label = 0, "O", ""
    for at, (kind, label) in enumerate(kinds):
        if kind == last == "O":
            continue
        starts = kind in "BS" or (kind != "O" and (last in "OES" or label != last_label))
        if last != "O" and (starts or kind == "O" or last in "ES"):
            spans.append(TokenSpan(start, at, last_label))
        if starts:
            start = at
        last, last_label = kind, label
    if last != "O":
        spans.append(TokenSpan(start, len(kinds), last_label))
    return spans


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
