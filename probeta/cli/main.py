"""The ``probeta`` program: commands are found by name and imported when they are called.

So ``probeta --help`` needs no heavy library: it prints the table below, and a command's module is
imported only for its own help or run.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
from typing import NamedTuple, NoReturn

from probeta import __version__
from probeta.cli.output import system_errors


class Command(NamedTuple):
    """Where a command lives and what it does, in one line."""

    module: str
    summary: str
    group: str


#: name -> module with a typer ``app``; the order is the order of the loop.
COMMANDS: dict[str, Command] = {
    "build": Command("build", "Build a test set from a recipe", "author"),
    "perturb": Command("perturb", "Perturb sentences: casing, quotation marks and more", "author"),
    "attributes": Command("attributes", "Label spans with their automatic attributes", "author"),
    "convert": Command("convert", "Convert annotated sentences between formats", "author"),
    "new": Command("new", "Start a recipe of your own", "author"),
    "coverage": Command("coverage", "Show a recipe's grid: filled, empty and over-full cells", "author"),
    "schema": Command("schema", "Print the JSON Schema of probeta.yaml or protocol.yaml", "author"),
    "check": Command("check", "Prove a built set sound", "check"),
    "artifacts": Command("artifacts", "What a model can guess from half of a pair", "check"),
    "agree": Command("agree", "Agreement between annotators, with intervals and reasons", "check"),
    "adjudicate": Command("adjudicate", "From annotations to gold: votes, keep rule, ledger", "check"),
    "campaign": Command(
        "campaign", "Annotate in Label Studio: init, serve, push, assign, status, pull", "annotate"
    ),
    "score": Command("score", "Score systems under a named protocol, by any attribute", "evaluate"),
    "predict": Command("predict", "Predict recall on an outside corpus from recall per cell", "evaluate"),
    "publish": Command("publish", "Publish a data set: gates, one commit, tag, load-back", "publish"),
    "lint": Command("lint", "Find what would break a data set on the Hub, offline", "publish"),
}

GROUPS = {
    "author": "Author and build",
    "check": "Check and validate",
    "annotate": "Annotate",
    "evaluate": "Score and predict",
    "publish": "Publish",
}


def overview() -> str:
    """What ``probeta --help`` prints."""
    width = max(map(len, COMMANDS))
    lines = [
        "Usage: probeta COMMAND [ARGS]...",
        "",
        "Build, annotate, validate, score and publish diagnostic test sets.",
    ]
    for group, title in GROUPS.items():
        members = [(name, command) for name, command in COMMANDS.items() if command.group == group]
        if members:
            lines += ["", f"{title}:"]
            lines += [f"  {name:<{width}}  {command.summary}" for name, command in members]
    lines += [
        "",
        "Options:",
        "  --help     This text; after a command: its options, with an example.",
        "  --version  The version.",
        "",
        "Example: probeta build blas --out out/blas",
    ]
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> None:
    """Run the program with ``argv`` (``sys.argv[1:]`` by default) and exit."""
    arguments = sys.argv[1:] if argv is None else argv
    if not arguments or arguments[0] in ("--help", "-h", "help"):
        with system_errors():
            print(overview())
        sys.exit(0 if arguments else 2)
    if arguments[0] == "--version":
        print(f"probeta {__version__}")
        sys.exit(0)
    name = arguments[0]
    if name not in COMMANDS:
        from probeta.errors import nearest

        hint = nearest(name, COMMANDS)
        meant = f"; did you mean `probeta {hint}`?" if hint else "; `probeta --help` lists the commands"
        print(f"probeta: there is no command {name!r}{meant}", file=sys.stderr)
        sys.exit(2)
    _end_cleanly_on_sigterm()
    try:
        from probeta.cli.common import run

        app = importlib.import_module(f"probeta.cli.{COMMANDS[name].module}").app
        run(app, arguments=arguments[1:], program=f"probeta {name}")
    except KeyboardInterrupt:
        print("probeta: interrupted", file=sys.stderr)
        sys.exit(130)


def _end_cleanly_on_sigterm() -> None:
    """A run that is told to end removes what it has half written; its workers end at once, as ever."""

    def end(number: int, _frame: object) -> NoReturn:
        sys.exit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        return
    signal.signal(signal.SIGTERM, end)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))


if __name__ == "__main__":
    main()
