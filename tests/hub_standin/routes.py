"""The routes, each a method that gives the answer's JSON or raises ``Refused``."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

from hub_standin.state import LFS, Repo, blob, sha256
from hub_standin.strictness import Asked, Refused, card_errors, is_reference

#: Route -> method and pattern; the groups are the handler's arguments.
ROUTES = {
    "create": ("POST", r"/api/repos/create"),
    "validate": ("POST", r"/api/validate-yaml"),
    "whoami": ("GET", r"/api/whoami-v2"),
    "preupload": ("POST", r"/api/datasets/([^/]+/[^/]+)/preupload/([^/]+)"),
    "batch": ("POST", r"/datasets/([^/]+/[^/]+)\.git/info/lfs/objects/batch"),
    "put": ("PUT", r"/lfs/([0-9a-f]{64})"),
    "commit": ("POST", r"/api/datasets/([^/]+/[^/]+)/commit/([^/]+)"),
    "tag": ("POST", r"/api/datasets/([^/]+/[^/]+)/tag/([^/]+)"),
    "branch": ("POST", r"/api/datasets/([^/]+/[^/]+)/branch/([^/]+)"),
    "refs": ("GET", r"/api/datasets/([^/]+/[^/]+)/refs"),
    "rights": ("GET", r"/api/datasets/([^/]+/[^/]+)/auth-check/write"),
    "settings": ("PUT", r"/api/datasets/([^/]+/[^/]+)/settings"),
    "tree": ("GET", r"/api/datasets/([^/]+/[^/]+)/tree/([^/]+)(?:/(.*))?"),
    "info": ("GET", r"/api/datasets/([^/]+/[^/]+)(?:/revision/([^/]+))?"),
    "resolve": ("GET", r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.*)"),
}


class Routes(Asked):
    """Every route of ``ROUTES``, by name; the server gives the request's body and query."""

    body: bytes
    query: dict[str, str]

    def whoami(self) -> Any:
        if self.user() is None:
            raise Refused(401, "Invalid username or password.")
        return {"name": self.user(), "type": "user"}

    def create(self) -> Any:
        value = json.loads(self.body)
        name = (
            f"{value['organization']}/{value['name']}"
            if value.get("organization")
            else f"{self.user()}/{value['name']}"
        )
        self.writer(name)
        url = f"{self.hub.url}/datasets/{name}"
        if value.get("type") != "dataset":
            raise Refused(400, "only data sets here")
        if name in self.hub.repos:
            raise Refused(409, "You already created this dataset repo", body={"url": url})
        self.hub.repos[name] = Repo(private=value.get("visibility") == "private")
        self.hub.repos[name].commit(
            "main", {".gitattributes": b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"}
        )
        return {"url": url, "name": name}

    def validate(self) -> Any:
        errors = card_errors(json.loads(self.body)["content"])
        if errors:
            found = [{"message": error} for error in errors]
            raise Refused(400, errors[0], body={"errors": found, "warnings": []})
        return {"errors": [], "warnings": []}

    def preupload(self, name: str, revision: str) -> Any:
        self.repo(name)
        self.writer(name)
        _, tree = self.at(name, revision)
        files = []
        for file in json.loads(self.body)["files"]:
            lfs, there = bool(LFS.search(file["path"])), tree.get(file["path"])
            oid = None if there is None else sha256(there) if lfs else blob(there)
            mode = "lfs" if lfs else "regular"
            files.append({"path": file["path"], "uploadMode": mode, "shouldIgnore": False, "oid": oid})
        return {"files": files}

    def batch(self, name: str) -> Any:
        self.repo(name)
        self.writer(name)
        objects = []
        for one in json.loads(self.body)["objects"]:
            href = f"{self.hub.url}/lfs/{one['oid']}"
            there = one["oid"] in self.hub.objects
            objects.append(one if there else {**one, "actions": {"upload": {"href": href}}})
        return {"transfer": "basic", "objects": objects}

    def put(self, oid: str) -> Any:
        if sha256(self.body) != oid:
            raise Refused(400, f"the content is not {oid}")
        self.hub.objects[oid] = self.body
        return {}

    def commit(self, name: str, branch: str) -> Any:
        repo = self.repo(name)
        self.writer(name)
        if branch not in repo.branches:
            raise Refused(404, f"Invalid rev id: {branch}", "RevisionNotFound")
        lines = [json.loads(line) for line in self.body.splitlines()]
        header = next(line["value"] for line in lines if line["key"] == "header")
        head = repo.branches[branch]
        if header.get("parentCommit") not in (None, head):
            raise Refused(412, "A commit has happened since. Please refresh and try again.")
        tree = dict(repo.commits[head])
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                tree[value["path"]] = base64.b64decode(value["content"], validate=True)
            elif line["key"] == "lfsFile":
                data = self.hub.objects.get(value["oid"])
                if data is None or len(data) != value["size"]:
                    raise Refused(400, f"LFS object {value['oid']} is not there")
                tree[value["path"]] = data
            elif line["key"] == "deletedFile" and tree.pop(value["path"], None) is None:
                raise Refused(404, "A file with this name doesn't exist", "EntryNotFound")
        if errors := card_errors(tree.get("README.md", b"").decode("utf-8", "replace")):
            raise Refused(400, errors[0])
        oid = repo.commit(branch, tree)
        return {
            "commitOid": oid,
            "commitUrl": f"{self.hub.url}/datasets/{name}/commit/{oid}",
            "success": True,
        }

    def tag(self, name: str, revision: str) -> Any:
        repo = self.repo(name)
        self.writer(name)
        tag = json.loads(self.body)["tag"]
        oid, _ = self.at(name, revision)
        if not is_reference(tag):
            raise Refused(400, f"Invalid reference name: {tag}")
        if tag in repo.tags:
            raise Refused(409, f"Tag reference exists already: {tag}")
        repo.tags[tag] = oid
        return {}

    def branch(self, name: str, branch: str) -> Any:
        repo = self.repo(name)
        self.writer(name)
        if not is_reference(branch):
            raise Refused(400, f"Invalid reference name: {branch}")
        if branch in repo.branches:
            raise Refused(409, "Reference already exists")
        start = json.loads(self.body or b"{}").get("startingPoint") or "main"
        repo.branches[branch] = self.at(name, start)[0]
        return {}

    def rights(self, name: str) -> Any:
        self.repo(name)
        self.writer(name)
        return {}

    def settings(self, name: str) -> Any:
        repo = self.repo(name)
        self.writer(name)
        repo.gated = json.loads(self.body)["gated"]
        return {}

    def refs(self, name: str) -> Any:
        repo = self.repo(name)

        def shown(kind: str, refs: dict[str, str]) -> list[dict[str, str]]:
            return [
                {"name": key, "ref": f"refs/{kind}/{key}", "targetCommit": oid} for key, oid in refs.items()
            ]

        return {"branches": shown("heads", repo.branches), "tags": shown("tags", repo.tags), "converts": []}

    def tree(self, name: str, revision: str, below: str | None) -> Any:
        _, tree = self.at(name, revision)
        prefix = f"{below.rstrip('/')}/" if below else ""
        if prefix and not any(path.startswith(prefix) for path in tree):
            raise Refused(404, f"{below} does not exist", "EntryNotFound")
        recursive = self.query.get("recursive", "false").lower() in ("true", "1")
        found: dict[str, Any] = {}
        for path, data in sorted(tree.items()):
            if not path.startswith(prefix):
                continue
            first, _, rest = path[len(prefix) :].partition("/")
            if rest:
                folder = prefix + first
                found.setdefault(
                    folder, {"type": "directory", "path": folder, "oid": blob(folder.encode()), "size": 0}
                )
            if not rest or recursive:
                entry: dict[str, Any] = {"type": "file", "path": path, "oid": blob(data), "size": len(data)}
                if LFS.search(path):
                    entry["lfs"] = {"oid": sha256(data), "size": len(data), "pointerSize": 134}
                found[path] = entry
        return list(found.values())

    def info(self, name: str, revision: str | None) -> Any:
        oid, tree = self.at(name, revision)
        siblings = [{"rfilename": path} for path in sorted(tree)]
        return {
            "id": name,
            "author": name.split("/")[0],
            "sha": oid,
            "private": self.repo(name).private,
            "disabled": False,
            "gated": self.repo(name).gated,
            "downloads": 0,
            "likes": 0,
            "tags": [],
            "siblings": siblings,
            "lastModified": "2026-01-01T00:00:00.000Z",
            "createdAt": "2026-01-01T00:00:00.000Z",
        }

    def resolve(self, name: str, revision: str, path: str) -> None:
        oid, tree = self.at(name, revision)
        if path not in tree:
            raise Refused(404, "Entry not found", "EntryNotFound", X_Repo_Commit=oid)
        data, status, headers = tree[path], 200, {"X_Repo_Commit": oid, "Accept_Ranges": "bytes"}
        headers["ETag"] = f'"{sha256(data) if LFS.search(path) else blob(data)}"'
        if LFS.search(path):
            headers |= {"X_Linked_Etag": headers["ETag"], "X_Linked_Size": str(len(data))}
        if match := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or ""):
            start, end = int(match[1]), int(match[2] or len(data) - 1)
            headers["Content_Range"] = f"bytes {start}-{min(end, len(data) - 1)}/{len(data)}"
            data, status = data[start : end + 1], 206
        self.answer(status, data, "", headers)
