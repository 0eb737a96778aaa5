"""The whole way: corpora in, balanced splits, stress sets and the funnel out."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import atomic
from probeta.builders.pairs.assemble import assemble
from probeta.builders.pairs.chosen import NEUTRAL, ORDER, Assembled
from probeta.builders.pairs.corpora import Corpus, chosen_corpora, read_corpora
from probeta.builders.pairs.funnel import SCHEMA_VERSION, corpus_funnel, readable, sum_faults, warnings
from probeta.builders.pairs.job import Job, load_job
from probeta.builders.pairs.records import Counts
from probeta.builders.pairs.run import plan_tasks, run_tasks
from probeta.builders.pairs.shards import INTERNAL_COLUMNS, Record, Task, refuse_damaged
from probeta.builders.pairs.stress import misspeller, stress_row, vocabulary
from probeta.builders.pairs.sums import check_shards
from probeta.builtset import PAIR_COLUMNS
from probeta.canary import canary
from probeta.errors import DataError, Fault
from probeta.recipe.pairs import MisspellStress
from probeta.recipe.schema import PairRecipe

if TYPE_CHECKING:
    import pyarrow as pa

#: Runs every task and returns their records in the tasks' order: the pool of processes, or another machine's.
Executor = Callable[[Job, Sequence[Task]], list[Record]]


@dataclass(frozen=True, slots=True)
class Mined:
    """What mining gives: rows by config and split, streamed; the funnel; rejects; what to say loudly."""

    job: Job
    corpora: Sequence[Corpus]
    assembled: Assembled
    records: Sequence[Record]
    funnel: dict[str, Any]
    recipe: PairRecipe

    @property
    def canary(self) -> str:
        """The canary that every row bears."""
        return canary(self.recipe.name, self.recipe.version)

    @property
    def configs(self) -> dict[str, list[str]]:
        """Config -> its splits, those that hold pairs, train first."""
        splits = [split for split in ORDER[::-1] if len(self.assembled.keys[split])]
        stress = {f"stress_{name}": ["test"] for name in self.recipe.pairs.stress if "test" in splits}
        return {"pairs": splits, **stress}

    def batches(self, config: str, split: str) -> Iterator[pa.RecordBatch]:
        """The rows of a config's split in the columns of ``probeta.builtset.PAIR_COLUMNS``, in a stable order."""
        if config == "pairs":
            for batch in self.assembled.batches(split):
                yield _published(batch, self.canary)
            return
        yield from self._stressed(config.removeprefix("stress_"), split)

    def _stressed(self, name: str, split: str) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        stress = self.recipe.pairs.stress[name]
        spell = None
        if isinstance(stress, MisspellStress):
            texts = (
                text
                for batch in self.assembled.batches(split, ["sentence_1", "sentence_2"])
                for column in batch.columns
                for text in column.to_pylist()
            )
            spell = misspeller(stress, name=name, seed=self.job.seed, vocabulary=vocabulary(texts))
        for batch in self.assembled.batches(split):
            whole = _published(batch, self.canary)
            rows = [stress_row(row, stress, spell) for row in whole.to_pylist()]
            yield pa.RecordBatch.from_pylist(rows, schema=whole.schema)

    def rejects(self, *, hidden: Callable[[str], object] = lambda _: False) -> Iterator[dict[str, Any]]:
        """A sample of the hits that made no pair: the same number at most of each reason and corpus.

        A hit in whose texts there is something ``hidden`` is not shown.
        """
        kept: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for record in self.records:
            for reject in record.rejects:
                kept.setdefault((reject.corpus, reject.reason), []).append(reject._asdict())
        for key in sorted(kept):
            ordered = sorted(kept[key], key=lambda one: (one["draw"], one["document"]))
            shown = (one for one in ordered if not hidden(f"{one['premise'] or ''} {one['hypothesis']}"))
            for value in itertools.islice(shown, REJECTS_PUBLISHED):
                del value["draw"]
                yield value


REJECTS_PUBLISHED = 20


def _published(batch: pa.RecordBatch, mark: str) -> pa.RecordBatch:
    """A shard's rows as the set holds them: internal columns dropped, the canary added."""
    import pyarrow as pa

    kept = batch.drop_columns(list(INTERNAL_COLUMNS))
    kept = kept.append_column("canary", pa.repeat(pa.scalar(mark, pa.string()), batch.num_rows))
    return kept.select(list(PAIR_COLUMNS))


