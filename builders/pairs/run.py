"""The default runner: shards over a pool of processes that may die.

A worker that dies breaks the whole pool, and which shard killed it is not told. So every shard that was at
work is tried once more, alone and one document after the other, until the culprit is found: a document at
which its shard dies now is known, is quarantined by id, and the shard goes on without it. A finished shard is
not run again, by this run or the next one.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from probeta.builders.pairs.corpora import Corpus
from probeta.builders.pairs.job import Job
from probeta.builders.pairs.readers import SHARD_BYTES, plan
from probeta.builders.pairs.shards import Record, Task, mine_shard, read_current
from probeta.errors import DataError, Fault, UsageError
from probeta.progress import say, track

#: A shard that loses more documents than this is broken in another way.
QUARANTINE_LIMIT = 20
#: A shard whose worker dies at no document is tried again so often.
DEATHS_ALLOWED = 2


def plan_tasks(
    corpora: Sequence[Corpus], folder: Path, *, shard_bytes: int = SHARD_BYTES
) -> tuple[list[Task], dict[str, list[str]]]:
    """Every shard of every corpus, and for each corpus the files that are of no known kind."""
    tasks: list[Task] = []
    ignored: dict[str, list[str]] = {}
    for corpus in corpora:
        if corpus.path is None:
            raise UsageError(f"the corpus {corpus.name} has no path")
        shards, others = plan(corpus.name, corpus.path, shard_bytes=shard_bytes)
        if others:
            ignored[corpus.name] = others
        for shard in shards:
            tasks.append(Task(len(tasks), corpus, shard, str(folder)))
    return tasks, ignored


def run_tasks(
    job: Job, tasks: Sequence[Task], *, workers: int, watch: Callable[[Task], None] | None = None
) -> list[Record]:
    """Mine every task with ``workers`` processes; the records in the tasks' order.

    ``watch`` is told each task that has finished. Raises a DataError where a shard cannot be finished.
    """
    if workers < 1:
        raise UsageError(f"expected at least one worker, got {workers}")
    if tasks:
        _sweep(Path(tasks[0].folder), tasks)
    records: dict[int, Record] = {}
    progress = iter(track(range(len(tasks)), label="mining shards", total=len(tasks)))

    def done(task: Task, record: Record) -> None:
        records[task.number] = record
        next(progress, None)
        if watch is not None:
            watch(task)

    waiting = list(tasks)
    while waiting:
        for task in _run_pool(job, waiting, workers, done):
            record = _run_alone(job, task)
            done(task, record)
            if record.quarantined:
                break  # found: what else was at work goes back to the pool
        waiting = [task for task in waiting if task.number not in records]
    next(progress, None)  # the bar goes when its last step is asked for
    return [records[task.number] for task in tasks]


def _sweep(folder: Path, tasks: Sequence[Task]) -> None:
    """Remove what a killed run left half-written, and shards of another plan."""
    expected = {path.name for task in tasks for path in (task.parquet, task.record)}
    for path in folder.glob("*"):
        if path.is_file() and path.name not in expected and ("shard-" in path.name):
            path.unlink()


def _pool(workers: int) -> ProcessPoolExecutor:
    # Workers start from nothing: a fork would copy threads' locks, among others those of the progress bar.
    return ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=start_worker,
        initargs=(os.getpid(),),
    )


def start_worker(parent: int) -> None:
    """Make this process a worker of ``parent``: numeric libraries take one thread a worker, and the worker ends when its parent is gone."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"

    def end_with_parent() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


def work(job: Job, task: Task, *, skip: Sequence[str] = (), one_by_one: bool = False) -> Record:
    """``mine_shard`` as a worker runs it: one that is refused memory ends, as one that the system kills does."""
    try:
        return mine_shard(job, task, skip=skip, one_by_one=one_by_one)
    except MemoryError:
        os._exit(1)


def _run_pool(
    job: Job, tasks: Sequence[Task], workers: int, done: Callable[[Task, Record], object]
) -> list[Task]:
    """Run tasks until all are done or the pool breaks; returns those that were at work when it did."""
    queue = list(tasks)
    running: dict[Future[Record], Task] = {}
    with _pool(min(workers, len(tasks))) as pool:
        try:
            while queue or running:
                while queue and len(running) < 2 * workers:
                    running[pool.submit(work, job, queue[0])] = queue[0]
                    queue.pop(0)
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in sorted(finished, key=lambda one: running[one].number):
                    done(running[future], future.result())
                    del running[future]
        except BrokenProcessPool:
            at_work = [task for future, task in running.items() if not _finished(future)]
            for future, task in running.items():
                if task not in at_work:
                    done(task, future.result())
            started = [task for task in at_work if task.current.exists()]
            return started or at_work[:1]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return []


def _finished(future: Future[Record]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def _run_alone(job: Job, task: Task) -> Record:
    """Run a shard whose worker may have died in a pool of its own; a document at which it dies is quarantined."""
    skip: list[str] = []
    unexplained = 0
    while True:
        task.current.unlink(missing_ok=True)  # the last run's; one that dies early writes none of its own
        with _pool(1) as pool:
            try:
                return pool.submit(work, job, task, skip=tuple(skip), one_by_one=True).result()
            except BrokenProcessPool:
                _, document = read_current(task.current) or (0, "")
        unexplained += not document
        if unexplained >= DEATHS_ALLOWED or len(skip) >= QUARANTINE_LIMIT:
            raise lost_shard(task, documents=len(skip))
        if document:
            say(f"probeta: {task.corpus.name}: the document {document} killed its worker; it is left out")
            skip.append(document)


def lost_shard(task: Task, *, documents: int = 0) -> DataError:
    """The error for a shard whose worker dies at no document, or at too many ``documents``."""
    blame = f"at {documents} documents" if documents else "and no document is to blame"
    return DataError(
        Fault(
            code="shard_lost",
            message=f"its worker dies again and again, {blame}",
            file=", ".join(part.path for part in task.shard.parts[:3]),
            fix="give it more memory, or build with fewer workers; a script of your own must call this below "
            "if __name__ == '__main__', since every worker imports it",
        )
    )
