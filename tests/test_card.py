"""The dataset card: languages, hand text, numbers from reports, no placeholders."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from datasets import Features, List, Value

from probeta import builtset
from probeta.builders.pairs import chosen, filters
from probeta.builders.spans.registry import Registry
from probeta.cli.main import main
from probeta.errors import DataError
from probeta.pipeline.build import build
from probeta.publishing import card, citation, views
from probeta.publishing.facts import Facts, gather
from probeta.publishing.fields import meanings
from probeta.publishing.figures import grid_axes
from probeta.publishing.lint import lint
from probeta.publishing.regions import hand_text, without_hand_text
from probeta.publishing.sections import findings, structure
from probeta.publishing.vocabularies import read
from probeta.publishing.wording import Words, phrases, terms, untranslated
from probeta.recipe import load_recipe
from probeta.recipe.load import RECIPE_FILE
from probeta.validation import artifacts
from probeta.validation.adjudication import rules
from probeta.validation.agreement import estimates

TEMPLATES = Path(str(files("probeta.templates"))) / "card"


def facts_of(folder: Path) -> Facts:
    return gather(folder, load_recipe(folder / "build"))


def said() -> set[str]:
    """Every sentence that the templates, the figures and the card's code ask to be said in the card's language."""
    found: set[str] = set()
    for path in TEMPLATES.glob("*.j2"):
        found |= set(re.findall(r'_\("((?:[^"\\]|\\.)*)"', path.read_text(encoding="utf-8")))
    for path in (TEMPLATES / "figures").glob("*.json"):
        found |= set(re.findall(r'"title": "([^"]*)"', path.read_text(encoding="utf-8")))
    folder = Path(card.__file__).parent
    for path in (*(folder / "sections").glob("*.py"), folder / "wording.py", folder / "figures.py"):
        code = path.read_text(encoding="utf-8")
        found |= {text for _, text in re.findall(r"""\b(?:say|self)\(\s*(["'])((?:[^"'\\]|\\.)*)\1""", code)}
    return found


def test_every_sentence_of_the_card_is_there_in_spanish_and_none_besides() -> None:
    listed = set(yaml.safe_load((TEMPLATES / "es.yaml").read_text(encoding="utf-8")))
    languages = set(read("languages")["iso_639_1"].values())
    assert {name for name in listed if name not in languages} == said()


def test_every_code_of_a_report_has_words_in_both_languages() -> None:
    codes = {
        *views.COEFFICIENTS,
        "kappa_pooled",
        *estimates.REASONS,
        *filters.REASONS,
        *chosen.REASONS_AFTER,
        *("sentences", "phrase_initial", "hits", "with_neutral", "published"),
        *("majority", *artifacts.BASELINES, "xgboost_pair", "xgboost_premise"),
        *("passed", "failed", "too_few"),
        *(f"outcome_{reason}" for reason in rules.REASONS),
        *views.MEASURES,
    }
    english, spanish = (Words(language, load_recipe("blank")) for language in ("en", "es"))
    for code in codes:
        assert "es" in terms().get(code, {}), code
        assert english.term(code) and spanish.term(code)
    assert {reason: english.term(f"outcome_{reason}") for reason in rules.REASONS} == rules.REASONS


def test_a_translation_fills_in_the_same_names() -> None:
    for english, spanish in phrases("es").items():
        assert sorted(re.findall(r"\{\w+\}", english)) == sorted(re.findall(r"\{\w+\}", spanish)), english


def test_the_columns_of_our_configs_have_a_meaning_in_both_languages(blas: Path) -> None:
    from probeta.publishing.fields import columns

    facts = facts_of(blas)
    for config in facts.configs:
        for language in ("en", "es"):
            found = columns(facts, config, Words(language, facts.recipe))
            assert all(column.meaning for column in found), config.name


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


def test_the_card_of_a_corpus_says_what_its_attributes_are_and_nothing_of_testing_alone(
    tmp_path: Path,
) -> None:
    sample = Path(__file__).parent / "data" / "romanian"
    names = ["O", *(f"{p}-{label}" for label in ("PERS", "ORG", "LOC", "PROD", "DATE") for p in "BI")]
    build("histnero", out=tmp_path / "set", corpus=[sample], labels=names)
    text = (tmp_path / "set/README.md").read_text(encoding="utf-8")
    # What varies is the way of writing alone; regions are counted in a table of their own.
    varied = text.partition("### Rows by perturbation")[2].partition("###")[0]
    assert set(re.findall(r"^\| `(\w+)`", varied, re.MULTILINE)) == {"ro_orthography"}
    assert "it does not train" not in text
    assert "| `length` | `single` | one word |" in text and "| `length` | string | Whether" in text


def test_a_set_of_pairs_says_nothing_of_offsets(blas: Path) -> None:
    facts = facts_of(blas)
    columns = {"item": Value("string"), "spans": List({"start": Value("int32"), "end": Value("int32")})}
    config = replace(facts.configs[0], features=Features(columns))
    for configs, offsets in ((facts.configs, True), ([config], False)):
        shown = structure.values(replace(facts, configs=configs), Words("en", facts.recipe))
        assert shown["has_offsets"] is offsets


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


def test_the_card_in_spanish_is_all_in_spanish(blas: Path) -> None:
    text = (blas / "README.es.md").read_text(encoding="utf-8")
    assert text.startswith("# BLAS, un banco de pruebas de anglicismos")
    assert "## Limitaciones, sesgos y datos personales\n\n* Todas las oraciones contienen un préstamo" in text
    # Four digits have no mark in Spanish.
    assert "en todas las configuraciones, 1836 oraciones y 2076 segmentos" in text
    assert "README.es.md" not in (blas / "SHA256SUMS").read_text()
    recipe = load_recipe("blas")
    written = [recipe.title, *recipe.card.limits, *recipe.card.uses, *recipe.card.biases]
    written += [label.definition for label in recipe.labels.values()]
    for attribute in recipe.attributes.values():
        written += [attribute.definition, *(attribute.values or {}).values()]
    lines = text.partition("```bibtex")[0]
    assert not [one for one in (*written, *phrases("es")) if len(one) > 12 and f" {one} " in f" {lines} "]
    # The figure is its own, and says nothing in English.
    assert "](reports/grid.es.svg)" in text and (blas / "reports/grid.es.svg").is_file()


def test_the_figure_of_the_grid_names_its_axes(blas: Path) -> None:
    facts = facts_of(blas)
    axes = grid_axes(facts)
    by = list(views.coverage(facts)[0][0])
    assert axes == {"y": by[0], "x": ", ".join(by[1:])}
    assert axes["y"] and axes["x"]
    for name in ("grid.svg", "grid.es.svg"):
        drawn = (blas / "reports" / name).read_text(encoding="utf-8")
        assert all(f">{title}</text>" in drawn for title in axes.values())


@pytest.mark.parametrize("language", ["en", "es"])
def test_what_every_operation_does_is_said_in_the_card(language: str) -> None:
    say = Words(language, load_recipe("blas"))
    for name in (
        "casing",
        "quotes",
        "strip_diacritics",
        "drop_final_punctuation",
        "double_whitespace",
        "keyboard_typo",
        "ro_orthography",
    ):
        assert meanings()["any"][name][language]
        for value in Registry().find(name).values:
            assert say.attribute_value(name, value), (name, value)


@pytest.mark.parametrize("name", ["blas", "esnlir", "histnero"])
def test_the_recipes_that_come_along_are_whole_in_spanish(name: str) -> None:
    assert untranslated(load_recipe(name)) == {"es": []}


def test_what_is_not_translated_is_said_when_the_set_is_built(tmp_path: Path) -> None:
    source = translated(tmp_path, "es: {title: Ciudades, labels: {TOWN: El nombre de una ciudad.}}")
    built = build(source, out=tmp_path / "set")
    assert [line for line in built.warnings if line.startswith("card.translations.es")] == [
        "card.translations.es: the card keeps as they were written limits, contacts, attributes.reading, "
        "attributes.reading.values.word, attributes.reading.values.name and 5 more"
    ]
    text = (tmp_path / "set/README.es.md").read_text(encoding="utf-8")
    assert text.startswith("# Ciudades\n") and "| `TOWN` | El nombre de una ciudad. |" in text


def translated(place: Path, text: str) -> Path:
    source = Path(shutil.copytree(load_recipe("blank").folder, place / "blank"))
    recipe = source / RECIPE_FILE
    recipe.write_text(
        recipe.read_text(encoding="utf-8").replace("\ncard:\n", f"\ncard:\n  translations:\n    {text}\n"),
        encoding="utf-8",
    )
    return source


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("es: {labels: {TWON: x}}", "unknown label TWON"),
        ("es: {attributes: {read: {definition: x}}}", "unknown attribute read"),
        ("es: {attributes: {reading: {values: {wrod: x}}}}", "unknown value of reading wrod"),
        ("es: {attributes: {country: {values: {Spain: x}}}}", "unknown value of country Spain"),
        ("es: {sources: {Wikipedia: x}}", "unknown source Wikipedia"),
        ("es: {reasons: {because: x}}", "unknown reason of a cell because"),
        ("es: {authors: {Nobody: Nadie}}", "unknown author Nobody"),
    ],
)
def test_a_translation_of_what_is_not_there_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_recipe(translated(tmp_path, text))


def system(folder: Path, path: Path, *, finds: int) -> Path:
    """Predictions that find all spans but those of every ``finds``-th sentence."""
    with path.open("w", encoding="utf-8") as handle:
        for number, sentence in enumerate(builtset.sentences(folder)):
            spans = [{"start": one.start, "end": one.end, "label": one.label} for one in sentence.spans]
            handle.write(json.dumps({"id": sentence.id, "spans": spans if number % finds else []}) + "\n")
    return path


def test_scores_in_the_set_are_on_the_card_with_their_signature_and_map(blas: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(blas, tmp_path / "set"))
    assert "Systems scored on it" not in (folder / "README.md").read_text(encoding="utf-8")
    systems = [
        f"{name}={system(folder, tmp_path / f'{name}.jsonl', finds=finds)}"
        for name, finds in (("low", 5), ("high", 7))
    ]
    with pytest.raises(SystemExit) as stop:
        main(["score", str(folder), *systems, "--by", "casing", "--samples", "20", "--out", str(folder)])
    assert stop.value.code == 0
    text = (folder / "README.md").read_text(encoding="utf-8")
    report = json.loads((folder / "reports/scores.json").read_text(encoding="utf-8"))
    rows = re.findall(
        r"^\| `(low|high)` \| 100\.0 % .*\| ([\d.]+) % \(([\d.]+) to ([\d.]+)\) \|", text, re.MULTILINE
    )
    # The better one first; the last column is F1 with its interval.
    assert [row[0] for row in rows] == ["high", "low"]
    for name, *numbers in rows:
        whole = report["systems"][name]["overall"]
        bounds = whole["intervals"]["f1"]
        assert numbers == [f"{100 * value:.1f}" for value in (whole["f1"], bounds["low"], bounds["high"])]
    assert f"`{report['signature']}`" in text and "](reports/scores.svg)" in text
    spanish = (folder / "README.es.md").read_text(encoding="utf-8")
    assert "## Sistemas evaluados con él" in spanish and "](reports/scores.es.svg)" in spanish
    assert "strict en blas-1.0, en porcentaje" in (folder / "reports/scores.es.svg").read_text(
        encoding="utf-8"
    )
    # The set stays sound, and every gate re-proves the card.
    assert list(lint(folder).faults) == []


def test_scores_of_one_system_name_it_and_those_of_other_data_are_not_shown(blas: Path) -> None:
    facts = facts_of(blas)
    report = {
        "signature": "data:blas-1.0@aa|protocol:nli",
        "system": "beto",
        "accuracy": 0.5,
        "macro_f1": None,
    }
    report["intervals"] = {"accuracy": {"low": 0.4, "high": 0.6}}

    def shown(report: object) -> dict[str, Any]:
        return findings.values(
            replace(facts, reports={**facts.reports, "scores": report}), Words("en", facts.recipe)
        )

    found = shown(report)
    assert found["system_head"] == ["system", "accuracy", "macro F1"]
    assert found["systems"] == [("`beto`", "50.0 % (40.0 to 60.0)", "undefined")]
    assert shown({**report, "signature": "data:blas-0.9@aa|protocol:nli"})["systems"] == []


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
    assert f"author  = {{{name}}}" in citation.bibtex(replace(facts, recipe=recipe))
