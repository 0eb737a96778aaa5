"""Spelling families and word lists on whole dictionaries, and the speed of labelling.

The dictionaries are Debian's ``wspanish`` (86,014 words; read from the package's data, which the project
ships) and ``wamerican``, of which the words in plain letters that ``wspanish`` does not have count as
English-only. The paper's examples are the 19 spans whose type the BLAS paper prints.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path

from benchmarks.harness import Row, best_cpu, consume, rate
from probeta.builders.spans import lists
from probeta.builders.spans.ambiguity import Ambiguity, ambiguity
from probeta.builders.spans.attributes import attribute_rows, span_attributes
from probeta.builders.spans.inflection import Inflection
from probeta.builders.spans.spelling import spelling
from probeta.errors import PrerequisiteError
from probeta.records import Sentence, Span

_WAMERICAN = Path("/usr/share/dict/american-english")
_PAPER = Path(__file__).parent.parent / "tests" / "data" / "paper" / "span_types.csv"
_SPANS = 20_000


def run() -> list[Row]:
    spanish = sorted(set(lists.words("es", "wspanish.txt.gz")))
    english = _english_only(frozenset(spanish))
    return [
        *(row for family in _FAMILIES for row in _spelling(family, spanish, english)),
        _paper(),
        *_ambiguity(english),
        *_speed(english),
    ]


#: Family and its goals: at least so much of wspanish accepted and of English-only words rejected.
_FAMILIES: dict[str, tuple[float, float] | None] = {
    "strict": (0.993, 0.65),
    "strict+no_ze": None,
    "lenient": None,
    "lenient+no_ze": None,
}


def _english_only(spanish: frozenset[str]) -> list[str]:
    if not _WAMERICAN.is_file():
        raise PrerequisiteError(f"{_WAMERICAN} is not there", fix="apt-get install wamerican")
    words = _WAMERICAN.read_text(encoding="utf-8").split()
    plain = {word.lower() for word in words if word.isascii() and word.isalpha()}
    return sorted(plain - spanish)


def _spelling(name: str, spanish: list[str], english: list[str]) -> list[Row]:
    family = spelling("es", name)
    accepted = sum(family.reason(word) is None for word in spanish) / len(spanish)
    rejected = sum(family.reason(word) is not None for word in english) / len(english)
    goals = _FAMILIES[name]
    return [
        Row(
            name=f"{family.label}: {len(spanish):,} words of wspanish accepted",
            measured=f"{accepted:.2%}",
            goal="" if goals is None else f">= {goals[0]:.1%}",
            met=None if goals is None else accepted >= goals[0],
        ),
        Row(
            name=f"{family.label}: {len(english):,} English-only words rejected",
            measured=f"{rejected:.2%}",
            goal="" if goals is None else f">= {goals[1]:.0%}",
            met=None if goals is None else rejected >= goals[1],
        ),
    ]


def _paper() -> Row:
    with _PAPER.open(encoding="utf-8", newline="") as table:
        examples = list(csv.DictReader(table))
    sentences = [
        Sentence(str(place), f"Va de {row['span']} hoy.", (Span(6, 6 + len(row["span"]), "ENG"),))
        for place, row in enumerate(examples)
    ]
    found = [row["type"] for row in attribute_rows(sentences)]
    right = sum(type_ == row["type"] for type_, row in zip(found, examples, strict=True))
    return Row(
        name="types of the paper's examples",
        measured=f"{right}/{len(examples)}",
        goal=f"{len(examples)}/{len(examples)}",
        met=right == len(examples),
    )


def _ambiguity(english: list[str]) -> list[Row]:
    """How many English-only words each way of inflecting calls ambiguous (docs/ambiguity.md judges them)."""
    table = lists.rules("es", "inflection")
    entries = frozenset(lists.words("es", "wspanish.txt.gz"))
    ways = {
        "its plurals": Inflection({**table, "conjugations": {}, "forms": []}, entries),
        "its plurals and every word in -ar, -er, -ir conjugated": Inflection(
            {**table, "no_verb": ""}, entries
        ),
        "its plurals and living verbs": Inflection(table, entries),
    }
    rows = [
        Row(
            name=f"English-only words ambiguous: wspanish with {way}",
            measured=f"{sum(inflection.entry(word) is not None for word in english):,}",
        )
        for way, inflection in ways.items()
    ]
    words = ambiguity("es", "wspanish")
    return [
        *rows,
        Row(
            name=f"English-only words ambiguous: {words.label} (with its additions)",
            measured=f"{sum(words.entry(word) is not None for word in english):,}",
        ),
    ]


def _speed(english: list[str]) -> list[Row]:
    """Spans a second in one process: every word new, then every word seen before."""
    draw = random.Random(20260000)
    sentences = []
    for place in range(_SPANS):
        before, after = ("de la ley que nunca llegó " * draw.randint(1, 3) for _ in range(2))
        surface = " ".join(draw.sample(english, draw.randint(1, 3)))
        start = len(f"Hablan {before}“")
        span = Span(start, start + len(surface), "ENG")
        sentences.append(Sentence(str(place), f"Hablan {before}“{surface}” {after}.", (span,)))

    entries = frozenset(lists.words("es", "wspanish.txt.gz"))
    inflection = Inflection(lists.rules("es", "inflection"), entries)

    def new() -> int:
        spelling.cache_clear()
        rules = spelling("es", "strict")
        words = Ambiguity("es", "wspanish", version="1", words=entries, inflection=inflection)
        return sum(len(span_attributes(each, spelling=rules, ambiguity=words)) for each in sentences)

    seconds = {
        "every word new": best_cpu(new),
        "every word seen before": best_cpu(lambda: consume(attribute_rows(sentences))),
    }
    return [
        Row(
            name=f"spans labelled, {what}",
            measured=rate(_SPANS, needed),
            goal=">= 10,000/s",
            met=_SPANS / needed >= 10_000,
        )
        for what, needed in seconds.items()
    ]
