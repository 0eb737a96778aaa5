"""Small recipes for tests: a few lines of YAML and tables, written to a folder."""

from __future__ import annotations

import copy
import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from probeta.builders.spans.content import Content, load_content
from probeta.errors import DataError, Fault
from probeta.recipe import SpanRecipe, load_recipe

Rows = Sequence[Mapping[str, str]]

#: Spanish nouns and cities; one cell, target 1.
DECLARATION: dict[str, Any] = {
    "name": "small",
    "kind": "spans",
    "version": "1",
    "date": "2026-01-02",
    "language": "es",
    "seed": 5,
    "title": "Small",
    "labels": {"X": {"definition": "a noun"}},
    "attributes": {
        "size": {"level": "span", "definition": "d", "values": {"small": "s", "large": "l"}},
        "field": {"level": "span", "definition": "d"},
        "tone": {"level": "sentence", "definition": "d", "values": {"dry": "d", "wet": "w"}},
    },
    "grid": {"by": ["size"], "cells": [{"values": {"size": "small"}, "target": 1}]},
    "lexicons": {
        "nouns": {
            "file": "nouns.csv",
            "label": "X",
            "forms": {"form": {}, "plural": {"number": "plural"}},
            "features": {"gender": "text", "number": "text", "field": "text", "weight": "number"},
            "reasons": "why",
        },
        "cities": {"file": "cities.csv", "forms": {"form": {}}, "features": ["side"]},
    },
    "sentences": ["sentences.csv"],
    "agreement": "agreement.csv",
    "joins": "joins.csv",
    "card": {"licence": "cc0-1.0", "authors": ["A"]},
}

NOUNS = """id,form,plural,gender,number,field,weight,why
agua,agua,aguas,feminine,singular,nature,3,
pie,pie,pies,masculine,singular,body,,
casa,casa,casas,feminine,singular,town,20,
tijeras,-,tijeras,feminine,plural,tools,1,no singular
"""
CITIES = """id,form,side
leon,León,north
ejido,El Ejido,south
irun,Irún,north
"""
AGREEMENT = """word,ms,fs,mp,fp
el,el,la,los,las
nuevo,nuevo,nueva,nuevos,nuevas
"""
JOINS = """kind,left,right,result
alternation,la,agua\\b,el
contraction,de,el,del
contraction,a,el,al
alternation,y,h?i(?![aeou]),e
"""
COLUMNS = ("id", "size", "text", "slots", "fill", "entry", "topic", "author", "tone")


def write(
    folder: Path,
    rows: Rows,
    *,
    files: Mapping[str, str | bytes] | None = None,
    **declaration: Any,
) -> Path:
    """Write a recipe with the sentence ``rows``; ``files`` and ``declaration`` replace parts of it."""
    folder.mkdir(parents=True, exist_ok=True)
    content: dict[str, str | bytes] = {
        "nouns.csv": NOUNS,
        "cities.csv": CITIES,
        "agreement.csv": AGREEMENT,
        "joins.csv": JOINS,
    }
    with (folder / "sentences.csv").open("w", encoding="utf-8", newline="") as handle:
        used = [
            name for name in COLUMNS if name in ("id", "size", "text") or any(name in row for row in rows)
        ]
        extra = [name for row in rows for name in row if name not in COLUMNS]
        writer = csv.DictWriter(handle, [*used, *dict.fromkeys(extra)], restval="")
        writer.writeheader()
        for at, row in enumerate(rows, start=1):
            writer.writerow({"id": f"r{at}", "size": "small", **row})
    for name, data in {**content, **(files or {})}.items():
        (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    whole = {**copy.deepcopy(DECLARATION), **declaration}
    (folder / "probeta.yaml").write_text(
        yaml.safe_dump(whole, allow_unicode=True, sort_keys=False), encoding="utf-8"
    )
    return folder


def recipe(folder: Path, rows: Rows, **changes: Any) -> SpanRecipe:
    loaded = load_recipe(write(folder, rows, **changes))
    assert isinstance(loaded, SpanRecipe)
    return loaded


def content(folder: Path, rows: Rows, **changes: Any) -> Content:
    return load_content(recipe(folder, rows, **changes))


def faults(folder: Path, rows: Rows, **changes: Any) -> list[Fault]:
    """The faults of a recipe's tables."""
    loaded = recipe(folder, rows, **changes)
    try:
        load_content(loaded)
    except DataError as error:
        return list(error.faults)
    return []


# --- towns in Catalan ---

VOWELS = "[aeiouàèéíòóúh]"
CATALAN = (
    f"alternation,el,{VOWELS},l'",
    f"alternation,la,{VOWELS},l'",
    f"alternation,de,{VOWELS},d'",
    "contraction,de,el,del",
    "contraction,a,el,al",
    "contraction,per,el,pel",
    "contraction,de,els,dels",
)
TOWNS = """id,form,plural,gender,number,why
alella,Alella,-,masculine,singular,a name
prat,Prat,-,masculine,singular,a name
escala,Escala,-,feminine,singular,a name
"""
ARTICLES = "word,ms,fs,mp,fp\nel,el,la,els,les\n"


def catalan(folder: Path, *rows: str) -> Path:
    """Write a recipe of Catalan towns; each row is ``entry: text``, the slot being ``a``."""
    texts = [
        {"text": text, "slots": "a = nouns", "fill": f"a = {town}"}
        for town, text in (row.split(": ") for row in rows)
    ]
    table = "\n".join(("kind,left,right,result", *CATALAN)) + "\n"
    return write(
        folder,
        texts,
        files={"nouns.csv": TOWNS, "agreement.csv": ARTICLES, "joins.csv": table},
        language="ca",
        attributes={"size": DECLARATION["attributes"]["size"]},
        grid={"by": ["size"], "cells": [{"values": {"size": "small"}, "target": len(texts)}]},
        lexicons={
            "nouns": {
                "file": "nouns.csv",
                "label": "X",
                "forms": {"form": {}, "plural": {"number": "plural"}},
                "features": ["gender", "number"],
                "reasons": "why",
            }
        },
        perturbations={
            "grid": {"casing": ["standard", "lower", "upper", "title"], "quotes": ["without", "with"]},
            "policies": {"quote_style": "guillemets"},
        },
    )
