"""Span attributes that the data does not have itself, read off its texts: one rule for scores and predictions.

What an item or its spans say of themselves always holds; only an attribute that nothing in the data has is
computed (``probeta.builders.spans.attributes``). So a test set scored and predicted on has the same cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from probeta import builtset
from probeta.builders.spans import attributes as automatic
from probeta.evaluation.items import Item, layers
from probeta.evaluation.scoring import item_attributes
from probeta.records import Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomaticOptions:
    """Whose rules and lists decide the automatic attributes; None leaves a step out of the type.

    Where ``language`` is None, ``known`` puts that of a built set in its place.
    """

    language: str | None = None
    spelling: str | None = "strict"
    ambiguity: str | None = "wspanish"
    adjacency: bool = True

    def known(self, path: Path) -> Self:
        """These options with the language of what stands at ``path``: a built set's own, else Spanish."""
        return replace(self, language=self.language or builtset.language(path) or builtset.LANGUAGE)


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
            # Spans that overlap stand in no one sentence: each sees those that it does not overlap.
            Sentence(str(number), item.text or "", tuple(item.spans[at] for at in layer))
            for number, item in enumerate(items)
            for layer in layers([(span.start, span.end) for span in item.spans])
        ),
        language=options.language or builtset.LANGUAGE,
        spelling=options.spelling if missing & {"type", "spelling"} else None,
        ambiguity=options.ambiguity if missing & {"type", "ambiguity"} else None,
        adjacency=options.adjacency,
    )
    found: dict[tuple[str, int, int], dict[str, Any]] = {
        (row["item"], row["start"], row["end"]): {name: row[name] for name in missing} for row in rows
    }
    joined = []
    for number, item in enumerate(items):
        own: Sequence[Mapping[str, Any]] = item.span_attributes or [{}] * len(item.spans)
        merged = [
            {**before, **found[str(number), span.start, span.end]}
            for span, before in zip(item.spans, own, strict=True)
        ]
        joined.append(replace(item, span_attributes=merged))
    return joined
