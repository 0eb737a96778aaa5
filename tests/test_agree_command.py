"""``probeta agree`` as a user calls it: files in, a table or one JSON object out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from probeta.cli.main import main
from probeta.validation import annotations


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(["agree", *arguments])
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    code, out, err = call(capsys, *arguments, "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


# Krippendorff 2011, C: alpha nominal 904/1216.
K11C = ["11.1", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", ".555", "..11", ".3.."]
WIDE = "item,A,B,C,D\n" + "".join(
    f"u{number},{','.join('' if cell == '.' else cell for cell in row)}\n"
    for number, row in enumerate(K11C, 1)
)
LONG = "item,annotator,label\n" + "".join(
    f"u{number},{rater},{cell}\n"
    for number, row in enumerate(K11C, 1)
    for rater, cell in zip("ABCD", row, strict=True)
    if cell != "."
)


def test_wide_and_long_say_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wide = report(capsys, write(tmp_path / "wide.csv", WIDE), "--wide")
    long = report(capsys, write(tmp_path / "long.csv", LONG))
    assert wide["coefficients"] == long["coefficients"]
    alpha = wide["coefficients"]["krippendorff_alpha"]
    assert alpha["value"] == pytest.approx(904 / 1216)
    assert alpha["low"] < alpha["value"] < alpha["high"]
    assert (alpha["items"], alpha["raters"], alpha["reason"]) == (11, 4, None)
    assert wide["items"] == {"total": 12, "without_label": 0, "one_label": 1, "pairable": 11}
    assert len(wide["pairs"]) == 6
    assert wide["coefficients"]["cohen_kappa"]["value"] is None
    assert wide["coefficients"]["cohen_kappa"]["reason"] == "not_two_raters"


def test_row_order_does_not_matter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header, *body = LONG.splitlines(keepends=True)
    forward = report(capsys, write(tmp_path / "a.csv", LONG))
    backward = report(capsys, write(tmp_path / "b.csv", header + "".join(reversed(body))))
    assert forward == backward


def test_readable_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, write(tmp_path / "wide.csv", WIDE), "--wide", "--cross-check")
    assert code == 0
    assert "krippendorff_alpha   0.743" in out
    assert "undefined: not_two_raters" in out
    assert "bootstrap by item, 1000 resamples, seed 0" in out
    assert "scikit-learn" in out


def test_names_of_columns_can_be_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "t.csv", "par;quién;clase\n1;ana;a\n1;eva;a\n2;ana;b\n2;eva;b\n")
    found = report(
        capsys, file, "--item-column", "par", "--annotator-column", "quién", "--label-column", "clase"
    )
    assert found["coefficients"]["cohen_kappa"]["value"] == 1


def test_by_reference_and_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        ("1", "b1", "x", "a", "aa"),
        ("2", "b1", "x", "b", "bb"),
        ("3", "b2", "y", "a", "ab"),
        ("4", "b2", "", "b", "ba"),
    ]
    text = "item,annotator,label,base_id,genre,original\n" + "".join(
        f"{item},r{position},{label},{base},{genre},{original}\n"
        for item, base, genre, original, labels in rows
        for position, label in enumerate(labels)
    )
    found = report(capsys, write(tmp_path / "t.csv", text), "--by", "genre", "--reference", "original")
    # Two items a base sentence: perturbed copies, so the base sentence is the default cluster.
    assert found["intervals"]["unit"] == "base_id"
    assert "perturbed copies" in found["intervals"]["why"]
    genres = found["by"]["genre"]
    assert {name: group["items"] for name, group in genres.items()} == {"(none)": 1, "x": 2, "y": 1}
    assert sum(group["items"] for group in genres.values()) == found["items"]["total"]
    assert genres["x"]["krippendorff_alpha"]["value"] == 1
    assert genres["x"]["few"]
    assert found["reference"]["left_out"] == {"ties": 2, "no_votes": 0, "no_reference": 0}
    assert found["reference"]["agreement_majority"] == 1
    found = report(capsys, str(tmp_path / "t.csv"), "--cluster", "item")
    assert found["intervals"]["unit"] == "item"
    code, _, err = call(capsys, str(tmp_path / "t.csv"), "--by", "gnere")
    assert code == 2
    assert "there are: base_id, genre, original" in err


def test_folding_is_listed_and_unknown_labels_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "item,annotator,label\n1,a,neutral\n1,b,Neutral\n2,a,entailment\n2,b,ent \n"
    file = write(tmp_path / "t.csv", text)
    # Undeclared: labels that differ only by case are most likely one label.
    code, _, err = call(capsys, file)
    assert code == 1
    assert "differ only by case or blanks" in err
    code, _, err = call(capsys, file, "--labels", "entailment,neutral")
    assert code == 1
    assert f"{file}:3 [label]: the label is not in the declared set" in err
    assert "2 faults" in err
    found = report(
        capsys,
        file,
        "--labels",
        "entailment,neutral",
        "--fold",
        "Neutral=neutral",
        "--fold",
        "ent =entailment",
    )
    assert found["folded"] == [
        {"from": "Neutral", "to": "neutral", "count": 1},
        {"from": "ent ", "to": "entailment", "count": 1},
    ]
    assert found["coefficients"]["krippendorff_alpha"]["value"] == 1


def test_the_references_labels_are_folded_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "item,annotator,label,original\n1,a,x,X\n1,b,x,X\n2,a,y,y\n2,b,y,y\n"
    file = write(tmp_path / "t.csv", text)
    found = report(capsys, file, "--reference", "original", "--fold", "X=x")
    assert found["reference"]["agreement_majority"] == 1


def test_empty_labels_and_the_missing_token(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "t.csv", "item,annotator,label\n1,a,x\n1,b,\n2,a,y\n2,b,y\n")
    code, _, err = call(capsys, file)
    assert code == 1
    assert f"{file}:3 [label]: the answer has no label" in err
    assert report(capsys, file, "--missing", "")["dropped"] == {"missing": 1}


def test_double_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "item,annotator,label,updated\n1,a,y,2026-02-01\n1,a,x,2026-01-01\n1,b,x,\n2,a,y,\n2,b,y,\n"
    file = write(tmp_path / "t.csv", text)
    code, _, err = call(capsys, file)
    assert code == 1
    assert "a answered the item 1 2 times" in err
    first = report(capsys, file, "--duplicates", "first")
    last = report(capsys, file, "--duplicates", "last")
    # By time, not by row: x came first.
    assert first["coefficients"]["percent_agreement"]["value"] == 1
    assert last["coefficients"]["percent_agreement"]["value"] == 0.5
    assert first["self_agreement"]["percent_agreement"]["value"] == 0
    assert first["annotators"]["a"]["repeats"] == 1


def test_skipped_and_empty_answers_are_no_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "item,annotator,label,status\n1,a,x,answered\n1,b,,skipped\n1,c,,empty\n2,a,x,\n2,b,y,\n"
    found = report(capsys, write(tmp_path / "t.csv", text))
    assert found["dropped"] == {"empty": 1, "skipped": 1}
    assert found["items"]["pairable"] == 1


def test_campaign_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"item": item, "annotator": annotator, "label": label, "status": "answered"}
        for item, labels in (("p1", "aab"), ("p2", "bbb"))
        for annotator, label in zip(("ana", "eva", "leo"), labels, strict=True)
    ]
    annotations.write(tmp_path / "annotations.parquet", rows)
    (tmp_path / "items.jsonl").write_text(
        '{"item": "p1", "genre": "books"}\n{"item": "p2", "genre": "legal"}\n'
    )
    (tmp_path / "gold.jsonl").write_text('{"item": "p1", "label": "a"}\n{"item": "p2", "label": "b"}\n')
    found = report(capsys, str(tmp_path), "--by", "genre", "--reference", "label")
    assert found["reference"]["agreement_majority"] == 1
    assert json.loads((tmp_path / "reports" / "agreement.json").read_text()) == found


def test_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "t.csv", "item,annotator,label\n1,a,low\n1,b,high\n")
    for arguments, message in [
        ((str(tmp_path / "none.csv"),), "no such file"),
        ((str(tmp_path),), "pull the campaign first"),
        ((file, "--level", "ordnal"), "did you mean ordinal"),
        ((file, "--level", "ordinal"), "needs the labels in their order"),
        ((file, "--level", "interval"), "needs numbers"),
        ((file, "--fold", "Neutral"), "expected written=meant"),
    ]:
        code, _, err = call(capsys, *arguments)
        assert code == 2, arguments
        assert message in err
    code, _, err = call(capsys, write(tmp_path / "w.csv", "item,A,B\n1,x,y\n"))
    assert code == 1
    assert "annotator" in err


@pytest.mark.parametrize("spans", ['"x"', '["x"]', '{"start": 0}', "5"])
def test_spans_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], spans: str) -> None:
    rows = f'{{"item": "a", "annotator": "x", "spans": []}}\n{{"item": "a", "annotator": "y", "spans": {spans}}}\n'
    code, _, err = call(capsys, write(tmp_path / "t.jsonl", rows))
    assert code == 1
    assert "t.jsonl:2 [spans]" in err


def test_matrices_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "t.csv", "item,A,B\n1,low,low\n2,low,mid\n3,mid,high\n4,high,high\n")
    # Rows in another order than the columns, which are the declared order: linear weights by hand.
    weights = write(tmp_path / "w.csv", "label,low,mid,high\nhigh,0,.5,1\nlow,1,.5,0\nmid,.5,1,.5\n")
    distances = write(tmp_path / "d.csv", "label,low,mid,high\nlow,0,1,4\nmid,1,0,1\nhigh,4,1,0\n")
    own = report(capsys, file, "--wide", "--weights", weights, "--level", distances)
    named = report(capsys, file, "--wide", "--weights", "linear", "--labels", "low,mid,high")
    assert own["label_set"]["labels"] == ["low", "mid", "high"]
    assert own["label_set"]["declared"]
    for name in ("weighted_kappa", "gwet_ac2"):
        assert own["coefficients"][name]["value"] == pytest.approx(named["coefficients"][name]["value"])
    # Squared distances of ranks are the interval metric on 1, 2, 3.
    ranks = write(tmp_path / "r.csv", "item,A,B\n1,1,1\n2,1,2\n3,2,3\n4,3,3\n")
    interval = report(capsys, ranks, "--wide", "--level", "interval")
    alpha = own["coefficients"]["krippendorff_alpha"]
    assert alpha["value"] == pytest.approx(interval["coefficients"]["krippendorff_alpha"]["value"])
    assert alpha["note"] == "level: custom"
    broken = write(tmp_path / "b.csv", "label,low,mid\nlow,1,x\nhgih,0,1\n")
    code, _, err = call(capsys, file, "--wide", "--weights", broken)
    assert code == 1
    for message in ("no number", "not in the declared set", "a label has no row"):
        assert message in err
    code, _, err = call(capsys, file, "--wide", "--weights", distances)
    assert code == 2
    assert "1 on the diagonal" in err


def test_two_annotators_have_prevalence_and_bias_per_label(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["x,x"] * 5 + ["x,y"] * 2 + ["y,x"] + ["y,y", "z,z"]
    file = write(tmp_path / "t.csv", "item,A,B\n" + "".join(f"{n},{row}\n" for n, row in enumerate(rows)))
    found = report(capsys, file, "--wide")["labels"]["x"]
    # Both x: 5; neither: 2; only A: 2, only B: 1; of 10.
    assert found["prevalence_index"] == pytest.approx((5 - 2) / 10)
    assert found["bias_index"] == pytest.approx((2 - 1) / 10)


def test_a_campaign_needs_no_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"item": item, "annotator": annotator, "label": label, "status": "answered", "task": "1"}
        for item, labels in (("p1", "aab"), ("p2", "bbb"))
        for annotator, label in zip(("a01", "a02", "a03"), labels, strict=True)
    ]
    annotations.write(tmp_path / "annotations.parquet", rows)
    again = [
        {"item": item, "annotator": annotator, "label": label, "status": "answered", "task": "9"}
        for item, annotator, label in (("p1~again", "a01", "a"), ("p1~again", "a03", "a"), ("c1", "a01", "c"))
    ]
    annotations.write(tmp_path / "checks.parquet", again)
    (tmp_path / "campaign.yaml").write_text("language: es\nlabels: {a: x, b: y, c: z}\n")
    (tmp_path / "items.jsonl").write_text(
        '{"item": "p1", "role": "sample"}\n{"item": "p2", "role": "sample"}\n{"item": "p3", "role": "sample"}\n'
        '{"item": "p1~again", "role": "repeat", "of": "p1"}\n{"item": "c1", "role": "check"}\n'
    )
    (tmp_path / "gold.jsonl").write_text('{"item": "p1", "original": "a"}\n{"item": "p2", "original": "b"}\n')
    found = report(capsys, str(tmp_path), "--by", "class")
    # The label set, the original labels, the items that nobody answered, the repeats: all from the folder.
    assert found["label_set"] == {
        "labels": ["a", "b", "c"],
        "declared": True,
        "counts": {"a": 2, "b": 4, "c": 0},
    }
    assert found["items"] == {"total": 3, "without_label": 1, "one_label": 0, "pairable": 2}
    assert found["reference"]["column"] == "original"
    assert {name: group["items"] for name, group in found["by"]["class"].items()} == {
        "(none)": 1,
        "a": 1,
        "b": 1,
    }
    assert found["self_agreement"]["percent_agreement"]["value"] == 0.5
    assert found["annotators"]["a01"]["self_agreement"] == 1
    assert found["annotators"]["a03"]["self_agreement"] == 0


@pytest.mark.parametrize(
    ("text", "arguments", "code", "message"),
    [
        # A text and an attribute are no annotators' columns, and nobody has to name the id.
        ("id,text,eva,luis\n1,uno,a,a\n2,dos,b,a\n", ["--wide"], 0, "2 annotators (eva, luis)"),
        ("item,genre,eva,luis\n1,x,a,a\n2,y,b,a\n", ["--wide"], 1, "as --annotators eva,luis"),
        (
            "item,genre,eva,luis\n1,x,a,a\n2,y,b,a\n",
            ["--wide", "--by", "genre"],
            0,
            "2 annotators (eva, luis)",
        ),
        ("item,eva,luis\n1,a,a\n2,b,a\n", [], 1, "say --wide if each annotator has a column"),
        (LONG, ["--wide"], 2, "looks like the long form"),
        ("item,annotator,label\n", [], 1, "a header and no answers"),
        (
            "item,eva,luis\n1,a,a\n2,NA,a\n",
            ["--wide"],
            0,
            "! the label 'NA' looks like no answer; --missing NA leaves it out",
        ),
        # Two tokens and an empty cell: 6 cells, 3 labels.
        (
            "item,eva,luis\n1,a,a\n2,NA,a\n3,-,\n",
            ["--wide", "--missing", "NA", "--missing", "-"],
            0,
            "3 answers",
        ),
    ],
)
def test_what_was_taken_for_an_answer(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    found, out, err = call(capsys, write(tmp_path / "t.csv", text), *arguments)
    assert found == code, err
    assert message in (out if code == 0 else err)
    assert len(err.splitlines()) <= 2


def test_a_built_set_is_no_annotations(blas: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capsys, str(blas))
    assert (code, "is a built set, not annotations" in err) == (2, True)


def test_what_is_defined_for_two_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, write(tmp_path / "wide.csv", WIDE), "--wide")
    rows = [line for line in out.splitlines() if "cohen_kappa" in line]
    assert rows == [
        "undefined: not_two_raters (defined for exactly two annotators): scott_pi, cohen_kappa, "
        "weighted_kappa; fleiss_kappa, conger_kappa and gwet_ac2 are for more"
    ]
