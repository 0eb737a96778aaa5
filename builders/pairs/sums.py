"""Whether the shards' rows and counts add up, before anything is made of them."""

from __future__ import annotations

from collections.abc import Sequence

from probeta.builders.pairs.shards import Record, Task
from probeta.errors import DataError, Fault


def check_shards(tasks: Sequence[Task], records: Sequence[Record]) -> None:
    """Raise a DataError where a shard's rows and counts do not add up."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    faults: list[Fault] = []

    def fault(task: Task, message: str, expected: int, found: int) -> None:
        faults.append(
            Fault(
                code="funnel_sum",
                message=message,
                file=task.parquet.name,
                expected=str(expected),
                found=str(found),
                fix="remove the shard and build again",
            )
        )

    for task, record in zip(tasks, records, strict=True):
        counts = record.counts
        try:
            rows = pq.read_metadata(task.parquet).num_rows
        except (OSError, pa.ArrowInvalid) as error:
            faults.append(
                Fault(code="shard", message=f"the shard cannot be read: {error}", file=task.parquet.name)
            )
            continue
        if rows != record.rows:
            fault(task, "the shard's rows are not those that were counted", record.rows, rows)
        made = counts.linking.total() + counts.neutral.total() + counts.totals["lent_sentences"]
        if made != record.rows:
            fault(task, "pairs and lent sentences do not add up to the rows", made, record.rows)
        hits = sum(n for (_, rule), n in counts.phrases.items() if not rule)
        if hits != counts.hits.total():
            fault(task, "hits by phrase and by class do not add up to the same", hits, counts.hits.total())
        left = counts.linking.total() + counts.refused.total()
        if hits != left:
            fault(task, "linking pairs and refused hits do not add up to the hits", hits, left)
    if faults:
        raise DataError(faults)
