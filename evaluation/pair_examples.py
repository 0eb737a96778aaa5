"""Examples of pairs that a classifier got right and wrong, class by class, drawn by the seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from probeta.evaluation.labelled import LabelledItem
from probeta.randomness import keyed

#: What of a pair is shown, where it is there.
_SHOWN = ("sentence_1", "sentence_2")


def pair_examples(
    pairs: Sequence[tuple[LabelledItem, str]], *, count: int, seed: int
) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Up to ``count`` pairs of each gold class, ``right`` and ``wrong``, in the order of their ids.

    >>> pairs = [(LabelledItem("a", "neutral", {}), "entailment")]
    >>> pair_examples(pairs, count=1, seed=0)
    {'neutral': {'right': [], 'wrong': [{'item': 'a', 'predicted': 'entailment'}]}}
    """
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    if not count:
        return found
    for name in sorted({item.label or "" for item, _ in pairs}):
        found[name] = {}
        for kind in ("right", "wrong"):
            members = [
                (item, predicted)
                for item, predicted in pairs
                if item.label == name and (predicted == name) == (kind == "right")
            ]
            # Drawn by the pair's own key, so that the choice does not depend on the pairs' order.
            members.sort(key=lambda member: keyed(seed, "pair", kind, member[0].id).random())
            found[name][kind] = [
                {
                    "item": item.id,
                    "predicted": predicted,
                    **{part: item.attributes[part] for part in _SHOWN if part in item.attributes},
                }
                for item, predicted in sorted(members[:count], key=lambda member: member[0].id)
            ]
    return found
