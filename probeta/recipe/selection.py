"""Selection rules as data: what a recipe asks of its hand-picked base sentences.

``builders/spans/selection.py`` tests them. A ``where`` maps attributes of the grid to one value or a list
of values; a cell matches if it has one of them for each attribute; an empty ``where`` matches every cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from probeta.recipe.basics import Model


def _one_is_a_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


Where: TypeAlias = dict[
    str, Annotated[list[str], BeforeValidator(_one_is_a_list, json_schema_input_type=str | list[str])]
]


def matches(where: Mapping[str, list[str]], values: Mapping[str, str]) -> bool:
    """Whether a cell with ``values`` is meant by ``where``.

    >>> matches({"type": ["a", "b"]}, {"type": "b", "length": "single"})
    True
    """
    return all(values.get(name) in wanted for name, wanted in where.items())


class _LexiconRule(Model):
    lexicon: str


class Count(Model):
    """How many different entries (or combinations of entries in one sentence) the cells use."""

    where: Where
    count: int = Field(ge=0)
    unit: Literal["entry", "combination"] = "entry"


class EntryCounts(_LexiconRule):
    """The number of different entries used, by cells."""

    rule: Literal["entry_counts"]
    counts: list[Count] = Field(min_length=1)


class Twins(Model):
    """Cells that differ in one attribute alone use the same entries, in sentences that differ."""

    rule: Literal["twins"]
    attribute: str
    where: Where = Field(default_factory=dict)
    shared_words: float | None = Field(
        default=None, ge=0, le=1, description="Twin sentences share less than this part of their words."
    )


class Minimum(Model):
    """At least this many entries of the cells."""

    where: Where
    count: int = Field(ge=0)


class Band(_LexiconRule):
    """A numeric feature stands between two bounds; each exception has a coded reason."""

    rule: Literal["band"]
    feature: str
    above: float
    below: float
    minimum: list[Minimum] = Field(default_factory=list)
    exempt: list[Where] = Field(default_factory=list)
    reasons: str = Field(description="The column with the code of an exception's reason.")
    codes: dict[str, str] = Field(min_length=1, description="Code -> what it means.")


class _FeatureOrColumn(Model):
    """A rule over a feature of the used entries, or over a column of the sentences."""

    lexicon: str | None = None
    feature: str | None = None
    column: str | None = None


class Given(_FeatureOrColumn):
    """A feature is given for the entries of the cells, or a column for their sentences."""

    rule: Literal["given"]
    where: Where = Field(default_factory=dict)


class Spread(_FeatureOrColumn):
    """A feature of the used entries, or a column of the sentences, takes many values, none too often."""

    rule: Literal["spread"]
    at_least: int = Field(default=1, ge=1, description="Different values.")
    share: float = Field(default=1, gt=0, le=1, description="The largest part that one value may have.")


class Endings(_LexiconRule):
    """No two entries of a cell end alike without a reason."""

    rule: Literal["endings"]
    letters: int = Field(ge=1)
    reasons: str | None = None
    where: Where = Field(default_factory=dict)


class SharedNgrams(Model):
    """Sentences of different templates share no run of words outside their spans."""

    rule: Literal["shared_ngrams"]
    words: int = Field(ge=1)


class Openings(Model):
    """Only so many sentences begin with the same words."""

    rule: Literal["openings"]
    words: int = Field(ge=1)
    at_most: int = Field(ge=1)


class MeanTokens(Model):
    """The mean number of tokens, punctuation included, in the language's tokenization."""

    rule: Literal["mean_tokens"]
    at_least: float = Field(alias="from", ge=0)
    at_most: float = Field(alias="to", ge=0)


class OneCell(Model):
    """An entry stands in one cell only, or in cells that differ in one attribute alone."""

    rule: Literal["one_cell"]
    twins: str | None = Field(default=None, alias="except")


SelectionRule: TypeAlias = Annotated[
    EntryCounts | Twins | Band | Given | Spread | Endings | SharedNgrams | Openings | MeanTokens | OneCell,
    Field(discriminator="rule"),
]
