"""What mining needs, loaded once from a recipe and small enough to send to any worker."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from probeta import __version__
from probeta.builders.pairs import language, tagger
from probeta.builders.pairs.corpora import Corpus
from probeta.builders.pairs.extract import Miner
from probeta.builders.pairs.phrases import LinkingPhrase, matcher, read_phrases
from probeta.builders.pairs.segment import Abbreviations, Segmenter, read_abbreviations, rule_segmenter
from probeta.errors import DataError, Fault
from probeta.recipe.pairs import PairSettings
from probeta.tables import read_table


@dataclass(frozen=True, slots=True)
class Job:
    """A recipe's mining part with its tables read; ``tagger`` is the pipeline's name and version."""

    settings: PairSettings
    language: str
    seed: int
    phrases: tuple[LinkingPhrase, ...]
    abbreviations: Abbreviations
    tagger: str | None

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that phrases signal, in the table's order."""
        return tuple(dict.fromkeys(phrase.label for phrase in self.phrases))

    def hash(self, corpus: Corpus) -> str:
        """Changes with everything that changes a shard's rows: not with splits, stress sets or gates."""
        settings = self.settings.model_dump(mode="json", exclude={"splits", "stress", "artifacts", "corpora"})
        settings["filters"].pop("dedupe")
        parts = [
            __version__,
            settings,
            self.language,
            self.seed,
            [[p.phrase, p.label, p.follow, sorted(p.blockers), p.absorb, p.variants] for p in self.phrases],
            [sorted(words) for words in self.abbreviations],
            self.tagger,
            [corpus.name, corpus.genre, corpus.domain],
        ]
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()

    def miner(self, corpus: Corpus) -> Miner:
        """A miner of this corpus, its counts at zero."""
        settings = self.settings
        models = tuple(settings.models)
        language_filter = settings.filters.language
        return Miner(
            corpus=corpus.name,
            genre=corpus.genre,
            domain=corpus.domain,
            seed=self.seed,
            settings=settings,
            matcher=matcher(self.phrases),
            segment=_segmenter(self.abbreviations),
            refine=tagger.sentence_splitter(models) if settings.segmenter.kind == "senter" else None,
            language=language.identifier(
                self.language, tuple(language_filter.among), language_filter.at_least
            )
            if language_filter
            else None,
            tag=tagger.load(models).has_nominal_and_verb if settings.filters.has_nominal_and_verb else None,
        )


@lru_cache(maxsize=4)
def _segmenter(abbreviations: Abbreviations) -> Segmenter:
    return rule_segmenter(abbreviations)


def load_job(settings: PairSettings, *, language: str, seed: int, folder: Path, shown: str) -> Job:
    """Read the tables that the section ``pairs`` names in the recipe's ``folder``.

    Raises a DataError with the faults of the tables and a PrerequisiteError where a pipeline is needed and
    none is installed.
    """
    phrases = tuple(read_phrases(folder / settings.phrases, name=f"{shown}/{settings.phrases}"))
    needs_model = settings.filters.has_nominal_and_verb or settings.segmenter.kind == "senter"
    return Job(
        settings=settings,
        language=language,
        seed=seed,
        phrases=phrases,
        abbreviations=_abbreviations(settings, folder, shown),
        tagger=tagger.version(tuple(settings.models)) if needs_model else None,
    )


def _abbreviations(settings: PairSettings, folder: Path, shown: str) -> Abbreviations:
    name = f"{shown}/{settings.segmenter.abbreviations}"
    table = read_table(
        folder / settings.segmenter.abbreviations, required=["abbreviation", "ends_sentence"], name=name
    )
    faults = [
        Fault(
            code="abbreviation",
            message="ends_sentence is neither yes nor no",
            file=name,
            row=row.line,
            column="ends_sentence",
            expected="yes or no",
            found=row["ends_sentence"],
        )
        for row in table
        if row["ends_sentence"] not in ("yes", "no")
    ]
    if faults:
        raise DataError(faults)
    return read_abbreviations(
        [(row["abbreviation"], row["ends_sentence"]) for row in table], settings.segmenter.openers
    )
