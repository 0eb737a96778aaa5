"""Label Studio JSON: tasks ``{"data": {"text", …}, "annotations": [{"result": [regions]}]}``.

What is read is an export as JSON (not JSON-MIN), what is written can be imported; ``id`` and attributes
stand in ``data``. Offsets are code points, end-exclusive; old releases counted UTF-16 units, which is told
from the regions' own texts, converted and reported.

Every key of ``data`` is a column that annotators see: a campaign pushes the key and the text alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

import orjson

from probeta.errors import Fault, UsageError
from probeta.formats.base import (
    Faults,
    Losses,
    ReadOptions,
    ReadReport,
    Source,
    WriteOptions,
    WriteReport,
    is_positional,
    not_utf8,
    positional_id,
)
from probeta.formats.rows import RowReader, dump_line, kind, to_row
from probeta.hashing import text_hash
from probeta.jsontext import doubt
from probeta.offsets import from_utf16
from probeta.records import Sentence

#: The names of the control and of the text in the labelling configuration.
FROM_NAME, TO_NAME = "label", "text"
_REGION = "labels"


def read(
    source: Source, options: ReadOptions, report: ReadReport, faults: Faults
) -> Iterator[tuple[int, Sentence]]:
    """Yield the sentence of each annotated task with its number, from 1.

    A task without annotation, or with a skipped one only, is left out and listed; one with several is a
    fault, since which of them holds is for aggregation to say.
    """
    key = options.regions
    tasks = [
        (number, task, chosen)
        for number, task in enumerate(read_tasks(source, faults), start=1)
        if (chosen := _chosen(task, key, number, report, faults)) is not None
    ]
    regions = _Regions(tasks, report, faults)
    build = RowReader(options, report, faults)
    for number, task, chosen in tasks:
        record = dict(task["data"])
        record.setdefault("id", str(task["id"]) if "id" in task else positional_id(number))
        if "spans" in record:
            message = "the key 'spans' of the data is left out: spans are the task's regions"
            report.warnings.append(Fault(code="data_key", message=message, file=faults.file, row=number))
        record["spans"] = regions.spans(chosen["result"], record.get("text"), number)
        sentence = build(record, row=number, number=number)
        if sentence is not None:
            yield number, sentence


def read_tasks(source: Source, faults: Faults) -> list[Any]:
    """The list that an export is, whatever stands in it. Raises a DataError where the file is none."""
    with source.open() as handle:
        data = handle.read()
        try:
            tasks = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
        except orjson.JSONDecodeError as error:
            try:
                data.decode()
            except UnicodeDecodeError as place:
                line = data[: place.start].count(b"\n") + 1
                raise not_utf8(data, handle, line, faults) from None
            message = f"the file cannot be read: {error.msg.split(': line ')[0]}"
            line = data.decode()[: error.pos].count("\n") + 1
            raise faults.stop(Fault(code="json", message=message, row=line)) from None
    if reason := doubt(data, tasks):
        raise faults.stop(Fault(code="json", message=f"the file cannot be read: {reason}"))
    if type(tasks) is not list:
        raise faults.stop(
            Fault(code="tasks", message="the file is no list of tasks", expected="[…]", found=kind(tasks))
        )
    return tasks


def _chosen(task: Any, key: str, number: int, report: ReadReport, faults: Faults) -> Mapping[str, Any] | None:
    """The one annotation (or prediction) of a task that counts."""

    def fault(code: str, message: str, expected: str | None = None, fix: str | None = None) -> Fault:
        return Fault(
            code=code,
            message=message,
            file=faults.file,
            row=number,
            column=key,
            expected=expected,
            fix=fix,
        )

    if type(task) is not dict or type(task.get("data")) is not dict:
        fix = "export as JSON; JSON-MIN leaves out what is needed"
        if type(task) is dict and "spans" in task:
            fix = "these are records: write one a line, into a file that ends in .jsonl"
        faults.add(replace(fault("task", "the task has no data", '{"data": {"text": …}}', fix), column=None))
        return None
    listed = task.get(key) or []
    if type(listed) is not list or not all(
        type(item) is dict and type(item.get("result")) is list for item in listed
    ):
        faults.add(fault("task", f"the task's {key} are not to be read", '[{"result": […]}]'))
        return None
    held = [item for item in listed if not item.get("was_cancelled")]
    if len(held) > 1:
        message = f"the task has {len(held)} {key}"
        faults.add(fault("several", message, "one", "aggregate them first: probeta adjudicate"))
        return None
    if not held:
        code, message = ("skipped", "was skipped") if listed else ("not_annotated", f"has no {key}")
        report.warnings.append(fault(code, f"the task {message} and is left out"))
        return None
    chosen: Mapping[str, Any] = held[0]
    return chosen


class _Regions:
    """Turn a file's regions into spans; the unit of their offsets is the one that the file as a whole has."""

    def __init__(
        self, tasks: Iterable[tuple[int, Any, Mapping[str, Any]]], report: ReadReport, faults: Faults
    ) -> None:
        self._report = report
        self._faults = faults
        self._other: set[str] = set()
        votes = Counter(
            unit
            for _, task, chosen in tasks
            for region in chosen["result"]
            if (unit := _unit(task["data"].get("text"), region)) is not None
        )
        # A file of both units has been through hands; then each region's own text decides.
        self._units = set(votes)

    def spans(self, result: Iterable[Any], text: object, number: int) -> list[dict[str, Any]]:
        """The regions that are labelled stretches of text, as spans with offsets in code points."""
        return [self._span(region, text, number) for region in result if self._is_span(region, number)]

    def _is_span(self, region: Any, number: int) -> bool:
        type_ = str(region.get("type")) if type(region) is dict else _REGION
        if type_ == _REGION:
            if type(region) is dict and type(region.get("value")) is dict:
                return True
            self._fault("region", "the region is no object with a value", number, None)
            return False
        if type_ == "hypertextlabels":
            message = "regions of HyperText count nodes of a page, not characters of a text"
            self._fault("region", message, number, "regions of Text")
        elif type_ not in self._other:
            self._other.add(type_)
            message = f"results of the type {type_!r} are left out: they are no spans"
            self._report.warnings.append(
                Fault(code="region", message=message, file=self._faults.file, row=number)
            )
        return False

    def _fault(self, code: str, message: str, number: int, expected: str | None) -> None:
        self._faults.add(
            Fault(code=code, message=message, row=number, column="annotations", expected=expected)
        )

    def _span(self, region: Mapping[str, Any], text: object, number: int) -> dict[str, Any]:
        value = region["value"]
        labels = value.get(_REGION)
        if type(labels) is not list or len(labels) != 1:
            self._fault("labels", "the region has not one label", number, "one label")
            labels = [_REGION]
        start, end = value.get("start"), value.get("end")
        utf16 = _unit(text, region) == "utf16" if len(self._units) > 1 else self._units == {"utf16"}
        if utf16 and isinstance(text, str) and type(start) is type(end) is int:
            try:
                there = from_utf16(text, start), from_utf16(text, end)
            except UsageError as error:
                self._fault("utf16_offset", str(error), number, None)
                there = start, end
            if there != (start, end):
                message = (
                    f"the offsets {start}-{end} count UTF-16 units and are read as {there[0]}-{there[1]}"
                )
                self._report.warnings.append(
                    Fault(code="utf16_offsets", message=message, file=self._faults.file, row=number)
                )
            start, end = there
        return {"start": start, "end": end, "label": labels[0], "text": value.get("text")}


