"""The dataset card: languages, hand text, numbers from reports, no placeholders."""

from __future__ import annotations

import json
import re
import shutil
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

from probeta import builtset
from probeta.pipeline.build import build
from probeta.publishing import card, citation
from probeta.publishing.facts import Facts, gather
from probeta.publishing.regions import hand_text, without_hand_text
from probeta.publishing.vocabularies import read
from probeta.recipe import load_recipe
from probeta.recipe.load import RECIPE_FILE

TEMPLATES = Path(str(files("probeta.templates"))) / "card"


def facts_of(folder: Path) -> Facts:
    return gather(folder, load_recipe(folder / "build"))


def said() -> set[str]:
    """Every sentence that the templates and the card's code ask to be said in the card's language."""
    found: set[str] = set()
    for path in TEMPLATES.glob("*.j2"):
        found |= set(re.findall(r'_\("((?:[^"\\]|\\.)*)"', path.read_text(encoding="utf-8")))
    code = Path(card.__file__).read_text(encoding="utf-8")
    return found | {text for _, text in re.findall(r"""\bsay\(\s*(["'])((?:[^"'\\]|\\.)*)\1""", code)}


def test_every_sentence_of_the_card_is_there_in_spanish_and_none_besides() -> None:
    listed = set(yaml.safe_load((TEMPLATES / "es.yaml").read_text(encoding="utf-8")))
    languages = set(read("languages")["iso_639_1"].values())
    assert {name for name in listed if name not in languages} == said()


def test_a_translation_fills_in_the_same_names() -> None:
    for english, spanish in card.phrases("es").items():
        assert sorted(re.findall(r"\{\w+\}", english)) == sorted(re.findall(r"\{\w+\}", spanish)), english


def test_the_columns_of_our_configs_have_a_meaning_in_both_languages(blas: Path) -> None:
    from probeta.publishing.fields import columns

    facts = facts_of(blas)
    for config in facts.configs:
        for language in ("en", "es"):
            assert all(column.meaning for column in columns(facts, config, language=language)), config.name


def test_the_card_has_no_placeholder_and_every_number_of_the_reports(blas: Path) -> None:
    text = (blas / "README.md").read_text(encoding="utf-8")
    assert "More Information Needed" not in text and "TODO" not in text and "None" not in text
    # 153 base sentences x 12 configurations; 173 spans (20 adjacent sentences have two) x 12.
    for number in ("153", "1,836", "173", "2,076"):
        assert number in text
    coverage = json.loads((blas / "reports/coverage.json").read_text())
    assert len(re.findall(r"^\| `\w+` \| `\w+` \| `\w+` \| \d+ \| \d+ \|", text, re.M)) == len(
        coverage["cells"]
    )
    for config in builtset.configs(blas):
        assert f'{config} = load_dataset("path/to/this/folder", "{config}", split="test")' in text


def test_the_example_is_a_row_of_the_set(blas: Path) -> None:
    text = (blas / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"```json\n(.*?)\n```", text, re.DOTALL)
    rows = [json.loads(example) for example in shown]
    for config, row in zip(["sentences", "spans", "tokens"], rows, strict=True):
        assert row in builtset.read(blas, config).to_pylist()


def test_what_a_person_writes_between_the_markers_survives_a_rebuild(blas: Path, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    shutil.copytree(blas, folder)
    path = folder / "README.md"
    before = path.read_text(encoding="utf-8")
    mine = "Used in the shared task of 2027; see **its page**.\n\nWith two paragraphs."
    path.write_text(
        before.replace("<!-- yours: about -->\n", f"<!-- yours: about -->\n{mine}\n"), encoding="utf-8"
    )
    build("blas", out=folder, replace=True)
    after = path.read_text(encoding="utf-8")
    assert hand_text(after) == {"about": mine}
    assert without_hand_text(after) == before
    # Markers with nothing between them, and text outside of them, are not hand text.
    assert hand_text(before) == {}


def spanish_blas(tmp_path: Path) -> Path:
    source = load_recipe("blas").folder
    shutil.copytree(source, tmp_path / "blas")
    recipe = tmp_path / "blas" / RECIPE_FILE
    text = recipe.read_text(encoding="utf-8")
    recipe.write_text(
        text.replace(
            "card:\n",
            "card:\n  translations:\n    es: {title: BLAS en español, limits: [Solo mide la cobertura.]}\n",
        ),
        encoding="utf-8",
    )
    return tmp_path / "blas"


def test_the_card_in_spanish(tmp_path: Path) -> None:
    build(spanish_blas(tmp_path), out=tmp_path / "set")
    text = (tmp_path / "set/README.es.md").read_text(encoding="utf-8")
    assert text.startswith("# BLAS en español\n")
    assert "## Limitaciones, sesgos y datos personales\n\n* Solo mide la cobertura.\n" in text
    # Four digits have no mark in Spanish.
    assert "en todas las configuraciones, 1836 oraciones y 2076 segmentos" in text
    assert "README.es.md" not in (tmp_path / "set/SHA256SUMS").read_text()


@pytest.mark.parametrize(
    ("author", "name"),
    [
        ({"name": "Ana María Ruiz Gil", "family": "Ruiz Gil"}, "Ruiz Gil, Ana María"),
        ({"name": "The probeta authors"}, "{The probeta authors}"),
    ],
)
def test_names_in_bibtex(blas: Path, author: dict[str, str], name: str) -> None:
    from probeta.recipe.card import Author

    facts = facts_of(blas)
    changed = facts.card.model_copy(update={"authors": [Author(**author)]})
    recipe = facts.recipe.model_copy(update={"card": changed})
    from dataclasses import replace

    assert f"author  = {{{name}}}" in citation.bibtex(replace(facts, recipe=recipe))
