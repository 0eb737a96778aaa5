"""The facts of a built set, gathered once; every document of the folder is made from them.

They come from the recipe, the reports, the record of the build and the Parquet files. So the YAML header,
the card, Croissant, CITATION.cff, Zenodo, BibTeX and the Data Statement agree by construction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import builtset
from probeta.canary import canary
from probeta.publishing.vocabularies import Licence, licences
from probeta.recipe.card import Card

if TYPE_CHECKING:
    import datasets

    from probeta.recipe import Recipe

#: Kind of recipe -> the Hub's words for its task, where the recipe names none.
TASKS: Mapping[str, tuple[list[str], list[str]]] = {
    "spans": (["token-classification"], ["named-entity-recognition"]),
    "tagged": (["token-classification"], ["named-entity-recognition"]),
    "pairs": (["text-classification"], ["natural-language-inference"]),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitFile:
    """A split of a config: its one Parquet file below the folder, rows, and sizes in bytes."""

    name: str
    path: str
    rows: int
    file_bytes: int
    table_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A config: its declared features and its splits."""

    name: str
    features: datasets.Features
    splits: Sequence[SplitFile]

    @property
    def rows(self) -> int:
        """Rows in all splits."""
        return sum(split.rows for split in self.splits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known about a built set."""

    folder: Path
    recipe: Recipe
    configs: Sequence[Config]
    default_config: str
    reports: Mapping[str, Any]
    build: Mapping[str, Any]
    repository: str | None = None

    @property
    def card(self) -> Card:
        """The recipe's section ``card``."""
        return self.recipe.card

    @property
    def licence(self) -> Licence:
        """The licence; one that the Hub does not know is named after the recipe's words."""
        found = licences().get(self.card.licence) or Licence(self.card.licence, None, None)
        return found._replace(name=self.card.licence_name or found.name)

    @property
    def canary(self) -> str:
        """The string that should never turn up in training data."""
        return canary(self.recipe.name, self.recipe.version)

    @property
    def year(self) -> int:
        """The year of the set's date."""
        return self.recipe.date.year

    @property
    def tasks(self) -> tuple[list[str], list[str]]:
        """The Hub's task categories and task ids."""
        categories, ids = TASKS[self.recipe.kind]
        return (
            list(self.card.task_categories) or categories,
            list(self.card.task_ids) or ([] if self.card.task_categories else ids),
        )

    @property
    def keywords(self) -> list[str]:
        """The recipe's keywords after two that hold for every set; in the header they are tags."""
        return list(dict.fromkeys(["diagnostic test set", "probeta", *self.card.keywords]))

    @property
    def url(self) -> str | None:
        """Where the set is published, as far as the recipe or a push says."""
        if self.card.url or not self.repository:
            return self.card.url
        return f"https://huggingface.co/datasets/{self.repository}"

    def config(self, name: str) -> Config | None:
        """A config by name."""
        return next((config for config in self.configs if config.name == name), None)


def gather(folder: Path, recipe: Recipe, *, repository: str | None = None) -> Facts:
    """Read the facts of the set in ``folder``, whose data, reports and ``build/`` are written.

    ``repository`` is where it is about to be published; by default where it was, or where the recipe says.
    """
    build = builtset.record(folder, builtset.BUILD)
    reports = {
        path.stem: builtset.record(folder, f"reports/{path.name}")
        for path in sorted((folder / "reports").glob("*.json"))
    }
    configs = read_configs(folder)
    default = build.get("default_config") or configs[0].name
    configs.sort(key=lambda config: (config.name != default, config.name))
    return Facts(
        folder=folder,
        recipe=recipe,
        configs=configs,
        default_config=default,
        reports=reports,
        build=build,
        repository=repository or repository_of(folder, recipe),
    )


def repository_of(folder: Path, recipe: Recipe) -> str | None:
    """ORG/NAME that the documents of the set name: where it was pushed to last, else what the recipe says."""
    if (folder / builtset.PUBLISHED).is_file():
        return str(builtset.record(folder, builtset.PUBLISHED, keys=("repository",))["repository"])
    return recipe.card.repository


def read_configs(folder: Path) -> list[Config]:
    """The configs of a built set with their sizes, from the footers of the Parquet files."""
    import pyarrow.parquet as pq
    from datasets import Features

    found = []
    for name, splits in builtset.configs(folder).items():
        files = []
        for split in sorted(splits, key=split_order):
            path = folder / name / f"{split}-00000-of-00001.parquet"
            with builtset.readable(f"{name}/{path.name}"):
                meta = pq.read_metadata(path)
                features = Features.from_arrow_schema(pq.read_schema(path))
            files.append(
                SplitFile(
                    name=split,
                    path=path.relative_to(folder).as_posix(),
                    rows=meta.num_rows,
                    file_bytes=path.stat().st_size,
                    table_bytes=sum(
                        meta.row_group(group).total_byte_size for group in range(meta.num_row_groups)
                    ),
                )
            )
        found.append(Config(name=name, features=features, splits=files))
    return found


def split_order(name: str) -> tuple[int, str]:
    """Train before validation before test, others after them by name."""
    usual = ("train", "validation", "test")
    return (usual.index(name) if name in usual else len(usual), name)
