"""A strict stand-in for the Hugging Face Hub: the routes that a push and a load use, and their refusals.

A loopback server of the standard library. It keeps repositories in memory as commits of whole file trees,
asks for a token where the Hub does, checks every hash, refuses a stale parent and rejects a card with an
unknown licence or a bad split name. ``hub.fail(...)`` scripts failures: a status, or a connection that drops
before or after a call takes effect. Nothing in the package knows that it is not the Hub.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import yaml

from probeta.publishing.vocabularies import licences

LFS = re.compile(r"\.(parquet|arrow|bin|zip)$")
TOKEN, OTHER_TOKEN = "hf_standin", "hf_stranger"

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
    "settings": ("PUT", r"/api/datasets/([^/]+/[^/]+)/settings"),
    "tree": ("GET", r"/api/datasets/([^/]+/[^/]+)/tree/([^/]+)(?:/(.*))?"),
    "info": ("GET", r"/api/datasets/([^/]+/[^/]+)(?:/revision/([^/]+))?"),
    "resolve": ("GET", r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.*)"),
}


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


class Refused(Exception):
    """An answer other than 200."""

    def __init__(
        self, status: int, message: str, code: str = "", body: Mapping[str, Any] | None = None, **headers: str
    ) -> None:
        self.status, self.code, self.headers = status, code, headers
        self.body = {"error": message, **(body or {})}
        super().__init__(message)


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


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet an answer: without it every call waits for the delayed acknowledgement
    disable_nagle_algorithm = True
    hub: Hub

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.handle_call("GET")

    def do_HEAD(self) -> None:
        self.handle_call("GET")

    def do_POST(self) -> None:
        self.handle_call("POST")

    def do_PUT(self) -> None:
        self.handle_call("PUT")

    def handle_call(self, method: str) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        self.query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        found = (
            (name, re.fullmatch(pattern, parts.path))
            for name, (verb, pattern) in ROUTES.items()
            if verb == method
        )
        route, match = next(((name, match) for name, match in found if match), ("", None))
        if match is None:
            self.answer(404, {"error": f"no route {method} {parts.path}"})
            return
        with self.hub.lock:
            self.hub.calls.append(route)
            if self.scripted(route, late=False):
                return
            try:
                arguments = [unquote(group) if group is not None else None for group in match.groups()]
                result = getattr(self, route)(*arguments)
            except Refused as refused:
                self.answer(refused.status, refused.body, refused.code, refused.headers)
                return
            if self.scripted(route, late=True):
                return
        if route != "resolve":
            self.answer(200, result)

    def scripted(self, route: str, *, late: bool) -> bool:
        failure = self.hub.failure(route, late=late)
        if failure is None:
            return False
        if failure.status is None:
            self.close_connection = True
            self.connection.close()
            self.wfile = self.rfile = _Gone()  # type: ignore[assignment]  # nothing more is read or written
        else:
            self.answer(failure.status, {"error": "scripted"}, "", failure.headers)
        return True

    def answer(
        self, status: int, value: Any, code: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        if code:
            self.send_header("X-Error-Code", code)
        if status >= 400 and isinstance(value, dict):
            self.send_header("X-Error-Message", str(value.get("error", "")).replace("\n", " "))
        for name, text in (headers or {}).items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    # Who is asking.

    def user(self) -> str | None:
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        return {TOKEN: "org", OTHER_TOKEN: "stranger"}.get(token)

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

    # The routes.

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
        if tag in repo.tags:
            raise Refused(409, f"Tag reference exists already: {tag}")
        repo.tags[tag] = oid
        return {}

    def branch(self, name: str, branch: str) -> Any:
        repo = self.repo(name)
        self.writer(name)
        if branch in repo.branches:
            raise Refused(409, "Reference already exists")
        start = json.loads(self.body or b"{}").get("startingPoint") or "main"
        repo.branches[branch] = self.at(name, start)[0]
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


class _Gone:
    """A connection that is not there any more."""

    closed = False

    def write(self, *_: object) -> int:
        return 0

    def readline(self, *_: object) -> bytes:
        return b""

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


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


@contextmanager
def serving() -> Iterator[Hub]:
    """A running stand-in."""
    hub = Hub()
    handler = type("BoundHandler", (Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
