"""The dataset card: YAML header and Markdown, made from what stands in the folder.

Every number of the card is read from ``reports/*.json`` or from the Parquet files; the facts that no
file can know (licence, authors, limits) come from the recipe's ``card`` section. A fact that nobody
recorded is left out or said to be not recorded, never a placeholder. What a person writes between the
markers of ``yours`` survives a rebuild.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from probeta.publishing import citation, views
from probeta.publishing.examples import example
from probeta.publishing.facts import Config, Facts
from probeta.publishing.fields import columns
from probeta.publishing.header import header, load_line
from probeta.publishing.markdown import STYLES, numbers, table
from probeta.publishing.regions import region, sealed
from probeta.publishing.sources import source_rows
from probeta.publishing.vocabularies import language_name
from probeta.recipe.card import Translation

Say = Callable[..., str]


def card(
    facts: Facts,
    *,
    language: str = "en",
    figures: Iterable[str] = (),
    kept: Mapping[str, str] | None = None,
) -> str:
    """The text of ``README.md``; ``figures`` are their paths, ``kept`` is what people wrote, by region.

    The Hub reads the header of ``README.md`` only, so a card in another language has none.
    """
    values = context(facts, language) | {"figures": _Known({Path(path).stem: path for path in figures})}
    body = render("card.md.j2", values, language=language, kept=kept or {})
    return sealed(f"{header(facts)}\n{body}" if language == "en" else body)


def file_name(language: str) -> str:
    """The file of the card in a language.

    >>> file_name("en"), file_name("es")
    ('README.md', 'README.es.md')
    """
    return "README.md" if language == "en" else f"README.{language}.md"


@functools.cache
def phrases(language: str) -> Mapping[str, str]:
    """The card's sentences in another language; English needs none."""
    import yaml

    if language == "en":
        return {}
    text = (files("probeta.templates") / "card" / f"{language}.yaml").read_text(encoding="utf-8")
    found: Mapping[str, str] = yaml.load(text, Loader=yaml.BaseLoader)
    return found


def speaker(language: str) -> Say:
    """``_`` of the templates: a sentence in the language, its names filled in."""
    known = phrases(language)

    def say(sentence: str, /, **values: object) -> str:
        text = known[sentence] if known else sentence
        return text.format(**values) if values else text

    return say


def language_of(code: str, language: str) -> str:
    """The name of the language ``code`` in the card's language; in English where no other is listed."""
    name = language_name(code)
    return phrases(language).get(name, name)


