"""The push: gates, plan, one commit on a known parent, a tag, and the set loaded back from it.

A failure at any point leaves the old state or the new one, never something between: files go up first and
become visible by one commit, which names its parent. After a failure the remote is read again to say which
of the two it is. The same command resumes: what is there already is not sent again.
"""

from __future__ import annotations

import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from probeta.errors import DataError, Fault, ProbetaError, UsageError
from probeta.progress import say
from probeta.publishing.access import may_write
from probeta.publishing.folder import overwrite, put
from probeta.publishing.gates.loading import loading_faults, quiet
from probeta.publishing.gates.names import check_reference, check_repository
from probeta.publishing.gates.subject import Subject
from probeta.publishing.lint import lint
from probeta.publishing.naming import named
from probeta.publishing.plan import Plan, local_files, make_plan, same_content
from probeta.publishing.remote import KIND, Remote, read_remote, tag_commit

if TYPE_CHECKING:
    from huggingface_hub import HfApi

T = TypeVar("T")

#: How often a call is tried when the Hub is busy or the connection drops, and the longest wait in seconds.
TRIES, LONGEST_WAIT = 4, 30.0
BUSY = (429, 500, 502, 503, 504)


class PushError(ProbetaError):
    """The push did not end; the message says what state the remote is in and what to do."""

    exit_code = 1


