"""What holds for any text in Unicode, combining marks, joiners and nested quotation marks included."""

from __future__ import annotations

import sys
import unicodedata
from itertools import product

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from probeta.builders.spans import casing as casing_module
from probeta.builders.spans.casing import CASINGS, Casing
from probeta.builders.spans.perturb import QUOTES, Policies, configurations, perturbed
from probeta.builders.spans.quotes import Quotes, own_pairs
from probeta.builders.spans.registry import BUILT_IN, Registry
from probeta.records import Sentence, Span, cuts_letter

#: Characters whose cases differ in length or depend on context, word joiners, marks, joiners, quotes.
_AWKWARD = "ßŉİıﬁǆΐᾳΣσςΑ\u0345\u0301\u0307\u0327\u200d\u00ad'’‘“”\"„«»‹›‚-‐_.·/ \u00a0\t4ªǅaBñÑé¿👩💻"

#: Latin-1 texts take a way of their own.
_LATIN = "".join(char for char in _AWKWARD if char <= "\xff") + "aAbBzZñÑ1²ª_µÿ "

texts = st.one_of(
    st.text(
        st.one_of(st.sampled_from(_AWKWARD), st.characters(exclude_categories=["Cs"])),
        min_size=1,
        max_size=24,
    ),
    st.text(st.sampled_from(_LATIN), min_size=1, max_size=12),
)
policies = st.builds(
    Policies,
    quote_style=st.sampled_from(["curly", "straight", "guillemets", "german", "romanian"]),
    nested_style=st.sampled_from(["auto", "single"]),
    existing_quotes=st.sampled_from(["strip", "keep", "convert"]),
    title_rest=st.sampled_from(["keep", "lower"]),
    hyphens=st.sampled_from(["first", "every"]),
    span_words=st.sampled_from(["every", "first"]),
    locale=st.sampled_from(["und", "tr", "az"]),
)


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    text = draw(texts)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    spans = tuple(
        Span(start, end, draw(st.sampled_from(["ENG", "OTHER"])))
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
        if start < end and not cuts_letter(text, start, end)
    )
    return Sentence("b", text, spans, {"topic": "x"})


def folded(text: str) -> str:
    """Equal for all casings of a text: folding alone tells ı from I and İ from its lower case."""
    return text.upper().casefold()


@given(sentences(), policies)
def test_spans_are_sound_and_keep_number_order_and_labels(sentence: Sentence, policy: Policies) -> None:
    for row in configurations([sentence], policies=policy):
        Sentence(row.id, row.text, row.spans)  # raises on a span that is empty, out of range or order
        assert [span.label for span in row.spans] == [span.label for span in sentence.spans]
        assert row.attributes["topic"] == "x"


@given(sentences(), policies)
def test_a_surface_is_the_source_surface_mapped_in_its_context(sentence: Sentence, policy: Policies) -> None:
    assume(policy.locale == "und")
    assume(not any(own_pairs(sentence.text, sentence.spans)))
    # Where the lower case of a text is, character by character, its own lower case cut to the same lengths.
    lowered = sentence.text.lower()
    at = [0]
    for char in sentence.text:
        at.append(at[-1] + len(char.lower()))
    for row in configurations([sentence], policies=policy):
        for source, span, surface in zip(sentence.surfaces(), sentence.spans, row.surfaces(), strict=True):
            assert folded(surface) == folded(source)
            match row.attributes["casing"]:
                case "standard":
                    assert surface == source
                case "lower":
                    assert surface == lowered[at[span.start] : at[span.end]]
                case "upper" | "span_upper":
                    assert surface == source.upper()
                case _:
                    first = source[0].title() if source[0].isalpha() else source[0]
                    assert surface.startswith(first)


@given(sentences(), policies)
def test_the_fast_way_equals_the_way_by_edits(sentence: Sentence, policy: Policies) -> None:
    registry = Registry()
    given_policies = {name: getattr(policy, name) for name in Policies.__dataclass_fields__}
    casing, quotes = (
        registry.create(cls.name, {k: v for k, v in given_policies.items() if k in cls.__dataclass_fields__})
        for cls in (Casing, Quotes)
    )
    fast = list(configurations([sentence], policies=policy))
    for row, (one, other) in zip(fast, product(CASINGS, QUOTES), strict=True):
        text, spans, _ = casing.variant(sentence, value=one, seed=0)
        text, spans, _ = quotes.variant(Sentence("b", text, spans), value=other, seed=0)
        assert (row.id, row.text, row.spans) == (f"b|{one}|{other}", text, spans)


