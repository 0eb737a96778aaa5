"""Examples of what a system found, missed and made up, drawn by the seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from probeta.evaluation.items import Matched, surface
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
        side = matched.predicted if kind == "spurious" else matched.gold
        for row in members.tolist():
            number = int(table.item[row])
            item, label = side[number], names[table.label[row]]
            start, end = int(table.start[row]), int(table.end[row])
            one: dict[str, Any] = {
                "item": matched.gold[number].id or f"#{number + 1}",
                "text": matched.gold[number].text or "",
            }
            if item.strings is None:
                one |= {"start": start, "end": end}
            rows.append(
                one
                | {
                    "span": surface(item if item.strings is not None else matched.gold[number], start, end),
                    "label": label or None,
                }
            )
        # Drawn by the span's own key, so that the choice does not depend on the items' order.
        drawn = sorted(rows, key=lambda row: keyed(seed, kind, *map(str, row.values())).random())
        found[kind] = sorted(
            drawn[:count], key=lambda row: (row["item"], row.get("start", 0), row.get("end", 0), row["span"])
        )
    return found
