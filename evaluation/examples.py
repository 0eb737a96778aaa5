"""Examples of what a system found, missed and made up, drawn by the seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from probeta.evaluation.items import Matched
from probeta.evaluation.spantable import Labels, SpanTable
from probeta.evaluation.units import Predictions
from probeta.randomness import keyed


def examples(
    matched: Matched,
    result: Predictions,
    *,
    gold: SpanTable,
    predicted: SpanTable,
    labels: Labels,
    count: int,
    seed: int,
) -> dict[str, list[dict[str, Any]]]:
    """Up to ``count`` spans found, missed and spurious, drawn by the seed, in the items' order."""
    if not count:
        return {}
    names = list(labels)
    kinds = {
        "hits": (gold, np.flatnonzero(result.hits)),
        "misses": (gold, np.flatnonzero(~result.hits)),
        "spurious": (predicted, np.flatnonzero(~result.correct)),
    }
    found: dict[str, list[dict[str, Any]]] = {}
    for kind, (table, members) in kinds.items():
        rows = []
        for row in members.tolist():
            item = matched.gold[int(table.item[row])]
            start, end = int(table.start[row]), int(table.end[row])
            text = item.text or ""
            rows.append(
                {
                    "item": item.id or f"#{int(table.item[row]) + 1}",
                    "text": text,
                    "start": start,
                    "end": end,
                    "span": text[start:end],
                    "label": names[table.label[row]],
                }
            )
        # Drawn by the span's own key, so that the choice does not depend on the items' order.
        drawn = sorted(rows, key=lambda row: keyed(seed, kind, *map(str, row.values())).random())
        found[kind] = sorted(drawn[:count], key=lambda row: (row["item"], row["start"], row["end"]))
    return found
