"""The selection rules of a recipe, tested on its hand-picked base sentences.

Each rule of the recipe's ``selection`` (see ``probeta.recipe.selection``) is one function here that yields
faults; ``TESTS`` maps the rule's name to it. The rules look at the sentences' own texts and spans, and
join them to the recipe's lexicons by the entries that the rows name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import Any

from probeta.builders.spans.content import Content, load_content
from probeta.builders.spans.generate import is_drawn
from probeta.builders.spans.lexicon import Entry
from probeta.errors import Fault
from probeta.recipe import selection as rules
from probeta.recipe.schema import SpanRecipe
from probeta.records import Sentence
from probeta.tokens import Tokenizer

_WORD = re.compile(r"\w+(?:['’-]\w+)*")

Cell = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Picked:
    """A hand-picked sentence with what the recipe's tables say about it.

    ``entries`` has one entry a span, None where the row names none; ``template`` is the text that the
    sentence was made from (its own where it was written by hand).
    """

    sentence: Sentence
    file: str
    line: int
    cell: Cell
    values: Mapping[str, str]
    entries: tuple[Entry | None, ...]
    template: str
    columns: Mapping[str, str | None]

    def outside(self) -> list[list[str]]:
        """The words outside the spans, case ignored, one list for each stretch between two spans."""
        stretches = []
        last = 0
        text = self.sentence.text
        for start, end in [(span.start, span.end) for span in self.sentence.spans] + [(len(text), len(text))]:
            stretches.append(words(text[last:start]))
            last = end
        return stretches


def words(text: str) -> list[str]:
    """The words of a text, case ignored; apostrophes and hyphens hold a word together.

    >>> words("¿Un e-mail, o dos?")
    ['un', 'e-mail', 'o', 'dos']
    """
    return [word.casefold() for word in _WORD.findall(text)]


def selection_faults(
    recipe: SpanRecipe, sentences: Iterable[Sentence], *, content: Content | None = None
) -> list[Fault]:
    """Every fault of the recipe's selection rules in its hand-picked base ``sentences``.

    The sentences may come from ``generate_base`` or from a built set: they are joined to the recipe's rows
    by id. Drawn sentences are left out, and so is one whose id is no row of the recipe (``check`` tells
    it elsewhere). The faults name the row of the sentence table.
    """
    if not recipe.selection:
        return []
    content = load_content(recipe) if content is None else content
    picked = _picked(content, sentences)
    faults = _unnamed(recipe, picked)
    for rule in recipe.selection:
        faults += TESTS[rule.rule](rule, picked, content)
    return faults


def _picked(content: Content, sentences: Iterable[Sentence]) -> list[Picked]:
    templates = {template.row.id: template for template in content.templates if template.row.hand_picked}
    found = []
    for sentence in sentences:
        template = templates.get(sentence.id)
        if template is None or is_drawn(sentence.id):
            continue
        row = template.row
        made = template.render(template.pinned())
        values = dict(zip(content.recipe.grid.by, row.cell, strict=True))
        entries = made.entries if len(made.entries) == len(sentence.spans) else ()
        found.append(
            Picked(
                sentence,
                row.file,
                row.line,
                row.cell,
                values,
                entries,
                template.identity if row.slots else sentence.text,
                {"topic": row.topic, "author": row.author, **row.attributes},
            )
        )
    return found


def _unnamed(recipe: SpanRecipe, picked: Sequence[Picked]) -> list[Fault]:
    """Spans that no rule over a lexicon can see, where the recipe has such rules."""
    if not any(getattr(rule, "lexicon", None) for rule in recipe.selection):
        return []
    return [
        _fault(one, "entry_unnamed", "the row names no lexicon entry for a span", column="entry")
        for one in picked
        if None in one.entries
    ]


def _fault(one: Picked, code: str, message: str, **details: Any) -> Fault:
    return Fault(
        code=f"selection_{code}",
        message=message,
        file=one.file,
        row=one.line,
        **{"column": "text", **details},
    )


def _words(where: Mapping[str, Sequence[str]]) -> str:
    return ", ".join(f"{name} {' or '.join(values)}" for name, values in where.items()) or "every cell"


def _used(picked: Iterable[Picked], lexicon: str) -> dict[str, tuple[Entry, list[Picked]]]:
    """The entries of ``lexicon`` that the sentences use, by id, with the sentences."""
    found: dict[str, tuple[Entry, list[Picked]]] = {}
    for one in picked:
        for entry in one.entries:
            if entry is not None and entry.lexicon == lexicon:
                found.setdefault(entry.id, (entry, []))[1].append(one)
    return found


def _in(picked: Iterable[Picked], where: rules.Where) -> list[Picked]:
    return [one for one in picked if rules.matches(where, one.values)]


def entry_counts(rule: rules.EntryCounts, picked: Sequence[Picked], content: Content) -> Iterator[Fault]:
    """So many different entries, or combinations of entries in one sentence, as the recipe says."""
    for count in rule.counts:
        chosen = _in(picked, count.where)
        if count.unit == "entry":
            number = len(_used(chosen, rule.lexicon))
        else:
            number = len({tuple(e.id if e else None for e in one.entries) for one in chosen})
        if number != count.count:
            yield Fault(
                code="selection_entry_counts",
                message=f"{_words(count.where)}: the number of different "
                f"{'entries' if count.unit == 'entry' else 'combinations of entries'} is wrong",
                file=content.recipe.shown("probeta.yaml"),
                expected=str(count.count),
                found=str(number),
            )


def twins(rule: rules.Twins, picked: Sequence[Picked], content: Content) -> Iterator[Fault]:
    """Cells that differ in one attribute alone use the same entries, in sentences that share few words."""
    by = content.recipe.grid.by
    at = by.index(rule.attribute)
    cells = [
        cell
        for cell in content.recipe.grid.targets()
        if rules.matches(rule.where, dict(zip(by, cell, strict=True)))
    ]
    rest = {cell: cell[:at] + cell[at + 1 :] for cell in cells}
    for group in {rest[cell]: None for cell in cells}:
        members = [cell for cell in cells if rest[cell] == group]
        if len(members) < 2:
            continue
        uses = {cell: _combinations(one for one in picked if one.cell == cell) for cell in members}
        for cell, other in combinations(members, 2):
            for key in sorted(uses[cell].keys() ^ uses[other].keys()):
                here, there = (cell, other) if key in uses[cell] else (other, cell)
                yield _fault(
                    uses[here][key][0],
                    "twin_missing",
                    f"no sentence with {rule.attribute} {there[at]} has the same span"
                    f"{'s' if len(key) > 1 else ''}",
                    expected=" + ".join(key),
                )
            if rule.shared_words is not None:
                for key in sorted(uses[cell].keys() & uses[other].keys()):
                    yield from _too_alike(uses[cell][key], uses[other][key], rule.shared_words)


def _combinations(picked: Iterable[Picked]) -> dict[tuple[str, ...], list[Picked]]:
    """Sentences by the entries (or surfaces, where none is named) of their spans."""
    found: dict[tuple[str, ...], list[Picked]] = {}
    for one in picked:
        surfaces = one.sentence.surfaces()
        key = tuple(
            entry.id if entry is not None else surface.casefold()
            for entry, surface in zip(one.entries, surfaces, strict=False)
        )
        found.setdefault(key, []).append(one)
    return found


def _too_alike(here: Sequence[Picked], there: Sequence[Picked], limit: float) -> Iterator[Fault]:
    for one in here:
        for other in there:
            share = shared_words(one, other)
            if share >= limit:
                yield _fault(
                    one,
                    "twins_alike",
                    f"the sentence is too much like its twin {other.sentence.id}",
                    expected=f"under {limit:.0%} of the words in common",
                    found=f"{share:.0%}",
                )


def shared_words(one: Picked, other: Picked) -> float:
    """The part of the words of the shorter sentence that stand in the other one too, spans left out.

    Different words are counted, case ignored: 0 to 1; 0 where a sentence has no words outside its spans.
    """
    sets = [{word for stretch in each.outside() for word in stretch} for each in (one, other)]
    smaller = min(map(len, sets))
    return len(sets[0] & sets[1]) / smaller if smaller else 0.0


def band(rule: rules.Band, picked: Sequence[Picked], content: Content) -> Iterator[Fault]:
    """A number of each used entry lies strictly between two bounds, or a coded reason says why not."""
    lexicon = content.lexicons[rule.lexicon]
    for entry in lexicon.entries.values():
        code = entry.columns.get(rule.reasons, "").strip()
        if code and code not in rule.codes:
            yield Fault(
                code="selection_band_code",
                message=f"unknown code {code}",
                file=lexicon.file,
                row=entry.line,
                column=rule.reasons,
                expected=", ".join(rule.codes),
            )
    inside = set()
    for name, (entry, sentences) in _used(picked, rule.lexicon).items():
        value = entry.features[rule.feature]
        if isinstance(value, float) and rule.above < value < rule.below:
            inside.add(name)
            continue
        exempt = all(any(rules.matches(where, one.values) for where in rule.exempt) for one in sentences)
        if not exempt and not entry.columns.get(rule.reasons, "").strip():
            yield Fault(
                code="selection_band",
                message=f"{name}: {rule.feature} is outside the band, and no code says why",
                file=lexicon.file,
                row=entry.line,
                column=rule.reasons,
                expected=f"above {rule.above:g} and below {rule.below:g}, or one of {', '.join(rule.codes)}",
                found="nothing" if value is None else f"{value:g}",
            )
    for minimum in rule.minimum:
        number = len(_used(_in(picked, minimum.where), rule.lexicon).keys() & inside)
        if number < minimum.count:
            yield Fault(
                code="selection_band_minimum",
                message=f"{_words(minimum.where)}: too few entries have their {rule.feature} in the band",
                file=content.recipe.shown("probeta.yaml"),
                expected=f"at least {minimum.count} above {rule.above:g} and below {rule.below:g}",
                found=str(number),
            )


def given(rule: rules.Given, picked: Sequence[Picked], content: Content) -> Iterator[Fault]:
    """A feature of the used entries, or a column of the sentences, is not empty."""
    if rule.column is not None:
        for one in _in(picked, rule.where):
            if not one.columns.get(rule.column):
                yield _fault(
                    one, "given", f"{one.sentence.id}: {rule.column} is not given", column=rule.column
                )
        return
    assert rule.lexicon is not None and rule.feature is not None
    for name, (entry, _) in _used(_in(picked, rule.where), rule.lexicon).items():
        if entry.features[rule.feature] is None:
            yield Fault(
                code="selection_given",
                message=f"{name}: {rule.feature} is not given",
                file=content.lexicons[rule.lexicon].file,
                row=entry.line,
                column=rule.feature,
            )


def spread(rule: rules.Spread, picked: Sequence[Picked], content: Content) -> Iterator[Fault]:
    """A feature of the used entries, or a column of the sentences, takes many values, none too often."""
    if rule.column is not None:
        what = rule.column
        values = [one.columns.get(rule.column) for one in picked]
    else:
        assert rule.lexicon is not None and rule.feature is not None
        what = rule.feature
        values = [
            str(value) if (value := entry.features[rule.feature]) is not None else None
            for entry, _ in _used(picked, rule.lexicon).values()
        ]
    counts = Counter(value for value in values if value is not None)
    file = content.recipe.shown("probeta.yaml")
    if len(counts) < rule.at_least:
        yield Fault(
            code="selection_spread",
            message=f"{what} takes too few values",
            file=file,
            expected=f"at least {rule.at_least}",
            found=str(len(counts)),
        )
    for value, number in counts.most_common():
        if number > rule.share * counts.total():
            yield Fault(
                code="selection_spread",
                message=f"{what} is too often {value}",
                file=file,
                expected=f"at most {rule.share:.0%}",
                found=f"{number} of {counts.total()}",
            )


def endings(rule: rules.Endings, picked: Sequence[Picked], content: Content) -> Iterator[Fault]:
    """No two entries of a cell have the same last letters, unless a reason stands beside all but one."""
    lexicon = content.lexicons[rule.lexicon]
    cells: dict[Cell, list[Picked]] = defaultdict(list)
    for one in _in(picked, rule.where):
        cells[one.cell].append(one)
    told = set()
    for cell, members in cells.items():
        alike: dict[str, list[Entry]] = defaultdict(list)
        for entry, _ in _used(members, rule.lexicon).values():
            form = next((form for form in entry.forms.values() if form is not None), "")
            alike[ending(form, rule.letters)].append(entry)
        for letters, entries in alike.items():
            bare = [
                entry
                for entry in entries
                if rule.reasons is None or not entry.columns.get(rule.reasons, "").strip()
            ]
            names = tuple(entry.id for entry in bare)
            if len(bare) > 1 and names not in told:
                told.add(names)
                yield Fault(
                    code="selection_endings",
                    message=f"{', '.join(names)} end alike in the cell {', '.join(cell)}",
                    file=lexicon.file,
                    row=bare[1].line,
                    column=rule.reasons,
                    expected="different endings, or a reason",
                    found=f"-{letters}",
                )


def ending(form: str, letters: int) -> str:
    """The last ``letters`` letters of a form, case, spaces and marks between them ignored.

    >>> ending("part-time", 4), ending("pie", 4)
    ('time', 'pie')
    """
    return "".join(char for char in form.casefold() if char.isalpha())[-letters:]


def shared_ngrams(rule: rules.SharedNgrams, picked: Sequence[Picked], content: Content) -> Iterator[Fault]:
    """Sentences of different templates share no run of words outside their spans."""
    seen: dict[tuple[str, ...], Picked] = {}
    told = set()
    for one in picked:
        for stretch in one.outside():
            for start in range(len(stretch) - rule.words + 1):
                run = tuple(stretch[start : start + rule.words])
                other = seen.setdefault(run, one)
                pair = (other.sentence.id, one.sentence.id)
                if other.template != one.template and pair not in told:
                    told.add(pair)
                    yield _fault(
                        one,
                        "shared_words",
                        f"{one.sentence.id} and {other.sentence.id} share {rule.words} words in a row",
                        found=" ".join(run),
                    )


def openings(rule: rules.Openings, picked: Sequence[Picked], content: Content) -> Iterator[Fault]:
    """Only so many sentences begin with the same words."""

    def opening(one: Picked) -> list[str]:
        return words(one.sentence.text)[: rule.words]

    for start, group in groupby(sorted(picked, key=opening), key=opening):
        members = list(group)
        if len(members) > rule.at_most:
            yield _fault(
                members[rule.at_most],
                "openings",
                f"{', '.join(one.sentence.id for one in members)} begin alike",
                expected=f"at most {rule.at_most}",
                found=" ".join(start),
            )


def mean_tokens(rule: rules.MeanTokens, picked: Sequence[Picked], content: Content) -> Iterator[Fault]:
    """The mean number of tokens, in spaCy's tokenization of the language, lies in a range."""
    if not picked:
        return
    tokenizer = Tokenizer(content.recipe.language, any_language=True)
    mean = sum(len(tokenizer(one.sentence.text)) for one in picked) / len(picked)
    if not rule.at_least <= mean <= rule.at_most:
        yield Fault(
            code="selection_mean_tokens",
            message="the sentences are too short" if mean < rule.at_least else "the sentences are too long",
            file=content.recipe.shown("probeta.yaml"),
            expected=f"{rule.at_least:g} to {rule.at_most:g} tokens on average",
            found=f"{mean:.2f}",
        )


