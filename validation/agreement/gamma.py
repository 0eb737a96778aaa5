"""gamma (Mathet, Widlöcher & Métivier 2015) through pygamma-agreement, an extra.

gamma aligns the annotators' units and compares the disorder of the best alignment with that of random
ones, so it is a sampled value: it is computed a document at a time, under seeds of our own, and shown
with its spread over them.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
from collections.abc import Iterator
from statistics import mean
from typing import Any

from probeta.errors import PrerequisiteError, extra
from probeta.randomness import keyed
from probeta.validation.agreement.spans import reason
from probeta.validation.agreement.spansets import SpanAnswers

#: Random alignments a document; pygamma's own default.
SAMPLES = 30

#: Seeds over which the spread is shown.
SEEDS = 5


def gamma(
    answers: SpanAnswers, *, seed: int = 0, samples: int = SAMPLES, seeds: int = SEEDS
) -> dict[str, Any]:
    """The mean gamma of the documents, weighted by their number of spans, with its spread over seeds.

    A document counts if two annotators answered it and one marked a span; an annotator without a span
    there is told to gamma as one who marked nothing. ``value`` is the mean over seeds, ``minimum`` and
    ``maximum`` are over them. Positions differ by pygamma's combined dissimilarity (positional and
    categorical, weights 1). Without a span: ``no_spans``. Without the package: a PrerequisiteError.
    """
    pygamma = _library()
    record: dict[str, Any] = {
        "value": None,
        "minimum": None,
        "maximum": None,
        "reason": reason(answers),
        "items": 0,
        "raters": len(answers.active),
        "samples": samples,
        "seeds": seeds,
        "seed": seed,
    }
    documents = list(_documents(answers))
    if record["reason"] or not documents:
        return record | {"reason": record["reason"] or "no_spans"}
    import numpy as np

    # pygamma draws from numpy's global generator: it is seeded for each document and given back after.
    state = np.random.get_state()
    try:
        values = []
        for repeat in range(seeds):
            total = weight = 0.0
            for item, units in documents:
                np.random.seed(keyed(seed, "gamma", str(repeat), item).getrandbits(32))
                found = _of_document(pygamma, units, samples)
                size = sum(map(len, units.values()))
                total += size * found
                weight += size
            values.append(total / weight)
    finally:
        np.random.set_state(state)
    return record | {
        "value": mean(values),
        "minimum": min(values),
        "maximum": max(values),
        "items": len(documents),
    }


def _library() -> Any:
    try:
        with _muted():
            import pygamma_agreement
    except ImportError:
        raise PrerequisiteError("gamma needs pygamma-agreement", fix=extra("gamma")) from None
    return pygamma_agreement


def _documents(answers: SpanAnswers) -> Iterator[tuple[str, dict[str, list[tuple[int, int, str]]]]]:
    for position, item in enumerate(answers.items):
        here = answers.item == position
        if not answers.pairable[position] or not here.any():
            continue
        units: dict[str, list[tuple[int, int, str]]] = {
            answers.raters[rater]: [] for rater in answers.active if answers.answered[position, rater]
        }
        columns = (answers.rater, answers.start, answers.end, answers.label)
        for rater, start, end, label in zip(*(column[here].tolist() for column in columns), strict=True):
            units[answers.raters[rater]].append((start, end, answers.labels[label]))
        yield item, units


def _of_document(pygamma: Any, units: dict[str, list[tuple[int, int, str]]], samples: int) -> float:
    from pyannote.core import Segment

    continuum = pygamma.Continuum()
    for rater, spans in units.items():
        continuum.add_annotator(rater)
        for start, end, label in spans:
            continuum.add(rater, Segment(start, end), label)
    dissimilarity = pygamma.CombinedCategoricalDissimilarity(alpha=1, beta=1)
    with _muted():
        return float(continuum.compute_gamma(dissimilarity, n_samples=samples).gamma)


@contextlib.contextmanager
def _muted() -> Iterator[None]:
    """Silence the solver, which writes to the process's own stdout, and one log line a sample."""
    sys.stdout.flush()
    kept = os.dup(1)
    null = os.open(os.devnull, os.O_WRONLY)
    disabled = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        os.dup2(null, 1)
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(null)
        logging.disable(disabled)
