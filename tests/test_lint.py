"""``lint`` on whole folders, those of others and our own: what is told, and what is no fault."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import ClassLabel, Dataset, DatasetInfo, Features, List, Value
from datasets.info import DatasetInfosDict
from datasets.utils.metadata import MetadataConfigs
from huggingface_hub import DatasetCard, DatasetCardData
from lint_folders import FEATURES, HEADER, MIT, ROWS, codes, folder_of, with_file

from probeta.cli.main import main
from probeta.errors import UsageError
from probeta.publishing.gates.names import check_repository
from probeta.publishing.lint import lint


def test_a_sound_folder_passes_and_says_what_does_not_apply(tmp_path: Path) -> None:
    linted = lint(folder_of(tmp_path))
    assert list(linted.faults) == []
    assert {name: result.status for name, result in linted.gates.items()} == {
        "own_promises": "not_applicable",
        "rows": "passed",
        "spans": "not_applicable",
        "pairs": "not_applicable",
        "names": "passed",
        "metadata": "passed",
        "declared_data": "passed",
        "documents": "not_applicable",
        "load_back": "passed",
        "held_back": "not_applicable",
    }


def test_a_first_damaged_folder_pairs_over_two_splits(tmp_path: Path) -> None:
    """Pushed by hand: a pair in train and test, one with two labels; no configs, so the splits are guessed."""
    folder = tmp_path / "nli"
    folder.mkdir()
    columns = ("premise", "hypothesis", "label")
    train = [("Llueve.", "Está mojado.", "entailment"), ("Nieva.", "Hace frío.", "entailment")]
    test = [("Llueve.", "Está mojado.", "entailment"), ("Nieva.", "Hace frío.", "neutral")]
    for split, rows in (("train", train), ("test", test)):
        pq.write_table(
            pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows]),
            folder / f"{split}.parquet",
        )
    (folder / "README.md").write_text("---\nlicense: mit\nlanguages:\n- es\n---\n", encoding="utf-8")
    linted = lint(folder)
    assert {"pair_doubled", "pair_conflict", "unknown_key"} == codes(linted)
    doubled = next(fault for fault in linted.faults if fault.code == "pair_doubled")
    assert (doubled.file, doubled.row) == ("train.parquet", 1)
    assert "row 1 of test" in doubled.message


def test_a_second_damaged_folder_jsonl_that_changes_from_row_to_row(tmp_path: Path) -> None:
    folder = tmp_path / "jsonl"
    folder.mkdir()
    lines = [
        {"id": 1, "text": "a", "note": None, "day": "2026-01-02"},
        {"id": "2", "text": "b", "note": None, "day": "2026-01-03", "late": 1},
        {"id": 3, "text": "c\ud800", "note": None, "day": "x", "late": 2**63},
    ]
    (folder / "train.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    (folder / "README.md").write_text("---\nlicense: mit\nlanguage: es\n---\n", encoding="utf-8")
    linted = lint(folder)
    found = {(fault.code, fault.row, fault.column) for fault in linted.gates["rows"].faults}
    assert found == {
        ("key_missing", 1, "late"),
        ("type", 2, "id"),
        ("date", 1, "day"),
        ("date", 2, "day"),
        ("number_range", 3, "late"),
        ("text_unencodable", 3, "text"),
        ("null_column", None, "note"),
    }


def test_a_third_damaged_folder_tables_of_two_kinds_and_a_csv(tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    pq.write_table(pa.table({"id": ["a"]}), folder / "train.parquet")
    pq.write_table(pa.table({"system": ["crf"], "f1": [0.5]}), folder / "scores.parquet")
    (folder / "test.csv").write_text("id,code,day\n1,007,2026-01-02\n2,NA,x\n3,1\n", encoding="utf-8")
    (folder / "dev.csv").write_bytes("id,text\n1,España\n".encode("latin-1"))
    (folder / "README.md").write_text("---\nlicense: mit\n---\n", encoding="utf-8")
    linted = lint(folder)
    assert {"configs_missing", "csv_number", "csv_nothing", "date", "cells", "encoding", "load"} <= codes(
        linted
    )


def test_why_a_config_does_not_load_is_told_not_that_it_does_not(tmp_path: Path) -> None:
    faults = lint(with_file(tmp_path, "train.jsonl", '{"a": 1, "a": 2}\n')).gates["load_back"].faults
    assert "specified twice" in faults[0].message


def test_what_save_to_disk_wrote_is_no_folder_to_publish(tmp_path: Path) -> None:
    Dataset.from_list(ROWS, features=FEATURES).save_to_disk(str(tmp_path / "disk"))
    (tmp_path / "disk/README.md").write_text(MIT, encoding="utf-8")
    assert codes(lint(tmp_path / "disk")) == {"saved_to_disk"}


SOUND = HEADER[: HEADER.index("configs:")]


@pytest.mark.parametrize(
    ("name", "data", "card"),
    [
        ("train.csv", "id,text\n1,a\n\n2,b\n", MIT),
        ("train.csv", b"\xef\xbb\xbfid,text\n1,a\n", MIT),
        ("train.csv", "id,text\n1,a\u2028b\n", MIT),
        ("train.csv", 'id,text\n1,"a\nb"\n', MIT),
        ("data.tsv", "a\tb\nx\ty\n", MIT),
        (
            "a.csv",
            "id;text\n1;a, b\n",
            f"---\n{SOUND}configs:\n- config_name: default\n  data_files: a.csv\n  sep: ;\n---\n",
        ),
        (
            "a.csv",
            "1,a\n2,b\n",
            f"---\n{SOUND}configs:\n- config_name: x\n  data_files: [a.csv]\n  names: [id, text]\n---\n",
        ),
        ("train.jsonl", '{"a": 1}\n\n{"a": 2.5}\n', MIT),
        ("train.jsonl", '{"a": "x\u2028y"}\n{"a": "z"}\n', MIT),
        ("train.jsonl.gz", gzip.compress(b'{"a": 1}\n'), MIT),
        ("train.json", '[{"a": 1}, {"a": 2}]', MIT),
        (
            "train.csv",
            "a\nx\n",
            "---\nlicense: mit\nextra_gated_fields:\n- Name: text\n- Country: country\n---\n",
        ),
    ],
)
def test_tables_of_others_that_are_sound(tmp_path: Path, name: str, data: str | bytes, card: str) -> None:
    linted = lint(with_file(tmp_path, name, data, card))
    assert [str(fault) for fault in linted.faults] == []
    assert linted.gates["load_back"].status == "passed"


def test_folders_that_datasets_writes_itself_are_sound(tmp_path: Path) -> None:
    """``to_parquet`` of several kinds of features, with the library's own card and its own header."""
    kinds = {
        "labels": Dataset.from_list(ROWS, features=FEATURES),
        "tokens": Dataset.from_dict(
            {"tokens": [["Ana", "vino"], ["No"]], "ner_tags": [[1, 0], [0]]},
            features=Features(
                {"tokens": List(Value("string")), "ner_tags": List(ClassLabel(names=["O", "B-PER"]))}
            ),
        ),
        "answers": Dataset.from_dict(
            {
                "id": ["a"],
                "context": ["Ana vive en Soria."],
                "answers": [{"text": ["Soria"], "answer_start": [12]}],
            }
        ),
        "nli": Dataset.from_dict({"premise": ["a", "a"], "hypothesis": ["b", "c"], "label": [0, 1]}),
        "empty_lists": Dataset.from_dict(
            {"text": ["a", "b"], "spans": [[], [{"start": 0, "end": 1}]]},
        ),
    }
    for name, data in kinds.items():
        # The Hub's template, without a config: the only one is guessed.
        alone = tmp_path / name
        data.to_parquet(str(alone / "data/train-00000-of-00001.parquet"))
        DatasetCard.from_template(DatasetCardData(license="mit", language=["es"], pretty_name=name)).save(
            alone / "README.md"
        )
        assert [str(fault) for fault in lint(alone).faults] == [], name
        # One folder for all, with declared configs and features.
        for split in ("train", "test"):
            data.to_parquet(str(tmp_path / f"all/{name}/{split}-00000-of-00001.parquet"))
    card = DatasetCardData(license="cc-by-4.0", language="es", size_categories=["n<1K"])
    infos = {name: DatasetInfo(features=data.features, config_name=name) for name, data in kinds.items()}
    DatasetInfosDict(infos).to_dataset_card_data(card)
    entries = {
        name: {"data_files": [{"split": one, "path": f"{name}/{one}-*"} for one in ("train", "test")]}
        for name in kinds
        if name != "nli"  # the same pairs in train and test are a fault, and rightly so
    }
    MetadataConfigs(entries).to_dataset_card_data(card)
    DatasetCard(f"---\n{card.to_yaml()}\n---\n# All\n").save(tmp_path / "all/README.md")
    assert [str(fault) for fault in lint(tmp_path / "all").faults] == []


