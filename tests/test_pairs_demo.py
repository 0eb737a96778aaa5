"""The demo corpus through the whole command line: every genre, every hard case, loaded back by datasets."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def probeta(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "probeta.cli.main", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], str]:
    out = tmp_path_factory.mktemp("demo") / "esnlir"
    run = probeta("build", "esnlir", "--out", out, "--json")
    assert run.returncode == 0, run.stderr
    return out, json.loads(run.stdout), run.stderr


def test_the_command_says_what_it_made(built: tuple[Path, dict[str, Any], str]) -> None:
    out, said, errors = built
    assert said["counts"] == {
        "documents": 38,
        "sentences": 367,
        "hits": 127,
        "pairs": 132,
        "splits": {
            split: dict.fromkeys(("contrasting", "entailment", "reasoning", "neutral"), size)
            for split, size in (("train", 16), ("validation", 5), ("test", 12))
        },
    }
    assert said["warnings"][0].startswith("no --corpus: built from the texts that the recipe brings (demo_")
    assert "|corpora:" in said["signature"]
    for warning in said["warnings"]:
        assert f"! {warning}" in errors
    assert not list(out.parent.glob(".esnlir*"))


def test_it_is_sound_and_loads(built: tuple[Path, dict[str, Any], str], tmp_path: Path) -> None:
    import datasets

    out, said, _ = built
    assert probeta("check", out).returncode == 0
    loaded = datasets.load_dataset(str(out), "pairs", cache_dir=str(tmp_path))
    assert {split: rows.num_rows for split, rows in loaded.items()} == {
        "train": 64,
        "validation": 20,
        "test": 48,
    }
    assert sum(rows.num_rows for rows in loaded.values()) == said["counts"]["pairs"]
    stress = datasets.load_dataset(str(out), "stress_spelling", split="test", cache_dir=str(tmp_path))
    assert stress["id"] == loaded["test"]["id"]


def test_every_encoding_and_reason_of_the_demo_is_told(built: tuple[Path, dict[str, Any], str]) -> None:
    out, _, _ = built
    funnel = json.loads((out / "reports" / "funnel.json").read_text(encoding="utf-8"))
    novels = next(block for block in funnel["corpora"] if block["corpus"] == "demo_novels")
    assert novels["encodings"] == {"latin-1": 1, "utf-16": 1, "utf-8": 4}
    rejects = json.loads((out / "reports" / "rejects.json").read_text(encoding="utf-8"))["rejects"]
    assert {reject["reason"] for reject in rejects} >= {
        "first_in_paragraph",
        "phrase_alone",
        "dialogue",
        "balanced_quotes",
        "language",
        "has_nominal_and_verb",
        "needs_punctuation",
        "blocked_by_next_word",
    }


def test_building_again_gives_the_same_bytes(built: tuple[Path, dict[str, Any], str], tmp_path: Path) -> None:
    out, _, _ = built
    again = tmp_path / "esnlir"
    assert probeta("build", "esnlir", "--out", again, "--workers", "2").returncode == 0
    for path in sorted(out.rglob("*")):
        if path.is_file():
            assert (again / path.relative_to(out)).read_bytes() == path.read_bytes(), path


def test_artifacts_are_not_judged_on_so_few(built: tuple[Path, dict[str, Any], str]) -> None:
    out, _, _ = built
    run = probeta("artifacts", out, "--json")
    assert run.returncode == 0
    report = json.loads(run.stdout)
    assert {gate["status"] for gate in report["gates"].values()} == {"too_few"}
    assert report == json.loads((out / "reports" / "artifacts.json").read_text(encoding="utf-8"))
    shown = probeta("artifacts", out).stdout
    assert "! no gate was judged: 132 pairs are too few to judge (at least 400)" in shown
    assert shown.count("too few to judge") == 1
    # A word of so few pairs tells of a pair or two.
    assert report["words"] == {} and "give a class away" not in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--corpus", "nowhere.txt"], "no such file"),
        (
            ["--per-cell", "3"],
            "mined from documents; --per-cell is for recipes that are made of sentences and templates",
        ),
        (["--executor", "slrm"], "did you mean slurm"),
    ],
)
def test_wrong_use_is_one_sentence(tmp_path: Path, arguments: list[str], said: str) -> None:
    run = probeta("build", "esnlir", "--out", tmp_path / "out", *arguments)
    assert run.returncode == 2
    assert said in run.stderr and "Traceback" not in run.stderr
    assert not list(tmp_path.iterdir())


def test_a_failed_build_leaves_its_work_only_where_it_says_so(tmp_path: Path) -> None:
    corpus = tmp_path / "in"
    corpus.mkdir()
    (corpus / "bad.jsonl").write_text('{"id": "a"}\n', encoding="utf-8")
    run = probeta("build", "esnlir", "--corpus", corpus, "--out", tmp_path / "out" / "set")
    assert run.returncode == 1
    kept = tmp_path / "out" / ".set.work"
    assert f"! the work so far is kept in {kept}: the same command goes on from there" in run.stderr
    assert any(kept.rglob("*"))
    # The next run says that it goes on, and leaves nothing where it ends well.
    text = "El puerto {0} cerró {1} veces. {2} los barcos {0} salieron {1} días después.\n\n"
    phrases = ("Sin embargo,", "Por lo tanto,", "Es decir,")
    body = "".join(text.format(n, n + 1, phrases[n % 3]) for n in range(12))
    (corpus / "bad.jsonl").write_text(json.dumps({"id": "a", "text": body}) + "\n", encoding="utf-8")
    run = probeta("build", "esnlir", "--corpus", corpus, "--out", tmp_path / "out" / "set")
    assert run.returncode == 0, run.stderr
    assert f"! going on from {kept}" in run.stderr
    assert not kept.exists()


def test_a_corpus_without_neutral_pairs_fails_loudly(tmp_path: Path) -> None:
    text = "El puerto cerró por la niebla. Sin embargo, los barcos salieron. Nadie los vio volver."
    (tmp_path / "one.txt").write_text(text, encoding="utf-8")
    run = probeta("build", "esnlir", "--corpus", tmp_path / "one.txt", "--out", tmp_path / "out", "--json")
    assert run.returncode == 1
    (fault,) = json.loads(run.stdout)["faults"]
    assert fault["code"] == "no_pairs" and "gives NOTHING" in fault["message"]
    assert "one" in (tmp_path / ".out.work" / "funnel.txt").read_text(encoding="utf-8")
