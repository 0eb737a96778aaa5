"""From files to a prediction: what `probeta predict` does, as a function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from probeta.errors import UsageError
from probeta.evaluation.files import data_version
from probeta.evaluation.predict import Prediction, SpanOptions, corpus_spans, predict
from probeta.evaluation.projection import read_rates
from probeta.evaluation.read import only_test
from probeta.evaluation.true_scores import read_true
from probeta.formats import ReadOptions
from probeta.signature import signature


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The table of recalls, the corpora by name, and the true scores where they are known."""

    recalls: Path
    corpora: Mapping[str, Path]
    true: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """How the corpora are read and described; ``split`` is that of the corpora that are built sets.

    Where ``spans`` has no language, each corpus that is a built set has its own; others are Spanish.

    Of a built set with several splits ``test`` is taken where none is named.
    """

    spans: SpanOptions = field(default_factory=SpanOptions)
    reading: ReadOptions = field(default_factory=ReadOptions)
    split: str | None = None
    shrink: str | None = None


def predict_files(files: Files, request: Request) -> Prediction:
    """Predicted recalls; every option that moves a number stands in the signature."""
    corpora = files.corpora
    if request.split is not None and not any(path.is_dir() for path in corpora.values()):
        raise UsageError("--split names a split of a built set, and no corpus is one")
    splits = {
        name: (request.split or only_test(path)) if path.is_dir() else None for name, path in corpora.items()
    }
    rates = read_rates(files.recalls)
    wanted = {name for cells in rates.values() for cell in cells for name in cell.values}
    spans = request.spans
    known = {name: spans.known(path) for name, path in corpora.items()}
    languages = "+".join(dict.fromkeys(str(one.language) for one in known.values()))
    rows = {
        name: corpus_spans(
            path, wanted=wanted, options=known[name], reading=replace(request.reading, split=splits[name])
        )
        for name, path in corpora.items()
    }
    line = signature(
        {
            "recalls": data_version(files.recalls),
            "corpora": "+".join(data_version(path) for path in corpora.values()),
            "split": "+".join(dict.fromkeys(filter(None, splits.values()))) or None,
            "label": spans.label,
            "spelling": f"{languages}-{spans.spelling}",
            "ambiguity": None if spans.ambiguity is None else f"{languages}-{spans.ambiguity}",
            "adjacency": "on" if spans.adjacency else "off",
            "shrink": request.shrink,
        }
    )
    return predict(
        rates,
        rows,
        true=None if files.true is None else read_true(files.true, corpora=list(corpora)),
        shrink=request.shrink,
        file=str(files.recalls),
        signature=line,
    )
