"""What ``probeta campaign`` prints for people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta.cli.tabular import print_table

if TYPE_CHECKING:
    from probeta.annotation.assign import Assigned
    from probeta.annotation.collect import Collected


def print_sample(folder: Path, report: Mapping[str, Any]) -> None:
    """What each stratum had and gave."""
    names = report["by"]
    if names:
        rows = (
            [*stratum["values"].values(), str(stratum["had"]), str(stratum["gave"])]
            for stratum in report["strata"]
        )
        print_table("The sample", [*names, "had", "gave"], rows, words=len(names))
    print(f"annotators read {report['guideline']} (guideline.md)")
    drawn, asked = report["drawn"], report["asked"]
    short = "" if drawn == asked else f" of {asked} asked for: there were no more"
    print(f"{folder}: {drawn} items drawn{short}, {report['checks']} checks, {report['repeats']} repeats")


def print_pulled(folder: Path, made: Collected) -> None:
    """The counts of a pull."""
    counts = made.counts()
    print(
        f"{folder}/annotations.parquet: {counts['rows']} answers of {counts['annotators']} annotators "
        f"({counts['answered']} answered, {counts['empty']} empty, {counts['skipped']} skipped), "
        f"{counts['drafts']} drafts; pulls/{made.pull.name}"
    )
    if made.pull.increments:
        print(f"{made.pull.fetched} of {counts['tasks']} tasks had changed since the pull before")
    if counts["from_prediction"]:
        share = counts["accepted_unchanged"] / counts["from_prediction"]
        print(
            f"{counts['from_prediction']} began with a pre-annotation; {share:.1%} of them left it unchanged"
        )


def print_assigned(folder: Path, made: Assigned, invitation: str | None) -> None:
    """The plan in numbers and everyone's link."""
    emails = {name: email for email, name in made.names.items()}
    # With links the server was asked; whoever it does not know has not signed up.
    unknown = "(no account yet)" if made.links else ""
    print(f"{folder}/assignment.csv: {len(made.plan)} tasks")
    for name, load in made.loads.items():
        print(
            f"  {name}  {load:>5} tasks  {emails.get(name, unknown):<28}  {made.links.get(name, '')}".rstrip()
        )
    if made.shared:
        least, most = f"{min(made.shared):.0%}", f"{max(made.shared):.0%}"
        span = least if least == most else f"{least} to {most}"
        print(f"neighbours in this list share {span} of their items")
    if not made.connected:
        print("note: not all annotators are joined by shared items: agreement between groups cannot be told")
    if not made.links:
        print("push the campaign and call assign again to get everyone's link")
    if invitation is not None:
        print(f"accounts are made at {invitation}")


def print_status(report: Mapping[str, Any]) -> None:
    """The table of annotators, the items' states and the agreement so far."""
    columns = {
        "annotator": "annotator",
        "assigned": "asked",
        "done": "done",
        "skipped": "skipped",
        "empty": "empty",
        "missing": "missing",
        "drafts": "drafts",
        "not_assigned": "unasked",
        "fast": "fast",
    }
    further = ("median s", "per hour", "hours left", "checks", "repeats", "last")
    rows = (
        [
            *(str(person[name]) for name in columns),
            *(_number(person[name]) for name in ("median_seconds", "per_hour", "hours_left")),
            f"{person['checks']['right']}/{person['checks']['items']}",
            f"{person['repeats']['same']}/{person['repeats']['items']}",
            str(person["last_activity"] or "")[:16].replace("T", " "),
        ]
        for person in report["annotators"]
    )
    print_table("Annotators", [*columns.values(), *further], rows)
    items = report["items"]
    print(
        f"{items['total']} items: {items['complete']} complete, {items['open']} open, "
        f"{items['short']} short (nobody is left to answer), {items['over']} over-annotated"
    )
    for name, value in report["agreement"].items():
        if name == "reason":
            print(f"agreement so far: {value}")
        elif value["value"] is None:
            print(f"{name} so far: undefined, {value['reason']}")
        else:
            print(f"{name} so far: {value['value']:z.3f} on {value['items']} items")
    for title in ("faults", "notes"):
        if report[title]:
            print(f"{title}: " + ", ".join(f"{count} {code}" for code, count in report[title].items()))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"
