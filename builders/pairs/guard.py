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
from probeta.builders.pairs.run import DEATHS_ALLOWED, QUARANTINE_LIMIT, lost_shard, start_worker, work
from probeta.builders.pairs.shards import Record, Task, read_current, read_record
from probeta.progress import say

#: Seconds between looks at the process.
LOOK = 0.2
#: Seconds that a process may take, beyond a shard's limit, to load what it needs before it reads a document.
START = 600.0


def run_guarded(job: Job, tasks: Sequence[Task], *, time_limit: float) -> list[Record]:
    """Mine the tasks one after the other in a process of their own.

    A shard at whose mining the process died, or that passed ``time_limit`` seconds, is mined again one document
    after the other, each with the whole limit; a document that stops it then is quarantined. Raises a DataError where none is to blame.
    """
    records: dict[int, Record] = {}
    skip: dict[int, list[str]] = {task.number: [] for task in tasks}
    unexplained: Counter[int] = Counter()
    suspects: set[int] = set()
    waiting = list(tasks)
    while waiting:
        task = _run_process(job, waiting, skip, suspects, time_limit)
        for one in waiting if task is None else waiting[: waiting.index(task)]:
            record = read_record(one)
            if record is None:
                raise lost_shard(one)
            records[one.number] = record
        if task is None:
            break
        waiting = waiting[waiting.index(task) :]
        _, document = read_current(task.current) or (0, "")
        task.current.unlink(missing_ok=True)  # a process that dies early writes none of its own
        if task.number not in suspects:
            suspects.add(task.number)
            continue
        unexplained[task.number] += not document
        if unexplained[task.number] >= DEATHS_ALLOWED or len(skip[task.number]) >= QUARANTINE_LIMIT:
            raise lost_shard(task, documents=len(skip[task.number]))
        if document:
            say(f"probeta: {task.corpus.name}: the document {document} killed its worker; it is left out")
            skip[task.number].append(document)
    return [records[task.number] for task in tasks]


def _run_process(
    job: Job, tasks: Sequence[Task], skip: dict[int, list[str]], suspects: set[int], time_limit: float
) -> Task | None:
    """The task at which the process ended before its time; None where it did all."""
    with tempfile.TemporaryDirectory() as folder:
        order, progress = Path(folder) / "order.pickle", Path(folder) / "progress"
        order.write_bytes(pickle.dumps((job, list(tasks), skip, suspects)))
        process = subprocess.Popen([sys.executable, "-m", __spec__.name, str(order), str(progress)])
        done, since, reading, at_work = 0, time.monotonic(), False, ""
        try:
            while True:
                try:
                    process.wait(LOOK)
                    ended = True
                except subprocess.TimeoutExpired:
                    ended = False
                finished = progress.stat().st_size if progress.exists() else 0
                if finished > done:
                    done, since, reading = finished, time.monotonic(), False
                if done == len(tasks):
                    return None
                if ended:
                    return tasks[done]
                # What a process loads before it reads takes its time, on a machine with much to do the more.
                if not reading and tasks[done].current.exists():
                    reading, since = True, time.monotonic()
                # Of a shard that is mined one document after the other, each document has the whole limit:
                # a slow shard must not blame whichever is at work when the shard's time is up.
                if tasks[done].number in suspects:
                    _, document = read_current(tasks[done].current) or (0, "")
                    if document != at_work:
                        at_work, since = document, time.monotonic()
                if time.monotonic() - since > time_limit + (0 if reading else START):
                    return tasks[done]
        finally:
            process.kill()
            process.wait()


def main(order: str, progress: str) -> None:
    """The guarded process: one byte of ``progress`` for each finished task."""
    import os

    start_worker(os.getppid())
    job, tasks, skip, suspects = pickle.loads(Path(order).read_bytes())
    for task in tasks:
        work(job, task, skip=tuple(skip[task.number]), one_by_one=task.number in suspects)
        with Path(progress).open("ab") as handle:
            handle.write(b".")


if __name__ == "__main__":
    main(*sys.argv[1:])