@given(sentences(), policies)
def test_unquoting_gives_the_text_back_where_nothing_was_quoted(sentence: Sentence, policy: Policies) -> None:
    assume(policy.existing_quotes != "keep")
    assume(not any(own_pairs(sentence.text, sentence.spans)))
    for row in configurations([sentence], quotes=["with"], policies=policy):
        (plain,) = configurations(
            [sentence], casings=[row.attributes["casing"]], quotes=["without"], policies=policy
        )
        (back,) = configurations([row], casings=["standard"], quotes=["without"], policies=policy)
        assert (back.text, back.spans) == (plain.text, plain.spans)


@given(sentences(), policies)
# Found by this property: marks that touch, a mark seen past the span's own ones, a span that is a mark.
@example(
    Sentence("b", '":0', (Span(1, 2, "ENG"), Span(2, 3, "ENG"))),
    Policies(quote_style="straight", existing_quotes="convert"),
)
@example(Sentence("b", '00A"0', (Span(0, 3, "ENG"),)), Policies(existing_quotes="convert"))
@example(Sentence("b", '"000"', (Span(1, 4, "ENG"), Span(4, 5, "ENG"))), Policies())
def test_quoting_and_unquoting_twice_is_doing_it_once(sentence: Sentence, policy: Policies) -> None:
    for quotes in QUOTES:
        (once,) = configurations([sentence], casings=["standard"], quotes=[quotes], policies=policy)
        (twice,) = configurations([once], casings=["standard"], quotes=[quotes], policies=policy)
        assert (twice.text, twice.spans) == (once.text, once.spans)


@given(sentences())
def test_text_outside_the_spans_is_untouched_by_what_concerns_spans_alone(sentence: Sentence) -> None:
    def around(text: str, spans: tuple[Span, ...]) -> list[str]:
        edges = [0, *(edge for span in spans for edge in (span.start, span.end)), len(text)]
        return [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]

    for row in configurations([sentence], casings=["span_upper", "span_title"], quotes=["without"]):
        if not any(own_pairs(sentence.text, sentence.spans)):
            assert around(row.text, row.spans) == around(sentence.text, sentence.spans)


@given(sentences(), st.integers(0, 3))
def test_every_built_in_perturbation_is_sound_and_repeatable(sentence: Sentence, seed: int) -> None:
    operations = [Registry().create(cls.name, {}) for cls in BUILT_IN]
    rows = list(perturbed([sentence], operations=operations, seed=seed))
    for row in rows:
        Sentence(row.id, row.text, row.spans)
        assert [span.label for span in row.spans] == [span.label for span in sentence.spans]
    assert rows == list(perturbed([sentence], operations=operations, seed=seed))
    assert len({row.id for row in rows}) == len(rows)


@pytest.mark.parametrize("cls", BUILT_IN)
@given(sentence=sentences())
def test_the_first_value_changes_nothing_but_existing_quotes(cls: type, sentence: Sentence) -> None:
    assume(not any(own_pairs(sentence.text, sentence.spans)))
    (row,) = perturbed([sentence], grid={cls.name: [cls.values[0]]})
    assert (row.text, row.spans, row.attributes["operation"]) == (sentence.text, sentence.spans, None)


def test_characters_of_the_fast_way_map_one_to_one_and_sit_on_no_other() -> None:
    usual = [char for char in map(chr, range(sys.maxunicode + 1)) if not casing_module._UNUSUAL.match(char)]
    assert len(usual) > 5_000
    for char in usual:
        assert len(char.lower()) == len(char.upper()) == len(char.title()) == 1, hex(ord(char))
        assert unicodedata.category(char) not in ("Mn", "Mc", "Me", "Cf"), hex(ord(char))


def test_no_case_mapping_starts_on_a_combining_mark() -> None:
    # Otherwise a casing could leave a span that may not be.
    for char in map(chr, range(sys.maxunicode + 1)):
        if not unicodedata.combining(char):
            for mapped in (char.lower(), char.upper(), char.title()):
                assert not unicodedata.combining(mapped[0]), hex(ord(char))
