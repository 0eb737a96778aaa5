"""The dataset card: YAML header and Markdown, made from what stands in the folder.

Every number of the card is read from ``reports/*.json`` or from the Parquet files; the facts that no
file can know (licence, authors, limits) come from the recipe's ``card`` section. A fact that nobody
recorded is left out or said to be not recorded, never a placeholder. What a person writes between the
markers of ``yours`` survives a rebuild.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from probeta.publishing.facts import Facts
from probeta.publishing.header import header
from probeta.publishing.markdown import table
from probeta.publishing.regions import region, sealed
from probeta.publishing.sections import composition, findings, structure
from probeta.publishing.wording import ENGLISH, Words


def card(
    facts: Facts,
    *,
    language: str = ENGLISH,
    figures: Iterable[str] = (),
    kept: Mapping[str, str] | None = None,
) -> str:
    """The text of ``README.md``; ``figures`` are their paths, ``kept`` is what people wrote, by region.

    The Hub reads the header of ``README.md`` only, so a card in another language has none.
    """
    words = Words(language, facts.recipe)
    values = {
        "language": language,
        "recipe": facts.recipe,
        "card": facts.card,
        "reports": _Known(facts.reports),
        "build": _Known(facts.build),
        "figures": _Known({path.rsplit("/", 1)[-1].split(".")[0]: path for path in figures}),
        **structure.values(facts, words),
        **composition.values(facts, words),
        **findings.values(facts, words),
    }
    body = render("card.md.j2", values, words=words, kept=kept or {})
    return sealed(f"{header(facts)}\n{body}" if language == ENGLISH else body)


def file_name(language: str) -> str:
    """The file of the card in a language.

    >>> file_name("en"), file_name("es")
    ('README.md', 'README.es.md')
    """
    return "README.md" if language == ENGLISH else f"README.{language}.md"


def render(name: str, values: Mapping[str, Any], *, words: Words, kept: Mapping[str, str]) -> str:
    """Fill ``templates/card/<name>``."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("probeta.templates", "card"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Markdown; texts are quoted as JSON where they could break it.
    )
    environment.filters["number"], environment.filters["percent"] = words.number, words.percent
    environment.filters["term"] = words.term
    text = environment.get_template(name).render(
        _=words,
        table=table,
        yours=lambda name: region(name, kept.get(name, "")),
        **values,
    )
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


class _Known(dict[str, Any]):
    """What is known, by name; what is not is empty, so that its section is left out."""

    def __missing__(self, name: str) -> dict[str, Any]:
        return {}

    def __getattr__(self, name: str) -> Any:
        return self[name]
