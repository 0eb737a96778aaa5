"""A real Label Studio for tests: a server of the session, its people, and a proxy that breaks the wire."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from probeta.annotation import serve
from probeta.annotation.client import Client, Patience

ADMIN = "admin@example.org"
#: A secret of the test server alone, which lives on loopback for a minute.
TOKEN = "f0" * 20
PASSWORD = "probeta-tests"
PEOPLE = [f"person{number}@example.org" for number in range(1, 10)]

#: Short pauses, so that a broken wire does not make a slow test.
HASTE = Patience(attempts=6, first=0.05, longest=0.4, poll=0.05)


def release(executable: Path) -> str:
    """The release of the program, read from its environment's own metadata."""
    for found in executable.parent.parent.glob("lib/python*/site-packages/label_studio-*.dist-info"):
        return found.name.removeprefix("label_studio-").removesuffix(".dist-info")
    return "unknown"


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "probeta-tests"


@dataclass
class Studio:
    """The server of a test session."""

    executable: Path
    data: Path
    port: int
    server: serve.Server
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self, email: str = ADMIN, *, url: str | None = None, timeout: float = 30) -> Client:
        """A client of one person; each has a token of their own."""
        token = TOKEN if email == ADMIN else self.token(email)
        return Client(url=url or self.url, token=token, timeout=timeout, patience=HASTE)

    def token(self, email: str) -> str:
        """The token of a person, who logs in for it the first time."""
        if email not in self.tokens:
            kept = self.data / "people.json"
            if not self.tokens and kept.is_file():
                self.tokens |= json.loads(kept.read_text("utf-8"))
                return self.token(email)
            self.tokens[email] = token_of(self.url, email)
        return self.tokens[email]

    def restart(self) -> None:
        self.server.stop()
        self.server = start(self.executable, self.data, self.port)


def start(executable: Path, data: Path, port: int) -> serve.Server:
    env = serve.environment(data=data, email=ADMIN, token=TOKEN, password=PASSWORD)
    return serve.start(executable=executable, port=port, env=env, data=data, email=ADMIN, token=TOKEN)


def free_port() -> int:
    """A port of loopback that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def studio(folder: Path) -> Iterator[Studio]:
    """Run a server on a copy of a migrated database, which the first run ever makes."""
    executable = serve.program()
    template = cache() / f"label-studio-{release(executable)}-{len(PEOPLE)}-1"
    data = folder / "data"
    if template.is_dir():
        shutil.copytree(template, data)
    port = free_port()
    running = Studio(executable, data, port, start(executable, data, port))
    try:
        if not template.is_dir():
            for email in PEOPLE:
                sign_up(running.url, email)
                running.token(email)
            (data / "people.json").write_text(json.dumps(running.tokens), "utf-8")
            running.server.stop()
            fresh = template.with_name(f"{template.name}.{os.getpid()}")
            shutil.copytree(data, fresh, ignore=shutil.ignore_patterns("*.log"))
            try:
                fresh.rename(template)
            except OSError:
                shutil.rmtree(fresh)
            running.restart()
        yield running
    finally:
        running.server.stop()


def sign_up(url: str, email: str) -> None:
    """Accept an invitation as a person does: the page, its form, a password."""
    with httpx.Client(base_url=url, trust_env=False, timeout=30) as session:
        invite = session.get("/api/invite", headers={"Authorization": f"Token {TOKEN}"}).json()
        page = invite["invite_url"].removeprefix(url)
        _submit(session, page, {"email": email, "password": PASSWORD})


def token_of(url: str, email: str) -> str:
    """Log in and ask for the token, which lives as long as the account."""
    with httpx.Client(base_url=url, trust_env=False, timeout=30) as session:
        _submit(session, "/user/login/", {"email": email, "password": PASSWORD})
        return str(session.get("/api/current-user/token").json()["token"])


def _submit(session: httpx.Client, page: str, form: dict[str, str]) -> None:
    shown = session.get(page)
    mark = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', shown.text)
    assert mark, shown.text[:500]
    answer = session.post(
        page, data={"csrfmiddlewaretoken": mark[1], **form}, headers={"Referer": str(shown.url)}
    )
    assert answer.status_code == 302, answer.text[-500:]


#: What a fault does with one request: the upstream call, which returns the raw answer, or None to drop.
Fault = Callable[[Callable[[], bytes]], bytes | None]


class FaultProxy:
    """A proxy on loopback before the real server; ``faults`` break the requests that match, one each.

    It speaks one request a connection, so that every fault is about one request.
    """

    def __init__(self, port: int) -> None:
        self.upstream = port
        self.faults: list[tuple[str, Fault]] = []
        self.seen: list[str] = []
        self.lock = threading.Lock()
        proxy = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                proxy.handle(self)

        class Listener(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True

        self.listener = Listener(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.listener.server_address[1]}"
        threading.Thread(target=self.listener.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self.listener.shutdown()
        self.listener.server_close()

    def add(self, pattern: str, *faults: Fault) -> None:
        """Break the next requests whose first line matches ``pattern``, one fault each, in order."""
        self.faults += [(pattern, fault) for fault in faults]

    def handle(self, handler: Any) -> None:
        line = handler.rfile.readline()
        if not line:
            return
        head = [line]
        length = 0
        while (part := handler.rfile.readline()) not in (b"\r\n", b""):
            name, _, value = part.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            if name.lower() not in (b"connection", b"host"):
                head.append(part)
        body = handler.rfile.read(length)
        raw = b"".join(head)
        raw += f"Host: 127.0.0.1:{self.upstream}\r\nConnection: close\r\n\r\n".encode() + body
        first = line.decode("latin-1").strip()
        with self.lock:
            self.seen.append(first)
            at = next((n for n, (pattern, _) in enumerate(self.faults) if re.search(pattern, first)), None)
            fault = self.faults.pop(at)[1] if at is not None else None

        def forward() -> bytes:
            with socket.create_connection(("127.0.0.1", self.upstream), timeout=60) as upstream:
                upstream.sendall(raw)
                chunks = []
                while chunk := upstream.recv(1 << 16):
                    chunks.append(chunk)
                # Without this the client would send its next request into a connection that is gone.
                head, mark, rest = b"".join(chunks).partition(b"\r\n\r\n")
                lines = [part for part in head.split(b"\r\n") if not part.lower().startswith(b"connection:")]
                return b"\r\n".join([*lines, b"Connection: close"]) + mark + rest

        try:
            answer = fault(forward) if fault else forward()
            if answer:
                handler.wfile.write(answer)
        except OSError as error:
            self.seen.append(repr(error))


def response(status: str, body: bytes, *headers: str, kind: str = "application/json") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers]
    return ("\r\n".join([*lines, "Connection: close", "", ""])).encode() + body


def before(answer: bytes | None) -> Fault:
    """The request never reaches the server."""
    return lambda forward: answer


def after(answer: bytes | None) -> Fault:
    """The server does it, and its answer is lost."""

    def fault(forward: Callable[[], bytes]) -> bytes | None:
        forward()
        return answer

    return fault


def truncated(forward: Callable[[], bytes]) -> bytes:
    """The answer's head and half of its body."""
    answer = forward()
    head, _, body = answer.partition(b"\r\n\r\n")
    return head + b"\r\n\r\n" + body[: len(body) // 2]