def one_cell(rule: rules.OneCell, picked: Sequence[Picked], content: Content) -> Iterator[Fault]:
    """A span, by its entry and by its text, stands in one cell, or in cells that are twins."""
    by = content.recipe.grid.by
    left_out = by.index(rule.twins) if rule.twins is not None else None
    first: dict[tuple[str, str], Picked] = {}
    told = set()
    for one in picked:
        for entry, surface in zip(one.entries, one.sentence.surfaces(), strict=False):
            keys = [("the span", surface.casefold())]
            if entry is not None:
                keys.insert(0, ("the entry", entry.id))
            for key in keys:
                other = first.setdefault(key, one)
                same = all(
                    at == left_out or mine == its
                    for at, (mine, its) in enumerate(zip(one.cell, other.cell, strict=True))
                )
                pair = (one.sentence.id, other.sentence.id)
                if not same and pair not in told:
                    told.add(pair)
                    yield _fault(
                        one,
                        "one_cell",
                        f"{key[0]} {key[1]} stands in two cells",
                        expected=f"only {', '.join(other.cell)}, as in {other.sentence.id}",
                        found=", ".join(one.cell),
                    )


#: Rule name -> what tests it.
TESTS: Mapping[str, Callable[[Any, Sequence[Picked], Content], Iterator[Fault]]] = {
    "entry_counts": entry_counts,
    "twins": twins,
    "band": band,
    "given": given,
    "spread": spread,
    "endings": endings,
    "shared_ngrams": shared_ngrams,
    "openings": openings,
    "mean_tokens": mean_tokens,
    "one_cell": one_cell,
}
