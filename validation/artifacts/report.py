"""What a model can guess from half of the input: baselines that never see a pair as a pair.

Each baseline is trained and tested by cross-validation in which no document stands on both sides. If one of
them is well above chance, the set's classes can be told by something other than the relation between the
texts (Gururangan et al., 2018; Poliak et al., 2018). A gate is judged by the lower end of the accuracy's
95 % interval, so that a small set does not fail by chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import builtset
from probeta.errors import UsageError
from probeta.recipe import PairRecipe, load_recipe
from probeta.recipe.pairs import ArtifactSettings
from probeta.signature import signature
from probeta.validation.artifacts.baselines import BASELINES, Baseline, Rows, boosted, counter, logistic

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

SCHEMA_VERSION = 1
RESAMPLES = 1000
#: Words shown a class.
WORDS_SHOWN = 12
#: Boosted trees of the bag-of-words baseline, as in the ESNLIR paper.
ESTIMATORS = 2000


#: What is read of each pair.
COLUMNS = (
    "id",
    "sentence_1",
    "sentence_2",
    "connector_type",
    "dataset",
    "document",
    "sentence_2_document",
)


def artifacts(
    folder: Path, *, xgboost: bool = False, estimators: int = ESTIMATORS, seed: int | None = None
) -> dict[str, Any]:
    """The artifact report of a built pair set, with the gates of its recipe.

    ``xgboost`` adds bags of words in boosted trees, of both texts and of the premise alone.
    """
    if not builtset.is_built_set(folder):
        raise UsageError(f"{folder} is not a built set: expected build/probeta.yaml and SHA256SUMS in it")
    recipe = load_recipe(folder / "build")
    if not isinstance(recipe, PairRecipe):
        raise UsageError(f"{folder} holds no pairs; artifacts are measured on pair sets")
    paths = sorted((folder / "pairs").glob("*.parquet"))
    return artifact_report(
        (batch for path in paths for batch in _read(path)),
        recipe.pairs.artifacts,
        total=sum(_rows(path) for path in paths),
        name=f"{recipe.name}-{recipe.version}",
        seed=recipe.seed if seed is None else seed,
        xgboost=xgboost,
        estimators=estimators,
    )


def _read(path: Path) -> Iterator[pa.RecordBatch]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        yield from file.iter_batches(columns=list(COLUMNS))


def _rows(path: Path) -> int:
    import pyarrow.parquet as pq

    return int(pq.read_metadata(path).num_rows)


def artifact_report(
    pairs: Iterable[pa.RecordBatch],
    settings: ArtifactSettings,
    *,
    total: int,
    name: str,
    seed: int,
    xgboost: bool = False,
    estimators: int = ESTIMATORS,
) -> dict[str, Any]:
    """Measure every baseline on a sample of ``pairs``, of which there are ``total``, and judge the gates.

    Accuracies and recalls are fractions with percentile intervals from a bootstrap over documents
    (1,000 resamples). With fewer than two documents, or a class that only one document holds, nothing can be
    measured: the values are null with a ``reason``. Below ``settings.minimum`` no gate is judged and no word
    named: it would stand for a pair or two.
    """
    import numpy as np

    rows = _sampled(pairs, settings.sample, seed, total=total)
    labels = np.array(rows["connector_type"], dtype=object)
    groups = _groups(rows)
    classes = sorted(set(labels.tolist()))
    report: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "signature": signature(
            {
                "data": name,
                "seed": seed,
                "pairs": len(labels),
                "folds": settings.folds,
                "bootstrap": f"documents:{RESAMPLES}",
            }
        ),
        "pairs": total,
        "measured_pairs": len(labels),
        "documents": len(set(groups.tolist())),
        "classes": {label: int((labels == label).sum()) for label in classes},
        "chance": _rounded(max((labels == label).mean() for label in classes)) if classes else None,
        "baselines": {},
        "words": {},
        "gates": {},
    }
    folds, reason = _folds(labels, groups, settings.folds, seed)
    chosen = dict(BASELINES)
    if xgboost:
        chosen["xgboost_pair"] = boosted(estimators, ("sentence_1", "sentence_2"))
        chosen["xgboost_premise"] = boosted(estimators, ("sentence_1",))
    codes = np.searchsorted(np.array(classes, dtype=object), labels) if classes else labels
    for baseline in ("majority", *chosen):
        if folds is None:
            report["baselines"][baseline] = {"accuracy": _undefined(reason), "classes": {}}
            continue
        guesses = (
            _majority(codes, folds)
            if baseline == "majority"
            else _predicted(chosen[baseline], rows, codes, folds)
        )
        report["baselines"][baseline] = _scored(codes, guesses, groups, classes, seed)
    if folds is not None and len(labels) >= settings.minimum:
        for baseline, side in (("hypothesis_words", "sentence_2"), ("premise_words", "sentence_1")):
            report["words"][baseline] = _telling_words(rows[side], codes, classes)
    report["gates"] = _gates(report, settings)
    return report


def _sampled(pairs: Iterable[pa.RecordBatch], sample: int, seed: int, *, total: int) -> Rows:
    """At most ``sample`` rows, those with the lowest draws on their ids: the order of rows changes nothing.

    Of many rows only those are held whose draw is low enough to come into question.
    """
    from probeta.builders.pairs.records import number

    limit = 2**64 if total <= sample else int(2**64 * min(1.0, 1.25 * sample / total))
    kept: list[tuple[int, str, dict[str, Any]]] = []
    for batch in pairs:
        for at, name in enumerate(batch.column("id").to_pylist()):
            draw = number("artifacts", str(seed), name)
            if draw < limit:
                kept.append((draw, name, {column: batch.column(column)[at].as_py() for column in COLUMNS}))
    kept.sort(key=lambda one: one[:2])
    return {column: [row[column] for _, _, row in kept[:sample]] for column in COLUMNS}


def _groups(rows: Rows) -> np.ndarray[Any, Any]:
    """A number for each row: the same for rows that share a document, directly or through other rows."""
    import numpy as np

    parent: dict[tuple[str, str], tuple[str, str]] = {}

    def root(key: tuple[str, str]) -> tuple[str, str]:
        while parent.setdefault(key, key) != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    keys = []
    for corpus, document, other in zip(
        rows["dataset"], rows["document"], rows["sentence_2_document"], strict=True
    ):
        key = (corpus, document)
        if other is not None:
            parent[root(key)] = root((corpus, other))
        keys.append(key)
    numbers: dict[tuple[str, str], int] = {}
    return np.array([numbers.setdefault(root(key), len(numbers)) for key in keys], dtype=int)


def _folds(
    labels: Any, groups: Any, wanted: int, seed: int
) -> tuple[list[tuple[Any, Any]] | None, str | None]:
    from sklearn.model_selection import StratifiedGroupKFold

    documents = {label: len(set(groups[labels == label].tolist())) for label in set(labels.tolist())}
    if len(documents) < 2:
        return None, "fewer than two classes"
    folds = min(wanted, *documents.values())
    if folds < 2:
        rare = min(documents, key=lambda label: documents[label])
        return None, f"the class {rare} stands in fewer than two unconnected documents"
    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=seed % 2**32)
    found = list(splitter.split(labels, labels, groups))
    if any(len(set(labels[train].tolist())) < 2 for train, _ in found):
        return None, "the documents cannot be parted so that every part holds two classes"
    return found, None


def _majority(codes: Any, folds: Sequence[tuple[Any, Any]]) -> Any:
    import numpy as np

    guesses = np.zeros_like(codes)
    for train, test in folds:
        guesses[test] = np.bincount(codes[train]).argmax()
    return guesses


def _predicted(baseline: Baseline, rows: Rows, codes: Any, folds: Sequence[tuple[Any, Any]]) -> Any:
    import warnings

    import numpy as np

    features = baseline.features(rows)
    if not isinstance(features, np.ndarray):
        features = np.array(features, dtype=object)
    guesses = np.zeros_like(codes)
    for train, test in folds:
        # A fold may lack a class; boosted trees want codes without a gap.
        present, own = np.unique(codes[train], return_inverse=True)
        model = baseline.classifier()
        with warnings.catch_warnings():
            # Quantile bins of few distinct values are merged, as they should be.
            warnings.filterwarnings("ignore", message="Bins whose width are too small")
            warnings.filterwarnings("ignore", message=r"Feature \d+ is constant")
            model.fit(features[train], own)
        guesses[test] = present[model.predict(features[test])]
    return guesses


def _scored(codes: Any, guesses: Any, groups: Any, classes: Sequence[str], seed: int) -> dict[str, Any]:
    """Accuracy, and recall and precision by class, each with its interval."""
    import numpy as np

    from probeta.resampling import Draws, by_cluster, each, percentiles

    right = codes == guesses
    draws = Draws(samples=RESAMPLES, seed=seed)

    def rate(hit: Any, among: Any) -> dict[str, Any]:
        if not among.any():
            return _undefined("no such pair")
        documents = by_cluster(np.column_stack([hit & among, among]).astype(float), groups)
        hits, sizes = documents.sum(axis=0)
        found = _undefined("one document") | {"value": _rounded(hits / sizes)}
        if len(documents) < 2:
            return found
        with np.errstate(invalid="ignore"):
            low, high, _, _ = percentiles(np.divide(*draws.sums(each(documents)).T))
        if low is None or high is None:
            return found | {"reason": "undefined in more than one resample of twenty"}
        return found | {"low": _rounded(low), "high": _rounded(high), "reason": None}

    everywhere = np.ones_like(right)
    return {
        "accuracy": rate(right, everywhere),
        "classes": {
            label: {
                "recall": rate(right, codes == code),
                "precision": rate(right, guesses == code),
                "pairs": int((codes == code).sum()),
            }
            for code, label in enumerate(classes)
        },
    }


def _undefined(reason: str | None) -> dict[str, Any]:
    return {"value": None, "low": None, "high": None, "reason": reason}


def _rounded(value: float) -> float:
    """Four decimals: what follows differs between machines and says nothing."""
    return round(float(value), 4)


def _telling_words(
    texts: Sequence[str], codes: Any, classes: Sequence[str]
) -> dict[str, list[dict[str, Any]]]:
    """For each class the words with the highest weight, how many pairs hold them and which share is its own."""
    import numpy as np

    words_of = counter()
    matrix = words_of.fit_transform(texts)
    model = logistic().fit(matrix, codes)
    weights = model.coef_ if len(classes) > 2 else np.vstack([-model.coef_, model.coef_])
    words = words_of.get_feature_names_out()
    total = np.asarray(matrix.sum(axis=0)).ravel()
    found = {}
    for code, label in enumerate(classes):
        own = np.asarray(matrix[codes == code].sum(axis=0)).ravel()
        order = np.lexsort((words, -weights[code]))[:WORDS_SHOWN]
        found[label] = [
            {
                "word": str(words[at]),
                "weight": _rounded(weights[code][at]),
                "pairs": int(total[at]),
                "share": _rounded(own[at] / total[at]),
            }
            for at in order
        ]
    return found


def _gates(report: Mapping[str, Any], settings: ArtifactSettings) -> dict[str, dict[str, Any]]:
    gates: dict[str, dict[str, Any]] = {}
    for name, limit in settings.gates.items():
        accuracy = report["baselines"][name]["accuracy"]
        few = report["measured_pairs"] < settings.minimum
        if few or accuracy["low"] is None:
            status = "too_few"
            said = f"{report['measured_pairs']} pairs are too few to judge (at least {settings.minimum})"
            if not few:
                said = f"cannot be judged: {accuracy['reason']}"
        else:
            failed = accuracy["low"] > limit
            status = "failed" if failed else "passed"
            said = (
                f"accuracy {accuracy['value']:.3f}, from {accuracy['low']:.3f} to {accuracy['high']:.3f}, "
                f"{'passes' if failed else 'stays within'} the limit {limit:g}"
            )
        gates[name] = {"limit": limit, "status": status, "message": said}
    return gates


def gate_warnings(report: Mapping[str, Any]) -> list[str]:
    """A line for each gate that failed, and one where there were too few pairs to judge any."""
    found = [
        f"{name.replace('_', ' ')}: {gate['message']}"
        for name, gate in report["gates"].items()
        if gate["status"] == "failed"
    ]
    unjudged = [gate["message"] for gate in report["gates"].values() if gate["status"] == "too_few"]
    return found + ([f"no gate was judged: {unjudged[0]}"] if unjudged else [])
