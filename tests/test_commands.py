"""What every command shares: help with an example, exit codes, no traceback, light imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from probeta.cli.common import print_faults
from probeta.cli.main import COMMANDS, GROUPS
from probeta.cli.output import system_errors
from probeta.errors import Fault

HEAVY = {"datasets", "pandas", "pyarrow", "spacy", "sklearn", "scipy", "numpy", "duckdb", "huggingface_hub"}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "probeta.cli.main", *arguments], capture_output=True, text=True, check=False
    )


def test_the_overview_names_every_command() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert all(f"  {name} " in done.stdout for name in COMMANDS)
    assert {command.group for command in COMMANDS.values()} <= set(GROUPS)


def test_many_faults_of_one_kind_are_a_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    def missing(row: int) -> Fault:
        return Fault(code="missing", message=f"item {row} has no label", file="a.csv", row=row)

    other = Fault(code="column", message="a column is unknown", file="a.csv", row=40)
    print_faults([*map(missing, range(1, 40)), other])
    assert capsys.readouterr().err.splitlines() == [
        "a.csv:1: item 1 has no label",
        "a.csv:2: item 2 has no label",
        "a.csv:3: item 3 has no label",
        "... and 36 more like these, at 4, 5, 6, 7, 8, 9, 10, 11 … 39",
        "a.csv:40: a column is unknown",
        "probeta: 40 faults",
    ]
    # A handful is shown whole.
    print_faults(list(map(missing, range(1, 6))))
    assert len(capsys.readouterr().err.splitlines()) == 6


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_shows_an_example(name: str) -> None:
    done = run(name, "--help")
    assert done.returncode == 0, done.stderr
    assert f"probeta {name}" in done.stdout.split("Options")[0].replace("Usage", "", 1)
    # All alike: plain, without boxes and without a type beside a flag.
    assert "╭" not in done.stdout and "<bool>" not in done.stdout


def test_an_unknown_command_names_the_nearest() -> None:
    done = run("biuld")
    assert done.returncode == 2
    assert done.stderr == "probeta: there is no command 'biuld'; did you mean `probeta build`?\n"


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom probeta.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


@pytest.mark.parametrize(
    "call",
    [
        ("build", "blank"),
        ("build", "blank", "--out", "x", "--bogus"),
        ("build", "blank", "--out", "x", "--per-cell", "many"),
        ("convert", "nowhere.jsonl", "x.jsonl"),
    ],
)
def test_a_wrong_call_too_is_one_json_object(call: tuple[str, ...]) -> None:
    done = run(*call, "--json")
    assert done.returncode == 2
    error = json.loads(done.stdout)["error"]
    assert error in done.stderr


def redirected(command: str, *, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell in which ``probeta`` is the program."""
    whole = command.replace("probeta", f"'{sys.executable}' -m probeta.cli.main")
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.run(
        ["bash", "-c", whole], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("call", ["schema", "check nowhere --json", "build --json", "--help"])
def test_a_full_disk_below_stdout_is_one_sentence(call: str, tmp_path: Path) -> None:
    done = redirected(f"probeta {call} > /dev/full", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "probeta: No space left on device"
    assert "Traceback" not in done.stderr


def test_a_closed_stream_is_one_sentence(tmp_path: Path) -> None:
    assert redirected("probeta convert - x.jsonl <&-", cwd=tmp_path).stderr == (
        "probeta: standard input is closed\n"
    )
    (tmp_path / "a.jsonl").write_text('{"id": "a", "text": "x", "spans": []}\n')
    assert redirected("probeta convert a.jsonl - >&-", cwd=tmp_path).stderr == (
        "probeta: standard output is closed\n"
    )


def test_what_stdout_cannot_write_is_escaped(tmp_path: Path) -> None:
    # A file's name need not be UTF-8, and an old locale has no í.
    done = redirected(
        "PYTHONIOENCODING=ascii probeta convert $'\\xff\u00ed.jsonl' x.jsonl --json", cwd=tmp_path
    )
    assert json.loads(done.stdout) == {"error": "no such file: \udcff\u00ed.jsonl"}


def test_a_file_that_may_not_be_read_is_one_sentence(tmp_path: Path) -> None:
    # A folder in the place of a file is refused by every system, for every user.
    (tmp_path / "guidelines" / "g.md").mkdir(parents=True)
    with pytest.raises(SystemExit) as stopped, system_errors():
        (tmp_path / "guidelines" / "g.md").read_bytes()
    assert stopped.value.code == 2
