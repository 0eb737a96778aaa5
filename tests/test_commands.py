"""What every command shares: help with an example, exit codes, no traceback, light imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

from probeta.cli.main import COMMANDS, GROUPS

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


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_shows_an_example(name: str) -> None:
    done = run(name, "--help")
    assert done.returncode == 0, done.stderr
    assert f"probeta {name}" in done.stdout.split("Options")[0].replace("Usage", "", 1)


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
