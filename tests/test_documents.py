"""Croissant, CITATION.cff, Zenodo, BibTeX, the Data Statement: made from the same facts, and read by others."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import mlcroissant
import pytest
import yaml

from probeta import builtset
from probeta.publishing.gates.documents import cff_faults, croissant_faults
from probeta.publishing.gates.header import read_header


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
    assert list(croissant_faults(blas / "croissant.json")) == []
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
