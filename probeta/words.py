"""Small things about words that messages share."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number with its noun, which takes an s but for one.

    >>> counted(1, "sentence"), counted(1836, "sentence")
    ('1 sentence', '1,836 sentences')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