def render(name: str, values: Mapping[str, Any], *, language: str = "en", kept: Mapping[str, str]) -> str:
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
    environment.filters["number"], environment.filters["percent"] = numbers(STYLES[language])
    text = environment.get_template(name).render(
        _=speaker(language),
        table=table,
        yours=lambda name: region(name, kept.get(name, "")),
        **values,
    )
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def context(facts: Facts, language: str) -> dict[str, Any]:
    """All that the templates use; texts of people in the language where they were translated."""
    say = speaker(language)
    plain, percent = numbers(STYLES[language])
    recipe, own = facts.recipe, facts.card
    other = own.translations.get("es", Translation()) if language == "es" else Translation()
    place = own.repository or "path/to/this/folder"
    default = facts.config(facts.default_config)
    licence = facts.licence
    counts = plain

    def interval(estimate: Mapping[str, Any], places: int = 2) -> str:
        if estimate.get("low") is None or estimate.get("high") is None:
            return ""
        return f"{plain(estimate['low'], places)} {say('to')} {plain(estimate['high'], places)}"

    def value(estimate: Mapping[str, Any], places: int = 2) -> str:
        if estimate.get("value") is None:
            return say("undefined: {reason}", reason=str(estimate.get("reason", "")).replace("_", " "))
        return plain(estimate["value"], places)

    split_names, class_rows = views.classes(facts)
    cells = views.coverage(facts)
    by = list(cells[0][0]) if cells else []
    funnel_names = {
        "sentences": say("sentences"),
        "phrase_initial": say("open with a linking phrase"),
        "hits": say("in which the phrase links two sentences"),
        "with_neutral": say("with the neutral pairs"),
        "published": say("in the set, balanced and without doubles"),
    }
    return {
        "recipe": recipe,
        "card": own,
        "reports": _Known(facts.reports),
        "build": _Known(facts.build),
        "title": other.title or recipe.title,
        "summary": other.summary or own.summary,
        "uses": other.uses or own.uses,
        "limits": other.limits or own.limits,
        "personal_data": other.personal_data or own.personal_data,
        "rows": default.rows if default else 0,
        "language_name": language_of(recipe.language, language),
        "licence_link": f"[{licence.name}]({licence.url})" if licence.url else licence.name,
        "load_lines": [load_line(config, place) for config in facts.configs],
        "has_offsets": any({"start", "end"} <= _names(config.features) for config in facts.configs),
        "glance": glance(facts, say, value, interval, language_of(recipe.language, language)),
        "splits": [
            (f"`{config.name}`", f"`{split.name}`", counts(split.rows), size(split.file_bytes, plain))
            for config in facts.configs
            for split in config.splits
        ],
        "split_rule": _split_rule(facts, say),
        "labels": [(f"`{name}`", label.definition) for name, label in recipe.labels.items()],
        "configs": [
            {
                "name": config.name,
                "same_as": _same_columns(facts, config),
                "columns": [
                    (f"`{column.name}`", column.type, column.meaning)
                    for column in columns(facts, config, language=language)
                ],
                "example": example(facts.folder, config),
            }
            for config in facts.configs
        ],
        "coverage": [
            (*(f"`{values[name]}`" for name in by), counts(target), counts(made), reason)
            for values, target, made, reason in cells
        ],
        "coverage_head": [*by, say("target"), say("base sentences"), say("why")],
        "coverage_right": "l" * len(by) + "rrl",
        "composition": [
            (f"`{name}`", f"`{word}`", meaning, counts(count))
            for name, word, meaning, count in views.composition(facts)
        ],
        "by_value": [
            (
                f"`{name}`",
                f"`{word}`",
                counts(row["sentences"]),
                counts(row["tokens"]),
                counts(row["spans"]),
                *(counts(row["labels"].get(label, 0)) for label in recipe.labels),
            )
            for name, word, row in views.by_value(facts)
        ],
        "by_value_head": [
            say("attribute"),
            say("value"),
            say("sentences"),
            say("tokens"),
            say("spans"),
            *recipe.labels,
        ],
        "by_value_right": "llrrr" + "r" * len(recipe.labels),
        "wide_attributes": views.wide_attributes(facts),
        "perturbations": [
            (f"`{name}`", f"`{word}`", counts(count)) for name, word, count in views.perturbations(facts)
        ],
        "classes": [(f"`{name}`", definition, *map(counts, sizes)) for name, definition, sizes in class_rows],
        "class_head": [say("class"), say("definition"), *split_names],
        "class_right": "ll" + "r" * len(split_names),
        "class_right_plain": "l" + "r" * len(split_names),
        "genre_head": [say("genre"), *split_names],
        "genres": [
            (genre or say("not recorded"), *map(counts, sizes)) for genre, sizes in views.genres(facts)
        ],
        "corpora": [
            (
                one["corpus"],
                one["genre"] or "",
                one["licence"] or say("not recorded"),
                *(counts(one["documents"].get(split, 0)) for split in split_names),
                *(counts(one["pairs"].get(split, 0)) for split in split_names),
            )
            for one in views.corpora(facts)
        ],
        "corpus_head": [
            say("corpus"),
            say("genre"),
            say("licence"),
            *(f"{say('documents')}, {split}" for split in split_names),
            *(f"{say('pairs')}, {split}" for split in split_names),
        ],
        "corpus_right": "lll" + "r" * (2 * len(split_names)),
        "stress": _stress(facts, say),
        "funnel": [
            (funnel_names.get(name) or f"{say('after')} {name.replace('_', ' ')}", counts(count))
            for _, name, count in views.funnel(facts)
        ],
        "neutral_strategies": views.neutral_strategies(facts),
        "left_out": views.left_out(facts),
        "campaign": _campaign(facts, say),
        "agreement": [
            (
                name.replace("_", " "),
                value(estimate),
                interval(estimate),
                counts(estimate.get("items") or 0),
                counts(estimate.get("raters") or 0),
            )
            for name, estimate in views.agreement(facts)
        ],
        "agreement_labels": [
            (f"`{label}`", name.replace("_", " "), value(estimate), interval(estimate))
            for label, name, estimate in views.agreement_labels(facts)
        ],
        "agreement_by": [
            (column, f"`{word}`", counts(items), value(estimate), interval(estimate))
            for column, word, items, estimate in views.agreement_by(facts)
        ],
        "no_agreement": _no_agreement(facts, say),
        "retention": [
            (
                name,
                f"`{word}`",
                counts(row["sent"]),
                counts(row["kept"]),
                percent(row["retention"]) if row["retention"] is not None else "",
                f"{percent(row['low'])} {say('to')} {percent(row['high'])}"
                if row.get("low") is not None
                else "",
            )
            for name, word, row in views.retention(facts)
        ],
        "artifacts": [
            (
                name.replace("_", " "),
                value(accuracy),
                interval(accuracy),
                f"{plain(gate['limit'], 2)}: {gate['status'].replace('_', ' ')}" if gate else "",
            )
            for name, accuracy, gate in views.artifacts(facts)
        ],
        "sources": [
            (f"[{row.source}]({row.url})" if row.url else row.source, row.licence, row.used_for)
            for row in source_rows(facts)
        ],
        "canary": facts.canary,
        "versions": ", ".join(f"{name} {word}" for name, word in facts.build["versions"].items()),
        "bibtex": citation.bibtex(facts),
    }


