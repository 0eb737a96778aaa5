"""``probeta new``, ``coverage`` and ``schema`` as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from probeta.builders.spans.generate import generate_base
from probeta.cli.main import main
from probeta.recipe import SpanRecipe, bundled_recipes, load_recipe


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def test_coverage_prints_the_grid(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "coverage", "blank")
    assert (code, err) == (0, "")
    assert [line.split()[:7] for line in out.splitlines()[1:3]] == [
        ["word", "4", "4", "0", "2", "16", "25.0"],
        ["name", "3", "3", "0", "3", "21", "14.3"],
    ]
    assert "three suffice" in " ".join(out.split())


def test_coverage_as_json_and_with_faults(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    call(capsys, "new", str(tmp_path / "own"))
    text = (tmp_path / "own/probeta.yaml").read_text(encoding="utf-8")
    text = text.replace("target: 4", "target: 40").replace("target: 3", "target: 2")
    (tmp_path / "own/probeta.yaml").write_text(text, encoding="utf-8")
    code, out, err = call(capsys, "coverage", str(tmp_path / "own"), "--json")
    report = json.loads(out)
    assert code == 1 and err.endswith("probeta: 2 faults\n")
    assert report["counts"] == {"over_full": 1, "short": 1}
    assert [fault["code"] for fault in report["faults"]] == ["cell_short", "cell_over_full"]
    assert report["cells"][0] | {"reason": None} == {
        "values": {"reading": "word"},
        "target": 40,
        "reason": None,
        "hand_picked": 4,
        "drawn": 12,
        "templates": 2,
        "maximum": 16,
        "share": 1.0,
        "status": "short",
    }


def has_tables(source: str) -> bool:
    return any(file.endswith(".csv") for _, file in load_recipe(source).files())


@pytest.mark.parametrize(
    ("source", "sheets"),
    [
        (source, sheets)
        for source in sorted(bundled_recipes())
        for sheets in (False, True)
        if has_tables(source) or not sheets
    ],
)
def test_a_new_recipe_gives_the_same_sentences(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, source: str, sheets: bool
) -> None:
    original = load_recipe(source)
    folder = tmp_path / "My own set"
    code, out, _ = call(capsys, "new", str(folder), "--from", source, *(["--xlsx"] if sheets else []))
    assert code == 0
    assert f"probeta build '{folder}'" in out
    made = load_recipe(folder)
    assert made.name == "my-own-set"
    assert all(file.endswith(".xlsx") is sheets for _, file in made.files())
    if isinstance(made, SpanRecipe) and isinstance(original, SpanRecipe):
        assert list(generate_base(made, per_cell=12)) == list(generate_base(original, per_cell=12))


def test_a_new_recipe_builds_at_once_and_the_set_is_sound(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder, out = str(tmp_path / "own"), str(tmp_path / "out")
    assert call(capsys, "new", folder, "--xlsx")[0] == 0
    code, printed, _ = call(capsys, "build", folder, "--out", out, "--per-cell", "6", "--json")
    counts = json.loads(printed)["counts"]
    # 2 cells of 6; casing standard, lower, upper.
    assert (code, counts["base_sentences"], counts["sentences"]) == (0, 12, 36)
    code, printed, err = call(capsys, "check", out, "--json")
    assert (code, json.loads(printed)["faults"]) == (0, []), err
    code, _, err = call(capsys, "build", folder, "--out", out, "--replace", "--per-cell", "17")
    assert code == 1 and "at most 16: 4 hand-picked, the rest from 2 templates" in err
    assert (tmp_path / "out" / "SHA256SUMS").is_file()


def test_new_refuses_a_folder_that_is_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("x", encoding="utf-8")
    code, _, err = call(capsys, "new", str(tmp_path))
    assert code == 2 and "is there already" in err
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]
    code, _, err = call(capsys, "new", str(tmp_path / "own"), "--from", "blanc")
    assert code == 2 and "did you mean blank?" in err


def test_faults_are_one_line_each_and_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    call(capsys, "new", str(tmp_path / "own"))
    path = tmp_path / "own/sentences/towns.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("[[Bath]]", "[[Bath"), encoding="utf-8")
    code, out, err = call(capsys, "coverage", str(tmp_path / "own"), "--json")
    assert code == 1
    assert json.loads(out)["counts"] == {"markup": 1}
    assert err.splitlines()[0].endswith("sentences/towns.csv:2 [text]: the span is not closed (expected ]])")
    assert "Traceback" not in err


def test_the_schema_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "schema")
    schema = json.loads(out)
    assert code == 0 and schema["discriminator"]["propertyName"] == "kind"
    assert schema["$defs"]["SpanRecipe"]["additionalProperties"] is False


@pytest.mark.parametrize(
    ("source", "folder", "printed"),
    [
        ("blank", "Años difíciles", ["coverage '{0}'", "build '{0}' --out out/anos-dificiles"]),
        ("histnero", "h", ["build {0} --corpus DIR --out out/h"]),
        ("esnlir", "e", ["build {0} --corpus PATH --out out/e"]),
    ],
)
def test_new_proposes_commands_that_can_work(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, source: str, folder: str, printed: list[str]
) -> None:
    where = str(tmp_path / folder)
    code, out, _ = call(capsys, "new", where, "--from", source)
    commands = [line.removeprefix("next:").strip() for line in out.splitlines()[1:]]
    assert (code, commands) == (0, [f"probeta {line.format(where)}" for line in printed])


def test_a_build_tells_what_check_would_find(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder, out = tmp_path / "own", str(tmp_path / "out")
    call(capsys, "new", str(folder))
    recipe = folder / "probeta.yaml"
    text = recipe.read_text(encoding="utf-8").replace("target: 4", "target: 40")
    recipe.write_text(text.replace("target: 3", "target: 2"), encoding="utf-8")
    code, _, err = call(capsys, "build", str(folder), "--out", out)
    warnings = [line.removeprefix("! ") for line in err.splitlines()]
    # The cell holds 16 sentences at most; three are written where two are wanted.
    assert (code, warnings) == (
        0,
        [
            "the cell word is not full: expected 40, found 16",
            "the cell name holds too many hand-picked sentences: expected 2, found 3",
        ],
    )
    code, _, err = call(capsys, "check", out)
    assert (code, err.count("the cell ")) == (1, 2)


def test_a_licence_that_the_hub_does_not_know_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "own"
    call(capsys, "new", str(folder))
    recipe = folder / "probeta.yaml"
    text = recipe.read_text(encoding="utf-8").replace("licence: cc-by-4.0", "licence: CC BY")
    recipe.write_text(text, encoding="utf-8")
    code, _, err = call(capsys, "build", str(folder), "--out", str(tmp_path / "out"))
    assert code == 0
    assert "! card.licence: the Hub does not know 'CC BY': " in err
    assert "cc-by-4.0" in err


def test_numbers_of_a_lexicon_are_numbers_in_a_spreadsheet(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    import openpyxl

    call(capsys, "new", str(tmp_path / "own"), "--xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "own/lexicons/towns.xlsx").worksheets[0]
    header, *rows = sheet.iter_rows(values_only=True)
    at = header.index("inhabitants")
    assert {type(row[at]) for row in rows if row[at] is not None} <= {int, float}
    assert {type(row[header.index("country")]) for row in rows} == {str}
