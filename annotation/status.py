"""Status: who is where, item by item and person by person, from a pull and not from the server's counters."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from probeta.annotation import assignment
from probeta.annotation.campaign import GOLD, Campaign, Item
from probeta.annotation.collect import Collected
from probeta.errors import DataError, Fault
from probeta.formats.jsonl import read_jsonl
from probeta.validation import annotations as table
from probeta.validation.agreement.answers import from_table
from probeta.validation.agreement.coefficients import COEFFICIENTS
from probeta.validation.agreement.intervals import Interval
from probeta.validation.agreement.report import Choices
from probeta.validation.agreement.span_report import read_answers
from probeta.validation.agreement.spans import span_f1
from probeta.validation.agreement.study import Study

#: Nobody reads faster than so many characters a second; an answer in less time was not read for.
READING = 60.0
#: An answer in less than so many seconds is suspicious however short the text.
SHORTEST = 1.0

#: The coefficients of ``agreement so far``, by kind.
_COEFFICIENTS = ("percent_agreement", "krippendorff_alpha")


def status(campaign: Campaign, collected: Collected) -> dict[str, Any]:
    """The state of the campaign; ``annotations.parquet`` must be that of the same pull.

    Rates: ``per_hour`` counts answers by the seconds spent on them, ``hours_left`` is what is missing at
    that rate; null where there is no answer yet.
    """
    plan = assignment.read(campaign)
    items = {item.item: item for item in collected.items}
    names = {one.name: one for one in collected.annotators}
    rows = [*collected.normal.rows, *collected.normal.checks]
    by_person: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        by_person[row["annotator"]].append(row)
    drafts = Counter(name for _, name in collected.normal.drafts)
    asked: dict[str, set[str]] = defaultdict(set)
    for item, who in plan.items():
        for name in who:
            asked[name].add(item)
    checks, repeats = _checks(campaign, collected.items, rows), _repeats(collected.items, rows)
    people = []
    for name in sorted({*names, *by_person, *asked}):
        state = names[name].status if name in names else "guest"
        report = _person(by_person[name], asked.get(name, set()), items, bool(plan))
        people.append(
            {
                "annotator": name,
                "status": state,
                **report,
                "drafts": drafts[name],
                "checks": checks.get(name, {"items": 0, "right": 0}),
                "repeats": repeats.get(name, {"items": 0, "same": 0}),
            }
        )
    return {
        "schema_version": 1,
        "pull": collected.pull.name,
        "annotators": people,
        "items": _items(campaign, collected, plan),
        "agreement": _agreement(campaign, collected),
        "pre_annotation": {
            "from_prediction": collected.normal.from_prediction,
            "accepted_unchanged": collected.normal.unchanged,
        },
        "faults": dict(sorted(Counter(fault.code for fault in collected.normal.faults).items())),
        "notes": dict(sorted(Counter(note.code for note in collected.normal.notes).items())),
    }


def is_fast(row: Mapping[str, Any], item: Item) -> bool:
    """Whether an answer came sooner than its text can be read."""
    length = sum(map(len, item.fields.values()))
    return row["seconds"] is not None and bool(row["seconds"] < max(SHORTEST, length / READING))


def _person(
    rows: Sequence[Mapping[str, Any]], asked: set[str], items: Mapping[str, Item], planned: bool
) -> dict[str, Any]:
    counted = Counter(row["status"] for row in rows)
    answered = {row["item"] for row in rows}
    seconds = [row["seconds"] for row in rows if row["seconds"]]
    done = [row for row in rows if row["status"] != "skipped"]
    missing = len(asked - answered)
    rate = 3600 * len(seconds) / sum(seconds) if seconds else None
    return {
        "assigned": len(asked),
        "done": len(done),
        "answered": counted["answered"],
        "empty": counted["empty"],
        "skipped": counted["skipped"],
        "missing": missing,
        "not_assigned": len(answered - asked) if planned else 0,
        "median_seconds": statistics.median(seconds) if seconds else None,
        "fast": sum(is_fast(row, items[row["item"]]) for row in done),
        "last_activity": max((str(row["updated"]) for row in rows if row["updated"]), default=None),
        "per_hour": rate,
        "hours_left": missing / rate if rate else None,
    }


def _items(campaign: Campaign, collected: Collected, plan: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    answers: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in collected.normal.rows:
        answers[row["item"]].append(row)
    listed = []
    states: Counter[str] = Counter()
    for item in collected.items:
        if item.role != "sample":
            continue
        rows = answers[item.item]
        wanted = len(plan[item.item]) if item.item in plan else campaign.settings.overlap
        done = sum(row["status"] != "skipped" for row in rows)
        skipped = len(rows) - done
        waiting = sorted(set(plan.get(item.item, ())) - {row["annotator"] for row in rows})
        over = done > wanted
        state = (
            "over" if over else "complete" if done == wanted else "open" if waiting or not plan else "short"
        )
        states[state] += 1
        listed.append(
            {
                "item": item.item,
                "state": state,
                "wanted": wanted,
                "done": done,
                "skipped": skipped,
                "waiting_for": waiting,
            }
        )
    return {
        "total": len(listed),
        **{state: states[state] for state in ("complete", "open", "short", "over")},
        "list": listed,
    }


def _gold(campaign: Campaign) -> dict[str, Any]:
    path = campaign.path(GOLD)
    if not path.is_file():
        return {}
    rows = read_jsonl(path, name=path.name)
    faults = [
        Fault(code="item", message="the row names no item", file=path.name, row=line, column="item")
        for line, row in rows
        if not isinstance(row.get("item"), str)
    ]
    if faults:
        raise DataError(faults)
    return {row["item"]: row.get("original") for _, row in rows}


def _answer(row: Mapping[str, Any]) -> Any:
    """What two answers are compared by; None for a skip."""
    if row["status"] == "skipped":
        return None
    if row.get("label") is not None:
        return row["label"]
    return _spans(row.get("spans") or ())


def _spans(spans: Sequence[Mapping[str, Any]]) -> tuple[tuple[int, int, str], ...]:
    return tuple(sorted((span["start"], span["end"], span["label"]) for span in spans))


def _checks(
    campaign: Campaign, items: Sequence[Item], rows: Sequence[Mapping[str, Any]]
) -> dict[str, dict[str, int]]:
    """Per annotator, the hidden check items answered and those answered as known."""
    known = _gold(campaign)
    roles = {item.item: item.role for item in items}
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        given = _answer(row)
        if roles.get(row["item"]) != "check" or given is None:
            continue
        truth = known.get(row["item"])
        right = given == (_spans(truth) if isinstance(truth, list) else truth)
        count = found.setdefault(row["annotator"], {"items": 0, "right": 0})
        count["items"] += 1
        count["right"] += right
    return found


def _repeats(items: Sequence[Item], rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Per annotator, the repeated items answered twice and those answered the same way."""
    of = {item.item: item.of for item in items if item.role == "repeat"}
    first = {(row["item"], row["annotator"]): _answer(row) for row in rows if row["item"] not in of}
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        original = of.get(row["item"])
        before = first.get((original, row["annotator"])) if original is not None else None
        again = _answer(row)
        if before is None or again is None:
            continue
        count = found.setdefault(row["annotator"], {"items": 0, "same": 0})
        count["items"] += 1
        count["same"] += before == again
    return found


def _agreement(campaign: Campaign, collected: Collected) -> dict[str, Any]:
    """Agreement of the answers so far, without intervals; ``probeta agree`` has the whole report."""
    if not any(row["status"] == "answered" for row in collected.normal.rows):
        return {"reason": "no answers yet"}
    read = table.read(campaign.folder)
    none = Interval(method="none")
    if campaign.settings.kind == "spans":
        answers, _ = read_answers(read, Choices(labels=tuple(campaign.settings.labels), interval=none))
        return {"span_f1": span_f1(answers, interval=none).to_json()}
    coded = from_table(read.rows, labels=tuple(campaign.settings.labels), file=read.name)
    study = Study(coded, interval=none)
    return {name: COEFFICIENTS[name](study).to_json() for name in _COEFFICIENTS}
