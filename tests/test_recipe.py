"""The recipe: every fault at once, with its line and the nearest right word; text stays as written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest
import small_recipe
import yaml

from probeta.builders.spans.content import load_content
from probeta.builders.spans.generate import generate_base
from probeta.errors import DataError, Fault, UsageError
from probeta.recipe import SpanRecipe, bundled_recipes, json_schema, load_recipe

BLANK = bundled_recipes()["blank"]


def changed(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    """A copy of the blank recipe with text of its YAML replaced."""
    folder = tmp_path / "own"
    shutil.copytree(BLANK, folder)
    text = (folder / "probeta.yaml").read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (folder / "probeta.yaml").write_text(text, encoding="utf-8")
    return folder


def faults_of(folder: Path) -> list[Fault]:
    with pytest.raises(DataError) as caught:
        load_recipe(folder)
    return list(caught.value.faults)


def line_of(folder: Path, text: str) -> int:
    lines = (folder / "probeta.yaml").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def test_every_bundled_recipe_loads_and_meets_the_published_schema() -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "blank" in bundled_recipes()
    for name, folder in bundled_recipes().items():
        assert load_recipe(name).name == name
        # BaseLoader gives text; an editor's parser gives numbers, which the schema declares.
        raw = yaml.safe_load((folder / "probeta.yaml").read_text(encoding="utf-8"))
        raw["date"] = str(raw["date"])
        jsonschema.validate(json.loads(json.dumps(raw)), schema)


def test_all_faults_come_at_once_with_line_expectation_and_nearest_word(tmp_path: Path) -> None:
    folder = changed(
        tmp_path,
        ("language: en", "languge: en"),
        ("seed: 7", "seed: seven"),
        ("kind of sentence it is.", "kind of sentence it is.\n    levle: x"),
        ("{values: {reading: word}, target: 4}", "{values: {reading: wrd}, target: 4}"),
        ("file: lexicons/workers.csv", "file: lexicons/worker.csv"),
        ("lexicon: towns, counts", "lexicon: twons, counts"),
    )
    found = {(fault.code, fault.row): fault for fault in faults_of(folder)}
    assert set(found) == {
        ("unknown_key", line_of(folder, "languge")),
        ("missing_key", 3),
        ("recipe_value", line_of(folder, "seven")),
        ("unknown_key", line_of(folder, "levle")),
    }
    assert found[("unknown_key", line_of(folder, "languge"))].fix == "did you mean language?"
    assert found[("unknown_key", line_of(folder, "levle"))].fix == "did you mean level?"
    assert found[("recipe_value", line_of(folder, "seven"))].expected == "a whole number"
    assert all(fault.file == f"{folder.as_posix()}/probeta.yaml" for fault in found.values())


def test_a_misspelt_key_does_not_hide_wrong_values_elsewhere(tmp_path: Path) -> None:
    folder = changed(
        tmp_path,
        ("perturbations:", "perturbation: x\nperturbations:"),
        ("{values: {reading: word}, target: 4}", "{values: {reading: wrd}, target: 4}"),
        ("file: lexicons/workers.csv", "file: lexicons/worker.csv"),
        ("lexicon: towns, counts", "lexicon: twons, counts"),
    )
    found = [(fault.code, fault.row, fault.fix) for fault in faults_of(folder)]
    assert found == [
        ("unknown_value", line_of(folder, "wrd"), "did you mean word?"),
        ("missing_file", line_of(folder, "worker.csv"), "did you mean lexicons/workers.csv?"),
        ("unknown_key", line_of(folder, "perturbation: x"), "did you mean perturbations?"),
        ("unknown_lexicon", line_of(folder, "twons"), "did you mean towns?"),
    ]


def test_text_stays_text(tmp_path: Path) -> None:
    folder = changed(
        tmp_path,
        ('version: "0.1"', "version: 1.10"),
        ("language: en", "language: no"),
        ("title: Town names that are also ordinary words", "title: 2026-11-29"),
    )
    recipe = load_recipe(folder)
    assert (recipe.version, recipe.language, recipe.title) == ("1.10", "no", "2026-11-29")
    assert recipe.seed == 7


@pytest.mark.parametrize(
    ("old", "new", "code", "word"),
    [
        ("seed: 7", "seed: 7\nseed: 8", "yaml_doubled_key", "seed stands twice"),
        ("seed: 7", "seed: [7", "yaml_syntax", "not YAML"),
        ("seed: 7", "seed: 7\x07", "yaml_syntax", "special characters"),
        ("title: Town", 'title: "\\ud800" # Town', "surrogate", "no character"),
        ("seed: 7", 'seed: 7\n"\\ud800": 7', "surrogate", "no character"),
        ("seed: 7", "seed: !!python/object:os.system 7", "yaml_tag", "python/object"),
        ("seed: 7", "seed: &a 7\nextra: *a", "yaml_alias", "alias"),
        ("seed: 7", "seed:", "recipe_value", "found nothing"),
        ("seed: 7", "seed: {a: b}", "recipe_value", "found a mapping"),
        ("kind: spans", "kind: span", "recipe_kind", "perhaps spans"),
        ("date: 2026-11-29", "date: tomorrow", "recipe_value", "a date such as"),
        ("level: sentence", "level: sentense", "recipe_value", "did you mean sentence?"),
        ("{rule: one_cell}", "{rule: one_sell}", "recipe_value", "did you mean one_cell?"),
        ("{rule: one_cell}", "{rule: one_cell, exept: reading}", "unknown_key", "did you mean except?"),
        ("by: [reading]", "by: [raeding]", "unknown_attribute", "did you mean reading?"),
        ("by: [reading]", "by: [country]", "grid_open", "no list of values"),
        ("label: TOWN", "label: TWON", "unknown_label", "did you mean TOWN?"),
        ("forms: {form: {}}", "forms: {}", "recipe_value", "at least 1"),
        ("plural: {number: plural}", "plural: {nmber: plural}", "unknown_feature", "did you mean number?"),
        ("file: lexicons/towns.csv", "file: ../towns.csv", "recipe_value", "below the recipe's folder"),
        (
            "{values: {reading: name}, target: 3",
            "{values: {reading: word}, target: 3",
            "cell_doubled",
            "twice",
        ),
        ("guidelines: [annotating.md]", "guidelines: [gone.md]", "missing_file", "gone.md"),
        ("licence: cc-by-4.0", "licence: ''", "recipe_value", "expected text"),
    ],
)
def test_bad_yaml_is_told_with_its_place(tmp_path: Path, old: str, new: str, code: str, word: str) -> None:
    folder = changed(tmp_path, (old, new))
    found = faults_of(folder)
    assert code in {fault.code for fault in found}
    assert word in "\n".join(map(str, found))
    assert all(fault.row is not None for fault in found)


@pytest.mark.parametrize(
    "text", ["", "# nothing\n", "- a\n", "just text\n", "a: b\n---\nc: d\n", "a: \x01\n"]
)
def test_what_is_no_recipe_is_refused(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "probeta.yaml").write_text(text, encoding="utf-8")
    assert faults_of(folder)


def test_a_recipe_in_latin_1_is_refused(tmp_path: Path) -> None:
    folder = changed(tmp_path)
    data = (folder / "probeta.yaml").read_text(encoding="utf-8").replace("Town names", "Señas y añadidos")
    (folder / "probeta.yaml").write_bytes(data.encode("latin-1"))
    assert [fault.code for fault in faults_of(folder)] == ["encoding"]


def test_recipes_are_found_by_name_folder_or_file(tmp_path: Path) -> None:
    folder = changed(tmp_path)
    assert isinstance(load_recipe("blank"), SpanRecipe)
    assert load_recipe(folder).folder == load_recipe(folder / "probeta.yaml").folder == folder
    with pytest.raises(UsageError, match="did you mean blank"):
        load_recipe("blanc")
    with pytest.raises(UsageError, match=r"holds no probeta\.yaml"):
        load_recipe(tmp_path)


@pytest.mark.parametrize(
    ("grid", "code", "words"),
    [
        ("{casing: [standard, uper]}", "unknown_value", "did you mean upper?"),
        ("{casng: [standard, upper]}", "unknown_perturbation", "did you mean casing?"),
        ("{casing: [upper, lower]}", "dimension_base", "standard among the values"),
        ("{casing: [standard, standard]}", "dimension_doubled", "stands twice"),
        (
            "{casing: [standard]}\n  policies: {title_rset: keep}",
            "unknown_policy",
            "did you mean title_rest?",
        ),
        ("{casing: [standard]}\n  policies: {title_rest: kep}", "unknown_value", "did you mean keep?"),
        ("{}\n  policies: {title_rest: keep}", "unknown_policy", "none: the grid's perturbations"),
    ],
)
def test_perturbations_are_known(tmp_path: Path, grid: str, code: str, words: str) -> None:
    folder = changed(tmp_path, ("{casing: [standard, lower, upper]}", grid))
    recipe = load_recipe(folder)
    assert isinstance(recipe, SpanRecipe)
    with pytest.raises(DataError) as caught:
        load_content(recipe)
    (fault,) = caught.value.faults
    assert fault.code == code and words in str(fault)
    assert fault.row == line_of(
        folder, "policies:" if "policies" in grid else "casng" if "casng" in grid else "grid: {"
    )


def test_a_fault_of_a_selection_rule_names_the_rule(tmp_path: Path) -> None:
    rules = [{"rule": "one_cell"}, {"rule": "openings", "words": 2, "at_most": 0}]
    with pytest.raises(DataError) as told:
        load_recipe(small_recipe.write(tmp_path, [], selection=rules))
    assert [fault.column for fault in told.value.faults] == ["selection[1] (openings).at_most"]


def test_a_feature_that_every_form_gives_needs_no_column(tmp_path: Path) -> None:
    nouns = {
        "file": "nouns.csv",
        "label": "X",
        "forms": {
            "ms": {"gender": "masculine", "number": "singular"},
            "fs": {"gender": "feminine", "number": "singular"},
        },
    }
    folder = small_recipe.write(
        tmp_path,
        [
            {
                "id": "a",
                "size": "small",
                "text": "{{ agree(n.fs, 'nuevo') }} {{ n.fs }}.",
                "slots": "n = nouns",
                "fill": "n = gato",
                "topic": "t",
                "author": "A",
                "tone": "dry",
            }
        ],
        files={"nouns.csv": "id,ms,fs\ngato,gato,gata\n"},
        lexicons={"nouns": nouns, "cities": small_recipe.DECLARATION["lexicons"]["cities"]},
    )
    made = list(generate_base(load_recipe(folder)))
    assert [sentence.text for sentence in made] == ["nueva gata."]


@pytest.mark.parametrize(
    ("language", "families", "told"),
    [
        ("de", {"spelling": "strict"}, ["there are no spelling rules for language 'de'; there are for: es"]),
        ("de", {"ambiguity": "wspanish"}, ["there are no word lists for language 'de'; there are for: es"]),
        (
            "es",
            {"spelling": "stric+no_ze", "ambiguity": "wspanis"},
            ["did you mean strict?", "did you mean wspanish?"],
        ),
        ("es", {"spelling": "lenient+no_ze", "ambiguity": "wspanish_entries"}, []),
    ],
)
def test_a_family_that_the_language_does_not_have_is_a_fault_with_its_line(
    tmp_path: Path, language: str, families: dict[str, str], told: list[str]
) -> None:
    found = small_recipe.faults(tmp_path, [{"text": "Un [[pie]]."}], language=language, families=families)
    lines = (tmp_path / "probeta.yaml").read_text(encoding="utf-8").splitlines()
    assert len(found) == len(told)
    for fault, words, (name, family) in zip(found, told, families.items(), strict=False):
        assert words in fault.message
        assert fault.row is not None and lines[fault.row - 1].strip() == f"{name}: {family}"
