"""Two whole campaigns through the command line: pairs with classes, and spans over a perturbed set.

The first has the shape of a published one: 2,000 pairs, 500 a class, 27 annotators, three labels a pair,
classes as hard as its table of kept items says. The second is the double annotation of every sentence of
the bundled span set.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from probeta import builtset
from probeta.cli.main import main
from probeta.validation import annotations

CLASSES = ("contrasting", "entailment", "neutral", "reasoning")
#: Kept of 500 a class, as the paper's Table 9 prints; it sums to 972.
KEPT = {"contrasting": 184, "entailment": 219, "neutral": 362, "reasoning": 207}
GENRES = ("articles", "books", "clinical", "comments", "legal", "news", "talks", "theses")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    out, err = capsys.readouterr()
    assert (stop.value.code or 0) == 0, err
    return out


def skill(kept: float) -> float:
    """The chance p of the original label at which three labels keep an item: 3 p^2 (1 - p) + p^3 = kept."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if 3 * middle**2 - 2 * middle**3 < kept else (low, middle)
    return low


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaigns") / "pairs"
    folder.mkdir()
    generator = np.random.default_rng(11)
    rows, items, gold = [], [], []
    for number in range(2000):
        item, label = f"pair-{number:04}", CLASSES[number % 4]
        items.append({"item": item, "genre": GENRES[number % 8], "sentence_1": "Una.", "sentence_2": "Otra."})
        gold.append({"item": item, "original": label})
        right = skill(KEPT[label] / 500)
        others = [name for name in CLASSES if name != label]
        for rater in generator.choice(27, 3, replace=False):
            skipped = generator.random() < 0.01
            chosen = label if generator.random() < right else others[generator.integers(0, 3)]
            rows.append(
                {
                    "item": item,
                    "annotator": f"annotator-{rater:02}",
                    "label": None if skipped else chosen,
                    "status": "skipped" if skipped else "answered",
                    "seconds": float(generator.integers(5, 60)),
                }
            )
    annotations.write(folder / "annotations.parquet", rows)
    for name, records in (("items.jsonl", items), ("gold.jsonl", gold)):
        (folder / name).write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


