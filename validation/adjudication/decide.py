"""From answers to a ledger: aggregate the votes, apply the keep rule, give the reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from probeta.errors import UsageError
from probeta.validation.adjudication.ledger import Entry, Ledger, shown
from probeta.validation.adjudication.rules import KeepRule
from probeta.validation.aggregation.dawid_skene import answers_of, dawid_skene
from probeta.validation.aggregation.reliability import reliabilities, weighted_counts
from probeta.validation.aggregation.spans import SpanOutcome, Tokenize, exact_majority, token_majority
from probeta.validation.aggregation.votes import State, Votes, count_votes
from probeta.validation.agreement.coded import Coded
from probeta.validation.agreement.spansets import Span, SpanAnswers

#: How the votes on labels become one; ``votes`` is majority or plurality as the rule says.
LABEL_METHODS = ("votes", "weighted", "dawid_skene")

#: How spans become one set: more than half of the annotators on exact spans, or on each token.
SPAN_METHODS = ("exact", "tokens")


def decide_labels(
    coded: Coded,
    *,
    rule: KeepRule,
    method: str = "votes",
    originals: Mapping[str, str | None] | None = None,
    abstained: Mapping[str, tuple[str, ...]] | None = None,
) -> Ledger:
    """The ledger of labels.

    ``votes`` counts every annotator once. ``weighted`` counts each by reliability (``reliabilities``).
    ``dawid_skene`` takes the label with the highest posterior. Under the last two the rule asks for
    labels as given (``at_least``), and for more than half of the weight or of the posterior under
    ``majority``.
    """
    originals = originals or {}
    absent = abstained or {}
    away = np.array([len(absent.get(item, ())) for item in coded.items], dtype=float)
    voted = coded.counts.sum(axis=1)
    counts, confidence = coded.counts, None
    details: dict[str, Any] = {}
    if method == "weighted":
        weights = reliabilities(coded)
        counts = weighted_counts(coded, weights)
        details = {"weights": dict(zip(coded.raters, map(float, weights), strict=True))}
    elif method == "dawid_skene":
        found = dawid_skene(
            answers_of(coded), items=len(coded.items), raters=len(coded.raters), labels=len(coded.labels)
        )
        counts = np.where(voted[:, None] > 0, found.posterior, 0.0)
        confidence = counts.max(axis=1, initial=0)
        details = {
            "steps": len(found.log_likelihood),
            "log_likelihood": found.log_likelihood[-1] if found.log_likelihood else None,
            "converged": found.converged,
            "prior": dict(zip(coded.labels, map(float, found.prior), strict=True)),
        }
    elif method != "votes":
        raise UsageError(f"unknown method {method!r}: expected one of {', '.join(LABEL_METHODS)}")
    outcome = count_votes(
        counts,
        rule=rule.votes,
        # Labels as given are what the rule counts, whatever a vote weighs: see below.
        at_least=0,
        abstentions=away,
        count_abstentions=rule.abstentions == "count" and method == "votes",
    )
    if confidence is None:
        with np.errstate(invalid="ignore"):
            confidence = np.where(outcome.total > 0, outcome.best / outcome.total, np.nan)
    entries = []
    for position, item in enumerate(coded.items):
        state = outcome.state[position]
        if state is not State.ABSTAINED and voted[position] < max(1, rule.at_least):
            state = State.TOO_FEW
        winner = coded.labels[outcome.label[position]] if state is State.UNIQUE else None
        original = originals.get(item)
        tied = _tied(coded, outcome, counts, position)
        reason = rule.reason(state=state, winner=winner, tied=tied, original=original)
        entries.append(
            Entry(
                item=item,
                votes=_label_votes(coded, position),
                abstained=absent.get(item, ()),
                state=state,
                # What a tie is kept for is the original label.
                gold=original if reason == "tie_matches" else winner,
                original=original,
                reason=reason,
                confidence=float(confidence[position]) if winner is not None else None,
            )
        )
    return Ledger(
        entries=tuple(entries), rule=rule, method=method, labels=coded.labels, kind="labels", details=details
    )


def _label_votes(coded: Coded, position: int) -> dict[str, tuple[str, ...]]:
    votes: dict[str, list[str]] = {}
    for rater, code in enumerate(coded.codes[position].tolist()):
        if code >= 0:
            votes.setdefault(coded.labels[code], []).append(coded.raters[rater])
    return {label: tuple(who) for label, who in votes.items()}


def _tied(coded: Coded, outcome: Votes, counts: npt.NDArray[Any], position: int) -> frozenset[str]:
    best = outcome.best[position]
    return frozenset(
        label
        for label, votes in zip(coded.labels, counts[position], strict=True)
        if votes > 0 and np.isclose(votes, best, rtol=1e-9, atol=0)
    )


def decide_spans(
    answers: SpanAnswers,
    *,
    rule: KeepRule,
    method: str = "exact",
    originals: Mapping[str, tuple[Span, ...] | None] | None = None,
    tokenize: Tokenize | None = None,
) -> Ledger:
    """The ledger of spans; an item's winner is a set of spans, and it matches the original as a set.

    A span (or token) with exactly half of the votes is a tie, which ``ties: keep`` resolves if one of the
    ways to resolve it gives the original.
    """
    originals = originals or {}
    if method == "exact":
        outcomes = exact_majority(answers, at_least=rule.at_least)
    elif method == "tokens":
        if tokenize is None or answers.texts is None:
            raise UsageError("the method tokens needs the items' texts: name them with --items")
        outcomes = token_majority(answers, tokenize, at_least=rule.at_least)
    else:
        raise UsageError(f"unknown method {method!r}: expected one of {', '.join(SPAN_METHODS)}")
    votes = _set_votes(answers)
    entries = []
    for item, outcome, given in zip(answers.items, outcomes, votes, strict=True):
        original = originals.get(item)
        gold = outcome.spans if outcome.state is State.UNIQUE else None
        reason = _span_reason(rule, outcome, original)
        entries.append(
            Entry(
                item=item,
                votes={vote: who for vote, (who, _) in given.items()},
                marked={vote: spans for vote, (_, spans) in given.items()},
                state=outcome.state,
                gold=original if reason == "tie_matches" else gold,
                original=original,
                reason=reason,
                confidence=None,
            )
        )
    return Ledger(entries=tuple(entries), rule=rule, method=method, labels=answers.labels, kind="spans")


def _span_reason(rule: KeepRule, outcome: SpanOutcome, original: tuple[Span, ...] | None) -> str:
    key = None if original is None else shown(tuple(sorted(original)))
    winner = shown(outcome.spans)
    tied: frozenset[str] = frozenset()
    if key is not None and original is not None and outcome.state is State.TIE:
        rest = set(original) - set(outcome.spans)
        if set(outcome.spans) <= set(original) and rest <= set(outcome.tied):
            tied = frozenset({key})
    return rule.reason(state=outcome.state, winner=winner, tied=tied, original=key)


def _set_votes(answers: SpanAnswers) -> list[dict[str, tuple[tuple[str, ...], tuple[Span, ...]]]]:
    """Per item: each whole set of spans with the annotators who gave it, and the spans."""
    own: dict[tuple[int, int], list[Span]] = {}
    columns = (answers.item, answers.rater, answers.start, answers.end, answers.label)
    for item, rater, start, end, label in zip(*(column.tolist() for column in columns), strict=True):
        own.setdefault((item, rater), []).append((start, end, answers.labels[label]))
    found = []
    for position in range(len(answers.items)):
        votes: dict[tuple[Span, ...], list[str]] = {}
        for rater in np.flatnonzero(answers.answered[position]).tolist():
            votes.setdefault(tuple(sorted(own.get((position, rater), []))), []).append(answers.raters[rater])
        found.append({shown(spans): (tuple(who), spans) for spans, who in votes.items()})
    return found
