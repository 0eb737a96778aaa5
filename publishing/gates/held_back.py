"""What is held back stands in no file that would be published, and single annotations have consent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from probeta import builtset
from probeta.errors import Fault
from probeta.publishing.gates.result import Result
from probeta.publishing.gates.subject import Subject

#: A text that is shorter may stand elsewhere by chance.
LONG_ENOUGH = 20


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
    texts = {text for path in private for text in texts_of(path)}
    if not texts:
        return
    for path in public_files(folder):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".parquet":
            leaked = sorted(texts & texts_of(path))
        else:
            content = path.read_text(encoding="utf-8", errors="replace")
            leaked = sorted(text for text in texts if text in content)
        if leaked:
            yield Fault(
                code="held_back",
                message=f"{len(leaked)} texts of the split that is held back stand in a file to be published",
                file=name,
                found=leaked[0][:80],
                fix="remove them, or do not hold the split back",
            )


def texts_of(path: Path) -> set[str]:
    """The texts of a Parquet file that are long enough to be known again."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    found: set[str] = set()
    for batch in pq.ParquetFile(path).iter_batches():
        for column in batch.columns:
            if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
                found |= {
                    text
                    for text in column.unique().to_pylist()
                    if text and len(text) >= LONG_ENOUGH and " " in text
                }
    return found


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
