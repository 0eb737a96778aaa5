"""Span attributes that the data does not have itself, read off its texts: one rule for scores and predictions.

What an item or its spans say of themselves always holds; only an attribute that nothing in the data has is
computed (``probeta.builders.spans.attributes``). So a test set scored and predicted on has the same cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from probeta.builders.spans import attributes as automatic
from probeta.evaluation.items import Item
from probeta.evaluation.scoring import item_attributes
from probeta.records import Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomaticOptions:
    """Whose rules and lists decide the automatic attributes; None leaves a step out of the type."""

    language: str = "es"
    spelling: str | None = "strict"
    ambiguity: str | None = "wspanish"
    adjacency: bool = True


def known_attributes(items: Sequence[Item]) -> set[str]:
    """The attributes that items or their spans have, and the label."""
    known = {"label", *item_attributes(items)}
    return known | {name for item in items for attributes in item.span_attributes for name in attributes}


def with_automatic(items: Sequence[Item], wanted: Iterable[str], options: AutomaticOptions) -> list[Item]:
    """Items whose spans have the automatic ones of the ``wanted`` attributes that no item has by itself."""
    known = known_attributes(items)
    missing = {name for name in wanted if name not in known and name in automatic.VALUES}
    if not missing:
        return list(items)
    # Rules and lists are there for few languages: only what is asked for needs them.
    rows = automatic.attribute_rows(
        (
            Sentence(f"#{number}", item.text or "", tuple(sorted(item.spans)))
            for number, item in enumerate(items, start=1)
        ),
        language=options.language,
        spelling=options.spelling if missing & {"type", "spelling"} else None,
        ambiguity=options.ambiguity if missing & {"type", "ambiguity"} else None,
        adjacency=options.adjacency,
    )
    by_item: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_item.setdefault(row["item"], []).append({name: row[name] for name in missing})
    joined = []
    for number, item in enumerate(items, start=1):
        found = by_item.get(f"#{number}", [])
        before = list(item.span_attributes) or [{} for _ in found]
        order = sorted(range(len(item.spans)), key=lambda at: item.spans[at])
        merged = [{**before[at], **other} for at, other in zip(order, found, strict=True)]
        joined.append(replace(item, spans=[item.spans[at] for at in order], span_attributes=merged))
    return joined
