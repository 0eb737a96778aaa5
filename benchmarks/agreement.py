"""Agreement on a campaign of 2,000 items and 27 annotators, and on two annotations of 1,836 sentences.

Beside **krippendorff** (alpha, fed with label counts, its fastest way) and **scikit-learn** (kappa of a
pair at a time). Before anything is timed, the peers' values are compared with ours: the work is the same.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from typing import Any

import numpy as np

from benchmarks.harness import Row, best_cpu, peer
from probeta.errors import UsageError
from probeta.validation.aggregation.dawid_skene import answers_of, dawid_skene
from probeta.validation.agreement import (
    Coded,
    Interval,
    Study,
    cohen_kappa,
    from_pair,
    krippendorff_alpha,
)
from probeta.validation.agreement.pairs import grid
from probeta.validation.agreement.report import Choices, label_report
from probeta.validation.agreement.spans import span_f1
from probeta.validation.agreement.spansets import from_answers
from probeta.validation.annotations import COLUMNS, Annotations

PEERS = ("krippendorff", "sklearn")

LABELS = ("contrasting", "entailment", "neutral", "reasoning")
GENRES = ("articles", "books", "clinical", "comments", "legal", "news", "talks", "theses")
#: Share of answers that are the item's class; the rest is spread over the others.
SKILL = {"contrasting": 0.55, "entailment": 0.6, "neutral": 0.85, "reasoning": 0.6}

Sequences = tuple[list[str], list[str]]


def campaign(*, items: int = 2000, raters: int = 27, each: int = 3) -> Coded:
    """About ``each`` answers an item, spread over all annotators, harder and easier classes."""
    generator = np.random.default_rng(1)
    truth = np.arange(items) % len(LABELS)
    codes = np.full((items, raters), -1)
    for item in range(items):
        chosen = generator.choice(raters, each, replace=False)
        right = generator.random(each) < SKILL[LABELS[truth[item]]]
        codes[item, chosen] = np.where(right, truth[item], generator.integers(0, len(LABELS), each))
    names = tuple(f"p{item:04}" for item in range(items))
    return Coded(codes, LABELS, names, tuple(f"a{rater:02}" for rater in range(raters)), declared=True)


def table(coded: Coded) -> Annotations:
    """The campaign as it is read from disk, with a class and a genre for every item."""
    import pandas as pd

    items, raters = coded.given
    rows = pd.DataFrame(
        {
            "item": [coded.items[item] for item in items],
            "annotator": [coded.raters[rater] for rater in raters],
            "label": [LABELS[code] for code in coded.codes[items, raters]],
            "status": "answered",
        },
        columns=list(COLUMNS),
    ).astype(object)
    columns = pd.DataFrame(
        {
            "class": [LABELS[item % len(LABELS)] for item in range(len(coded.items))],
            "genre": [GENRES[item % len(GENRES)] for item in range(len(coded.items))],
        },
        index=pd.Index(coded.items, name="item"),
    )
    return Annotations(rows, columns, "campaign", "labels")


def tokens(*, number: int = 37_344) -> Sequences:
    """Two annotators' tags of tokens, one in twenty of them inside a span."""
    generator = np.random.default_rng(2)
    first = np.where(generator.random(number) < 0.05, "I-ENG", "O")
    flip = generator.random(number) < 0.001
    second = np.where(flip, np.where(first == "O", "I-ENG", "O"), first)
    return first.tolist(), second.tolist()


def _report(coded: Coded) -> Row:
    read = table(coded)
    choices = Choices(labels=LABELS, by=("class", "genre"))

    def call() -> None:
        label_report(read, choices)

    call()
    seconds = best_cpu(call)
    return Row(
        name="report 2,000 x 27, 1,000 resamples",
        measured=f"{seconds:.2f} s",
        goal="<= 0.5 s",
        met=seconds <= 0.5,
    )


def _bootstrap(coded: Coded) -> Row:
    krippendorff = peer("krippendorff")
    counts = coded.counts.astype(int)
    domain = list(range(len(LABELS)))

    def theirs(table: Any = counts) -> float:
        return float(
            krippendorff.alpha(value_counts=table, value_domain=domain, level_of_measurement="nominal")
        )

    if abs(theirs() - (krippendorff_alpha(coded).value or 0)) > 1e-12:
        raise UsageError("alpha is not krippendorff's: nothing was timed")
    generator = np.random.default_rng(3)
    draws = generator.integers(0, len(counts), size=(100, len(counts)))

    def loop() -> None:
        for draw in draws:
            theirs(counts[draw])

    def ours() -> None:
        krippendorff_alpha(Study(coded, interval=Interval(resamples=1000)))

    ours()
    mine, peers = best_cpu(ours), best_cpu(loop, runs=3) * 10
    return Row(
        name="alpha with 1,000 bootstraps",
        measured=f"{1000 * mine:.1f} ms",
        goal="<= 10 ms, >= 30 times",
        peer=f"krippendorff in a loop {1000 * peers:.0f} ms",
        ratio=peers / mine,
        met=mine <= 0.010 and peers >= 30 * mine,
    )


