"""What a push would do: files created, replaced, deleted; bytes; what changes in the card's header. Gate 10."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from probeta.publishing.gates.header import CARD, read_header
from probeta.publishing.gates.held_back import public_files
from probeta.publishing.remote import KIND, Remote, RemoteFile

if TYPE_CHECKING:
    from huggingface_hub import HfApi

#: Made by the Hub itself for every repository.
THEIRS = frozenset({".gitattributes"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Files by what happens to them, the bytes of those that are sent, and the change of the metadata."""

    parent: str | None
    created: Sequence[str]
    replaced: Sequence[str]
    deleted: Sequence[str]
    unchanged: Sequence[str]
    sent_bytes: int
    metadata: Sequence[str]

    @property
    def empty(self) -> bool:
        """Whether the remote is already what the folder is."""
        return not (self.created or self.replaced or self.deleted)

    def to_json(self) -> dict[str, Any]:
        """The plan as ``--json`` prints it."""
        return {
            "parent": self.parent,
            "created": list(self.created),
            "replaced": list(self.replaced),
            "deleted": list(self.deleted),
            "unchanged": list(self.unchanged),
            "bytes": self.sent_bytes,
            "metadata": list(self.metadata),
        }


def local_files(folder: Path) -> dict[str, Path]:
    """The files to publish, by their path in the repository; nothing that is held back is among them."""
    return {path.relative_to(folder).as_posix(): path for path in public_files(folder)}


def make_plan(api: HfApi, repository: str, files: Mapping[str, Path], remote: Remote) -> Plan:
    """Compare local files, by their path in the repository, with the remote, by content."""
    created = sorted(files.keys() - remote.files.keys())
    common = sorted(files.keys() & remote.files.keys())
    replaced = [name for name in common if not remote.files[name].holds(files[name])]
    return Plan(
        parent=remote.head,
        created=created,
        replaced=replaced,
        deleted=sorted(remote.files.keys() - files.keys() - THEIRS),
        unchanged=[name for name in common if name not in set(replaced)],
        sent_bytes=sum(files[name].stat().st_size for name in (*created, *replaced)),
        metadata=metadata_diff(_remote_card(api, repository, remote), files.get(CARD)),
    )


def same_content(files: Mapping[str, Path], there: Mapping[str, RemoteFile]) -> list[str]:
    """The local files that the remote lacks or has with other bytes, and those it has besides."""
    wrong = [name for name, path in files.items() if name not in there or not there[name].holds(path)]
    return sorted([*wrong, *(there.keys() - files.keys() - THEIRS)])


def _remote_card(api: HfApi, repository: str, remote: Remote) -> bytes | None:
    if remote.head is None or CARD not in remote.files:
        return None
    # A folder of its own: the plan must show what is there now, not what a cache remembers.
    import tempfile

    with tempfile.TemporaryDirectory(prefix="probeta-card-") as place:
        path = api.hf_hub_download(repository, CARD, repo_type=KIND, revision=remote.head, local_dir=place)
        return Path(path).read_bytes()


def metadata_diff(before: bytes | None, after: Path | None) -> list[str]:
    """The changed lines of the card's header, ``-`` what is there and ``+`` what would be."""
    if before is None or after is None:
        return []
    old, new = (
        yaml.safe_dump(dict(read_header(data).value), allow_unicode=True, sort_keys=False).splitlines()
        for data in (before, after.read_bytes())
    )
    lines = difflib.unified_diff(old, new, lineterm="", n=0)
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]