def test_croissant_and_cff_of_others(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / "CITATION.cff").write_text(
        "cff-version: 1.2.0\ntitle: T\nlicense: cc-by-4.0\n", encoding="utf-8"
    )
    file = {
        "@type": "cr:FileObject",
        "@id": "f",
        "name": "f",
        "contentUrl": "data/train-00000-of-00001.parquet",
        "sha256": "0" * 64,
    }
    (folder / "croissant.json").write_text(
        json.dumps({"name": "x", "distribution": [file]}), encoding="utf-8"
    )
    linted = lint(folder)
    assert {"cff", "croissant_key", "croissant_sha256"} == codes(linted)
    messages = " ".join(fault.message for fault in linted.faults)
    assert "authors" in messages and "cc-by-4.0" in messages


@pytest.mark.parametrize("name", ["org/a b", "org/café", "org/a--b", "org/-a", "a", "a/b/c", "../x"])
def test_repository_names(name: str) -> None:
    with pytest.raises(UsageError):
        check_repository(name)
    check_repository("my-org/set_1.0")


@pytest.mark.parametrize(
    "name", ["a/b", "a*b", "a?b", "a[1]", "a:b", "a<b", "a|b", "a\\b", " a", "../x", "data"]
)
def test_config_names(name: str) -> None:
    from probeta.publishing.gates.names import config_faults

    assert list(config_faults(name))
    assert not [
        fault for good in ("a b", "café", "1.10", "a#b", "stress_overlap") for fault in config_faults(good)
    ]


