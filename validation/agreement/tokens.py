"""Token-level agreement: spans as tags over tokens, so that label coefficients apply.

The result depends on the tokens, the label scheme and the share of O; all three are told with it. A span
that begins or ends inside a token tags the whole token, and is counted. Overlapping spans cannot be held
by one tag a token: the value is then ``overlapping_spans``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from probeta.errors import one_of
from probeta.validation.agreement.coded import Coded, Positions
from probeta.validation.agreement.coefficients import conger_kappa
from probeta.validation.agreement.intervals import Interval
from probeta.validation.agreement.spans import basis, reason, undefined
from probeta.validation.agreement.spansets import SpanAnswers, overlapping
from probeta.validation.agreement.study import Study

Tokenize = Callable[[str], Sequence[tuple[int, int]]]

SCHEMES = ("IO", "IOB2")


class TokenTags(NamedTuple):
    """Tags as codes with what must be told beside any figure made of them."""

    coded: Coded
    share_of_o: float
    unaligned: int


def characters(text: str) -> list[tuple[int, int]]:
    """Every code point but white space as a token: the finest cut."""
    return [(place, place + 1) for place, char in enumerate(text) if not char.isspace()]


def words(text: str) -> list[tuple[int, int]]:
    """The stretches between white space as tokens: the coarsest cut."""
    found, place = [], 0
    for word in text.split():
        place = text.index(word, place)
        found.append((place, place + len(word)))
        place += len(word)
    return found


def tag(answers: SpanAnswers, tokenize: Tokenize, *, scheme: str = "IO") -> TokenTags:
    """Tags of every token of the answered items, one row a token; the items are the clusters.

    ``answers`` must have texts and no overlapping spans. A token that two spans touch goes to the first.
    """
    one_of(scheme, SCHEMES, what="label scheme")
    texts = answers.texts or ()
    tokens = [tokenize(text) for text in texts]
    sizes = np.array([len(found) for found in tokens], dtype=np.intp)
    # All items side by side on one axis of characters; one more between them, so that no two touch.
    bases = np.concatenate([[0], np.cumsum([len(text) + 1 for text in texts])]).astype(np.intp)
    owner = np.repeat(np.arange(len(texts)), sizes)
    flat = np.array([bounds for found in tokens for bounds in found], dtype=np.intp).reshape(-1, 2)
    starts, ends = flat[:, 0] + bases[owner], flat[:, 1] + bases[owner]
    codes = np.where(answers.answered[owner], 0, -1).astype(np.intp)
    left, right = answers.start + bases[answers.item], answers.end + bases[answers.item]
    first = np.searchsorted(ends, left, side="right")
    last = np.searchsorted(starts, right, side="left")
    unaligned = 0
    inside = 1 if scheme == "IO" else 2
    for span in np.lexsort((left, answers.rater)):
        begin, stop, rater = first[span], last[span], answers.rater[span]
        whole = begin < stop and starts[begin] == left[span] and ends[stop - 1] == right[span]
        unaligned += not whole
        free = codes[begin:stop, rater] == 0
        tags = np.full(stop - begin, inside * answers.label[span] + 1, dtype=np.intp)
        if scheme == "IOB2":
            tags[1:] += 1
        codes[begin:stop, rater] = np.where(free, tags, codes[begin:stop, rater])
    prefixes = ("",) if scheme == "IO" else ("B-", "I-")
    clusters = answers.clusters[owner] if answers.clusters is not None else owner
    coded = Coded(
        codes,
        ("O", *(prefix + label for label in answers.labels for prefix in prefixes)),
        Positions(len(owner)),
        answers.raters,
        declared=True,
        clusters=np.unique(clusters, return_inverse=True)[1],
    )
    given = codes >= 0
    share = float((codes[given] == 0).mean()) if given.any() else 0.0
    return TokenTags(coded, share, unaligned)


def token_kappa(
    answers: SpanAnswers,
    tokenize: Tokenize,
    *,
    tokenizer: str,
    scheme: str = "IO",
    interval: Interval | None = None,
) -> dict[str, Any]:
    """Kappa over tokens with ``tokenizer``, ``scheme``, ``tokens``, ``share_of_o`` and ``unaligned``.

    For two annotators Cohen's kappa; for more its many-rater form, Conger's. Resampled by item, or by the
    answers' clusters, since the tokens of a sentence are right or wrong together. ``items`` counts
    sentences. Undefined: ``no_text``, ``overlapping_spans``, and as for span F1.
    """
    found = basis(answers)
    record: dict[str, Any] = {
        "tokenizer": tokenizer,
        "scheme": scheme,
        "tokens": None,
        "share_of_o": None,
        "unaligned": None,
    }
    missing = reason(answers)
    if missing is None and answers.texts is None:
        missing = "no_text"
    if missing is None and overlapping(answers).any():
        missing = "overlapping_spans"
    if missing:
        return undefined("token_kappa", answers, missing).to_json() | record
    tags = tag(answers, tokenize, scheme=scheme)
    made = Study(tags.coded, interval=interval)
    kappa = conger_kappa(made)
    note = "Cohen's kappa" if found.raters == 2 else "Conger's kappa, the many-rater form of Cohen's"
    shown = kappa.to_json() | {"items": found.items, "raters": found.raters, "note": note}
    return (
        shown
        | record
        | {
            "tokens": len(tags.coded.items),
            "share_of_o": tags.share_of_o,
            "unaligned": tags.unaligned,
        }
    )


def sensitivity(answers: SpanAnswers, tokenize: Tokenize, *, tokenizer: str) -> list[dict[str, Any]]:
    """The kappa under other tokens and schemes: how much of the figure is the cut's."""
    rows = []
    for name, cut in ((tokenizer, tokenize), ("white space", words), ("characters", characters)):
        for scheme in SCHEMES:
            found = token_kappa(answers, cut, tokenizer=name, scheme=scheme)
            rows.append({key: found[key] for key in ("tokenizer", "scheme", "tokens", "value", "reason")})
    return rows
