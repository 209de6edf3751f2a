"""Fetch one published file: bounded in time and size, retried with back-off, with a progress bar on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from pincite import __version__
from pincite.errors import DownloadFailed
from pincite.model import Source
from pincite.ports import Fetched

if TYPE_CHECKING:
    import httpx

ATTEMPTS = 4
TIMEOUT_SECONDS = 30.0
LARGEST = 1 << 30
"""No published part or manual is near 1 GiB; more than this is a mistake or an attack."""

RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
LONGEST_WAIT = 60.0


def stream(
    source: Source,
    transport: httpx.BaseTransport | None = None,
    sleep: Callable[[float], None] = time.sleep,
    largest: int | None = None,
) -> Generator[bytes, None, None]:
    """The body of ``source.uri`` in one piece, complete or not at all: an attempt that breaks off is begun again.

    At most *largest* bytes are held (default: the pinned size plus one, so that a longer file is caught at once).
    """
    cap = largest if largest is not None else source.source_bytes + 1
    yield fetch(source.uri, min(cap, LARGEST), transport, sleep)


def fetch(
    uri: str, largest: int, transport: httpx.BaseTransport | None = None, sleep: Callable[[float], None] = time.sleep
) -> bytes:
    """All bytes at *uri*, up to *largest*; ``DownloadFailed`` after the last attempt, or at once for a refusal."""
    with web_client(transport) as client:
        fetched = fetch_if_changed(uri, "", largest, client, sleep)
    if fetched is None:
        raise _failed(uri, "the publisher answered HTTP 304 to an unconditional request")
    return fetched.data


def web_client(transport: httpx.BaseTransport | None = None) -> httpx.Client:
    """A client that follows redirects and waits no longer than ``TIMEOUT_SECONDS``; for the caller to close."""
    import httpx

    headers = {"User-Agent": f"pincite/{__version__}"}
    return httpx.Client(timeout=TIMEOUT_SECONDS, follow_redirects=True, transport=transport, headers=headers)


def fetch_if_changed(
    uri: str, known: str, largest: int, client: httpx.Client, sleep: Callable[[float], None] = time.sleep
) -> Fetched | None:
    """The same with the version the server gives; None where the file still is at version *known*.

    A version is ``etag:…`` or ``date:…``, as the server named it, or "" where it names none.
    """
    import httpx

    reason = ""
    for attempt in range(ATTEMPTS):
        if attempt:
            sleep(_wait(attempt, reason))
        try:
            with client.stream("GET", uri, headers=_condition(known)) as response:
                if response.status_code in RETRIED:
                    reason = f"HTTP {response.status_code}, retry-after={response.headers.get('retry-after', '')}"
                    continue
                if response.status_code == 304 and known:
                    return None
                if response.is_error:
                    raise _failed(uri, f"the publisher answered HTTP {response.status_code}")
                return Fetched(_body(uri, response, largest), _version(response))
        except httpx.HTTPError as error:
            reason = f"{type(error).__name__}: {error}"
        except httpx.InvalidURL as error:
            raise _failed(uri, f"the address is not valid ({error})") from error
    raise _failed(uri, f"no complete answer in {ATTEMPTS} attempts ({reason})")


def _condition(known: str) -> dict[str, str]:
    """The header that asks for a body only if the file is no longer at version *known*."""
    kind, _, value = known.partition(":")
    name = {"etag": "If-None-Match", "date": "If-Modified-Since"}.get(kind)
    return {name: value} if name and value.isascii() and value.isprintable() else {}


def _version(response: httpx.Response) -> str:
    etag, date = response.headers.get("etag", ""), response.headers.get("last-modified", "")
    return f"etag:{etag}" if etag else f"date:{date}" if date else ""


def _body(uri: str, response: httpx.Response, largest: int) -> bytes:
    from tqdm import tqdm

    total = int(response.headers["content-length"]) if response.headers.get("content-length", "").isdigit() else None
    body = bytearray()
    with tqdm(total=total, unit="B", unit_scale=True, desc=uri[-40:], disable=not sys.stderr.isatty()) as bar:
        for piece in response.iter_bytes():
            body += piece
            bar.update(len(piece))
            if len(body) > largest:
                raise _failed(uri, f"the answer is longer than the {largest} bytes allowed")
    return bytes(body)


def _wait(attempt: int, reason: str) -> float:
    """Seconds before the next attempt: what the server asked for, else 1, 2, 4; never more than a minute."""
    _, _, asked = reason.partition("retry-after=")
    if asked.isdigit():
        return min(float(asked), LONGEST_WAIT)
    return float(2 ** (attempt - 1))


def _failed(uri: str, what: str) -> DownloadFailed:
    return DownloadFailed(what, where=uri, next="try later, or put the file into the folder named by PINCITE_MIRROR")