def _same_columns(facts: Facts, config: Config) -> str | None:
    """An earlier config with the same columns, so that one table of them is enough."""
    for other in facts.configs:
        if other.name == config.name:
            return None
        if other.features == config.features:
            return other.name
    return None


class _Known(dict[str, Any]):
    """What is known, by name; what is not is empty, so that its section is left out."""

    def __missing__(self, name: str) -> dict[str, Any]:
        return {}

    def __getattr__(self, name: str) -> Any:
        return self[name]


def glance(facts: Facts, say: Say, value: Say, interval: Say, language_name: str) -> list[tuple[str, str]]:
    """The quick facts."""
    own, recipe = facts.card, facts.recipe
    categories, ids = facts.tasks
    best = views.headline(facts)
    found: Iterable[tuple[str, str | None]] = (
        (say("languages"), ", ".join([language_name, *own.varieties])),
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
            f"{best[0].replace('_', ' ')} {value(best[1])} ({interval(best[1])})" if best else None,
        ),
        (say("access"), say("gated: the Hub asks before it gives the files out") if own.gating else None),
        (say("held back"), ", ".join(f"`{name}`" for name in own.hold_back) or None),
        (say("authors"), ", ".join(_author(author) for author in own.authors)),
        (say("made with"), f"probeta {facts.build['versions']['probeta']}"),
    )
    return [(name, text) for name, text in found if text]


def _author(author: Any) -> str:
    name = f"[{author.name}](https://orcid.org/{author.orcid})" if author.orcid else author.name
    return f"{name} ({author.affiliation})" if author.affiliation else name


def _names(features: Mapping[str, Any]) -> set[str]:
    """The names of columns and of the keys of their structs."""
    found = set(features)
    for feature in features.values():
        inner = getattr(feature, "feature", feature)
        if isinstance(inner, dict):
            found |= set(inner)
    return found


def size(count: int, plain: Say) -> str:
    """A number of bytes as people read it."""
    for unit, step in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= step:
            return f"{plain(count / step, 1)} {unit}"
    return f"{plain(count)} B"


def _split_rule(facts: Facts, say: Say) -> str:
    default = facts.config(facts.default_config)
    names = [split.name for split in default.splits] if default else []
    if facts.reports.get("funnel"):
        return say(
            "Classes are balanced for each corpus and split; no document and no sentence (case and white space folded) stands in two splits."
        )
    if names == ["test"]:
        return say("There is one split, `test`: a diagnostic set measures, it does not train.")
    return ""


def _stress(facts: Facts, say: Say) -> list[tuple[str, str]]:
    settings = getattr(facts.recipe, "pairs", None)
    rows = []
    for name, stress in (settings.stress if settings else {}).items():
        if not facts.config(f"stress_{name}"):
            continue
        if stress.operation == "append":
            text = say(
                "“{text}” before the final punctuation of `{side}`", text=stress.text, side=stress.side
            )
            if stress.times > 1:
                text += say(", {times} times", times=stress.times)
        else:
            text = say("one word of `{side}` misspelt as a finger slips on the keyboard", side=stress.side)
        rows.append((f"`stress_{name}`", text))
    return rows


def _campaign(facts: Facts, say: Say) -> list[tuple[str, str]]:
    campaign = facts.card.campaign
    consent = (facts.reports.get("adjudication", {}).get("consent") or {}).get("statement")
    found: Sequence[tuple[str, str | None]] = (
        (say("platform"), campaign.platform),
        (say("dates"), campaign.dates),
        (say("training"), campaign.training),
        (say("pay"), campaign.pay),
        (say("consent to publish single annotations"), consent or campaign.consent),
    )
    return [(name, text) for name, text in found if text]


def _no_agreement(facts: Facts, say: Say) -> str:
    if facts.recipe.kind == "tagged":
        return say("The labels are those of the corpus as it was released; this project added none.")
    if facts.recipe.kind == "spans":
        return say(
            "The spans are known by construction: no one annotated them, and no agreement was measured."
        )
    return say("The labels come from the text itself: no one annotated them, and no agreement was measured.")
