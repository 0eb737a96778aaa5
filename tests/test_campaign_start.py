"""The draw, the campaign folder, what is refused before anything is pushed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from campaigns import campaign, rewrite
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from probeta.annotation.campaign import Campaign
from probeta.annotation.configuration import check, instructions, of, render, variables
from probeta.annotation.sample import Bands, draw
from probeta.annotation.start import StartOptions, start
from probeta.cli.campaign import app
from probeta.errors import DataError, UsageError
from probeta.pipeline.build import build
from probeta.pipeline.new import new_recipe


def pair(number: int, label: str, genre: str = "news", **more: Any) -> dict[str, Any]:
    return {
        "id": f"p{number:04d}",
        "sentence_1": f"Uno {number}.",
        "sentence_2": f"Dos {number}.",
        "connector_type": label,
        "genre": genre,
        **more,
    }


def test_a_short_stratum_leaves_its_share_to_the_others() -> None:
    rows = [pair(n, label) for n, label in enumerate("a" * 50 + "b" * 50 + "c" * 4)]
    made = draw(rows, kind="pairs", size=40, strata=["connector_type"], seed=1)
    # c has four only; the other 36 are shared by a and b.
    assert Counter(row["connector_type"] for row in made.rows) == {"a": 18, "b": 18, "c": 4}
    assert [(s["had"], s["gave"]) for s in made.report["strata"]] == [(50, 18), (50, 18), (4, 4)]


def test_the_first_column_is_balanced_first_and_the_second_within_it() -> None:
    rows = [pair(n, "ab"[n % 2], ["news", "law", "prose"][n % 3 if n % 2 else 0]) for n in range(300)]
    made = draw(rows, kind="pairs", size=60, strata=["connector_type", "genre"], seed=1)
    assert Counter(row["connector_type"] for row in made.rows) == {"a": 30, "b": 30}
    assert Counter(row["genre"] for row in made.rows if row["connector_type"] == "b") == {
        "news": 10,
        "law": 10,
        "prose": 10,
    }


def test_bands_of_a_number_are_strata() -> None:
    rows = [pair(n, "a", confidence=n / 100) for n in range(100)]
    made = draw(rows, kind="pairs", size=30, bands=[Bands("confidence", [0.5, 0.9])], seed=1)
    drawn = [row["confidence"] for row in made.rows]
    assert [sum(low <= c < high for c in drawn) for low, high in ((0, 0.5), (0.5, 0.9), (0.9, 1))] == [
        10,
        10,
        10,
    ]


def test_a_base_sentence_and_a_text_are_drawn_once() -> None:
    rows = [
        {"id": f"b{base}|{casing}", "base_id": f"b{base}", "text": text, "casing": casing}
        for base in range(5)
        for casing, text in (("standard", f"Texto {base}"), ("upper", f"TEXTO {base}"))
    ]
    rows.append({"id": "twin", "base_id": "twin", "text": "texto  0", "casing": "standard"})
    made = draw(rows, kind="spans", size=99, strata=["casing"], seed=1)
    assert len(made.rows) == len({row["base_id"] for row in made.rows}) == 5
    assert made.report["drawn"] == 5
    assert sum(made.report["passed_over"].values()) == 6
    again = draw(rows, kind="spans", size=99, seed=1, exclude=made.rows)
    assert not again.rows


@given(st.permutations(range(30)), st.integers(0, 3))
def test_the_draw_depends_on_ids_and_not_on_order(order: list[int], seed: int) -> None:
    rows = [pair(n, "abc"[n % 3]) for n in range(30)]
    one = draw(rows, kind="pairs", size=10, strata=["connector_type"], seed=seed).rows
    two = draw([rows[n] for n in order], kind="pairs", size=10, strata=["connector_type"], seed=seed).rows
    assert [row["id"] for row in one] == [row["id"] for row in two]


def test_init_writes_a_campaign_without_labels_in_what_is_pushed(blas: Path, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    command = [
        *("init", str(folder), "--from", str(blas), "--sample", "30", "--strata", "type"),
        *("--checks", "4", "--repeats", "5", "--json"),
    ]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 0, ran.output
    report = json.loads(ran.stdout)
    assert (report["drawn"], report["tasks"]) == (30, 39)
    made = Campaign(folder)
    items = made.items()
    assert Counter(item.role for item in items) == {"sample": 30, "check": 4, "repeat": 5}
    places = {item.item: place for place, item in enumerate(items)}
    for item in items:
        assert set(item.fields) == {"text"}
        # Neither id, nor role, nor label can be read off the key.
        assert item.key == f"{made.settings.id}-{item.key[9:]}" and len(item.key) == 21
        if item.of:
            assert places[item.of] < places[item.item]
    gold = [json.loads(line) for line in (folder / "gold.jsonl").read_text("utf-8").splitlines()]
    assert {row["item"] for row in gold} == {item.item for item in items if item.role != "repeat"}
    assert all(row["original"] for row in gold)
    assert made.settings.guideline_sha256
    again = CliRunner().invoke(app, ["init", str(folder), "--from", str(blas), "--sample", "3"])
    assert again.exit_code == 2
    assert "made once" in again.stderr


def test_a_set_from_the_blank_recipe_starts_a_campaign(tmp_path: Path) -> None:
    build("blank", out=tmp_path / "set")
    ran = CliRunner().invoke(
        app, ["init", str(tmp_path / "c"), "--from", str(tmp_path / "set"), "--sample", "3"]
    )
    assert ran.exit_code == 0, ran.output
    assert "annotators read annotating.md" in ran.stdout
    assert "Replace this page" in (tmp_path / "c" / "guideline.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("named", "taken"),
    [
        (["authoring.ca.md", "annotation.es.md", "annotation.ca.md"], "annotation.ca.md"),
        (["x/annotation.es.md", "x/annotating.md"], "annotating.md"),
        # None is for annotators by its name: the language decides, then the order.
        (["rules.es.md", "more.md", "how.ca.md"], "how.ca.md"),
        (["rules.md", "more.md"], "rules.md"),
    ],
)
def test_the_guideline_that_annotators_read(named: list[str], taken: str, tmp_path: Path) -> None:
    recipe = tmp_path / "mine"
    new_recipe(recipe)
    for file in named:
        path = recipe / "guidelines" / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# {path.name}\n", encoding="utf-8")
    settings = recipe / "probeta.yaml"
    text = settings.read_text("utf-8").replace("language: en", "language: ca")
    settings.write_text(text.replace("[annotating.md]", f"[{', '.join(named)}]"), "utf-8")
    build(str(recipe), out=tmp_path / "set")
    made = start(tmp_path / "c", StartOptions(source=tmp_path / "set", sample=2))
    assert made.report["guideline"] == taken
    assert made.campaign.path("guideline.md").read_text("utf-8") == f"# {taken}\n"


def test_hints_and_questions_are_in_the_set_s_language(blas: Path, tmp_path: Path) -> None:
    made = start(tmp_path / "c", StartOptions(source=blas, sample=2))
    assert not made.notes
    config = of(made.campaign.settings)
    # The recipe defines its label in English; its card has the Spanish.
    assert "tomada del inglés" in config and "Marque los tramos" in config


def test_questions_in_a_language_without_words_of_ours_are_told_and_can_be_given(tmp_path: Path) -> None:
    recipe = tmp_path / "mine"
    new_recipe(recipe)
    settings = recipe / "probeta.yaml"
    settings.write_text(settings.read_text("utf-8").replace("language: en", "language: ca"), "utf-8")
    build(str(recipe), out=tmp_path / "set")
    folder = tmp_path / "c"
    ran = CliRunner().invoke(app, ["init", str(folder), "--from", str(tmp_path / "set"), "--sample", "2"])
    assert "the questions to annotators are in English: there are none in 'ca'" in ran.stderr
    path = folder / "campaign.yaml"
    text = path.read_text("utf-8")
    path.write_text(text.replace("Mark the spans and choose the label", "Marca els noms & tria"), "utf-8")
    assert "Marca els noms &amp; tria" in of(Campaign(folder).settings)
    path.write_text(text.replace("spans: Mark", "span: Mark"), "utf-8")
    with pytest.raises(DataError) as refused:
        Campaign(folder)
    assert (refused.value.faults[0].column or "").startswith("words.span")


def test_the_same_options_make_the_same_campaign(blas: Path, tmp_path: Path) -> None:
    options = StartOptions(source=blas, sample=20, strata=["type"], checks=2, repeats=2)
    one, two = (start(tmp_path / name, options).campaign.folder for name in "ab")
    for path in one.iterdir():
        if path.is_file():
            assert path.read_bytes() == (two / path.name).read_bytes()


BAD: dict[str, tuple[Any, str]] = {
    "NUL": ("a\0b", "nul"),
    # No JSON holds one, so the line itself is refused.
    "lone surrogate": ("a\ud800", "json"),
    "blank": (" \n", "empty"),
    "missing": (None, "none"),
    "number": (3, "text_type"),
}


@pytest.mark.parametrize("name", BAD)
def test_texts_that_cannot_be_pushed_are_refused_with_their_row(tmp_path: Path, name: str) -> None:
    text, code = BAD[name]
    made = campaign(tmp_path / "c", size=3)
    path = made.path("items.jsonl")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows[1]["text"] = text
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(DataError) as refused:
        made.items()
    assert [(fault.code, fault.row) for fault in refused.value.faults] == [(code, 2)]
    assert refused.value.faults[0].file == "items.jsonl"


def test_items_that_stand_twice_or_have_a_foreign_key_are_refused(tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=3)
    rewrite(made, lambda rows: [rows[0], rows[0], rows[2] | {"key": "x-1"}])
    with pytest.raises(DataError) as refused:
        made.items()
    assert [(fault.code, fault.row) for fault in refused.value.faults] == [("item_twice", 2), ("key", 3)]


def test_a_folder_that_is_no_campaign_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no campaign"):
        Campaign(tmp_path)


@pytest.mark.parametrize("kind", ["spans", "pairs"])
def test_labelling_configurations_escape_what_they_are_given(kind: Any) -> None:
    config = render(kind=kind, labels={"A&B": 'a "quote" <b>', "C": ""}, language="es")
    check(config, kind=kind)
    assert "A&amp;B" in config
    assert "<b>" not in config
    assert 'hotkey="1"' in config and 'hotkey="2"' in config
    assert variables(config) <= {"text", "sentence_1", "sentence_2"}
    assert "$answers" in render(kind=kind, labels={"A": ""}, language="fr", adjudication=True)


def test_html_in_a_guideline_is_shown_as_text() -> None:
    shown = instructions("# G\n\n<script>alert(1)</script>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    assert "<script>" not in shown
    assert "<table border" in shown


def test_headings_of_a_guideline_have_sizes_that_fit_label_studio_s_lines() -> None:
    shown = instructions("# Title\n\n## Part\n\ntext\n\n### Point\n\nmore\n")
    assert shown.replace("\n", "") == (
        "<h3>Title</h3><br><h3>Part</h3><p>text</p><br><h4>Point</h4><p>more</p><br>"
    )


def test_a_configuration_that_the_server_would_refuse_is_refused_here() -> None:
    broken = '<View><Text name="text" value="$text"/><Labels name="label" toName="nobody"><Label value="A"/></Labels></View>'
    with pytest.raises(DataError, match="nobody"):
        check(broken, kind="spans")
