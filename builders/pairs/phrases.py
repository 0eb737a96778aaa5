"""The linking phrases as data: a table that a user copies for another language, and its matcher.

Columns: ``phrase`` (as a dictionary writes it; what ``connector`` holds), ``class``, ``follow``,
``blockers``, ``absorb``, ``variants``, ``source``; lists are separated by ``;``. ``follow`` says what must
stand after the phrase: ``any`` a word boundary; ``punctuation`` one of ``, ; : . ! ? … - – —``;
``punctuation_or_absorbed`` that or the absorbed word. ``blockers`` are words that, standing next without
punctuation, make it no marker ("sin embargo de la derrota"). ``absorb`` is a word removed with the phrase
("es decir, que nadie fue"). Matching ignores case and accents and takes the longest form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, get_args

from probeta.errors import DataError, Fault
from probeta.tables import read_table

Follow = Literal["any", "punctuation", "punctuation_or_absorbed"]

PUNCTUATION = ",;:.!?…-–—"


@dataclass(frozen=True, slots=True)
class LinkingPhrase:
    """A phrase, the class that it signals and the policy of its surroundings."""

    phrase: str
    label: str
    follow: Follow = "any"
    blockers: frozenset[str] = frozenset()
    absorb: str = ""
    variants: tuple[str, ...] = ()


class Match(NamedTuple):
    """A phrase at the start of a sentence: ``text[start:end]`` is it as found, what follows is at ``rest``.

    ``lead`` is what stands before it that belongs to the sentence (quotes, ``¿ ¡ ( [``); ``turn`` is the
    dialogue dash or list mark before that, which does not. ``refused`` names the rule of the phrase's policy
    that it breaks, or is None: then it is a marker.
    """

    phrase: LinkingPhrase
    turn: str
    lead: str
    surface: str
    rest: str
    refused: str | None


def fold(text: str) -> str:
    """Lower case without accents, white space folded: the key under which phrases are looked up.

    >>> fold("En  Síntesis")
    'en sintesis'
    """
    bare = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))
    return " ".join(bare.split())


def read_phrases(path: Path, *, name: str | None = None) -> list[LinkingPhrase]:
    """Read the table; a DataError lists every fault: an unknown policy, a form that stands twice."""
    table = read_table(path, required=["phrase", "class"], name=name)
    faults: list[Fault] = []
    phrases: list[LinkingPhrase] = []
    seen: dict[str, int] = {}

    def fault(code: str, message: str, line: int, column: str, **details: str) -> None:
        faults.append(Fault(code=code, message=message, file=table.file, row=line, column=column, **details))

    for row in table:
        follow = row.get("follow") or "any"
        phrase, label = row["phrase"].strip(), row["class"].strip()
        if follow not in get_args(Follow):
            fault(
                "phrase_follow",
                "unknown policy",
                row.line,
                "follow",
                expected=", ".join(get_args(Follow)),
                found=follow,
            )
            continue
        if not phrase or not label:
            fault("phrase_empty", "the phrase or its class is empty", row.line, "phrase")
            continue
        if label == "neutral":
            fault("phrase_class", "no phrase signals the neutral class", row.line, "class")
        variants = tuple(_items(row.get("variants")))
        for form in (phrase, *variants):
            key = fold(form)
            if key in seen:
                fault("phrase_twice", f"{form!r} stands already in row {seen[key]}", row.line, "phrase")
            seen[key] = row.line
        absorb = fold(row.get("absorb"))
        if follow == "punctuation_or_absorbed" and not absorb:
            fault("phrase_absorb", "the policy names an absorbed word, but there is none", row.line, "absorb")
        phrases.append(
            LinkingPhrase(
                phrase=unicodedata.normalize("NFC", phrase),
                label=label,
                follow=follow,  # type: ignore[arg-type]  # checked against the literal's values above
                blockers=frozenset(map(fold, _items(row.get("blockers")))),
                absorb=absorb,
                variants=variants,
            )
        )
    if faults:
        raise DataError(faults)
    return phrases


def _items(cell: str) -> list[str]:
    return [item.strip() for item in cell.split(";") if item.strip()]


#: What may stand before a phrase: a turn's dash or a list mark, then opening quotes and brackets.
_TURN = r"(?:[—–-]\s*|\(?(?:\d{1,3}[.)ºª]{1,2}|[a-z]\)|[ivx]{1,5}\)|[ivx]{2,5}\.)[-–—]?\s+|[•▪·*]\s*)?"
_LEAD = r"[\"'«»“”‘’(\[¿¡\s]*"
_LETTERS = {"a": "aáàâä", "e": "eéèêë", "i": "iíìîï", "o": "oóòôö", "u": "uúùûü", "n": "nñ", "c": "cç"}


_ANY_TURN = re.compile(_TURN, re.IGNORECASE)


def part_turn(sentence: str) -> tuple[str, str]:
    """A sentence as (turn, rest): the dialogue dash or list mark that opens it, and the sentence itself.

    >>> part_turn("—No iré."), part_turn("1. Texto."), part_turn("A. Machado nació.")
    (('—', 'No iré.'), ('1. ', 'Texto.'), ('', 'A. Machado nació.'))
    """
    end = _ANY_TURN.match(sentence).end()  # type: ignore[union-attr]  # the pattern matches emptiness too
    return sentence[:end], sentence[end:]


def is_dash(turn: str) -> bool:
    """Whether a turn is a speaker's dash rather than a list mark."""
    return turn[:1] in ("—", "–", "-")


class Matcher:
    """All phrases as one regular expression over the shared beginnings of their forms."""

    def __init__(self, phrases: Sequence[LinkingPhrase]) -> None:
        self.phrases = tuple(phrases)
        self._by_form: Mapping[str, LinkingPhrase] = {
            fold(form): phrase for phrase in phrases for form in (phrase.phrase, *phrase.variants)
        }
        trie = _trie_pattern(self._by_form)
        self._anchored = re.compile(rf"({_TURN})({_LEAD})({trie})(?!\w)", re.IGNORECASE)
        #: Whether a paragraph holds any phrase at all; for segmenters that are too slow to run everywhere.
        self.anywhere = re.compile(rf"(?<!\w)(?:{trie})(?!\w)", re.IGNORECASE).search
        #: The fast test of a sentence's start; ``read`` makes sense of what it returns.
        self.start = self._anchored.match

    def read(self, found: re.Match[str]) -> Match:
        """What a hit of ``start`` means under the phrase's policy."""
        turn, lead, surface = found.groups()
        phrase = self._by_form[fold(surface)]
        after = found.string[found.end() :]
        body = after.lstrip()
        refused = None
        punctuated = body[:1] in PUNCTUATION if body else True
        rest = body.lstrip(",;:.…").lstrip() if punctuated else body
        absorbed = False
        if phrase.absorb:
            word = _FIRST_WORD.match(rest)
            if word and fold(word[0]) == phrase.absorb:
                absorbed = True
                rest = rest[word.end() :].lstrip().lstrip(",:").lstrip()
        if not punctuated and (phrase.follow == "punctuation" or not absorbed):
            word = _FIRST_WORD.match(body)
            if phrase.follow != "any":
                refused = "needs_punctuation"
            elif word and fold(word[0]) in phrase.blockers:
                refused = "blocked_by_next_word"
        return Match(phrase, turn, lead, surface, rest, refused)

    def match(self, sentence: str) -> Match | None:
        """The phrase at the start of ``sentence`` (NFC), or None.

        >>> matcher = Matcher([LinkingPhrase("sin embargo", "contrasting", blockers=frozenset({"de"}))])
        >>> matcher.match("«Sin  embargo, fueron.»")[2:]
        ('«', 'Sin  embargo', 'fueron.»', None)
        >>> matcher.match("Sin embargo de la derrota").refused
        'blocked_by_next_word'
        >>> matcher.match("Sin embargos") is None
        True
        """
        found = self.start(sentence)
        return self.read(found) if found else None


_FIRST_WORD = re.compile(r"\w+")


@lru_cache(maxsize=8)
def matcher(phrases: tuple[LinkingPhrase, ...]) -> Matcher:
    """The matcher of these phrases, compiled once a process."""
    return Matcher(phrases)


#: The next character, or "" where a form ends, and what may follow it.
_Trie: TypeAlias = "dict[str, _Trie]"


def _trie_pattern(forms: Iterable[str]) -> str:
    """One pattern for many folded forms: common beginnings are tried once, longer forms first."""
    trie: _Trie = {}
    for form in forms:
        node = trie
        for char in form:
            node = node.setdefault(char, {})
        node[""] = {}

    def pattern(node: _Trie) -> str:
        options = []
        for char, child in sorted(node.items()):
            if char:
                head = (
                    r"\s+" if char == " " else f"[{_LETTERS[char]}]" if char in _LETTERS else re.escape(char)
                )
                options.append(head + pattern(child))
        if not options:
            return ""
        joined = options[0] if len(options) == 1 else f"(?:{'|'.join(options)})"
        return f"(?:{joined})?" if "" in node else joined

    return pattern(trie)
