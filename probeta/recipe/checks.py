"""What holds between the parts of a recipe: names that are used are declared, files are there."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from probeta.errors import Fault, nearest
from probeta.recipe.schema import PairRecipe, Recipe, SpanRecipe, TaggedRecipe
from probeta.recipe.selection import Given, MeanTokens, Spread
from probeta.recipe.source import Document, Place


class Trouble(NamedTuple):
    """A fault before it has a file and a line."""

    place: Place
    code: str
    message: str
    expected: str | None = None
    found: str | None = None
    fix: str | None = None


def cross_faults(recipe: Recipe, document: Document, *, file: str) -> list[Fault]:
    """Every fault between the parts of a recipe, each with its line."""
    troubles = itertools.chain.from_iterable(check(recipe) for check in _checks(recipe))
    return [
        Fault(
            code=trouble.code,
            message=trouble.message,
            file=file,
            row=document.line(trouble.place),
            column=document.named(trouble.place),
            expected=trouble.expected,
            found=trouble.found,
            fix=trouble.fix,
        )
        for trouble in troubles
    ]


def _checks(recipe: Recipe) -> Iterator[Callable[..., Iterator[Trouble]]]:
    yield from (_files, _guidelines, _hold_back, _translations)
    if isinstance(recipe, SpanRecipe):
        yield from (_grid, _lexicons, _families, _selection)


def unknown(place: Place, word: str, known: Iterable[str], *, what: str) -> Trouble:
    """A word that is not declared, with the nearest one that is."""
    names = list(known)
    hint = nearest(word, names)
    return Trouble(
        place,
        f"unknown_{what.split()[0]}",
        f"unknown {what} {word}",
        expected=", ".join(names) or None,
        fix=f"did you mean {hint}?" if hint else f"declare the {what}",
    )


def _files(recipe: Recipe) -> Iterator[Trouble]:
    there: list[str] | None = None
    for place, file in recipe.files():
        if not recipe.path(file).is_file():
            if there is None:
                there = sorted(
                    path.relative_to(recipe.folder).as_posix()
                    for path in recipe.folder.rglob("*")
                    if path.is_file()
                )
            hint = nearest(file, there)
            yield Trouble(
                place,
                "missing_file",
                f"there is no file {recipe.shown(file)}",
                fix=f"did you mean {hint}?" if hint else None,
            )


def _guidelines(recipe: Recipe) -> Iterator[Trouble]:
    for at, file in enumerate(recipe.guidelines):
        if not recipe.guideline_path(file).is_file():
            yield Trouble(("guidelines", at), "missing_file", f"there is no guideline {file}")


def _translations(recipe: Recipe) -> Iterator[Trouble]:
    """What is translated is there: a misspelt name would leave its text untranslated, in silence."""
    card = recipe.card
    reasons = (
        [cell.reason for cell in recipe.grid.cells if cell.reason] if isinstance(recipe, SpanRecipe) else []
    )
    for language, told in card.translations.items():
        place: Place = ("card", "translations", language)
        known: dict[str, tuple[Mapping[str, object], list[str], str]] = {
            "labels": (told.labels, list(recipe.labels), "label"),
            "attributes": (told.attributes, list(recipe.attributes), "attribute"),
            "authors": (told.authors, [author.name for author in card.authors], "author"),
            "sources": (told.sources, [source.name for source in card.sources], "source"),
            "reasons": (told.reasons, reasons, "reason of a cell"),
        }
        for key, (given, names, what) in known.items():
            for name in given:
                if name not in names:
                    yield unknown((*place, key, name), name, names, what=what)
        for name, attribute in told.attributes.items():
            declared = recipe.attributes[name].values if name in recipe.attributes else None
            for value in attribute.values:
                if value not in (declared or {}):
                    yield unknown(
                        (*place, "attributes", name, "values", value),
                        value,
                        declared or (),
                        what=f"value of {name}",
                    )


def _hold_back(recipe: Recipe) -> Iterator[Trouble]:
    """Splits that stay on this machine: a name that is no split would hold nothing back, in silence."""
    names = recipe.card.hold_back
    if isinstance(recipe, TaggedRecipe):
        known = list(dict.fromkeys(recipe.source.splits.values()))
    elif isinstance(recipe, PairRecipe):
        known = list(recipe.pairs.splits)
    else:
        known = []
    for at, name in enumerate(names):
        place: Place = ("card", "hold_back", at)
        if isinstance(recipe, SpanRecipe):
            if name == "test" or name == "all" or not re.fullmatch(r"\w+", name):
                yield Trouble(
                    place,
                    "hold_back",
                    f"the split {name} cannot be held back"
                    if name == "test"
                    else f"{name} is no name for a split",
                    expected="letters, digits and _; test is what is published, and all means every split",
                    fix="name it otherwise, for instance holdout, and write that into the column split of the sentences",
                )
        elif name not in known:
            yield unknown(place, name, known, what="split")
    if known and set(known) <= set(names):
        yield Trouble(
            ("card", "hold_back"), "hold_back", "every split is held back: nothing could be published"
        )


def _grid(recipe: SpanRecipe) -> Iterator[Trouble]:
    declared = recipe.attributes
    by = recipe.grid.by
    for at, name in enumerate(by):
        place: Place = ("grid", "by", at)
        if name not in declared:
            yield unknown(place, name, declared, what="attribute")
        elif declared[name].values is None:
            yield Trouble(place, "grid_open", f"the attribute {name} has no list of values to span a grid")
        if name in by[:at]:
            yield Trouble(place, "grid_doubled", f"the attribute {name} stands twice")
    seen: dict[tuple[str, ...], int] = {}
    for at, cell in enumerate(recipe.grid.cells):
        place = ("grid", "cells", at, "values")
        for name in by:
            if name not in cell.values:
                yield Trouble(place, "cell_incomplete", f"the cell has no value for {name}")
        for name, value in cell.values.items():
            if name not in by:
                yield unknown((*place, name), name, by, what="attribute of the grid")
            elif (values := declared[name].values if name in declared else None) and value not in values:
                yield unknown((*place, name), value, values, what=f"value of {name}")
        key = tuple(cell.values.get(name, "") for name in by)
        if key in seen:
            first = seen[key] + 1
            yield Trouble(place, "cell_doubled", "the cell stands twice", found=f"already cell {first}")
        seen.setdefault(key, at)


def _lexicons(recipe: SpanRecipe) -> Iterator[Trouble]:
    for name, lexicon in recipe.lexicons.items():
        place: Place = ("lexicons", name)
        if lexicon.label is not None and lexicon.label_column is not None:
            yield Trouble(
                (*place, "label_column"), "lexicon_label", "label and label_column exclude each other"
            )
        if lexicon.label is not None and lexicon.label not in recipe.labels:
            yield unknown((*place, "label"), lexicon.label, recipe.labels, what="label")
        for form, overrides in lexicon.forms.items():
            for feature in overrides:
                given_by_all = all(feature in other for other in lexicon.forms.values())
                if feature not in lexicon.features and not given_by_all:
                    yield unknown((*place, "forms", form, feature), feature, lexicon.features, what="feature")
            if form in lexicon.features or form in ("id", lexicon.reasons):
                yield Trouble((*place, "forms", form), "lexicon_column", f"{form} is more than a form")
        if "id" in lexicon.features:
            yield Trouble((*place, "features"), "lexicon_column", "id is a feature of itself; leave it out")


def _families(recipe: SpanRecipe) -> Iterator[Trouble]:
    for at, name in enumerate(recipe.type_rule):
        if name in recipe.type_rule[:at]:
            yield Trouble(("type_rule", at), "type_rule_doubled", f"{name} stands twice")


def _selection(recipe: SpanRecipe) -> Iterator[Trouble]:
    for at, rule in enumerate(recipe.selection):
        place: Place = ("selection", at)
        data = rule.model_dump()
        if isinstance(rule, Given | Spread) and (rule.column is None) == (
            rule.lexicon is None or rule.feature is None
        ):
            yield Trouble(
                place,
                f"{rule.rule}_of",
                f"the rule {rule.rule} is about a lexicon's feature, or about a column of the sentences",
            )
        if isinstance(rule, MeanTokens) and rule.at_least > rule.at_most:
            yield Trouble((*place, "from"), "range", "the range ends before it begins")
        lexicon = data.get("lexicon")
        if lexicon is not None and lexicon not in recipe.lexicons:
            yield unknown((*place, "lexicon"), lexicon, recipe.lexicons, what="lexicon")
        elif lexicon is not None and (feature := data.get("feature")) is not None:
            features = recipe.lexicons[lexicon].features
            if feature not in features:
                yield unknown((*place, "feature"), feature, features, what="feature")
        for key in ("attribute", "twins"):
            if data.get(key) is not None and data[key] not in recipe.grid.by:
                written = "except" if key == "twins" else key
                yield unknown((*place, written), data[key], recipe.grid.by, what="attribute of the grid")
        for where_place, where in _wheres(data, place):
            yield from _where(recipe, where_place, where)


def _wheres(data: Mapping[str, object], place: Place) -> Iterator[tuple[Place, Mapping[str, list[str]]]]:
    where = data.get("where")
    if isinstance(where, Mapping):
        yield (*place, "where"), where
    for key in ("counts", "minimum"):
        members = data.get(key)
        for at, member in enumerate(members if isinstance(members, list) else []):
            yield (*place, key, at, "where"), member["where"]
    exempt = data.get("exempt")
    for at, where in enumerate(exempt if isinstance(exempt, list) else []):
        yield (*place, "exempt", at), where


def _where(recipe: SpanRecipe, place: Place, where: Mapping[str, list[str]]) -> Iterator[Trouble]:
    for name, wanted in where.items():
        if name not in recipe.grid.by:
            yield unknown((*place, name), name, recipe.grid.by, what="attribute of the grid")
            continue
        values = recipe.attributes[name].values if name in recipe.attributes else None
        for value in wanted:
            if values is not None and value not in values:
                yield unknown((*place, name), value, values, what=f"value of {name}")
