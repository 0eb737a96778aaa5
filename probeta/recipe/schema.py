"""The models of ``probeta.yaml``; unknown keys are forbidden, and ``probeta schema`` prints them.

A kind of recipe is a subclass of ``RecipeBase`` with its own ``kind``; add it to ``KINDS``. Content stands
in the recipe, never in code: no model knows a label, an attribute or a lexicon by name.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, PrivateAttr, TypeAdapter

from probeta.recipe.basics import Family, File, LabelName, Model, Name, Text, Value, matching
from probeta.recipe.card import Card
from probeta.recipe.pairs import PairSettings
from probeta.recipe.selection import SelectionRule
from probeta.recipe.source import Document, Place


def _none_is_empty(value: object) -> object:
    return {} if value is None else value


def _list_is_text(value: object) -> object:
    return dict.fromkeys(value, "text") if isinstance(value, list) else value


class Label(Model):
    """What a label means."""

    definition: Text


class Attribute(Model):
    """A named property of spans or sentences, with its values and what they mean."""

    level: Literal["span", "sentence"]
    definition: Text
    values: dict[Value, Text] | None = Field(
        default=None, description="Value -> definition; left out, the attribute takes any text.", min_length=1
    )
    automatic: bool = Field(
        default=True, description="Whether the automatic labeller's value is to be compared with this one."
    )


class Cell(Model):
    """One combination of attribute values and how many base sentences it should hold."""

    values: dict[Name, Value]
    target: int = Field(ge=0)
    reason: Text | None = Field(default=None, description="Why the target differs from the other cells'.")


class Grid(Model):
    """The cells of the test set."""

    by: list[Name] = Field(min_length=1, description="The attributes that span the grid.")
    cells: list[Cell] = Field(min_length=1)

    def key(self, values: Mapping[str, str]) -> tuple[str, ...]:
        """A cell's values in the order of ``by``."""
        return tuple(values[name] for name in self.by)

    def targets(self) -> dict[tuple[str, ...], int]:
        """Target by cell, in the recipe's order."""
        return {self.key(cell.values): cell.target for cell in self.cells}


class Lexicon(Model):
    """A table of entries: which columns hold forms, which hold features."""

    file: File
    label: LabelName | None = Field(default=None, description="The label of every entry's span.")
    label_column: Name | None = Field(default=None, description="The column that holds each entry's label.")
    forms: dict[Name, Annotated[dict[Name, str], BeforeValidator(_none_is_empty)]] = Field(
        min_length=1, description="Columns that hold forms -> the features that this form overrides."
    )
    features: Annotated[
        dict[Name, Literal["text", "number"]],
        BeforeValidator(
            _list_is_text, json_schema_input_type=dict[Name, Literal["text", "number"]] | list[Name]
        ),
    ] = Field(default_factory=dict, description="Columns for conditions: a list, or name -> text | number.")
    reasons: Name | None = Field(default=None, description="The column that says why a form is `-`.")
    claims: Name | None = Field(
        default=None, description="The column that says why an attribute differs from the automatic one."
    )

    @property
    def labelled(self) -> bool:
        """Whether its slots become spans."""
        return self.label is not None or self.label_column is not None


class Agreement(Model):
    """A table of words that agree with an entry: ``word`` and one column a combination of features."""

    file: File
    columns: dict[Name, dict[Name, str]] = Field(
        default={
            "ms": {"gender": "masculine", "number": "singular"},
            "fs": {"gender": "feminine", "number": "singular"},
            "mp": {"gender": "masculine", "number": "plural"},
            "fp": {"gender": "feminine", "number": "plural"},
        },
        min_length=1,
        description="Column -> the features that an entry's form must have for it.",
    )


def _agreement_of_a_file(value: object) -> object:
    return {"file": value} if isinstance(value, str) else value


class Perturbations(Model):
    """The configurations of every base sentence: the product of the grid's values."""

    grid: dict[Name, Annotated[list[Name], Field(min_length=1)]] = Field(default_factory=dict)
    policies: dict[Name, str] = Field(default_factory=dict, description="Named options of the operations.")


class RecipeBase(Model):
    """What every kind of recipe declares."""

    name: Annotated[str, matching(r"[a-z0-9][a-z0-9_-]*", "lower-case letters, digits, _ and -")]
    version: Text
    date: datetime.date = Field(description="The built set's date; a build never reads the clock.")
    language: Annotated[
        str, matching(r"[a-z]{2,3}(-[A-Za-z0-9]+)*", "a language code such as es, en or pt-BR")
    ]
    seed: int = Field(ge=0)
    title: Text
    labels: dict[LabelName, Label] = Field(min_length=1)
    attributes: dict[Name, Attribute] = Field(default_factory=dict)
    perturbations: Perturbations = Field(default_factory=Perturbations)
    guidelines: list[File] = Field(
        default_factory=list, description="Markdown files below guidelines/, the recipe's own or the bundled."
    )
    card: Card

    _folder: Path = PrivateAttr(default_factory=Path)
    _shown: str = PrivateAttr(default="")
    _document: Document | None = PrivateAttr(default=None)

    @property
    def folder(self) -> Path:
        """The folder that ``probeta.yaml`` stands in."""
        return self._folder

    def path(self, file: str) -> Path:
        """A file of the recipe on this machine."""
        return self._folder / file

    def shown(self, file: str) -> str:
        """A file of the recipe as messages name it."""
        return f"{self._shown}/{file}"

    def line(self, place: Place) -> int | None:
        """The line of ``probeta.yaml`` that a place stands in; None for a recipe that was not read."""
        return self._document.line(place) if self._document is not None else None

    def guideline_path(self, file: str) -> Path:
        """A guideline: the recipe's own below ``guidelines/``, else the bundled one."""
        from importlib.resources import files

        own = self._folder / "guidelines" / file
        return own if own.is_file() else Path(str(files("probeta.guidelines"))) / file

    def files(self) -> Iterator[tuple[Place, str]]:
        """Every file that the recipe names below its folder, with the place that names it."""
        if self.card.licence_file is not None:
            yield ("card", "licence_file"), self.card.licence_file


