"""Perturbations beyond casing and quotes: expected texts by hand, spans by their surfaces."""

from __future__ import annotations

import pytest

from probeta.builders.spans.noise import KeyboardTypo, neighbours
from probeta.builders.spans.perturb import perturbed
from probeta.builders.spans.registry import Registry
from probeta.errors import UsageError
from probeta.records import Sentence, Span


def sentence(marked: str, id: str = "b1") -> Sentence:
    """``Hay [pie].`` as a sentence with the span ``pie``."""
    before, span, after = marked.replace("]", "[").split("[")
    return Sentence(id, before + span + after, (Span(len(before), len(before + span), "ENG"),))


@pytest.mark.parametrize(
    ("operation", "source", "expected"),
    [
        ("strip_diacritics", "La reunión del [café-théâtre] será en Logroño.", "La reunion del [cafe-theatre] sera en Logrono."),
        ("strip_diacritics:keep=ñÑ", "El [señor café] de ESPAÑA.", "El [señor cafe] de ESPAÑA."),
        ("strip_diacritics:keep=ñ", "El man\u0303ana, el [cafe\u0301].", "El man\u0303ana, el [cafe]."),
        # Not diacritics: a letter of its own, a voicing mark, a vowel sign.
        ("strip_diacritics", "Łódź, が, क़, [smørrebrød].", "Łodz, が, क़, [smørrebrød]."),
        ("drop_final_punctuation", "Hacen [burpees].", "Hacen [burpees]"),
        ("drop_final_punctuation", "Dijo: “Hay [pie]...”", "Dijo: “Hay [pie]”"),
        ("drop_final_punctuation", "¿Hay [pie]?! ", "¿Hay [pie] "),
        ("drop_final_punctuation", "Compró [Yahoo!]", "Compró [Yahoo!]"),
        ("drop_final_punctuation", "Compró [Yahoo!].", "Compró [Yahoo!]"),
        ("drop_final_punctuation", "En EE.UU. hay [pie]", "En EE.UU. hay [pie]"),
        ("double_whitespace", "Un [low cost] de  aquí\ty\u00a0allí", "Un  [low  cost]  de  aquí\ty\u00a0allí"),
    ],
)  # fmt: skip
def test_operation(operation: str, source: str, expected: str) -> None:
    (row,) = perturbed([sentence(source)], operations=[Registry().parse(operation)])
    wanted = sentence(expected)
    assert (row.text, row.spans) == (wanted.text, wanted.spans)
    assert row.attributes["duplicate_of"] == ("b1" if source == expected else None)


def test_a_typo_hits_a_neighbouring_key_outside_the_span() -> None:
    base = sentence("Corren y hacen [burpees] TODOS los días.")
    for seed in range(50):
        (row,) = perturbed([base], operations=[KeyboardTypo(count=2)], seed=seed)
        changed = [at for at, (old, new) in enumerate(zip(base.text, row.text, strict=True)) if old != new]
        assert len(changed) == 2
        assert row.spans == base.spans and row.surfaces() == ["burpees"]
        for at in changed:
            assert row.text[at].lower() in neighbours("es")[base.text[at].lower()]
            assert row.text[at].isupper() == base.text[at].isupper()


def test_a_typo_follows_from_seed_and_id_in_any_order() -> None:
    bases = [sentence("Hay mucho [pie] en casa.", id=f"b{number}") for number in range(40)]
    typo = [KeyboardTypo()]
    forward = {row.id: row.text for row in perturbed(bases, operations=typo, seed=3)}
    backward = {row.id: row.text for row in perturbed(bases[::-1], operations=typo, seed=3)}
    assert forward == backward
    assert len(set(forward.values())) > 20  # the draw differs from id to id
    other = {row.id: row.text for row in perturbed(bases, operations=typo, seed=4)}
    assert not forward.keys() & other.keys()  # the seed stands among the parameters, so in the id
    assert list(forward.values()) != list(other.values())


def test_a_span_alone_leaves_nothing_to_hit() -> None:
    (row,) = perturbed([sentence("[pie]")], operations=[KeyboardTypo()])
    assert (row.text, row.attributes["duplicate_of"]) == ("pie", "b1")


@pytest.mark.parametrize(
    ("layout", "key", "around"),
    [("de", "z", "tugh"), ("en", "l", "okp"), ("fr", "a", "zq"), ("pt", "ç", "lp"), ("ro", "ț", "șăâî")],
)
def test_keyboards_of_other_languages(layout: str, key: str, around: str) -> None:
    keys = neighbours(layout)
    assert set(keys[key]) == set(around)
    assert all(key in keys[other] for key in keys for other in keys[key])


def test_keys_and_their_neighbours() -> None:
    keys = neighbours("es")
    # On a Spanish keyboard ñ stands right of l, below p and far from m.
    assert set(keys["ñ"]) == {"l", "p"}
    assert set(keys["g"]) == {"f", "h", "t", "y", "v", "b"}
    assert set(keys["q"]) == {"w", "a"}
    assert all(key in keys[other] for key in keys for other in keys[key])


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("keyboard_typo:count=0", "count is 0"),
        ("keyboard_typo:count=two", "expected a number"),
        ("keyboard_typo:layout=xy", "unknown keyboard layout 'xy': expected one of de, en, es, fr, pt, ro"),
        ("keyboard_typo:count", "expected keyboard_typo:parameter=value"),
        ("strip_diacritic", "did you mean strip_diacritics"),
    ],
)
def test_a_wrong_operation_is_told(operation: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Registry().parse(operation)
