"""Two toy systems for the first session: what stands in quotes, and what is not Spanish spelling.

    python examples/toy_systems.py out/blas out

writes `out/quotes.jsonl` and `out/spelling.jsonl`, predictions with the ids of the built set, for
`probeta score`. They are as simple as possible on purpose: the tables show at once what each can and
cannot do.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from probeta import builtset
from probeta.builders.spans.spelling import spelling
from probeta.errors import ProbetaError
from probeta.formats import write_sentences
from probeta.records import Sentence, Span
from probeta.tokens import Tokenizer

QUOTED = re.compile(r"[\"“«]([^\"“”«»]+)[\"”»]")


def quotes(text: str) -> Iterator[tuple[int, int]]:
    """Everything between quotation marks is a borrowing."""
    for match in QUOTED.finditer(text):
        yield match.span(1)


def not_spanish() -> Callable[[str], Iterator[tuple[int, int]]]:
    """Every word in lower case that breaks Spanish spelling is a borrowing; neighbours are one."""
    tokenizer, rules = Tokenizer("es"), spelling("es", "strict")

    def find(text: str) -> Iterator[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for start, end in tokenizer(text):
            word = text[start:end]
            if word.isalpha() and word.islower() and rules.reason(word):
                if found and text[found[-1][1] : start] == " ":
                    found[-1] = (found[-1][0], end)
                else:
                    found.append((start, end))
        yield from found

    return find


def main(built: Path, out: Path) -> None:
    """Write the predictions of both systems."""
    sentences = list(builtset.sentences(built))
    for name, system in {"quotes": quotes, "spelling": not_spanish()}.items():
        predicted = (
            Sentence(s.id, s.text, tuple(Span(start, end, "ENG") for start, end in system(s.text)))
            for s in sentences
        )
        write_sentences(out / f"{name}.jsonl", predicted)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the predictions of two toy systems.")
    parser.add_argument("built", type=Path, help="a built set with spans, such as out/blas")
    parser.add_argument("out", type=Path, help="the folder for quotes.jsonl and spelling.jsonl")
    given = parser.parse_args()
    try:
        main(given.built, given.out)
    except ProbetaError as error:
        sys.exit(f"{parser.prog}: {error}")
