"""What every reader of foreign annotations shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from probeta.annotation.campaign import FIELDS, Kind
from probeta.annotation.regions import spans_of
from probeta.errors import Fault
from probeta.hashing import text_hash

#: Names under which others keep the two texts of a pair.
PAIR_NAMES = (("sentence_1", "sentence_2"), ("premise", "hypothesis"), ("text1", "text2"))
#: Columns with the label that a pair came with.
ORIGINALS = ("original", "connector_type")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """How to read: ``users`` maps a format's own numbers of people to addresses or names.

    ``annotator`` is whose a file of one person is. ``label`` is that of tags that name none. ``item`` is
    the column of the item's id. ``annotators`` are the columns of a table or CoNLL file that hold answers.
    """

    users: Mapping[str, str] = field(default_factory=dict)
    annotator: str | None = None
    label: str | None = None
    item: str = "id"
    annotators: Sequence[str] = ()
    repair_utf16: bool = False


@dataclass(slots=True)
class Imported:
    """Items by id with their texts, what else is known of them, and the rows.

    A row's ``annotator`` is an address or a name as the file has it.
    """

    items: dict[str, dict[str, str]] = field(default_factory=dict)
    gold: dict[str, dict[str, Any]] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    notes: list[Fault] = field(default_factory=list)

    def item(self, name: str, fields: Mapping[str, str], *, file: str, row: int | str) -> None:
        """Add an item; one that is there must have the same texts."""
        known = self.items.setdefault(name, dict(fields))
        if known != dict(fields):
            message = "the item has two texts"
            self.faults.append(Fault(code="item_texts", message=message, file=file, row=row, column=name))

    def answer(
        self,
        item: str,
        annotator: str,
        *,
        source: str,
        label: str | None = None,
        spans: Sequence[Mapping[str, Any]] | None = None,
        skipped: bool = False,
        **more: Any,
    ) -> None:
        """Add an answer: a label, spans (none of them is an empty answer), or a skip."""
        seconds = more.get("seconds")
        if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, int | float)):
            self._wrong("seconds", source, seconds)
            more["seconds"] = None
        for name in ("created", "updated"):
            if not isinstance(more.get(name), str | None):
                self._wrong(name, source, more[name])
                more[name] = None
        if label is not None and not label.strip():
            self._wrong("label", source, label)
            label = None
        given = bool(spans) if spans is not None else label is not None
        row: dict[str, Any] = {"item": item, "annotator": annotator, "source": source, **more}
        row["status"] = "skipped" if skipped else "answered" if given else "empty"
        if not skipped:
            row |= {"label": label} if spans is None else {"spans": [dict(span) for span in spans]}
        self.rows.append(row)

    def _wrong(self, column: str, source: str, found: object) -> None:
        """A fault: an answer's label, time or duration is none."""
        file, _, row = source.partition("#")
        message = {"seconds": "this is no number of seconds", "label": "the label is blank"}.get(
            column, "this is no time"
        )
        self.faults.append(
            Fault(code=column, message=message, file=file, row=row, column=column, found=repr(found)[:60])
        )

    def spans(
        self,
        raw: Sequence[tuple[Any, Any, Any, Any]],
        text: str,
        *,
        file: str,
        row: int | str,
        repair: bool = False,
    ) -> list[dict[str, Any]]:
        """Check (start, end, label, surface) as a pull does; faults and notes get their place."""
        result = [
            {
                "type": "labels",
                "from_name": "label",
                "value": {"start": start, "end": end, "labels": [label], "text": surface},
            }
            for start, end, label, surface in raw
        ]
        found, wrong, notes = spans_of(result, text, _Anything(), repair_utf16=repair)
        for doubts, into in ((wrong, self.faults), (notes, self.notes)):
            into += [Fault(code=code, message=message, file=file, row=row) for code, message in doubts]
        return found

    @property
    def kind(self) -> Kind:
        """What the answers are about."""
        return "spans" if any("spans" in row for row in self.rows) else "pairs"

    def labels(self) -> list[str]:
        """The labels that occur, sorted."""
        found = {row["label"] for row in self.rows if row.get("label") is not None}
        return sorted(found | {span["label"] for row in self.rows for span in row.get("spans") or ()})

    def check(self) -> None:
        """Faults of the whole: no answers at all, two kinds, an annotator's second answer."""
        if not self.rows:
            self.faults.append(Fault(code="no_answers", message="no answers were found"))
        if any("spans" in row for row in self.rows) and any(row.get("label") for row in self.rows):
            self.faults.append(Fault(code="mixed_kinds", message="the files hold both labels and spans"))
        seen: dict[tuple[str, str], str] = {}
        for row in self.rows:
            first = seen.setdefault((row["item"], row["annotator"]), row["source"])
            if first != row["source"]:
                message = f"{row['annotator']} has two answers to it"
                found = f"{first} and {row['source']}"
                self.faults.append(Fault(code="duplicate", message=message, row=row["item"], found=found))


class _Anything:
    """A label set that holds every label: a foreign file declares none."""

    def __contains__(self, label: object) -> bool:
        return isinstance(label, str) and bool(label.strip())


def fields_of(data: Mapping[str, Any]) -> dict[str, str] | None:
    """The texts among a record's keys under the names that campaigns use; None where there are none."""
    for one, two in PAIR_NAMES:
        if isinstance(data.get(one), str) and isinstance(data.get(two), str):
            return dict(zip(FIELDS["pairs"], (data[one], data[two]), strict=True))
    return {"text": data["text"]} if isinstance(data.get("text"), str) else None


def id_of(data: Mapping[str, Any], fields: Mapping[str, str], options: ImportOptions) -> str:
    """The item's id in a record, else a hash of its texts, so that every annotator's copy is one item."""
    for name in (options.item, "key", "item"):
        if data.get(name) not in (None, ""):
            return str(data[name])
    return text_hash(*fields.values())


def original_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """What a record says of an item besides its texts, with the label that it came with as ``original``."""
    texts = {name for names in PAIR_NAMES for name in names} | {"text", "id", "key", "item"}
    known = {name: value for name, value in data.items() if name not in texts and value is not None}
    for name in ORIGINALS:
        if isinstance(known.get(name), str):
            return {"original": known[name], **known}
    return known
