"""Make a pair set: mine the corpora, stream the splits and stress sets, measure artifacts, account for all."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from probeta import builtset
from probeta.builders.pairs.build import Mined, mine_pairs
from probeta.builders.pairs.executors import executor
from probeta.builders.pairs.funnel import readable
from probeta.hashing import file_sha256, text_hash
from probeta.pipeline.product import Options, Product
from probeta.publishing.folder import ConfigTables
from probeta.publishing.leaks import Leaks
from probeta.recipe import PairRecipe
from probeta.signature import signature
from probeta.validation.artifacts import artifact_report, gate_warnings


def make(recipe: PairRecipe, options: Options) -> Product:
    """The configs ``pairs`` and ``stress_*`` with the reports ``stats``, ``funnel``, ``rejects``, ``artifacts``."""
    work = options.work or Path(tempfile.mkdtemp(prefix="probeta-"))
    mined = mine_pairs(
        recipe,
        corpora=[str(path) for path in options.corpus],
        work=work,
        workers=options.workers or 1,
        executor=executor(options.executor or "processes", workers=options.workers or 1, folder=work),
        seed=options.seed,
    )
    provenance = _provenance(mined)
    line = signature(
        {
            "data": f"{recipe.name}-{recipe.version}",
            "seed": options.seed,
            "corpora": text_hash(*(f"{name}:{one['sha256']}" for name, one in provenance.items()))[:8],
            "phrases": file_sha256(recipe.path(recipe.pairs.phrases))[:8],
            "segmenter": recipe.pairs.segmenter.kind,
            "tagger": mined.job.tagger,
        }
    )
    features = builtset.pair_features()
    configs = [
        ConfigTables(
            name=config, features=features, splits={split: mined.batches(config, split) for split in splits}
        )
        for config, splits in mined.configs.items()
    ]
    counts = _counts(mined)
    held_back = Leaks(
        text
        for split in recipe.card.hold_back
        if split in mined.configs["pairs"]
        for batch in mined.batches("pairs", split)
        for column in ("sentence_1", "sentence_2")
        for text in batch.column(column).to_pylist()
    )
    artifacts = artifact_report(
        (batch for split in mined.configs["pairs"] for batch in mined.batches("pairs", split)),
        recipe.pairs.artifacts,
        total=counts["pairs"],
        name=f"{recipe.name}-{recipe.version}",
        seed=options.seed,
    )
    return Product(
        configs=configs,
        reports={
            "stats": _stats(mined, line),
            "funnel": {**mined.funnel, "signature": line},
            "rejects": {
                "schema_version": 1,
                "signature": line,
                "rejects": list(mined.rejects(hidden=held_back.inside)),
            },
            "artifacts": artifacts,
        },
        texts={"reports/funnel.txt": readable(mined.funnel)},
        counts=counts,
        signature=line,
        warnings=[
            *_own_corpora(mined, options),
            *mined.funnel["warnings"],
            *(f"artifacts: {line}" for line in gate_warnings(artifacts)),
        ],
        provenance={"tagger": mined.job.tagger, "corpora": provenance},
        command=[part for corpus in mined.corpora for part in ("--corpus", f"'{corpus.name}=PATH'")],
        done=lambda: shutil.rmtree(work, ignore_errors=True),
    )


def _own_corpora(mined: Mined, options: Options) -> list[str]:
    """A line where nobody named a corpus: the set is made of what the recipe brings, which may be a demo."""
    if options.corpus:
        return []
    names = ", ".join(corpus.name for corpus in mined.corpora)
    return [f"no --corpus: built from the texts that the recipe brings ({names})"]


def _counts(mined: Mined) -> dict[str, Any]:
    blocks = mined.funnel["corpora"]
    splits = {split: one["pairs"] for split, one in mined.funnel["splits"].items()}
    return {
        "documents": sum(block["documents"] for block in blocks),
        "sentences": sum(block["sentences"] for block in blocks),
        "hits": sum(sum(block["hits"].values()) for block in blocks),
        "pairs": sum(sum(by_class.values()) for by_class in splits.values()),
        "splits": splits,
    }


def _stats(mined: Mined, line: str) -> dict[str, Any]:
    """Pairs by split and class, by corpus and by genre; computed from the funnel that the rows agree with."""
    genres: dict[str, Counter[str]] = {}
    corpora = []
    for corpus, block in zip(mined.corpora, mined.funnel["corpora"], strict=True):
        sizes = {split: sum(one["pairs"].values()) for split, one in block["splits"].items()}
        genres.setdefault(corpus.genre or "", Counter()).update(sizes)
        corpora.append(
            {
                "corpus": corpus.name,
                "genre": corpus.genre,
                "domain": corpus.domain,
                "licence": corpus.licence,
                "split_rule": corpus.split,
                "documents": {split: one["documents"] for split, one in block["splits"].items()},
                "pairs": sizes,
            }
        )
    return {
        "schema_version": 1,
        "signature": line,
        **_counts(mined),
        "configs": mined.configs,
        "corpora": corpora,
        "genres": {genre: dict(sizes) for genre, sizes in sorted(genres.items())},
    }


def _provenance(mined: Mined) -> dict[str, Any]:
    """For each corpus a hash of what was read of it, and how many documents that were."""
    found: dict[str, Any] = {}
    for corpus, block in zip(mined.corpora, mined.funnel["corpora"], strict=True):
        hashes = [record.input_hash for record in mined.records if record.corpus == corpus.name]
        found[corpus.name] = {
            "documents": block["documents"],
            "licence": corpus.licence,
            "sha256": hashlib.sha256("".join(hashes).encode()).hexdigest(),
        }
    return found
