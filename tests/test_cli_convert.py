"""``probeta convert``: whole commands, their output and exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from probeta.formats import read_sentences


def convert(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "probeta.cli.main", "convert", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


def test_a_conversion_says_what_it_did_and_lost(tmp_path: Path) -> None:
    source, target = tmp_path / "a.csv", tmp_path / "b.conll"
    source.write_text("Cerró l'after hours;after hours\nUn pie;pie\n", encoding="utf-8")
    done = convert(source, target)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode() == (
        "not held by conll: #1 [tokens]: the token is split where a span begins or ends"
        ' (found "l\'after")\n'
        f"{target}: 2 sentences, 2 spans (conll)\n"
    )
    assert target.read_text(encoding="utf-8").splitlines() == [
        "# text = Cerró l'after hours",
        "Cerró\tO",
        "l'\tO",
        "after\tB-ENG",
        "hours\tI-ENG",
        "",
        "Un\tO",
        "pie\tB-ENG",
        "",
    ]


def test_json_is_one_object_with_the_losses(tmp_path: Path) -> None:
    source, target = tmp_path / "a.jsonl", tmp_path / "b.csv"
    source.write_text(
        '{"id": "a", "text": "Un pie", "spans": [{"start": 3, "end": 6, "label": "ENG"}]}', encoding="utf-8"
    )
    done = convert(source, target, "--json")
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert {key: answer[key] for key in ("out", "from", "to", "counts", "warnings")} == {
        "out": str(target),
        "from": "jsonl",
        "to": "adobo",
        "counts": {"sentences": 1, "spans": 1, "invalid_tags": 0},
        "warnings": [],
    }
    assert [(fault["code"], fault["column"]) for fault in answer["lost"]] == [("not_held", "id")]


def test_standard_input_and_output(tmp_path: Path) -> None:
    done = convert("-", "-", "--from", "conll", "--scheme", "IOBES", stdin=b"Un\tO\npie\tS-ENG\n")
    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "id": "#1",
        "text": "Un pie",
        "spans": [{"start": 3, "end": 6, "label": "ENG", "text": "pie"}],
        "tokens": ["Un", "pie"],
    }


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["missing.jsonl", "b.conll"], 2, "no such file: missing.jsonl"),
        (["a.jsonl", "b.xyz"], 2, "--to"),
        (["a.jsonl", "b.conll", "--from", "jsnl"], 2, "did you mean jsonl?"),
        (["a.jsonl", "b.conll", "--out-scheme", "IOB9"], 2, "tag scheme"),
        (["a.jsonl", "b.conll", "--misaligned", "never"], 2, "misaligned"),
        (["a.jsonl", "b.jsonl", "--ambiguous", "frist"], 2, "did you mean first?"),
        (["a.jsonl", "b.jsonl", "--label", ""], 2, "label"),
        (["a.jsonl", "folder", "--to", "folder"], 2, "read, not written"),
        (["a.jsonl", "b.conll", "--language", "qq"], 2, "'qq'"),
        (["a.jsonl", "-", "--json"], 2, "--json"),
        (["bad.jsonl", "b.conll"], 1, "bad.jsonl:1 [id]"),
        (["folder", "b.conll"], 2, "folder"),
        (["a.jsonl", "folder"], 2, "folder"),
        (["a.jsonl", "folder/a.jsonl/b.jsonl"], 2, "cannot write"),
    ],
)
def test_bad_input_is_one_message_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent))
    Path("folder").mkdir()
    Path("folder/a.jsonl").touch()
    Path("a.jsonl").write_text('{"id": "a", "text": "x", "spans": []}\n', encoding="utf-8")
    Path("bad.jsonl").write_text('{"id": 1, "text": "x", "spans": []}\n', encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    done = convert(*arguments)
    assert done.returncode == code, done.stderr.decode()
    assert message in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet", "a.conll", "a.csv", "a.spacy", "a.json"])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, name: str) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / name
    rows = [{"id": f"{n:040}", "text": f"Un pie {n:0400}", "spans": []} for n in range(300)]
    source.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    target.write_bytes(b"old")
    # A process that may write files of 4 kB at most meets what a full disk is.
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096));"
        "from probeta.cli.main import main; main(sys.argv[1:])"
    )
    command = [sys.executable, "-c", code, "convert", str(source), str(target), "--replace"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 2
    assert f"probeta: cannot write {target}: File too large" in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
    assert target.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["in.jsonl", name])


def test_what_a_built_set_has_of_its_spans_is_said_to_stay(blas: Path, tmp_path: Path) -> None:
    done = convert(blas, tmp_path / "a.jsonl")
    assert done.returncode == 0
    assert "the attributes of spans are not converted: " in done.stderr.decode()


def test_no_file_is_overwritten_in_silence(blas: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "a.conll", tmp_path / "b.jsonl"
    source.write_text("Un I-ENG\npie B-ENG\n", encoding="utf-8")
    target.write_text("mine", encoding="utf-8")
    for arguments, message in (
        ((source, target), "--replace"),
        ((source, source), "the input itself"),
        ((source, source, "--replace"), "the input itself"),
        ((source, blas / "more.jsonl", "--replace"), "in the built set"),
        ((source, tmp_path, "--to", "jsonl"), "Is a directory"),
        ((source, "/dev/null", "--to", "jsonl"), "is no file"),
    ):
        done = convert(*arguments, "--scheme", "IOB1")
        assert done.returncode == 2
        assert message in done.stderr.decode()
    assert source.read_text(encoding="utf-8") == "Un I-ENG\npie B-ENG\n"
    assert target.read_text(encoding="utf-8") == "mine"
    assert convert(source, target, "--scheme", "IOB1", "--replace").returncode == 0
    assert next(read_sentences(target)).surfaces() == ["Un", "pie"]
