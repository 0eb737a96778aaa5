"""``annotators.csv``: pseudonyms of people, known by their e-mail address, whose hash alone is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from probeta.errors import DataError, Fault, UsageError
from probeta.hashing import text_hash
from probeta.tables import decode_utf8, read_table, write_table

_COLUMNS = ("annotator", "email_hash", "user", "status")

#: ``active``: has a part of the items; ``left``: had one; ``guest``: answered without being asked.
STATUSES = ("active", "left", "guest")


@dataclass(frozen=True, slots=True)
class Annotator:
    """A person: ``user`` is the number on the server, None until the person has signed up."""

    name: str
    email_hash: str
    user: int | None = None
    status: str = "active"


def email_hash(campaign: str, email: str) -> str:
    """What stands for an address: enough to know it again, keyed by the campaign."""
    return text_hash(campaign, email.strip().lower())


def user_of(value: object) -> int | None:
    """The number of a person, which is a number, an account or null by endpoint and release."""
    if isinstance(value, dict):
        value = value.get("id")
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def read(path: Path) -> list[Annotator]:
    """The annotators in their order; none where there is no file."""
    if not path.is_file():
        return []
    found, faults = [], []
    names: set[str] = set()
    hashes: set[str] = set()
    for row in read_table(path, required=_COLUMNS, name=path.name):
        if row["status"] not in STATUSES:
            expected = ", ".join(STATUSES)
            faults.append(
                Fault(
                    code="status", message="unknown status", file=path.name, row=row.line, expected=expected
                )
            )
        for column, known in (("annotator", names), ("email_hash", hashes)):
            if not row[column].strip() or row[column] in known:
                message = "it stands twice" if row[column] in known else "it is missing"
                faults.append(
                    Fault(
                        code="annotator",
                        message=message,
                        file=path.name,
                        row=row.line,
                        column=column,
                        found=row[column] or None,
                    )
                )
            known.add(row[column])
        if row["user"] and not (row["user"].isascii() and row["user"].isdigit()):
            message = "this is no number of an account"
            faults.append(
                Fault(code="user", message=message, file=path.name, row=row.line, found=row["user"])
            )
            continue
        user = int(row["user"]) if row["user"] else None
        found.append(Annotator(row["annotator"], row["email_hash"], user, row["status"]))
    if faults:
        raise DataError(faults)
    return found


def write(path: Path, annotators: Sequence[Annotator]) -> None:
    """Write ``annotators.csv``."""
    rows = [
        {"annotator": one.name, "email_hash": one.email_hash, "user": one.user, "status": one.status}
        for one in annotators
    ]
    write_table(path, columns=_COLUMNS, rows=rows)


def read_emails(path: Path) -> list[str]:
    """Addresses from a table with a column ``email``, or from a text file with one a line."""
    if path.suffix.lower() in (".csv", ".tsv", ".xlsx"):
        listed = [(row.line, row["email"]) for row in read_table(path, required=("email",))]
    elif path.is_file():
        text = decode_utf8(path.read_bytes(), file=str(path))
        listed = list(enumerate(text.splitlines(), start=1))
    else:
        raise UsageError(f"no such file: {path}")
    listed = [(line, email) for line, email in listed if email.strip()]
    return checked_emails([email for _, email in listed], file=str(path), lines=[line for line, _ in listed])


def checked_emails(
    emails: Sequence[str], *, file: str | None = None, lines: Sequence[int] | None = None
) -> list[str]:
    """The addresses, trimmed and in lower case; doubled or impossible ones raise a DataError.

    ``file`` and ``lines`` say where they stand, if in a file.

    >>> checked_emails([" Ana@example.org"])
    ['ana@example.org']
    """
    found: list[str] = []
    faults = []
    for place, email in enumerate(address.strip().lower() for address in emails):
        line = None if lines is None else lines[place]
        if not re.fullmatch(r"[^@\s]+@[^@\s]+", email):
            message = "this is no e-mail address"
            faults.append(Fault(code="email", message=message, file=file, row=line, found=email))
        elif email in found:
            before = "" if lines is None else f", first in line {lines[found.index(email)]}"
            message = f"the address stands twice{before}"
            faults.append(Fault(code="email_twice", message=message, file=file, row=line, found=email))
        found.append(email)
    if faults:
        raise DataError(faults)
    return found


def enrol(
    annotators: Sequence[Annotator], hashes: Sequence[str], *, status: str = "active"
) -> list[Annotator]:
    """Add people who are not there yet, with the next pseudonyms; a guest who is now asked becomes active.

    >>> [one.name for one in enrol([], ["x", "y"])]
    ['a01', 'a02']
    """
    known = {one.email_hash: place for place, one in enumerate(annotators)}
    found = list(annotators)
    for hash in hashes:
        if hash not in known:
            known[hash] = len(found)
            found.append(Annotator(f"a{len(found) + 1:02d}", hash, status=status))
        elif found[known[hash]].status == "guest" and status == "active":
            found[known[hash]] = replace(found[known[hash]], status=status)
    return found
