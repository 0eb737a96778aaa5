"""From the shards' rows to balanced splits, in DuckDB: dedupe, split, part, balance.

Only keys, classes and hashes of the folded texts travel through the database; the texts stay in the shards
until the chosen rows are written. Every choice is ordered by a draw that was keyed where the row was made,
so threads and workers change nothing.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from probeta.builders.pairs.chosen import NEUTRAL, ORDER, Assembled
from probeta.builders.pairs.corpora import Corpus
from probeta.builders.pairs.crossdoc import SUFFIX, CrossDocuments
from probeta.builders.pairs.job import Job
from probeta.builders.pairs.shards import Task
from probeta.builders.pairs.split import assign
from probeta.errors import DataError, Fault

if TYPE_CHECKING:
    import duckdb

#: A cap is on the splits that evaluate.
CAPPED = ("test", "validation")
MEMORY = "1200MB"
LENT = "lent"


def assemble(
    job: Job, tasks: Sequence[Task], corpora: Sequence[Corpus], work: Path, *, threads: int = 2
) -> Assembled:
    """Choose the pairs of every split from the shards' rows.

    Raises a DataError where two documents of a corpus bear one id, or where a document or a folded sentence
    would be shared between splits.
    """
    import duckdb
    import numpy as np

    sources = [task.parquet for task in tasks]
    extra = work / "crossdoc.parquet"
    extra.unlink(missing_ok=True)
    spill = work / "spill"
    spill.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(duckdb.connect()) as database:
        database.execute(
            f"SET memory_limit='{MEMORY}'; SET threads={threads}; SET preserve_insertion_order=false"
        )
        database.execute("SET temp_directory=?", [str(spill)])
        database.execute("SET enable_progress_bar=false")
        result = Assembled({}, sources)
        _load(database, sources, corpora, job)
        _dedupe(database, result, dedupe=job.settings.filters.dedupe)
        if job.settings.chained == "drop":
            _drop(database, result, "chained", "chained")
        _assign(database, job, corpora)
        crossing = CrossDocuments(job, database, sources, extra)
        for split in ORDER:
            _take(database, job, corpora, split, result, crossing)
        crossing.close()
        if extra.exists():
            sources.append(extra)
        for split in ORDER:
            keys = database.execute("SELECT key FROM chosen WHERE split=? ORDER BY key", [split])
            result.keys[split] = np.asarray(keys.fetchnumpy()["key"], dtype=np.uint64)
        _prove(database, result)
    result.spool(work)
    return result


def _load(
    database: duckdb.DuckDBPyConnection, sources: Sequence[Path], corpora: Sequence[Corpus], job: Job
) -> None:
    files = [str(path) for path in sources]
    # As enumerations, classes and strategies take a byte a pair, and sorting by them costs little.
    strategies = job.settings.neutral.strategies
    for name, values in (
        ("label", [*job.classes, NEUTRAL]),
        ("strategy", ["", *strategies, *(f"{strategy}{SUFFIX}" for strategy in strategies)]),
    ):
        quoted = ", ".join("'" + value.replace("'", "''") + "'" for value in values)
        database.execute(f"CREATE TYPE {name} AS ENUM ({quoted})")
    database.execute("CREATE TABLE corpora (corpus INTEGER, name VARCHAR, test_only BOOLEAN)")
    database.executemany(
        "INSERT INTO corpora VALUES (?, ?, ?)",
        [(at, corpus.name, corpus.split == "test") for at, corpus in enumerate(corpora)],
    )
    database.execute(
        """CREATE TABLE documents AS
        SELECT row_number() OVER (ORDER BY corpus, document)::INTEGER AS doc, corpus, document, test_only
        FROM (SELECT DISTINCT corpus, document, test_only
              FROM read_parquet(?) rows JOIN corpora ON corpora.name = rows.dataset)""",
        [files],
    )
    database.execute(
        f"""CREATE TABLE pairs AS
        SELECT key, d.corpus::USMALLINT AS corpus, doc, doc AS doc_2, d.test_only,
               connector_type::label AS label, coalesce(neutral_strategy, '')::strategy AS strategy,
               draw, fold_1, fold_2, chained
        FROM read_parquet(?) rows
        JOIN corpora c ON c.name = rows.dataset
        JOIN documents d ON d.corpus = c.corpus AND d.document = rows.document
        WHERE connector_type <> '{LENT}'""",
        [files],
    )
    twice = database.execute(
        """SELECT any_value(c.name), any_value(d.document), count(*) FROM pairs p
        JOIN documents d USING (doc) JOIN corpora c ON c.corpus = p.corpus
        WHERE key IN (SELECT key FROM pairs GROUP BY key HAVING count(*) > 1) GROUP BY p.doc ORDER BY 1, 2"""
    ).fetchall()
    if twice:
        raise DataError(
            Fault(
                code="document_twice",
                message=f"the corpus {corpus} has two documents with one id",
                file=corpus,
                row=document,
                fix="give each document an id of its own",
            )
            for corpus, document, _ in twice
        )


def _drop(database: duckdb.DuckDBPyConnection, result: Assembled, reason: str, condition: str) -> None:
    """Delete pairs under a condition and count them."""
    names = dict(database.execute("SELECT corpus, name FROM corpora").fetchall())
    for corpus, label, count in database.execute(
        f"SELECT corpus, label, count(*) FROM pairs WHERE {condition} GROUP BY ALL"
    ).fetchall():
        result.dropped[names[corpus], reason, label] += count
    database.execute(f"DELETE FROM pairs WHERE {condition}")


def _dedupe(database: duckdb.DuckDBPyConnection, result: Assembled, *, dedupe: bool) -> None:
    database.execute(
        f"""CREATE TEMP TABLE repeated AS
        SELECT key, corpus, label, draw, test_only, fold_1, fold_2,
               count(DISTINCT label) FILTER (label <> '{NEUTRAL}') OVER same AS classes
        FROM pairs SEMI JOIN (SELECT fold_1, fold_2 FROM pairs GROUP BY ALL HAVING count(*) > 1) USING (fold_1, fold_2)
        WINDOW same AS (PARTITION BY fold_1, fold_2)"""
    )
    _drop(
        database,
        result,
        "conflicting",
        f"label <> '{NEUTRAL}' AND key IN (SELECT key FROM repeated WHERE classes > 1)",
    )
    _drop(
        database,
        result,
        "neutral_is_linking",
        f"label = '{NEUTRAL}' AND key IN (SELECT key FROM repeated WHERE classes > 0)",
    )
    if dedupe:
        database.execute(
            """CREATE TEMP TABLE ranked AS
            SELECT key,
                   row_number() OVER (PARTITION BY fold_1, fold_2, corpus ORDER BY draw, key) AS inside,
                   row_number() OVER (PARTITION BY fold_1, fold_2 ORDER BY test_only DESC, draw, key) AS overall
            FROM pairs SEMI JOIN repeated USING (key)"""
        )
        _drop(database, result, "duplicate_in_corpus", "key IN (SELECT key FROM ranked WHERE inside > 1)")
        _drop(
            database, result, "duplicate_across_corpora", "key IN (SELECT key FROM ranked WHERE overall > 1)"
        )
        database.execute("DROP TABLE ranked")
    database.execute("DROP TABLE repeated")


def _assign(database: duckdb.DuckDBPyConnection, job: Job, corpora: Sequence[Corpus]) -> None:
    import pyarrow as pa

    sums = ", ".join(f"count(*) FILTER (label = ?) AS c{at}" for at in range(len(job.classes)))
    database.execute(
        f"CREATE TEMP TABLE sizes AS SELECT doc, {sums} FROM pairs GROUP BY doc", list(job.classes)
    )
    counted = ", ".join(f"coalesce(c{at}, 0)" for at in range(len(job.classes)))
    docs: list[int] = []
    splits: list[str] = []
    for at, corpus in enumerate(corpora):
        if corpus.split == "test":
            rows = database.execute("SELECT doc FROM documents WHERE corpus=? ORDER BY doc", [at]).fetchall()
            assigned = {doc: "test" for (doc,) in rows}
        else:
            rows = database.execute(
                f"SELECT doc, document, {counted} FROM documents LEFT JOIN sizes USING (doc) WHERE corpus=? ORDER BY doc",
                [at],
            ).fetchall()
            assigned = assign(
                [(row[0], row[1], row[2:]) for row in rows],
                {str(name): share for name, share in job.settings.splits.items()},
                seed=job.seed,
                corpus=corpus.name,
            )
        docs += assigned.keys()
        splits += assigned.values()
    table = pa.table({"doc": pa.array(docs, pa.int32()), "split": pa.array(splits, pa.string())})
    database.register("assigned", table)
    database.execute("CREATE TABLE placed AS SELECT * FROM assigned")
    database.unregister("assigned")
    database.execute("DROP TABLE sizes")
    database.execute(
        "CREATE TABLE chosen (key UBIGINT, split VARCHAR, corpus USMALLINT, doc INTEGER, doc_2 INTEGER, "
        "label label, strategy strategy, fold_1 UBIGINT, fold_2 UBIGINT)"
    )


def _take(
    database: duckdb.DuckDBPyConnection,
    job: Job,
    corpora: Sequence[Corpus],
    split: str,
    result: Assembled,
    crossing: CrossDocuments,
) -> None:
    """Choose the pairs of one split; those of the splits before it are out of reach."""
    database.execute(
        "CREATE OR REPLACE TEMP TABLE mine AS SELECT pairs.* FROM pairs JOIN placed USING (doc) WHERE split=?",
        [split],
    )
    names = {at: corpus.name for at, corpus in enumerate(corpora)}

    reasons = []
    if job.settings.chained == "train_only" and split != "train":
        reasons.append(("chained", "chained"))
    for other in ORDER[: ORDER.index(split)]:
        held = f"(SELECT unnest([fold_1, fold_2]) FROM chosen WHERE split='{other}')"
        reasons.append((f"shared_with_{other}", f"fold_1 IN {held} OR fold_2 IN {held}"))
    if reasons:
        cases = " ".join(f"WHEN {condition} THEN '{reason}'" for reason, condition in reasons)
        database.execute(
            f"CREATE OR REPLACE TEMP TABLE lost AS SELECT * FROM (SELECT key, corpus, label, CASE {cases} END AS reason FROM mine) WHERE reason IS NOT NULL"
        )
        for corpus, label, reason, count in database.execute(
            "SELECT corpus, label, reason, count(*) FROM lost GROUP BY ALL"
        ).fetchall():
            result.dropped[names[corpus], reason, label] += count
        database.execute("DELETE FROM mine WHERE key IN (SELECT key FROM lost)")
    counts: dict[int, Counter[str]] = {at: Counter() for at in names}
    for corpus, label, count in database.execute(
        "SELECT corpus, label, count(*) FROM mine GROUP BY ALL"
    ).fetchall():
        counts[corpus][label] = count
    quotas: list[tuple[int, int]] = []
    for at, corpus in enumerate(corpora):
        smallest = min(counts[at][label] for label in job.classes)
        if corpus.cap is not None and split in CAPPED:
            smallest = min(smallest, corpus.cap // (len(job.classes) + 1))
        if counts[at][NEUTRAL] < smallest and job.settings.neutral.across_documents:
            made = crossing.make(at, corpus, split, smallest - counts[at][NEUTRAL])
            for strategy, count in made.items():
                result.crossdoc[corpus.name, strategy] += count
            counts[at][NEUTRAL] += made.total()
        quotas.append((at, min(smallest, counts[at][NEUTRAL])))
        for label in (*job.classes, NEUTRAL):
            result.available[corpus.name, split, label] = counts[at][label]
    database.execute("CREATE OR REPLACE TEMP TABLE quotas (corpus USMALLINT, quota INTEGER)")
    if quotas:
        database.executemany("INSERT INTO quotas VALUES (?, ?)", quotas)
    # Strategies take turns, so that neutral pairs hold equal shares of those that there are.
    database.execute(
        f"""CREATE OR REPLACE TEMP TABLE taken AS
        WITH turns AS (
            SELECT key, corpus, label, draw, 0 AS turn FROM mine WHERE label <> '{NEUTRAL}'
            UNION ALL
            SELECT key, corpus, label, draw, row_number() OVER (
                PARTITION BY corpus, replace(strategy::VARCHAR, '{SUFFIX}', '') ORDER BY draw, key) AS turn
            FROM mine WHERE label = '{NEUTRAL}'),
        ranked AS (
            SELECT key, corpus, label,
                   row_number() OVER (PARTITION BY corpus, label ORDER BY turn, draw, key) AS rank FROM turns)
        SELECT key, corpus, label, rank <= quota AS kept FROM ranked JOIN quotas USING (corpus)"""
    )
    database.execute(
        "INSERT INTO chosen SELECT key, ?, corpus, doc, doc_2, label, strategy, fold_1, fold_2 "
        "FROM mine WHERE key IN (SELECT key FROM taken WHERE kept)",
        [split],
    )
    for corpus_at, label, kept, count in database.execute(
        "SELECT corpus, label, kept, count(*) FROM taken GROUP BY ALL"
    ).fetchall():
        if kept:
            result.chosen[names[corpus_at], split, label] += count
        else:
            result.dropped[names[corpus_at], "balance", label] += count
    for corpus_at, strategy, count in database.execute(
        f"SELECT corpus, strategy, count(*) FROM chosen WHERE split=? AND label='{NEUTRAL}' GROUP BY ALL",
        [split],
    ).fetchall():
        result.strategies[names[corpus_at], split, strategy] += count
    for corpus_at, count in database.execute(
        "SELECT corpus, count(DISTINCT d) FROM (SELECT corpus, unnest([doc, doc_2]) AS d FROM chosen WHERE split=?) GROUP BY ALL",
        [split],
    ).fetchall():
        result.documents[names[corpus_at], split] = count


def _prove(database: duckdb.DuckDBPyConnection, result: Assembled) -> None:
    """Count what splits share; anything shared is a fault and nothing is written."""
    (documents,) = database.execute(
        """SELECT count(*) FROM (SELECT d FROM (SELECT split, unnest([doc, doc_2]) AS d FROM chosen)
        GROUP BY d HAVING count(DISTINCT split) > 1)"""
    ).fetchone() or (0,)
    leaks = {}
    for at, split in enumerate(ORDER[:-1]):
        others = ", ".join(f"'{other}'" for other in ORDER[at + 1 :])
        held = f"(SELECT unnest([fold_1, fold_2]) FROM chosen WHERE split='{split}')"
        (shared,) = database.execute(
            f"SELECT count(*) FROM chosen WHERE split IN ({others}) AND (fold_1 IN {held} OR fold_2 IN {held})"
        ).fetchone() or (0,)
        if shared:
            leaks[split] = shared
    if documents or leaks:
        raise DataError(
            Fault(
                code="leak",
                message=f"splits share {documents} documents and {leaks} sentences; this is a bug",
            )
        )
    for split in ORDER:
        result.leaks[split] = 0