class NearDuplicates(Model):
    """What `probeta check` calls a near-duplicate, and why such sentences are kept where they are."""

    share: float = Field(
        default=0.8, gt=0, le=1, description="Two base sentences with this part of their words in common."
    )
    kept: Text | None = Field(default=None, description="Why they are kept; left out, they are faults.")


class SpanSetRecipe(RecipeBase):
    """What every recipe for sentences with labelled spans declares, wherever the sentences come from."""

    near_duplicates: NearDuplicates = Field(default_factory=NearDuplicates)
    families: dict[Literal["spelling", "ambiguity"], Family] = Field(
        default_factory=dict, description="Automatic attribute -> the named family that computes it."
    )
    type_rule: list[Literal["adjacency", "ambiguity", "spelling"]] = Field(
        default_factory=list, description="The order in which automatic attributes decide the type."
    )


class SpanRecipe(SpanSetRecipe):
    """Sentences with labelled spans, from lexicons, templates and hand-written rows."""

    kind: Literal["spans"]
    grid: Grid
    lexicons: dict[Name, Lexicon] = Field(default_factory=dict)
    sentences: list[File] = Field(min_length=1)
    agreement: Annotated[
        Agreement | None,
        BeforeValidator(_agreement_of_a_file, json_schema_input_type=Agreement | str | None),
    ] = None
    joins: File | None = Field(default=None, description="A table of contractions and alternations.")
    selection: list[SelectionRule] = Field(
        default_factory=list, description="Rules that `probeta check` tests on the base sentences."
    )

    def cell_line(self, key: tuple[str, ...]) -> int | None:
        """The line of the cell with these values, in the grid's order."""
        return self.line(("grid", "cells", list(self.grid.targets()).index(key)))

    def files(self) -> Iterator[tuple[Place, str]]:
        """Lexicons, sentences, agreement and joins."""
        yield from super().files()
        for name, lexicon in self.lexicons.items():
            yield ("lexicons", name, "file"), lexicon.file
        for at, file in enumerate(self.sentences):
            yield ("sentences", at), file
        if self.agreement is not None:
            yield ("agreement",), self.agreement.file
        if self.joins is not None:
            yield ("joins",), self.joins


class TaggedColumns(Model):
    """The names of the columns that every tagged corpus has."""

    id: Text = "id"
    tokens: Text = "tokens"
    tags: Text = "tags"


class TaggedSource(Model):
    """How to read the corpus that `--corpus` names: its columns, its tags, its splits."""

    columns: TaggedColumns = Field(default_factory=TaggedColumns)
    scheme: Literal["IOB1", "IOB2", "IOBES", "BILOU"] = "IOB2"
    labels: dict[Text, LabelName] = Field(
        default_factory=dict, description="The corpus's name of a label -> the recipe's, where they differ."
    )
    splits: dict[Text, Literal["train", "validation", "test"]] = Field(
        min_length=1, description="Beginning of a file's name -> its split."
    )


class TaggedRecipe(SpanSetRecipe):
    """Sentences with labelled spans out of a tagged corpus that somebody else has released."""

    kind: Literal["tagged"]
    source: TaggedSource


class PairRecipe(RecipeBase):
    """Sentence pairs mined from corpora."""

    kind: Literal["pairs"]
    pairs: PairSettings

    def files(self) -> Iterator[tuple[Place, str]]:
        """The tables of phrases, abbreviations and corpora."""
        yield from super().files()
        yield ("pairs", "phrases"), self.pairs.phrases
        yield ("pairs", "segmenter", "abbreviations"), self.pairs.segmenter.abbreviations
        for at, file in enumerate(self.pairs.corpora):
            yield ("pairs", "corpora", at), file


Recipe: TypeAlias = SpanRecipe | TaggedRecipe | PairRecipe

KINDS: dict[str, type[SpanRecipe] | type[TaggedRecipe] | type[PairRecipe]] = {
    "spans": SpanRecipe,
    "tagged": TaggedRecipe,
    "pairs": PairRecipe,
}


def json_schema() -> dict[str, Any]:
    """The JSON Schema of ``probeta.yaml``, for editors."""
    adapter: TypeAdapter[Recipe] = TypeAdapter(Annotated[Recipe, Field(discriminator="kind")])
    schema = adapter.json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "probeta.yaml", **schema}
