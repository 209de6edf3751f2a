"""A workspace on loopback, for tests: the routes that the CLI, the SDK, the Vector Search client and MLflow call.

    with Workspace(folder) as workspace:
        client = WorkspaceClient(host=workspace.url, token=workspace.token)

It keeps files, Unity Catalog objects, experiments, dashboards and permissions in memory and in *folder*; ``routes_jobs`` runs
a job's wheel tasks, each in a fresh interpreter, against the embedded engine, and ``routes_search`` indexes the Delta tables
those tasks write. It can fail on purpose: ``fail`` (a status, a dropped connection, a delay), ``deny`` (403 on an object) and
``expire`` (a token that ends).
"""

from __future__ import annotations

import base64
import json
import re
import socket
import sys
import threading
import time
import urllib.parse
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

USER = "someone@example.com"
WORKSPACE_ID = "4242424242424242"
REQUEST_INFO = "type.googleapis.com/google.rpc.RequestInfo"


_CODES = {
    400: "BAD_REQUEST",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "RESOURCE_DOES_NOT_EXIST",
    429: "REQUEST_LIMIT_EXCEEDED",
    503: "TEMPORARILY_UNAVAILABLE",
}
"""What the platform calls a failure: its clients decide by this, and not by the status, whether it passes."""


class Refused(Exception):
    """An answer other than 200."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        self.status, self.code, self.headers = status, code, dict(headers or {})
        super().__init__(message)


def missing(what: str) -> Refused:
    return Refused(404, "RESOURCE_DOES_NOT_EXIST", f"{what} does not exist")


@dataclass
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        return json.loads(self.raw) if self.raw.strip() else {}


@dataclass
class Raw:
    """An answer that is not JSON."""

    content: bytes
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200


@dataclass
class Fault:
    """The next *times* requests of this kind fail: with a status, by a dropped connection (status 0), or late."""

    method: str
    path: re.Pattern[str]
    status: int
    times: int
    headers: dict[str, str]
    delay: float
    message: str
    after: bool = False  # it is carried out, and only its answer is lost


Route = Callable[["Workspace", Request, "re.Match[str]"], Any]
ROUTES: list[tuple[str, re.Pattern[str], Route]] = []


def route(methods: str, pattern: str) -> Callable[[Route], Route]:
    """Register a function for one or more methods (``"GET|POST"``) on a path pattern."""

    def register(function: Route) -> Route:
        ROUTES.extend((method, re.compile(pattern + "$"), function) for method in methods.split("|"))
        return function

    return register


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no news; anything else is."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Workspace:
    """The state of the workspace and its server. Every table of state is a plain dict, open to the tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.RLock()
        self.token = "loopback-" + uuid.uuid4().hex
        self.tokens: dict[str, float] = {self.token: float("inf")}  # token -> when it ends
        self.clients: dict[str, str] = {}  # service principals: client id -> secret
        self.token_seconds = 3600.0
        self.faults: list[Fault] = []
        self.denied: list[tuple[str, re.Pattern[str]]] = []
        self.requests: list[tuple[str, str]] = []
        self.acts: list[tuple[str, re.Pattern[str], Callable[[], object]]] = []
        self.state: dict[str, dict[str, Any]] = {}
        self.closing: list[Callable[[], None]] = []
        self.sleep_for_sync = 0.0
        (folder / "Workspace").mkdir(parents=True, exist_ok=True)
        (folder / "Volumes").mkdir(exist_ok=True)
        self.server = _Server(("127.0.0.1", 0), _handler(self))
        self.server.daemon_threads = True

    # --- life

    def __enter__(self) -> Workspace:
        import routes_catalog  # noqa: F401 - they register their routes
        import routes_files  # noqa: F401
        import routes_jobs  # noqa: F401
        import routes_mlflow  # noqa: F401
        import routes_search  # noqa: F401

        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for close in reversed(self.closing):
            close()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(5)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def table(self, kind: str) -> dict[str, Any]:
        """A named part of the state, made at its first use."""
        return self.state.setdefault(kind, {})

    def called(self, method: str, pattern: str) -> int:
        """How often a request was made."""
        return sum(1 for m, p in self.requests if m == method and re.search(pattern, p))

    def at_next(self, method: str, pattern: str, act: Callable[[], object]) -> None:
        """Do something when the next matching request has come, before it is carried out: its sender is still waiting."""
        self.acts.append((method, re.compile(pattern), act))

    # --- failing on purpose

    def fail(
        self,
        method: str,
        pattern: str,
        *,
        status: int = 500,
        times: int = 1,
        headers: dict[str, str] | None = None,
        delay: float = 0.0,
        message: str = "injected",
        after: bool = False,
    ) -> None:
        """The next *times* matching requests fail; status 0 drops the connection, status 200 only delays.

        With *after* the request is carried out before its answer is lost.
        """
        self.faults.append(Fault(method, re.compile(pattern), status, times, headers or {}, delay, message, after))

    def deny(self, method: str, pattern: str) -> None:
        """403 for a kind of request, until ``allow_all``; ``SQL`` for statements, reads and writes of tables."""
        self.denied.append((method, re.compile(pattern)))

    def allow_all(self) -> None:
        self.denied.clear()
        self.faults.clear()

    def expire(self) -> None:
        """Every token ends now; service principals may fetch new ones."""
        for token in self.tokens:
            self.tokens[token] = 0.0

    def issue_token(self, seconds: float) -> str:
        token = "issued-" + uuid.uuid4().hex
        self.tokens[token] = time.time() + seconds
        return token

    # --- answering

    def answer(self, request: Request) -> Any:
        """The answer to one request; raises ``Refused``."""
        self.requests.append((request.method, request.path))
        self._act(request)
        self._inject(request, after=False)
        answer = self._carried_out(request)
        self._inject(request, after=True)
        return answer

    def _carried_out(self, request: Request) -> Any:
        for method, pattern, function in OPEN_ROUTES:
            if method == request.method and (match := pattern.match(request.path)):
                return function(self, request, match)
        self._authenticate(request)
        for method, pattern in self.denied:
            if method == request.method and pattern.search(request.path):
                raise Refused(403, "PERMISSION_DENIED", f"User does not have the required privilege on {request.path}")
        for method, pattern, function in ROUTES:
            if method == request.method and (match := pattern.match(request.path)):
                return function(self, request, match)
        raise Refused(404, "ENDPOINT_NOT_FOUND", f"No API found for '{request.method} {request.path}'")

    def _act(self, request: Request) -> None:
        for planned in self.acts:
            if planned[0] == request.method and planned[1].search(request.path):
                self.acts.remove(planned)
                planned[2]()
                return

    def _inject(self, request: Request, after: bool) -> None:
        for fault in self.faults:
            if fault.times and fault.after == after and fault.method == request.method and fault.path.search(request.path):
                fault.times -= 1
                time.sleep(fault.delay)
                if fault.status == 0:
                    raise ConnectionAbortedError
                if fault.status != 200:
                    raise Refused(fault.status, _CODES.get(fault.status, "INTERNAL_ERROR"), fault.message, fault.headers)
                return

    def _authenticate(self, request: Request) -> None:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token not in self.tokens:
            raise Refused(401, "UNAUTHENTICATED", "Credential was not sent or was of an unsupported type")
        if self.tokens[token] <= time.time():
            raise Refused(401, "UNAUTHENTICATED", "The token has expired")


