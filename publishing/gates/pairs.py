"""Gate 3: pairs of texts that stand once and with one label, and groups that stand in one split."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from probeta.errors import Fault
from probeta.publishing.gates.records import columns_of, records
from probeta.publishing.gates.result import Result
from probeta.publishing.gates.rows import limited
from probeta.publishing.gates.subject import DataFile, Subject

#: Names of the two texts and of the label, as data sets of this kind have them.
TEXTS = (("sentence_1", "sentence_2"), ("premise", "hypothesis"), ("sentence1", "sentence2"))
LABELS = ("connector_type", "label", "gold_label", "labels")


def check_pairs(subject: Subject) -> Result:
    """Doubles and conflicting labels within every config that holds pairs, over all its splits."""
    if subject.folder is None:
        return Result(reason="there is only a card")
    faults: list[Fault] = []
    seen = False
    for config, splits in subject.configs.items():
        files = [file for some in splits.values() for file in some]
        options = subject.options(config)
        columns: list[str] = []
        for file in files:
            # A file that only its own reader knows, or without rows, has no columns: the next one tells them.
            few = [] if file.kind == "parquet" else list(itertools.islice(records(file, options), 1))
            columns = columns or columns_of(file, few)
        texts = next((pair for pair in TEXTS if set(pair) <= set(columns)), None)
        label = next((name for name in LABELS if name in columns), None)
        if texts and label:
            seen = True
            faults += limited(_faults(files, texts, label, options))
    return Result(faults=faults, reason=None if seen else "no config holds pairs of texts with a label")


def _faults(
    files: list[DataFile], texts: tuple[str, str], label: str, options: Mapping[str, Any]
) -> Iterator[Fault]:
    # A pair is known by 12 bytes of a hash, so that half a million stay small.
    seen: dict[bytes, tuple[str, int, object]] = {}
    for file in files:
        for number, row in records(file, options, (*texts, label)):
            first, second, value = (row.get(name) for name in (*texts, label))
            key = hashlib.blake2b(
                f"{first}\0{second}".encode("utf-8", "surrogatepass"), digest_size=12
            ).digest()
            before = seen.setdefault(key, (file.split, number, value))
            if before[:2] == (file.split, number):
                continue
            place = file.place(number, texts[0])
            where = f"row {before[1]} of {before[0]}"
            if before[2] != value:
                yield Fault(
                    code="pair_conflict",
                    message=f"the pair has another label in {where}",
                    **place,
                    expected=str(before[2]),
                    found=str(value),
                    fix="decide on one, or drop both",
                )
            else:
                yield Fault(
                    code="pair_doubled",
                    message=f"the pair stands in {where} too",
                    **place,
                    fix="drop one of them",
                )
