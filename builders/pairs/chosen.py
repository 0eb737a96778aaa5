"""The chosen pairs: their keys by split, what became of the others, and their rows as a stream."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

#: Splits in the order in which they take their pairs: what test holds, no other split may.
ORDER = ("test", "validation", "train")
NEUTRAL = "neutral"

#: Why a pair that a shard wrote is not in the set.
REASONS_AFTER = (
    "conflicting",
    "neutral_is_linking",
    "duplicate_in_corpus",
    "duplicate_across_corpora",
    "chained",
    "shared_with_test",
    "shared_with_validation",
    "balance",
)


@dataclass(slots=True)
class Assembled:
    """The chosen pairs by split (their keys, sorted), and what became of the others."""

    keys: dict[str, np.ndarray[Any, Any]]
    sources: list[Path]
    spooled: dict[str, Path] = field(default_factory=dict)
    #: (corpus, reason, class) -> pairs left out, in the order of REASONS_AFTER.
    dropped: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    #: (corpus, split, class) -> pairs before balancing.
    available: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    #: (corpus, split, class) -> pairs chosen.
    chosen: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    #: (corpus, strategy) -> neutral pairs made across documents.
    crossdoc: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: (corpus, split, strategy) -> neutral pairs chosen.
    strategies: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    #: (corpus, split) -> documents that give a chosen pair.
    documents: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: split -> rows that share a folded sentence with it elsewhere; always 0, or nothing is written.
    leaks: Counter[str] = field(default_factory=Counter)

    def spool(self, folder: Path) -> None:
        """Read the shards once and lay each split's rows in a file that is streamed as often as needed."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = pq.read_schema(self.sources[0])
        with contextlib.ExitStack() as stack:
            writers = {}
            for split, keys in self.keys.items():
                if len(keys):
                    self.spooled[split] = folder / f"{split}.arrow"
                    sink = stack.enter_context(pa.OSFile(str(self.spooled[split]), "wb"))
                    writers[split] = stack.enter_context(pa.ipc.new_stream(sink, schema))
            if not writers:
                return
            # One sorted array for all splits: a look-up a row, instead of one a row and split.
            names = list(writers)
            every = np.concatenate([self.keys[split] for split in names])
            code = np.repeat(np.arange(len(names)), [len(self.keys[split]) for split in names])
            order = np.argsort(every)
            every, code = every[order], code[order]
            for source in self.sources:
                with pq.ParquetFile(source) as file:
                    for group in range(file.num_row_groups):
                        table = file.read_row_group(group)
                        keys = table.column("key").to_numpy()
                        at = np.minimum(np.searchsorted(every, keys), len(every) - 1)
                        found = np.where(every[at] == keys, code[at], -1)
                        for number, split in enumerate(names):
                            writers[split].write_table(table.filter(pa.array(found == number)))

    def batches(self, split: str, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """The chosen rows of a split, in the order of the shards."""
        import pyarrow as pa

        if split in self.spooled:
            with pa.memory_map(str(self.spooled[split])) as file, pa.ipc.open_stream(file) as reader:
                for batch in reader:
                    if batch.num_rows:
                        yield batch.select(list(columns)) if columns else batch
