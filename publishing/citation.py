"""How to cite the set: CITATION.cff, BibTeX and Zenodo's metadata, from the same facts."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

from probeta.publishing.facts import Facts
from probeta.publishing.vocabularies import language_name, legal_text
from probeta.recipe.card import Author, Paper


def cff(facts: Facts) -> str:
    """CITATION.cff, version 1.2.0 of the format."""
    import yaml

    card, recipe = facts.card, facts.recipe
    found: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this data set, please cite it as below.",
        "type": "dataset",
        "title": recipe.title,
        "version": recipe.version,
        "date-released": recipe.date.isoformat(),
        "authors": [_person(author) for author in card.authors],
        "abstract": card.summary,
        "keywords": facts.keywords,
        "license": facts.licence.spdx,
        "doi": card.doi,
        "url": facts.url,
        "references": [_reference(paper) for paper in card.papers],
    }
    kept = {key: value for key, value in found.items() if value}
    return str(yaml.safe_dump(kept, sort_keys=False, allow_unicode=True, width=100))


def _person(author: Author) -> dict[str, str]:
    found = (
        {"family-names": author.family, "given-names": author.given or ""}
        if author.family
        else {"name": author.name}
    )
    found |= {"affiliation": author.affiliation} if author.affiliation and author.family else {}
    found |= {"orcid": f"https://orcid.org/{author.orcid}"} if author.orcid else {}
    return found | ({"email": author.email} if author.email else {})


def _reference(paper: Paper) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": "article",
        "title": paper.title,
        "authors": [{"name": name} for name in paper.authors],
        "year": paper.year,
        "doi": paper.doi,
        "url": paper.url,
    }
    return {key: value for key, value in found.items() if value}


def bibtex(facts: Facts) -> str:
    """A BibTeX entry: the recipe's own, else one from the facts."""
    card, recipe = facts.card, facts.recipe
    if card.citation:
        return card.citation.strip()
    fields = {
        "title": recipe.title,
        "author": " and ".join(_bibtex_name(author) for author in card.authors),
        "year": str(facts.year),
        "version": recipe.version,
        "doi": card.doi,
        "url": facts.url,
        "note": f"Data set, {facts.licence.name}",
    }
    lines = ",\n".join(f"  {key:<7} = {{{_escaped(value)}}}" for key, value in fields.items() if value)
    return f"@misc{{{_key(facts)},\n{lines}\n}}"


def _bibtex_name(author: Author) -> str:
    # Without a known family name, braces keep BibTeX from taking the last word for one.
    return f"{author.family}, {author.given}" if author.family else f"{{{author.name}}}"


def _escaped(text: str) -> str:
    return re.sub(r"(?<!\\)([&%$#_])", r"\\\1", text) if "://" not in text else text


def _key(facts: Facts) -> str:
    first = facts.card.authors[0]
    plain = unicodedata.normalize("NFKD", first.family or facts.recipe.name)
    return re.sub(r"[^a-z0-9]", "", plain.lower()) + f"{facts.year}{facts.recipe.name.split('-')[0]}"


def zenodo(facts: Facts) -> str:
    """``.zenodo.json``: what Zenodo's import takes in place of guesses."""
    card, recipe = facts.card, facts.recipe
    creators = []
    for author in card.authors:
        creator = {"name": f"{author.family}, {author.given}" if author.family else author.name}
        creator |= {"affiliation": author.affiliation} if author.affiliation else {}
        creators.append(creator | ({"orcid": author.orcid} if author.orcid else {}))
    related = [
        {
            "identifier": paper.doi or paper.url,
            "relation": "isDescribedBy",
            "resource_type": "publication-article",
        }
        for paper in card.papers
        if paper.doi or paper.url
    ]
    found: dict[str, Any] = {
        "upload_type": "dataset",
        "title": recipe.title,
        "version": recipe.version,
        "publication_date": recipe.date.isoformat(),
        "creators": creators,
        "description": card.summary or recipe.title,
        "keywords": facts.keywords,
        "language": _iso_639_2(recipe.language),
        "license": facts.licence.spdx,
        "access_right": "restricted" if card.gating else "open",
        "access_conditions": card.gating.prompt if card.gating else None,
        "related_identifiers": related,
        "notes": card.funding,
    }
    kept = {key: value for key, value in found.items() if value}
    return json.dumps(kept, ensure_ascii=False, indent=2) + "\n"


def _iso_639_2(code: str) -> str | None:
    """Zenodo wants three letters; those of the languages that our recipes are in."""
    known = {"es": "spa", "en": "eng", "ro": "ron", "ca": "cat", "fr": "fra", "it": "ita", "pt": "por"}
    known |= {"de": "deu", "eu": "eus", "gl": "glg"}
    short = code.split("-")[0]
    return short if len(short) == 3 else known.get(short)


def licence_text(facts: Facts) -> str:
    """LICENSE: the recipe's own text; else a notice with the licence's whole text, or where that is."""
    card, recipe = facts.card, facts.recipe
    if card.licence_file:
        return (facts.folder / "build" / card.licence_file).read_text(encoding="utf-8")
    holders = f"{facts.year} {', '.join(author.name for author in card.authors)}"
    text = legal_text(card.licence)
    lines = [
        f"{recipe.title}, version {recipe.version}",
        f"Copyright {holders}",
        "",
        f"Licence: {facts.licence.name}" + (f" ({facts.licence.spdx})" if facts.licence.spdx else ""),
    ]
    if facts.licence.url:
        lines += [f"{'Where it is kept' if text else 'Its text'}: {facts.licence.url}"]
    if card.sources or facts.reports.get("stats", {}).get("corpora"):
        lines += ["", "Sources keep their own licences; SOURCES.csv names each."]
    lines += [
        "",
        f"Language: {language_name(recipe.language)}. If you pass this data set on, keep this notice and name",
        "its version, and say what you changed.",
    ]
    if text:
        lines += ["", "-" * 78, "", text.replace("{holders}", holders).rstrip()]
    return "\n".join(lines) + "\n"
