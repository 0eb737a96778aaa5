"""Which corpora are mined: the recipe's tables, the paths that a user gives, and what meets what.

A table's columns are ``corpus, genre, domain, licence, split`` (``all`` or ``test``), ``cap`` (balanced pairs
at most in each of validation and test) and ``path`` (below the recipe's folder, for corpora that it brings).
A path given by the user takes the row that bears its name, or ``NAME=PATH`` names the row; one that no row
knows takes its folder's or file's name, genre null.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from probeta.builders.pairs.readers import bare_name
from probeta.errors import DataError, Fault, UsageError, nearest
from probeta.tables import read_table

SPLIT_RULES = ("all", "test")


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus as declared; ``path`` is where it is on this machine."""

    name: str
    path: Path | None = None
    genre: str | None = None
    domain: str | None = None
    licence: str | None = None
    split: Literal["all", "test"] = "all"
    cap: int | None = None


def read_corpora(files: Sequence[tuple[Path, str]]) -> dict[str, Corpus]:
    """The rows of the tables by name; ``files`` are (path, name in messages)."""
    found: dict[str, Corpus] = {}
    faults: list[Fault] = []
    for path, shown in files:
        table = read_table(path, required=["corpus"], name=shown)
        for row in table:
            name, split, cap = (
                row["corpus"].strip(),
                row.get("split").strip() or "all",
                row.get("cap").strip(),
            )

            fault = partial(_fault, faults, table.file, row.line)
            if not name:
                fault("corpus_name", "the corpus has no name", "corpus")
                continue
            if name in found:
                fault("corpus_twice", f"the corpus {name} stands twice", "corpus")
            if split not in SPLIT_RULES:
                fault("corpus_split", f"unknown split rule {split!r}", "split", " or ".join(SPLIT_RULES))
                continue
            if cap and not cap.isdigit():
                fault("corpus_cap", f"the cap {cap!r} is no number", "cap", "a whole number, or empty")
                continue
            below = row.get("path").strip()
            found[name] = Corpus(
                name,
                path=path.parent / below if below else None,
                genre=row.get("genre").strip() or None,
                domain=row.get("domain").strip() or None,
                licence=row.get("licence").strip() or None,
                split="test" if split == "test" else "all",
                cap=int(cap) if cap else None,
            )
    if faults:
        raise DataError(faults)
    return found


def _fault(
    faults: list[Fault],
    file: str,
    line: int,
    code: str,
    message: str,
    column: str,
    expected: str | None = None,
) -> None:
    faults.append(Fault(code=code, message=message, file=file, row=line, column=column, expected=expected))


def chosen_corpora(declared: dict[str, Corpus], given: Sequence[str]) -> list[Corpus]:
    """The corpora to mine, sorted by name: those of ``given`` paths, or all that bring their own path.

    Raises a UsageError where a path is not there, is given twice, or two paths claim one corpus.
    """
    if not given:
        own = [corpus for corpus in declared.values() if corpus.path is not None]
        if not own:
            raise UsageError("the recipe brings no corpus of its own; give --corpus PATH")
        missing = [corpus for corpus in own if corpus.path is not None and not corpus.path.exists()]
        if missing:
            raise UsageError(
                f"the recipe's own corpus {missing[0].name} is not there ({missing[0].path}); give --corpus PATH"
            )
        return sorted(own, key=lambda corpus: corpus.name)
    chosen: dict[str, Corpus] = {}
    for word in given:
        name, path = _split_word(word, declared)
        if not path.exists():
            raise UsageError(f"no such file or folder: {path}")
        if name in chosen:
            raise UsageError(
                f"two paths are the corpus {name}: {chosen[name].path} and {path}; name one NAME=PATH"
            )
        row = declared.get(name, Corpus(name))
        chosen[name] = Corpus(name, path, row.genre, row.domain, row.licence, row.split, row.cap)
    return [chosen[name] for name in sorted(chosen)]


def _split_word(word: str, declared: dict[str, Corpus]) -> tuple[str, Path]:
    path = Path(word)
    if not path.exists() and "=" in word:
        name, _, rest = word.partition("=")
        if not name or not rest:
            raise UsageError(f"--corpus {word}: expected PATH or NAME=PATH")
        if name not in declared and (hint := nearest(name, declared)):
            raise UsageError(f"--corpus {word}: the recipe lists no corpus {name}; did you mean {hint}?")
        return name, Path(rest)
    return bare_name(path.absolute()), path
