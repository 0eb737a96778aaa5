"""``has_nominal_and_verb``: the one question that is asked of a part-of-speech tagger.

Only candidates are tagged, inside the worker. Two choices were measured: matrix products by numpy's own BLAS
instead of blis (1.9 times faster, the same tags), and only the components that give parts of speech.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from probeta.errors import PrerequisiteError

NOMINAL = frozenset({"NOUN", "PRON", "PROPN"})
VERBAL = frozenset({"AUX", "VERB"})

#: Words a batch: a batch of fewer is slower, one of more takes memory that grows with it.
WORDS = 2_500


class Tagger(NamedTuple):
    """A loaded pipeline and its name with version, for the card and the signature; ``threads`` are its libraries'."""

    name: str
    pipeline: Any
    threads: Any

    def has_nominal_and_verb(self, texts: Sequence[str]) -> list[bool]:
        """For each text, whether it holds a noun, pronoun or name, and a verb or auxiliary."""
        passes = []
        # One core a worker: threads of many workers would fight for them. The limit ends with the call.
        # The zone forgets the batch's words, which the vocabulary would keep as long as the worker lives.
        with self.threads.limit(limits=1), self.pipeline.memory_zone():
            for batch in _batches(texts):
                # What the pipeline would refuse for its length is no sentence: nothing is found in it.
                short = [text if len(text) <= self.pipeline.max_length else "" for text in batch]
                for doc in self.pipeline.pipe(short, batch_size=len(batch)):
                    tags = {token.pos_ for token in doc}
                    passes.append(not NOMINAL.isdisjoint(tags) and not VERBAL.isdisjoint(tags))
        return passes


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    words = 0
    for text in texts:
        batch.append(text)
        words += text.count(" ") + 1
        if words >= WORDS:
            yield batch
            batch, words = [], 0
    if batch:
        yield batch


def installed(models: Sequence[str]) -> str:
    """The first of ``models`` that is installed; a PrerequisiteError names the command otherwise."""
    import spacy.util

    for model in models:
        if spacy.util.is_package(model):
            return model
    raise PrerequisiteError(
        f"none of the pipelines {', '.join(models)} is installed",
        fix=f"pip install --no-deps {models[-1].replace('_', '-')}, or switch has_nominal_and_verb off",
    )


def version(models: tuple[str, ...]) -> str:
    """Name and version of the pipeline that ``load`` would load."""
    import spacy.util

    model = installed(models)
    return f"{model}-{spacy.util.get_package_version(model)}"


def _loaded(model: str, *, exclude: Sequence[str]) -> Any:
    """The pipeline with its matrix products done by numpy; what the process does otherwise is left as it was."""
    import spacy
    from thinc.api import NumpyOps, get_current_ops, set_current_ops

    before = get_current_ops()
    with warnings.catch_warnings():
        # An older model on a newer spaCy: tests hold it.
        warnings.filterwarnings("ignore", message=r"\[W095\]")
        set_current_ops(NumpyOps(use_blis=False))  # each layer keeps the one it is made with
        try:
            return spacy.load(model, exclude=list(exclude))
        finally:
            set_current_ops(before)


@lru_cache(maxsize=2)
def load(models: tuple[str, ...]) -> Tagger:
    """Load the first installed pipeline with what parts of speech need, once a process."""
    from threadpoolctl import ThreadpoolController

    pipeline = _loaded(
        installed(models), exclude=["parser", "senter", "lemmatizer", "ner", "attribute_ruler"]
    )
    meta = pipeline.meta
    return Tagger(f"{meta['lang']}_{meta['name']}-{meta['version']}", pipeline, ThreadpoolController())


@lru_cache(maxsize=2)
def sentence_splitter(models: tuple[str, ...]) -> Any:
    """The pipeline's ``senter`` alone, as a function from a paragraph to its sentences."""
    pipeline = _loaded(
        installed(models),
        exclude=["tagger", "morphologizer", "parser", "lemmatizer", "ner", "attribute_ruler"],
    )
    pipeline.enable_pipe("senter")

    def split(paragraph: str) -> list[str]:
        with pipeline.memory_zone():
            return [text for sentence in pipeline(paragraph).sents if (text := sentence.text.strip())]

    return split