def test_the_command_prints_gates_and_faults_and_exits_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_of(tmp_path, HEADER.replace("cc-by-4.0", "cc-by-five"))
    with pytest.raises(SystemExit) as stop:
        main(["lint", str(folder), "--json"])
    out, err = capsys.readouterr()
    value = json.loads(out)
    assert stop.value.code == 1
    assert value["faults"][0]["code"] == "licence" and value["faults"][0]["row"] == 2
    assert value["gates"]["metadata"] == {"status": "failed", "reason": None, "faults": 1}
    assert "did you mean" in err or "write cc-by-" in err
    with pytest.raises(SystemExit) as stop:
        main(["lint", str(tmp_path / "nothing")])
    assert stop.value.code == 2


def test_our_own_set_passes_every_gate_and_a_changed_number_does_not(blas: Path, tmp_path: Path) -> None:
    import shutil

    linted = lint(blas)
    assert list(linted.faults) == []
    assert linted.gates["documents"].status == linted.gates["own_promises"].status == "passed"
    folder = Path(shutil.copytree(blas, tmp_path / "blas"))
    card = folder / "README.md"
    card.write_text(
        card.read_text(encoding="utf-8").replace("153 base sentences", "154 base sentences"), encoding="utf-8"
    )
    faults = lint(folder).faults
    assert [fault.code for fault in faults] == ["document_differs"]
    assert "154" in str(faults[0].found)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("spans/test-00000-of-00001.parquet", b"PAR1 no more"),
        ("reports/coverage.json", b'{"cells": 5}'),
        ("reports/stats.json", b"\xff"),
        ("build/build.json", b"[]"),
        ("croissant.json", b"5"),
    ],
)
def test_our_own_set_with_a_damaged_file(blas: Path, tmp_path: Path, name: str, data: bytes) -> None:
    folder = tmp_path / "blas"
    shutil.copytree(blas, folder)
    (folder / name).write_bytes(data)
    found = lint(folder)
    assert ("checksum", name) in {(fault.code, fault.file) for fault in found.faults}


def test_annotations_without_recorded_consent(blas: Path, tmp_path: Path) -> None:
    import shutil

    from probeta.publishing.gates.held_back import check_held_back
    from probeta.publishing.gates.subject import DataFile, open_subject

    folder = Path(shutil.copytree(blas, tmp_path / "blas"))
    subject = open_subject(folder)
    path = folder / "annotations/test-00000-of-00001.parquet"
    path.parent.mkdir()
    pq.write_table(pa.table({"item": ["a"]}), path)
    from dataclasses import replace

    file = DataFile(
        config="annotations", split="test", path=path, name="annotations/test-00000-of-00001.parquet"
    )
    changed = replace(subject, files=(*subject.files, file))
    assert [fault.code for fault in check_held_back(changed).faults] == ["consent"]
