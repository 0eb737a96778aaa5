"""Fit spans to tokens for the formats that only know tokens: CoNLL and spaCy's DocBin."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

from probeta.errors import Fault
from probeta.formats.base import Losses, WriteOptions
from probeta.records import Sentence
from probeta.tokens import Token, Tokenizer, TokenSpan, align, place, split

_tokenizer = functools.cache(Tokenizer)


class Fitter:
    """Spans as token ranges, by the option ``misaligned``; what had to give way is told.

    ``split`` cuts the token where the span begins or ends; a span that still has no token of its own
    (white space only, where the format has none) is a fault. ``drop`` leaves such spans out and lists them.
    """

    def __init__(self, options: WriteOptions, losses: Losses, faults: list[Fault]) -> None:
        self._policy = options.misaligned
        self._chosen, self._own = options.language, options.own_language
        self._losses = losses
        self._faults = faults

    def tokens(self, sentence: Sentence) -> list[Token]:
        """Those of the attribute ``tokens`` where it is given, else those of the language's tokenizer.

        Given tokens that do not spell the text are a fault: the text was changed and they were not.
        """
        words = listed_tokens(sentence)
        if words is None:
            chosen = (
                _tokenizer(self._own, any_language=True) if self._chosen is None else _tokenizer(self._chosen)
            )
            return chosen(sentence.text)
        tokens = place(words, sentence.text)
        if tokens is None:
            self._faults.append(
                Fault(
                    code="tokens_text",
                    message="the attribute tokens does not spell the text",
                    row=sentence.id,
                    column="tokens",
                    expected=repr(sentence.text[:80]),
                    found=repr(" ".join(words)[:80]),
                )
            )
        return tokens or []

    def __call__(self, sentence: Sentence, tokens: list[Token]) -> tuple[list[Token], list[TokenSpan]]:
        """The tokens to write, and the spans over them."""
        text = sentence.text
        ranges, wrong = align(tokens, sentence.spans, text=text, row=sentence.id)
        if wrong and self._policy == "split":
            pieces = split(tokens, sentence.spans)
            kept = set(pieces)
            for start, end in tokens:
                if (start, end) not in kept:
                    self._losses.row(
                        code="token_split",
                        row=sentence.id,
                        column="tokens",
                        message="the token is split where a span begins or ends",
                        found=repr(text[start:end]),
                    )
            tokens = pieces
            ranges, wrong = align(tokens, sentence.spans, text=text, row=sentence.id)
        for fault in wrong:
            if self._policy == "drop":
                self._losses.row(
                    code="span_dropped",
                    row=sentence.id,
                    column="spans",
                    message=fault.message,
                    found=fault.found or "",
                )
            else:
                fix = "--misaligned drop leaves it out and lists it"
                if self._policy == "error":
                    fix = "--misaligned split cuts the token; " + fix
                self._faults.append(replace(fault, fix=fix))
        return tokens, ranges


def listed_tokens(sentence: Sentence) -> Sequence[str] | None:
    """The attribute ``tokens`` where it is a list of texts; None otherwise."""
    words = sentence.attributes.get("tokens")
    if isinstance(words, list | tuple) and all(isinstance(word, str) for word in words):
        return words
    return None
