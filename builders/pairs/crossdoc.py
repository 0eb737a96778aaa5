"""Neutral pairs across documents, for corpora whose documents have one paragraph.

Inside such a document no text stands in another paragraph, so without this the class is empty and the corpus
vanishes. Sentences are taken from documents of the same corpus and the same split; the strategy says so
(``both_random_crossdoc``). Unused sentences come from what the shards lent; only those that are needed are
tagged, and here.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from probeta.builders.pairs import tagger
from probeta.builders.pairs.corpora import Corpus
from probeta.builders.pairs.filters import ratio_passes
from probeta.builders.pairs.job import Job
from probeta.builders.pairs.records import Place, Text, fold_text, number
from probeta.builders.pairs.rows import Row, pair_row

if TYPE_CHECKING:
    import duckdb

SUFFIX = "_crossdoc"
#: Partners tried before a sentence is given up.
PATIENCE = 8


class _Side(NamedTuple):
    text: str
    place: Place
    document: str
    doc: int
    in_dialogue: bool


class CrossDocuments:
    """Makes the missing neutral pairs of one corpus and split at a time and writes them to ``target``."""

    def __init__(
        self, job: Job, database: duckdb.DuckDBPyConnection, sources: Sequence[Path], target: Path
    ) -> None:
        self._job = job
        self._database = database
        self._sources = [str(path) for path in sources]
        self._target = target
        self._rows: list[Row] = []
        self._fresh: list[tuple[object, ...]] = []

    def make(self, at: int, corpus: Corpus, split: str, missing: int) -> Counter[str]:
        """Add up to ``missing`` neutral pairs to the table ``mine``; returns how many by strategy."""
        lent = self._lent(at, split, missing)
        premises, hypotheses = self._used(at, "sentence_1", missing), self._used(at, "sentence_2", missing)
        linking = {
            (first, second)
            for first, second in self._database.execute(
                "SELECT fold_1, fold_2 FROM mine WHERE corpus=? AND label <> 'neutral'", [at]
            ).fetchall()
        }
        queues = {
            "both_random": (deque(lent[0::4]), deque(lent[1::4])),
            "first_random": (deque(premises), deque(lent[2::4])),
            "second_random": (deque(lent[3::4]), deque(hypotheses)),
            "both_entailed": (deque(premises), deque(reversed(hypotheses))),
        }
        made: Counter[str] = Counter()
        strategies = [name for name in self._job.settings.neutral.strategies if all(queues[name])]
        turn = 0
        while strategies and made.total() < missing:
            strategy = strategies[turn % len(strategies)]
            pair = self._join(*queues[strategy], linking)
            if pair is None:
                strategies.remove(strategy)
                continue
            self._add(at, corpus, f"{strategy}{SUFFIX}", *pair)
            made[f"{strategy}{SUFFIX}"] += 1
            turn += 1
        if self._fresh:
            self._insert()
        return made

    def _join(
        self, firsts: deque[_Side], seconds: deque[_Side], linking: set[tuple[int, int]]
    ) -> tuple[_Side, _Side] | None:
        while firsts and seconds:
            first = firsts.popleft()
            for _ in range(min(PATIENCE, len(seconds))):
                second = seconds.popleft()
                folded = number(fold_text(first.text)), number(fold_text(second.text))
                if (
                    first.doc != second.doc
                    and folded[0] != folded[1]
                    and folded not in linking
                    and ratio_passes(first.text, second.text, self._job.settings.filters.max_ratio)
                ):
                    linking.add(folded)
                    return first, second
                seconds.append(second)
        return None

    def _lent(self, at: int, split: str, missing: int) -> list[_Side]:
        """Unused sentences of the split that no split before it holds, tagged."""
        rows = self._database.execute(
            """SELECT sentence_1, sentence_1_paragraph, sentence_1_position, d.document, d.doc, in_dialogue
            FROM read_parquet(?) rows
            JOIN corpora c ON c.name = rows.dataset
            JOIN documents d ON d.corpus = c.corpus AND d.document = rows.document
            JOIN placed USING (doc)
            WHERE c.corpus = ? AND connector_type = 'lent' AND split = ?
              AND rows.fold_1 NOT IN (SELECT unnest([fold_1, fold_2]) FROM chosen)
            QUALIFY row_number() OVER (PARTITION BY rows.fold_1 ORDER BY draw, key) = 1
            ORDER BY draw, key LIMIT ?""",
            [self._sources, at, split, 3 * missing + 12],
        ).fetchall()
        sides = [_Side(text, Place(p, s), name, doc, turn) for text, p, s, name, doc, turn in rows]
        if not self._job.settings.filters.has_nominal_and_verb or not sides:
            return sides
        model = tagger.load(tuple(self._job.settings.models))
        passes = model.has_nominal_and_verb([side.text for side in sides])
        return [side for side, good in zip(sides, passes, strict=True) if good]

    def _used(self, at: int, side: str, missing: int) -> list[_Side]:
        """Texts of the split's linking pairs in which none opens with a further phrase."""
        rows = self._database.execute(
            f"""SELECT {side}, {side}_paragraph, {side}_position, rows.document, doc, in_dialogue
            FROM read_parquet(?) rows JOIN mine USING (key)
            WHERE corpus = ? AND label <> 'neutral' AND NOT rows.chained ORDER BY mine.draw, key LIMIT ?""",
            [self._sources, at, 2 * missing + 12],
        ).fetchall()
        return [_Side(text, Place(p, s), name, doc, turn) for text, p, s, name, doc, turn in rows]

    def _add(self, at: int, corpus: Corpus, strategy: str, first: _Side, second: _Side) -> None:
        row = pair_row(
            corpus.name,
            corpus.genre,
            corpus.domain,
            document=first.document,
            second_document=second.document,
            first=Text(first.text, first.place, 0),
            second=Text(second.text, second.place, 0),
            strategy=strategy,
            connector_type="neutral",
            seed=self._job.seed,
            in_dialogue=first.in_dialogue or second.in_dialogue,
        )
        self._rows.append(row)
        numbers = (row["draw"], row["fold_1"], row["fold_2"])
        self._fresh.append(
            (row["key"], at, first.doc, second.doc, False, "neutral", strategy, *numbers, False)
        )

    def _insert(self) -> None:
        import pyarrow as pa

        names = self._database.execute("DESCRIBE mine").fetchnumpy()["column_name"]
        columns = dict(zip(names, zip(*self._fresh, strict=True), strict=True))
        unsigned = {"key", "draw", "fold_1", "fold_2"}
        table = pa.table({n: pa.array(v, pa.uint64() if n in unsigned else None) for n, v in columns.items()})
        self._database.register("fresh", table)
        self._database.execute("INSERT INTO mine SELECT * FROM fresh")
        self._database.unregister("fresh")
        self._fresh.clear()

    def close(self) -> None:
        """Write the rows, if there are any, in the order in which they were made."""
        from probeta.builders.pairs.shards import write_rows

        if self._rows:
            write_rows(self._target, iter(self._rows))
