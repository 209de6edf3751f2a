"""Any OpenAI-compatible chat endpoint over HTTP: bounded in time and size, tried again with growing pauses."""

from __future__ import annotations

import ipaddress
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pincite import __version__
from pincite.errors import PlatformError, UsageError
from pincite.ports import Completion

if TYPE_CHECKING:
    import httpx

KEY_VARIABLE = "PINCITE_LLM_KEY"
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
ATTEMPTS, FIRST_PAUSE, LONGEST_PAUSE = 4, 1.0, 60.0
TIMEOUT, WHOLE_TIMEOUT = 30.0, 120.0  # seconds without a byte, and for a whole reply
LARGEST = 1_000_000  # bytes of a reply
MAX_TOKENS = 1024


class HttpChat:
    """Implements ``LLMClient`` with ``POST BASE_URL/chat/completions`` and temperature 0.

    The key comes from the environment only (``PINCITE_LLM_KEY``) and is sent to https and to this machine alone.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        timeout: float = TIMEOUT,
        whole_timeout: float = WHOLE_TIMEOUT,
        attempts: int = ATTEMPTS,
        max_tokens: int = MAX_TOKENS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
            raise UsageError(f"{base_url!r} is no endpoint", next="give http(s)://HOST/v1, the key in " + KEY_VARIABLE)
        self.name = f"openai/{model}"
        self._url, self._model, self._max_tokens = base_url.rstrip("/") + "/chat/completions", model, max_tokens
        self._timeout, self._whole, self._attempts, self._sleep = timeout, whole_timeout, attempts, sleep
        self._headers = {
            "User-Agent": f"pincite/{__version__}",
            "Content-Type": "application/json",
            **_authorization(parts.scheme, parts.hostname),
        }

    def complete(self, system: str, messages: Iterable[Mapping[str, str]]) -> str:
        """The reply's text; ``PlatformError`` after the last attempt, or at once for a refusal."""
        said = [{"role": "system", "content": system}, *({"role": m["role"], "content": m["content"]} for m in messages)]
        body = {"model": self._model, "messages": said, "temperature": 0, "max_tokens": self._max_tokens}
        for attempt in range(1, self._attempts + 1):
            try:
                return self._once(body)
            except _Passing as error:
                if attempt == self._attempts:
                    raise self._failed(f"no reply in {attempt} attempts ({error.reason})", error.status) from error
                self._sleep(min(error.asked or FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE))
        raise AssertionError("unreachable")

    def _once(self, body: Mapping[str, Any]) -> str:
        import httpx

        data = json.dumps(body).encode()  # escaped: a lone surrogate in a source is no UTF-8
        try:
            with (
                httpx.Client(timeout=self._timeout, headers=self._headers, follow_redirects=False) as client,
                client.stream("POST", self._url, content=data) as response,
            ):
                if response.status_code in PASSING:
                    raise _Passing(f"HTTP {response.status_code}", response.status_code, _asked(response))
                if response.status_code != 200:
                    raise self._failed(f"the endpoint answered HTTP {response.status_code}", response.status_code)
                reply = self._body(response)
        except httpx.HTTPError as error:
            raise _Passing(f"{type(error).__name__}: {error}", 0, 0.0) from error
        return self._text(reply)

    def _body(self, response: httpx.Response) -> bytes:
        data, started = bytearray(), time.monotonic()
        for piece in response.iter_bytes():
            data += piece
            if len(data) > LARGEST:
                raise self._failed(f"the reply is longer than {LARGEST} bytes", response.status_code)
            if time.monotonic() - started > self._whole:
                raise _Passing(f"the reply took longer than {self._whole:.0f} s", 0, 0.0)
        return bytes(data)

    def _text(self, data: bytes) -> str:
        try:
            reply = json.loads(data)
            content = reply["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise self._failed("the reply is no chat completion", 200) from error
        if not isinstance(content, str):
            raise self._failed("the reply has no text", 200)
        usage = reply.get("usage")
        took = usage if isinstance(usage, dict) else {}
        return Completion(content, took.get("prompt_tokens"), took.get("completion_tokens"))

    def _failed(self, what: str, status: int) -> PlatformError:
        next_ = f"check the key in {KEY_VARIABLE}" if status in (401, 403) else "check the endpoint and the model's name"
        return PlatformError(what, where=self._url, next=next_, status=status)


class _Passing(Exception):
    """A failure that may pass by itself. ``asked``: seconds the server wants us to wait, 0 where it does not say."""

    def __init__(self, reason: str, status: int, asked: float) -> None:
        super().__init__(reason)
        self.reason, self.status, self.asked = reason, status, asked


def _asked(response: httpx.Response) -> float:
    """What ``Retry-After`` says, in seconds or as a date."""
    from email.utils import parsedate_to_datetime

    value = response.headers.get("retry-after", "")
    if value.isascii() and value.isdigit():
        return float(value[:6])
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError):
        return 0.0


def _authorization(scheme: str, host: str) -> dict[str, str]:
    key = os.environ.get(KEY_VARIABLE, "")
    if not key:
        return {}
    if not key.isascii() or not key.isprintable():
        raise UsageError(f"the key in {KEY_VARIABLE} has characters no key has", next="set it again")
    if scheme != "https" and not _is_here(host):
        raise UsageError("a key is not sent without encryption", where=host, next=f"use https, or unset {KEY_VARIABLE}")
    return {"Authorization": f"Bearer {key}"}


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
