"""``probeta campaign``: from a built set to annotations, with Label Studio."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probeta.cli.common import Json, print_faults, print_json, print_listed, reported

if TYPE_CHECKING:
    from probeta.annotation.campaign import Campaign
    from probeta.annotation.client import Client
    from probeta.annotation.pull import Pull
    from probeta.annotation.sample import Bands

app = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None)

Folder = Annotated[Path, typer.Argument(help="The campaign folder.")]
Url = Annotated[str | None, typer.Option(help="The server; the campaign's own by default.")]
SinceLast = Annotated[
    bool,
    typer.Option("--since-last", help="Fetch only what changed since the last pull; the result is the same."),
]
Timeout = Annotated[float, typer.Option(min=1, help="Seconds to wait for an answer of the server.")]


@contextmanager
def _connected(campaign: Campaign, url: str | None, timeout: float) -> Iterator[Client]:
    from probeta.annotation.client import Client, checked_url, find_token
    from probeta.errors import UsageError

    address = url or campaign.settings.url
    if address is None:
        raise UsageError("no server is named: give --url, or start one with `probeta campaign serve`")
    address = checked_url(address)
    with Client(url=address, token=find_token(address), timeout=timeout) as client:
        yield client


def _pulled(campaign: Campaign, url: str | None, timeout: float, *, offline: bool, since_last: bool) -> Pull:
    """The last pull, or a new one."""
    from probeta.annotation import pull
    from probeta.annotation.collect import check_files
    from probeta.errors import UsageError

    if offline and since_last:
        raise UsageError("--offline asks nothing of the server, --since-last does: say one of them")
    check_files(campaign)
    if offline:
        return pull.latest(campaign)
    with _connected(campaign, url, timeout) as client:
        return pull.fetch(campaign, client=client, since_last=since_last)


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="The campaign folder to make.")],
    source: Annotated[Path, typer.Option("--from", help="The built set to draw from.")],
    sample: Annotated[int, typer.Option(min=1, help="How many items to draw.")],
    strata: Annotated[
        list[str] | None, typer.Option(help="Balance by this column; may repeat, the first counts most.")
    ] = None,
    bands: Annotated[
        list[str] | None, typer.Option(help="Balance by bands of a number: confidence=0.5,0.8; may repeat.")
    ] = None,
    split: Annotated[str | None, typer.Option(help="The split; test by default where there is one.")] = None,
    overlap: Annotated[int, typer.Option(min=1, help="Annotators of each item.")] = 3,
    checks: Annotated[
        int, typer.Option(min=0, help="Further items, given to everyone, whose answer is known.")
    ] = 0,
    repeats: Annotated[
        int, typer.Option(min=0, help="Items of the sample that their annotators get twice.")
    ] = 0,
    variants: Annotated[bool, typer.Option("--variants", help="Draw perturbed sentences too.")] = False,
    exclude: Annotated[
        list[Path] | None, typer.Option(help="A campaign or JSONL file whose items are used; may repeat.")
    ] = None,
    guideline: Annotated[
        Path | None, typer.Option(help="The guideline (Markdown); the recipe's by default.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="The project's title, 3 to 50 characters.")] = None,
    duplicates: Annotated[
        str, typer.Option(help="Which of a person's answers to an item counts: error, first or last.")
    ] = "error",
    seed: Annotated[int | None, typer.Option(help="Seed of the draw; the recipe's by default.")] = None,
    url: Annotated[
        str | None, typer.Option(help="The server: it is looked at, and kept in campaign.yaml.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Start a campaign: draw a stratified sample of a built set into a folder.

    Example: probeta campaign init nli --from out/esnlir --sample 2000 --strata connector_type --strata genre
    """
    with reported(as_json=as_json):
        from probeta.annotation.client import Client, checked_url, find_token
        from probeta.annotation.remote import examine
        from probeta.annotation.start import StartOptions, start

        notes = []
        if url is not None:
            address = checked_url(url)
            with Client(url=address, token=find_token(address)) as client:
                notes = examine(client)
        made = start(
            folder,
            StartOptions(
                source=source,
                sample=sample,
                strata=strata or (),
                bands=[_band(text) for text in bands or ()],
                split=split,
                seed=seed,
                overlap=overlap,
                checks=checks,
                repeats=repeats,
                title=title,
                guideline=guideline,
                duplicates=duplicates,
                variants=variants,
                exclude=exclude or (),
                url=url,
            ),
        )
        print_listed("note", [*notes, *made.notes])
        if as_json:
            print_json({"campaign": str(folder), **made.report})
            return
        from probeta.cli.campaign_text import print_sample

        print_sample(folder, made.report)


