"""The section ``card`` of a recipe: the facts about a data set that no code can compute.

One source for the card, Croissant, CITATION.cff, Zenodo, BibTeX and the Data Statement. Every fact is
optional but the licence and the authors; what nobody recorded is left out of the documents or said to be
not recorded.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from probeta.recipe.basics import File, LabelName, Model, Name, Text, Value, matching

Doi = Annotated[str, matching(r"10\.\d{4,9}/\S+", "a DOI such as 10.5281/zenodo.1003150")]


class Author(Model):
    """Who made the set. With ``family`` a person, whose name ends with it; without, also a group."""

    name: Text
    family: Text | None = Field(default=None, description="The family name, the end of the name.")
    orcid: (
        Annotated[str, matching(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]", "an ORCID such as 0000-0002-1825-0097")]
        | None
    ) = None
    affiliation: Text | None = None
    email: Text | None = None

    @model_validator(mode="after")
    def _family_ends_the_name(self) -> Author:
        if self.family is not None and not self.name.endswith(f" {self.family}"):
            raise PydanticCustomError(
                "expected", "expected {expected}", {"expected": "the end of the name as family name"}
            )
        return self

    @property
    def given(self) -> str | None:
        """The name without the family name."""
        return self.name[: -len(self.family)].rstrip() if self.family else None

    def __str__(self) -> str:
        return self.name


class Source(Model):
    """Something that the set was made from, under its own licence."""

    name: Text
    licence: Text | None = None
    url: Text | None = None
    used_for: Text | None = None

    def __str__(self) -> str:
        parts = [f"{self.name}: {self.used_for}" if self.used_for else self.name, self.licence, self.url]
        return ", ".join(part for part in parts if part)


class Choice(Model):
    """A field of the gate in which one of several options is chosen."""

    type: Literal["select"]
    options: list[Text] = Field(min_length=2)


class Gating(Model):
    """What a person is asked before the Hub gives the files out."""

    prompt: Text
    fields: dict[Text, Literal["text", "checkbox", "date_picker", "country"] | Choice] = Field(
        default_factory=dict, description="Question -> kind of answer."
    )


class Paper(Model):
    """A paper that describes the set or its method."""

    title: Text
    authors: list[Text] = Field(min_length=1)
    year: int
    url: Text | None = None
    doi: Doi | None = None


class Statement(Model):
    """The parts of a Data Statement (schema version 3) that only people know."""

    curation: Text | None = Field(default=None, description="Why these texts, and how they were chosen.")
    varieties: Text | None = Field(default=None, description="Language varieties in words.")
    language_users: Text | None = Field(default=None, description="Who wrote or spoke the texts.")
    annotators: Text | None = Field(default=None, description="Who annotated: background, training, pay.")
    situation: Text | None = Field(
        default=None, description="Time, place, modality, genre and intended audience of the texts."
    )
    preprocessing: Text | None = None
    quality: Text | None = Field(default=None, description="Quality of the capture: scans, transcripts, OCR.")
    ethics: Text | None = Field(default=None, description="Ethical review and disclosures.")
    social_impact: Text | None = None
    collection: Text | None = Field(default=None, description="How and when the texts were collected.")
    maintenance: Text | None = Field(
        default=None, description="Who keeps the set, and how to report a fault."
    )


class Campaign(Model):
    """An annotation campaign, as far as the annotations themselves do not tell it."""

    platform: Text | None = None
    dates: Text | None = Field(default=None, description="When the annotation took place.")
    pay: Text | None = None
    training: Text | None = None
    consent: Text | None = Field(
        default=None,
        description="The annotators' consent to the publication of their single annotations; without it "
        "single annotations are not published.",
    )


class AttributeTranslation(Model):
    """What an attribute and its values mean, in another language."""

    definition: Text | None = None
    values: dict[Value, Text] = Field(default_factory=dict, description="Value -> what it means.")


class Translation(Model):
    """The recipe's texts in another language, for the card; what is left out stays as it was written."""

    title: Text | None = None
    summary: Text | None = None
    uses: list[Text] = Field(default_factory=list)
    limits: list[Text] = Field(default_factory=list)
    biases: list[Text] = Field(default_factory=list)
    personal_data: Text | None = None
    funding: Text | None = None
    licence_name: Text | None = None
    contacts: list[Text] = Field(default_factory=list)
    authors: dict[Text, Text] = Field(default_factory=dict, description="Author -> how the card names them.")
    sources: dict[Text, Text] = Field(default_factory=dict, description="Source -> what it was used for.")
    labels: dict[LabelName, Text] = Field(default_factory=dict, description="Label -> definition.")
    attributes: dict[Name, AttributeTranslation] = Field(default_factory=dict)
    reasons: dict[Text, Text] = Field(
        default_factory=dict, description="Reason of a cell, as the grid has it -> in this language."
    )
    campaign: Campaign = Field(default_factory=Campaign)


