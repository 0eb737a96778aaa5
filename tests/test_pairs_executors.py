"""datatrove's local executor, and the guarded process under it: the same bytes, and no task waits for ever."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from probeta.builders.pairs.corpora import Corpus
from probeta.builders.pairs.executors import Cluster, executor
from probeta.builders.pairs.guard import run_guarded
from probeta.builders.pairs.job import Job, load_job
from probeta.builders.pairs.run import plan_tasks, run_tasks
from probeta.builders.pairs.shards import Task
from probeta.errors import PrerequisiteError, UsageError
from probeta.recipe import PairRecipe, load_recipe

SHARD_BYTES = 12_000

WITH_DATATROVE = pytest.mark.skipif(
    importlib.util.find_spec("datatrove") is None, reason="the extra scale (datatrove) is not installed"
)


def job() -> Job:
    recipe = load_recipe("esnlir")
    assert isinstance(recipe, PairRecipe)
    filters = recipe.pairs.filters.model_copy(update={"has_nominal_and_verb": False})
    settings = recipe.pairs.model_copy(update={"filters": filters})
    return load_job(settings, language="es", seed=7, folder=recipe.folder, shown="esnlir")


def content(tasks: list[Task]) -> list[bytes]:
    return [path.read_bytes() for task in tasks for path in (task.parquet, task.record)]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory, compose_corpus: Callable[..., Path]) -> Corpus:
    path = tmp_path_factory.mktemp("corpus") / "composed.jsonl"
    return Corpus("composed", compose_corpus(path, documents=40, paragraphs=5))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory, corpus: Corpus) -> list[bytes]:
    tasks, _ = plan_tasks([corpus], tmp_path_factory.mktemp("expected"), shard_bytes=SHARD_BYTES)
    run_tasks(job(), tasks, workers=1)
    return content(tasks)


def test_the_guarded_process_gives_the_same_bytes(
    tmp_path: Path, corpus: Corpus, expected: list[bytes]
) -> None:
    tasks, _ = plan_tasks([corpus], tmp_path, shard_bytes=SHARD_BYTES)
    records = run_guarded(job(), tasks, time_limit=120)
    assert len(records) == len(tasks) > 2
    assert content(tasks) == expected


@WITH_DATATROVE
@pytest.mark.parametrize("workers", [1, 2])
def test_datatrove_gives_the_same_bytes(
    tmp_path: Path, corpus: Corpus, expected: list[bytes], workers: int
) -> None:
    tasks, _ = plan_tasks([corpus], tmp_path / "shards", shard_bytes=SHARD_BYTES)
    run = executor("local-datatrove", workers=workers, folder=tmp_path)
    assert run is not None
    records = run(job(), tasks)
    assert len(records) == len(tasks)
    assert content(tasks) == expected
    # A second run finds every shard done, whoever did it.
    before = [task.record.stat().st_mtime_ns for task in tasks]
    run(job(), tasks)
    assert [task.record.stat().st_mtime_ns for task in tasks] == before


@pytest.mark.skipif(importlib.util.find_spec("datatrove") is not None, reason="datatrove is installed")
def test_without_datatrove_the_way_is_named(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match=r"pip install --editable '\.\[scale\]'"):
        executor("slurm", workers=2, folder=tmp_path)


def test_the_cluster_is_read_from_the_environment() -> None:
    cluster = Cluster.from_environment(
        {"PROBETA_TASKS": "8", "PROBETA_PARTITION": "long", "PROBETA_SBATCH": '{"account": "nlp"}'}
    )
    assert (cluster.tasks, cluster.partition, cluster.sbatch) == (8, "long", {"account": "nlp"})
    with pytest.raises(UsageError, match="PROBETA_TASKS"):
        Cluster.from_environment({"PROBETA_TASKS": "many"})
    with pytest.raises(UsageError, match="PROBETA_SBATCH"):
        Cluster.from_environment({"PROBETA_SBATCH": "[1]"})