def _band(text: str) -> Bands:
    from probeta.annotation.sample import Bands
    from probeta.errors import UsageError

    column, mark, edges = text.partition("=")
    try:
        cuts = [float(edge) for edge in edges.split(",")]
    except ValueError:
        cuts = []
    if not mark or not cuts or cuts != sorted(set(cuts)):
        raise UsageError(f"--bands {text}: expected a column and rising edges, such as confidence=0.5,0.8")
    return Bands(column, cuts)


@app.command()
def serve(
    folder: Annotated[Path | None, typer.Argument(help="A campaign whose server this is to be.")] = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port on this machine.")] = 8080,
    data: Annotated[
        Path | None,
        typer.Option(help="Where the server keeps its database; a folder of the user's by default."),
    ] = None,
    email: Annotated[str, typer.Option(help="The administrator's account.")] = "admin@localhost.localdomain",
    install: Annotated[
        bool, typer.Option("--install", help="Install Label Studio where it is missing.")
    ] = False,
) -> None:
    """Run Label Studio on this machine until Ctrl-C: SQLite, loopback only, nothing sent out.

    The token is taken from LABEL_STUDIO_API_KEY, else kept in the keyring; the administrator's password is
    PROBETA_LABEL_STUDIO_PASSWORD, else the token.

    Example: probeta campaign serve nli
    """
    with reported():
        from probeta.annotation.campaign import Campaign
        from probeta.annotation.serve import run

        run(
            campaign=Campaign(folder) if folder is not None else None,
            port=port,
            data=data,
            email=email,
            may_install=install,
        )


@app.command()
def push(
    folder: Folder,
    url: Url = None,
    project: Annotated[int | None, typer.Option(help="Use this project of the server.")] = None,
    new_project: Annotated[
        bool, typer.Option("--new-project", help="Make a project though there is one.")
    ] = False,
    new_guideline: Annotated[
        bool,
        typer.Option("--new-guideline", help="Give the annotators guideline.md as it is now; recorded."),
    ] = False,
    predictions: Annotated[
        Path | None,
        typer.Option(help="Pre-annotations: a file of predictions, or the name of a spaCy pipeline."),
    ] = None,
    timeout: Timeout = 60.0,
    as_json: Json = False,
) -> None:
    """Push every item as exactly one task; again adds nothing.

    Example: probeta campaign push nli --url http://127.0.0.1:8080
    """
    with reported(as_json=as_json):
        from probeta.annotation.campaign import Campaign
        from probeta.annotation.predictions import push_predictions, read_predictions
        from probeta.annotation.push import push as run

        campaign = Campaign(folder)
        filled_in = read_predictions(campaign, predictions) if predictions is not None else None
        with _connected(campaign, url, timeout) as client:
            done = run(
                campaign,
                client=client,
                project=project,
                new_project=new_project,
                new_guideline=new_guideline,
            )
            if filled_in is not None:
                done.predictions = push_predictions(campaign, filled_in, client=client)
        print_listed("note", done.notes)
        if as_json:
            print_json({**done.to_json(), "notes": [note.to_json() for note in done.notes]})
            return
        print(
            f"{done.url}/projects/{done.project}: {done.tasks} tasks, {done.sent} sent, {done.there} were there"
        )
        if filled_in is not None:
            print(f"{done.predictions} tasks were filled in by {filled_in.version}")


