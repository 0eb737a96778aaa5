"""Fixtures that every test may use."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from hub_standin import Hub
    from label_studio import FaultProxy, Studio

    from probeta.publishing.lint import Linted

# Machines differ in speed; a slow example is no fault.
settings.register_profile("probeta", deadline=None, print_blob=True)
settings.load_profile("probeta")


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """The folder of real material named by PROBETA_REFERENCE_DATA; skips, visibly, where it is unset."""
    folder = os.environ.get("PROBETA_REFERENCE_DATA")
    if not folder:
        pytest.skip("PROBETA_REFERENCE_DATA is unset: the reference data is not on this machine")
    return Path(folder)


@pytest.fixture(scope="session")
def blas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built BLAS; a test that changes it works on a copy."""
    from probeta.pipeline.build import build

    out = tmp_path_factory.mktemp("sets") / "blas"
    build("blas", out=out)
    return out


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built blank recipe, small enough to be pushed many times; a test that changes it works on a copy."""
    from probeta.pipeline.build import build

    out = tmp_path_factory.mktemp("sets") / "towns"
    build("blank", out=out)
    return out


@pytest.fixture(scope="module")
def linted_towns(towns: Path) -> Linted:
    """The gates' answer on ``towns``."""
    from probeta.publishing.lint import lint

    return lint(towns)


@pytest.fixture
def linted_once(linted_towns: Linted, towns: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gates' answer on a folder that does not change, asked once for many pushes of it."""
    from probeta.publishing import push
    from probeta.publishing.lint import lint

    monkeypatch.setattr(push, "lint", lambda path: linted_towns if path == towns else lint(path))


def _compose(documents: int, paragraphs: int, seed: int, hits: float) -> Iterator[dict[str, object]]:
    """Documents of plain Spanish sentences, no two the same; a share of paragraphs holds a linking phrase."""
    parts = json.loads((Path(__file__).parent / "data/pairs/spanish.json").read_text(encoding="utf-8"))
    rng = Random(seed)
    sentences = [
        f"{subject} {predicate} {complement}."
        for subject, predicate, complement in itertools.product(
            parts["subjects"], parts["predicates"], parts["complements"]
        )
    ]
    rng.shuffle(sentences)
    supply = iter(sentences)
    classes = itertools.cycle(parts["phrases"])
    for number in range(documents):
        texts = []
        for _ in range(paragraphs):
            drawn = [next(supply) for _ in range(4)]
            if rng.random() < hits:
                phrase = rng.choice(parts["phrases"][next(classes)])
                drawn[2] = f"{phrase} {drawn[2][0].lower()}{drawn[2][1:]}"
            texts.append(" ".join(drawn))
        yield {"id": f"doc-{seed}-{number:04d}", "paragraphs": texts}


@pytest.fixture(scope="session")
def compose_corpus() -> Callable[..., Path]:
    """Write a JSONL corpus of composed Spanish: ``compose(path, documents=…, paragraphs=…, seed=…, hits=…)``.

    At most 10,000 sentences: documents x paragraphs x 4.
    """

    def compose(
        path: Path, *, documents: int = 30, paragraphs: int = 6, seed: int = 1, hits: float = 0.7
    ) -> Path:
        with path.open("w", encoding="utf-8") as handle:
            for document in _compose(documents, paragraphs, seed, hits):
                handle.write(json.dumps(document, ensure_ascii=False) + "\n")
        return path

    return compose


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A stand-in for the Hub that the libraries of this process talk to, with a token that may write.

    Their cache is a new one, so that no test is served what another has fetched.
    """
    import datasets
    import huggingface_hub.constants
    from hub_standin import TOKEN, serving

    from probeta.publishing import push

    with serving() as hub:
        # As HF_ENDPOINT would set them; the libraries read it when they are imported.
        constants = huggingface_hub.constants
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path_factory.mktemp("hub-cache")))
        monkeypatch.setattr(
            constants, "HUGGINGFACE_CO_URL_TEMPLATE", hub.url + "/{repo_id}/resolve/{revision}/{filename}"
        )
        monkeypatch.setattr(datasets.config, "HF_ENDPOINT", hub.url)
        monkeypatch.setattr(
            datasets.config, "HUB_DATASETS_URL", hub.url + "/datasets/{repo_id}/resolve/{revision}/{path}"
        )
        monkeypatch.setattr(push, "LONGEST_WAIT", 0.01)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield hub


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A real Label Studio; skips, visibly, where it is not installed, except in CI, where that is a fault."""
    import label_studio

    from probeta.annotation.serve import find_program

    if find_program() is None:
        if os.environ.get("CI"):
            pytest.fail(
                "Label Studio is not installed, and CI must not skip its tests (`make test` installs it)"
            )
        pytest.skip("Label Studio is not installed (`make test` installs it)")
    with label_studio.studio(tmp_path_factory.mktemp("label-studio")) as running:
        yield running


@pytest.fixture
def proxy(studio: Studio) -> Iterator[FaultProxy]:
    """A proxy before the server that breaks the requests it is told to."""
    import label_studio

    made = label_studio.FaultProxy(studio.port)
    yield made
    made.close()