def _unit(text: object, region: Any) -> str | None:
    """In which unit a region's offsets give its text; None where both do, neither does or nothing tells."""
    value = region.get("value") if type(region) is dict else None
    if type(value) is not dict or not isinstance(text, str):
        return None
    start, end, surface = value.get("start"), value.get("end"), value.get("text")
    if type(start) is not int or type(end) is not int or type(surface) is not str or start < 0:
        return None
    units = text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end]
    as_utf16 = units == surface.encode("utf-16-le", "surrogatepass")
    if as_utf16 == (text[start:end] == surface):
        return None
    return "utf16" if as_utf16 else "code points"


def write(handle: BinaryIO, sentences: Iterable[Sentence], options: WriteOptions) -> WriteReport:
    """Write a list of tasks, one a line, each with one annotation (or prediction) that is no ground truth."""
    key = options.regions
    report, losses = WriteReport(), Losses()
    for sentence in sentences:
        row = to_row(sentence)
        spans = row.pop("spans")
        if is_positional(sentence.id):
            del row["id"]
        annotation: dict[str, Any] = {"result": [_region(sentence.id, span) for span in spans]}
        # An imported annotation counts as ground truth unless it says that it is none.
        annotation |= {"ground_truth": False} if key == "annotations" else {"model_version": "probeta"}
        line = dump_line({"data": row, key: [annotation]}, row, losses)
        handle.write((b",\n" if report.sentences else b"[\n") + line)
        report.sentences += 1
        report.spans += len(spans)
    handle.write(b"\n]\n" if report.sentences else b"[]\n")
    report.lost = losses.all()
    return report


def _region(id: str, span: dict[str, Any]) -> dict[str, Any]:
    value = {"start": span["start"], "end": span["end"], "text": span["text"], _REGION: [span["label"]]}
    return {
        "id": text_hash(id, str(span["start"]), str(span["end"]))[:10],
        "from_name": FROM_NAME,
        "to_name": TO_NAME,
        "type": _REGION,
        "value": value,
    }
