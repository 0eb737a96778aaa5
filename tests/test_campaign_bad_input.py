"""Files that people edited, wrong addresses and tokens: one clear message, exit 1 or 2, nothing half-written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from campaigns import campaign, rewrite

from probeta.annotation.assign import assign
from probeta.annotation.campaign import Campaign
from probeta.annotation.client import checked_url
from probeta.annotation.importers import ImportOptions
from probeta.annotation.imports import import_files
from probeta.annotation.status import _gold
from probeta.cli.main import main
from probeta.errors import DataError, UsageError

PEOPLE = [f"person{number}@example.org" for number in range(4)]


@pytest.fixture
def planned(tmp_path: Path) -> Campaign:
    """Four items and a check for four people."""
    made = campaign(tmp_path / "c", size=5)
    rewrite(made, lambda rows: [*rows[:4], rows[4] | {"role": "check"}])
    assign(made, emails=PEOPLE)
    return Campaign(made.folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def replaced(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


def first_row(change: Callable[[list[str]], list[str]]) -> Callable[[str], str]:
    """Change the first row behind the header."""

    def changed(text: str) -> str:
        header, row, *rest = text.splitlines()
        return "\n".join([header, ",".join(change(row.split(","))), *rest, ""])

    return changed


#: File -> what is done to it, what the message says, the code of the fault and its line.
EDITED: dict[str, tuple[str, Callable[[str], str], str, str, int | None]] = {
    "a key twice": (
        "campaign.yaml",
        replaced("overlap: 3", "overlap: 3\noverlap: 2"),
        "twice",
        "yaml_doubled_key",
        12,
    ),
    "an alias": (
        "campaign.yaml",
        replaced("seed: 1", "seed: &a 1\noverlap2: *a"),
        "alias",
        "yaml_alias",
        None,
    ),
    "another program's tag": (
        "campaign.yaml",
        replaced("seed: 1", "seed: !!python/name:os.system x"),
        "not supported",
        "yaml_tag",
        None,
    ),
    "no YAML": ("campaign.yaml", replaced("labels:", "labels: ["), "not YAML", "yaml_syntax", None),
    "an empty file": ("campaign.yaml", lambda text: "# nothing\n", "no campaign", "campaign", None),
    "a list": ("campaign.yaml", lambda text: "- 1\n", "no campaign", "campaign", None),
    "an unknown setting": ("campaign.yaml", replaced("seed:", "sead:"), "sead", "campaign", None),
    "a wrong value": ("campaign.yaml", replaced("overlap: 3", "overlap: many"), "overlap", "campaign", 11),
    "a blank label": ("campaign.yaml", replaced("ENG:", "' ':"), "expected text", "campaign", None),
    "an unknown item": (
        "assignment.csv",
        first_row(lambda row: ["nix", *row[1:]]),
        "no such item",
        "unknown_item",
        2,
    ),
    "an unknown person": (
        "assignment.csv",
        first_row(lambda row: [row[0], "a99", row[2]]),
        "annotators.csv does not have them",
        "unknown_annotator",
        2,
    ),
    "nobody": (
        "assignment.csv",
        first_row(lambda row: [row[0], "", row[2]]),
        "does not have",
        "unknown_annotator",
        2,
    ),
    "the same twice": (
        "assignment.csv",
        lambda text: text + text.splitlines()[1] + "\n",
        "they have the item already",
        "assigned_twice",
        18,
    ),
    "another role": ("assignment.csv", replaced("sample", "check"), "the item is a sample", "role", 2),
    "an item without people": (
        "assignment.csv",
        lambda text: re.sub("i0002,.*\n", "", text),
        "nobody is to answer i0002",
        "unassigned",
        None,
    ),
    "a column renamed": ("assignment.csv", replaced("annotator", "who"), "annotator", "missing_column", None),
    "a pseudonym twice": ("annotators.csv", replaced("a02", "a01"), "stands twice", "annotator", 3),
    "no pseudonym": ("annotators.csv", first_row(lambda row: ["", *row[1:]]), "missing", "annotator", 2),
    "a person twice": (
        "annotators.csv",
        lambda text: text + text.splitlines()[1].replace("a01", "a09") + "\n",
        "stands twice",
        "annotator",
        6,
    ),
    "no account": ("annotators.csv", first_row(lambda row: [*row[:2], "x", row[3]]), "no number", "user", 2),
    "a NUL": ("items.jsonl", replaced('"text": "', '"text": "\\u0000'), "NUL", "nul", 1),
    "a raw NUL": ("items.jsonl", replaced('"text": "', '"text": "\0'), "control character", "json", 1),
    "a text twice": ("items.jsonl", replaced('"text"', '"text": "x", "text"'), "stands twice", "json", 1),
    "a repeat of nothing": (
        "items.jsonl",
        replaced('"role": "check"', '"role": "repeat", "of": "nix"'),
        "not in the sample",
        "of",
        5,
    ),
    "a repeat without its item": (
        "items.jsonl",
        replaced('"role": "check"', '"role": "repeat"'),
        "not in the sample",
        "of",
        5,
    ),
    "a sample of another": (
        "items.jsonl",
        replaced('"role": "sample"', '"role": "sample", "of": "i0001"'),
        "only a repeated item",
        "of",
        1,
    ),
}


@pytest.mark.parametrize("name", EDITED)
def test_a_file_edited_wrongly_is_told_and_nothing_is_written(
    planned: Campaign, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file, change, message, code, line = EDITED[name]
    path = planned.path(file)
    path.write_bytes(change(path.read_text("utf-8")).encode())
    before = contents(planned.folder)
    for words in (["assign"], ["assign", "--leaver", "a01"]):
        with pytest.raises(SystemExit) as ended:
            main(["campaign", *words, str(planned.folder), "--local", "--json"])
        assert ended.value.code == 1
        shown = capsys.readouterr()
        assert message in shown.err and "Traceback" not in shown.err
        faults = json.loads(shown.out)["faults"]
        assert code in [fault["code"] for fault in faults]
        if line is not None:
            assert line in [fault["row"] for fault in faults]
    assert contents(planned.folder) == before


def test_a_broken_plan_can_be_made_anew(planned: Campaign) -> None:
    whole = planned.path("assignment.csv").read_bytes()
    planned.path("assignment.csv").write_text("nonsense\n", encoding="utf-8")
    with pytest.raises(DataError):
        assign(planned)
    assign(planned, replan=True)
    assert planned.path("assignment.csv").read_bytes() == whole


def test_a_gold_without_items_is_told(planned: Campaign) -> None:
    planned.path("gold.jsonl").write_text('{"item": "i0000"}\n{"x": 1}\n', encoding="utf-8")
    with pytest.raises(DataError) as refused:
        _gold(planned)
    assert [(fault.code, fault.file, fault.row) for fault in refused.value.faults] == [
        ("item", "gold.jsonl", 2)
    ]


ADDRESSES = [
    "",
    "localhost:8080",
    "ftp://example.org",
    "http://",
    "http://[::1",
    "http://127.0.0.1:port",
    "http://127.0.0.1:99999",
    "http://127.0.0.1/ x",
    "http://127.0.0.1/\n",
    "http://user:word@example.org",
]


@pytest.mark.parametrize("url", ADDRESSES)
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(UsageError, match="the server's address") as refused:
        checked_url(url)
    assert "word" not in str(refused.value).replace("password", "")


@pytest.mark.parametrize("token", ["two words", "line\nX-Other: 1", "tökén", "bell\x07"])
def test_a_token_that_is_none_is_not_shown(
    planned: Campaign, token: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", token)
    with pytest.raises(SystemExit) as ended:
        main(["campaign", "push", str(planned.folder), "--url", "http://127.0.0.1:9"])
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert "LABEL_STUDIO_API_KEY holds is no token" in shown and token not in shown
    assert shown.count("\n") == 1


def annotated(**more: Any) -> list[dict[str, Any]]:
    return [{"data": {"text": "uno"}, "annotations": [{"completed_by": 1, "result": []} | more]}]


#: What an export holds, and the codes of the faults that are told.
EXPORTS: dict[str, tuple[Any, list[str]]] = {
    "annotations that are text": ([{"data": {"text": "uno"}, "annotations": ["x"]}], ["task", "no_answers"]),
    "annotations that are none": (
        [{"data": {"text": "uno"}, "annotations": {"a": 1}}],
        ["task", "no_answers"],
    ),
    "a result that is text": (annotated(result="x"), ["task", "no_answers"]),
    "regions that are text": (annotated(result=["x"]), ["task", "no_answers"]),
    "a value that is a list": (annotated(result=[{"type": "labels", "value": []}]), ["task", "no_answers"]),
    "labels that are text": (
        annotated(result=[{"type": "labels", "value": {"start": 0, "end": 1, "labels": "ENG"}}]),
        ["labels"],
    ),
    "an author that is a list": (annotated(completed_by=[1]), ["author_unknown", "no_answers"]),
    "a duration that is text": (annotated(lead_time="long"), ["seconds"]),
    "a time that is a number": (annotated(created_at=5), ["created"]),
    "flat labels that are a number": (
        [{"text": "uno", "annotator": 1, "label": [{"start": 0, "end": 1, "labels": 5}]}],
        ["labels"],
    ),
    "a flat label that is no span": ([{"text": "uno", "annotator": 1, "label": "ENG"}], ["labels"]),
    "a blank choice": (
        [{"sentence_1": "a", "sentence_2": "b", "annotator": 1, "label": " "}],
        ["label"],
    ),
    "a choice that is an object": (
        [{"sentence_1": "a", "sentence_2": "b", "annotator": 1, "label": {"choices": [{"a": 1}]}}],
        ["choice", "no_answers"],
    ),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_that_cannot_be_read_is_told_and_nothing_is_made(tmp_path: Path, name: str) -> None:
    tasks, codes = EXPORTS[name]
    file = tmp_path / "export.json"
    file.write_text(json.dumps(tasks), encoding="utf-8")
    with pytest.raises(DataError) as refused:
        import_files(tmp_path / "c", [file])
    assert [fault.code for fault in refused.value.faults] == codes
    assert not (tmp_path / "c").exists()


DOCCANO = {
    "a number": 3,
    "an object": {"a": 1},
    "numbers": [1, 2],
    "cut spans": [[1]],
    "words": [["a", "b", "c"]],
}


@pytest.mark.parametrize("name", DOCCANO)
def test_answers_of_doccano_that_cannot_be_read_are_told(tmp_path: Path, name: str) -> None:
    file = tmp_path / "ana.jsonl"
    file.write_text(json.dumps({"text": "uno", "label": DOCCANO[name]}) + "\n", encoding="utf-8")
    with pytest.raises(DataError) as refused:
        import_files(tmp_path / "c", [file], options=ImportOptions(annotator="ana"))
    assert refused.value.faults[0].file == "ana.jsonl"
    assert not (tmp_path / "c").exists()


def test_labels_that_no_page_can_show_are_refused_before_anything_is_sent(
    planned: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    from probeta.annotation import configuration

    planned.update(labels={"ENG": "a bell \a"})
    with pytest.raises(DataError, match="control character"):
        configuration.check(configuration.of(planned.settings), kind="spans")


def test_a_title_that_the_server_refuses(blas: Path, tmp_path: Path) -> None:
    for title in ("ab", "x" * 51):
        words = ["campaign", "init", str(tmp_path / "c"), "--from", str(blas), "--sample", "3"]
        with pytest.raises(SystemExit) as ended:
            main([*words, "--title", title])
        assert ended.value.code == 2
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("name", ["people.csv", "people.txt"])
def test_wrong_addresses_are_told_with_file_and_line(
    name: str, planned: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_text("email\n" * (name == "people.csv") + "ana@example.org\n\nana\nAna@example.org\n", "utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["campaign", "assign", str(planned.folder), "--annotators", str(file), "--local"])
    assert ended.value.code == 1
    shown = capsys.readouterr().err
    first = 2 if name == "people.csv" else 1
    assert f"{file}:{first + 2}: this is no e-mail address (found ana)" in shown
    assert (
        f"{file}:{first + 3}: the address stands twice, first in line {first} (found ana@example.org)"
        in shown
    )
