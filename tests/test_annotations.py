"""Tables of answers as people make them, and options that cannot hold: one message, or the right value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from probeta.cli.main import main
from probeta.validation import annotations

LONG = "item,annotator,label\n1,a,x\n1,b,x\n2,a,y\n2,b,x\n3,a,y\n3,b,y\n"
WIDE = "item,ana,eva\n1,x,x\n2,y,x\n3,y,y\n"
#: Cohen's kappa of both: agreement 2/3; x, y, y against x, x, y: (1*2 + 2*1)/9 by chance.
KAPPA = (2 / 3 - 4 / 9) / (1 - 4 / 9)

LINES = "".join(
    json.dumps({"item": item, "annotator": who, "label": label}) + "\n"
    for item, who, label in (("1", "a", "x"), ("1", "b", "x"), ("2", "a", "y"), ("2", "b", "x"))
)
SPANS = "".join(
    json.dumps({"item": "1", "annotator": who, "spans": spans}) + "\n"
    for who, spans in (("a", []), ("b", [{"start": 0, "end": 2, "label": "X"}]))
)


def call(capsys: pytest.CaptureFixture[str], command: str, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main([command, *arguments])
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def report(capsys: pytest.CaptureFixture[str], file: Path, *arguments: str) -> dict[str, Any]:
    code, out, err = call(capsys, "agree", str(file), *arguments, "--interval", "none", "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.mark.parametrize(
    ("table", "arguments"),
    [
        (LONG.encode("utf-8-sig"), []),
        (LONG.replace(",", ";").encode(), []),
        (LONG.replace(",", "\t").encode(), []),
        (LONG.replace("\n", "\r\n").encode(), []),
        (WIDE.encode("utf-8-sig"), ["--wide"]),
        (WIDE.replace(",", ";").encode(), ["--wide"]),
        # An index of a data frame, if the annotators are named.
        (b"row,item,ana,eva\n0,1,x,x\n1,2,y,x\n2,3,y,y\n", ["--wide", "--annotators", "ana,eva"]),
        # Blanks are an empty cell.
        (f"{WIDE}4,y,  \n".encode(), ["--wide"]),
    ],
)
def test_one_value_however_the_table_was_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], table: bytes, arguments: list[str]
) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(table)
    kappa = report(capsys, file, *arguments)["coefficients"]["cohen_kappa"]
    assert (kappa["value"], kappa["items"]) == (pytest.approx(KAPPA), 3)


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (LONG.replace("3,b", "3,B"), [], "annotators differ only by case or blanks (found 'B', 'b'"),
        (LONG.replace("3,b", "3,b "), [], "annotators differ only by case or blanks (found 'b', 'b '"),
        (LONG.replace("3,b", "3 ,b"), [], "items differ only by blanks (found '3', '3 '"),
        ("item,ana,ana \n1,x,x\n", ["--wide"], "t.csv:1 [ana]: a column stands twice"),
        (LONG.replace("3,b,y", "3,b,y "), [], "labels differ only by case or blanks (found 'y', 'y '"),
        (LONG.replace("3,b,y", "3,b,y "), [], "fix: fold them (--fold 'y '=y)"),
        (LONG + "3,b,y\n", [], "t.csv:8: b answered the item 3 2 times (found y, y; fix: choose which"),
        (WIDE + "3,y,y\n", ["--wide"], "the item has two rows (found 3, also in line 4)"),
        (f",{WIDE.replace(chr(10), chr(10) + '0,')}"[:-2], ["--wide"], "a column has no name (fix: give it"),
        ("n,item,a,b\n0,1,0,1\n1,2,1,1\n2,3,2,2\n", ["--wide"], "[n]: the column numbers the rows"),
        (
            "item,annotator,label\n" + "".join(f"{n},{who},l{n}\n" for n in range(201) for who in "ab"),
            [],
            "too many different labels for a label set (expected at most 200; found 201",
        ),
    ],
)
def test_one_message_for_what_cannot_be_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, arguments: list[str], message: str
) -> None:
    file = tmp_path / "t.csv"
    file.write_text(text, encoding="utf-8")
    code, _, err = call(capsys, "agree", str(file), *arguments)
    assert code == 1
    assert message in err
    assert err.endswith("probeta: 1 fault\n")


@pytest.mark.parametrize("count", [1, 2, 200])
def test_as_many_labels_as_there_may_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], count: int
) -> None:
    file = tmp_path / "t.csv"
    file.write_text("item,a,b\n" + "".join(f"i{n},{n},{n}\n" for n in range(count)))
    found = report(capsys, file, "--wide")
    assert len(found["label_set"]["labels"]) == count
    kappa = found["coefficients"]["cohen_kappa"]
    assert (kappa["value"], kappa["reason"]) == ((None, "no_variation") if count == 1 else (1, None))


@pytest.mark.parametrize(
    ("text", "shown", "reason"),
    [
        ("item,annotator,label\n1,a,x\n2,a,y\n", "1 annotator (a)", "one_rater"),
        ("item,annotator,label,status\n1,a,,skipped\n1,b,,skipped\n", "0 annotators, 0 answers", "no_data"),
        ("item,annotator,label\n1,a,x\n1,b,x\n", "1 item with two labels or more", "no_variation"),
    ],
)
def test_too_little_to_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, shown: str, reason: str
) -> None:
    file = tmp_path / "t.csv"
    file.write_text(text)
    code, out, err = call(capsys, "agree", str(file))
    assert code == 0, err
    assert shown in out
    assert report(capsys, file)["coefficients"]["krippendorff_alpha"]["reason"] == reason


@pytest.mark.parametrize("token", ["NaN", "nan", "None", "NA", "-"])
def test_a_word_for_no_answer_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], token: str) -> None:
    file = tmp_path / "t.csv"
    file.write_text(f"{LONG}4,a,{token}\n4,b,y\n")
    _, out, _ = call(capsys, "agree", str(file))
    assert f"! the label {token!r} looks like no answer; --missing {token} leaves it out" in out
    found = report(capsys, file, "--missing", token)
    assert found["coefficients"]["cohen_kappa"]["value"] == pytest.approx(KAPPA)
    assert found["dropped"] == {"missing": 1}


OPTIONS: list[tuple[str, list[str], str]] = [
    ("t.csv", ["--annotators", "a,b"], "say --wide too"),
    ("t.csv", ["--labels", "x,,y"], "--labels 'x,,y': a name is empty"),
    ("t.csv", ["--labels", ""], "--labels '': a name is empty"),
    ("t.csv", ["--labels", "x,x,y"], "--labels 'x,x,y': x stands twice"),
    ("t.csv", ["--fold", "x=y", "--fold", "x=z"], "--fold: 'x' is read as 'y' and as 'z'"),
    ("t.csv", ["--by", "genre"], "no item column 'genre' for --by; there are: none"),
    ("t.csv", ["--reference", "gold"], "no item column 'gold' for the "),
    ("t.csv", ["--items", "i.csv"], "none of its items ('1', …) stands in i.csv, which begins with '7'"),
    ("t.csv", ["--language", "en"], "--language is for spans, and the table holds labels"),
    ("t.csv", ["--duplicates", "lst"], "unknown policy for duplicates 'lst'"),
    ("w.csv", ["--wide", "--by", "genre"], "no item column 'genre' for --by; there are: none"),
    (
        "w.csv",
        ["--wide", "--annotators", "ana,luis"],
        "no column 'luis' for --annotators; there are: ana, eva",
    ),
    ("w.csv", ["--wide", "--annotators", "ana,ana"], "ana stands twice"),
    ("w.csv", ["--wide", "--annotators", "item,ana"], "the column 'item' holds items"),
    ("w.csv", ["--wide", "--label-column", "class"], "--label-column is for the long form"),
    ("t.jsonl", ["--wide"], "--wide is for .csv, .tsv and .xlsx"),
    ("t.jsonl", ["--label-column", "class"], "--label-column is for .csv, .tsv and .xlsx"),
]


@pytest.mark.parametrize("command", ["agree", "adjudicate"])
@pytest.mark.parametrize(("name", "arguments", "message"), OPTIONS)
def test_options_that_cannot_hold(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    name: str,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for file, text in (
        ("t.csv", LONG),
        ("w.csv", WIDE),
        ("t.jsonl", LINES),
        ("i.csv", "item,genre\n7,news\n"),
    ):
        (tmp_path / file).write_text(text)
    code, _, err = call(capsys, command, name, *arguments)
    assert code == 2, err
    assert message in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("command", "text", "arguments", "message"),
    [
        ("agree", LINES, ["--scheme", "IOB2"], "--scheme is for spans, and the table holds labels"),
        ("agree", LINES, ["--gamma"], "--gamma is for spans"),
        ("agree", SPANS, ["--level", "interval"], "--level is for labels, and the table holds spans"),
        ("agree", SPANS, ["--weights", "linear"], "--weights is for labels"),
        ("adjudicate", SPANS, ["--votes", "plurality"], "--votes is for labels"),
        ("adjudicate", SPANS, ["--abstentions", "count"], "--abstentions is for labels"),
        ("adjudicate", SPANS, ["--language", "en"], "--language is for the method tokens"),
        ("adjudicate", SPANS, ["--decisions", "labels.jsonl"], "labels.jsonl holds labels, and the annota"),
        ("adjudicate", LINES, ["--consent", "Signed"], "--consent is for --into"),
    ],
)
def test_options_for_another_kind_of_answers(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    text: str,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.jsonl").write_text(text)
    (tmp_path / "labels.jsonl").write_text(LINES)
    code, _, err = call(capsys, command, "t.jsonl", *arguments)
    assert code == 2, err
    assert message in err
    assert len(err.splitlines()) == 1


def test_items_that_are_not_all_there_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text(LONG)
    (tmp_path / "i.csv").write_text("item,genre\n1,news\n8,news\n")
    arguments = (str(tmp_path / "t.csv"), "--items", str(tmp_path / "i.csv"), "--by", "genre")
    for command in ("agree", "adjudicate"):
        _, out, _ = call(capsys, command, *arguments)
        assert "! 2 of 3 items have no item columns" in out
    groups = report(capsys, tmp_path / "t.csv", *arguments[1:])["by"]["genre"]
    assert {name: group["items"] for name, group in groups.items()} == {"(none)": 2, "news": 1}


def test_folding_that_changed_nothing_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text(LONG)
    _, out, _ = call(capsys, "agree", str(tmp_path / "t.csv"), "--fold", "z=y", "--fold", "x=y")
    assert "folded: 'x' read as 'y' in 3 answers" in out
    assert "folded: 'z' read as 'y' in 0 answers" in out


@pytest.mark.parametrize("command", ["agree", "adjudicate"])
@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"text": 5}, "t.jsonl:item 1 [text]: the item's text is no text (found 5)"),
        ({"gold": "ENG"}, "t.jsonl:item 1 [gold]: the spans are no list (expected a list, [] for none"),
        ({"gold": [[0, 2, "X"]]}, "t.jsonl:item 1 [gold]: a span is no object"),
        ({"gold": [{"start": 0, "end": 2}]}, "t.jsonl:item 1 [gold]: a span has no label"),
        (
            {"gold": [{"start": 0, "end": 9, "label": "X"}]},
            "[gold]: a span ends beyond the item's text (expected at most 4; found 0-9 X in the item 1)",
        ),
    ],
)
def test_texts_and_reference_spans_that_are_none(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    row: dict[str, Any],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.jsonl").write_text(SPANS)
    (tmp_path / "i.jsonl").write_text(json.dumps({"id": "1", "text": "abcd", "gold": [], **row}) + "\n")
    code, _, err = call(capsys, command, "t.jsonl", "--items", "i.jsonl", "--reference", "gold")
    assert code == 1
    assert message in err
    assert err.endswith("probeta: 1 fault\n")


@pytest.mark.parametrize("command", ["agree", "adjudicate"])
def test_a_reference_label_of_another_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    file = tmp_path / "t.csv"
    file.write_text("item,annotator,label,gold\n1,a,x,X\n1,b,x,X\n2,a,y,y\n2,b,y,y\n")
    code, _, err = call(capsys, command, str(file), "--labels", "x,y", "--reference", "gold")
    assert code == 1
    assert f"{file}:item 1 [gold]: the reference label is not in the label set" in err
    assert "fix: if x is meant, declare it: --fold 'X'=x" in err
    code, _, _ = call(capsys, command, str(file), "--labels", "x,y", "--reference", "gold", "--fold", "X=x")
    assert code == 0
    rows = tmp_path / "t.jsonl"
    rows.write_text(LINES.replace('"label"', '"gold": 5, "label"'))
    code, _, err = call(capsys, command, str(rows), "--reference", "gold")
    assert code == 1
    assert "[gold]: the label is not text (found 5)" in err


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"annotator": ["a"]},
            "t.jsonl:1 [annotator]: the row names no annotator (expected a name or a whole",
        ),
        ({"item": None}, "t.jsonl:1 [item]: the row names no item"),
        ({"seconds": "five"}, "t.jsonl:1 [seconds]: the cell is no number (found 'five')"),
        ({"label": 2}, "t.jsonl:1 [label]: the label is not text"),
        ({"status": 3}, "t.jsonl:1 [status]: the status is unknown"),
    ],
)
def test_cells_of_another_type(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: dict[str, Any], message: str
) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text(json.dumps({"item": 1, "annotator": 1, "label": "x", **row}) + "\n")
    code, _, err = call(capsys, "agree", str(file))
    assert code == 1
    assert message in err
    assert err.endswith("probeta: 1 fault\n")


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("campaign.yaml", "labels: [x\n", "campaign.yaml: the settings cannot be read"),
        ("campaign.yaml", "- x\n", "campaign.yaml: the settings are no mapping (found ['x'])"),
        ("campaign.yaml", "labels: xy\n", "campaign.yaml: the labels are no list of texts"),
        ("campaign.yaml", "labels: {1: x}\n", "campaign.yaml: the labels are no list of texts"),
        ("campaign.yaml", "language: [es]\n", "campaign.yaml: the language is no text"),
        ("items.jsonl", '{"text": "x"}\n', "items.jsonl: the items have no column item or id"),
        ("items.jsonl", '{"item": "1"}\n{"text": "x"}\n', "items.jsonl:2 [item]: the row names no item"),
        ("gold.jsonl", '{"item": "1", "original": 3}\n', "[original]: the label is not text (found 3)"),
    ],
)
def test_a_campaign_folder_that_was_broken_by_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, text: str, message: str
) -> None:
    annotations.write(
        tmp_path / "annotations.parquet",
        [{"item": "1", "annotator": who, "label": "x", "status": "answered"} for who in "ab"],
    )
    (tmp_path / file).write_text(text)
    code, _, err = call(capsys, "agree", str(tmp_path))
    assert code == 1
    assert message in err
    assert err.endswith("probeta: 1 fault\n")


def test_item_columns_that_hold_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text(LONG)
    rows = [{"id": str(number), "base_id": ["a"], "genre": [number]} for number in (1, 2, 3)]
    (tmp_path / "i.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = report(
        capsys,
        tmp_path / "t.csv",
        "--items",
        str(tmp_path / "i.jsonl"),
        "--by",
        "genre",
        "--cluster",
        "genre",
    )
    assert list(found["by"]["genre"]) == ["[1]", "[2]", "[3]"]
    assert found["intervals"]["clusters"] == 3
