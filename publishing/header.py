"""The YAML header of the card: what the Hub and ``load_dataset`` read of a data set."""

from __future__ import annotations

import itertools
from typing import Any

from probeta.publishing.facts import Config, Facts


def header(facts: Facts) -> str:
    """The header between its lines of dashes: facts, then configs with their files, then declared features."""
    from datasets import DatasetInfo, SplitDict, SplitInfo
    from datasets.info import DatasetInfosDict
    from datasets.utils.metadata import MetadataConfigs
    from huggingface_hub import DatasetCardData

    infos, configs = {}, {}
    for config in facts.configs:
        splits = SplitDict()
        for split in config.splits:
            splits.add(SplitInfo(split.name, num_bytes=split.table_bytes, num_examples=split.rows))
        infos[config.name] = DatasetInfo(
            features=config.features,
            splits=splits,
            download_size=sum(split.file_bytes for split in config.splits),
            dataset_size=sum(split.table_bytes for split in config.splits),
            config_name=config.name,
        )
        files = [{"split": split.name, "path": f"{config.name}/{split.name}-*"} for split in config.splits]
        configs[config.name] = {
            "data_files": files,
            **({"default": True} if config.name == facts.default_config else {}),
        }
    data = DatasetCardData(**described(facts))
    DatasetInfosDict(infos).to_dataset_card_data(data)
    MetadataConfigs(configs).to_dataset_card_data(data)
    return f"---\n{data.to_yaml()}\n---\n"


def described(facts: Facts) -> dict[str, Any]:
    """The keys of the header besides ``configs`` and ``dataset_info``; what is not known is left out."""
    card, recipe = facts.card, facts.recipe
    categories, ids = facts.tasks
    default = facts.config(facts.default_config)
    found: dict[str, Any] = {
        "pretty_name": recipe.title,
        "language": [recipe.language.split("-")[0]],
        "language_details": list(card.varieties) or ([recipe.language] if "-" in recipe.language else []),
        "license": card.licence,
        "task_categories": categories,
        "task_ids": ids,
        "size_categories": [size_category(default.rows)] if default else [],
        "annotations_creators": list(card.annotations_creators),
        "language_creators": list(card.language_creators),
        "source_datasets": list(card.source_datasets),
        "tags": facts.keywords,
    }
    if card.licence == "other":
        found |= {"license_name": card.licence_name, "license_link": "LICENSE"}
    if card.gating:
        found["extra_gated_prompt"] = card.gating.prompt
        found["extra_gated_fields"] = {
            name: kind if isinstance(kind, str) else kind.model_dump()
            for name, kind in card.gating.fields.items()
        }
    return {key: value for key, value in found.items() if value}


def size_category(rows: int) -> str:
    """The Hub's word for a number of rows.

    >>> size_category(1836), size_category(999), size_category(5_000_000)
    ('1K<n<10K', 'n<1K', '1M<n<10M')
    """
    if rows < 1_000:
        return "n<1K"
    names = ["1K", "10K", "100K", "1M", "10M", "100M", "1B", "10B", "100B", "1T"]
    for step, (low, high) in enumerate(itertools.pairwise(names)):
        if rows < 10 ** (step + 4):
            return f"{low}<n<{high}"
    return "n>1T"


def load_line(config: Config, place: str) -> str:
    """The line of Python that loads a config from ``place``, a folder or a repository."""
    split = f', split="{config.splits[0].name}"' if len(config.splits) == 1 else ""
    return f'{config.name} = load_dataset("{place}", "{config.name}"{split})'
