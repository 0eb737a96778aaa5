"""Is a word also a native word? Named, versioned word lists, with the entry that a word was found under."""

from __future__ import annotations

from functools import cache

from probeta.builders.spans import lists
from probeta.builders.spans.inflection import Inflection
from probeta.builders.spans.spelling import word_parts
from probeta.errors import one_of


class Ambiguity:
    """One word list of one language; get it with ``ambiguity``."""

    def __init__(
        self,
        language: str,
        name: str,
        *,
        version: str,
        words: frozenset[str],
        inflection: Inflection | None = None,
    ) -> None:
        self.language = language
        self.name = name
        self.version = version
        self._words = words
        self._inflection = inflection
        self._known: dict[str, str | None] = {}

    @property
    def label(self) -> str:
        """Language, name and version, as reports show them: ``es-wspanish-1``."""
        return f"{self.language}-{self.name}-{self.version}"

    def entry(self, word: str) -> str | None:
        """The list's entry that the word is or inflects, in lower case; None where there is none.

        A hyphenated word is known when each part is; its entries are joined by hyphens.

        >>> words = ambiguity("es", "wspanish")
        >>> words.entry("Pie"), words.entry("cite"), words.entry("barman")
        ('pie', 'citar', None)
        """
        if word not in self._known:
            entries = [self._entry(part) for part in word_parts(word)]
            found = [entry for entry in entries if entry is not None]
            self._known[word] = "-".join(found) if found and len(found) == len(entries) else None
        return self._known[word]

    def _entry(self, part: str) -> str | None:
        if part in self._words:
            return part
        return self._inflection.entry(part) if self._inflection else None


@cache
def ambiguity(language: str, family: str) -> Ambiguity:
    """The word list ``family`` of a language.

    Raises a UsageError for a language without lists and for an unknown name.
    """
    table = lists.rules(language, "ambiguity")
    one_of(family, table["families"], what="word list")
    chosen = table["families"][family]
    words = frozenset([*lists.words(language, chosen["file"]), *chosen["additions"].split()])
    return Ambiguity(
        language,
        family,
        version=chosen["version"],
        words=words,
        inflection=Inflection(lists.rules(language, "inflection"), words) if chosen["inflected"] else None,
    )


def families(language: str) -> dict[str, str]:
    """Every word list of a language with its definition, source and licence."""
    return {
        name: f"{family['definition']}. Source: {family['source']}. Licence: {family['licence']}."
        for name, family in lists.rules(language, "ambiguity")["families"].items()
    }
