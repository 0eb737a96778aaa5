"""Who runs the shards: this machine's processes, or datatrove on this machine, on Slurm or on Ray.

The unit is the same, ``mine_shard``, so the bytes are. A datatrove task mines every so many-th shard in a
guarded process with a time limit, because datatrove's own pool waits for ever for a worker that died. What is
done is told by the shards' records alone, so a run that was cut off, or goes on with another executor, redoes
only what is missing.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from probeta.builders.pairs.build import Executor
from probeta.builders.pairs.guard import run_guarded
from probeta.builders.pairs.job import Job
from probeta.builders.pairs.shards import Record, Task, read_record
from probeta.errors import DataError, Fault, PrerequisiteError, UsageError, extra, one_of
from probeta.progress import say

#: Seconds between looks at Slurm's queue.
POLL = 5

EXECUTORS = ("processes", "local-datatrove", "slurm", "ray")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """What a cluster must be told; read from the environment, since it belongs to the place, not to the set."""

    tasks: int = 64
    #: Seconds a shard may take before its process is ended.
    shard_limit: int = 1800
    #: Seconds a task may take.
    task_limit: int = 6 * 3600
    memory: int = 2
    partition: str = ""
    sbatch: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Cluster:
        """``PROBETA_TASKS``, ``PROBETA_SHARD_LIMIT`` and ``PROBETA_TASK_LIMIT`` (seconds),
        ``PROBETA_MEMORY`` (GB a task), ``PROBETA_PARTITION``, ``PROBETA_SBATCH`` (JSON: further options).

        >>> Cluster.from_environment({"PROBETA_TASKS": "8"}).tasks
        8
        """
        default = cls()
        numbers: dict[str, int] = {}
        for name in ("tasks", "shard_limit", "task_limit", "memory"):
            value = environment.get(f"PROBETA_{name.upper()}", str(getattr(default, name)))
            if not value.isdigit() or int(value) < 1:
                raise UsageError(f"PROBETA_{name.upper()}: expected a whole number above 0, got {value!r}")
            numbers[name] = int(value)
        try:
            sbatch = json.loads(environment.get("PROBETA_SBATCH", "{}"))
        except ValueError:
            sbatch = None
        if not isinstance(sbatch, dict):
            raise UsageError('PROBETA_SBATCH: expected JSON such as {"account": "nlp"}')
        return cls(**numbers, partition=environment.get("PROBETA_PARTITION", ""), sbatch=sbatch)


def executor(name: str, *, workers: int, folder: Path) -> Executor | None:
    """The executor of a name; None is the default runner. ``folder`` must be reachable from every machine."""
    one_of(name, EXECUTORS, what="executor")
    if name == "processes":
        return None
    try:
        import datatrove.executor  # noqa: F401
    except ImportError:
        raise PrerequisiteError(f"the executor {name} needs datatrove", fix=extra("scale")) from None
    cluster = Cluster.from_environment()

    def run(job: Job, tasks: Sequence[Task]) -> list[Record]:
        return _run_datatrove(
            job, tasks, name=name, workers=workers, logs=folder / "datatrove", cluster=cluster
        )

    return run


class MineShards:
    """The pipeline step: the rank's shards, mined in a guarded process."""

    def __init__(self, job: Job, tasks: Sequence[Task], shard_limit: int) -> None:
        self._job = job
        self._tasks = list(tasks)
        self._shard_limit = shard_limit

    def __call__(self, data: Any, rank: int = 0, world_size: int = 1) -> list[Any]:
        """Mine every ``world_size``-th shard from ``rank`` on; nothing is passed on."""
        run_guarded(self._job, self._tasks[rank::world_size], time_limit=self._shard_limit)
        return []


def _run_datatrove(
    job: Job, tasks: Sequence[Task], *, name: str, workers: int, logs: Path, cluster: Cluster
) -> list[Record]:
    world = min(cluster.tasks, len(tasks))
    common: dict[str, Any] = {
        "pipeline": [MineShards(job, tasks, cluster.shard_limit)],
        "tasks": world,
        "logging_dir": str(logs),
        # Whether a shard is done is told by its record, which knows input and recipe; a rank's mark does not.
        "skip_completed": False,
    }
    if name == "local-datatrove":
        from datatrove.executor import LocalPipelineExecutor

        LocalPipelineExecutor(**common, workers=workers, start_method="spawn").run()
    elif name == "ray":
        import ray
        from datatrove.executor.ray import RayPipelineExecutor

        if not ray.is_initialized():
            ray.init()
        RayPipelineExecutor(
            **common, workers=workers, mem_per_cpu_gb=cluster.memory, time=cluster.task_limit
        ).run()
    else:
        from datatrove.executor import SlurmPipelineExecutor

        hours, rest = divmod(cluster.task_limit, 3600)
        submitted = SlurmPipelineExecutor(
            **common,
            workers=workers,
            time=f"{hours:02d}:{rest // 60:02d}:{rest % 60:02d}",
            partition=cluster.partition,
            mem_per_cpu_gb=cluster.memory,
            job_name="probeta",
            # The nodes need the programs of this environment, whether or not it was activated here.
            env_command=f"export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH",
            run_on_dependency_fail=True,
            mail_type="NONE",
            sbatch_args=dict(cluster.sbatch),
        )
        submitted.run()
        say(
            "probeta: submitted to Slurm; waiting for the shards. Interrupt at will: the same command goes on"
        )
        _wait(job, tasks, submitted.job_id)
    return _records(job, tasks, logs)


def _wait(job: Job, tasks: Sequence[Task], number: str | int) -> None:
    """Wait until every shard is done or Slurm has no such job any more."""
    while any(not _done(job, task) for task in tasks):
        queue = subprocess.run(["squeue", "-h", "-j", str(number)], capture_output=True, text=True)
        if queue.returncode or not queue.stdout.strip():
            return
        time.sleep(POLL)


def _done(job: Job, task: Task) -> bool:
    record = read_record(task)
    return record is not None and record.job_hash == job.hash(task.corpus)


def _records(job: Job, tasks: Sequence[Task], logs: Path) -> list[Record]:
    missing = [task for task in tasks if not _done(job, task)]
    if missing:
        raise DataError(
            Fault(
                code="shard_lost",
                message=f"{len(missing)} of {len(tasks)} shards were not mined",
                file=missing[0].shard.parts[0].path,
                fix=f"read the logs in {logs}; the same command goes on from the others",
            )
        )
    records = [read_record(task) for task in tasks]
    return [record for record in records if record is not None]
