"""Every document of the folder that is made from its facts: one call, so that they agree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from probeta.publishing import card, citation, statement
from probeta.publishing.croissant import croissant
from probeta.publishing.facts import gather
from probeta.publishing.figures import figures
from probeta.publishing.regions import HandText
from probeta.publishing.sources import sources_csv
from probeta.publishing.wording import ENGLISH

if TYPE_CHECKING:
    from probeta.recipe import Recipe


def documents(
    folder: Path, recipe: Recipe, *, kept: HandText | None = None, repository: str | None = None
) -> dict[str, str]:
    """The documents by their path in the folder, whose data, reports and ``build/`` stand already.

    They name the ``repository`` that the set is about to be published as, where one is given.
    """
    facts = gather(folder, recipe, repository=repository)
    made: dict[str, str] = {}
    for language in (ENGLISH, *recipe.card.translations):
        name = card.file_name(language)
        drawn = figures(facts, language=language)
        made |= drawn
        made[name] = card.card(facts, language=language, figures=drawn, kept=(kept or {}).get(name))
    return made | {
        "CITATION.cff": citation.cff(facts),
        ".zenodo.json": citation.zenodo(facts),
        "LICENSE": citation.licence_text(facts),
        "SOURCES.csv": sources_csv(facts),
        "DATASTATEMENT.md": statement.statement(facts),
        "CHANGELOG.md": statement.changelog(facts),
        "CANARY.txt": statement.canary_text(facts),
        "croissant.json": croissant(facts),
    }
