"""``adjudicate --into``: the built set gains annotations and gold, and is sound afterwards."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from probeta import builtset
from probeta.builtset import checksums
from probeta.cli.main import main
from probeta.pipeline.build import build
from probeta.publishing.lint import lint
from probeta.validation import annotations
from probeta.validation.adjudication.decisions import ROUND
from probeta.validation.adjudication.publish import pseudonyms
from probeta.validation.check import check

CLASSES = ("contrasting", "entailment", "neutral", "reasoning")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def codes(folder: Path) -> set[str]:
    return {fault.code for fault in check(folder).faults}


@pytest.fixture(scope="module")
def pair_set(tmp_path_factory: pytest.TempPathFactory, compose_corpus: Callable[..., Path]) -> Path:
    folder = tmp_path_factory.mktemp("validated")
    corpus = compose_corpus(folder / "composed.jsonl", documents=60)
    build("esnlir", out=folder / "set", corpus=[corpus])
    return folder / "set"


def campaign_of(built: Path, folder: Path, *, seed: int = 1) -> Path:
    """A campaign over test and train pairs: five annotators, three labels an item, one skip in ten."""
    generator = np.random.default_rng(seed)
    picked = [
        row for split in ("test", "train") for row in builtset.read(built, "pairs", split).to_pylist()[:30]
    ]
    rows = []
    for row in picked:
        for rater in generator.choice(5, 3, replace=False):
            skipped = generator.random() < 0.1
            right = generator.random() < 0.7
            label = row["connector_type"] if right else CLASSES[generator.integers(0, 4)]
            rows.append(
                {
                    "item": row["id"],
                    "annotator": f"a{rater + 1:02}",
                    "label": None if skipped else label,
                    "status": "skipped" if skipped else "answered",
                    "seconds": 12.5,
                    "created": "2026-11-03T09:41:07.123Z",
                    "task": "17",
                    "source": "pulls/20261103T100000Z.json.gz#99",
                }
            )
    folder.mkdir()
    annotations.write(folder / "annotations.parquet", rows)
    lines = {
        "items.jsonl": [
            {
                "item": row["id"],
                "role": "sample",
                "sentence_1": row["sentence_1"],
                "sentence_2": row["sentence_2"],
            }
            for row in picked
        ],
        "gold.jsonl": [
            {"item": row["id"], "original": row["connector_type"], "genre": row["genre"]} for row in picked
        ],
    }
    for name, records in lines.items():
        (folder / name).write_text(
            "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8"
        )
    (folder / "campaign.yaml").write_text(
        "language: es\nlabels: {" + ", ".join(f"{name}: x" for name in CLASSES) + "}\n"
    )
    return folder


@pytest.fixture
def validated(pair_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, Path, Any]:
    built = Path(shutil.copytree(pair_set, tmp_path / "set"))
    campaign = campaign_of(built, tmp_path / "campaign")
    code, out, err = run(
        capsys,
        *(
            "adjudicate",
            str(campaign),
            "--into",
            str(built),
            "--consent",
            "Signed forms",
            "--by",
            "genre",
            "--json",
        ),
    )
    assert code == 0, err
    return built, campaign, json.loads(out)


def test_a_validated_set_passes_the_gates_of_publishing(validated: tuple[Path, Path, Any]) -> None:
    built, _, _ = validated
    assert list(lint(built).faults) == []
    report = json.loads((built / "reports/adjudication.json").read_text())
    (built / "reports/adjudication.json").write_text(json.dumps(report | {"consent": None}))
    assert "consent" in {fault.code for fault in lint(built).faults}


def test_pairs_close_the_loop(validated: tuple[Path, Path, Any], capsys: pytest.CaptureFixture[str]) -> None:
    built, campaign, report = validated
    assert list(check(built).faults) == []
    assert {"annotations", "pairs", "validated"} <= set(builtset.configs(built))
    assert report["into"]["validated"] == 60
    assert report["into"]["kept"] == report["kept"]
    gold = builtset.read(built, "validated").to_pylist()
    assert len(gold) == 60
    assert sum(row["kept"] for row in gold) == report["kept"]
    kept = [row for row in gold if row["kept"]]
    assert all(row["gold"] == row["original"] == row["connector_type"] for row in kept)
    assert all(sum(vote["count"] for vote in row["votes"]) + row["abstained"] == 3 for row in gold)
    # As the Hub's library sees it, by the card's header.
    loaded = datasets.load_dataset(str(built), "validated", split="test")
    assert loaded.num_rows == 30
    assert loaded.features["kept"].dtype == "bool"
    assert datasets.load_dataset(str(built), "annotations")["train"].num_rows > 60
    # The campaign keeps its own ledger, with the campaign's names.
    assert "a01" in (campaign / "adjudication" / "ledger.csv").read_text()
    code, out, _ = run(capsys, "check", str(built))
    assert code == 0, out


def test_the_card_tells_what_adjudication_gave_and_what_no_build_makes_again(
    validated: tuple[Path, Path, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    built, campaign, report = validated
    text = (built / "README.md").read_text(encoding="utf-8")
    assert f"{report['kept']} of 60 items were kept; ties: {report['ties']}." in text
    assert f"That is {100 * report['retention']:.1f} %, with a 95 % interval from" in text
    assert f"| the votes' winner is the original label | yes | {report['by_reason']['matches']} |" in text
    assert (
        f"| several labels, or a span, have equally many votes | no | {report['by_reason']['tie']} |" in text
    )
    assert f"`{report['signature']}`" in text
    assert "Not those of `annotations` and `validated`: they hold what people answered" in text
    assert "Decided by adjudicators" not in text
    # The round of the campaign goes into the set with the rest.
    decided = next(row for row in builtset.read(built, "validated").to_pylist() if row["reason"] == "tie")
    rounds = campaign / ROUND
    rounds.mkdir()
    answer = {"item": decided["id"], "annotator": "a01", "label": decided["original"], "status": "answered"}
    annotations.write(rounds / "annotations.parquet", [answer])
    arguments = ("adjudicate", str(campaign), "--into", str(built), "--consent", "Signed forms", "--json")
    code, out, err = run(capsys, *arguments)
    assert code == 0, err
    assert json.loads(out)["into"]["kept"] == report["kept"] + 1
    rows = {row["id"]: row for row in builtset.read(built, "validated").to_pylist()}
    found = rows[decided["id"]]
    assert (found["reason"], found["gold"]) == ("adjudicated", decided["original"])
    text = (built / "README.md").read_text(encoding="utf-8")
    assert "Decided by adjudicators: 1; kept of these: 1." in text
    assert "| an adjudicator decided | yes | 1 |" in text
    assert list(check(built).faults) == []


def test_nothing_personal_is_published(validated: tuple[Path, Path, Any]) -> None:
    built, campaign, _ = validated
    rows = builtset.read(built, "annotations").to_pylist()
    assert {row["annotator"] for row in rows} == {f"annotator-{number:02}" for number in range(1, 6)}
    assert {row["created"] for row in rows} == {"2026-11-03"}
    assert {row["task"] for row in rows} == {row["source"] for row in rows} == {None}
    assert {row["seconds"] for row in rows} == {12.5}
    reports = [(built / "reports" / f"{name}.json").read_text() for name in ("agreement", "adjudication")]
    assert not any(f'"a{number:02}"' in text for text in reports for number in range(1, 6))
    assert json.loads(reports[1])["consent"] == {"statement": "Signed forms", "annotators": 5, "left_out": 0}
    assert set(json.loads(reports[0])["annotators"]) == {row["annotator"] for row in rows}
    # The names follow from the answers alone: neither a name nor the order of rows has a say.
    table = annotations.read(campaign).rows
    renamed = table.assign(annotator=[f"someone-{name[::-1]}" for name in table["annotator"]])
    shuffled = renamed.sample(frac=1, random_state=3)
    assert sorted(pseudonyms(table).values()) == sorted(pseudonyms(shuffled).values())
    assert {f"someone-{name[::-1]}": new for name, new in pseudonyms(table).items()} == pseudonyms(shuffled)


def test_the_same_bytes_again(validated: tuple[Path, Path, Any], capsys: pytest.CaptureFixture[str]) -> None:
    built, campaign, _ = validated
    before = (built / "SHA256SUMS").read_text()
    arguments = (
        "adjudicate",
        str(campaign),
        "--into",
        str(built),
        "--consent",
        "Signed forms",
        "--by",
        "genre",
    )
    code, out, err = run(capsys, *arguments)
    assert code == 0, err
    assert (built / "SHA256SUMS").read_text() == before
    assert f"next: probeta check {built}" in out


def test_consent(pair_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built = Path(shutil.copytree(pair_set, tmp_path / "set"))
    campaign = campaign_of(built, tmp_path / "campaign")
    before = (built / "SHA256SUMS").read_text()
    code, _, err = run(capsys, "adjudicate", str(campaign), "--into", str(built))
    assert code == 2
    assert "--consent" in err
    assert not (campaign / "adjudication").exists()
    (campaign / "annotators.csv").write_text(
        "annotator,consent\na01,yes\na02,no\na03,yes\na04,yes\na05,maybe\n"
    )
    arguments = ("adjudicate", str(campaign), "--into", str(built), "--consent", "Signed forms", "--json")
    code, _, err = run(capsys, *arguments)
    assert code == 1
    assert "neither yes nor no" in err
    assert (built / "SHA256SUMS").read_text() == before
    (campaign / "annotators.csv").write_text(
        "annotator,consent\na01,yes\na02,no\na03,yes\na04,yes\na05,yes\n"
    )
    code, _, err = run(capsys, *arguments)
    assert code == 0, err
    # The votes of one who refused count; the answers are not published.
    assert len({row["annotator"] for row in builtset.read(built, "annotations").to_pylist()}) == 4
    report = json.loads((built / "reports" / "adjudication.json").read_text())
    assert report["consent"]["left_out"] == 1
    assert list(check(built).faults) == []


def test_what_does_not_fit_is_refused(
    pair_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = Path(shutil.copytree(pair_set, tmp_path / "set"))
    campaign = campaign_of(built, tmp_path / "campaign")
    before = (built / "SHA256SUMS").read_text()
    arguments = ("adjudicate", str(campaign), "--into", str(built), "--consent", "Signed forms")
    items = (campaign / "items.jsonl").read_text()
    lines = [json.loads(line) for line in items.splitlines()]
    lines[0]["sentence_1"] += " Y algo más."
    (campaign / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, _, err = run(capsys, *arguments)
    assert code == 1
    assert "the annotated text is not the set's" in err
    (campaign / "items.jsonl").write_text(items)
    table = annotations.read(campaign).rows
    rows = [
        *table.to_dict("records"),
        {"item": "elsewhere", "annotator": "a01", "label": "neutral", "status": "answered"},
    ]
    annotations.write(campaign / "annotations.parquet", rows)
    code, _, err = run(capsys, *arguments)
    assert code == 1
    assert "not in the built set" in err
    assert (built / "SHA256SUMS").read_text() == before
    code, _, err = run(capsys, "adjudicate", str(campaign), "--into", str(campaign), "--consent", "x")
    assert code == 2
    assert "is no built set" in err
    (built / "GUIDELINES.md").write_text("changed")
    code, _, err = run(capsys, *arguments)
    assert code == 1
    assert "not the one that was built" in err


def test_an_edited_card_keeps_its_text(
    pair_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = Path(shutil.copytree(pair_set, tmp_path / "set"))
    campaign = campaign_of(built, tmp_path / "campaign")
    card = built / "README.md"
    made = card.read_text(encoding="utf-8")
    arguments = ("adjudicate", str(campaign), "--into", str(built), "--consent", "Signed forms", "--json")
    # Outside of the regions that are kept: refused, and nothing is lost.
    card.write_text(f"{made}\nUn párrafo nuestro.\n", encoding="utf-8")
    code, out, _ = run(capsys, *arguments)
    assert code == 1
    assert json.loads(out)["faults"][0]["code"] == "card_edited"
    assert card.read_text(encoding="utf-8").endswith("Un párrafo nuestro.\n")
    marker = "<!-- yours: notes -->\n"
    card.write_text(made.replace(marker, f"{marker}Un párrafo nuestro.\n"), encoding="utf-8")
    code, _, err = run(capsys, *arguments)
    assert code == 0, err
    text = card.read_text(encoding="utf-8")
    assert f"{marker}Un párrafo nuestro.\n<!-- /yours: notes -->" in text
    assert "Krippendorff's alpha" in text and "Signed forms" in text
    assert datasets.load_dataset(str(built), "validated", split="test").num_rows == 30


@pytest.mark.parametrize(
    ("config", "change", "code"),
    [
        ("annotations", {"annotator": "ana@example.org"}, "pseudonym"),
        ("annotations", {"label": "maybe"}, "unknown_label"),
        ("annotations", {"item": "elsewhere"}, "unknown_item"),
        ("annotations", {"status": "lost"}, "status"),
        ("validated", {"id": "elsewhere"}, "unknown_item"),
        ("validated", {"sentence_1": "Otra."}, "row_differs"),
        ("validated", {"gold": "maybe"}, "unknown_label"),
        ("validated", {"reason": "because"}, "reason"),
        ("validated", {"kept": None}, "kept"),
        ("validated", {"gold": None, "kept": True, "reason": "matches"}, "gold_missing"),
    ],
)
def test_damage_is_found(
    validated: tuple[Path, Path, Any], config: str, change: dict[str, Any], code: str
) -> None:
    built, *_ = validated
    path = built / config / "test-00000-of-00001.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[0] |= change | ({"kept": not rows[0]["kept"]} if change == {"kept": None} else {})
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    (built / "SHA256SUMS").write_text(checksums(built), encoding="utf-8")
    assert code in codes(built)


def test_a_report_that_does_not_count_the_rows(validated: tuple[Path, Path, Any]) -> None:
    built, *_ = validated
    path = built / "reports" / "adjudication.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"kept": 974}))
    (built / "SHA256SUMS").write_text(checksums(built), encoding="utf-8")
    assert codes(built) == {"report_count"}
    shutil.rmtree(built / "annotations")
    (built / "SHA256SUMS").write_text(checksums(built), encoding="utf-8")
    assert "config_missing" in codes(built)


def test_spans_close_the_loop(blas: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built = Path(shutil.copytree(blas, tmp_path / "set"))
    rows: list[dict[str, Any]] = []
    for number, sentence in enumerate(builtset.sentences(built)):
        spans = [{"start": s.start, "end": s.end, "label": s.label} for s in sentence.spans]
        for annotator in ("author", "second"):
            missed = annotator == "second" and number % 50 == 0
            rows.append({"item": sentence.id, "annotator": annotator, "spans": [] if missed else spans})
    annotations.write(tmp_path / "answers.parquet", [{**row, "status": None} for row in rows])
    code, out, err = run(
        capsys,
        *("adjudicate", str(tmp_path / "answers.parquet"), "--items", str(built), "--reference", "spans"),
        *("--into", str(built), "--consent", "Both are authors of the set", "--by", "type", "--json"),
    )
    assert code == 0, err
    report = json.loads(out)
    assert (report["items"], report["ties"]) == (1836, 37)
    assert list(check(built).faults) == []
    gold = datasets.load_dataset(str(built), "validated", split="test")
    assert gold.num_rows == 1836
    kept = gold.filter(lambda row: row["kept"])
    assert kept.num_rows == report["kept"] == 1836 - 37
    assert all(row["gold"] == row["spans"] for row in kept)
    agreement = json.loads((built / "reports" / "agreement.json").read_text())
    assert agreement["intervals"]["unit"] == "base_id"
    assert agreement["token_kappa"]["tokenizer"].startswith("spacy")
