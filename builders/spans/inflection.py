"""From an inflected form back to the entry of a word list, by a language's rules.

The rules are data (``templates/lists/<language>/inflection.yaml``): plurals as rewritings, conjugations as
rows of stem changes and endings over the list's infinitives. Forms are not listed: an index of stems and
one of endings answer together, so that ten thousand verbs stay small and quick.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple

#: Row of the forms that are listed whole: stems with the empty ending.
_WHOLE = 0


class Inflection:
    """The inflected forms of ``entries`` (lower case) under the rules of ``table``."""

    def __init__(self, table: Mapping[str, Any], entries: Set[str]) -> None:
        self._entries = entries
        self._plurals = [(re.compile(form), entry) for form, entry in table["plurals"]]
        self._no_plural = frozenset(table["no_plural"])
        # Stem to its rows, each with the infinitive; ending to its rows. A form is a stem and an ending of
        # one row.
        self._stems: dict[str, list[tuple[int, str]]] = {}
        self._endings: dict[str, set[int]] = {"": {_WHOLE}}
        whole = dict(_irregular(table["forms"]))
        for verb, forms in whole.items():
            for form in forms:
                self._stems.setdefault(form, []).append((_WHOLE, verb))
        verbs = sorted(entries - whole.keys() - set(table["no_verb"].split()))
        row = _WHOLE
        # The longest ending decides: reír is no verb in -ir.
        for infinitive_ending in sorted(table["conjugations"], key=len, reverse=True):
            stems = [
                verb.removesuffix(infinitive_ending) for verb in verbs if verb.endswith(infinitive_ending)
            ]
            verbs = [verb for verb in verbs if not verb.endswith(infinitive_ending)]
            for rule in table["conjugations"][infinitive_ending]:
                row += 1
                stem_of = _stemmer(rule, table)
                for ending in rule["endings"].split():
                    self._endings.setdefault("" if ending == "-" else ending, set()).add(row)
                for stem in stems:
                    infinitive = stem + infinitive_ending
                    if (made := stem_of(stem, infinitive)) is not None:
                        self._stems.setdefault(made, []).append((row, infinitive))
        self._longest = max(map(len, self._endings))

    def entry(self, form: str) -> str | None:
        """The entry that ``form`` (lower case) inflects, or None; a plural before a verb's form."""
        for pattern, replacement in self._plurals:
            if match := pattern.fullmatch(form):
                base = match.expand(replacement)
                if base in self._entries and base not in self._no_plural:
                    return base
        for cut in range(max(0, len(form) - self._longest), len(form) + 1):
            if rows := self._endings.get(form[cut:]):
                for row, infinitive in self._stems.get(form[:cut], ()):
                    if row in rows:
                        return infinitive
        return None


def _irregular(table: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, list[str]]]:
    for verb in table:
        for prefix in ("", *verb.get("prefixes", ())):
            yield prefix + verb["verb"], [prefix + form for form in verb["forms"].split()]


def _stemmer(rule: Mapping[str, Any], table: Mapping[str, Any]) -> Callable[[str, str], str | None]:
    """What makes a row's stem of a stem and its infinitive; None where the row does not hold."""
    patterns = table["patterns"]
    required = _named(rule.get("if"), patterns)
    refused = _named(rule.get("unless"), patterns)
    after = _named(rule.get("after"), patterns)
    changes = [_change(table["changes"][name], patterns) for name in rule.get("stem", ())]

    def stem_of(stem: str, infinitive: str) -> str | None:
        if (required and not required.search(infinitive)) or (refused and refused.search(infinitive)):
            return None
        for change in changes:
            stem = change(stem, infinitive)
        return stem if after is None or after.search(stem) else None

    return stem_of


def _change(steps: Sequence[Mapping[str, Any]], patterns: Mapping[str, str]) -> Callable[[str, str], str]:
    """Apply the first step whose verbs (or ``if``) and pattern hold; the stem as it is if none does."""
    read = [_Step.read(step, patterns) for step in steps]

    def change(stem: str, infinitive: str) -> str:
        for step in read:
            if step.holds(infinitive) and step.pattern.search(stem):
                return step.pattern.sub(step.replacement, stem, count=1)
        return stem

    return change


class _Step(NamedTuple):
    verbs: frozenset[str] | None
    required: re.Pattern[str] | None
    pattern: re.Pattern[str]
    replacement: str

    @classmethod
    def read(cls, step: Mapping[str, Any], patterns: Mapping[str, str]) -> _Step:
        verbs = step.get("verbs")
        listed = verbs.split() if isinstance(verbs, str) else verbs
        pattern, replacement = step["change"]
        return cls(
            None if listed is None else frozenset(listed),
            _named(step.get("if"), patterns),
            re.compile(pattern),
            replacement,
        )

    def holds(self, infinitive: str) -> bool:
        if self.verbs is not None:
            return infinitive in self.verbs
        return self.required is None or self.required.search(infinitive) is not None


def _named(pattern: str | None, patterns: Mapping[str, str]) -> re.Pattern[str] | None:
    return None if pattern is None else re.compile(patterns.get(pattern, pattern))
