"""``probeta publish``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probeta.cli.common import Json, command_app, print_json, reported

app = command_app()


@app.command()
def publish(
    folder: Annotated[Path, typer.Argument(help="A built set, or any data set's folder.")],
    repo: Annotated[str, typer.Option(help="The repository on the Hub, ORG/NAME.")],
    private: Annotated[
        bool, typer.Option("--private", help="Create the repository as a private one.")
    ] = False,
    revision: Annotated[str, typer.Option(help="The branch to push to.")] = "main",
    tag: Annotated[
        str | None, typer.Option(help="The tag to set; by default v and the version of a built set.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Run the gates and show the plan only.")] = False,
    as_json: Json = False,
) -> None:
    """Publish a data set on the Hugging Face Hub: gates, one commit, a tag, and loaded back from it.

    The token is that of HF_TOKEN or of `hf auth login`; HF_ENDPOINT names another Hub. After a failure
    the same command resumes.

    Example: probeta publish out/blas --repo my-org/blas --dry-run
    """
    with reported(as_json=as_json):
        from probeta.publishing.push import publish as run
        from probeta.publishing.push import shown

        done = run(folder, repository=repo, private=private, revision=revision, tag=tag, dry_run=dry_run)
        if as_json:
            print_json(done.to_json())
            return
        for line in shown(done):
            print(line)
        if dry_run:
            print(f"dry run: nothing was sent to {repo}")
        else:
            at = f"{done.tag} ({done.commit})" if done.tag else done.commit
            print(
                f"{repo} is published at {at}: {done.checked['files']} files and {done.checked['configs']} configs read back"
            )
