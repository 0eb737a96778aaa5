"""What a command prints on stdout, and what is said when the system refuses to take or give something."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any


@contextmanager
def system_errors(*, as_json: bool = False) -> Iterator[None]:
    """Exit with one sentence where the system refuses: a file that may not be read, a full disk, a lost reader.

    What was printed is written out inside, so that it is told here and not when Python ends.
    """
    try:
        yield
        _flush()
    except BrokenPipeError:
        # `| head` has what it wants.
        _discard()
        sys.exit(0)
    except OSError as error:
        place = "" if error.filename is None else f"{error.filename}: "
        message = f"{place}{error.strerror or error}"
        print(f"probeta: {message}", file=sys.stderr)
        try:
            if as_json:
                print_json({"error": message})
            _flush()
        except OSError:
            _discard()
        sys.exit(2)


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _discard() -> None:
    """Let what is still printed go nowhere, so that Python does not complain of it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object on stdout; NaN is a programming error, never output.

    Where stdout cannot write a character (a lone surrogate, an old locale), JSON's own escapes stand for it.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2, allow_nan=False)
    print(text)
