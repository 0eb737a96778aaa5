"""What the makers of a build take and give, whatever the kind of recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from probeta.publishing.folder import ConfigTables


@dataclass(frozen=True, kw_only=True)
class Options:
    """A build's options; each maker reads those that concern it and refuses those that do not."""

    seed: int
    per_cell: int | None = None
    corpus: tuple[Path, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Product:
    """The tables and reports of a test set; the first config is the default one."""

    configs: Sequence[ConfigTables]
    reports: Mapping[str, Mapping[str, Any]]
    counts: Mapping[str, Any]
    signature: str