def _named(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


OneAuthor = Annotated[Author, BeforeValidator(_named, json_schema_input_type=Author | str)]
OneSource = Annotated[Source, BeforeValidator(_named, json_schema_input_type=Source | str)]
Variety = Annotated[str, matching(r"[a-z]{2,3}(-[A-Za-z0-9]+)*", "a BCP 47 tag such as es-ES")]


class Card(Model):
    """Facts for the dataset card that no code can compute."""

    licence: Text = Field(description="The licence's identifier on the Hub, such as cc-by-4.0.")
    licence_name: Text | None = Field(default=None, description="The licence's name, where it is `other`.")
    licence_file: File | None = Field(default=None, description="The licence's text, for LICENSE.")
    authors: list[OneAuthor] = Field(min_length=1, description="Names, or name, family, orcid, affiliation.")
    contacts: list[Text] = Field(default_factory=list)
    summary: Text | None = None
    uses: list[Text] = Field(default_factory=list, description="What the set is for.")
    limits: list[Text] = Field(default_factory=list, description="What it cannot show.")
    biases: list[Text] = Field(default_factory=list, description="Known biases.")
    sources: list[OneSource] = Field(
        default_factory=list, description="What it was made from: a text, or name, licence, url, used_for."
    )
    papers: list[Paper] = Field(default_factory=list, description="Papers on the set or its method.")
    citation: Text | None = Field(default=None, description="A BibTeX entry, in place of the generated one.")
    funding: Text | None = None
    keywords: list[Text] = Field(default_factory=list)
    varieties: list[Variety] = Field(default_factory=list, description="Language varieties, BCP 47.")
    task_categories: list[Text] = Field(default_factory=list, description="The Hub's words for the task.")
    task_ids: list[Text] = Field(default_factory=list)
    annotations_creators: list[Text] = Field(default_factory=list)
    language_creators: list[Text] = Field(default_factory=list)
    source_datasets: list[Text] = Field(default_factory=list)
    personal_data: Text | None = Field(default=None, description="Personal data in the set, or its absence.")
    url: Text | None = Field(default=None, description="Where the set is, or will be, published.")
    repository: Text | None = Field(default=None, description="ORG/NAME on the Hub, for the load snippets.")
    doi: Doi | None = None
    training: bool = Field(default=False, description="Whether models may be trained on the set.")
    gating: Gating | None = None
    hold_back: list[Text] = Field(
        default_factory=list, description="Splits that stay on this machine, below private/."
    )
    statement: Statement = Field(default_factory=Statement)
    campaign: Campaign = Field(default_factory=Campaign)
    changes: dict[Text, list[Text]] = Field(
        default_factory=dict, description="Version -> what changed in it, newest first."
    )
    translations: dict[Literal["es"], Translation] = Field(
        default_factory=dict, description="The card in further languages, as README.<language>.md."
    )
