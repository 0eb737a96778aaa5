"""The regions of a card that belong to people: what stands between their markers survives a rebuild."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import TypeAlias

from probeta.errors import DataError, Fault

#: What people wrote into the cards: file -> region -> text.
HandText: TypeAlias = Mapping[str, Mapping[str, str]]

_REGION = re.compile(
    r"<!-- yours: (?P<name>[a-z]+) -->\n?(?P<text>.*?)\n?<!-- /yours: (?P=name) -->", re.DOTALL
)

#: The last line of a card: a hash of its generated part, by which edits outside the regions are noticed.
_SEAL = re.compile(r"<!-- generated: (?P<sum>[0-9a-f]{16}) -->\n?\Z")


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


def sealed(text: str) -> str:
    """A card with its seal; ``text`` ends with a line break."""
    return f"{text}<!-- generated: {_sum(text)} -->\n"


def is_edited(text: str) -> bool:
    """Whether a card was changed outside of its regions; a card without a seal is all a person's.

    >>> is_edited(sealed("# Card\\n")), is_edited(sealed("# Card\\n").replace("Card", "My card"))
    (False, True)
    """
    text = text.replace("\r\n", "\n")
    match = _SEAL.search(text)
    return match is None or match["sum"] != _sum(text[: match.start()])


def _sum(text: str) -> str:
    return hashlib.sha256(without_hand_text(text).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def kept_text(text: str, *, file: str) -> dict[str, str]:
    """The hand text of a card that is about to be made anew; a DataError if more than that would be lost."""
    if is_edited(text):
        raise DataError(
            Fault(
                code="card_edited",
                message="the card was edited outside of the regions that are kept when it is made anew",
                file=file,
                fix="move your text between `<!-- yours: about -->` or `<!-- yours: notes -->` and its end, "
                "or put the card aside",
            )
        )
    return hand_text(text)
