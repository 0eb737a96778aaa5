"""Label Studio's HTTP interface, raw: no blind retry, no header in a message, ids instead of page numbers.

The official client repeats a POST whose answer was lost, and takes a 404 in mid-list for the list's end;
either loses or doubles data. Here what changes something is sent once; what became of it is for the caller to find out.
"""

from __future__ import annotations

import ipaddress
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from probeta.errors import PrerequisiteError, ProbetaError, UsageError

if TYPE_CHECKING:
    import httpx

#: The variable that holds the token, as the official client names it.
TOKEN_VARIABLE = "LABEL_STUDIO_API_KEY"
#: The service under which the keyring holds it; the user name is the server's address.
KEYRING_SERVICE = "probeta label-studio"

#: Tasks exported in one request; their ids stand in the address, which servers limit.
CHUNK = 200

#: After these the server may or may not have done what it was asked.
_UNCERTAIN = (408, 409, 425, 429, 500, 502, 503, 504)


class ServerError(ProbetaError):
    """The server did not do what it was asked, or its answer was lost.

    ``status`` is None where no answer came. ``uncertain`` means that the request may have been carried
    out all the same. ``detail`` is the decoded body of a refusal.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        uncertain: bool = False,
        retry_after: float | None = None,
        detail: object = None,
    ) -> None:
        self.status = status
        self.uncertain = uncertain
        self.retry_after = retry_after
        self.detail = detail
        super().__init__(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """A campaign's tasks on the server and their annotations, skips not counted."""

    tasks: int
    annotations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to bear a failing server: ``attempts`` in a row, pauses growing from ``first`` to ``longest``.

    ``poll`` seconds lie between two looks at the number of tasks, which must be the same twice before what is
    missing is sent again.
    """

    attempts: int = 8
    first: float = 0.5
    longest: float = 15.0
    poll: float = 0.5

    def pause(self, failures: int, asked: float | None) -> float:
        """Seconds to wait after so many failures; what the server asks for counts if it is longer."""
        return min(
            max(self.first * 2.0 ** (failures - 1), asked or 0.0), max(self.longest, asked or 0.0), 120.0
        )


def is_loopback(url: str) -> bool:
    """Whether the address is this machine.

    >>> is_loopback("http://127.0.0.1:8080"), is_loopback("http://example.org")
    (True, False)
    """
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def checked_url(url: str) -> str:
    """The server's address without a slash at its end; a UsageError if it is none or holds a password."""
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits or any(char.isspace() or not char.isprintable() for char in url):
        raise UsageError("the server's address is no http or https address, such as http://127.0.0.1:8080")
    if parts.username or parts.password:
        raise UsageError(
            f"the server's address holds a user name or a password; give the token in {TOKEN_VARIABLE}"
        )
    return url.rstrip("/")


def find_token(url: str) -> str:
    """The token for a server: from the environment, else from the keyring; never from a file."""
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if token:
        return _checked_token(token, TOKEN_VARIABLE)
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        kept = None
    else:
        try:
            kept = keyring.get_password(KEYRING_SERVICE, url)
        except KeyringError:
            kept = None
    if kept:
        return _checked_token(str(kept), "the keyring")
    raise PrerequisiteError(
        f"no token for {url}",
        fix=f"put it into {TOKEN_VARIABLE}, or store it: keyring set '{KEYRING_SERVICE}' {url}",
    )


def _checked_token(token: str, place: str) -> str:
    """The token; a UsageError where it cannot be one, which is said without showing it."""
    if not token.isascii() or any(char.isspace() or not char.isprintable() for char in token):
        raise UsageError(f"what {place} holds is no token: it has blanks, line ends or letters that none has")
    return token


