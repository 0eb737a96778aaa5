"""The server: requests to routes, answers in one packet, failures as scripted."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from hub_standin.routes import ROUTES, Routes
from hub_standin.state import Hub
from hub_standin.strictness import Refused


class Handler(Routes, BaseHTTPRequestHandler):
    """From a request to its route and back; scripted failures come before or after the route."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet an answer: without it every call waits for the delayed acknowledgement
    disable_nagle_algorithm = True

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