@app.command()
def pull(
    folder: Folder,
    url: Url = None,
    repair_utf16: Annotated[
        bool, typer.Option("--repair-utf16", help="Convert offsets that count UTF-16 units.")
    ] = False,
    trim: Annotated[bool, typer.Option("--trim", help="Take blanks off the edges of spans.")] = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Read the last pull again instead of the server.")
    ] = False,
    since_last: SinceLast = False,
    timeout: Timeout = 60.0,
    as_json: Json = False,
) -> None:
    """Pull every answer whole, and write the annotation table of those that are sound.

    Example: probeta campaign pull nli
    """
    with reported(as_json=as_json):
        from probeta.annotation.campaign import Campaign
        from probeta.annotation.collect import collect, write

        campaign = Campaign(folder)
        with campaign.lock():
            pulled = _pulled(campaign, url, timeout, offline=offline, since_last=since_last)
            made = collect(campaign, pulled, repair_utf16=repair_utf16, trim=trim)
            write(campaign, made)
        if as_json:
            print_json(made.to_json())
        else:
            print_listed("note", made.normal.notes)
            from probeta.cli.campaign_text import print_pulled

            print_pulled(folder, made)
        if made.normal.faults:
            if not as_json:
                print_faults(made.normal.faults)
            raise typer.Exit(1)


@app.command()
def assign(
    folder: Folder,
    annotators: Annotated[
        Path | None, typer.Option(help="Addresses: a table with a column email, or one a line.")
    ] = None,
    annotator: Annotated[list[str] | None, typer.Option(help="One address; may repeat.")] = None,
    design: Annotated[
        str, typer.Option(help="balanced, or windows (stretches of the list; neighbours share about half).")
    ] = "balanced",
    leaver: Annotated[str | None, typer.Option(help="Hand on what this annotator has not done.")] = None,
    replan: Annotated[bool, typer.Option("--replan", help="Make the plan anew.")] = False,
    invite: Annotated[bool, typer.Option("--invite", help="Print the address for new accounts.")] = False,
    local: Annotated[bool, typer.Option("--local", help="Plan only; make no tabs.")] = False,
    url: Url = None,
    timeout: Timeout = 60.0,
    as_json: Json = False,
) -> None:
    """Plan who annotates what; on a pushed campaign, give everyone a tab and a link.

    Example: probeta campaign assign nli --annotators people.csv
    """
    with reported(as_json=as_json):
        from contextlib import nullcontext

        from probeta.annotation import pull as pulling
        from probeta.annotation.annotators import read_emails
        from probeta.annotation.assign import assign as run
        from probeta.annotation.assign import invitation
        from probeta.annotation.campaign import Campaign
        from probeta.annotation.collect import collect

        campaign = Campaign(folder)
        emails = [*(read_emails(annotators) if annotators is not None else ()), *(annotator or ())]
        offline = local or campaign.settings.project is None
        link = None
        with campaign.lock(), nullcontext() if offline else _connected(campaign, url, timeout) as client:
            done: frozenset[str] = frozenset()
            if leaver is not None and client is not None:
                now = collect(campaign, pulling.fetch(campaign, client=client))
                rows = [*now.normal.rows, *now.normal.checks]
                done = frozenset(row["item"] for row in rows if row["annotator"] == leaver)
            made = run(
                campaign,
                emails=emails,
                design=design,
                leaver=leaver,
                done=done,
                client=client,
                replan=replan,
            )
            if invite and client is not None:
                link = invitation(client)
        if as_json:
            print_json({**made.to_json(), "invitation": link})
            return
        from probeta.cli.campaign_text import print_assigned

        print_assigned(folder, made, link)


@app.command()
def status(
    folder: Folder,
    url: Url = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="From the last pull instead of a new one.")
    ] = False,
    since_last: SinceLast = False,
    timeout: Timeout = 60.0,
    as_json: Json = False,
) -> None:
    """Who is where: per annotator and per item, with the agreement so far.

    Example: probeta campaign status nli
    """
    with reported(as_json=as_json):
        from probeta.annotation.campaign import Campaign
        from probeta.annotation.collect import collect, write
        from probeta.annotation.status import status as run

        campaign = Campaign(folder)
        with campaign.lock():
            pulled = _pulled(campaign, url, timeout, offline=offline, since_last=since_last)
            made = collect(campaign, pulled)
            write(campaign, made)
            report = run(campaign, made)
        if as_json:
            print_json(report)
            return
        from probeta.cli.campaign_text import print_status

        print_status(report)


