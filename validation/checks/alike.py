"""Base sentences that are the same, or nearly: a test set counts each of them once.

The measure is the part of their words that two sentences share: how many tokens they have in common, over
how many either has (Jaccard's index over tokens, repeated ones counted, case and punctuation left out); 0 to 1.
Configurations of one base sentence are no duplicates, nor are sentences that one template made.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from probeta.errors import Fault
from probeta.validation.checks.loaded import SpanSet, place


class Alike(NamedTuple):
    """Two sentences by their numbers, the later one first, and the part of their words that they share."""

    later: int
    earlier: int
    share: float


def alike(sentences: Sequence[Sequence[str]], *, share: float) -> Iterator[Alike]:
    """Every pair of tokenised sentences that share at least ``share`` of their words; wordless ones never do.

    Only sentences that share one of their rarest words are compared, as many of them as a pair above the
    threshold cannot do without (prefix filtering, Chaudhuri et al. 2006), so a large set takes seconds.

    >>> list(alike([["Hay", "tres", "goles"], ["hay", "dos"], ["Hay", "tres", "goles", "."]], share=0.8))
    [Alike(later=2, earlier=0, share=1.0)]
    """
    numbered = [_numbered(tokens) for tokens in sentences]
    frequency = Counter(word for words in numbered for word in words)
    seen: dict[tuple[str, int], list[int]] = defaultdict(list)
    for later, words in enumerate(numbered):
        rarest = sorted(words, key=lambda word: (frequency[word], word))
        prefix = rarest[: len(words) - math.ceil(share * len(words) - 1e-9) + 1] if words else []
        for earlier in sorted({number for word in prefix for number in seen[word]}):
            common = len(words & numbered[earlier])
            found = common / (len(words) + len(numbered[earlier]) - common)
            if found >= share:
                yield Alike(later, earlier, found)
        for word in prefix:
            seen[word].append(later)


def _numbered(tokens: Sequence[str]) -> set[tuple[str, int]]:
    """The words of a sentence, each with how often it stood before: a repeated word counts each time."""
    counts: Counter[str] = Counter()
    words = set()
    for token in tokens:
        if any(map(str.isalnum, token)):
            word = token.casefold()
            words.add((word, counts[word]))
            counts[word] += 1
    return words


def alike_faults(loaded: SpanSet, *, share: float) -> Iterator[Fault]:
    """A fault for each base sentence that shares ``share`` of its words with an earlier one.

    Each sentence is told once, with the one that it is most like.
    """
    tokens: Mapping[str, Sequence[str]] = {row["id"]: row["tokens"] for row in loaded.tokens}
    base = [
        (number, row)
        for number, row in enumerate(loaded.sentences)
        if row["operation"] is None and row["id"] in tokens
    ]
    most: dict[int, Alike] = {}
    for pair in alike([tokens[row["id"]] for _, row in base], share=share):
        one, other = base[pair.later][1], base[pair.earlier][1]
        siblings = one["template"] is not None and one["template"] == other["template"]
        if siblings and one["text"] != other["text"]:
            continue
        if pair.later not in most or pair.share > most[pair.later].share:
            most[pair.later] = pair
    for pair in most.values():
        number, row = base[pair.later]
        other = base[pair.earlier][1]
        same = row["text"] == other["text"]
        yield Fault(
            code="duplicate" if same else "near_duplicate",
            message=f"{row['base_id']} {'is' if same else 'is nearly'} the sentence {other['base_id']}",
            **place("sentences", number, "text"),
            expected=f"under {share:.0%} of the words in common",
            found=f"{pair.share:.0%}",
            fix="write another sentence, or set near_duplicates in the recipe",
        )
