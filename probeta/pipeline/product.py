"""What the makers of a build take and give, whatever the kind of recipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from probeta.publishing.folder import ConfigTables


@dataclass(frozen=True, kw_only=True)
class Options:
    """A build's options; each maker reads those that concern it and refuses those that do not."""

    seed: int
    per_cell: int | None = None
    corpus: tuple[Path, ...] = ()
    #: The names of a tagged corpus's tags, in the order of their numbers.
    labels: tuple[str, ...] = ()
    workers: int = 1
    executor: str = "processes"
    #: Where a maker may keep what a run that was cut off goes on from; it is removed when the set is written.
    work: Path | None = None


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
