"""The card's beginning and end: what the set is, how it is loaded and laid out, its limits, sources, citation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from probeta.publishing import citation, views
from probeta.publishing.examples import example
from probeta.publishing.facts import Config, Facts
from probeta.publishing.fields import columns
from probeta.publishing.header import load_line
from probeta.publishing.sources import CORPUS, NOT_RECORDED, SourceRow, source_rows
from probeta.publishing.wording import Words


def values(facts: Facts, say: Words) -> dict[str, Any]:
    """The values of ``load``, ``glance``, ``structure``, ``limits``, ``licence`` and ``reproduce``."""
    recipe, own, told = facts.recipe, facts.card, say.told
    default = facts.config(facts.default_config)
    licence = facts.licence
    place = facts.repository or "path/to/this/folder"
    return {
        "title": told.title or recipe.title,
        "summary": told.summary or own.summary,
        "uses": told.uses or own.uses,
        "limits": told.limits or own.limits,
        "biases": told.biases or own.biases,
        "personal_data": told.personal_data or own.personal_data,
        "funding": told.funding or own.funding,
        "contacts": told.contacts or own.contacts,
        "rows": default.rows if default else 0,
        "language_name": say.language_of(recipe.language),
        "licence_link": f"[{licence.name}]({licence.url})"
        if licence.url
        else told.licence_name or licence.name,
        "load_lines": [load_line(config, place) for config in facts.configs],
        "has_offsets": any(
            {"start", "end"} <= _names(config.features) and "text" in config.features
            for config in facts.configs
        ),
        "glance": glance(facts, say),
        "splits": [
            (f"`{config.name}`", f"`{split.name}`", say.number(split.rows), size(split.file_bytes, say))
            for config in facts.configs
            for split in config.splits
        ],
        "split_rule": _split_rule(facts, say),
        "labels": [(f"`{name}`", say.label(name)) for name in recipe.labels],
        "configs": [
            {
                "name": config.name,
                "same_as": _same_columns(facts, config),
                "columns": [
                    (f"`{column.name}`", column.type, column.meaning)
                    for column in columns(facts, config, say)
                ],
                "example": example(facts.folder, config),
            }
            for config in facts.configs
        ],
        "sources": [_source(row, say) for row in source_rows(facts)],
        "canary": facts.canary,
        "versions": ", ".join(f"{name} {word}" for name, word in facts.build["versions"].items()),
        "answered": f" {say('and')} ".join(
            f"`{config.name}`" for config in facts.configs if config.name in views.ANSWERED
        ),
        "bibtex": citation.bibtex(facts),
    }


def glance(facts: Facts, say: Words) -> list[tuple[str, str]]:
    """The quick facts."""
    own, recipe = facts.card, facts.recipe
    categories, ids = facts.tasks
    best = views.headline(facts)
    found: Iterable[tuple[str, str | None]] = (
        (say("languages"), ", ".join([say.language_of(recipe.language), *own.varieties])),
        (say("task"), ", ".join(f"`{name}`" for name in [*categories, *ids])),
        (say("labels"), ", ".join(f"`{name}`" for name in recipe.labels)),
        (
            say("configs"),
            ", ".join(
                f"`{config.name}` ({say('default')})"
                if config.name == facts.default_config
                else f"`{config.name}`"
                for config in facts.configs
            ),
        ),
        (
            say("agreement"),
            f"{say.term(best[0])} {say.value(best[1])} ({say.interval(best[1])})" if best else None,
        ),
        (say("access"), say("gated: the Hub asks before it gives the files out") if own.gating else None),
        (say("held back"), ", ".join(f"`{name}`" for name in own.hold_back) or None),
        (say("authors"), ", ".join(_author(author, say) for author in own.authors)),
        (say("made with"), f"probeta {facts.build['versions']['probeta']}"),
    )
    return [(name, text) for name, text in found if text]


def _author(author: Any, say: Words) -> str:
    name = say.author(author.name)
    name = f"[{name}](https://orcid.org/{author.orcid})" if author.orcid else name
    return f"{name} ({author.affiliation})" if author.affiliation else name


def _source(row: SourceRow, say: Words) -> tuple[str, str, str]:
    licence = say("not recorded") if row.licence == NOT_RECORDED else row.licence
    used_for = say("corpus") if row.used_for == CORPUS else say.told.sources.get(row.source, row.used_for)
    return (f"[{row.source}]({row.url})" if row.url else row.source, licence, used_for)


def _same_columns(facts: Facts, config: Config) -> str | None:
    """An earlier config with the same columns, so that one table of them is enough."""
    for other in facts.configs:
        if other.name == config.name:
            return None
        if other.features == config.features:
            return other.name
    return None


def _names(features: Mapping[str, Any]) -> set[str]:
    """The names of columns and of the keys of their structs."""
    found = set(features)
    for feature in features.values():
        inner = getattr(feature, "feature", feature)
        if isinstance(inner, dict):
            found |= set(inner)
    return found


def size(count: int, say: Words) -> str:
    """A number of bytes as people read it."""
    for unit, step in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= step:
            return f"{say.number(count / step, 1)} {unit}"
    return f"{say.number(count)} B"


def _split_rule(facts: Facts, say: Words) -> str:
    default = facts.config(facts.default_config)
    names = [split.name for split in default.splits] if default else []
    if facts.reports.get("funnel"):
        return say(
            "Classes are balanced for each corpus and split; no document and no sentence (case and white space folded) stands in two splits."
        )
    if names == ["test"] and not facts.card.training:
        return say("There is one split, `test`: a diagnostic set measures, it does not train.")
    return ""
