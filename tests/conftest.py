"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

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
