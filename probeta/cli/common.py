"""What every command shares: ``--json``, exit codes, and one clear message instead of a traceback."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer

from probeta.cli.output import print_json as print_json
from probeta.cli.output import system_errors
from probeta.errors import DataError, Fault, ProbetaError

#: More faults of one kind than ``ALIKE`` are shown by the first few and the rows of the others.
ALIKE, SHOWN_ALIKE, SHOWN_ROWS = 5, 3, 8
#: More faults than this are counted, not printed: the first ones are what a person mends.
SHOWN_FAULTS = 50

Json = Annotated[bool, typer.Option("--json", help="Print one machine-readable object on stdout.")]


def command_app() -> typer.Typer:
    """An application for one command; plain help, so that docstrings and examples print as written."""
    return typer.Typer(add_completion=False, rich_markup_mode=None)


@contextmanager
def reported(*, as_json: bool = False) -> Iterator[None]:
    """Turn errors that a user is meant to read into a message on stderr and the design's exit codes."""
    with system_errors(as_json=as_json), _own_errors(as_json):
        yield


@contextmanager
def _own_errors(as_json: bool) -> Iterator[None]:
    try:
        yield
    except DataError as error:
        if as_json:
            print_json(
                {"faults": [fault.to_json() for fault in error.faults], "counts": fault_counts(error.faults)}
            )
        print_faults(error.faults)
        raise typer.Exit(error.exit_code) from None
    except ProbetaError as error:
        if as_json:
            print_json({"error": str(error)})
        print(f"probeta: {error}", file=sys.stderr)
        raise typer.Exit(error.exit_code) from None
    except KeyboardInterrupt:
        print("probeta: interrupted; nothing half-written was kept", file=sys.stderr)
        raise typer.Exit(130) from None


#: A call with wrong options or arguments: the class of typer's that all of these errors descend from.
_WrongCall: type[Any] = typer.BadParameter.__bases__[0]


def run(app: typer.Typer, *, arguments: Sequence[str], program: str) -> NoReturn:
    """Run a command's application and exit; a wrong call too is one message, and with ``--json`` an object."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # In an old locale a table has characters that it cannot write; stderr escapes them by itself.
        sys.stdout.reconfigure(errors="backslashreplace")
    as_json = "--json" in arguments
    with system_errors(as_json=as_json):
        try:
            code = app(args=list(arguments), prog_name=program, standalone_mode=False)
        except _WrongCall as error:
            error.show()
            if as_json:
                print_json({"error": error.format_message()})
            code = error.exit_code
    sys.exit(code or 0)


def shown_target(out: str) -> str:
    """The name that messages give to what was written.

    >>> shown_target("-"), shown_target("dev.jsonl")
    ('standard output', 'dev.jsonl')
    """
    return "standard output" if out == "-" else out


def fault_counts(faults: Any) -> dict[str, int]:
    """How many faults there are of each code, by name."""
    counts: dict[str, int] = {}
    for fault in faults:
        counts[fault.code] = counts.get(fault.code, 0) + 1
    return dict(sorted(counts.items()))


def print_faults(faults: Sequence[Fault]) -> None:
    """The faults on stderr, a line each, many alike as a few and where the others are; and their number."""
    alike: dict[Hashable, list[Fault]] = {}
    for fault in faults:
        alike.setdefault(_kind(fault), []).append(fault)
    lines: list[str] = []
    hidden = 0
    for some in alike.values():
        shown = some if len(some) <= ALIKE else some[:SHOWN_ALIKE]
        if len(lines) >= SHOWN_FAULTS:
            hidden += len(some)
            continue
        lines += map(str, shown)
        if others := some[len(shown) :]:
            lines.append(f"... and {len(others)} more like these{_places(others)}")
    for line in lines:
        print(line, file=sys.stderr)
    if hidden:
        print(f"... and {hidden} more", file=sys.stderr)
    print(f"probeta: {len(faults)} fault{'s' if len(faults) != 1 else ''}", file=sys.stderr)


def _kind(fault: Fault) -> Hashable:
    """What faults that differ only in their place, their numbers and what was found have in common."""
    return fault.code, fault.file, fault.column, fault.fix, re.sub(r"\d+|'[^']*'", "", fault.message)


def _places(faults: Sequence[Fault]) -> str:
    """Where some faults are: the first rows, and the last."""
    rows = [str(fault.row) for fault in faults if fault.row is not None]
    first = rows[:SHOWN_ROWS]
    last = rows[-1:] if len(rows) > SHOWN_ROWS else []
    return f", at {', '.join(first)}{''.join(f' … {row}' for row in last)}" if rows else ""


def print_listed(title: str, faults: Sequence[Fault]) -> None:
    """What a person should know though the command did its work, on stderr, a line each."""
    for fault in faults[:SHOWN_FAULTS]:
        print(f"{title}: {fault}", file=sys.stderr)
    if len(faults) > SHOWN_FAULTS:
        print(f"{title}: ... and {len(faults) - SHOWN_FAULTS} more (--json has all)", file=sys.stderr)
