"""The files of a tagged corpus: JSON, JSON lines or Parquet, as rows with the split that a file's name says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from probeta import lfs
from probeta.errors import DataError, Fault, UsageError
from probeta.jsontext import NotJson, parse
from probeta.recipe import TaggedRecipe
from probeta.tables import decode_utf8

_ENDINGS = (".json", ".jsonl", ".parquet")


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one file with their numbers from 1, and the tag names that the file itself gives."""

    file: str
    split: str
    rows: Sequence[Any]
    names: Sequence[str] | None


def read_files(paths: Sequence[Path], recipe: TaggedRecipe, faults: list[Fault]) -> Iterator[Rows]:
    """The rows of every file in ``paths``, of folders in the order of their names.

    What is wrong with a file goes to ``faults``. Raises a UsageError where nothing can be read.
    """
    listed: list[tuple[Path, str]] = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"no such file or folder: {path}")
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix in _ENDINGS and p.is_file())
            listed += [(p, p.relative_to(path).as_posix()) for p in inside]
        elif path.suffix in _ENDINGS:
            listed.append((path, path.name))
        else:
            raise UsageError(
                f"{path}: expected a file that ends in {', '.join(_ENDINGS)}, one row a sentence with its tokens"
                " and tags"
            )
    if not listed:
        raise UsageError(
            f"{', '.join(map(str, paths))}: expected files that end in {', '.join(_ENDINGS)}, found none"
        )
    splits = recipe.source.splits
    for path, shown in listed:
        split = next((splits[start] for start in splits if path.name.startswith(start)), None)
        if split is None:
            faults.append(
                Fault(
                    code="corpus_split",
                    message="the file's name does not say its split",
                    file=shown,
                    row=1,
                    expected=f"a name that begins with {', '.join(splits)}",
                    found=path.name,
                    fix="rename the file, or declare it in the recipe's source.splits",
                )
            )
            continue
        try:
            if lfs.is_pointer(path):
                raise DataError(_pointer(shown))
            names = None
            if path.suffix == ".parquet":
                rows, names = _parquet(path, shown, recipe)
            else:
                rows = _json(path, shown)
        except DataError as error:
            faults += error.faults
            continue
        yield Rows(shown, split, rows, names)


def _parquet(path: Path, shown: str, recipe: TaggedRecipe) -> tuple[list[Any], list[str] | None]:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from datasets import ClassLabel, Features, List
    from datasets import Sequence as Listed

    try:
        table = pq.read_table(path)
        features = Features.from_arrow_schema(table.schema)
    # What datasets notes in a file is JSON of its own, whose damage has no error of its own.
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, AttributeError):
        raise DataError(
            Fault(
                code="parquet",
                message="the file cannot be read as Parquet: it is damaged, cut off or something else",
                file=shown,
                row=1,
                expected="a Parquet file",
                found=f"{path.stat().st_size} bytes that begin with {_beginning(path, 12)!r}",
                fix="download the file again",
            )
        ) from None
    tags = features.get(recipe.source.columns.tags)
    inner = getattr(tags, "feature", None) if isinstance(tags, List | Listed) else None
    return table.to_pylist(), list(inner.names) if isinstance(inner, ClassLabel) else None


def _beginning(path: Path, size: int) -> bytes:
    with path.open("rb") as handle:
        return handle.read(size)


def _pointer(shown: str) -> Fault:
    return Fault(
        code="lfs_pointer",
        message="the file only points to the data",
        file=shown,
        row=1,
        expected="the data",
        found="a Git LFS pointer",
        fix="run `git lfs pull` in the corpus's repository",
    )


def _json(path: Path, shown: str) -> list[Any]:
    text = decode_utf8(path.read_bytes(), file=shown)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    # A document over several lines begins none but its first with a brace in the first column.
    if len(lines) > 1 and all(line.startswith("{") for _, line in lines[:2]):
        return _json_lines(lines, shown)
    try:
        whole = parse(text)
    except NotJson as error:
        raise DataError(_json_fault(error, text, shown, 1)) from None
    if isinstance(whole, dict):
        lists = [value for value in whole.values() if isinstance(value, list)]
        # Some releases wrap their rows: {"data": [...]}.
        whole = lists[0] if len(whole) == len(lists) == 1 else [whole]
    return whole if isinstance(whole, list) else [whole]


def _json_lines(lines: Sequence[tuple[int, str]], shown: str) -> list[Any]:
    rows, faults = [], []
    for number, line in lines:
        try:
            rows.append(parse(line))
        except NotJson as error:
            faults.append(_json_fault(error, line, shown, number))
    if faults:
        raise DataError(faults)
    return rows


def _json_fault(error: NotJson, text: str, shown: str, first: int) -> Fault:
    """``first`` is the line of the file in which ``text`` begins."""
    at = error.at or 0
    return Fault(
        code="json",
        message=f"the file cannot be read: {error}",
        file=shown,
        row=first + text.count("\n", 0, at),
        expected="a JSON list, or one JSON object a line",
        found=repr(text[max(0, at - 10) : at + 20]),
        fix="mend the place, or download the file again",
    )
