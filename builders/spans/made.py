"""What a span recipe's rows are made of: its columns, automatic attributes, configurations and tokens.

The build writes it, and the checks make it anew to compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from probeta.builders.spans import attributes as automatic
from probeta.builders.spans.joins import APOSTROPHES
from probeta.builders.spans.noise import KeyboardTypo, layouts
from probeta.builders.spans.perturb import perturbed
from probeta.builders.spans.quotes import KIND
from probeta.errors import DataError, UsageError
from probeta.formats import tags
from probeta.recipe import SpanSetRecipe
from probeta.records import Sentence, Span
from probeta.tokens import Tokenizer, align, cut, joined, primary


class Tagging:
    """A sentence's tokens and IOB2 tags; a span that does not align is a DataError, never dropped.

    A tokenizer may leave an elided word or a quotation mark at its neighbour (``d'«Alella``); such a token
    is cut where a span begins or ends at the mark.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def __call__(self, sentence: Sentence) -> tuple[list[str], list[str]]:
        """The tokens and their tags, of equal number."""
        text = sentence.text
        tokens = self._tokenizer(text)
        spans, faults = align(tokens, sentence.spans, text=text, row=sentence.id)
        if faults:
            tokens = cut(tokens, _at_marks(text, sentence.spans))
            spans, faults = align(tokens, sentence.spans, text=text, row=sentence.id)
        if faults:
            raise DataError(faults)
        return [text[start:end] for start, end in tokens], tags.encode(spans, length=len(tokens))


_MARKS = frozenset(KIND) | frozenset(APOSTROPHES)


def _at_marks(text: str, spans: Iterable[Span]) -> Iterator[int]:
    """The borders of spans at an apostrophe or quotation mark, and those between two such marks there.

    >>> list(_at_marks("d'«Alella»", [Span(3, 9, "X")]))
    [3, 2, 9]
    """
    for span in spans:
        if text[span.start - 1 : span.start] in _MARKS:
            yield span.start
            if text[span.start - 2 : span.start - 1] in _MARKS:
                yield span.start - 1
        if text[span.end : span.end + 1] in _MARKS:
            yield span.end


class KeptTokens:
    """The tokens that the corpus gave, for a sentence in any way of writing, with its IOB2 tags.

    A perturbation may change letters but not spaces: the text is the tokens joined by one space.
    """

    def __init__(self, base: Sequence[Sentence]) -> None:
        self._spaces = {
            sentence.id: [token.count(" ") for token in sentence.attributes["tokens"]] for sentence in base
        }

    def __call__(self, sentence: Sentence) -> tuple[list[str], list[str]]:
        """The tokens and their tags, of equal number."""
        pieces = sentence.text.split(" ")
        spaces = self._spaces[str(sentence.attributes.get("base_id") or sentence.id)]
        tokens: list[str] = []
        piece = 0
        for inner in spaces:
            tokens.append(" ".join(pieces[piece : piece + inner + 1]))
            piece += inner + 1
        if piece != len(pieces):
            raise UsageError(f"{sentence.id}: a perturbation changes spaces, so the tokens cannot be kept")
        spans, faults = align(joined(tokens), sentence.spans, text=sentence.text, row=sentence.id)
        if faults:
            raise DataError(faults)
        return tokens, tags.encode(spans, length=len(tokens))


def variants(base: Iterable[Sentence], recipe: SpanSetRecipe, *, seed: int) -> Iterator[Sentence]:
    """Every base sentence in every configuration of the recipe's perturbation grid; itself without a grid.

    ``seed`` is the build's. A keyboard that the recipe does not name is that of its language, if there is one.
    """
    grid = recipe.perturbations.grid
    if not grid:
        return map(_unperturbed, base)
    policies: dict[str, Any] = dict(recipe.perturbations.policies)
    if KeyboardTypo.name in grid and primary(recipe.language) in layouts():
        policies.setdefault("layout", primary(recipe.language))
    return perturbed(base, grid=grid, policies=policies, seed=seed)


def _unperturbed(sentence: Sentence) -> Sentence:
    own = {"base_id": sentence.id, "operation": None, "parameters": None, "duplicate_of": None}
    kept = {name: value for name, value in sentence.attributes.items() if name not in ("tokens", "tags")}
    return replace(sentence, attributes={**kept, **own})


def sentence_columns(recipe: SpanSetRecipe) -> list[str]:
    """Sentence attributes that are columns: the recipe's own, then the dimensions of its perturbations."""
    own = [name for name, attribute in recipe.attributes.items() if attribute.level == "sentence"]
    return [*own, *(name for name in recipe.perturbations.grid if name not in own)]


def span_columns(recipe: SpanSetRecipe) -> list[str]:
    """Span attributes that are columns: the recipe's own, then the automatic ones that no dimension varies."""
    own = [name for name, attribute in recipe.attributes.items() if attribute.level == "span"]
    left_out = {*own, *sentence_columns(recipe)} | ({"type"} if not recipe.type_rule else set())
    left_out |= {name for name in ("spelling", "ambiguity") if name not in recipe.families}
    return [*own, *(name for name in automatic.VALUES if name not in left_out)]


def with_span_attributes(base: Iterable[Sentence], recipe: SpanSetRecipe) -> Iterator[Sentence]:
    """Fill each span's automatic attributes where the author gave no value."""
    base = list(base)
    rows = automatic_rows(base, recipe)
    for sentence in base:
        given: Sequence[Mapping[str, Any]] = sentence.attributes.get("span_attributes") or ()
        filled = []
        for at, _ in enumerate(sentence.spans):
            own = given[at] if given else {}
            filled.append(next(rows) | {name: value for name, value in own.items() if value is not None})
        yield replace(sentence, attributes={**sentence.attributes, "span_attributes": tuple(filled)})


def automatic_rows(base: Iterable[Sentence], recipe: SpanSetRecipe) -> Iterator[dict[str, Any]]:
    """The automatic attributes of every span, by the families that the recipe names."""
    return automatic.attribute_rows(
        base,
        language=recipe.language,
        spelling=recipe.families.get("spelling"),
        ambiguity=recipe.families.get("ambiguity"),
        adjacency="adjacency" in recipe.type_rule,
        type_rule=recipe.type_rule,
    )
