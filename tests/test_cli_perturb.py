"""``probeta perturb``: whole commands, their output and exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from probeta.formats import read_sentences


def perturb(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "probeta.cli.main", "perturb", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, text=True, encoding="utf-8")


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "base.jsonl"
    lines = [
        {"id": "a1", "text": "Burpees y más.", "spans": [{"start": 0, "end": 7, "label": "ENG"}], "topic": "x"},
        {"id": "a2", "text": "Es la NBA.", "spans": [{"start": 6, "end": 9, "label": "ENG"}], "topic": None},
        {"id": "a3", "text": "Nada.", "spans": [], "topic": "y"},
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def test_the_twelve_configurations_of_a_file(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = perturb(base, "--out", out, "--quote-style", "straight", "--title-rest", "lower", "--json")
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    # Duplicates by hand. a1, one word at the start: span_title as standard, twice. a2: span_upper as
    # standard, twice. a3 has no span: its 12 rows have 4 texts (as is, lower, UPPER, title), and of these
    # "Nada." is also title; 3 differ, 9 repeat. 2 + 2 + 9.
    assert answer["counts"] == {"base_sentences": 3, "sentences": 36, "spans": 24, "duplicates": 13}
    assert answer["signature"].startswith(
        "casing:standard,lower,upper,title,span_upper,span_title|quotes:without,with"
        "|quote_style:straight|title_rest:lower|seed:0|version:"
    )
    rows = {row.id: row for row in read_sentences(out)}
    assert rows["a2|title|with"].text == 'Es La "Nba".'
    assert rows["a2|title|with"].surfaces() == ["Nba"]
    assert dict(rows["a1|span_title|with"].attributes) == {
        "topic": "x",
        "base_id": "a1",
        "casing": "span_title",
        "quotes": "with",
        "operation": "casing+quotes",
        "parameters": '{"quote_style":"straight","title_rest":"lower"}',
        "duplicate_of": "a1|standard|with",
    }


def test_from_one_format_to_another_through_standard_streams() -> None:
    done = perturb(
        "-", "--from", "conll", "--out", "-", "--to", "conll", "--casing", "upper", "--quotes", "with",
        stdin="Un\tO\nkey\tB-ENG\nlime\tI-ENG\n\n",
    )  # fmt: skip
    assert done.returncode == 0
    # The tokens of the input spelt the old text: the tokenizer makes new ones.
    assert "“\tO\nKEY\tB-ENG\nLIME\tI-ENG\n”\tO" in done.stdout
    assert "# text = UN “KEY LIME”" in done.stdout
    assert "standard output: 1 sentence, 1 span of 1 base sentence" in done.stderr


def test_operations_alone_write_no_configurations(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    arguments = (base, "--out", out, "--operation", "drop_final_punctuation", "--operation", "keyboard_typo")
    assert perturb(*arguments, "--seed", 7).returncode == 0
    rows = list(read_sentences(out))
    assert [row.attributes["operation"] for row in rows] == ["drop_final_punctuation", "keyboard_typo"] * 3
    assert rows[0].text == "Burpees y más"
    assert json.loads(rows[1].attributes["parameters"]) == {"count": 1, "layout": "es", "seed": 7}
    assert perturb(*arguments, "--replace", "--casing", "upper", "--quotes", "without").returncode == 0
    assert [row.id.split("|")[1] for row in read_sentences(out)][:3] == [
        "upper",
        "drop_final_punctuation",
        "keyboard_typo",
    ]


def test_a_plugin_and_its_name(base: Path, tmp_path: Path) -> None:
    plugin = tmp_path / "mine.py"
    plugin.write_text(
        "from probeta.builders.spans.perturbation import Perturbation\n"
        "from probeta.offsets import Edit\n"
        "class Mine(Perturbation):\n"
        "    'A space in front.'\n"
        "    name = 'indent'\n"
        "    def edits(self, sentence, *, value, seed):\n"
        "        return [Edit(0, 0, ' ')]\n",
        encoding="utf-8",
    )
    done = perturb(base, "--out", "-", "--plugin", plugin, "--operation", "indent")
    assert done.returncode == 0
    first = json.loads(done.stdout.splitlines()[0])
    assert (first["text"], first["spans"][0]["start"]) == (" Burpees y más.", 1)


def test_show_prints_base_and_variants(base: Path) -> None:
    done = perturb(base, "--show", 1, "--casing", "standard", "--casing", "span_title")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "a1                 [Burpees] y más.\n"
        "standard|without   [Burpees] y más.\n"
        "standard|with      “[Burpees]” y más.\n"
        "span_title|without = standard|without\n"
        "span_title|with    = standard|with\n"
        "\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "o.jsonl", "--casing", "uper"], "unknown casing 'uper'.*did you mean upper"),
        (["--out", "o.jsonl", "--quote-style", "curvy"], "unknown quote_style 'curvy'"),
        (["--out", "o.jsonl", "--operation", "keybord_typo"], "did you mean keyboard_typo"),
        (["--out", "o.jsonl", "--operation", "keyboard_typo", "--title-rest", "lower"], "no such configuration is written"),
        (["--out", "o.jsonl", "--plugin", "none.py"], "no such file: none.py"),
        (["--out", "o.xyz"], "the ending names no format"),
        (["--out", "o.jsonl", "--show", "2"], "not both"),
        ([], "name a file to write"),
        (["--out", "-", "--json"], "--json needs --out and a file"),
    ],
)  # fmt: skip
def test_wrong_use_is_one_message_and_exit_2(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    done = perturb(base, *arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr

    assert re.search(message, done.stderr), done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["base.jsonl"]


def test_faults_of_the_data_are_exit_1_and_nothing_is_written(tmp_path: Path) -> None:
    source, out = tmp_path / "bad.jsonl", tmp_path / "out.jsonl"
    source.write_text(
        '{"id": "a", "text": "Un pie.", "spans": [{"start": 3, "end": 6, "label": "ENG"}]}\n'
        '{"id": "b", "text": "Un pie.", "spans": [{"start": 3, "end": 99, "label": "ENG"}]}\n',
        encoding="utf-8",
    )
    done = perturb(source, "--out", out, "--json")
    assert done.returncode == 1
    assert [fault["code"] for fault in json.loads(done.stdout)["faults"]] == ["span_out_of_range"]
    assert not out.exists()


def test_no_file_is_overwritten_in_silence(base: Path, tmp_path: Path) -> None:
    before = base.read_bytes()
    done = perturb(base, "--out", base)
    assert (done.returncode, base.read_bytes()) == (2, before)
    assert "the input itself" in done.stderr
    out = tmp_path / "out.jsonl"
    assert perturb(base, "--out", out).returncode == 0
    assert "--replace" in perturb(base, "--out", out).stderr
    assert perturb(base, "--out", out, "--replace").returncode == 0


def test_a_console_that_is_not_utf_8_gets_escapes(tmp_path: Path) -> None:
    source = tmp_path / "emoji.jsonl"
    row = {"id": "a1", "text": "Un pie \N{PIE}", "spans": [{"start": 3, "end": 6, "label": "ENG"}]}
    source.write_text(json.dumps(row), encoding="utf-8")
    command = [sys.executable, "-m", "probeta.cli.main"]
    env = os.environ | {"PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(
        [*command, "perturb", str(source), "--show", "1"], capture_output=True, check=False, env=env
    )
    assert done.returncode == 0, done.stderr.decode()
    assert b"Un [pie] \\U0001f967" in done.stdout
    # JSON has escapes of its own, which every reader understands.
    done = subprocess.run(
        [*command, "attributes", str(source), "--json"], capture_output=True, check=False, env=env
    )
    assert json.loads(done.stdout)["counts"]["spans"] == 1


def test_copies_of_copies_keep_their_sentence_and_what_is_replaced_is_told(tmp_path: Path) -> None:
    source, out = tmp_path / "copies.jsonl", tmp_path / "out.jsonl"
    row = {"id": "a1|upper", "base_id": "a1", "casing": "upper", "text": "UN PIE", "spans": []}
    source.write_text(json.dumps(row), encoding="utf-8")
    done = perturb(source, "--out", out, "--casing", "standard,lower", "--quotes", "without")
    assert done.returncode == 0
    assert "is replaced by what is made here (found casing; " in done.stderr
    rows = list(read_sentences(out))
    assert [row.id for row in rows] == ["a1|upper|standard|without", "a1|upper|lower|without"]
    assert {row.attributes["base_id"] for row in rows} == {"a1"}
