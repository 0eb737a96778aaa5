"""What the stand-in holds: repositories, large files, the failures that a test scripts, the calls so far."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

#: The names of files that the Hub keeps as large ones.
LFS = re.compile(r"\.(parquet|arrow|bin|zip)$")

#: The token of ``org``, and one that is good but of somebody else.
TOKEN, OTHER_TOKEN = "hf_standin", "hf_stranger"
USERS = {TOKEN: "org", OTHER_TOKEN: "stranger"}


@dataclass
class Repo:
    """A repository: commits (id -> tree), branches and tags; the newest commit of a branch is its head."""

    private: bool
    gated: str | bool = False
    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    def commit(self, branch: str, tree: dict[str, bytes]) -> str:
        text = json.dumps([len(self.commits), sorted((k, sha256(v)) for k, v in tree.items())])
        oid = hashlib.sha1(text.encode()).hexdigest()
        self.commits[oid] = tree
        self.branches[branch] = oid
        return oid

    def resolve(self, revision: str) -> str | None:
        found = self.branches.get(revision) or self.tags.get(revision) or revision
        return found if found in self.commits else None


@dataclass
class Failure:
    """A scripted failure of a route: ``status``, or None for a connection that drops; ``late`` means after
    the call took effect."""

    route: str
    status: int | None
    times: int
    late: bool
    headers: Mapping[str, str]


class Hub:
    """The state of the stand-in and its address."""

    def __init__(self) -> None:
        self.repos: dict[str, Repo] = {}
        self.objects: dict[str, bytes] = {}
        self.failures: list[Failure] = []
        self.calls: list[str] = []
        self.lock = threading.RLock()
        self.url = ""

    def fail(
        self, route: str, status: int | None = None, *, times: int = 1, late: bool = False, **headers: str
    ) -> None:
        self.failures.append(Failure(route, status, times, late, headers))

    def failure(self, route: str, *, late: bool) -> Failure | None:
        for one in self.failures:
            if one.route == route and one.times > 0 and one.late == late:
                one.times -= 1
                return one
        return None

    def tree(self, name: str, revision: str = "main") -> dict[str, bytes]:
        repo = self.repos[name]
        return repo.commits[repo.resolve(revision) or ""]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
