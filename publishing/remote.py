"""The repository on the Hub as it stands: its head, its files with their hashes, its tags."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from probeta.hashing import file_sha256

if TYPE_CHECKING:
    from huggingface_hub import HfApi

KIND = "dataset"


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteFile:
    """A file there: its size, and the hash of its content in the form that the Hub keeps it."""

    size: int
    git_sha1: str
    sha256: str | None

    def holds(self, path: Path) -> bool:
        """Whether it has the bytes of a local file."""
        if path.stat().st_size != self.size:
            return False
        return file_sha256(path) == self.sha256 if self.sha256 else git_sha1(path) == self.git_sha1


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A revision of a repository; ``head`` is None where there is no repository or no such branch."""

    exists: bool
    gated: bool = False
    head: str | None = None
    files: Mapping[str, RemoteFile] = field(default_factory=dict)


def git_sha1(path: Path) -> str:
    """The name that Git gives to a file's content."""
    data = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def read_remote(api: HfApi, repository: str, revision: str) -> Remote:
    """The head of ``revision`` (a branch, tag or commit) and its files."""
    from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError
    from huggingface_hub.hf_api import RepoFile

    try:
        info = api.repo_info(repository, repo_type=KIND, revision=revision)
    except RevisionNotFoundError:
        return Remote(exists=True)
    except RepositoryNotFoundError:
        return Remote(exists=False)
    entries = api.list_repo_tree(repository, repo_type=KIND, revision=info.sha, recursive=True)
    files = {
        entry.path: RemoteFile(
            size=entry.size, git_sha1=entry.blob_id, sha256=entry.lfs.sha256 if entry.lfs else None
        )
        for entry in entries
        if isinstance(entry, RepoFile)
    }
    return Remote(exists=True, gated=bool(getattr(info, "gated", False)), head=info.sha, files=files)


def tag_commit(api: HfApi, repository: str, tag: str) -> str | None:
    """The commit that a tag points to, or None."""
    refs = api.list_repo_refs(repository, repo_type=KIND)
    return next((ref.target_commit for ref in refs.tags if ref.name == tag), None)
