"""What is held back stands in no file that would be published, and single annotations have consent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from probeta import builtset
from probeta.errors import Fault
from probeta.publishing.gates.result import Result
from probeta.publishing.gates.subject import Subject
from probeta.publishing.leaks import CLOSED, Leaks, example_texts


def check_held_back(subject: Subject) -> Result:
    """Texts of ``private/`` in the files that would be published, and annotations without consent."""
    folder = subject.folder
    if folder is None:
        return Result(reason="there is only a card")
    faults = list(_consent_faults(subject))
    private = sorted((folder / builtset.PRIVATE).rglob("*.parquet"))
    if not private and not faults:
        return Result(reason=None if "annotations" in subject.configs else "nothing is held back")
    return Result(faults=[*faults, *_leaks(folder, private)])


def _consent_faults(subject: Subject) -> Iterator[Fault]:
    if "annotations" not in subject.configs or subject.recipe is None or subject.folder is None:
        return
    report = "reports/adjudication.json"
    recorded = None
    if (subject.folder / report).is_file():
        recorded = builtset.record(subject.folder, report).get("consent")
    if not recorded and not subject.recipe.card.campaign.consent:
        yield Fault(
            code="consent",
            message="single annotations are in the set, but the annotators' consent is not recorded",
            file="annotations",
            fix="say it with `probeta adjudicate --into … --consent`, or remove the config",
        )


def _leaks(folder: Path, private: list[Path]) -> Iterator[Fault]:
    held_back = Leaks(text for path in private for text in example_texts(path))
    if not held_back:
        return
    for path in public_files(folder):
        try:
            leaked = sorted(held_back.in_file(path))
        except CLOSED as error:
            yield Fault(
                code="held_back_unread",
                message=f"whether it holds what is held back cannot be seen: {error}",
                file=path.relative_to(folder).as_posix(),
                fix="put a file there that opens, or leave it out",
            )
            continue
        if leaked:
            count = "1 text" if len(leaked) == 1 else f"{len(leaked)} texts"
            yield Fault(
                code="held_back",
                message=f"{count} of what is held back would be published in this file",
                file=path.relative_to(folder).as_posix(),
                found=leaked[0][:80],
                fix="remove it from the file, or do not hold it back",
            )


def public_files(folder: Path) -> list[Path]:
    """The files of a folder that are published: not what is held back, hidden by Git or left by programs."""
    found = []
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not _left_out(parts):
            found.append(path)
    return found


def _left_out(parts: tuple[str, ...]) -> bool:
    return (
        parts[0] in (builtset.PRIVATE, ".git", ".cache") or "__pycache__" in parts or parts[-1] == ".DS_Store"
    )