def _discovery(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    return {"oidc_endpoint": f"{workspace.url}/oidc", "workspace_id": WORKSPACE_ID}


def _oidc(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    return {
        "authorization_endpoint": f"{workspace.url}/oidc/v1/authorize",
        "token_endpoint": f"{workspace.url}/oidc/v1/token",
    }


def _issue(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    name, _, secret = base64.b64decode(request.headers.get("Authorization", "").removeprefix("Basic ")).decode().partition(":")
    if workspace.clients.get(name) != secret or not secret:
        raise Refused(401, "invalid_client", "Client authentication failed")
    return {
        "access_token": workspace.issue_token(workspace.token_seconds),
        "token_type": "Bearer",
        "expires_in": int(workspace.token_seconds),
    }


OPEN_ROUTES: list[tuple[str, re.Pattern[str], Route]] = [
    ("GET", re.compile(r"/\.well-known/databricks-config$"), _discovery),
    ("GET", re.compile(r"/oidc/\.well-known/oauth-authorization-server$"), _oidc),
    ("POST", re.compile(r"/oidc/v1/token$"), _issue),
]


@route("GET", r"/api/2\.0/preview/scim/v2/Me")
def me(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    return {"id": "77", "userName": USER, "displayName": "Someone", "active": True}


@route("POST", r"/telemetry-ext")
def telemetry(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    return {"errors": [], "numProtoSuccess": 1}


# --- the server -----------------------------------------------------------------------------------------------------


def _handler(workspace: Workspace) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # headers and body in one packet: else each answer waits for a delayed acknowledgement
        disable_nagle_algorithm = True

        def _serve(self) -> None:
            raw = self._body()
            split = urllib.parse.urlsplit(self.path)
            query = {k: v[-1] for k, v in urllib.parse.parse_qs(split.query, keep_blank_values=True).items()}
            request = Request(self.command, urllib.parse.unquote(split.path), query, self.headers, raw)
            try:
                with workspace.lock if not _slow(request) else _Nothing():
                    answer = workspace.answer(request)
                self._send(200, answer)
            except Refused as refused:
                self._refuse(refused)
            except ConnectionAbortedError:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)

        def _body(self) -> bytes:
            """Of a known length, or in chunks: so the CLI sends the files of volumes."""
            if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            pieces = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(pieces)

        def _send(self, status: int, answer: Any, headers: Mapping[str, str] | None = None) -> None:
            raw = answer if isinstance(answer, Raw) else Raw(json.dumps(answer or {}).encode(), {}, status)
            self.send_response(raw.status)
            self.send_header("Content-Type", raw.headers.pop("Content-Type", "application/json"))
            if "Content-Length" not in raw.headers:
                self.send_header("Content-Length", str(len(raw.content)))
            self.send_header("X-Databricks-Org-Id", WORKSPACE_ID)
            for name, value in {**raw.headers, **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(raw.content)

        def _refuse(self, refused: Refused) -> None:
            number = str(uuid.uuid4())
            body = {
                "error_code": refused.code,
                "message": str(refused),
                "details": [{"@type": REQUEST_INFO, "request_id": number, "serving_data": ""}],
            }
            self._send(
                refused.status, Raw(json.dumps(body).encode(), {}, refused.status), {**refused.headers, "x-request-id": number}
            )

        def log_message(self, *_: object) -> None:
            pass

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _serve

    return Handler


def _slow(request: Request) -> bool:
    """Requests that read tables or wait must not hold the lock."""
    return request.path.endswith(("/query", "/sync", "/scan", "/invocations"))


class _Nothing:
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...
