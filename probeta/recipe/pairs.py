"""The section ``pairs`` of a recipe: what is mined, how it is filtered, split and stressed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from probeta.recipe.basics import File, Model, Name, Text

Side = Literal["sentence_1", "sentence_2"]
Strategy = Literal["both_random", "first_random", "second_random", "both_entailed"]
Baseline = Literal["hypothesis_words", "premise_words", "hypothesis_first_character", "length", "overlap"]
Split = Literal["train", "validation", "test"]


class SegmenterSettings(Model):
    """How paragraphs become sentences."""

    kind: Literal["rules", "senter"] = Field(
        default="rules",
        description="rules everywhere, or spaCy's senter in the paragraphs that hold a linking phrase.",
    )
    abbreviations: File = Field(description="A table: abbreviation, ends_sentence (yes or no).")
    openers: list[Text] = Field(
        description="Words that open a sentence where an abbreviation that may end one stands before."
    )


class LanguageFilter(Model):
    """Both texts may be in the recipe's language rather than in one of ``among``."""

    among: list[str] = Field(min_length=1, description="The other languages that the corpora may hold.")
    at_least: float = Field(
        default=0.2, gt=0, lt=1, description="The least probability that a text is in the recipe's language."
    )


class Filters(Model):
    """Each filter may be left out (null or false); every one that is on is counted in the funnel."""

    dialogue: bool = Field(default=True, description="Refuse a hypothesis that opens a speaker's turn.")
    balanced_quotes: bool = Field(
        default=True, description="Refuse a text with an unclosed quote or bracket."
    )
    min_words: int | None = Field(default=3, ge=1)
    max_words: int | None = Field(default=80, ge=1)
    max_ratio: float | None = Field(default=5, ge=1, description="Longer text over shorter, in words.")
    language: LanguageFilter | None = None
    has_nominal_and_verb: bool = Field(
        default=True, description="Both texts hold a noun, pronoun or name, and a verb or auxiliary."
    )
    dedupe: bool = Field(default=True, description="Keep one of the pairs whose folded texts are the same.")


class NeutralSettings(Model):
    """How pairs without a linking phrase are made."""

    strategies: list[Strategy] = Field(
        default=["both_random", "first_random", "second_random", "both_entailed"], min_length=1
    )
    separation: int = Field(
        default=1, ge=0, description="Texts of a neutral pair are more than this many sentences apart."
    )
    across_documents: bool = Field(
        default=True,
        description="Where documents have one paragraph, pair across documents of the corpus and split.",
    )


class AppendStress(Model):
    """Insert ``text`` before the final punctuation of ``side``, ``times`` times."""

    operation: Literal["append"]
    side: Side
    text: Text
    times: int = Field(default=1, ge=1)


class MisspellStress(Model):
    """Misspell one word of ``side`` as a slip on the keyboard, seeded by the pair's id."""

    operation: Literal["misspell"]
    side: Side
    keyboard: list[Text] = Field(min_length=2, description="The rows of letter keys, each a string.")
    keep: list[Text] = Field(default_factory=list, description="Words that are never misspelt.")
    min_letters: int = Field(default=4, ge=2)


Stress = Annotated[AppendStress | MisspellStress, Field(discriminator="operation")]


class ArtifactSettings(Model):
    """What ``probeta artifacts`` measures and where its gates stand."""

    folds: int = Field(default=5, ge=2)
    sample: int = Field(default=20_000, ge=100, description="At most so many pairs are measured.")
    minimum: int = Field(default=400, ge=1, description="With fewer pairs, no gate is judged.")
    gates: dict[Baseline, float] = Field(
        default_factory=dict, description="Baseline -> the accuracy that its lower bound must not pass."
    )


class PairSettings(Model):
    """Everything that decides which pairs a corpus gives."""

    phrases: File = Field(description="The table of linking phrases.")
    corpora: list[File] = Field(
        default_factory=list, description="Tables: corpus, genre, domain, licence, split, cap, path."
    )
    models: list[str] = Field(
        default_factory=list,
        description="spaCy pipelines in order of preference; the first installed is used.",
    )
    segmenter: SegmenterSettings
    damaged_documents: Literal["refuse", "skip"] = Field(
        default="refuse", description="What to do with a document that is mojibake or cannot be read."
    )
    chained: Literal["keep", "train_only", "drop"] = Field(
        default="train_only",
        description="Pairs in which a text opens with another linking phrase; train_only keeps them out of "
        "validation and test.",
    )
    filters: Filters = Field(default_factory=Filters)
    neutral: NeutralSettings = Field(default_factory=NeutralSettings)
    splits: dict[Split, float] = Field(
        default={"train": 0.81, "validation": 0.09, "test": 0.1},
        description="Shares of each corpus's pairs; test-only corpora give all to test.",
    )
    stress: dict[Name, Stress] = Field(default_factory=dict, description="Stress set -> how it is made.")
    artifacts: ArtifactSettings = Field(default_factory=ArtifactSettings)

    @model_validator(mode="after")
    def _shares_add_up(self) -> PairSettings:
        if (
            "test" not in self.splits
            or abs(sum(self.splits.values()) - 1) > 1e-9
            or min(self.splits.values()) <= 0
        ):
            raise PydanticCustomError(
                "expected",
                "expected {expected}",
                {
                    "expected": "shares above 0 of train, validation and test that add up to 1, test among them"
                },
            )
        if (self.filters.has_nominal_and_verb or self.segmenter.kind == "senter") and not self.models:
            raise PydanticCustomError(
                "expected",
                "expected {expected}",
                {"expected": "models, since has_nominal_and_verb or senter needs one"},
            )
        return self