class Client:
    """A server and a token. Both kinds of token are understood; an access token is renewed when refused."""

    def __init__(
        self, *, url: str, token: str, timeout: float = 60.0, patience: Patience | None = None
    ) -> None:
        import httpx

        self.url = checked_url(url)
        self._token = token
        # A personal access token is a JWT whose only use is to get access tokens that live five minutes.
        self.patience = patience or Patience()
        self.personal = token.count(".") == 2
        self._access: str | None = None
        self._http = httpx.Client(
            base_url=self.url,
            timeout=timeout,
            # A proxy named in the environment cannot reach this machine's own loopback.
            trust_env=not is_loopback(self.url),
            follow_redirects=False,
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def get(self, path: str, params: Any = None) -> Any:
        """The decoded answer to a GET, which changes nothing and is asked again where the wire breaks."""
        for attempt in range(1, self.patience.attempts + 1):
            try:
                return self._call("GET", path, params=params)
            except ServerError as error:
                if not error.uncertain or attempt == self.patience.attempts:
                    raise
                time.sleep(self.patience.pause(attempt, error.retry_after))
        raise AssertionError("unreachable: the last attempt raises")

    def post(self, path: str, body: Any, params: Any = None) -> Any:
        """The decoded answer to a POST, sent once."""
        return self._call("POST", path, params=params, body=body)

    def patch(self, path: str, body: Any) -> Any:
        """The decoded answer to a PATCH, sent once."""
        return self._call("PATCH", path, body=body)

    def delete(self, path: str) -> None:
        """DELETE, sent once."""
        self._call("DELETE", path)

    def _call(self, method: str, path: str, *, params: Any = None, body: Any = None) -> Any:
        response = self._send(method, path, params, body)
        if response.status_code == 401 and self.personal:
            # Refused before anything was done, so asking again repeats nothing.
            self._access = None
            response = self._send(method, path, params, body)
        return self._decoded(response, method, path)

    def _send(self, method: str, path: str, params: Any, body: Any) -> httpx.Response:
        return self._raw(method, path, params, body, self._authorization())

    def _authorization(self) -> str:
        if not self.personal:
            return f"Token {self._token}"
        if self._access is None:
            path = "/api/token/refresh/"
            answer = self._decoded(
                self._raw("POST", path, None, {"refresh": self._token}, None), "POST", path
            )
            self._access = str(answer["access"])
        return f"Bearer {self._access}"

    def _raw(
        self, method: str, path: str, params: Any, body: Any, authorization: str | None
    ) -> httpx.Response:
        import httpx

        headers = {"Content-Type": "application/json"}
        if authorization is not None:
            headers["Authorization"] = authorization
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        try:
            return self._http.request(method, path, params=params, content=content, headers=headers)
        except httpx.ConnectError:
            message = f"{self.url} does not answer: is Label Studio running? (`probeta campaign serve`)"
            raise ServerError(message, uncertain=True) from None
        except httpx.TimeoutException:
            message = f"{method} {path}: no answer within the time limit"
            raise ServerError(message, uncertain=True) from None
        except httpx.HTTPError as error:
            message = f"{method} {path}: the connection broke ({type(error).__name__})"
            raise ServerError(message, uncertain=True) from None

    def _decoded(self, response: httpx.Response, method: str, path: str) -> Any:
        status = response.status_code
        place = f"{method} {path}"
        if 200 <= status < 300:
            if method == "DELETE" or status == 204:
                return None
            try:
                return json.loads(response.content)
            except ValueError:
                message = f"{place}: the answer is not JSON but {_shape(response.text)}"
                raise ServerError(message, status=status, uncertain=True) from None
        try:
            detail = json.loads(response.content)
        except ValueError:
            detail = None
        said = self._clean(_said(detail) if detail is not None else _shape(response.text))
        if status == 401:
            kind = "personal access token" if self.personal else "legacy token"
            message = f"the server refuses the token, which looks like a {kind}: {said}"
        else:
            message = f"{place}: {status}, {said}"
        wait = response.headers.get("Retry-After", "")
        raise ServerError(
            message,
            status=status,
            uncertain=status in _UNCERTAIN,
            retry_after=float(wait) if wait.isdigit() else None,
            detail=detail,
        )

    def _clean(self, text: str) -> str:
        for secret in filter(None, (self._token, self._access)):
            text = text.replace(secret, "***")
        return text

    # What a campaign asks for.

    def project(self, project: int) -> dict[str, Any]:
        """A project's settings."""
        return dict(self.get(f"/api/projects/{project}/"))

    def projects(self) -> Iterator[dict[str, Any]]:
        """Every project that the token sees."""
        page = 1
        while True:
            answer = self.get("/api/projects/", {"page": page, "page_size": 100})
            yield from answer["results"]
            if not answer.get("next"):
                return
            page += 1

    def users(self) -> dict[int, str]:
        """The organisation's members: number -> e-mail address in lower case."""
        return {int(user["id"]): str(user["email"]).lower() for user in self.get("/api/users/")}

    def task_count(self, project: int) -> int:
        """How many tasks the project holds now."""
        params = {"project": project, "page_size": 1, "fields": "task_only", "include": "id"}
        return int(self.get("/api/tasks", params)["total"])

    def totals(self, project: int, campaign: str) -> Totals:
        """How many tasks with keys of ``campaign`` there are now, and annotations in them, counted one by one."""
        query = _query([("data.key", "contains", "String", f"{campaign}-")])
        params = {"project": project, "query": query, "page_size": 1, "fields": "task_only", "include": "id"}
        found = self.get("/api/tasks", params)
        return Totals(tasks=int(found["total"]), annotations=int(found["total_annotations"]))

    def tasks(
        self,
        project: int,
        *,
        include: Sequence[str],
        after: int = 0,
        size: int = 1000,
        drafts: bool = False,
    ) -> Iterator[dict[str, Any]]:
        """The project's tasks with the columns ``include``, sorted by id, from the one behind ``after``.

        With ``drafts``, those alone in which somebody has begun an answer. Paged by id, so that tasks that
        come or go meanwhile shift nothing; a 404 is an error here as everywhere.
        """
        while True:
            wanted: list[tuple[str, str, str, Any]] = [("id", "greater", "Number", after)]
            if drafts:
                wanted.append(("draft_exists", "equal", "Boolean", True))
            found = self.get(
                "/api/tasks",
                {
                    "project": project,
                    "query": _query(wanted),
                    "page": 1,
                    "page_size": size,
                    "fields": "task_only",
                    "include": ",".join(("id", *include)),
                },
            )["tasks"]
            if not found:
                return
            if any(task["id"] <= after for task in found):
                raise ServerError("the server does not honour the filter by id: the list cannot be trusted")
            yield from found
            after = max(int(task["id"]) for task in found)

    def export(self, project: int, tasks: Sequence[int]) -> list[dict[str, Any]]:
        """The tasks of these ids whole: annotations, skips, drafts, predictions."""
        params = [("exportType", "JSON"), ("download_all_tasks", "true")]
        params += [("ids[]", str(task)) for task in tasks]
        return list(self.get(f"/api/projects/{project}/export", params))

    def import_tasks(self, project: int, tasks: Sequence[Mapping[str, Any]]) -> list[int]:
        """Create tasks in one transaction; their ids, in the order given."""
        params = {"return_task_ids": "true", "commit_to_project": "true"}
        answer = self.post(f"/api/projects/{project}/import", list(tasks), params)
        ids = answer.get("task_ids") if isinstance(answer, dict) else None
        if not isinstance(ids, list) or len(ids) != len(tasks):
            raise ServerError("the server did not say which tasks it made", status=201, uncertain=True)
        return [int(task) for task in ids]


def _query(filters: Sequence[tuple[str, str, str, Any]]) -> str:
    """The data manager's query for tasks that pass all filters (column, operator, type, value), by id."""
    items = [
        {"filter": f"filter:tasks:{column}", "operator": operator, "type": kind, "value": value}
        for column, operator, kind, value in filters
    ]
    return json.dumps({"filters": {"conjunction": "and", "items": items}, "ordering": ["tasks:id"]})


def _shape(text: str) -> str:
    """What an answer that is not JSON looks like, in words."""
    start = text.lstrip()[:200].lower()
    if not start:
        return "an empty page"
    return "an HTML page" if start.startswith(("<!doctype", "<html", "<")) else f"{len(text)} characters"


def _said(detail: object) -> str:
    """The server's own words of a refusal, short."""
    if isinstance(detail, dict):
        for name in ("validation_errors", "detail", "error"):
            if detail.get(name):
                return _said(detail[name])
        return json.dumps(detail, ensure_ascii=False)[:300]
    return (detail if isinstance(detail, str) else json.dumps(detail, ensure_ascii=False))[:300]
