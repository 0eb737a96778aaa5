"""Publishing: what all gates cost on BLAS and on half a million pairs, beside loading alone."""

from __future__ import annotations

import resource
import tempfile
from pathlib import Path

from benchmarks.harness import Row, best_cpu

#: Rows of the large set, and the size of its splits.
PAIRS = {"train": 405_000, "validation": 45_000, "test": 50_000}

HEADER = """---
license: cc-by-4.0
language: [es]
configs:
- config_name: pairs
  data_files:
"""


def large_set(folder: Path) -> None:
    """Half a million pairs of the released columns, with a card as people write it."""
    import pyarrow as pa

    from probeta import builtset
    from probeta.publishing.folder import write_parquet

    features = builtset.pair_features()
    card = HEADER
    number = 0
    for split, rows in PAIRS.items():
        batches = []
        for start in range(0, rows, 10_000):
            count = min(10_000, rows - start)
            ids = range(number, number + count)
            number += count
            columns: dict[str, list[object]] = {name: [None] * count for name in features}
            columns["id"] = [f"pair-{one:06d}" for one in ids]
            columns["sentence_1"] = [
                f"La premisa número {one} dice algo que después se comenta con calma." for one in ids
            ]
            columns["sentence_2"] = [
                f"La hipótesis número {one} lo comenta y añade una razón más." for one in ids
            ]
            columns["connector_type"] = [
                ("contrasting", "entailment", "neutral", "reasoning")[one % 4] for one in ids
            ]
            batches.append(pa.RecordBatch.from_pydict(columns, schema=features.arrow_schema))
        write_parquet(folder / f"pairs/{split}-00000-of-00001.parquet", batches, features)
        card += f"  - split: {split}\n    path: pairs/{split}-*\n"
    (folder / "README.md").write_text(f"{card}---\n# Pairs\n", encoding="utf-8")


def load_only(folder: Path, configs: list[str]) -> None:
    """What ``datasets`` does without any gate."""
    import datasets

    from probeta.publishing.gates.loading import quiet

    with tempfile.TemporaryDirectory() as cache, quiet():
        for config in configs:
            datasets.load_dataset(str(folder), config, cache_dir=cache)


def run() -> list[Row]:
    """The rows of the table."""
    from probeta import builtset
    from probeta.pipeline.build import build
    from probeta.publishing.lint import lint

    rows = []
    with tempfile.TemporaryDirectory() as place:
        blas, large = Path(place) / "blas", Path(place) / "large"
        build("blas", out=blas)
        taken = best_cpu(lambda: lint(blas), runs=1)
        peer = best_cpu(lambda: load_only(blas, list(builtset.configs(blas))), runs=1)
        rows.append(
            Row(
                name="all gates, BLAS",
                measured=f"{taken:.1f} s",
                goal="< 10 s",
                peer=f"load_dataset {peer:.1f} s",
                ratio=taken / peer,
                met=taken < 10,
            )
        )
        large.mkdir()
        large_set(large)
        taken = best_cpu(lambda: lint(large), runs=1)
        peer = best_cpu(lambda: load_only(large, ["pairs"]), runs=1)
        rows.append(
            Row(
                name="all gates, 500,000 pairs",
                measured=f"{taken:.1f} s",
                goal="< 60 s",
                peer=f"load_dataset {peer:.1f} s",
                ratio=taken / peer,
                met=taken < 60,
            )
        )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        rows.append(Row(name="its memory, at most", measured=f"{peak:.2f} GB", goal="< 2 GB", met=peak < 2))
    return rows
