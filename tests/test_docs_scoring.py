"""docs/scoring.md: its sessions print what they show, its table names every protocol."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from console import ROOT, commands, fenced, play

from probeta.evaluation.protocol import CheckShape, ContrastShape, Protocol, TableShape, protocol_names

DOCUMENT = ROOT / "docs" / "scoring.md"
PAGE = DOCUMENT.read_text(encoding="utf-8")


def test_the_sessions_and_the_code_print_what_they_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The system misses the bare spans: one altogether, of one the second word.
    first, second, third, fourth = commands(DOCUMENT)[0][1].split("\n\n")
    bare = second.replace("looks\tB-ENG", "looks\tO"), fourth.replace("data\tI-ENG", "data\tO")
    (tmp_path / "crf.conll").write_text("\n\n".join((first, bare[0], third, bare[1])), encoding="utf-8")
    play(DOCUMENT, cwd=tmp_path)
    monkeypatch.chdir(tmp_path)
    lists, files = fenced(DOCUMENT, "python")
    exec(lists, {})
    # Two spans predicted, one of them right; of four tokens one has another tag.
    assert capsys.readouterr().out == "Counts(gold=1, predicted=2, correct=1) 0.5 0.75\n"
    exec(files, {})
    assert capsys.readouterr().out == f"{4 / 7} 0.0\n"


OWN = PAGE.partition("### A protocol of your own")[2].partition("\n### ")[0]


def test_the_table_names_every_protocol() -> None:
    page = PAGE.replace(OWN, "")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == set(protocol_names())


def test_every_key_of_a_protocol_and_every_word_that_it_takes_is_described() -> None:
    models = (Protocol, TableShape, ContrastShape, CheckShape)
    keys = {name for model in models for name in model.model_fields}
    words = {
        word
        for model in models
        for definition in model.model_json_schema().get("$defs", {}).values()
        for field in (*model.model_json_schema()["properties"].values(), *definition["properties"].values())
        for holder in (field, field.get("items", {}))
        for word in holder.get("enum", ())
    }
    assert "near_misses" in words and "untyped" in words and "token_f1" in words
    assert [one for one in sorted(keys | words) if not re.search(rf"`(\w+: )?{one}(: \w+)?`", OWN)] == []