def _grid(coded: Coded) -> Row:
    score = peer("sklearn.metrics").cohen_kappa_score
    codes = coded.codes

    def loop() -> dict[tuple[int, int], float]:
        found = {}
        for first in range(codes.shape[1]):
            for second in range(first + 1, codes.shape[1]):
                both = (codes[:, first] >= 0) & (codes[:, second] >= 0)
                found[first, second] = float(
                    score(codes[both, first], codes[both, second], labels=range(len(LABELS)))
                )
        return found

    def ours() -> list[dict[str, Any]]:
        return grid(Study(coded, interval=Interval(method="analytic")))

    theirs = loop()
    for pair in ours():
        key = coded.raters.index(pair["first"]), coded.raters.index(pair["second"])
        if abs(pair["kappa"] - theirs[key]) > 1e-9:
            raise UsageError(f"kappa of {key} is not scikit-learn's: nothing was timed")
    mine, peers = best_cpu(ours), best_cpu(loop, runs=3)
    return Row(
        name="kappa of all 351 pairs, with intervals",
        measured=f"{1000 * mine:.1f} ms",
        goal=">= 100 times",
        peer=f"scikit-learn in a loop {1000 * peers:.0f} ms",
        ratio=peers / mine,
        met=peers >= 100 * mine,
    )


def _tokens() -> list[Row]:
    score = peer("sklearn.metrics").cohen_kappa_score
    first, second = tokens()

    def ours() -> float | None:
        return cohen_kappa(from_pair(first, second)).value

    if abs((ours() or 0) - score(first, second)) > 1e-12:
        raise UsageError("the token kappa is not scikit-learn's: nothing was timed")
    mine, peers = best_cpu(ours), best_cpu(lambda: score(first, second))
    clusters = (np.arange(len(first)) * 1836 // len(first)).tolist()

    def clustered() -> None:
        cohen_kappa(from_pair(first, second, clusters=clusters), interval=Interval(resamples=1000))

    seconds = best_cpu(clustered)
    return [
        Row(
            name="kappa of 37,344 tokens from lists of strings",
            measured=f"{1000 * mine:.1f} ms",
            goal="<= 5 ms",
            peer=f"scikit-learn {1000 * peers:.0f} ms",
            ratio=peers / mine,
            met=mine <= 0.005,
        ),
        Row(
            name="… with 1,000 bootstraps by 1,836 sentences",
            measured=f"{1000 * seconds:.0f} ms",
            goal="<= 60 ms",
            met=seconds <= 0.060,
        ),
    ]


def _spans() -> Row:
    generator = np.random.default_rng(4)
    answers: dict[tuple[str, str], list[tuple[int, int, str]]] = {}
    for sentence in range(1836):
        spans = [(10, 10 + int(generator.integers(4, 12)), "ENG")]
        spans += [(40, 48, "ENG")] if generator.random() < 0.12 else []
        answers[f"s{sentence}", "a"] = spans
        answers[f"s{sentence}", "b"] = [span for span in spans if generator.random() > 0.01]
    made = from_answers(answers)
    seconds = best_cpu(lambda: span_f1(made, interval=Interval(resamples=1000)))
    return Row(
        name="strict F1 of 2,050 spans with 1,000 bootstraps",
        measured=f"{1000 * seconds:.1f} ms",
        goal="<= 5 ms",
        met=seconds <= 0.005,
    )


def _dawid_skene(coded: Coded) -> Row:
    answers = answers_of(coded)
    items, raters = coded.codes.shape

    def call() -> None:
        dawid_skene(answers, items=items, raters=raters, labels=len(LABELS))

    seconds = best_cpu(call, runs=3)
    return Row(
        name="Dawid-Skene 2,000 x 27 x 4 to 1e-6",
        measured=f"{seconds:.2f} s",
        goal="<= 0.3 s",
        met=seconds <= 0.3,
    )


def _import() -> Row:
    """CPU seconds that a new interpreter takes longer with the import than without."""

    def start(code: str) -> float:
        seconds = []
        for _ in range(5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(seconds)

    seconds = start("import probeta.validation.agreement") - start("pass")
    return Row(
        name="import of the agreement module",
        measured=f"{seconds:.2f} s",
        goal="<= 0.3 s",
        met=seconds <= 0.3,
    )


def run() -> list[Row]:
    """All rows; a peer whose value differs from ours raises a UsageError."""
    coded = campaign()
    return [
        _report(coded),
        _bootstrap(coded),
        _grid(coded),
        *_tokens(),
        _spans(),
        _dawid_skene(coded),
        _import(),
    ]
