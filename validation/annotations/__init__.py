"""The annotation table: who said what about which item, in long form, one row an answer.

A campaign writes it as ``annotations.parquet``; ``agree`` and ``adjudicate`` read it from a campaign
folder, a Parquet, JSONL or CSV file, or a wide CSV with one column an annotator. ``label`` or ``spans``
is null by kind of task. Nothing is inferred: every label is text as written, and an empty cell is a
fault unless it is the declared missing token.
"""

from probeta.validation.annotations.foreign import Layout
from probeta.validation.annotations.reading import read
from probeta.validation.annotations.rows import span_faults
from probeta.validation.annotations.source import Source, folding, read_source, refuse
from probeta.validation.annotations.table import (
    COLUMNS,
    STATUSES,
    Annotations,
    doubtful_labels,
    features,
    to_table,
    write,
)

__all__ = [
    "COLUMNS",
    "STATUSES",
    "Annotations",
    "Layout",
    "Source",
    "doubtful_labels",
    "features",
    "folding",
    "read",
    "read_source",
    "refuse",
    "span_faults",
    "to_table",
    "write",
]
