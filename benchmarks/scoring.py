"""A million tagged tokens scored beside seqeval and nervaluate; bootstraps of a test set of BLAS's size.

Tag lists are scored by the parts that `probeta score` decodes and counts with; the command's own way, from a
file to every score, is measured beside a plain loop that reads the file for seqeval.

The corpus is drawn: 27,242 sentences, two labels, every second prediction right. Before anything is
timed, our strict counts are compared with seqeval's F1 and nervaluate's counts: the work is the same.
Memory is what scoring allocates beyond its input, against the input's lists themselves (their strings are
shared, so they are not counted).
"""

from __future__ import annotations

import random
import sys
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.harness import Row, best_cpu, peer
from probeta.errors import UsageError
from probeta.evaluation.evaluate import Files, Request, evaluate_spans
from probeta.evaluation.intervals import clusters, resample
from probeta.evaluation.protocol import load_protocol
from probeta.evaluation.scoring import SpanScores
from probeta.evaluation.tagged import TagCounts, score_tags

PEERS = ("seqeval", "nervaluate")

_SENTENCES = 27_242
_TOKENS = 1_000_000
_LABELS = ("ENG", "OTHER")

Tags = list[list[str]]


def run() -> list[Row]:
    gold, predicted = _corpus()
    tokens = sum(map(len, gold))
    ours = score_tags(gold=gold, predicted=predicted)
    _same_work(ours, gold, predicted)
    seconds = best_cpu(lambda: score_tags(gold=gold, predicted=predicted))
    return [
        Row(
            name=f"{tokens:,} tokens in {len(gold):,} sentences scored from tag lists",
            measured=f"{seconds:.3f} CPU s",
            goal="<= 0.3 s",
            met=seconds <= 0.3,
        ),
        *_beside(seconds, gold, predicted),
        *_command(gold, predicted, ours),
        _memory(gold, predicted),
        *_bootstrap(),
    ]


