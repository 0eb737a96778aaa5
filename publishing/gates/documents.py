"""Gate 7: Croissant read record by record, CFF by its schema, and every number of the documents made anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from probeta.errors import Fault
from probeta.publishing.gates.croissant import NAME as CROISSANT
from probeta.publishing.gates.croissant import check_croissant
from probeta.publishing.gates.header import CARD
from probeta.publishing.gates.result import Result
from probeta.publishing.gates.subject import Subject
from probeta.publishing.regions import is_edited, without_hand_text
from probeta.publishing.vocabularies import read


def check_documents(subject: Subject) -> Result:
    """croissant.json, CITATION.cff, and for a built set all documents against its facts."""
    if subject.folder is None:
        return Result(reason="there is only a card")
    faults: list[Fault] = []
    notes: list[Fault] = []
    seen = subject.recipe is not None
    if (subject.folder / CROISSANT).is_file():
        seen = True
        read = check_croissant(subject.folder)
        faults += read.faults
        notes += read.notes
    if (subject.folder / "CITATION.cff").is_file():
        seen = True
        faults += cff_faults(subject.folder / "CITATION.cff")
    if subject.recipe is not None:
        faults += derived_faults(subject)
    reason = None if seen else "there is no croissant.json and no CITATION.cff"
    return Result(faults=faults, notes=notes, reason=reason)


def derived_faults(subject: Subject) -> Iterator[Fault]:
    """Documents of a built set that are not what its reports and its recipe give."""
    from probeta.publishing.documents import documents

    folder, recipe = subject.folder, subject.recipe
    assert folder is not None and recipe is not None
    try:
        made = documents(folder, recipe)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        # A report that somebody changed has any shape, and breaks whatever reads it.
        yield Fault(
            code="reports",
            message=f"no documents can be made of the reports: {error!r}",
            file="reports",
            fix="build the set again",
        )
        return
    for name, text in made.items():
        path = folder / name
        if not path.is_file():
            yield Fault(
                code="document_missing",
                message="a document of the set is missing",
                file=name,
                fix="build the set again",
            )
            continue
        found = path.read_bytes().decode("utf-8", "replace")
        if name.startswith("README"):
            found, text = without_hand_text(found.replace("\r\n", "\n")), without_hand_text(text)
        if found != text:
            yield _difference(name, text, found)


def _difference(name: str, expected: str, found: str) -> Fault:
    ours, theirs = expected.splitlines(), found.splitlines()
    row = next(
        (n for n, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other),
        min(len(ours), len(theirs)),
    )
    edited = name.startswith(CARD[:6]) and is_edited(found)
    return Fault(
        code="document_differs",
        message="the document is not what the reports and the recipe give",
        file=name,
        row=row + 1,
        expected=ours[row][:120] if row < len(ours) else "the end",
        found=theirs[row][:120] if row < len(theirs) else "the end",
        fix="move your text between the markers `<!-- yours: … -->`" if edited else "build the set again",
    )


def cff_faults(path: Path) -> Iterator[Fault]:
    """CITATION.cff against the schema of its format."""
    import jsonschema
    import yaml

    try:
        value = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        yield Fault(code="cff", message=f"it cannot be read: {error}", file=path.name)
        return
    # The format's schema wants numbers where YAML without types has texts.
    value = _with_numbers(value)
    for problem in jsonschema.Draft7Validator(read("cff-1.2.0")).iter_errors(value):
        yield Fault(
            code="cff",
            message=problem.message[:200],
            file=path.name,
            column=".".join(map(str, problem.absolute_path)) or None,
        )


def _with_numbers(value: Any, key: str = "") -> Any:
    if isinstance(value, Mapping):
        return {name: _with_numbers(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with_numbers(inner) for inner in value]
    if key in ("year", "month", "issue-date", "volume", "number", "start", "end") and str(value).isdigit():
        return int(value)
    return value