class Unreachable(PushError):
    """No connection to the Hub at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What a push did, or would do; a dry run that ``reached`` no Hub plans for an empty repository.

    ``may_write`` is what a dry run was told of the token's rights, None where nobody says.
    """

    repository: str
    revision: str
    plan: Plan
    dry_run: bool
    commit: str | None = None
    tag: str | None = None
    checked: dict[str, int] = field(default_factory=dict)
    reached: bool = True
    may_write: bool | None = None

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints; ``checked`` counts the files and configs that were read back."""
        return {
            "repository": self.repository,
            "revision": self.revision,
            "dry_run": self.dry_run,
            "reached": self.reached,
            "may_write": self.may_write,
            "commit": self.commit,
            "tag": self.tag,
            "checked": self.checked,
            "plan": self.plan.to_json(),
        }


def publish(
    folder: Path,
    *,
    repository: str,
    private: bool = False,
    revision: str = "main",
    tag: str | None = None,
    dry_run: bool = False,
) -> Published:
    """Publish the data set in ``folder`` as ``repository`` (ORG/NAME) on the Hub.

    A ``dry_run`` without a connection plans for an empty repository and says so.

    The Hub is the one that ``HF_ENDPOINT`` names; the token is that of ``HF_TOKEN`` or of the hub's own
    store. ``tag`` is by default v and the version of a built set. Raises a DataError with the faults of
    the gates or of the set as it was loaded back, a UsageError for a wrong name or a missing token, a
    PushError where the push was interrupted or the remote moved.
    """
    check_repository(repository)
    check_reference(revision, what="branch")
    if tag is not None:
        check_reference(tag, what="tag")
    if not folder.is_dir():
        raise UsageError(f"no such folder: {folder}")
    linted = lint(folder)
    if linted.faults:
        raise DataError(linted.faults)
    recipe = linted.subject.recipe
    tag = tag or (f"v{recipe.version}" if recipe else None)
    changed = named(folder, recipe, repository) if recipe else {}
    if recipe and recipe.card.repository not in (None, repository):
        say(
            f"! the recipe says `repository: {recipe.card.repository}`; this goes to {repository}, and its documents "
            "name that; correct the recipe if the set has moved"
        )
    if changed and not dry_run and Path.cwd().is_relative_to(folder.resolve()):
        raise UsageError(
            f"the documents in {folder} will name {repository}, and the folder is replaced as a whole: run the "
            "command from outside it"
        )
    with tempfile.TemporaryDirectory(prefix="probeta-named-") as place:
        for name, content in changed.items():
            put(Path(place) / name, content)
        files = {**local_files(folder), **{name: Path(place) / name for name in changed}}
        return _published(
            folder,
            files,
            linted.subject,
            changed=changed,
            repository=repository,
            private=private,
            revision=revision,
            tag=tag,
            dry_run=dry_run,
        )


def _published(
    folder: Path,
    files: Mapping[str, Path],
    subject: Subject,
    *,
    changed: Mapping[str, bytes],
    repository: str,
    private: bool,
    revision: str,
    tag: str | None,
    dry_run: bool,
) -> Published:
    """Push ``files``; those of the folder that ``changed`` are written there before the first is sent."""
    from huggingface_hub import HfApi

    api = HfApi(library_name="probeta")
    reached = True
    try:
        remote = _call(
            "reading the repository",
            lambda: read_remote(api, repository, revision),
            after="nothing was sent",
        )
    except Unreachable:
        if not dry_run:
            raise
        # A plan is worth having on a train too; it says that it knows nothing of the other side.
        remote, reached = Remote(exists=False), False
    base = _start(api, repository, revision, remote)
    plan = _call(
        "reading the card", lambda: make_plan(api, repository, files, base), after="nothing was sent"
    )
    if tag and remote.exists:
        _refuse_other_tag(api, repository, tag, files)
    if dry_run:
        writable = _writable(api, repository, remote) if reached else None
        return Published(
            repository=repository,
            revision=revision,
            plan=plan,
            dry_run=True,
            tag=tag,
            reached=reached,
            may_write=writable,
        )
    if changed:
        overwrite(folder, changed)
        say(f"{folder} names {repository} now: {', '.join(sorted(changed))} were made anew")
    if not remote.exists:
        say(f"creating {repository}")
        # Without --private the organisation's own default holds.
        _call(
            "creating the repository",
            lambda: api.create_repo(repository, repo_type=KIND, private=private or None, exist_ok=True),
            after="no file was sent",
        )
    if "extra_gated_prompt" in subject.header.value and not remote.gated:
        say("closing the gate: each request for the files is to be granted by hand")
        _call(
            "closing the gate",
            lambda: api.update_repo_settings(repository, repo_type=KIND, gated="manual"),
            after="no file was sent, since the card asks for a gate",
        )
    commit = _push(api, repository, revision, files, remote, plan, title=folder.resolve().name)
    if tag:
        say(f"tag {tag}")
        _call(
            "tagging",
            lambda: _tag(api, repository, tag, commit),
            after=f"the commit {commit[:8]} is there, the tag is not",
        )
    try:
        checked = read_back(api, repository, tag or commit, files, subject)
    except ProbetaError:
        say(f"! {repository} has the new version, at {tag or commit}; reading it back did not succeed")
        raise
    return Published(
        repository=repository,
        revision=revision,
        plan=plan,
        dry_run=False,
        commit=commit,
        tag=tag,
        checked=checked,
    )


def _writable(api: HfApi, repository: str, remote: Remote) -> bool | None:
    """Whether the token may write there; a plan is worth having also where the Hub's answer is none."""
    try:
        return _call("asking for rights", lambda: may_write(api, repository, exists=remote.exists))
    except PushError:
        return None


def _start(api: HfApi, repository: str, revision: str, remote: Remote) -> Remote:
    """What the branch stands at, or would when it is made: a new branch begins with what main has."""
    if remote.head is not None or not remote.exists or revision == "main":
        return remote
    return _call(
        "reading the repository", lambda: read_remote(api, repository, "main"), after="nothing was sent"
    )


