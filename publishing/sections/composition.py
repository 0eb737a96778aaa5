"""What is in the set and how it came there: the grid, attributes and perturbations, or classes, genres and funnel."""

from __future__ import annotations

from typing import Any

from probeta.publishing import views
from probeta.publishing.facts import Facts
from probeta.publishing.wording import Words


def values(facts: Facts, say: Words) -> dict[str, Any]:
    """The values of ``composition_spans`` and ``composition_pairs``."""
    return {**_spans(facts, say), **_pairs(facts, say)}


def _spans(facts: Facts, say: Words) -> dict[str, Any]:
    count = say.number
    cells = views.coverage(facts)
    by = list(cells[0][0]) if cells else []
    labels = list(facts.recipe.labels)
    return {
        "coverage": [
            (*(f"`{values[name]}`" for name in by), count(target), count(made), say.reason(reason))
            for values, target, made, reason in cells
        ],
        "coverage_head": [*by, say("target"), say("base sentences"), say("why")],
        "coverage_right": "l" * len(by) + "rrl",
        "composition": [
            (f"`{name}`", f"`{word}`", say.attribute_value(name, word), count(spans))
            for name, word, spans in views.composition(facts)
        ],
        "by_value": [
            (
                f"`{name}`",
                f"`{word}`",
                count(row["sentences"]),
                count(row["tokens"]),
                count(row["spans"]),
                *(count(row["labels"].get(label, 0)) for label in labels),
            )
            for name, word, row in views.by_value(facts)
        ],
        "by_value_head": [
            say("attribute"),
            say("value"),
            say("sentences"),
            say("tokens"),
            say("spans"),
            *labels,
        ],
        "by_value_right": "llrrr" + "r" * len(labels),
        "wide_attributes": views.wide_attributes(facts),
        "perturbations": [
            (f"`{name}`", f"`{word}`", say.attribute_value(name, word), count(rows))
            for name, word, rows in views.perturbations(facts)
        ],
        "sentence_attributes": [
            (f"`{name}`", f"`{word}`", say.attribute_value(name, word), count(rows))
            for name, word, rows in views.sentence_attributes(facts)
        ],
    }


def _pairs(facts: Facts, say: Words) -> dict[str, Any]:
    count = say.number
    splits, classes = views.classes(facts)
    return {
        "classes": [(f"`{name}`", say.label(name), *map(count, sizes)) for name, sizes in classes],
        "class_head": [say("class"), say("definition"), *splits],
        "class_right": "ll" + "r" * len(splits),
        "class_right_plain": "l" + "r" * len(splits),
        "genre_head": [say("genre"), *splits],
        "genres": [
            (genre or say("not recorded"), *map(count, sizes)) for genre, sizes in views.genres(facts)
        ],
        "corpora": [
            (
                one["corpus"],
                one["genre"] or "",
                one["licence"] or say("not recorded"),
                *(count(one["documents"].get(split, 0)) for split in splits),
                *(count(one["pairs"].get(split, 0)) for split in splits),
            )
            for one in views.corpora(facts)
        ],
        "corpus_head": [
            say("corpus"),
            say("genre"),
            say("licence"),
            *(f"{say('documents')}, {split}" for split in splits),
            *(f"{say('pairs')}, {split}" for split in splits),
        ],
        "corpus_right": "lll" + "r" * (2 * len(splits)),
        "stress": _stress(facts, say),
        "funnel": [(step(kind, name, say), count(left)) for kind, name, left in views.funnel(facts)],
        "neutral_strategies": views.neutral_strategies(facts),
        "left_out": views.left_out(facts),
    }


def step(kind: str, name: str, say: Words) -> str:
    """A step of the way from sentences to pairs."""
    return say("after the filter: {name}", name=say.term(name)) if kind == "filter" else say.term(name)


def _stress(facts: Facts, say: Words) -> list[tuple[str, str]]:
    settings = getattr(facts.recipe, "pairs", None)
    rows = []
    for name, stress in (settings.stress if settings else {}).items():
        if not facts.config(f"stress_{name}"):
            continue
        if stress.operation == "append":
            text = say(
                "“{text}” before the final punctuation of `{side}`", text=stress.text, side=stress.side
            )
            if stress.times > 1:
                text += say(", {times} times", times=stress.times)
        else:
            text = say("one word of `{side}` misspelt as a finger slips on the keyboard", side=stress.side)
        rows.append((f"`stress_{name}`", text))
    return rows
