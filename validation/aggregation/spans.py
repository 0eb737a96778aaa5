"""One set of spans from several: by majority of exact spans, by majority of tokens, and what conflicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from probeta.validation.aggregation.votes import State
from probeta.validation.agreement.spansets import Span, SpanAnswers

Tokenize = Callable[[str], Sequence[tuple[int, int]]]


class SpanOutcome(NamedTuple):
    """The spans that won in an item, those with exactly half of the votes, and the item's state."""

    spans: tuple[Span, ...]
    tied: tuple[Span, ...]
    state: State
    answers: int


def marked_by(answers: SpanAnswers) -> list[dict[Span, list[str]]]:
    """Per item: each span with the annotators who marked it, in the order of the text."""
    found: list[dict[Span, list[str]]] = [{} for _ in answers.items]
    columns = (answers.item, answers.start, answers.end, answers.label, answers.rater)
    for item, start, end, label, rater in sorted(zip(*(column.tolist() for column in columns), strict=True)):
        span = start, end, answers.labels[label]
        found[item].setdefault(span, []).append(answers.raters[rater])
    return found


def exact_majority(answers: SpanAnswers, *, at_least: int = 2) -> list[SpanOutcome]:
    """Per item: the spans that more than half of its annotators marked, boundaries and label alike.

    A span with exactly half of the votes is tied, and the item's state is then ``tie``; fewer than
    ``at_least`` answers make it ``too_few``.
    """
    return [
        _outcome(votes, int(number), at_least)
        for votes, number in zip(marked_by(answers), answers.answered.sum(axis=1), strict=True)
    ]


def token_majority(answers: SpanAnswers, tokenize: Tokenize, *, at_least: int = 2) -> list[SpanOutcome]:
    """Per item: the stretches of tokens that more than half of its annotators marked with a label.

    A span begins at the first such token, and wherever more than half begin one there. A token that a
    span touches counts as marked. Tokens with exactly half of the votes are tied, as spans of their own.
    Raises a ValueError without texts.
    """
    if answers.texts is None:
        raise ValueError("the items' texts are needed")
    outcomes = []
    for text, votes, number in zip(
        answers.texts, marked_by(answers), answers.answered.sum(axis=1), strict=True
    ):
        tokens = list(tokenize(text))
        won: dict[str, list[tuple[int, bool]]] = {}
        tied: list[Span] = []
        for label in sorted({label for _, _, label in votes}):
            for place, (start, end) in enumerate(tokens):
                inside = begins = 0
                for (left, right, name), raters in votes.items():
                    if name == label and left < end and start < right:
                        inside += len(raters)
                        first = place == 0 or tokens[place - 1][1] <= left
                        begins += len(raters) * first
                if 2 * inside > number:
                    won.setdefault(label, []).append((place, 2 * begins > number))
                elif inside and 2 * inside == number:
                    tied.append((start, end, label))
        spans = sorted(span for label, places in won.items() for span in _stretches(places, tokens, label))
        outcomes.append(_state(tuple(spans), tuple(sorted(tied)), int(number), at_least))
    return outcomes


def _stretches(places: list[tuple[int, bool]], tokens: Sequence[tuple[int, int]], label: str) -> list[Span]:
    spans: list[Span] = []
    last = -2
    for place, begins in places:
        start, end = tokens[place]
        if place == last + 1 and not begins:
            spans[-1] = spans[-1][0], end, label
        else:
            spans.append((start, end, label))
        last = place
    return spans


def _outcome(votes: dict[Span, list[str]], number: int, at_least: int) -> SpanOutcome:
    won = tuple(span for span, raters in votes.items() if 2 * len(raters) > number)
    tied = tuple(span for span, raters in votes.items() if 2 * len(raters) == number)
    return _state(won, tied, number, at_least)


def _state(won: tuple[Span, ...], tied: tuple[Span, ...], number: int, at_least: int) -> SpanOutcome:
    if number < at_least or not number:
        return SpanOutcome((), (), State.TOO_FEW, number)
    return SpanOutcome(won, tied, State.TIE if tied else State.UNIQUE, number)


def conflicts(answers: SpanAnswers) -> list[dict[str, Any]]:
    """Where annotators of an item differ: groups of spans that overlap, with who marked what.

    ``kind`` is ``label`` (same boundaries, other labels), ``boundary`` (overlapping spans with other
    boundaries) or ``missing`` (one span that some did not mark). ``without`` lists the annotators of the
    item who marked none of the group.
    """
    found = []
    for position, votes in enumerate(marked_by(answers)):
        raters = [answers.raters[rater] for rater in answers.active if answers.answered[position, rater]]
        for group in _overlapping_groups(sorted(votes)):
            markers = {rater for span in group for rater in votes[span]}
            without = sorted(set(raters) - markers)
            if len(group) == 1 and not without:
                continue
            edges = {span[:2] for span in group}
            kind = "missing" if len(group) == 1 else "label" if len(edges) == 1 else "boundary"
            found.append(
                {
                    "item": answers.items[position],
                    "kind": kind,
                    "start": min(span[0] for span in group),
                    "end": max(span[1] for span in group),
                    "variants": [
                        {
                            "start": start,
                            "end": end,
                            "label": label,
                            "annotators": sorted(votes[start, end, label]),
                        }
                        for start, end, label in group
                    ],
                    "without": without,
                }
            )
    return found


def _overlapping_groups(spans: list[Span]) -> list[list[Span]]:
    groups: list[list[Span]] = []
    reach = -1
    for span in spans:
        if groups and span[0] < reach:
            groups[-1].append(span)
        else:
            groups.append([span])
        reach = max(reach, span[1])
    return groups
