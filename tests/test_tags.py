"""Tag sequences: four schemes give the same spans, invalid ones follow a named policy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta.errors import UsageError
from probeta.evaluation.spantable import Labels
from probeta.evaluation.tagged import spans_of_tags
from probeta.formats.tags import SCHEMES, Decoder, encode, scheme_named
from probeta.tokens import TokenSpan

# Sequence, scheme, then how many spans it has under conlleval and under discard; what `error` finds is
# where the comment points. The counts are those of conlleval.pl and of seqscore's repairs of that name.
INVALID = [
    ("I-X I-X O", "IOB2", [(0, 2, "X")], [], 1),  # the first I-X continues nothing
    ("O I-X O", "IOB2", [(1, 2, "X")], [], 1),
    ("B-PER I-LOC", "IOB2", [(0, 1, "PER"), (1, 2, "LOC")], [(0, 1, "PER")], 1),
    ("B-X O I-X", "IOB2", [(0, 1, "X"), (2, 3, "X")], [(0, 1, "X")], 1),
    ("O B-X I-X", "IOB1", [(1, 3, "X")], [], 1),  # B-X right behind nothing
    ("I-X B-Y", "IOB1", [(0, 1, "X"), (1, 2, "Y")], [(0, 1, "X")], 1),
    ("B-X I-X O", "IOBES", [(0, 2, "X")], [], 1),  # never closed
    ("B-X", "IOBES", [(0, 1, "X")], [], 1),
    ("B-X E-X E-X S-X", "IOBES", [(0, 2, "X"), (2, 3, "X"), (3, 4, "X")], [(0, 2, "X"), (3, 4, "X")], 1),
    ("B-X L-Y U-X", "BILOU", [(0, 1, "X"), (1, 2, "Y"), (2, 3, "X")], [(2, 3, "X")], 2),
]


@pytest.mark.parametrize(("text", "scheme", "lenient", "strict", "faults"), INVALID)
def test_an_invalid_sequence_follows_the_policy(
    text: str,
    scheme: str,
    lenient: list[tuple[int, int, str]],
    strict: list[tuple[int, int, str]],
    faults: int,
) -> None:
    tags = text.split()
    found = Decoder(scheme)(tags)
    assert found.spans == []
    assert len(found.invalid) == faults
    assert Decoder(scheme, policy="conlleval")(tags).spans == lenient
    discarded = Decoder(scheme, policy="discard")(tags)
    assert discarded.spans == strict
    assert len(discarded.invalid) == faults, "what is discarded is counted"


@pytest.mark.parametrize(
    ("tag", "scheme"),
    [("B_X", "IOB2"), ("LOC", "IOB2"), ("-", "IOB2"), ("o", "IOB2"), ("E-X", "IOB2"), ("B-", "IOB2"), ("B", "IOB2"), ("L-X", "IOBES"), ("", "IOB2")],
)  # fmt: skip
@pytest.mark.parametrize("policy", ["error", "conlleval", "discard"])
def test_a_tag_of_no_scheme_is_a_fault_under_every_policy(tag: str, scheme: str, policy: str) -> None:
    decoded = Decoder(scheme, policy=policy)(["O", tag])
    assert [at for at, _ in decoded.unknown] == [1]
    assert decoded.spans == []


def test_bare_tags_take_the_label_that_is_named() -> None:
    assert Decoder("IOB2", label="ENG")(["B", "I", "O", "B-OTHER"]).spans == [
        (0, 2, "ENG"),
        (3, 4, "OTHER"),
    ]


def test_a_label_keeps_its_hyphens() -> None:
    assert Decoder()(["B-ARGM-LOC", "I-ARGM-LOC"]).spans == [(0, 2, "ARGM-LOC")]


def test_names_of_schemes() -> None:
    assert [scheme_named(name) for name in ("bio", "BIOES", "bilou", "iob1")] == [
        "IOB2",
        "IOBES",
        "BILOU",
        "IOB1",
    ]
    with pytest.raises(UsageError, match="IOB2"):
        scheme_named("IOB3")


@st.composite
def token_spans(draw: st.DrawFn) -> tuple[int, list[TokenSpan]]:
    spans, at = [], 0
    for gap, size, label in draw(
        st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3), st.sampled_from(["X", "Y", "A-B"])))
    ):
        spans.append(TokenSpan(at + gap, at + gap + size, label))
        at += gap + size
    return at + draw(st.integers(0, 2)), spans


@given(token_spans())
def test_every_scheme_gives_the_same_spans(drawn: tuple[int, list[TokenSpan]]) -> None:
    length, spans = drawn
    for scheme in SCHEMES:
        tags = encode(spans, length=length, scheme=scheme)
        for policy in ("error", "conlleval", "discard"):
            decoded = Decoder(scheme, policy=policy)(tags)
            assert (decoded.spans, decoded.invalid) == (spans, []), (scheme, policy)


@given(st.lists(st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"]), max_size=8))
def test_what_discard_keeps_is_valid(tags: list[str]) -> None:
    """The kept spans, written again, are a valid sequence with exactly those spans."""
    for scheme in ("IOB1", "IOB2"):
        kept = Decoder(scheme, policy="discard")(tags).spans
        assert Decoder(scheme)(encode(kept, length=len(tags), scheme=scheme)).spans == kept


@given(st.lists(st.sampled_from(["O", "B-X", "I-X", "E-X", "S-X", "B-Y", "E-Y"]), max_size=8))
def test_discard_keeps_the_valid_spans_among_invalid_ones(tags: list[str]) -> None:
    kept = Decoder("IOBES", policy="discard")(tags).spans
    written = encode(kept, length=len(tags), scheme="IOBES")
    assert all(tags[at] == tag for at, tag in enumerate(written) if tag != "O")


@given(st.sampled_from(sorted(SCHEMES)), st.sampled_from(["conlleval", "discard"]), st.data())
def test_the_scorer_reads_the_same_spans(scheme: str, policy: str, data: st.DataObject) -> None:
    """The arrays of the scorer and this decoder are two ways of one rule."""
    names = ["O", *(f"{prefix}-{label}" for prefix in SCHEMES[scheme] for label in "XY")]
    tags = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=8))
    table, _ = spans_of_tags([tags], scheme=scheme, policy=policy, labels=Labels())
    read = Decoder(scheme, policy=policy)(tags).spans
    assert list(zip(table.start, table.end, strict=True)) == [(span.start, span.end) for span in read]


@pytest.mark.parametrize("spans", [[(0, 0, "X")], [(2, 3, "X"), (0, 1, "X")], [(0, 9, "X")]])
def test_spans_that_no_sequence_holds_are_refused(spans: list[tuple[int, int, str]]) -> None:
    with pytest.raises(UsageError):
        encode([TokenSpan(*span) for span in spans], length=4)