def _push(
    api: HfApi,
    repository: str,
    revision: str,
    files: Mapping[str, Path],
    remote: Remote,
    plan: Plan,
    *,
    title: str,
) -> str:
    """One commit, on a branch that is created where it is missing; the commit that the remote then stands at."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    unsent = "no file was sent"
    if remote.head is None:
        if revision != "main":
            _call(
                "creating the branch",
                lambda: api.create_branch(repository, repo_type=KIND, branch=revision, exist_ok=True),
                after=unsent,
            )
        remote = _call("reading the repository", lambda: read_remote(api, repository, revision), after=unsent)
        plan = _call("reading the card", lambda: make_plan(api, repository, files, remote), after=unsent)
    if plan.empty and plan.parent:
        say("nothing to send: the repository has these files already")
        return plan.parent
    say(f"sending {len(plan.created) + len(plan.replaced)} files, {plan.sent_bytes / 1e6:.1f} MB")

    def commit() -> str:
        sent: list[CommitOperationAdd | CommitOperationDelete] = [
            CommitOperationAdd(path_in_repo=name, path_or_fileobj=files[name])
            for name in (*plan.created, *plan.replaced)
        ]
        removed = [CommitOperationDelete(path_in_repo=name, is_folder=False) for name in plan.deleted]
        with quiet():
            info = api.create_commit(
                repository,
                [*sent, *removed],
                commit_message=f"Publish {title} with probeta",
                repo_type=KIND,
                revision=revision,
                parent_commit=plan.parent,
            )
        return str(info.oid)

    try:
        return _call("the commit", commit)
    except UsageError as error:
        raise UsageError(
            f"{error}; nothing was changed: the repository is still at {_short(plan.parent)}"
        ) from None
    except PushError as error:
        return _after_failure(api, repository, revision, files, plan, error)


def _after_failure(
    api: HfApi, repository: str, revision: str, files: Mapping[str, Path], plan: Plan, error: PushError
) -> str:
    """What state a failed commit left: the new one after all (its commit), or the old one (a PushError)."""
    try:
        now = _call("reading the repository", lambda: read_remote(api, repository, revision))
    except ProbetaError:
        raise PushError(
            f"{error}; the repository could not be read afterwards: it is at {plan.parent} or has the whole new "
            "version; run the same command again"
        ) from None
    if now.head == plan.parent:
        raise PushError(
            f"{error}; nothing was changed: the repository is still at {_short(plan.parent)}; run the same command again"
        )
    if not same_content(files, now.files):
        say("the commit had arrived, though its answer was lost")
        assert now.head is not None
        return now.head
    raise PushError(
        f"{repository} has moved from {_short(plan.parent)} to {_short(now.head)} since it was read: someone else has "
        "pushed; nothing of this set was pushed; look at `--dry-run` and run the command again"
    )


def _short(commit: str | None) -> str:
    return commit[:8] if commit else "no commit"


def _refuse_other_tag(api: HfApi, repository: str, tag: str, files: Mapping[str, Path]) -> None:
    """A tag that is there must stand for these files; a published version does not change."""
    there = _call("reading the tags", lambda: tag_commit(api, repository, tag), after="nothing was sent")
    if there is None:
        return
    tagged = _call("reading the tag", lambda: read_remote(api, repository, tag), after="nothing was sent")
    if other := same_content(files, tagged.files):
        raise UsageError(
            f"the tag {tag} of {repository} stands for other files ({', '.join(other[:3])}"
            f"{', …' if len(other) > 3 else ''}); raise the version of the set, or name another --tag"
        )


def _tag(api: HfApi, repository: str, tag: str, commit: str) -> None:
    if tag_commit(api, repository, tag) is None:
        api.create_tag(repository, repo_type=KIND, tag=tag, revision=commit, exist_ok=True)


def read_back(
    api: HfApi, repository: str, revision: str, files: Mapping[str, Path], subject: Subject
) -> dict[str, int]:
    """Compare the checksums of every file there, then load every config; a DataError where they differ."""
    say(f"loading back from {revision}")
    there = _call("reading the tag", lambda: read_remote(api, repository, revision))
    faults = [
        Fault(
            code="remote_file", message="the file in the repository is not the one that was pushed", file=name
        )
        for name in same_content(files, there.files)
    ]
    if not faults:
        with tempfile.TemporaryDirectory(prefix="probeta-load-") as cache, quiet():
            # The hub's own cache may hold the files of another push: they are fetched again.
            faults += loading_faults(
                repository, subject, Path(cache), revision=revision, download_mode="force_redownload"
            )
    if faults:
        raise DataError(faults)
    return {"files": len(files), "configs": len(subject.configs)}


def _call(what: str, call: Callable[[], T], *, after: str = "") -> T:
    """Make a call to the Hub, again where waiting may help, and tell its failure in one sentence."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError

    for attempt in range(TRIES):
        last = attempt + 1 == TRIES
        try:
            return call()
        except LocalTokenNotFoundError:
            raise UsageError(_TOKEN) from None
        except ProbetaError:
            raise
        except Exception as error:  # the client raises many kinds, and Xet below it Python's own
            # An upload's failure is the cause of a RuntimeError that names the file.
            problem = error.__cause__ if isinstance(error, RuntimeError) and error.__cause__ else error
        if isinstance(problem, HfHubHTTPError):
            status = problem.response.status_code
            if last or status not in BUSY:
                raise _told(what, problem, after) from problem
            time.sleep(_wait(problem.response.headers.get("Retry-After"), attempt))
        elif isinstance(problem, httpx2.TransportError):
            if last:
                reason = f"the connection failed ({type(problem).__name__})"
                raise Unreachable(_sentence(what, reason, after)) from problem
            time.sleep(_wait(None, attempt))
        else:
            # The Hub's own check of the card answers by a ValueError, before anything is sent.
            reason = " ".join(str(problem).split()).rstrip(" .") or type(problem).__name__
            if _of_xet(problem):
                reason = f"the upload of large files by Xet said: {reason} ({_WITHOUT_XET})"
            elif not isinstance(problem, ValueError) and str(problem):
                reason = f"{type(problem).__name__}: {reason}"
            raise PushError(_sentence(what, reason, after)) from problem
    raise AssertionError("every try returns or raises")


