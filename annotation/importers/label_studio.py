"""Label Studio exports made elsewhere: JSON, and the flat JSON-MIN, one row an annotation.

People stand in them as numbers or as objects, by release; JSON-MIN cannot tell an empty answer from none,
which is noted.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from probeta.annotation.importers.base import Imported, ImportOptions, fields_of, id_of, original_of
from probeta.errors import Fault
from probeta.formats.base import Faults, Source
from probeta.formats.label_studio import read_tasks

#: Keys that JSON-MIN adds to a task's data.
_MIN_KEYS = ("annotator", "annotation_id", "created_at", "updated_at", "lead_time", "annotation", "id")


def read(path: Path, options: ImportOptions, into: Imported) -> None:
    """Add the tasks of an export."""
    tasks = read_tasks(Source.of(path), Faults(path.name))
    for number, task in enumerate(tasks, start=1):
        if not isinstance(task, dict):
            into.faults.append(Fault(code="task", message="this is no task", file=path.name, row=number))
        elif isinstance(task.get("data"), dict):
            _whole(task, number, path.name, options, into)
        else:
            _flat(task, number, path.name, options, into)


def _add_item(
    data: Mapping[str, Any], number: int, file: str, options: ImportOptions, into: Imported
) -> str | None:
    fields = fields_of(data)
    if fields is None:
        message = "the task has no text: expected text, or sentence_1 and sentence_2"
        into.faults.append(Fault(code="text", message=message, file=file, row=number))
        return None
    item = id_of(data, fields, options)
    into.item(item, fields, file=file, row=number)
    into.gold.setdefault(item, original_of(data))
    return item


def _objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(part, dict) for part in value)


def _is_result(value: object) -> bool:
    """Whether an annotation's result can be read: regions, or nothing at all."""
    return value is None or (
        isinstance(value, list)
        and _objects(value)
        and all(isinstance(part.get("value"), dict | None) for part in value)
    )


def _person(value: object, options: ImportOptions) -> str | None:
    if isinstance(value, dict):
        value = value.get("email") or value.get("id")
    if not isinstance(value, int | str) or isinstance(value, bool) or value == "":
        return None
    return options.users.get(str(value), value if isinstance(value, str) else f"user{value}")


def _whole(task: Mapping[str, Any], number: int, file: str, options: ImportOptions, into: Imported) -> None:
    item = _add_item(task["data"], number, file, options, into)
    if item is None:
        return
    listed = task.get("annotations") or []
    if not _objects(listed) or not all(_is_result(annotation.get("result")) for annotation in listed):
        message = "its annotations are not to be read"
        expected = '[{"completed_by": …, "result": [{"type": …, "value": {…}}]}]'
        into.faults.append(Fault(code="task", message=message, file=file, row=number, expected=expected))
        return
    for annotation in listed:
        who = _person(annotation.get("completed_by"), options)
        if who is None:
            message = "an annotation has no author"
            into.faults.append(Fault(code="author_unknown", message=message, file=file, row=number))
            continue
        more: dict[str, Any] = {
            "seconds": annotation.get("lead_time"),
            "created": annotation.get("created_at"),
            "updated": annotation.get("updated_at"),
            "task": None if task.get("id") is None else str(task["id"]),
            "source": f"{file}#{annotation.get('id', number)}",
        }
        result = annotation.get("result") or []
        if annotation.get("was_cancelled"):
            into.answer(item, who, skipped=True, **more)
        elif "text" in into.items[item]:
            raw = [_region(part) for part in result if part.get("type") == "labels"]
            text = into.items[item]["text"]
            spans = into.spans(raw, text, file=file, row=number, repair=options.repair_utf16)
            into.answer(item, who, spans=spans, **more)
        else:
            chosen = [
                choice
                for part in result
                if part.get("type") == "choices"
                for choice in _listed((part.get("value") or {}).get("choices"))
            ]
            _choose(item, who, chosen, number, file, into, more)


def _region(part: Mapping[str, Any]) -> tuple[Any, Any, Any, Any]:
    return _bounds(part.get("value") or {})


def _bounds(value: Mapping[str, Any]) -> tuple[Any, Any, Any, Any]:
    labels = value.get("labels")
    label = labels[0] if isinstance(labels, list) and len(labels) == 1 else None
    return value.get("start"), value.get("end"), label, value.get("text")


def _listed(value: object) -> list[Any]:
    """A value that may be one, several or none, as a list."""
    return value if isinstance(value, list) else [] if value is None or value == "" else [value]


def _choose(
    item: str, who: str, chosen: list[Any], number: int, file: str, into: Imported, more: dict[str, Any]
) -> None:
    if len(chosen) > 1:
        message = "an annotation holds several choices"
        into.faults.append(Fault(code="several_choices", message=message, file=file, row=number))
        return
    if chosen and not isinstance(chosen[0], str | int):
        message = "a choice is no label"
        into.faults.append(
            Fault(code="choice", message=message, file=file, row=number, found=repr(chosen[0])[:60])
        )
        return
    into.answer(item, who, label=str(chosen[0]) if chosen else None, **more)


def _flat(row: Mapping[str, Any], number: int, file: str, options: ImportOptions, into: Imported) -> None:
    data = {name: value for name, value in row.items() if name not in _MIN_KEYS}
    answers = {name: value for name, value in data.items() if name in ("label", "choice", "sentiment")}
    item = _add_item(
        {name: value for name, value in data.items() if name not in answers}, number, file, options, into
    )
    who = _person(row.get("annotator"), options)
    if item is None or who is None:
        return
    more: dict[str, Any] = {
        "seconds": row.get("lead_time"),
        "created": row.get("created_at"),
        "updated": row.get("updated_at"),
        "source": f"{file}#{row.get('annotation_id', number)}",
    }
    given = next(iter(answers.values()), None)
    if "text" in into.items[item]:
        parts = _listed(given)
        raw = [_bounds(part if isinstance(part, dict) else {}) for part in parts]
        text = into.items[item]["text"]
        spans = into.spans(raw, text, file=file, row=number, repair=options.repair_utf16)
        into.answer(item, who, spans=spans, **more)
    else:
        _choose(
            item,
            who,
            _listed(given.get("choices") if isinstance(given, dict) else given),
            number,
            file,
            into,
            more,
        )
    if given is None:
        message = "JSON-MIN does not tell an empty answer from a skipped one; it is read as empty"
        into.notes.append(Fault(code="empty_or_skipped", message=message, file=file, row=number))
