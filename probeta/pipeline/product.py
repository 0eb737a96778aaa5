"""What the makers of a build take and give, whatever the kind of recipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from probeta.errors import UsageError
from probeta.publishing.folder import ConfigTables


@dataclass(frozen=True, kw_only=True)
class Options:
    """A build's options, None or empty where not given; ``OPTION_KINDS`` tells which kind of recipe reads which."""

    seed: int
    per_cell: int | None = None
    corpus: tuple[Path, ...] = ()
    #: The names of a tagged corpus's tags, in the order of their numbers.
    labels: tuple[str, ...] = ()
    workers: int | None = None
    executor: str | None = None
    #: Where a maker may keep what a run that was cut off goes on from; it is removed when the set is written.
    work: Path | None = None


#: What recipes of a kind are.
KINDS: Mapping[str, str] = {
    "spans": "made of sentences and templates",
    "tagged": "read from a tagged corpus",
    "pairs": "mined from documents",
}
#: The kinds of recipe that an option concerns; one that is not here concerns all.
OPTION_KINDS: Mapping[str, Sequence[str]] = {
    "per_cell": ["spans"],
    "corpus": ["tagged", "pairs"],
    "labels": ["tagged"],
    "workers": ["pairs"],
    "executor": ["pairs"],
}


def refuse_foreign(options: Options, *, kind: str, name: str) -> None:
    """Raise a UsageError for every option that was given and does not concern the recipe's ``kind``."""
    foreign = [
        f"--{option.replace('_', '-')} is for recipes that are {' or '.join(KINDS[one] for one in kinds)}"
        for option, kinds in OPTION_KINDS.items()
        if kind not in kinds and getattr(options, option) not in (None, ())
    ]
    if foreign:
        raise UsageError(f"{name} is {KINDS[kind]}; {'; '.join(foreign)}")


@dataclass(frozen=True, kw_only=True)
class Product:
    """The tables and reports of a test set; the first config is the default one."""

    configs: Sequence[ConfigTables]
    reports: Mapping[str, Mapping[str, Any]]
    counts: Mapping[str, Any]
    signature: str
    #: Further files, by their path in the folder.
    texts: Mapping[str, str | bytes] = field(default_factory=dict)
    #: What the user must hear, besides that the set was built.
    warnings: Sequence[str] = ()
    #: What ``build/build.json`` says of the inputs.
    provenance: Mapping[str, Any] = field(default_factory=dict)
    #: Options of the command that makes the set again.
    command: Sequence[str] = ()
    #: Called when the set stands.
    done: Callable[[], None] = lambda: None
