"""doccano's JSONL: ``{"text", "label": [[start, end, label], …]}``, or ``entities`` in newer releases.

An export of one annotator is a file, named after the person; a field ``annotator`` or ``username`` counts
if there is one. Offsets are code points.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from probeta.annotation.importers.base import Imported, ImportOptions, fields_of, id_of, original_of
from probeta.errors import Fault
from probeta.formats.jsonl import read_jsonl


def read(path: Path, options: ImportOptions, into: Imported) -> None:
    """Add the records of a file."""
    for line, record in read_jsonl(path, name=path.name):
        fields = fields_of(record)
        if fields is None:
            message = "the record has no text"
            into.faults.append(Fault(code="text", message=message, file=path.name, row=line))
            continue
        who = str(record.get("annotator") or record.get("username") or options.annotator or path.stem)
        who = options.users.get(who, who)
        item = id_of(record, fields, options)
        into.item(item, fields, file=path.name, row=line)
        answers = record.get("entities", record.get("label", record.get("labels")))
        answers = [] if answers is None else answers
        known = {
            key: value
            for key, value in record.items()
            if key not in ("entities", "label", "labels", "Comments")
        }
        into.gold.setdefault(item, original_of(known))
        source = f"{path.name}#{line}"
        if len(fields) == 2 or (isinstance(answers, list) and answers and isinstance(answers[0], str)):
            chosen = [answers] if isinstance(answers, str) else list(answers or [])
            if len(chosen) > 1:
                message = "the record holds several labels"
                into.faults.append(Fault(code="several_choices", message=message, file=path.name, row=line))
                continue
            into.answer(item, who, label=str(chosen[0]) if chosen else None, source=source)
            continue
        if not isinstance(answers, list) or not all(isinstance(part, dict | list) for part in answers):
            message, expected = "the answers are no list of spans", "[[start, end, label], …]"
            into.faults.append(
                Fault(code="answers", message=message, file=path.name, row=line, expected=expected)
            )
            continue
        raw = [_span(part) for part in answers]
        spans = into.spans(raw, fields["text"], file=path.name, row=line)
        into.answer(item, who, spans=spans, source=source)


def _span(part: Any) -> tuple[Any, Any, Any, Any]:
    if isinstance(part, dict):
        return part.get("start_offset"), part.get("end_offset"), part.get("label"), None
    start, end, label = [*part, None, None, None][:3]
    return start, end, label, None