def test_pairs_agree(campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = json.loads(
        run(
            capsys,
            *("agree", str(campaign), "--labels", ",".join(CLASSES), "--reference", "original"),
            *("--by", "genre", "--by", "original", "--cross-check", "--json"),
        )
    )
    assert report["items"]["total"] == 2000
    answers = annotations.read(campaign).rows
    assert report["annotations"] + report["dropped"]["skipped"] == len(answers) == 6000
    alpha = report["coefficients"]["krippendorff_alpha"]
    assert 0 < alpha["low"] < alpha["value"] < alpha["high"] < 0.3
    assert (alpha["raters"], len(report["pairs"]), len(report["annotators"])) == (27, 351, 27)
    assert sum(pair["items"] for pair in report["pairs"]) == alpha["pairs"]
    for groups in report["by"].values():
        assert sum(group["items"] for group in groups.values()) == 2000
        assert sum(group["pairable"] for group in groups.values()) == report["items"]["pairable"]
    assert report["labels"]["neutral"]["kappa_pooled"]["value"] == max(
        row["kappa_pooled"]["value"] for row in report["labels"].values()
    )
    reference = report["reference"]
    votes = reference["items"] + sum(reference["left_out"].values())
    assert votes == 2000
    compared = [row for row in report["cross_check"] if row["theirs"] is not None]
    assert {"krippendorff", "scikit-learn"} <= {row["library"] for row in compared}
    assert max(abs(row["difference"]) for row in compared) < 1e-9
    assert json.loads((campaign / "reports" / "agreement.json").read_text()) == report
    # The table for people names what is undefined and why.
    shown = run(capsys, "agree", str(campaign), "--labels", ",".join(CLASSES), "--interval", "analytic")
    assert "351 pairs, 351 with common items" in shown
    assert "undefined: not_two_raters" in shown


def test_pairs_adjudicate(campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = json.loads(
        run(capsys, "adjudicate", str(campaign), "--labels", ",".join(CLASSES), "--by", "genre", "--json")
    )
    classes = report["tables"]["class"]
    for label, kept in KEPT.items():
        row = classes[label]
        assert row["sent"] == 500
        # Simulated at that rate: within four binomial standard errors, and inside Wilson's interval.
        assert abs(row["kept"] - kept) < 4 * (kept * (500 - kept) / 500) ** 0.5
        assert row["low"] < row["retention"] < row["high"]
    for table in report["tables"].values():
        for column, total in (("sent", 2000), ("kept", report["kept"]), ("ties", report["ties"])):
            assert sum(row[column] for row in table.values()) == total
    assert sum(report["by_reason"].values()) == 2000
    # Three blind labels out of four classes: 10/64; less where one was skipped.
    assert 0.14 < report["chance_retention"] < 10 / 64
    assert report["retention"] > 2 * report["chance_retention"]
    reliability = report["reliability"]
    assert reliability["kept_only"]["value"] > reliability["unfiltered"]["value"] + 0.1
    with (campaign / "adjudication" / "ledger.csv").open(encoding="utf-8", newline="") as file:
        ledger = list(csv.DictReader(file))
    assert len(ledger) == 2000
    assert sum(row["kept"] == "yes" for row in ledger) == report["kept"]
    gold = (campaign / "adjudication" / "gold.jsonl").read_text().splitlines()
    assert len(gold) == report["kept"]
    shown = run(capsys, "adjudicate", str(campaign), "--labels", ",".join(CLASSES), "--method", "dawid_skene")
    assert "method dawid_skene" in shown


@pytest.fixture(scope="module")
def double(blas: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The built set, and the answers of two annotators to all of its sentences."""
    folder, built = tmp_path_factory.mktemp("double"), blas
    generator = np.random.default_rng(12)
    rows: list[dict[str, Any]] = []
    for sentence in builtset.sentences(built):
        spans = [{"start": s.start, "end": s.end, "label": s.label} for s in sentence.spans]
        own = []
        for span in spans:
            draw = generator.random()
            surface = sentence.text[span["start"] : span["end"]]
            if draw < 0.005:
                continue  # missed
            if draw < 0.012 and " " in surface:
                span = span | {"end": span["start"] + surface.index(" ")}  # the first word alone
            own.append(span)
        for annotator, marked in (("author", spans), ("second", own)):
            rows.append(
                {
                    "item": sentence.id,
                    "annotator": annotator,
                    "spans": [span | {"text": sentence.text[span["start"] : span["end"]]} for span in marked],
                    "status": "answered" if marked else "empty",
                }
            )
    annotations.write(folder / "annotations.parquet", rows)
    return built, folder / "annotations.parquet"


def test_double_annotation_of_spans(
    double: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built, file = double
    report = json.loads(
        run(
            capsys,
            *("agree", str(file), "--items", str(built), "--by", "type", "--by", "perturbation", "--json"),
            *("--out", str(tmp_path / "agreement.json")),
        )
    )
    assert report["items"]["total"] == 1836
    assert report["intervals"]["unit"] == "base_id"
    assert report["intervals"]["clusters"] == 153
    assert "perturbed copies" in report["intervals"]["why"]
    for groups, number in ((report["by"]["type"], None), (report["by"]["perturbation"], 12)):
        assert sum(group["items"] for group in groups.values()) == 1836
        assert number is None or len(groups) == number
        assert sum(group["spans"] for group in groups.values()) == report["spans"]
    # F1 by plain sets.
    marked: dict[str, dict[str, set[tuple[int, int]]]] = {}
    table = annotations.read(file)
    for item, annotator, spans in zip(
        table.rows["item"], table.rows["annotator"], table.rows["spans"], strict=True
    ):
        marked.setdefault(item, {})[annotator] = {(span["start"], span["end"]) for span in spans}
    agreed = sum(len(both["author"] & both["second"]) for both in marked.values())
    total = sum(len(both["author"]) + len(both["second"]) for both in marked.values())
    f1 = report["span_f1"]
    assert f1["value"] == pytest.approx(2 * agreed / total)
    assert 0.98 < f1["low"] < f1["value"] < f1["high"] < 1
    assert report["coefficients"]["span_f1_relaxed"]["value"] > f1["value"]
    # Token kappa by scikit-learn over the set's own tokens.
    metrics = pytest.importorskip("sklearn.metrics")
    tags: dict[str, list[str]] = {"author": [], "second": []}
    texts = {sentence.id: sentence.text for sentence in builtset.sentences(built)}
    for row in builtset.read(built, "tokens").to_pylist():
        place = 0
        for token in row["tokens"]:
            place = texts[row["id"]].index(token, place)
            for annotator, own in tags.items():
                spans = marked[row["id"]][annotator]
                own.append("I" if any(s < place + len(token) and place < e for s, e in spans) else "O")
            place += len(token)
    kappa = report["token_kappa"]
    assert kappa["value"] == pytest.approx(metrics.cohen_kappa_score(tags["author"], tags["second"]))
    assert kappa["tokens"] == len(tags["author"])
    assert kappa["tokenizer"].startswith("spacy")
    assert kappa["share_of_o"] > 0.9
    assert kappa["unaligned"] == 0
    assert kappa["low"] < kappa["value"] < kappa["high"]
    # The cut moves the figure by less than a point.
    for row in report["token_kappa_under_other_cuts"]:
        assert row["value"] == pytest.approx(kappa["value"], abs=0.01)


def test_adjudicating_spans_against_the_author(
    double: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built, file = double
    report = json.loads(
        run(
            capsys,
            *("adjudicate", str(file), "--items", str(built), "--reference", "spans", "--by", "type"),
            *("--out", str(tmp_path / "out"), "--json"),
        )
    )
    # The author's spans are the set's: an item is kept exactly where the second annotator agrees.
    assert set(report["by_reason"]) == {"matches", "tie"}
    assert report["kept"] + report["ties"] == 1836
    assert sum(row["kept"] for row in report["tables"]["type"].values()) == report["kept"]
    assert report["conflicts"]["missing"] > 0
    assert report["conflicts"]["boundary"] > 0
    clashes = (tmp_path / "out" / "span-conflicts.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(clashes) == sum(report["conflicts"].values())
    assert {variant["annotators"][0] for variant in json.loads(clashes[0])["variants"]} <= {
        "author",
        "second",
    }