def _corpus() -> tuple[Tags, Tags]:
    generator = random.Random(20260000)

    def tags(length: int) -> list[str]:
        found: list[str] = []
        while len(found) < length:
            if generator.random() < 0.03:
                label = generator.choice(_LABELS)
                found += [f"B-{label}", *[f"I-{label}"] * generator.choice((0, 0, 0, 1, 2))]
            else:
                found.append("O")
        return found[:length]

    gold, predicted = [], []
    for _ in range(_SENTENCES):
        length = generator.randint(5, 2 * _TOKENS // _SENTENCES - 5)
        gold.append(tags(length))
        predicted.append(list(gold[-1]) if generator.random() < 0.5 else tags(length))
    return gold, predicted


def _same_work(ours: TagCounts, gold: Tags, predicted: Tags) -> None:
    theirs = peer("seqeval.metrics").f1_score(gold, predicted)
    if ours.spans.f1 is None or abs(ours.spans.f1 - theirs) > 1e-9:
        raise UsageError(f"seqeval and we disagree: {theirs} and {ours.spans.f1}")
    strict = _nervaluate(gold, predicted)["overall"]["strict"]
    if (strict.correct, strict.actual) != (ours.spans.correct, ours.spans.predicted):
        raise UsageError(f"nervaluate and we disagree: {strict.correct} and {ours.spans.correct}")


def _nervaluate(gold: Tags, predicted: Tags) -> dict[str, dict[str, object]]:
    evaluator = peer("nervaluate").Evaluator(gold, predicted, tags=list(_LABELS), loader="list")
    found: dict[str, dict[str, object]] = evaluator.evaluate()
    return found


def _beside(seconds: float, gold: Tags, predicted: Tags) -> list[Row]:
    metrics = peer("seqeval.metrics")
    strict = peer("seqeval.scheme").IOB2
    contenders = (
        ("seqeval f1_score", lambda: metrics.f1_score(gold, predicted), 4.0),
        (
            "seqeval f1_score, strict IOB2",
            lambda: metrics.f1_score(gold, predicted, mode="strict", scheme=strict),
            None,
        ),
        ("nervaluate evaluate", lambda: _nervaluate(gold, predicted), None),
    )
    rows = []
    for name, call, goal in contenders:
        theirs = best_cpu(call, runs=2)
        ratio = theirs / seconds
        rows.append(
            Row(
                name="the same corpus",
                measured=f"{theirs:.3f} CPU s",
                goal="" if goal is None else f">= {goal:g} times as fast",
                peer=name,
                ratio=ratio,
                met=None if goal is None else ratio >= goal,
            )
        )
    return rows


def _command(gold: Tags, predicted: Tags, ours: TagCounts) -> list[Row]:
    """From a CoNLL file with both columns to what `probeta score` prints, without and with intervals."""
    protocol = load_protocol("strict")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "both.conll"
        with path.open("w", encoding="utf-8") as handle:
            for one, other in zip(gold, predicted, strict=True):
                for number, tags in enumerate(zip(one, other, strict=True)):
                    handle.write("\t".join((f"w{number}", *tags)) + "\n")
                handle.write("\n")

        def score(samples: int) -> SpanScores:
            files = Files(gold=path, columns={"system": 2})
            return evaluate_spans(files, protocol, Request(samples=samples)).scores

        if score(1).systems["system"].overall != ours.spans:
            raise UsageError("the command and the function on tag lists disagree")
        seconds = {samples: best_cpu(lambda samples=samples: score(samples), runs=2) for samples in (1, 1000)}
        theirs = best_cpu(lambda: _seqeval_on_a_file(path), runs=2)
    return [
        Row(
            name=f"`probeta score` on a file of both columns, {what}",
            measured=f"{seconds[samples]:.3f} CPU s",
            peer=f"seqeval f1_score, report, accuracy behind a plain loop: {theirs:.3f} CPU s",
            ratio=theirs / seconds[samples],
        )
        for samples, what in ((1, "no intervals"), (1000, "1,000 bootstraps of 27,242 sentences"))
    ]


def _seqeval_on_a_file(path: Path) -> tuple[float, str, float]:
    """What a script does: read the columns, ask for micro F1, the report by label and token accuracy."""
    metrics = peer("seqeval.metrics")
    gold: Tags = [[]]
    predicted: Tags = [[]]
    with path.open(encoding="utf-8") as handle:
        for line in handle:
            if line == "\n":
                gold.append([])
                predicted.append([])
                continue
            _, one, other = line.rstrip("\n").split("\t")
            gold[-1].append(one)
            predicted[-1].append(other)
    return (
        metrics.f1_score(gold, predicted),
        metrics.classification_report(gold, predicted),
        metrics.accuracy_score(gold, predicted),
    )


def _memory(gold: Tags, predicted: Tags) -> Row:
    held = sum(map(sys.getsizeof, gold)) + sum(map(sys.getsizeof, predicted))
    tracemalloc.start()
    try:
        score_tags(gold=gold, predicted=predicted)
        used = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return Row(
        name="memory beyond the input",
        measured=f"{used / 2**20:.1f} MB of {held / 2**20:.1f} MB",
        goal="below the input",
        ratio=used / held,
        met=used < held,
    )


def _bootstrap() -> list[Row]:
    """1,836 sentences: by base sentence, and with every sentence a cluster of its own."""
    generator = np.random.default_rng(20260000)
    counts = generator.integers(0, 3, size=(1836, 3)).astype(np.float64)
    rows = []
    for name, cluster in (
        ("153 base sentences", clusters([f"b{number // 12:03}" for number in range(1836)])),
        ("1,836 clusters", clusters([f"s{number:04}" for number in range(1836)])),
    ):
        seconds = best_cpu(lambda cluster=cluster: resample(counts, cluster, samples=1000, seed=0))
        rows.append(
            Row(
                name=f"1,000 bootstraps of 1,836 sentences, {name}",
                measured=f"{seconds:.3f} CPU s",
                goal="<= 0.5 s",
                met=seconds <= 0.5,
            )
        )
    return rows
