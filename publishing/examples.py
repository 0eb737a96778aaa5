"""A real row of every config, as the card shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from probeta.publishing.facts import Config

#: Texts and lists longer than this are cut in the card, with a mark.
LONG = 300
MANY = 40


def example(folder: Path, config: Config) -> str:
    """The first row of the config's last split as JSON, a key a line; ``…`` marks what was cut."""
    import pyarrow.parquet as pq

    for split in reversed(config.splits):
        for batch in pq.ParquetFile(folder / split.path).iter_batches(batch_size=1):
            row = batch.to_pylist()[0]
            lines = [
                f"  {json.dumps(key, ensure_ascii=False)}: {json.dumps(shortened(value), ensure_ascii=False, default=str)}"
                for key, value in row.items()
            ]
            return "{\n" + ",\n".join(lines) + "\n}"
    return "{}"


def shortened(value: Any) -> Any:
    """A value that fits on a card.

    >>> shortened("a" * 400)[-3:]
    'aa…'
    """
    if isinstance(value, str) and len(value) > LONG:
        return value[:LONG] + "…"
    if isinstance(value, list):
        kept = [shortened(item) for item in value[:MANY]]
        return [*kept, "…"] if len(value) > MANY else kept
    if isinstance(value, dict):
        return {key: shortened(item) for key, item in value.items()}
    return value
