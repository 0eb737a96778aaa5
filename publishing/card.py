"""The dataset card: YAML header and Markdown, made from what stands in the folder.

Every number of the card is read from ``reports/*.json`` or from the Parquet files; the facts that no
file can know (licence, authors, limits) come from the recipe's ``card`` section. A fact that nobody
recorded is left out, never a placeholder.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import builtset

if TYPE_CHECKING:
    from probeta.recipe import Recipe


def card(folder: Path, recipe: Recipe, *, default_config: str) -> str:
    """The text of ``README.md`` for the set that stands in ``folder``."""
    import pyarrow.parquet as pq

    shards = sorted((folder / default_config).glob("*.parquet"))
    rows = sum(pq.read_metadata(path).num_rows for path in shards)
    facts = {
        "pretty_name": recipe.title,
        "language": [recipe.language],
        "license": recipe.card.licence,
        "size_categories": [size_category(rows)],
    }
    record = json.loads((folder / "build" / "build.json").read_text(encoding="utf-8"))
    body = render(folder, f"{recipe.kind}.md.j2", {"recipe": recipe, "build": record})
    return f"{header(folder, facts, default_config=default_config)}\n{body}"


def header(folder: Path, facts: Mapping[str, Any], *, default_config: str) -> str:
    """The YAML header: the facts that the Hub reads, the configs with their files, the declared features."""
    import pyarrow.parquet as pq
    from datasets import DatasetInfo, Features, SplitDict, SplitInfo
    from datasets.info import DatasetInfosDict
    from datasets.utils.metadata import MetadataConfigs
    from huggingface_hub import DatasetCardData

    infos, configs = {}, {}
    for config, splits in builtset.configs(folder).items():
        split_infos, data_files, download = SplitDict(), [], 0
        for split in splits:
            path = folder / config / f"{split}-00000-of-00001.parquet"
            meta = pq.read_metadata(path)
            groups = range(meta.num_row_groups)
            size = sum(meta.row_group(group).total_byte_size for group in groups)
            split_infos.add(SplitInfo(split, num_bytes=size, num_examples=meta.num_rows))
            data_files.append({"split": split, "path": f"{config}/{split}-*"})
            download += path.stat().st_size
        features = Features.from_arrow_schema(pq.read_schema(path))
        infos[config] = DatasetInfo(
            features=features,
            splits=split_infos,
            download_size=download,
            dataset_size=sum(info.num_bytes for info in split_infos.values()),
            config_name=config,
        )
        configs[config] = {"data_files": data_files} | ({"default": True} if config == default_config else {})
    data = DatasetCardData(**facts)
    DatasetInfosDict(infos).to_dataset_card_data(data)
    MetadataConfigs(configs).to_dataset_card_data(data)
    return f"---\n{data.to_yaml()}\n---\n"


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


def render(folder: Path, template: str, context: Mapping[str, Any]) -> str:
    """Fill ``templates/card/<template>`` with the reports and the context."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("probeta.templates", "card"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Markdown; texts are quoted as JSON where they could break it.
    )
    environment.filters["cell"] = table_cell
    environment.filters["percent"] = lambda rate: f"{100 * rate:.1f} %"
    return environment.get_template(template).render(reports=reports(folder), **context)


def reports(folder: Path) -> dict[str, Any]:
    """Every report of the folder, by name."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((folder / "reports").glob("*.json"))
    }


def table_cell(value: object) -> str:
    """A value inside a Markdown table: bars and line breaks would end the cell."""
    return str(value).replace("|", "\\|").replace("\n", " ")
