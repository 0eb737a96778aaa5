"""From a pull to the annotation table: every answer looked at, every doubt named.

The server checks nothing of an answer. What is wrong (``faults``) stays out of the table and in the pull;
what a person should know (``notes``) is told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from probeta.annotation.annotators import Annotator, user_of
from probeta.annotation.campaign import Item, Settings
from probeta.annotation.regions import choice_of, spans_of
from probeta.errors import Fault

#: The two stamps of a new annotation lie under a tenth of a millisecond apart (measured on 1.23.2, also in a bulk
#: import); no two requests follow one another as fast as this.
_STAMPED_TOGETHER = 0.01

#: Keys of a row that the annotation table does not have.
Row = dict[str, Any]


@dataclass(slots=True)
class Normal:
    """The table's rows, those of check and repeated items, drafts by (item, annotator), faults and notes."""

    rows: list[Row] = field(default_factory=list)
    checks: list[Row] = field(default_factory=list)
    drafts: list[tuple[str, str]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    notes: list[Fault] = field(default_factory=list)
    from_prediction: int = 0
    unchanged: int = 0
    annotations: int = 0


@dataclass(frozen=True, kw_only=True)
class Context:
    """What answers are read against.

    ``authors`` gives the author of an annotation that has lost it since an earlier pull. ``people`` gives
    the name that belongs to the hash of an address. ``tokens`` gives the bounds of a text's tokens, None
    where partial tokens are not looked for.
    """

    settings: Settings
    items: Mapping[str, Item]
    annotators: Mapping[int, Annotator]
    source: str
    assignment: frozenset[tuple[str, str]] | None = None
    authors: Mapping[int, str] = field(default_factory=dict)
    people: Mapping[str, str] = field(default_factory=dict)
    tokens: Callable[[str], tuple[set[int], set[int]]] | None = None
    repair_utf16: bool = False
    trim: bool = False


def normalise(tasks: Iterable[Mapping[str, Any]], context: Context) -> Normal:
    """Read every annotation of ``tasks``; nothing is raised, nothing is dropped without a name."""
    made = Normal()
    gathered: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for task in tasks:
        data = task.get("data")
        item = context.items.get(str(data.get("key"))) if isinstance(data, dict) else None
        if item is None:
            made.faults.append(
                Fault(code="unknown_item", message=f"task {task.get('id')} is of no item of this campaign")
            )
            continue
        _texts(task, item, made)
        for annotation in task.get("annotations") or ():
            made.annotations += 1
            row = _row(annotation, task, item, context, made)
            if row is not None:
                gathered[item.item, row["annotator"]].append(row)
        for draft in task.get("drafts") or ():
            author = context.people.get(str(draft.get("user")))
            if author is not None and (draft.get("result") or not draft.get("annotation")):
                made.drafts.append((item.item, author))
    roles = {item.item: item.role for item in context.items.values()}
    for (name, annotator), rows in sorted(gathered.items()):
        kept = _one(rows, context.settings.duplicates, made)
        (made.rows if roles[name] == "sample" else made.checks).extend(kept)
        if context.assignment is not None and (name, annotator) not in context.assignment:
            message = f"{annotator} answered an item that was not assigned to them"
            made.notes.append(Fault(code="not_assigned", message=message, row=name))
    return made


def _texts(task: Mapping[str, Any], item: Item, made: Normal) -> None:
    for name, text in item.fields.items():
        if task["data"].get(name) != text:
            message = (
                f"the text of task {task.get('id')} is not the item's; answers to it may be about another"
            )
            made.faults.append(Fault(code="edited_there", message=message, row=item.item, column=name))


def _author(annotation: Mapping[str, Any], context: Context) -> str | None:
    user = user_of(annotation.get("completed_by"))
    known = context.annotators.get(user) if user is not None else None
    return known.name if known is not None else None


def _row(
    annotation: Mapping[str, Any], task: Mapping[str, Any], item: Item, context: Context, made: Normal
) -> Row | None:
    number = annotation.get("id")

    def fault(code: str, message: str, **more: Any) -> Fault:
        return Fault(code=code, message=f"annotation {number}: {message}", row=item.item, **more)

    author = _author(annotation, context)
    if author is None:
        author = context.authors.get(number) if isinstance(number, int) else None
        if author is None:
            fix = "the account was deleted before the first pull; ask who it was, and import the answer"
            made.faults.append(fault("author_unknown", "its author is not known to the server", fix=fix))
            return None
        made.notes.append(
            fault("author_deleted", f"the account of {author} was deleted; an earlier pull knows it")
        )
    changer = user_of(annotation.get("updated_by"))
    # Who enters another person's answer stands there too, but then it was never changed.
    other = changer is not None and changer != user_of(annotation.get("completed_by"))
    if changer is not None and other and _changed(annotation):
        by = context.annotators.get(changer)
        made.notes.append(
            fault("overwritten", f"{author}'s answer was changed by {by.name if by else f'user {changer}'}")
        )
    if annotation.get("ground_truth"):
        made.notes.append(fault("ground_truth", "it is marked as ground truth on the server"))
    row: Row = {
        "item": item.item,
        "annotator": author,
        "status": "skipped",
        "seconds": _seconds(annotation.get("lead_time")),
        "created": annotation.get("created_at"),
        "updated": annotation.get("updated_at"),
        "task": str(task.get("id")),
        "source": f"{context.source}#{number}",
    }
    result = annotation.get("result")
    if annotation.get("was_cancelled"):
        return row
    if not isinstance(result, list):
        made.faults.append(fault("result", "its result is no list"))
        return None
    if annotation.get("parent_prediction"):
        made.from_prediction += 1
        made.unchanged += _unchanged(annotation, task)
    if context.settings.kind == "pairs":
        label, wrong = choice_of(result, context.settings.labels)
        row["label"] = label
        row["status"] = "empty" if label is None else "answered"
    else:
        spans, wrong, notes = spans_of(
            result,
            item.fields["text"],
            context.settings.labels,
            tokens=context.tokens,
            repair_utf16=context.repair_utf16,
            trim=context.trim,
        )
        row["spans"] = spans
        row["status"] = "answered" if spans else "empty"
        made.notes += [fault(code, message) for code, message in notes]
    made.faults += [fault(code, message) for code, message in wrong]
    return None if wrong else row


def _changed(annotation: Mapping[str, Any]) -> bool:
    """Whether it was changed after it was made."""
    try:
        made, changed = (
            datetime.fromisoformat(str(annotation[name]).replace("Z", "+00:00"))
            for name in ("created_at", "updated_at")
        )
    except (KeyError, ValueError):
        return True
    return abs((changed - made).total_seconds()) > _STAMPED_TOGETHER


def _seconds(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _unchanged(annotation: Mapping[str, Any], task: Mapping[str, Any]) -> bool:
    """Whether the answer is the prediction that it began with, region by region."""
    parent = annotation["parent_prediction"]
    for prediction in task.get("predictions") or ():
        if isinstance(prediction, dict) and prediction.get("id") == parent:
            return _values(prediction.get("result")) == _values(annotation.get("result"))
    return False


def _values(result: object) -> list[str]:
    regions = result if isinstance(result, list) else []
    return sorted(repr(sorted((region.get("value") or {}).items(), key=str)) for region in regions)


def _one(rows: Sequence[Row], policy: str, made: Normal) -> list[Row]:
    """The one answer of an annotator to an item that counts, by the campaign's policy."""
    answers = [row for row in rows if row["status"] != "skipped"]
    item, who = rows[0]["item"], rows[0]["annotator"]
    if answers and len(answers) < len(rows):
        made.notes.append(
            Fault(code="skip_and_answer", message=f"{who} skipped it too; the answer counts", row=item)
        )
    listed = answers or list(rows)
    if len(listed) == 1:
        return listed
    where = ", ".join(str(row["source"].rpartition("#")[2]) for row in listed)
    if not answers:
        return [max(listed, key=_time)]
    message = f"{who} has {len(listed)} answers to it"
    if policy == "error":
        fix = "say in campaign.yaml which counts: duplicates: first, or last"
        made.faults.append(Fault(code="duplicate", message=message, row=item, found=where, fix=fix))
        return []
    made.notes.append(
        Fault(code="duplicate", message=f"{message}; the {policy} counts", row=item, found=where)
    )
    return [min(listed, key=_time) if policy == "first" else max(listed, key=_time)]


def _time(row: Row) -> tuple[str, int]:
    return str(row.get("created") or ""), int(row["source"].rpartition("#")[2] or 0)