@app.command("import")
def import_(
    folder: Annotated[Path, typer.Argument(help="The campaign folder; made where there is none.")],
    files: Annotated[list[Path], typer.Argument(help="Files or folders of one format.")],
    format: Annotated[
        str | None, typer.Option(help="label_studio, doccano, brat, conll or wide; by ending if not given.")
    ] = None,
    annotator: Annotated[str | None, typer.Option(help="Whose the file is, where it does not say.")] = None,
    annotators: Annotated[
        str | None, typer.Option(help="The annotators' columns (wide, conll), separated by commas.")
    ] = None,
    users: Annotated[
        Path | None, typer.Option(help="A table user,annotator: who stands behind the export's numbers.")
    ] = None,
    item_column: Annotated[str, typer.Option(help="The column or key of the items' ids.")] = "id",
    label: Annotated[str | None, typer.Option(help="The label of tags that name none.")] = None,
    repair_utf16: Annotated[
        bool, typer.Option("--repair-utf16", help="Convert offsets that count UTF-16 units.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Take in annotations made elsewhere.

    Example: probeta campaign import nli export.json --users people.csv
    """
    with reported(as_json=as_json):
        from probeta.annotation.importers import ImportOptions
        from probeta.annotation.imports import import_files
        from probeta.tables import read_table

        known = {}
        if users is not None:
            known = {
                row["user"]: row["annotator"] for row in read_table(users, required=("user", "annotator"))
            }
        made = import_files(
            folder,
            files,
            format=format,
            options=ImportOptions(
                users=known,
                annotator=annotator,
                annotators=tuple(name.strip() for name in (annotators or "").split(",") if name.strip()),
                item=item_column,
                label=label,
                repair_utf16=repair_utf16,
            ),
        )
        if as_json:
            print_json(made.to_json())
            return
        print_listed("note", made.notes)
        print(f"{folder}: {made.rows} answers of {made.annotators} annotators on {made.items} items")


@app.command()
def adjudicate(
    folder: Folder,
    scope: Annotated[
        str, typer.Option(help="undecided, not_kept (also winners that are not the original) or disagreed.")
    ] = "undecided",
    merge: Annotated[bool, typer.Option("--merge", help="Pull the round and merge its decisions.")] = False,
    local: Annotated[bool, typer.Option("--local", help="Make the round's folder, push nothing.")] = False,
    url: Url = None,
    timeout: Timeout = 60.0,
    as_json: Json = False,
) -> None:
    """Send the conflicts back with their blinded answers, then merge what adjudicators decide.

    Example: probeta campaign adjudicate nli, and when they are done: probeta campaign adjudicate nli --merge
    """
    with reported(as_json=as_json):
        from probeta.annotation import pull as pulling
        from probeta.annotation.adjudicate import NothingToAdjudicate, merge_round, open_round, the_round
        from probeta.annotation.campaign import Campaign
        from probeta.annotation.collect import collect, write
        from probeta.annotation.push import push as run

        campaign = Campaign(folder)
        if not merge:
            try:
                made = open_round(campaign, scope=scope)
            except NothingToAdjudicate as nothing:
                # No mistake: a campaign whose annotators agree has no round.
                if as_json:
                    print_json({"round": None, "items": 0, "link": None, "other_scopes": nothing.others})
                else:
                    print(nothing)
                return
            link = None
            if not local:
                with _connected(made, url, timeout) as client:
                    done = run(made, client=client)
                    link = f"{done.url}/projects/{done.project}/data?labeling=1"
            if as_json:
                print_json({"round": str(made.folder), "items": len(made.items()), "link": link})
            else:
                print(
                    f"{made.folder}: {len(made.items())} items to adjudicate{f' at {link}' if link else ''}"
                )
            return
        made = the_round(campaign)
        with _connected(made, url, timeout) as client:
            collected = collect(made, pulling.fetch(made, client=client))
        write(made, collected)
        merged = merge_round(campaign)
        if as_json:
            print_json(merged.report)
        else:
            from probeta.cli.adjudication_text import lines

            print_listed("note", collected.normal.notes)
            for line in lines(merged.report, annotators=set(merged.table.rows["annotator"])):
                print(line)
        if collected.normal.faults:
            print_faults(collected.normal.faults)
            raise typer.Exit(1)
