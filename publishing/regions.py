"""The regions of a card that belong to people: what stands between their markers survives a rebuild."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

#: What people wrote into the cards: file -> region -> text.
HandText: TypeAlias = Mapping[str, Mapping[str, str]]

_REGION = re.compile(
    r"<!-- yours: (?P<name>[a-z]+) -->\n?(?P<text>.*?)\n?<!-- /yours: (?P=name) -->", re.DOTALL
)


def region(name: str, text: str) -> str:
    """A region with its markers."""
    inner = f"{text}\n" if text else ""
    return f"<!-- yours: {name} -->\n{inner}<!-- /yours: {name} -->"


def hand_text(text: str) -> dict[str, str]:
    """What people wrote between the markers, by region; empty regions are left out.

    >>> hand_text("<!-- yours: notes -->\\nSeen by Ana.\\n<!-- /yours: notes -->")
    {'notes': 'Seen by Ana.'}
    """
    return {match["name"]: match["text"] for match in _REGION.finditer(text) if match["text"].strip()}


def without_hand_text(text: str) -> str:
    """The generated part: the regions of people emptied."""
    return _REGION.sub(lambda match: region(match["name"], ""), text)
