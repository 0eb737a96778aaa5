"""``probeta attributes``: whole commands, their output and exit codes."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from probeta.cli.main import main

CONLL = """\
Los\tO
"\tO
fact\tB-ENG
checkers\tI-ENG
"\tO
comen\tO
pie\tB-ENG
.\tO

Spoilers\tB-ENG
no\tO
"""

# By hand: 'fact' ends in two consonants, 'checkers' has a k; 'pie' is an entry of the word list.
TABLE = """\
item,start,end,text,label,length,position,quotes,casing,adjacent,spelling,ambiguity,type,spelling_reasons,ambiguous_words
#1,6,19,fact checkers,ENG,multi,mid,with,standard,false,non_compliant,none,non_compliant,fact:end checkers:letter,
#1,28,31,pie,ENG,single,mid,without,standard,false,compliant,all,ambiguous,,pie:pie
#2,0,8,Spoilers,ENG,single,initial,without,standard,false,non_compliant,none,non_compliant,Spoilers:start,
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "news.conll"
    path.write_text(CONLL, encoding="utf-8")
    return path


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


Attributes = Callable[..., Done]


@pytest.fixture
def attributes(capfd: pytest.CaptureFixture[str]) -> Attributes:
    """The command in this process; its exit code, output and messages."""

    def run(*arguments: object) -> Done:
        with pytest.raises(SystemExit) as exit:
            main(["attributes", *map(str, arguments)])
        written = capfd.readouterr()
        return Done(int(exit.value.code or 0), written.out, written.err)

    return run


def test_the_whole_command(attributes: Attributes, corpus: Path) -> None:
    done = attributes(corpus)
    assert (done.returncode, done.stdout) == (0, TABLE)
    assert done.stderr.splitlines() == [
        "length     single 2, multi 1",
        "position   mid 2, initial 1",
        "quotes     without 2, with 1",
        "casing     standard 3",
        "adjacent   false 3",
        "spelling   non_compliant 2, compliant 1",
        "ambiguity  none 2, all 1",
        "type       non_compliant 2, ambiguous 1",
        "standard output: 3 spans of 2 sentences",
        "attributes:1|spelling:es-strict-1|ambiguity:es-wspanish-1|adjacency:true|version:0.1.0",
    ]


def test_standard_input_in_a_process_of_its_own() -> None:
    command = [sys.executable, "-m", "probeta.cli.main", "attributes", "-", "--from", "conll"]
    done = subprocess.run(command, input=CONLL.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stdout.decode()) == (0, TABLE)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_every_ending_holds_the_same_rows(
    attributes: Attributes, corpus: Path, tmp_path: Path, ending: str
) -> None:
    out = tmp_path / f"spans.{ending}"
    done = attributes(corpus, "--out", out, "--no-ambiguity")
    assert (done.returncode, done.stdout) == (0, "")
    if ending == "parquet":
        import pyarrow.parquet as pq

        rows = pq.read_table(out).to_pylist()
    elif ending == "jsonl":
        rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    else:
        with out.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines, delimiter="\t" if ending == "tsv" else ","))
    expected = list(csv.DictReader(TABLE.splitlines()))
    for row, wanted in zip(rows, expected, strict=True):
        wanted |= {"ambiguity": "", "ambiguous_words": ""}
        wanted["type"] = wanted["spelling"]
        assert {name: "" if value is None else str(value) for name, value in row.items()} == wanted


def test_json_holds_the_counts_and_without_a_file_the_rows(
    attributes: Attributes, corpus: Path, tmp_path: Path
) -> None:
    answer = json.loads(attributes(corpus, "--json", "--spelling", "strict+no_ze").stdout)
    assert answer["counts"] == {"sentences": 2, "spans": 3, "invalid_tags": 0}
    assert answer["attributes"]["type"] == {"non_compliant": 2, "ambiguous": 1}
    assert (answer["spelling"], answer["ambiguity"]) == ("es-strict+no_ze-1", "es-wspanish-1")
    assert [row["text"] for row in answer["rows"]] == ["fact checkers", "pie", "Spoilers"]
    out = tmp_path / "spans.csv"
    answer = json.loads(attributes(corpus, "--json", "--out", out).stdout)
    assert "rows" not in answer
    assert out.read_text(encoding="utf-8") == TABLE


def test_another_language_without_lists(attributes: Attributes, corpus: Path) -> None:
    refused = attributes(corpus, "--language", "ro")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert (
        "for language 'ro'; there are for: es. The other attributes need none: --no-spelling"
        in refused.stderr
    )
    done = attributes(corpus, "--language", "ro", "--no-spelling", "--no-ambiguity")
    assert done.returncode == 0
    assert next(csv.DictReader(done.stdout.splitlines()))["type"] == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--spelling", "strickt"], "did you mean strict?"),
        (["--ambiguity", "wspanich"], "did you mean wspanish?"),
        (["--out", "spans.txt"], "expected an ending among .csv, .tsv, .parquet, .jsonl"),
        (["--no-spelling", "--spelling", "lenient"], "cannot stand together"),
    ],
)
def test_wrong_use_is_one_sentence(
    attributes: Attributes, corpus: Path, arguments: list[str], message: str
) -> None:
    done = attributes(corpus, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_faulty_file_writes_nothing(attributes: Attributes, corpus: Path, tmp_path: Path) -> None:
    corpus.write_text(CONLL + "\nuna\tI-ENG\n", encoding="utf-8")
    out = tmp_path / "spans.csv"
    done = attributes(corpus, "--out", out)
    assert done.returncode == 1
    assert not out.exists()
    assert attributes(corpus).stdout == ""
    assert attributes(corpus, "--invalid", "conlleval").returncode == 0
