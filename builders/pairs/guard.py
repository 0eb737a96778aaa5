"""Shards in a process that may die or hang: ended at its time limit, its document blamed, the rest redone.

For executors that cannot say which task killed a worker, or that wait for it for ever. Run as a module, this
is the guarded process.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from probeta.builders.pairs.job import Job
from probeta.builders.pairs.run import DEATHS_ALLOWED, QUARANTINE_LIMIT, lost_shard, start_worker
from probeta.builders.pairs.shards import Record, Task, mine_shard, read_current, read_record
from probeta.progress import say

#: Seconds between looks at the process.
LOOK = 0.2


def run_guarded(job: Job, tasks: Sequence[Task], *, time_limit: float) -> list[Record]:
    """Mine the tasks one after the other in a process of their own.

    A document at whose mining the process died or passed ``time_limit`` seconds for its shard is tried once
    more and then quarantined. Raises a DataError where no document is to blame.
    """
    records: dict[int, Record] = {}
    skip: dict[int, list[str]] = {task.number: [] for task in tasks}
    deaths: Counter[tuple[int, str]] = Counter()
    waiting = list(tasks)
    while waiting:
        task = _run_process(job, waiting, skip, time_limit)
        for one in waiting if task is None else waiting[: waiting.index(task)]:
            record = read_record(one)
            if record is None:
                raise lost_shard(one)
            records[one.number] = record
        if task is None:
            break
        waiting = waiting[waiting.index(task) :]
        died = read_current(task.current)
        document = died[1] if died else ""
        deaths[task.number, document] += 1
        if deaths[task.number, document] >= DEATHS_ALLOWED:
            if not document or len(skip[task.number]) >= QUARANTINE_LIMIT:
                raise lost_shard(task)
            say(f"probeta: {task.corpus.name}: the document {document} killed its worker; it is left out")
            skip[task.number].append(document)
    return [records[task.number] for task in tasks]


def _run_process(
    job: Job, tasks: Sequence[Task], skip: dict[int, list[str]], time_limit: float
) -> Task | None:
    """The task at which the process ended before its time; None where it did all."""
    with tempfile.TemporaryDirectory() as folder:
        order, progress = Path(folder) / "order.pickle", Path(folder) / "progress"
        order.write_bytes(pickle.dumps((job, list(tasks), skip)))
        process = subprocess.Popen([sys.executable, "-m", __spec__.name, str(order), str(progress)])
        done, since = 0, time.monotonic()
        try:
            while True:
                try:
                    process.wait(LOOK)
                    ended = True
                except subprocess.TimeoutExpired:
                    ended = False
                finished = progress.stat().st_size if progress.exists() else 0
                if finished > done:
                    done, since = finished, time.monotonic()
                if ended:
                    return None if done == len(tasks) else tasks[done]
                if time.monotonic() - since > time_limit:
                    return tasks[done]
        finally:
            process.kill()
            process.wait()


def main(order: str, progress: str) -> None:
    """The guarded process: one byte of ``progress`` for each finished task."""
    import os

    start_worker(os.getppid())
    job, tasks, skip = pickle.loads(Path(order).read_bytes())
    for task in tasks:
        mine_shard(job, task, skip=tuple(skip[task.number]))
        with Path(progress).open("ab") as handle:
            handle.write(b".")


if __name__ == "__main__":
    main(*sys.argv[1:])
