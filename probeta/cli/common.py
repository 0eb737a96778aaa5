"""What every command shares: ``--json``, exit codes, and one clear message instead of a traceback."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from probeta.errors import DataError, Fault, ProbetaError

#: More faults than this are counted, not printed: the first ones are what a person mends.
SHOWN_FAULTS = 50

Json = Annotated[bool, typer.Option("--json", help="Print one machine-readable object on stdout.")]


def command_app() -> typer.Typer:
    """An application for one command; plain help, so that docstrings and examples print as written."""
    return typer.Typer(add_completion=False, rich_markup_mode=None)


@contextmanager
def reported(*, as_json: bool = False) -> Iterator[None]:
    """Turn errors that a user is meant to read into a message on stderr and the design's exit codes."""
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
    except BrokenPipeError:
        # The reader of our output went away (`| head`): silence the interpreter's own complaint at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None


def fault_counts(faults: Any) -> dict[str, int]:
    """How many faults there are of each code, by name."""
    counts: dict[str, int] = {}
    for fault in faults:
        counts[fault.code] = counts.get(fault.code, 0) + 1
    return dict(sorted(counts.items()))


def print_faults(faults: Any) -> None:
    """The faults on stderr, a line each, and their number."""
    for fault in faults[:SHOWN_FAULTS]:
        print(fault, file=sys.stderr)
    more = len(faults) - SHOWN_FAULTS
    if more > 0:
        print(f"... and {more} more", file=sys.stderr)
    print(f"probeta: {len(faults)} fault{'s' if len(faults) != 1 else ''}", file=sys.stderr)


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object on stdout; NaN is a programming error, never output."""
    print(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def print_listed(title: str, faults: Sequence[Fault]) -> None:
    """What a person should know though the command did its work, on stderr, a line each."""
    for fault in faults[:SHOWN_FAULTS]:
        print(f"{title}: {fault}", file=sys.stderr)
    if len(faults) > SHOWN_FAULTS:
        print(f"{title}: ... and {len(faults) - SHOWN_FAULTS} more (--json has all)", file=sys.stderr)
