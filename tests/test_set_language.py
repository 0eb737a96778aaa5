"""What works on a built set is in the set's own language, unless a person says another."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from small_recipe import DECLARATION, catalan, write

from probeta import builtset
from probeta.builders.spans.noise import neighbours
from probeta.cli.common import run as entry
from probeta.pipeline.build import build
from probeta.validation.check import check


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("towns")
    recipe = catalan(folder / "recipe", "prat: El mercat de {{ agree(a, 'el') }} {{ a }} obre.")
    build(recipe, out=folder / "set")
    return folder / "set"


class Done(NamedTuple):
    """What a command gave."""

    returncode: object
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    def called(name: str, *arguments: str) -> Done:
        with pytest.raises(SystemExit) as ended:
            entry(
                importlib.import_module(f"probeta.cli.{name}").app,
                arguments=list(arguments),
                program=f"probeta {name}",
            )
        return Done(ended.value.code, *capfd.readouterr())

    return called


def tokens(path: Path) -> list[str]:
    """The tokens of the first sentence of a CoNLL file."""
    first = path.read_text(encoding="utf-8").split("\n\n")[0].splitlines()
    return [line.split("\t")[0] for line in first if not line.startswith("# ")]


def test_a_set_names_its_language_and_a_file_none(towns: Path, tmp_path: Path) -> None:
    assert builtset.language(towns) == "ca"
    assert builtset.language(tmp_path) is None
    assert builtset.language("-") is None
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "probeta.yaml").write_text("language: no\n")
    assert builtset.language(tmp_path) == "no"
    for broken in ("[", "language: [a]", "text", "\x00"):
        (tmp_path / "build" / "probeta.yaml").write_text(broken)
        assert builtset.language(tmp_path) is None


def test_convert_and_perturb_take_the_sets_tokenizer(run: Run, towns: Path, tmp_path: Path) -> None:
    # Catalan parts "del" into "d" and "el"; Spanish keeps it.
    run("convert", str(towns), str(tmp_path / "own.conll"))
    run("convert", str(towns), str(tmp_path / "es.conll"), "--language", "es")
    run("perturb", str(towns), "--out", str(tmp_path / "perturbed.conll"))
    assert tokens(tmp_path / "own.conll") == ["El", "mercat", "d", "el", "Prat", "obre", "."]
    assert tokens(tmp_path / "es.conll") == ["El", "mercat", "del", "Prat", "obre", "."]
    assert tokens(tmp_path / "perturbed.conll") == tokens(tmp_path / "own.conll")


def test_a_language_that_spacy_does_not_know_gets_general_rules_unless_it_was_asked_for(
    run: Run, towns: Path, tmp_path: Path
) -> None:
    declared = towns / "build" / "probeta.yaml"
    text = declared.read_text(encoding="utf-8")
    declared.write_text(text.replace("language: ca", "language: ast"), encoding="utf-8")
    try:
        run("convert", str(towns), str(tmp_path / "own.conll"))
        refused = run("convert", str(towns), str(tmp_path / "ast.conll"), "--language", "ast")
    finally:
        declared.write_text(text, encoding="utf-8")
    assert tokens(tmp_path / "own.conll") == ["El", "mercat", "del", "Prat", "obre", "."]
    assert refused.returncode == 2 and "'ast'" in refused.stderr


def test_rules_that_the_language_lacks_are_refused_and_not_those_of_another(
    run: Run, towns: Path, tmp_path: Path
) -> None:
    told = "language 'ca'; there are for: es"
    refused = run("attributes", str(towns))
    assert refused.returncode == 2 and told in refused.stderr
    done = run("attributes", str(towns), "--no-spelling", "--no-ambiguity")
    assert done.returncode == 0 and ",Prat," in done.stdout
    assert run("attributes", str(towns), "--language", "es").returncode == 0

    system = tmp_path / "system.jsonl"
    rows = builtset.read(towns, "sentences").select(["id", "spans"]).to_pylist()
    system.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    refused = run("score", str(towns), str(system), "--by", "spelling")
    assert refused.returncode == 2 and told in refused.stderr
    assert run("score", str(towns), str(system), "--by", "spelling", "--language", "es").returncode == 0
    assert run("score", str(towns), str(system), "--by", "length").returncode == 0

    recalls = tmp_path / "recalls.csv"
    recalls.write_text("system,spelling,n,recall\ns,compliant,4,0.5\n", encoding="utf-8")
    refused = run("predict", "--recalls", str(recalls), "--corpus", str(towns))
    assert refused.returncode == 2 and told in refused.stderr
    recalls.write_text("system,length,n,recall\ns,single,4,0.5\n", encoding="utf-8")
    done = run("predict", "--recalls", str(recalls), "--corpus", str(towns), "--json")
    assert "spelling:ca-strict" in done.stdout


@pytest.mark.parametrize(
    ("language", "policies", "layout"),
    [
        ("en-GB", {}, "en"),
        ("es", {}, None),
        # Catalan has no keyboard of its own here: the default, the Spanish one, is what is used there.
        ("ca", {}, None),
        ("en", {"layout": "fr"}, "fr"),
    ],
)
def test_typos_are_those_of_the_languages_keyboard_and_follow_from_the_builds_seed(
    tmp_path: Path, language: str, policies: dict[str, str], layout: str | None
) -> None:
    recipe = write(
        tmp_path / "recipe",
        [{"text": "Nobody was called [[Bath]] at home"}],
        language=language,
        attributes={"size": DECLARATION["attributes"]["size"], "field": DECLARATION["attributes"]["field"]},
        perturbations={"grid": {"casing": ["standard", "upper"], "keyboard_typo": ["no", "yes"]}, "policies": policies},
    )  # fmt: skip
    build(recipe, out=tmp_path / "set", seed=23)
    rows = {row["id"]: row for row in builtset.read(tmp_path / "set", "sentences").to_pylist()}
    kept = {} if layout is None else {"layout": layout}
    # Only what a draw went into names the seed, and it is the build's.
    parameters = {id_: json.loads(row["parameters"] or "null") for id_, row in rows.items()}
    assert parameters == {
        "r1|standard|no": None,
        "r1|standard|yes": {**kept, "seed": 23},
        "r1|upper|no": kept,
        "r1|upper|yes": {**kept, "seed": 23},
    }
    old, new = rows["r1|standard|no"]["text"], rows["r1|standard|yes"]["text"]
    ((was, hit),) = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert hit.lower() in neighbours(layout or "es")[was.lower()]
    assert check(tmp_path / "set").faults == []
