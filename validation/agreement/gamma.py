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
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from probeta.errors import PrerequisiteError, extra
from probeta.randomness import keyed
from probeta.resampling import by_cluster, distinct
from probeta.validation.agreement.estimation import Parts, Sampler, estimate
from probeta.validation.agreement.intervals import Interval
from probeta.validation.agreement.spans import basis, reason, undefined
from probeta.validation.agreement.spansets import SpanAnswers

Floats = npt.NDArray[Any]

#: Random alignments a document; pygamma's own default.
SAMPLES = 30

#: Seeds over which the spread is shown.
SEEDS = 5


def gamma(
    answers: SpanAnswers,
    *,
    seed: int = 0,
    samples: int = SAMPLES,
    seeds: int = SEEDS,
    interval: Interval | None = None,
) -> dict[str, Any]:
    """The mean gamma of the documents, weighted by their number of spans, with its spread over seeds.

    A document counts if two annotators answered it and one marked a span; an annotator without a span
    there is told to gamma as one who marked nothing. ``value`` is the mean over seeds, ``minimum`` and
    ``maximum`` are over them: they say what the random alignments move. ``low`` and ``high`` say what other
    documents would, by ``interval``, over documents or the answers' clusters. Positions differ by pygamma's
    combined dissimilarity (positional and categorical, weights 1). Without a span: ``no_spans``. Without
    the package: a PrerequisiteError.
    """
    pygamma = _library()
    record: dict[str, Any] = {
        "minimum": None,
        "maximum": None,
        "samples": samples,
        "seeds": seeds,
        "seed": seed,
    }
    documents = list(_documents(answers))
    missing = reason(answers) or (None if documents else "no_spans")
    if missing:
        return undefined("gamma", answers, missing).to_json() | {"items": 0} | record
    # pygamma draws from numpy's global generator: it is seeded for each document and given back after.
    state = np.random.get_state()
    try:
        found = np.empty((seeds, len(documents)))
        for repeat in range(seeds):
            for number, document in enumerate(documents):
                np.random.seed(keyed(seed, "gamma", str(repeat), document.item).getrandbits(32))
                found[repeat, number] = _of_document(pygamma, document.units, samples)
    finally:
        np.random.set_state(state)
    sizes = np.array([sum(map(len, document.units.values())) for document in documents], dtype=float)
    by_seed = found @ sizes / sizes.sum()

    def parts(packed: Floats) -> Parts:
        value = packed[..., 0] / packed[..., 1]
        return Parts(value, np.full_like(value, np.nan), np.full_like(value, np.nan))

    clusters = None
    if answers.clusters is not None:
        own = answers.clusters[[document.position for document in documents]]
        clusters = np.unique(own, return_inverse=True)[1]
    estimated = estimate(
        "gamma",
        parts,
        distinct(by_cluster(np.column_stack([found.mean(axis=0) * sizes, sizes]), clusters)),
        sampler=Sampler(interval or Interval(method="none")),
        basis=basis(answers)._replace(items=len(documents)),
        undefined=lambda code: undefined("gamma", answers, code),
    )
    return estimated.to_json() | record | {"minimum": float(by_seed.min()), "maximum": float(by_seed.max())}


def _library() -> Any:
    try:
        with _muted():
            import pygamma_agreement
    except ImportError:
        raise PrerequisiteError("gamma needs pygamma-agreement", fix=extra("gamma")) from None
    return pygamma_agreement


class _Document(NamedTuple):
    """An item that can be compared, with every annotator's units in it."""

    position: int
    item: str
    units: dict[str, list[tuple[int, int, str]]]


def _documents(answers: SpanAnswers) -> Iterator[_Document]:
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
        yield _Document(position, item, units)


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
