"""Data set folders for the tests of ``lint``, as people make them without our writer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from datasets import ClassLabel, Features, Value

from probeta.publishing.lint import Linted

HEADER = """license: cc-by-4.0
language: [es]
configs:
- config_name: default
  data_files:
  - split: train
    path: data/train-*
dataset_info:
  features:
  - name: id
    dtype: string
  - name: text
    dtype: string
  - name: label
    dtype:
      class_label:
        names:
          '0': neg
          '1': pos
  splits:
  - name: train
    num_examples: 2
size_categories: ["n<1K"]
"""

FEATURES = Features(
    {"id": Value("string"), "text": Value("string"), "label": ClassLabel(names=["neg", "pos"])}
)
ROWS = [{"id": "a", "text": "Una.", "label": 0}, {"id": "b", "text": "Dos.", "label": 1}]


def folder_of(
    tmp_path: Path,
    header: str | bytes | None = HEADER,
    *,
    features: Features = FEATURES,
    rows: list[dict[str, Any]] | None = None,
) -> Path:
    """A folder as people make it: pushed by ``datasets``, its card by hand."""
    folder = tmp_path / "theirs"
    (folder / "data").mkdir(parents=True)
    table = pa.Table.from_pylist(ROWS if rows is None else rows, schema=features.arrow_schema)
    pq.write_table(table, folder / "data/train-00000-of-00001.parquet")
    if isinstance(header, str):
        header = f"---\n{header}---\n# Theirs\n".encode()
    if header is not None:
        (folder / "README.md").write_bytes(header)
    return folder


def codes(linted: Linted) -> set[str]:
    return {fault.code for fault in linted.faults}


MIT = "---\nlicense: mit\n---\n"


def with_file(tmp_path: Path, name: str, data: str | bytes, card: str = MIT) -> Path:
    """A folder with one data file and a card."""
    (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    (tmp_path / "README.md").write_text(card, encoding="utf-8")
    return tmp_path
