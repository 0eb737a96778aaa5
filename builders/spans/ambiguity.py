"""Is a word also a native word? Named, versioned word lists, with the entry that a word was found under."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from probeta.builders.spans import lists
from probeta.builders.spans.spelling import word_parts
from probeta.errors import one_of


class Ambiguity:
    """One word list of one language; get it with ``ambiguity``."""

    def __init__(self, language: str, name: str, *, version: str, words: Collection[str]) -> None:
        self.language = language
        self.name = name
        self.version = version
        self._words = frozenset(words)
        self._known: dict[str, str | None] = {}

    @property
    def label(self) -> str:
        """Language, name and version, as reports show them: ``es-wspanish-1``."""
        return f"{self.language}-{self.name}-{self.version}"

    def entry(self, word: str) -> str | None:
        """The list's entry for the word, in lower case, or None where the list knows no such word.

        A hyphenated word is known when each part is; its entries are joined by hyphens.

        >>> words = ambiguity("es", "wspanish")
        >>> words.entry("Pie"), words.entry("barman")
        ('pie', None)
        """
        if word not in self._known:
            entries = [self._entry(part) for part in word_parts(word)]
            found = [entry for entry in entries if entry is not None]
            self._known[word] = "-".join(found) if found and len(found) == len(entries) else None
        return self._known[word]

    def _entry(self, part: str) -> str | None:
        return part if part in self._words else None


@cache
def ambiguity(language: str, family: str) -> Ambiguity:
    """The word list ``family`` of a language.

    Raises a UsageError for a language without lists and for an unknown name.
    """
    table = lists.rules(language, "ambiguity")
    one_of(family, table["families"], what="word list")
    chosen = table["families"][family]
    return Ambiguity(language, family, version=chosen["version"], words=lists.words(language, chosen["file"]))
