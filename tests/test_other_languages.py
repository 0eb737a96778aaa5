"""A recipe in another language, out of the docs: nothing in the machinery is Spanish."""

from __future__ import annotations

from pathlib import Path

import small_recipe
import yaml
from console import ROOT

from probeta import builtset
from probeta.pipeline.build import build
from probeta.validation.check import check

PAGE = (ROOT / "docs" / "recipe.md").read_text(encoding="utf-8")
BLOCK = PAGE.partition("## In another language")[2].partition("```text\n")[2].partition("```")[0]

NOUNS = """id,form,plural,gender,number,why
rathaus,Rathaus,Rathäuser,n,singular,
kirche,Kirche,Kirchen,f,singular,
bahnhof,Bahnhof,Bahnhöfe,m,singular,
altstadt,Altstadt,Altstädte,f,singular,
"""


def test_the_german_example_of_the_docs_builds_and_is_sound(tmp_path: Path) -> None:
    declared, agreement, joins = BLOCK.split("\n\n")
    rows = [
        {
            "text": "In {{ agree(a, 'dem') }} {{ a }} brennt Licht.",
            "slots": "a = nouns",
            "fill": f"a = {noun}",
        }
        for noun in ("rathaus", "kirche", "bahnhof")
    ]
    rows.append({"text": "Der Weg zu {{ agree(a, 'dem') }} {{ a }} ist gesperrt.", "slots": "a = nouns"})
    folder = small_recipe.write(
        tmp_path / "recipe",
        rows,
        files={"nouns.csv": NOUNS, "agreement.csv": agreement, "joins.csv": joins},
        attributes={"size": small_recipe.DECLARATION["attributes"]["size"]},
        grid={"by": ["size"], "cells": [{"values": {"size": "small"}, "target": 5}]},
        lexicons={
            "nouns": {
                "file": "nouns.csv",
                "label": "X",
                "forms": {"form": {}, "plural": {"number": "pl"}},
                "features": ["gender", "number"],
                "reasons": "why",
            }
        },
        **yaml.safe_load(declared),
    )
    built = build(folder, out=tmp_path / "set")
    texts = {row["id"]: row["text"] for row in builtset.read(tmp_path / "set", "sentences").to_pylist()}
    assert texts["r1|standard|with"] == "Im „Rathaus“ brennt Licht."
    assert texts["r2|standard|without"] == "In der Kirche brennt Licht."
    assert texts["r3|upper|without"] == "IM BAHNHOF BRENNT LICHT."
    drawn = [text for id_, text in texts.items() if "+" in id_ and id_.endswith("|standard|without")]
    assert len(drawn) == 2
    assert set(drawn) < {
        "In der Altstadt brennt Licht.",
        "Der Weg zum Rathaus ist gesperrt.",
        "Der Weg zum Bahnhof ist gesperrt.",
        "Der Weg zur Kirche ist gesperrt.",
        "Der Weg zur Altstadt ist gesperrt.",
    }
    assert "spacy.blank('de')" in built.signature
    assert check(tmp_path / "set").faults == []


def test_a_sentence_may_have_no_span_and_a_span_no_entry(tmp_path: Path) -> None:
    folder = small_recipe.write(
        tmp_path / "recipe",
        [{"text": "Hoy no hay nada."}, {"text": "Le duele el [[pie]].", "entry": ""}],
        attributes={"size": {**small_recipe.DECLARATION["attributes"]["size"], "level": "sentence"}},
        grid={"by": ["size"], "cells": [{"values": {"size": "small"}, "target": 2}]},
        lexicons={},
    )
    build(folder, out=tmp_path / "set")
    assert builtset.read(tmp_path / "set", "spans").num_rows == 1
    assert check(tmp_path / "set").faults == []
