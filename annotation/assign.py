"""Assign: plan who annotates what, and give everyone one tab and one link with just their items.

The community edition has no assignment. A tab of the project's data manager that shows an annotator's
tasks alone, opened for labelling, does the same, but it binds nobody: a pull tells who answered what else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from probeta.annotation import annotators as people
from probeta.annotation import assignment, ledger
from probeta.annotation.annotators import Annotator, checked_emails, email_hash, enrol, user_of
from probeta.annotation.campaign import ANNOTATORS, LEDGER, Campaign, Item
from probeta.annotation.client import CHUNK, Client
from probeta.annotation.plan import Plan, connected, loads, neighbours_share, plan, reassign
from probeta.annotation.remote import key_of
from probeta.errors import UsageError
from probeta.progress import track
from probeta.tables import write_table

#: Each annotator's link; it opens nothing without an account.
LINKS = "links.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """The plan in numbers: ``loads`` are tasks by annotator, checks and repeats among them.

    ``shared`` is the share of each one's sample that the next annotator has too. ``links`` is empty before
    the push. ``names`` gives the pseudonym of each address of this call, and of each person's account on the
    server: the folder holds no address.
    """

    plan: Mapping[str, Sequence[str]]
    loads: Mapping[str, int]
    connected: bool
    shared: Sequence[float]
    links: Mapping[str, str]
    names: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        return {
            "items": len(self.plan),
            "connected": self.connected,
            "neighbours_share": {"least": min(self.shared), "most": max(self.shared)}
            if self.shared
            else None,
            "annotators": [
                {"annotator": name, "tasks": load, "link": self.links.get(name)}
                for name, load in self.loads.items()
            ],
            "names": dict(self.names),
        }


def assign(
    campaign: Campaign,
    *,
    emails: Sequence[str] = (),
    design: str = "balanced",
    leaver: str | None = None,
    done: frozenset[str] = frozenset(),
    client: Client | None = None,
    replan: bool = False,
) -> Assigned:
    """Make the plan, or change it for a ``leaver``, or only make the tabs anew; write ``assignment.csv``.

    ``emails`` are people to enrol. ``done`` are the items that the leaver has answered, which stay theirs.
    With a ``client``, and once the campaign is pushed, tabs are made or updated. A plan that is there is
    kept unless ``replan`` is given, since answers may hang on it.
    """
    settings = campaign.settings
    items = campaign.items()
    known = people.read(campaign.path(ANNOTATORS))
    addresses = checked_emails(emails)
    hashes = [email_hash(settings.id, email) for email in addresses]
    everyone = enrol(known, hashes)
    there = assignment.read(campaign) if leaver is not None or not replan else {}
    if leaver is not None:
        everyone, made = _without(everyone, there, items, leaver, done, settings.seed)
    elif there and not replan:
        if {one.email_hash for one in everyone if one.status == "active"} != {
            one.email_hash for one in known if one.status == "active"
        }:
            raise UsageError(
                "there is a plan already: to put a new person in another's place say both, --leaver NAME "
                "--annotator EMAIL; --replan deals everything out anew"
            )
        made = there
    else:
        active = [one.name for one in everyone if one.status == "active"]
        if not active:
            raise UsageError("nobody is named to annotate: give --annotators FILE or --annotator EMAIL")
        made = _whole_plan(items, active, settings.overlap, design, settings.seed)
    names = {one.email_hash: one.name for one in everyone}
    active = [one.name for one in everyone if one.status == "active"]
    assignment.write(campaign, made, items)
    people.write(campaign.path(ANNOTATORS), everyone)
    links: dict[str, str] = {}
    told: dict[str, str] = {}
    if client is not None and settings.project is not None:
        users = client.users()
        told = {
            email: names[hash]
            for email in users.values()
            if (hash := email_hash(settings.id, email)) in names
        }
        accounts = {user: told[email] for user, email in users.items() if email in told}
        links = _tabs(campaign, client, settings.project, made, items, active)
        rows = [{"annotator": name, "link": link} for name, link in links.items()]
        write_table(campaign.path(LINKS), columns=("annotator", "link"), rows=rows)
        _open(campaign, client, settings.project, made, items, accounts)
    sample = {item.item: made[item.item] for item in items if item.role == "sample"}
    return Assigned(
        plan=made,
        loads=loads(made, active),
        connected=connected(sample, active),
        shared=neighbours_share(sample, active),
        links=links,
        names=told | dict(zip(addresses, (names[hash] for hash in hashes), strict=True)),
    )


def _whole_plan(items: Sequence[Item], names: Sequence[str], overlap: int, design: str, seed: int) -> Plan:
    """The sample by the design; a check goes to everyone, a repeat to the people of its original."""
    sample = [item.item for item in items if item.role == "sample"]
    made = plan(sample, names, overlap=overlap, design=design, seed=seed)
    for item in items:
        if item.role == "check":
            made[item.item] = tuple(names)
        elif item.role == "repeat" and item.of is not None:
            made[item.item] = made[item.of]
    return made


def _without(
    everyone: Sequence[Annotator],
    there: Plan,
    items: Sequence[Item],
    leaver: str,
    done: frozenset[str],
    seed: int,
) -> tuple[list[Annotator], Plan]:
    """People and plan when someone leaves; their checks and repeats that are not done fall away."""
    if leaver not in {one.name for one in everyone if one.status == "active"}:
        known = ", ".join(one.name for one in everyone if one.status == "active") or "none"
        raise UsageError(f"there is no active annotator {leaver!r}; there are: {known}")
    left = [replace(one, status="left") if one.name == leaver else one for one in everyone]
    remaining = [one.name for one in left if one.status == "active"]
    sample = {item.item: there[item.item] for item in items if item.role == "sample" and item.item in there}
    made = reassign(sample, leaver=leaver, done=done, remaining=remaining, seed=seed)
    for item in items:
        if item.role != "sample" and item.item in there:
            kept = tuple(one for one in there[item.item] if one != leaver or item.item in done)
            newcomers = [one for one in remaining if item.role == "check" and one not in kept]
            made[item.item] = (*kept, *newcomers)
    return left, made


def _tabs(
    campaign: Campaign,
    client: Client,
    project: int,
    plan: Mapping[str, Sequence[str]],
    items: Sequence[Item],
    names: Sequence[str],
) -> dict[str, str]:
    """One tab a person, filtered to the ids of their tasks; made once, then updated."""
    tasks = {key: entry.task for key, entry in ledger.read(campaign.path(LEDGER)).items()}
    absent = [item.item for item in items if item.key not in tasks]
    if absent:
        raise UsageError(f"{len(absent)} items are not pushed yet, such as {absent[0]}: push first")
    views = {
        view["data"].get("title"): int(view["id"])
        for view in client.get("/api/dm/views/", {"project": project})
        if isinstance(view.get("data"), dict)
    }
    links = {}
    length = shortest([item.key for item in items])
    for name in names:
        mine = [item.key for item in items if name in plan.get(item.item, ())]
        data = {
            "title": name,
            "type": "list",
            "target": "tasks",
            "ordering": ["tasks:id"],
            "filters": {
                "conjunction": "and",
                "items": [
                    {
                        "filter": "filter:tasks:data.key",
                        "operator": "regex",
                        "type": "String",
                        "value": pattern(mine, length),
                    }
                ],
            },
            "hiddenColumns": {"explore": _HIDDEN, "labeling": _HIDDEN},
        }
        if name in views:
            client.patch(
                f"/api/dm/views/{views[name]}/?project={project}", {"data": data, "project": project}
            )
        else:
            views[name] = int(client.post("/api/dm/views/", {"data": data, "project": project})["id"])
        links[name] = f"{client.url}/projects/{project}/data?tab={views[name]}&labeling=1"
    return links


def _open(
    campaign: Campaign,
    client: Client,
    project: int,
    plan: Mapping[str, Sequence[str]],
    items: Sequence[Item],
    accounts: Mapping[int, str],
) -> None:
    """Let each task take the answers that are asked for, so that it is complete when it has just them.

    A check is asked of more people than the rest; with one number for all, the tasks that are complete in the end
    would be the checks. An answer of someone unasked (``accounts`` are people by their number) takes nobody's
    place: there is one more then.
    """
    asked = {item.key: frozenset(plan.get(item.item, ())) for item in items}
    usual = Counter(len(who) for who in asked.values() if who).most_common(1)
    # One request for most tasks; the server then takes it for every task.
    client.patch(f"/api/projects/{project}/", {"maximum_annotations": usual[0][0] if usual else 1})
    columns = ("data", "overlap", "is_labeled", "total_annotations")
    listed = {
        int(task["id"]): task
        for task in client.tasks(project, include=columns)
        if key_of(task, campaign.settings.id) in asked
    }
    begun = [number for number, task in listed.items() if task["total_annotations"]]
    answers: dict[int, list[str | None]] = {}
    for at in range(0, len(begun), CHUNK):
        for task in client.export(project, begun[at : at + CHUNK]):
            answers[int(task["id"])] = [
                accounts.get(user_of(one["completed_by"]) or 0)
                for one in task["annotations"]
                if not one["was_cancelled"]
            ]
    changes = {}
    for number, task in listed.items():
        who, given = asked[task["data"]["key"]], answers.get(number, [])
        overlap = max(1, len(who) + len(given) - len(who.intersection(given)))
        # The server does not count again when the number is changed.
        state = {"overlap": overlap, "is_labeled": len(given) >= overlap}
        if any(task[name] != value for name, value in state.items()):
            changes[number] = state
    for number, state in track(changes.items(), label="Tasks", total=len(changes)):
        client.patch(f"/api/tasks/{number}/", state)


def shortest(keys: Sequence[str]) -> int:
    """How many digits of the keys' hashes tell all of them apart.

    >>> shortest(["c-abc1", "c-abd2"])
    3
    """
    hashes = [key.rpartition("-")[2] for key in keys]
    return next(size for size in range(1, 99) if len({hash[:size] for hash in hashes}) == len(hashes))


def pattern(keys: Sequence[str], length: int) -> str:
    """A regular expression that finds just these keys.

    The interface breaks on the operator for lists of ids, for everyone and on every tab, so this is the
    way to name many tasks in a filter that it can show.

    >>> pattern(["c-abc1", "c-abd2"], 3)
    '-(abc|abd)'
    """
    found = "|".join(sorted(key.rpartition("-")[2][:length] for key in keys))
    return f"-({found})" if found else "-none"


#: Columns of the data manager that tell an annotator nothing, or what others did.
_HIDDEN = [
    "tasks:completed_at",
    "tasks:total_annotations",
    "tasks:cancelled_annotations",
    "tasks:created_at",
    "tasks:updated_at",
    "tasks:annotators",
    "tasks:annotations_results",
    "tasks:annotations_ids",
    "tasks:predictions_results",
    "tasks:predictions_score",
    "tasks:predictions_model_versions",
    "tasks:total_predictions",
    "tasks:updated_by",
    "tasks:avg_lead_time",
    "tasks:file_upload",
    "tasks:storage_filename",
    "tasks:data.key",
]


def invitation(client: Client) -> str:
    """The address at which people make their accounts; whoever has it can join, so it is only shown."""
    link = str(client.get("/api/invite")["invite_url"])
    return link if link.startswith("http") else f"{client.url}{link}"