def mine_pairs(
    recipe: PairRecipe,
    *,
    corpora: Sequence[str] = (),
    work: Path,
    workers: int = 1,
    executor: Executor | None = None,
    seed: int | None = None,
) -> Mined:
    """Mine, assemble and account for the pairs of a recipe.

    ``corpora`` are the user's paths (or NAME=PATH); none: those that the recipe brings. ``work`` keeps the
    shards, so that a run that was cut off goes on from there. ``executor`` runs the shards elsewhere than in
    ``workers`` processes here; neither changes a byte of the result.

    Raises a DataError where documents are damaged, sums do not agree, splits share anything, or no pair is
    left; then ``work/funnel.txt`` says where they were lost.
    """
    settings = recipe.pairs
    job = load_job(
        settings,
        language=recipe.language,
        seed=recipe.seed if seed is None else seed,
        folder=recipe.folder,
        shown=recipe.shown("").rstrip("/"),
    )
    if unknown := [label for label in (*job.classes, NEUTRAL) if label not in recipe.labels]:
        raise DataError(
            Fault(
                code="class_unknown",
                message=f"the recipe declares no class {', '.join(unknown)}",
                file=recipe.shown("probeta.yaml"),
                column="labels",
                found=", ".join(recipe.labels),
                fix="declare every class of the linking phrases, and neutral",
            )
        )
    declared = read_corpora([(recipe.path(file), recipe.shown(file)) for file in settings.corpora])
    chosen = chosen_corpora(declared, corpora)
    tasks, ignored = plan_tasks(chosen, work / "shards")
    work.mkdir(parents=True, exist_ok=True)
    records = executor(job, tasks) if executor else run_tasks(job, tasks, workers=workers)
    if settings.damaged_documents == "refuse":
        refuse_damaged(records)
    check_shards(tasks, records)
    assembled = assemble(job, tasks, chosen, work)
    funnel = _funnel(job, chosen, records, assembled, ignored)
    atomic.write_text(work / "funnel.json", json.dumps(funnel, ensure_ascii=False, indent=1) + "\n")
    atomic.write_text(work / "funnel.txt", readable(funnel))
    if faults := sum_faults(funnel, file="funnel.json"):
        raise DataError(faults)
    if not any(len(keys) for keys in assembled.keys.values()):
        raise DataError(
            Fault(code="no_pairs", message=warning, fix=f"read {work / 'funnel.txt'}")
            for warning in funnel["warnings"]
        )
    return Mined(job, chosen, assembled, records, funnel, recipe)


def _funnel(
    job: Job,
    corpora: Sequence[Corpus],
    records: Sequence[Record],
    assembled: Assembled,
    ignored: dict[str, list[str]],
) -> dict[str, Any]:
    counts = {corpus.name: Counts() for corpus in corpora}
    for record in records:
        counts[record.corpus].add(record.counts)
    blocks = [
        corpus_funnel(
            corpus.name,
            counts[corpus.name],
            assembled,
            classes=job.classes,
            ignored=ignored.get(corpus.name, ()),
        )
        for corpus in corpora
    ]
    return {
        "schema_version": SCHEMA_VERSION,
        "tagger": job.tagger,
        "quarantined": sorted(f"{r.corpus}: {name}" for r in records for name in r.quarantined),
        "corpora": blocks,
        "splits": {
            split: {
                "documents": sum(block["splits"][split]["documents"] for block in blocks),
                "pairs": {
                    label: sum(block["splits"][split]["pairs"][label] for block in blocks)
                    for label in (*job.classes, "neutral")
                },
            }
            for split in ORDER[::-1]
        },
        "shared_sentences": dict(sorted(assembled.leaks.items())),
        "warnings": [*warnings(blocks, classes=job.classes), *_no_test(blocks)],
    }


def _no_test(blocks: Sequence[dict[str, Any]]) -> list[str]:
    """A line where there are pairs and none to test on."""
    sizes = {split: sum(sum(b["splits"][split]["pairs"].values()) for b in blocks) for split in ORDER}
    if not any(sizes.values()) or sizes["test"]:
        return []
    return ["the set has NO test split, hence no stress sets: it needs more documents"]
