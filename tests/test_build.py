"""A whole build: counts, files, loading, determinism, refusals, and regeneration from its own recipe."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import datasets
import pyarrow.parquet as pq
import pytest
import small_recipe
from console import run

from probeta import atomic, builtset
from probeta.errors import DataError, UsageError
from probeta.hashing import file_sha256
from probeta.pipeline.build import build
from probeta.pipeline.new import new_recipe
from probeta.validation.check import check

#: Table 1 of the BLAS paper (arXiv 2602.12759): sentences by type, length and position.
TABLE_1 = {
    ("compliant", "single", "initial"): 10,
    ("compliant", "single", "mid"): 10,
    ("compliant", "multi", "initial"): 10,
    ("compliant", "multi", "mid"): 10,
    ("non_compliant", "single", "initial"): 10,
    ("non_compliant", "single", "mid"): 10,
    ("non_compliant", "multi", "initial"): 10,
    ("non_compliant", "multi", "mid"): 10,
    ("mixed_compliant", "multi", "initial"): 10,
    ("mixed_compliant", "multi", "mid"): 10,
    ("ambiguous", "single", "mid"): 3,
    ("ambiguous", "multi", "mid"): 10,
    ("mixed_ambiguous", "multi", "initial"): 10,
    ("mixed_ambiguous", "multi", "mid"): 10,
    ("adjacent", "single", "mid"): 10,
    ("adjacent", "multi", "mid"): 10,
}


def files_of(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): file_sha256(p) for p in folder.rglob("*") if p.is_file()}


def test_blas_holds_the_papers_table_1(blas: Path) -> None:
    sentences = builtset.read(blas, "sentences").to_pylist()
    spans = builtset.read(blas, "spans").to_pylist()
    base = {row["id"] for row in sentences if row["operation"] is None}
    cells = {(row["type"], row["length"], row["position"], row["id"]) for row in spans if row["id"] in base}
    assert Counter(cell[:3] for cell in cells) == TABLE_1
    # 153 base sentences, 20 of them with two spans: 173; times twelve configurations.
    assert (len(base), len(sentences), len(spans)) == (153, 1836, 2076)
    assert sum(1 for row in spans if row["id"] in base) == 173
    # One-word initial spans: the title form of the span is the standard one, in two quotations: 20 x 2.
    assert sum(1 for row in sentences if row["duplicate_of"]) == 40


def test_at_least_half_of_each_cell_comes_from_slot_templates(blas: Path) -> None:
    spans = {row["id"]: row for row in builtset.read(blas, "spans").to_pylist()}
    made: dict[tuple[str, ...], list[bool]] = {}
    for row in builtset.read(blas, "sentences").to_pylist():
        if row["operation"] is None:
            span = spans[row["id"]]
            made.setdefault((span["type"], span["length"], span["position"]), []).append(
                bool(row["template"])
            )
    assert all(2 * sum(cell) >= len(cell) for cell in made.values())


def test_reports_repeat_what_the_files_hold(blas: Path) -> None:
    stats = json.loads((blas / "reports/stats.json").read_text())
    tokens = builtset.read(blas, "tokens").column("tokens").to_pylist()
    assert stats["tokens"] == sum(map(len, tokens))
    assert stats["perturbations"]["casing"] == dict.fromkeys(sorted(stats["perturbations"]["casing"]), 306)
    # 1,836 rows in six casings and two quotations.
    assert stats["perturbations"]["quotes"] == {"with": 918, "without": 918}
    assert 16 <= stats["base_tokens"]["mean"] <= 22


@pytest.mark.parametrize("config", ["sentences", "spans", "tokens"])
def test_every_config_loads_with_its_declared_features(blas: Path, tmp_path: Path, config: str) -> None:
    loaded = datasets.load_dataset(str(blas), config, split="test", cache_dir=str(tmp_path))
    path = blas / config / "test-00000-of-00001.parquet"
    assert loaded.features == datasets.Features.from_arrow_schema(pq.read_schema(path))
    assert loaded.to_list() == pq.read_table(path).to_pylist()


def test_the_same_bytes_again_and_from_its_own_build_folder(blas: Path, tmp_path: Path) -> None:
    build("blas", out=tmp_path / "again")
    build(blas / "build", out=tmp_path / "rebuilt")
    assert files_of(blas) == files_of(tmp_path / "again") == files_of(tmp_path / "rebuilt")


def test_the_cards_command_works_beside_the_set_and_not_in_it(tmp_path: Path) -> None:
    build("blank", out=tmp_path / "blank")
    command = json.loads((tmp_path / "blank/build/build.json").read_text(encoding="utf-8"))["command"]
    assert command == "probeta build blank/build --seed 7 --out blank-again"
    card = (tmp_path / "blank/README.md").read_text(encoding="utf-8")
    assert f"```\n{command}\n```\n\nRun beside this folder" in card
    assert run(command, cwd=tmp_path).returncode == 0
    assert files_of(tmp_path / "blank") == files_of(tmp_path / "blank-again")
    with pytest.raises(UsageError, match="in the built set"):
        build("blank", out=tmp_path / "blank" / "inside")


def test_what_a_replaced_set_had_besides_is_told(tmp_path: Path) -> None:
    out = tmp_path / "blank"
    assert not [one for one in build("blank", out=out).warnings if "no longer" in one]
    assert not [one for one in build("blank", out=out, replace=True).warnings if "no longer" in one]
    for config in ("annotations", "validated"):
        (out / config).mkdir()
        shutil.copy(out / "spans/test-00000-of-00001.parquet", out / config)
    (out / "reports/scores.json").write_text("{}")
    (out / "reports/adjudication.json").write_text("{}")
    told = [one for one in build("blank", out=out, replace=True).warnings if "no longer" in one]
    assert told == [
        f"{out} no longer has annotations/, reports/adjudication.json, reports/scores.json, validated/, which the "
        f"set before had; `probeta adjudicate … --into {out}` and `probeta score … --out {out}` put it there again"
    ]


def test_a_folder_that_is_no_built_set_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="not a built set"):
        build("blank", out=tmp_path / "mine", replace=True)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_a_built_set_is_replaced_only_on_request(tmp_path: Path) -> None:
    build("blank", out=tmp_path / "set")
    with pytest.raises(UsageError, match="--replace"):
        build("blank", out=tmp_path / "set")
    build("blank", out=tmp_path / "set", replace=True)


def test_a_set_that_another_run_wrote_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = atomic.folder

    @contextmanager
    def after_another_run(target: Path) -> Iterator[Path]:
        monkeypatch.setattr(atomic, "folder", locked)
        build("blank", out=target, seed=7)
        with locked(target) as folder:
            yield folder

    monkeypatch.setattr(atomic, "folder", after_another_run)
    with pytest.raises(UsageError, match="--replace"):
        build("blank", out=tmp_path / "set", seed=8)
    assert json.loads((tmp_path / "set" / builtset.BUILD).read_text())["seed"] == 7


def test_guidelines_that_are_not_utf_8_are_a_fault(tmp_path: Path) -> None:
    new_recipe(tmp_path / "own")
    (tmp_path / "own/guidelines/annotating.md").write_bytes("# Guía\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"guidelines/annotating\.md:1: the file is not UTF-8"):
        build(tmp_path / "own", out=tmp_path / "set")
    assert not (tmp_path / "set").exists()


def test_thirty_a_cell_without_duplicates(tmp_path: Path) -> None:
    built = build("blas", out=tmp_path / "big", per_cell=30)
    cells = {tuple(cell["values"].values()): cell for cell in built.reports["coverage"]["cells"]}
    made = {key: cell["hand_picked"] + cell["drawn"] for key, cell in cells.items()}
    assert made == dict.fromkeys(TABLE_1, 30)
    rows = builtset.read(tmp_path / "big", "sentences").to_pylist()
    texts = [row["text"] for row in rows if row["operation"] is None]
    assert len(texts) == len(set(texts)) == 30 * 16


@pytest.mark.parametrize("perturbations", [{}, {"perturbations": {"grid": {}}}], ids=["left_out", "empty"])
def test_a_recipe_without_perturbations_builds_its_base_sentences(
    perturbations: dict[str, object], tmp_path: Path
) -> None:
    rows = [{"text": "Le duelen los [[pies]] al subir.", "tone": "dry"}]
    built = build(small_recipe.write(tmp_path / "own", rows, **perturbations), out=tmp_path / "set")
    assert (built.counts["base_sentences"], built.counts["sentences"]) == (1, 1)
    (row,) = builtset.read(tmp_path / "set", "sentences").to_pylist()
    assert (row["id"], row["base_id"], row["operation"]) == ("r1", "r1", None)
    assert check(tmp_path / "set").faults == []


#: Option -> a value, and the recipes that it concerns; `--seed`, `--replace` and `--json` concern all.
OPTIONS: dict[str, tuple[str, list[str]]] = {
    "--per-cell": ("12", ["blank"]),
    "--corpus": (".", ["histnero", "esnlir"]),
    "--labels": ("O,B-PERS", ["histnero"]),
    "--workers": ("1", ["esnlir"]),
    "--executor": ("processes", ["esnlir"]),
}


@pytest.mark.parametrize("recipe", ["blank", "histnero", "esnlir"])
@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_that_does_not_concern_a_recipe_is_a_wrong_use(
    tmp_path: Path, recipe: str, option: str
) -> None:
    # Even a value that is the default: who gives an option believes that it does something.
    value, concerned = OPTIONS[option]
    done = run(f"probeta build {recipe} --out set {option} {value}", cwd=tmp_path)
    if recipe in concerned:
        assert f"{option} is for" not in done.stderr
    else:
        assert done.returncode == 2
        assert f"{option} is for recipes that are" in done.stderr
        assert not list(tmp_path.iterdir())


def test_every_option_that_does_not_concern_a_recipe_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        build("esnlir", out=tmp_path / "set", per_cell=3, labels=["O"])
    assert str(caught.value) == (
        "esnlir is mined from documents; --per-cell is for recipes that are made of sentences and templates; "
        "--labels is for recipes that are read from a tagged corpus"
    )
