"""Croissant, CITATION.cff, Zenodo, BibTeX, the Data Statement: made from the same facts, and read by others."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlcroissant
import pyarrow.parquet as pq
import pytest
import yaml

from probeta import builtset
from probeta.publishing.citation import licence_text
from probeta.publishing.croissant import CONTEXT
from probeta.publishing.facts import gather
from probeta.publishing.gates import croissant as gate
from probeta.publishing.gates.documents import cff_faults
from probeta.publishing.gates.header import read_header
from probeta.publishing.vocabularies import licences, read
from probeta.recipe import load_recipe


@pytest.fixture(scope="module")
def croissant(blas: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((blas / "croissant.json").read_text(encoding="utf-8"))
    return found


def test_croissant_gives_every_record_of_every_config(blas: Path) -> None:
    dataset = mlcroissant.Dataset(jsonld=str(blas / "croissant.json"))
    for config, columns in (("sentences", ("id", "text", "casing")), ("spans", ("id", "start", "type"))):
        name = f"{config}/test"
        rows = builtset.read(blas, config).to_pylist()
        records = list(dataset.records(name))
        assert len(records) == len(rows)
        for record, row in zip(records, rows, strict=True):
            for column in columns:
                value = record[f"{name}/{column}"]
                assert (value.decode() if isinstance(value, bytes) else value) == row[column]
    first = next(iter(dataset.records("sentences/test")))
    spans = first["sentences/test/spans"]
    found = [{key.rsplit("/", 1)[-1]: value for key, value in span.items()} for span in spans]
    assert [(span["start"], span["end"]) for span in found] == [
        (span["start"], span["end"]) for span in builtset.read(blas, "sentences").to_pylist()[0]["spans"]
    ]
    labels = list(dataset.records("labels"))
    assert [record["labels/name"] for record in labels] in ([b"ENG"], ["ENG"])


def test_croissant_is_of_version_1_1_with_twelve_fields_of_responsible_ai(croissant: dict[str, Any]) -> None:
    assert croissant["conformsTo"][0] == "http://mlcommons.org/croissant/1.1"
    assert len([key for key in croissant if key.startswith("rai:")]) >= 12


def test_croissant_and_cff_pass_their_own_gates(blas: Path) -> None:
    found = gate.check_croissant(blas)
    assert (found.faults, found.notes) == ([], [])
    assert list(cff_faults(blas / "CITATION.cff")) == []


def test_the_documents_agree(blas: Path, croissant: dict[str, Any]) -> None:
    header = read_header((blas / "README.md").read_bytes()).value
    cff = yaml.load((blas / "CITATION.cff").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    zenodo = json.loads((blas / ".zenodo.json").read_text(encoding="utf-8"))
    statement = (blas / "DATASTATEMENT.md").read_text(encoding="utf-8")
    title = header["pretty_name"]
    assert title == cff["title"] == zenodo["title"] == croissant["alternateName"]
    assert title in statement and f"title   = {{{title}}}" in (blas / "README.md").read_text(encoding="utf-8")
    assert cff["version"] == zenodo["version"] == "1.0" and croissant["version"] == "1.0.0"
    assert cff["date-released"] == zenodo["publication_date"] == croissant["datePublished"]
    assert header["license"] == "cc-by-4.0"
    assert cff["license"] == zenodo["license"] == "CC-BY-4.0"
    assert croissant["license"] == "https://creativecommons.org/licenses/by/4.0/"
    assert cff["authors"] == [{"name": creator["name"]} for creator in zenodo["creators"]]
    assert header["tags"] == cff["keywords"] == zenodo["keywords"] == croissant["keywords"]
    assert croissant["citeAs"] in (blas / "README.md").read_text(encoding="utf-8")
    canary = (blas / "CANARY.txt").read_text(encoding="utf-8").splitlines()[0]
    assert set(builtset.read(blas, "sentences").column("canary").to_pylist()) == {canary}


def test_the_data_statement_has_the_fifteen_elements_of_version_3(blas: Path) -> None:
    text = (blas / "DATASTATEMENT.md").read_text(encoding="utf-8")
    assert [int(line.split(".")[0][3:]) for line in text.splitlines() if line.startswith("## ")] == list(
        range(1, 16)
    )


def test_every_source_has_its_row(blas: Path) -> None:
    with (blas / "SOURCES.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert any(row["licence"] == "CC BY-SA 3.0 US" for row in rows)


def test_every_vocabulary_says_where_it_is_from_and_of_when() -> None:
    for name in ("licences", "languages", "tasks", "card_keys", "texts/sources"):
        found = read(name)
        assert found["source"] and re.fullmatch(r"\d{4}-\d{2}-\d{2}", found["date"]), name
    later = read("licences")["later"]
    assert set(later) < set(licences()) and all(later.values())


def test_the_licence_stands_in_full_where_it_may_and_is_named_elsewhere(blas: Path) -> None:
    facts = gather(blas, load_recipe(blas / "build"))

    def text(licence: str) -> str:
        card = facts.card.model_copy(update={"licence": licence})
        return licence_text(replace(facts, recipe=facts.recipe.model_copy(update={"card": card})))

    whole = (blas / "LICENSE").read_text(encoding="utf-8")
    assert whole == text("cc-by-4.0") and "Section 8 – Interpretation." in whole
    assert "Copyright (c) 2026 The probeta authors" in text("mit")
    assert "END OF TERMS AND CONDITIONS" in text("apache-2.0")
    assert "Statement of Purpose" in text("cc0-1.0") and "ShareAlike" in text("cc-by-sa-4.0")
    assert "Its text: https://spdx.org/licenses/MPL-2.0.html" in text("mpl-2.0")
    assert "{" not in text("mit")


def test_of_a_large_set_a_sample_from_all_over_it_is_read_and_told(
    blas: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(gate, "READ", 600)
    monkeypatch.setattr(gate, "LEAST", 100)
    found = gate.check_croissant(blas)
    assert found.faults == []
    # 1,836 sentences, 2,076 spans, 1,836 token lists: 5,748 rows; 600 shared out, each rounded down.
    assert [note.message.split(" were")[0] for note in found.notes] == ["598 of 5,748 records"]
    path = blas / "sentences/test-00000-of-00001.parquet"
    gate.sample(path, tmp_path / "a.parquet", rows=50)
    gate.sample(path, tmp_path / "b.parquet", rows=50)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    whole, drawn = pq.read_table(path), pq.read_table(tmp_path / "a.parquet")
    assert drawn.schema == whole.schema and drawn.num_rows == 50
    places = [whole.column("id").to_pylist().index(one) for one in drawn.column("id").to_pylist()]
    assert places == sorted(set(places)) and places[0] < 300 and places[-1] > 1_500


def test_records_that_lie_elsewhere_are_not_fetched(tmp_path: Path) -> None:
    """The Hub's own Croissant names files of the Hub: a gate that works offline says so, and asks nobody."""
    far = {
        "@type": "cr:FileObject",
        "@id": "repo",
        "name": "repo",
        "contentUrl": "https://huggingface.co/datasets/org/a/tree/refs%2Fconvert%2Fparquet",
        "encodingFormat": "git+https",
        "sha256": "https://github.com/mlcommons/croissant/issues/80",
    }
    files = {
        "@type": "cr:FileSet",
        "@id": "files",
        "containedIn": {"@id": "repo"},
        "encodingFormat": "application/x-parquet",
        "includes": "default/*.parquet",
    }
    source = {"fileSet": {"@id": "files"}, "extract": {"column": "text"}}
    field = {"@type": "cr:Field", "@id": "default/text", "dataType": "sc:Text", "source": source}
    value = {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        **dict.fromkeys(("name", "description", "license"), "x"),
        "datePublished": "2026-01-02",
        "version": "1.0.0",
        "url": "https://huggingface.co/datasets/org/a",
        "creator": {"@type": "Organization", "name": "org"},
        "distribution": [far, files],
        "recordSet": [{"@type": "cr:RecordSet", "@id": "default", "field": [field]}],
    }
    (tmp_path / "croissant.json").write_text(json.dumps(value), encoding="utf-8")
    found = gate.check_croissant(tmp_path)
    assert found.faults == []
    assert [note.code for note in found.notes] == ["croissant_remote"]
