"""protocol.yaml: read as a recipe is, every fault with its line, and nothing in it that is ignored."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from probeta.cli.common import run
from probeta.cli.schema import app
from probeta.errors import DataError, Fault
from probeta.evaluation.protocol import load_protocol, protocol_names, protocol_schema
from probeta.recipe import bundled_recipes

GOOD = {"name": "own", "kind": "spans", "title": "Own", "primary": "recall", "columns": ["recall"]}


def faults(path: Path, text: str) -> list[Fault]:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as told:
        load_protocol(str(path))
    assert {fault.file for fault in told.value.faults} == {path.as_posix()}
    return list(told.value.faults)


def test_all_faults_come_at_once_each_with_its_line_and_what_was_meant(tmp_path: Path) -> None:
    found = faults(
        tmp_path / "own.yaml",
        "name: own\n"
        "kind: span\n"
        "title:\n"
        "primry: recall\n"
        "columns: [recal]\n"
        "by: casing\n"
        "tables:\n"
        "  - title: By casing\n"
        "    rows: []\n"
        "    wher: {quotes: with}\n"
        "checks: [{check: near_mises, message: m}]\n"
        "notes: [a]\n"
        "notes: [b]\n",
    )
    told = [(fault.row, fault.column, fault.code, fault.fix) for fault in found]
    assert told == [
        (1, "primary", "missing_key", None),
        (2, "kind", "protocol_value", "did you mean spans?"),
        (3, "title", "protocol_value", None),
        (4, "primry", "unknown_key", "did you mean primary?"),
        (5, "columns[0]", "protocol_value", "did you mean recall?"),
        (6, "by", "protocol_value", None),
        (9, "tables[0].rows", "protocol_value", None),
        (10, "tables[0].wher", "unknown_key", "did you mean where?"),
        (11, "checks[0].check", "protocol_value", "did you mean near_misses?"),
        (13, "notes", "yaml_doubled_key", None),
    ]
    assert "columns[0] is not what it should be (expected precision, recall, f1" in str(found[4])


@pytest.mark.parametrize(
    ("changes", "line", "column", "words"),
    [
        ({"primary": "accuracy"}, 4, "primary", "spans have no accuracy here (expected precision, recall, f1;"),
        ({"columns": ["recall", "macro_f1"]}, 5, "columns[1]", "token_accuracy, token_f1; found macro_f1"),
        ({"label_columns": ["token_f1"]}, 6, "label_columns[0]", "spans have no token_f1 here"),
        ({"kind": "strings", "columns": ["token_f1"]}, 5, "columns[0]", "strings have no token_f1"),
        ({"kind": "strings", "matches": ["untyped"]}, 6, "matches", "matches has no effect on strings"),
        (
            {"kind": "pairs", "primary": "accuracy", "columns": ["accuracy"], "contrasts": [{"attribute": "a", "against": "b"}]},
            6,
            "contrasts",
            "contrasts has no effect on pairs",
        ),
        ({"kind": "pairs", "primary": "f1", "columns": ["accuracy"]}, 4, "primary", "pairs have no f1 here"),
        ({"checks": [{"check": "every_value", "message": "m"}]}, 6, "checks[0]", "names no attribute"),
        ({"notes": [""]}, 6, "notes[0]", "expected text"),
    ],
)  # fmt: skip
def test_what_the_kind_has_no_use_for_is_a_fault(
    tmp_path: Path, changes: dict[str, object], line: int, column: str, words: str
) -> None:
    # One key a line, lists in one line.
    text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in (GOOD | changes).items())
    (found,) = faults(tmp_path / "own.yaml", text)
    assert (found.row, found.column) == (line, column) and words in str(found)


@pytest.mark.parametrize(
    ("text", "told"),
    [("", "the protocol is empty"), ("- a\n", "this is not a protocol"), ("name: [\n", "not YAML")],
)
def test_what_is_no_protocol_is_told(tmp_path: Path, text: str, told: str) -> None:
    (found,) = faults(tmp_path / "own.yaml", text)
    assert told in str(found)


def test_a_fault_of_a_recipes_protocol_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text("name: own\n", encoding="utf-8")
    with pytest.raises(DataError) as told:
        load_protocol(str(tmp_path))
    assert {fault.file for fault in told.value.faults} == {f"{tmp_path.as_posix()}/protocol.yaml"}


def test_the_schema_takes_every_protocol_that_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(app, arguments=["protocol"], program="probeta schema")
    printed = json.loads(capsys.readouterr().out)
    assert ended.value.code == 0 and printed == protocol_schema()
    jsonschema.Draft202012Validator.check_schema(printed)
    folder = Path(__file__).parents[1] / "evaluation" / "protocols"
    files = [*folder.glob("*.yaml"), *(one / "protocol.yaml" for one in bundled_recipes().values())]
    texts = [path.read_text(encoding="utf-8") for path in files if path.is_file()]
    assert len(texts) == len(protocol_names())
    for text in texts:
        jsonschema.validate(yaml.safe_load(text), printed)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(GOOD | {"primry": "f1"}, printed)


def test_an_unknown_schema_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(app, arguments=["protocl"], program="probeta schema")
    assert ended.value.code == 2 and "did you mean protocol?" in capsys.readouterr().err
