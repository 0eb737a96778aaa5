"""Gate 7: Croissant read record by record, CFF by its schema, and every number of the documents made anew."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from probeta.errors import Fault
from probeta.hashing import file_sha256
from probeta.publishing.gates.header import CARD
from probeta.publishing.gates.result import Result
from probeta.publishing.gates.subject import Subject
from probeta.publishing.regions import is_edited, without_hand_text
from probeta.publishing.vocabularies import read

#: What version 1.1 of Croissant requires; mlcroissant passes over some of it in silence.
REQUIRED = ("name", "description", "url", "creator", "license", "datePublished", "version", "conformsTo")

#: A record set that is larger is read up to here; reading takes a millisecond a row.
READ = 20_000


def check_documents(subject: Subject) -> Result:
    """croissant.json, CITATION.cff, and for a built set all documents against its facts."""
    if subject.folder is None:
        return Result(reason="there is only a card")
    faults: list[Fault] = []
    seen = False
    for name, check in (("croissant.json", croissant_faults), ("CITATION.cff", cff_faults)):
        if (subject.folder / name).is_file():
            seen = True
            faults += check(subject.folder / name)
    if subject.recipe is not None:
        seen = True
        faults += derived_faults(subject)
    return Result(faults=faults, reason=None if seen else "there is no croissant.json and no CITATION.cff")


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


def croissant_faults(path: Path) -> Iterator[Fault]:
    """croissant.json: required keys, checksums, and every record set read."""
    name = path.name
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        yield Fault(code="croissant", message=f"it cannot be read: {error}", file=name)
        return
    if not isinstance(value, dict):
        yield Fault(code="croissant", message="it is no JSON object", file=name, expected="{…}")
        return
    for key in REQUIRED:
        if not value.get(key):
            yield Fault(
                code="croissant_key",
                message=f"{key} is missing, which the format requires",
                file=name,
                column=key,
            )
    broken = False
    for at, entry in enumerate(value.get("distribution") or ()):
        url = entry.get("contentUrl")
        if entry.get("@type") != "cr:FileObject" or not url or "://" in url:
            continue
        file = path.parent / url
        column = f"distribution[{at}]"
        if not file.is_file():
            broken = True
            yield Fault(code="croissant_file", message=f"{url} is not there", file=name, column=column)
        elif entry.get("sha256") and file_sha256(file) != entry["sha256"]:
            broken = True
            yield Fault(
                code="croissant_sha256",
                message=f"the checksum of {url} is another one",
                file=name,
                column=column,
                expected=file_sha256(file)[:12] + "…",
                found=entry["sha256"][:12] + "…",
            )
    if not broken:
        yield from _records(path)


def _records(path: Path) -> Iterator[Fault]:
    logging.getLogger("absl").setLevel(logging.ERROR)
    import mlcroissant

    try:
        dataset = mlcroissant.Dataset(jsonld=str(path))
    except Exception as error:  # mlcroissant raises several kinds
        yield Fault(code="croissant", message=str(error).replace("\n", " ")[:300], file=path.name)
        return
    for record_set in dataset.metadata.record_sets:
        try:
            for number, _ in enumerate(dataset.records(record_set.uuid), start=1):
                if number == READ:
                    break
        except Exception as error:  # as above
            yield Fault(
                code="croissant_records",
                message=f"the records of {record_set.uuid} cannot be read: "
                f"{type(error).__name__}: {str(error)[:200]}",
                file=path.name,
            )
