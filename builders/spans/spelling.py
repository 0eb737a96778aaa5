"""Does a word look native? Named, versioned families of spelling rules, with a reason per rejected word.

The rules are data (``templates/lists/<language>/spelling.yaml``): each is a pattern that rejects, with a
code and a definition. A family is named alone or with options, as in ``strict`` and ``strict+no_ze``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

from probeta.builders.spans import lists
from probeta.errors import one_of

#: What separates the parts of a written word that are tested alone: hyphens, dashes and the slash.
_PARTS = re.compile(r"[-\u00ad\u2010-\u2015/]")
_PLACE = re.compile(r"<([a-z_]+)>")


def word_parts(word: str) -> list[str]:
    """The parts between hyphens, lower-cased and NFC, outer punctuation removed; parts without a letter
    or digit are left out.

    >>> word_parts("“Tie-Break”,")
    ['tie', 'break']
    """
    folded = unicodedata.normalize("NFC", word.lower())
    return [part for piece in _PARTS.split(folded) if (part := _bare(piece))]


def _bare(piece: str) -> str:
    start, end = 0, len(piece)
    while start < end and not piece[start].isalnum():
        start += 1
    while end > start and not piece[end - 1].isalnum():
        end -= 1
    return piece[start:end]


class Spelling:
    """One family of one language, compiled; get it with ``spelling``."""

    def __init__(self, language: str, name: str, *, version: str, rules: Mapping[str, str]) -> None:
        self.language = language
        self.name = name
        self.version = version
        self._rules = [(code, re.compile(pattern)) for code, pattern in rules.items()]
        self._known: dict[str, str | None] = {}

    @property
    def label(self) -> str:
        """Language, name and version, as reports show them: ``es-strict-1``."""
        return f"{self.language}-{self.name}-{self.version}"

    def reason(self, word: str) -> str | None:
        """The code of the first rule that rejects the word, or None where it complies.

        A hyphenated word complies when each part does. A word without letters or digits complies.

        >>> family = spelling("es", "strict")
        >>> family.reason("paper"), family.reason("spoiler"), family.reason("e-commerce")
        (None, 'start', 'double_consonant')
        """
        if word not in self._known:
            self._known[word] = next(
                (code for part in word_parts(word) for code, pattern in self._rules if pattern.search(part)),
                None,
            )
        return self._known[word]


@cache
def spelling(language: str, family: str) -> Spelling:
    """The family ``name`` or ``name+option`` of a language.

    Raises a UsageError for a language without rules and for an unknown family or option.
    """
    table = lists.rules(language, "spelling")
    name, *options = family.split("+")
    one_of(name, table["families"], what="spelling family")
    chosen = table["families"][name]
    rules = list(table["rules"])
    for option in options:
        one_of(option, table["options"], what=f"option of spelling family {name}")
        rules += table["options"][option]["rules"]
    parts = {**table["parts"], **chosen["parts"]}

    def expand(pattern: str) -> str:
        return _PLACE.sub(lambda place: expand(parts[place[1]]), pattern)

    return Spelling(
        language,
        "+".join([name, *sorted(set(options))]),
        version=chosen["version"],
        rules={rule["code"]: expand(rule["reject"]) for rule in rules},
    )


def families(language: str) -> dict[str, str]:
    """Every family and option of a language with its definition; options begin with ``+``."""
    table = lists.rules(language, "spelling")
    return {name: family["definition"] for name, family in table["families"].items()} | {
        f"+{name}": option["definition"] for name, option in table["options"].items()
    }
