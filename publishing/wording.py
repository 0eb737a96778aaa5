"""How a card speaks: its sentences, the words for what reports call by code, numbers, and the recipe's own texts.

English stands in the templates; another language has its sentences in ``templates/card/<language>.yaml``. The
words of reports (coefficients, filters, baselines) are in ``terms.yaml``, in every language. What only the
recipe can say in another language stands in its ``card.translations``; what it does not say there stays as it
was written.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from probeta.publishing.markdown import STYLES, numbers
from probeta.publishing.vocabularies import language_name
from probeta.recipe.card import Translation

if TYPE_CHECKING:
    from probeta.recipe import Recipe

#: The language that templates are written in.
ENGLISH = "en"


@functools.cache
def _content(name: str) -> Mapping[str, Any]:
    import yaml

    text = (files("probeta.templates") / "card" / f"{name}.yaml").read_text(encoding="utf-8")
    found: Mapping[str, Any] = yaml.load(text, Loader=yaml.BaseLoader)
    return found


def phrases(language: str) -> Mapping[str, str]:
    """The card's sentences in another language; English needs none."""
    return {} if language == ENGLISH else _content(language)


def terms() -> Mapping[str, Mapping[str, str]]:
    """Code of a report -> language -> words."""
    return _content("terms")


@dataclass(frozen=True, slots=True)
class Words:
    """A language with the recipe's texts in it."""

    language: str
    recipe: Recipe

    def __call__(self, sentence: str, /, **values: object) -> str:
        """``_`` of the templates: a sentence in the language, its names filled in."""
        text = sentence if self.language == ENGLISH else phrases(self.language)[sentence]
        return text.format(**values) if values else text

    def term(self, code: str) -> str:
        """What a report calls by ``code``, in words; a code that nobody wrote words for, with spaces."""
        return terms().get(code, {}).get(self.language) or code.replace("_", " ")

    def number(self, value: float, places: int = 0) -> str:
        """A number as the language writes it."""
        return numbers(STYLES[self.language])[0](value, places)

    def percent(self, rate: float, places: int = 1) -> str:
        """A rate from 0 to 1 in percent."""
        return numbers(STYLES[self.language])[1](rate, places)

    def value(self, estimate: Mapping[str, Any], places: int = 2) -> str:
        """The value of an estimate, or why there is none."""
        if estimate.get("value") is None:
            return self("undefined: {reason}", reason=self.term(str(estimate.get("reason") or "")))
        return self.number(estimate["value"], places)

    def interval(self, estimate: Mapping[str, Any], places: int = 2) -> str:
        """The interval of an estimate; empty where there is none."""
        if estimate.get("low") is None or estimate.get("high") is None:
            return ""
        low, high = (self.number(estimate[end], places) for end in ("low", "high"))
        return f"{low} {self('to')} {high}"

    @property
    def told(self) -> Translation:
        """The recipe's texts in this language, as far as it gives them."""
        if self.language == "es":
            return self.recipe.card.translations.get("es") or Translation()
        return Translation()

    def language_of(self, code: str) -> str:
        """The name of a language; in English where the card's language lists no other."""
        name = language_name(code)
        return phrases(self.language).get(name, name)

    def label(self, name: str) -> str:
        """What a label means."""
        return self.told.labels.get(name) or self.recipe.labels[name].definition

    def attribute(self, name: str) -> str:
        """What an attribute means."""
        told = self.told.attributes.get(name)
        return (told.definition if told else None) or self.recipe.attributes[name].definition

    def attribute_value(self, name: str, value: str) -> str:
        """What a value of an attribute or perturbation means; empty where nobody wrote it down."""
        told = self.told.attributes.get(name)
        declared = self.recipe.attributes.get(name)
        own = ((declared.values if declared else None) or {}).get(value, "")
        common: str = _content("values").get(name, {}).get(value, {}).get(self.language, "")
        return (told.values.get(value) if told else None) or own or common

    def reason(self, text: str) -> str:
        """Why a cell has another target than the others."""
        return self.told.reasons.get(text, text)

    def group(self, word: str) -> str:
        """The value that a group of items has in common, as a name; items without one have no name."""
        return self("not recorded") if word == "(none)" else f"`{word}`"

    def author(self, name: str) -> str:
        """An author as the card shows them."""
        return self.told.authors.get(name, name)


def untranslated(recipe: Recipe) -> dict[str, list[str]]:
    """For each further language of the card, what of the recipe's texts it would show as they were written."""
    return {language: list(_missing(recipe, told)) for language, told in recipe.card.translations.items()}


def _missing(recipe: Recipe, told: Translation) -> Iterator[str]:
    card = recipe.card
    for name in ("title", "summary", "personal_data", "funding", "licence_name"):
        if (recipe.title if name == "title" else getattr(card, name)) and not getattr(told, name):
            yield name
    for name in ("uses", "limits", "biases", "contacts"):
        if len(getattr(card, name)) != len(getattr(told, name)):
            yield name
    yield from (f"labels.{name}" for name in recipe.labels if name not in told.labels)
    for name, attribute in recipe.attributes.items():
        own = told.attributes.get(name)
        if own is None or own.definition is None:
            yield f"attributes.{name}"
        for value in attribute.values or ():
            if own is None or value not in own.values:
                yield f"attributes.{name}.values.{value}"
    yield from (
        f"sources.{one.name}" for one in card.sources if one.used_for and one.name not in told.sources
    )
    for name in ("dates", "pay", "training", "consent"):
        if getattr(card.campaign, name) and not getattr(told.campaign, name):
            yield f"campaign.{name}"
    cells = getattr(getattr(recipe, "grid", None), "cells", ())
    yield from (
        f"reasons: {reason}"
        for reason in dict.fromkeys(cell.reason for cell in cells if cell.reason)
        if reason not in told.reasons
    )
