"""The one error family: a fault in the data, a wrong use, a missing prerequisite.

Every message says where, what was expected and what was found, so that a user can act on it without a
traceback. Commands turn these into exit codes (``probeta.cli.common``).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault in the data, with its address.

    ``code`` is a stable snake_case name; ``row`` counts data rows or lines from 1 as a person sees them
    (for tables: the line of the file); ``expected``, ``found`` and ``fix`` complete the message.
    """

    code: str
    message: str
    file: str | None = None
    row: int | str | None = None
    column: str | None = None
    expected: str | None = None
    found: str | None = None
    fix: str | None = None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.row) if part is not None)
        if self.column is not None:
            place = f"{place} [{self.column}]" if place else f"[{self.column}]"
        text = f"{place}: {self.message}" if place else self.message
        details = [
            f"{name} {value}"
            for name, value in (("expected", self.expected), ("found", self.found), ("fix:", self.fix))
            if value is not None
        ]
        return f"{text} ({'; '.join(details)})" if details else text

    def to_json(self) -> dict[str, object]:
        """The fault as a mapping with every key, undefined ones null."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


class ProbetaError(Exception):
    """Base of every error that a user is meant to read; ``exit_code`` is what a command returns."""

    exit_code = 2


class DataError(ProbetaError):
    """The data has faults; all of them are in ``faults``, none was repaired, nothing was written."""

    exit_code = 1

    def __init__(self, faults: Fault | Iterable[Fault]) -> None:
        self.faults: Sequence[Fault] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class UsageError(ProbetaError):
    """The call's words or options are wrong."""


class PrerequisiteError(ProbetaError):
    """Something that the call needs is not installed or not running; ``fix`` is the command that helps."""

    def __init__(self, message: str, *, fix: str) -> None:
        self.fix = fix
        super().__init__(f"{message}; {fix}")


def extra(name: str) -> str:
    """The command that adds an extra of the project to its environment, for ``PrerequisiteError.fix``."""
    return f"in the project's folder: python -m pip install --editable '.[{name}]'"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that ``word`` was most likely meant to be, or None.

    >>> nearest("casng", ["casing", "quotes"])
    'casing'
    """
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return found[0] if found else None


def one_of(word: str, known: Iterable[str], *, what: str) -> str:
    """Return ``word`` if it is known, else raise a UsageError that names the nearest right one.

    >>> one_of("upper", ["lower", "upper"], what="casing")
    'upper'
    """
    names = list(known)
    if word in names:
        return word
    hint = nearest(word, names)
    meant = f"; did you mean {hint}?" if hint else ""
    raise UsageError(f"unknown {what} {word!r}: expected one of {', '.join(names)}{meant}")