_WITHOUT_XET = "HF_HUB_DISABLE_XET=1 sends them without it"


def _of_xet(error: BaseException) -> bool:
    """Whether an error comes out of Xet, whose own are Python's: by the functions that it went through."""
    return any("xet" in frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__))


_TOKEN = "the Hub wants a token: set HF_TOKEN, or run `hf auth login`"


def _told(what: str, error: Any, after: str) -> ProbetaError:
    status = error.response.status_code
    if status == 401:
        return UsageError(_sentence(what, f"401, {_TOKEN}", after))
    if status == 403:
        return UsageError(_sentence(what, "403: this token may not write there", after))
    reason = getattr(error, "server_message", None) or str(error).splitlines()[0]
    return PushError(_sentence(what, f"{status}: {reason}", after))


def _sentence(what: str, reason: str, after: str) -> str:
    return f"{what} failed: {reason}" + (f"; {after}; run the same command again" if after else "")


def _wait(asked: str | None, attempt: int) -> float:
    """Seconds to wait: what the Hub asks for, else longer each time."""
    seconds = float(asked) if asked and asked.replace(".", "", 1).isdigit() else 0.2 * 2**attempt
    return min(seconds, LONGEST_WAIT)


def shown(published: Published) -> Sequence[str]:
    """What was done or would be done, a line each, for a person."""
    plan = published.plan
    lines = [
        f"{sign} {name}"
        for sign, names in (("+", plan.created), ("~", plan.replaced), ("-", plan.deleted))
        for name in names
    ]
    if not published.reached:
        lines.append("the Hub could not be reached: this is the plan for a repository without any files")
    elif published.dry_run and plan.parent is None:
        lines.append(
            f"{published.repository} is not there, or this token may not see it: this is the plan for a new one"
        )
    if published.dry_run and published.may_write is False:
        lines.append(
            f"! {published.repository} cannot be written to with this token, or there is none: a push would fail; "
            f"{_TOKEN.removeprefix('the Hub wants a token: ')} with one that may write there"
        )
    elif published.dry_run and published.reached and published.may_write is None:
        lines.append("whether this token may write there the Hub does not say before the push")
    if plan.metadata:
        lines += ["metadata of the card:", *(f"  {line}" for line in plan.metadata)]
    lines.append(
        f"{len(plan.created)} created, {len(plan.replaced)} replaced, {len(plan.deleted)} deleted, "
        f"{len(plan.unchanged)} unchanged; {plan.sent_bytes / 1e6:.1f} MB"
    )
    return lines
