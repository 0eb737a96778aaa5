"""A campaign as the paper's: 2,000 pairs, 27 annotators, three answers a pair, against a real server.

5,700 answers are seeded by bulk import, 300 are given one by one by each annotator's own token.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.harness import Row

# The server, its people and small campaigns are the tests' own; tests/ is no package.
sys.path.append(str(Path(__file__).parent.parent / "tests"))

PAIRS, ANNOTATORS, SINGLE, CHANGED = 2000, 27, 100, 100
LABELS = ("contrasting", "entailment", "reasoning", "neutral")


def run() -> list[Row]:
    import label_studio

    with (
        tempfile.TemporaryDirectory() as folder,
        label_studio.studio(Path(folder)) as studio,
    ):
        return _measure(studio, Path(folder))


def _cpu(studio: Any) -> float:
    """CPU seconds that the server and we have used: what a loaded machine does not change."""
    fields = Path(f"/proc/{studio.server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + time.process_time()


def _measure(studio: Any, folder: Path) -> list[Row]:
    from campaigns import campaign, choice
    from label_studio import PEOPLE, sign_up

    from probeta.annotation import ledger, pull
    from probeta.annotation.assign import assign
    from probeta.annotation.campaign import LEDGER
    from probeta.annotation.collect import collect, write
    from probeta.annotation.push import push
    from probeta.annotation.remote import ensure_project
    from probeta.annotation.status import status

    people = [*PEOPLE, *(f"reader{number}@example.org" for number in range(ANNOTATORS - len(PEOPLE)))]
    for email in people[len(PEOPLE) :]:
        sign_up(studio.url, email)
    made = campaign(folder / "c", kind="pairs", size=PAIRS)
    items = made.items()
    rows = []
    with studio.client() as client:
        start, used = time.perf_counter(), _cpu(studio)
        sent = push(made, client=client).sent
        pushed, used = time.perf_counter() - start, _cpu(studio) - used
        assert sent == PAIRS
        rows.append(
            Row(
                name=f"push {PAIRS:,} tasks",
                measured=f"{pushed:.1f} s",
                goal="<= 5 s",
                met=pushed <= 5,
            )
        )
        rows.append(Row(name="  of it computing, ours and the server's", measured=f"{used:.1f} s"))
        # Answers are taken in bulk only together with their tasks, so a second project gets those; the push
        # then finds them there.
        made = campaign(folder / "seeded", kind="pairs", size=PAIRS)
        items = made.items()
        project = int(ensure_project(client, made)["id"])
        plan = assign(made, emails=people)
        users = {email: user for user, email in client.users().items()}
        by_name = {name: email for email, name in plan.names.items()}
        client.import_tasks(
            project,
            [
                {
                    "data": {"key": item.key, **item.fields},
                    "annotations": [
                        {
                            "result": [choice(LABELS[number % 4])],
                            "completed_by": users[by_name[name]],
                            "lead_time": 12.5,
                            "ground_truth": False,
                        }
                        for name in plan.plan[item.item]
                    ],
                }
                for number, item in enumerate(items[:-SINGLE])
            ],
        )
        assert push(made, client=client).sent == SINGLE
        assigned = assign(made, client=client)
        tasks = {key: entry.task for key, entry in ledger.read(made.path(LEDGER)).items()}
        start = time.perf_counter()
        for number, item in enumerate(items[-SINGLE:]):
            for name in assigned.plan[item.item]:
                with studio.client(by_name[name]) as own:
                    body = {"result": [choice(LABELS[number % 4])], "lead_time": 8.0}
                    own.post(f"/api/tasks/{tasks[item.key]}/annotations/", body)
        given = time.perf_counter() - start
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start, used = time.perf_counter(), _cpu(studio)
        pulled = pull.fetch(made, client=client)
        fetched = time.perf_counter() - start
        collected = collect(made, pulled)
        write(made, collected)
        whole, used = time.perf_counter() - start, _cpu(studio) - used
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        assert len(collected.normal.rows) == 3 * PAIRS and not collected.normal.faults
        with studio.client(by_name[next(iter(by_name))]) as own:
            for item in items[:CHANGED]:
                own.post(f"/api/tasks/{tasks[item.key]}/annotations/", {"result": [], "was_cancelled": True})
        start = time.perf_counter()
        newer = pull.fetch(made, client=client, since_last=True)
        increment = time.perf_counter() - start
        assert newer.fetched == CHANGED
        start = time.perf_counter()
        report = status(made, collected)
        told = time.perf_counter() - start
        assert report["items"]["complete"] == PAIRS
    rows += [
        Row(
            name=f"pull {3 * PAIRS:,} annotations, table written",
            measured=f"{whole:.1f} s",
            goal="<= 15 s",
            met=whole <= 15,
        ),
        Row(name="  of it computing, ours and the server's", measured=f"{used:.1f} s"),
        Row(name="  of it until all is fetched", measured=f"{fetched:.1f} s"),
        Row(
            name=f"  the same when {CHANGED} tasks changed since (--since-last)",
            measured=f"{increment:.1f} s",
            peer=f"{fetched:.1f} s",
            ratio=increment / fetched,
            goal="<= 0.5x",
            met=increment <= 0.5 * fetched,
        ),
        Row(name="  memory it adds at most", measured=f"{grown:.0f} MB"),
        Row(name=f"status of {ANNOTATORS} annotators", measured=f"{told:.1f} s"),
        Row(name=f"{3 * SINGLE} answers by their own tokens", measured=f"{given:.1f} s"),
    ]
    return rows
