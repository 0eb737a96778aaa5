"""From an annotated file to the file of its perturbed sentences, in any format, with the counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from probeta.builders.spans.perturb import ROW_COLUMNS, perturbed
from probeta.builders.spans.perturbation import Perturbation
from probeta.builders.spans.registry import Registry
from probeta.errors import Fault
from probeta.formats import (
    ReadOptions,
    ReadReport,
    WriteOptions,
    WriteReport,
    read_sentences,
    write_sentences,
)
from probeta.formats.base import refuse_target
from probeta.formats.convert import in_its_language
from probeta.progress import track
from probeta.records import Sentence
from probeta.signature import signature


@dataclass(slots=True)
class Perturbed:
    """What a run made. ``duplicates`` counts the rows that coincide with an earlier one, or their base."""

    signature: str
    base_sentences: int = 0
    sentences: int = 0
    spans: int = 0
    duplicates: int = 0
    read: ReadReport = field(default_factory=ReadReport)
    written: WriteReport = field(default_factory=WriteReport)


def perturb_file(
    source: Path | str,
    out: Path | str,
    *,
    grid: Mapping[str, Sequence[str]] | None = None,
    policies: Mapping[str, Any] | None = None,
    operations: Sequence[Perturbation] = (),
    registry: Registry | None = None,
    seed: int = 0,
    source_format: str | None = None,
    out_format: str | None = None,
    reading: ReadOptions | None = None,
    writing: WriteOptions | None = None,
    replace: bool = False,
) -> Perturbed:
    """Write every perturbed sentence of ``source`` to ``out``, whole or not at all, in flat memory.

    The arguments are those of ``perturbed``, ``read_sentences`` and ``write_sentences``, and so are the
    errors. An ``out`` that is there is refused, or written anew with ``replace`` (``refuse_target``).
    """
    refuse_target(source, out, replace=replace)
    done = Perturbed(_signature(grid or {}, policies or {}, operations, seed))
    bases = read_sentences(source, format=source_format, options=reading, report=done.read)
    rows = perturbed(
        _counted_bases(track(bases, label="sentences"), done, [*(grid or {}), *ROW_COLUMNS]),
        grid=grid,
        policies=policies,
        operations=operations,
        registry=registry,
        seed=seed,
    )
    done.written = write_sentences(
        out, _counted(rows, done), format=out_format, options=in_its_language(source, writing)
    )
    return done


def _counted_bases(bases: Iterable[Sentence], done: Perturbed, written: Sequence[str]) -> Iterator[Sentence]:
    """Count the bases, and tell at the end which of their own columns the perturbed rows do not keep."""
    replaced: set[str] = set()
    for sentence in bases:
        done.base_sentences += 1
        replaced.update(name for name in written if sentence.attributes.get(name) is not None)
        yield sentence
    if replaced:
        done.read.warnings.append(
            Fault(
                code="columns_replaced",
                message="what the input has in these columns is replaced by what is made here",
                found=", ".join(name for name in written if name in replaced),
                fix="give the input's columns other names, if their values are to be kept",
            )
        )


def _counted(rows: Iterable[Sentence], done: Perturbed) -> Iterator[Sentence]:
    for row in rows:
        done.sentences += 1
        done.spans += len(row.spans)
        done.duplicates += row.attributes["duplicate_of"] is not None
        yield row


def _signature(
    grid: Mapping[str, Sequence[str]],
    policies: Mapping[str, Any],
    operations: Sequence[Perturbation],
    seed: int,
) -> str:
    parts: dict[str, object] = {name: ",".join(values) for name, values in grid.items()}
    parts |= policies
    for operation in operations:
        given = ",".join(f"{name}={value}" for name, value in operation.chosen().items())
        parts[operation.name] = given or "yes"
    return signature({**parts, "seed": seed})
