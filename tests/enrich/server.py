"""A chat endpoint on loopback that can misbehave in the ways real ones do."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ChatServer:
    """``script`` holds one behaviour a request, the last one repeated; ``seen`` the bodies and headers of the requests."""

    def __init__(self, *script: str, answer: Callable[[str], str] = lambda said: "an answer") -> None:
        self.script, self.answer, self.seen = list(script) or ["ok"], answer, list[dict[str, Any]]()
        self.more: dict[str, Any] = {}  # put beside the choices
        self.at_once = self.most_at_once = 0
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def do_POST(self) -> None:
                server.handle(self)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> ChatServer:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        body = json.loads(request.rfile.read(int(request.headers["content-length"])))
        with self._lock:
            self.seen.append({"path": request.path, "headers": dict(request.headers), "body": body})
            how = self.script.pop(0) if len(self.script) > 1 else self.script[0]
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            self._behave(request, how, body)
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            with self._lock:
                self.at_once -= 1

    def _behave(self, request: BaseHTTPRequestHandler, how: str, body: dict[str, Any]) -> None:
        if how == "ok":
            text = self.answer(body["messages"][-1]["content"])
            return _send(
                request,
                200,
                json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}], **self.more}).encode(),
            )
        if how == "slow":
            time.sleep(0.05)
            return self._behave(request, "ok", body)
        if how.isdigit():
            return _send(request, int(how), b'{"error": "no"}', {"Retry-After": "7"} if how == "429" else {})
        if how == "garbage":
            return _send(request, 200, b"\xff\x00<html>" * 5)
        if how == "wrong":
            return _send(request, 200, b'{"choices": []}')
        if how == "nested":
            return _send(request, 200, b"[" * 200_000)
        if how == "redirect":
            return _send(request, 307, b"", {"Location": "http://127.0.0.1:9/steal"})
        return self._break(request, how)

    def _break(self, request: BaseHTTPRequestHandler, how: str) -> None:
        if how == "drop":
            request.close_connection = True
            request.connection.close()
        elif how == "cut":
            request.send_response(200)
            request.send_header("Content-Length", "100000")
            request.end_headers()
            request.wfile.write(b'{"choices"')
            request.close_connection = True
        elif how in ("endless", "drip"):
            request.send_response(200)
            request.end_headers()
            for _ in range(4000):
                request.wfile.write(b"x" * (1000 if how == "endless" else 1))
                request.wfile.flush()
                time.sleep(0 if how == "endless" else 0.02)
        elif how == "hang":
            time.sleep(1.5)


def _send(request: BaseHTTPRequestHandler, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
    request.send_response(status)
    for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(data)
