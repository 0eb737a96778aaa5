"""Publishing: what all gates cost on BLAS and on half a million pairs, built or by hand, beside loading alone."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
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


#: Hits of each class in the corpus of the built set; with the neutral pairs, half a million pairs.
HITS = 130_000

#: One linking phrase of each class.
LINKS = ("Sin embargo", "En concreto", "Por tanto")


def corpus(path: Path) -> None:
    """Documents of ten paragraphs, in each of which a phrase links two sentences that stand nowhere else."""
    number = 0
    with path.open("w", encoding="utf-8") as handle:
        for document in range(HITS * len(LINKS) // 10):
            paragraphs = []
            for _ in range(10):
                link = LINKS[number % len(LINKS)]
                paragraphs.append(
                    f"La premisa número {number} dice algo que después se comenta con calma. "
                    f"{link}, la respuesta de la página {number} lo comenta y añade una razón más."
                )
                number += 1
            handle.write(
                json.dumps({"id": f"d{document}", "paragraphs": paragraphs}, ensure_ascii=False) + "\n"
            )


def built_set(folder: Path) -> int:
    """A set of half a million pairs as ``build`` writes it, with every promise to prove; how many pairs.

    The filters that need a model are left out, since gates do not run them.
    """
    from probeta.pipeline.build import build
    from probeta.recipe import load_recipe

    source = folder / "recipe"
    shutil.copytree(load_recipe("esnlir").folder, source)
    recipe = source / "probeta.yaml"
    text = recipe.read_text(encoding="utf-8")
    text = text.replace("    has_nominal_and_verb: true\n", "")
    text = re.sub(r"    language: \{.*?\}\n", "", text)
    # What the artifacts are measured on is no gate's concern, and takes most of a build.
    text = text.replace("    sample: 20000\n", "    sample: 2000\n")
    recipe.write_text(text, encoding="utf-8")
    corpus(folder / "corpus.jsonl")
    built = build(source, out=folder / "set", corpus=[folder / "corpus.jsonl"], workers=2)
    return int(built.counts["pairs"])


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

    rows = []
    with tempfile.TemporaryDirectory() as place:
        blas, large, mined = (Path(place) / name for name in ("blas", "large", "mined"))
        build("blas", out=blas)
        large.mkdir()
        large_set(large)
        mined.mkdir()
        pairs = built_set(mined)
        for name, folder, goal in (
            ("all gates, BLAS", blas, 10),
            ("all gates, 500,000 pairs with a card by hand", large, 60),
            (f"all gates, a built set of {pairs:,} pairs, every promise proved", mined / "set", 60),
        ):
            taken, memory = gates(folder)
            configs = list(builtset.configs(folder))
            peer = best_cpu(lambda folder=folder, configs=configs: load_only(folder, configs), runs=1)
            rows.append(
                Row(
                    name=name,
                    measured=f"{taken:.1f} s, {memory:.2f} GB",
                    goal=f"< {goal} s, < 2 GB",
                    peer=f"load_dataset {peer:.1f} s",
                    ratio=taken / peer,
                    met=taken < goal and memory < 2,
                )
            )
    return rows


def gates(folder: Path) -> tuple[float, float]:
    """CPU seconds of all gates in a process of their own, imports among them, and its memory in GB at most."""
    script = (
        "import resource, sys, time\n"
        "from pathlib import Path\n"
        "from probeta.publishing.lint import lint\n"
        "found = lint(Path(sys.argv[1]))\n"
        "assert not found.faults, found.faults[0]\n"
        "print(time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(folder)], check=True, capture_output=True, text=True
    )
    seconds, memory = map(float, ran.stdout.split())
    return seconds, memory
