"""What the Hub refuses: who may not ask, what is not there, and what no card may say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from hub_standin.state import USERS, Hub, Repo
from probeta.publishing.vocabularies import licences


class Refused(Exception):
    """An answer other than 200."""

    def __init__(
        self, status: int, message: str, code: str = "", body: Mapping[str, Any] | None = None, **headers: str
    ) -> None:
        self.status, self.code, self.headers = status, code, headers
        self.body = {"error": message, **(body or {})}
        super().__init__(message)


class Asked:
    """Who asks, and the checks that every route makes before it answers."""

    hub: Hub
    headers: Any

    def user(self) -> str | None:
        """The user of the request's token."""
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        return USERS.get(token)

    def writer(self, name: str) -> None:
        user = self.user()
        if user is None:
            raise Refused(401, "Invalid username or password.")
        if name.split("/")[0] != user:
            raise Refused(403, f"{user} may not write to {name}")

    def repo(self, name: str) -> Repo:
        repo = self.hub.repos.get(name)
        if repo is None or (repo.private and self.user() != name.split("/")[0]):
            status = 404 if self.user() else 401
            raise Refused(status, "Repository not found", "RepoNotFound")
        return repo

    def at(self, name: str, revision: str | None) -> tuple[str, dict[str, bytes]]:
        repo = self.repo(name)
        oid = repo.resolve(revision or "main")
        if oid is None:
            raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return oid, repo.commits[oid]


def is_reference(name: str) -> bool:
    """Whether Git takes the name for a branch or tag: a strict part of what it allows."""
    return bool(re.fullmatch(r"[\w-]+([./][\w-]+)*", name))


def card_errors(text: str) -> list[str]:
    """What the Hub is known to refuse in a card."""
    match = re.match(r"---\n(.*?)\n---", text, re.DOTALL)
    if not match:
        return []
    try:
        value = yaml.safe_load(match[1])
    except yaml.YAMLError:
        return ["the metadata is not YAML"]
    if not isinstance(value, dict):
        return ["the metadata is not a mapping"]
    names = value.get("license") or []
    errors = [
        f'"license" must be one of the known licenses, not {name}'
        for name in ([names] if isinstance(names, str) else names)
        if name not in licences()
    ]
    for config in value.get("configs") or []:
        for entry in config.get("data_files") or []:
            if isinstance(entry, dict) and not re.fullmatch(r"\w+(\.\w+)*", str(entry.get("split"))):
                errors.append(f"split {entry.get('split')} is no name")
    return errors
