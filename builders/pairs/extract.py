"""From a document to linking pairs and neutral pairs: the part that every sentence of a corpus passes.

``Miner.scan`` reads one document and applies the cheap tests; ``Miner.finish`` tags what is left of a batch of
documents and makes the rows. Nothing depends on what else is in the batch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from probeta.builders.pairs.filters import TextTest, ratio_passes, text_test
from probeta.builders.pairs.neutral import neutral_pairs, unused_needed
from probeta.builders.pairs.phrases import Match, Matcher, is_dash, part_turn
from probeta.builders.pairs.records import (
    Candidate,
    Counts,
    Document,
    Place,
    Reject,
    Scanned,
    Text,
    number,
)
from probeta.builders.pairs.rejects import RejectSample
from probeta.builders.pairs.rows import LINKING, Row, pair_row
from probeta.builders.pairs.segment import Segmenter
from probeta.builders.pairs.unused import LETTER, UnusedSentences, capitalised, sentences_before
from probeta.randomness import keyed
from probeta.recipe.pairs import PairSettings

#: A paragraph of more characters is left to the rules: the model takes too much memory for it.
REFINED = 100_000
#: Texts that wait for the tagger before a batch is finished.
TEXTS_A_BATCH = 2048
#: One in so many one-paragraph documents without a hit lends a sentence to neutral pairs across documents.
POOL_SHARE = 8


@dataclass(slots=True)
class Miner:
    """Everything that mining one corpus needs, compiled once a process."""

    corpus: str
    genre: str | None
    domain: str | None
    seed: int
    settings: PairSettings
    matcher: Matcher
    segment: Segmenter
    #: The model's segmenter, run only on paragraphs that hold a phrase; None: rules everywhere.
    refine: Segmenter | None
    language: Callable[[str], bool] | None
    #: Which of the texts hold a nominal and a verb; None: the filter is off.
    tag: Callable[[Sequence[str]], list[bool]] | None
    counts: Counts = field(default_factory=Counts)
    rejects: RejectSample = field(init=False)
    _test: TextTest = field(init=False)
    _unused: UnusedSentences = field(init=False)

    def __post_init__(self) -> None:
        self._test = text_test(self.settings.filters, self.language)
        self.rejects = RejectSample(self.seed)
        self._unused = UnusedSentences(
            self.matcher.start, self._test, dialogue=self.settings.filters.dialogue
        )

    def mine(self, documents: Iterable[Document], *, one_by_one: bool = False) -> Iterator[Row]:
        """The rows of every document, in their order; neutral ones follow each document's linking ones.

        Documents wait for each other, so that the tagger has much to do at once. With ``one_by_one`` each is
        done with before the next one is asked for: slower, the same rows, and what goes wrong goes wrong at
        the document that was asked for last.
        """
        batch: list[Scanned] = []
        texts = 0
        for document in documents:
            scanned = self.scan(document)
            if scanned is None:
                continue
            batch.append(scanned)
            texts += 2 * len(scanned.candidates) + len(scanned.premises) + len(scanned.hypotheses) + 1
            if one_by_one or texts >= TEXTS_A_BATCH:
                yield from self.finish(batch)
                batch, texts = [], 0
        yield from self.finish(batch)

    def scan(self, document: Document) -> Scanned | None:
        """Segment, match and apply the cheap tests; None where the document gives nothing."""
        segment, start, refine = self.segment, self.matcher.start, self.refine
        paragraphs: list[list[str]] = []
        hits: list[tuple[int, int, re.Match[str]]] = []
        sentences = 0
        for at, paragraph in enumerate(document.paragraphs):
            if refine is not None and len(paragraph) <= REFINED and self.matcher.anywhere(paragraph):
                parts = refine(paragraph)
            else:
                parts = segment(paragraph)
            paragraphs.append(parts)
            sentences += len(parts)
            for position, sentence in enumerate(parts):
                found = start(sentence)
                if found:
                    hits.append((at, position, found))
        totals = self.counts.totals
        totals["documents"] += 1
        totals["paragraphs"] += len(paragraphs)
        totals["sentences"] += sentences
        filled = sum(1 for parts in paragraphs if parts)
        totals["empty_documents"] += filled == 0
        totals["one_paragraph_documents"] += filled == 1
        if document.encoding:
            self.counts.encodings[document.encoding] += 1
        if hits:
            return self._with_hits(document, paragraphs, hits, one_paragraph=filled == 1)
        if filled == 1 and self.settings.neutral.across_documents:
            return self._lender(document, paragraphs)
        return None

    def _with_hits(
        self,
        document: Document,
        paragraphs: list[list[str]],
        hits: list[tuple[int, int, re.Match[str]]],
        *,
        one_paragraph: bool,
    ) -> Scanned:
        before = sentences_before(paragraphs)
        candidates: list[Candidate] = []
        markers: set[int] = set()
        for at, position, found in hits:
            match = self.matcher.read(found)
            order = before[at] + position
            self.counts.phrases[match.phrase.phrase, match.refused or ""] += 1
            if match.refused:
                self._reject(match.refused, document, match, Place(at, position), None, found.string)
                continue
            self.counts.hits[match.phrase.label] += 1
            markers.update((order, order - 1) if position else (order,))
            previous = paragraphs[at][position - 1] if position else None
            candidate, reason = self._candidate(match, Place(at, position), order, previous)
            if reason:
                self.counts.refused[reason, match.phrase.label] += 1
                self._reject(reason, document, match, Place(at, position), previous, found.string)
            elif candidate:
                candidates.append(candidate)
        scanned = Scanned(document.id, candidates)
        rng = keyed(self.seed, "neutral", self.corpus, document.id)
        if one_paragraph:
            if self.settings.neutral.across_documents:
                scanned.pool = self._unused.draw(paragraphs, before, markers, rng, wanted=2, premise=False)
        elif candidates:
            premises, hypotheses = unused_needed(len(candidates))
            scanned.premises = self._unused.draw(
                paragraphs, before, markers, rng, wanted=premises, premise=True
            )
            markers.update(text.order for text in scanned.premises)
            scanned.hypotheses = self._unused.draw(
                paragraphs, before, markers, rng, wanted=hypotheses, premise=False
            )
        return scanned

    def _candidate(
        self, match: Match, place: Place, order: int, previous: str | None
    ) -> tuple[Candidate | None, str | None]:
        """The candidate, or the reason why this marker makes no pair."""
        filters = self.settings.filters
        if previous is None:
            return None, "first_in_paragraph"
        if not LETTER.search(match.rest):
            return None, "phrase_alone"
        turn = is_dash(match.turn)
        if turn and filters.dialogue:
            return None, "dialogue"
        if match.rest[0] in "—–-(":
            return None, "interrupted"
        hypothesis = capitalised(match.lead.strip() + match.rest)
        premise_turn, premise = part_turn(previous)
        for text in (premise, hypothesis):
            if reason := self._test(text):
                return None, reason
        if not ratio_passes(premise, hypothesis, filters.max_ratio):
            return None, "ratio"
        return Candidate(
            premise=Text(premise, Place(place.paragraph, place.sentence - 1), order - 1, premise_turn),
            hypothesis=Text(hypothesis, place, order, match.turn),
            phrase=match.phrase.phrase,
            label=match.phrase.label,
            surface=match.surface,
            lead_in=(match.turn + match.lead).strip(),
            chained=self._opens(match.rest) or self._opens(previous),
            in_dialogue=turn or is_dash(premise_turn),
        ), None

    def _opens(self, text: str) -> bool:
        """Whether a linking phrase that counts as one stands at the start of the text."""
        found = self.matcher.match(text)
        return found is not None and not found.refused

    def _lender(self, document: Document, paragraphs: list[list[str]]) -> Scanned | None:
        if number("lend", self.corpus, document.id) % POOL_SHARE:
            return None
        rng = keyed(self.seed, "neutral", self.corpus, document.id)
        pool = self._unused.draw(
            paragraphs, sentences_before(paragraphs), set(), rng, wanted=2, premise=False
        )
        return Scanned(document.id, [], pool=pool) if pool else None

    def finish(self, batch: list[Scanned]) -> Iterator[Row]:
        """Tag the batch's texts in one go and make its rows."""
        passes = self._tagged(batch)
        for scanned in batch:
            kept = []
            for candidate in scanned.candidates:
                if passes(candidate.premise.text) and passes(candidate.hypothesis.text):
                    kept.append(candidate)
                    continue
                self.counts.refused["has_nominal_and_verb", candidate.label] += 1
                self.rejects.keep(
                    Reject(
                        "has_nominal_and_verb",
                        self.corpus,
                        scanned.document,
                        *candidate.hypothesis.place,
                        candidate.phrase,
                        candidate.premise.text,
                        candidate.hypothesis.text,
                        0,
                    )
                )
            for candidate in kept:
                self.counts.linking[candidate.label] += 1
                yield self._linking_row(scanned.document, candidate)
            unused = [[t for t in role if passes(t.text)] for role in (scanned.premises, scanned.hypotheses)]
            rng = keyed(self.seed, "pairing", self.corpus, scanned.document)
            for strategy, first, second in neutral_pairs(
                kept,
                *unused,
                rng=rng,
                strategies=self.settings.neutral.strategies,
                separation=self.settings.neutral.separation,
                max_ratio=self.settings.filters.max_ratio,
            ):
                self.counts.neutral[strategy] += 1
                row = self._row(scanned.document, first, second, strategy, connector_type="neutral")
                # A text that a linking pair lends may open with a phrase, as it may there.
                yield row | {"chained": self._opens(first.text) or self._opens(second.text)}
            for text in scanned.pool:
                self.counts.totals["lent_sentences"] += 1
                yield self._pool_row(scanned.document, text)

    def _tagged(self, batch: list[Scanned]) -> Callable[[str], bool]:
        if self.tag is None:
            return lambda text: True
        texts: dict[str, None] = {}
        for scanned in batch:
            own = dict.fromkeys(
                text.text
                for text in (
                    *(part for c in scanned.candidates for part in (c.premise, c.hypothesis)),
                    *scanned.premises,
                    *scanned.hypotheses,
                )
            )
            self.counts.totals["tagged_texts"] += len(own)  # by document: batches must not show in a count
            texts |= own
        tagged = dict(zip(texts, self.tag(list(texts)), strict=True))
        return tagged.__getitem__

    def _linking_row(self, document: str, candidate: Candidate) -> Row:
        row = self._row(
            document,
            candidate.premise,
            candidate.hypothesis,
            LINKING,
            connector_type=candidate.label,
        )
        return row | {
            "connector": candidate.phrase,
            "connector_surface": candidate.surface,
            "lead_in": candidate.lead_in or None,
            "distance": candidate.hypothesis.order - candidate.premise.order,
            "chained": candidate.chained,
            "in_dialogue": candidate.in_dialogue,
        }

    def _row(self, document: str, first: Text, second: Text, strategy: str, *, connector_type: str) -> Row:
        return pair_row(
            self.corpus,
            self.genre,
            self.domain,
            document=document,
            first=first,
            second=second,
            strategy=strategy,
            connector_type=connector_type,
            seed=self.seed,
            in_dialogue=is_dash(first.turn) or is_dash(second.turn),
        )

    def _pool_row(self, document: str, text: Text) -> Row:
        row = self._row(document, text, text, "lent", connector_type="lent")
        return row | {"sentence_2": None, "neutral_strategy": None, "in_dialogue": is_dash(text.turn)}

    def _reject(
        self, reason: str, document: Document, match: Match, place: Place, premise: str | None, sentence: str
    ) -> None:
        self.rejects.keep(
            Reject(reason, self.corpus, document.id, *place, match.phrase.phrase, premise, sentence, 0)
        )
