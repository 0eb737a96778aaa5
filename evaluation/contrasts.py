"""A paired difference as a person asks for it: which units are twins follows from the data."""

from __future__ import annotations

from collections.abc import Sequence

from probeta.errors import UsageError
from probeta.evaluation.items import Item
from probeta.evaluation.paired import Contrast
from probeta.evaluation.scoring import item_attributes

#: Item attributes that follow from the perturbation, so they vary with it.
_WRITTEN_WITH_THE_VARIED = ("operation",)


def parse_contrast(text: str, items: Sequence[Item]) -> Contrast:
    """``quotes=without`` as a contrast with that value.

    If the attribute varies between the sentences made from one base sentence, twins share the base
    sentence and agree in whatever else varies there; if not, twins are spans of the same words.
    """
    attribute, equals, against = text.partition("=")
    if not equals or not attribute or not against:
        raise UsageError(f"{text!r} is no contrast: write attribute=value, the value to compare with")
    seen: dict[tuple[str, str], set[str]] = {}
    for name, column in item_attributes(items).items():
        for item, value in zip(items, column, strict=True):
            seen.setdefault((name, str(item.attributes.get("base_id"))), set()).add(value)
    varied = sorted({name for (name, base), found in seen.items() if base != "None" and len(found) > 1})
    same = [name for name in varied if name not in (attribute, *_WRITTEN_WITH_THE_VARIED)]
    return Contrast(
        attribute=attribute, against=against, same=same, key="base" if attribute in varied else "text"
    )
