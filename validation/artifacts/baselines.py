"""Baselines that see half of a pair, or a pair only through its lengths and its overlap.

Each has its features and its classifier; none sees a pair as a pair.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from probeta.errors import PrerequisiteError, extra

_WORD = re.compile(r"\w+")

Rows = Mapping[str, Sequence[Any]]


class Baseline(NamedTuple):
    """A baseline's features (a matrix from rows) and the classifier that reads them."""

    features: Callable[[Rows], Any]
    classifier: Callable[[], Any]


def logistic() -> Any:
    """The classifier of all baselines but boosted trees."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=1.0, max_iter=1000)


def _words(side: str) -> Baseline:
    return Baseline(lambda rows: rows[side], lambda: _pipeline(counter(), logistic()))


def counter() -> Any:
    """Which words a text holds, of those that stand in two texts at least."""
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(lowercase=True, binary=True, min_df=2, token_pattern=r"(?u)\b\w+\b")


def _pipeline(*steps: Any) -> Any:
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*steps)


def _first_character(rows: Rows) -> Any:
    import numpy as np

    return np.array([[text[:1]] for text in rows["sentence_2"]], dtype=object)


def _one_hot() -> Any:
    from sklearn.preprocessing import OneHotEncoder

    return OneHotEncoder(handle_unknown="ignore")


def _binned() -> Any:
    """Steps for numbers: quantile bins, so that a logistic regression can bend."""
    from sklearn.preprocessing import KBinsDiscretizer

    return KBinsDiscretizer(
        n_bins=8, encode="onehot", strategy="quantile", quantile_method="averaged_inverted_cdf"
    )


def _lengths(rows: Rows) -> Any:
    import numpy as np

    first = np.array([len(_WORD.findall(text)) for text in rows["sentence_1"]], dtype=float)
    second = np.array([len(_WORD.findall(text)) for text in rows["sentence_2"]], dtype=float)
    return np.column_stack([first, second, np.log1p(second) - np.log1p(first)])


def _overlaps(rows: Rows) -> Any:
    import numpy as np

    values = []
    for one, other in zip(rows["sentence_1"], rows["sentence_2"], strict=True):
        first, second = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
        common = len(first & second)
        long = sum(len(word) > 4 for word in first & second)
        values.append((common / max(len(first | second), 1), common / max(len(second), 1), float(long)))
    return np.array(values)


#: Baseline by name; the recipe's gates use these names.
BASELINES: Mapping[str, Baseline] = {
    "hypothesis_words": _words("sentence_2"),
    "premise_words": _words("sentence_1"),
    "hypothesis_first_character": Baseline(_first_character, lambda: _pipeline(_one_hot(), logistic())),
    "length": Baseline(_lengths, lambda: _pipeline(_binned(), logistic())),
    "overlap": Baseline(_overlaps, lambda: _pipeline(_binned(), logistic())),
}


def boosted(estimators: int, sides: Sequence[str]) -> Baseline:
    """Bags of words of the sides in boosted trees; needs the extra ``baselines``."""
    try:
        import xgboost
    except ImportError:
        raise PrerequisiteError("xgboost is not installed", fix=extra("baselines")) from None

    def features(rows: Rows) -> Any:
        import numpy as np

        return np.array([[rows[side][n] for side in sides] for n in range(len(rows["id"]))], dtype=object)

    def classifier() -> Any:
        from sklearn.compose import ColumnTransformer

        bags = ColumnTransformer([(side, counter(), at) for at, side in enumerate(sides)])
        return _pipeline(bags, xgboost.XGBClassifier(n_estimators=estimators, n_jobs=1, tree_method="hist"))

    return Baseline(features, classifier)
