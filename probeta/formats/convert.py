"""From one format into another, with an account of what the way cost."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from probeta import builtset
from probeta.errors import Fault
from probeta.formats import (
    ReadOptions,
    ReadReport,
    WriteOptions,
    WriteReport,
    format_of,
    read_sentences,
    write_sentences,
)
from probeta.formats.base import refuse_target
from probeta.progress import track


@dataclass(frozen=True, slots=True)
class Conversion:
    """The formats by name, and what reading and writing reported."""

    source_format: str
    target_format: str
    read: ReadReport
    written: WriteReport


def convert(
    source: Path | str,
    target: Path | str,
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    reading: ReadOptions | None = None,
    writing: WriteOptions | None = None,
    replace: bool = False,
) -> Conversion:
    """Read ``source``, write ``target``, whole or not at all; tokens that the source gives are kept.

    A ``target`` that is there is refused, or written anew with ``replace``; see ``refuse_target``. Other
    errors are those of ``read_sentences`` and ``write_sentences``.
    """
    refuse_target(source, target, replace=replace)
    source_format = source_format or format_of(source)
    target_format = target_format or format_of(target, writing=True)
    report = ReadReport()
    options = dataclasses.replace(reading or ReadOptions(), keep_tokens=True)
    sentences = read_sentences(source, format=source_format, options=options, report=report)
    if source_format == "folder" and (warning := _span_attributes(Path(source))):
        report.warnings.append(warning)
    counted = track(sentences, label="sentences")
    written = write_sentences(target, counted, format=target_format, options=in_its_language(source, writing))
    return Conversion(source_format, target_format, report, written)


def in_its_language(source: Path | str, writing: WriteOptions | None) -> WriteOptions:
    """The options with the language of ``source`` where that is a built set."""
    chosen = writing or WriteOptions()
    return dataclasses.replace(chosen, own_language=builtset.language(source) or chosen.own_language)


def _span_attributes(folder: Path) -> Fault | None:
    """The attributes of a built set's spans stand in a config of their own and stay there."""
    if "spans" not in builtset.configs(folder):
        return None
    fixed = builtset.span_features([])
    names = [name for name in builtset.read(folder, "spans").column_names if name not in fixed]
    return Fault(
        code="span_attributes",
        message=f"the attributes of spans are not converted: {', '.join(names)}",
        file=str(folder),
        fix="they are in the config spans; `probeta attributes` writes the automatic ones",
    )
