"""One published file, or a listing page of files, over HTTP(S), asked with conditional requests."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit

from pincite.errors import DownloadFailed
from pincite.ports import Entry, Fetched, Refusal
from pincite.sources.connectors.paths import unsafe
from pincite.sources.download import fetch_if_changed, web_client

if TYPE_CHECKING:
    import httpx

LISTING_BYTES, LISTING_DEPTH, LISTINGS = 8 << 20, 4, 1000


class Web:
    """Implements ``SourceConnector``. A file's version is its ETag, else its Last-Modified; a listing's links are not followed
    out of the listing.

    An address that ends with ``/`` is a listing: the links on its page that lie below it are its files and folders.
    """

    def __init__(self, uri: str, transport: httpx.BaseTransport | None = None) -> None:
        self.uri, self._transport = uri, transport
        self._client: httpx.Client | None = None
        self._listing = urlsplit(uri).path.endswith("/")

    def entries(self) -> Iterator[Entry | Refusal]:
        """The file, or every file that the listing and those below it link to."""
        if not self._listing:
            name = unquote(urlsplit(self.uri).path.rpartition("/")[2]) or "index.html"
            yield Entry(name, None, "")
            return
        yield from sorted(self._listed(), key=lambda each: each.path)

    def _listed(self) -> Iterator[Entry | Refusal]:
        waiting, seen = [(self.uri, 0)], {self.uri}
        while waiting:
            page, depth = waiting.pop()
            for link in self._links(page):
                if link in seen:
                    continue
                seen.add(link)
                path = unquote(link[len(self.uri) :])
                if not link.endswith("/"):
                    reason = unsafe(path)
                    yield Refusal(path, reason) if reason else Entry(path, None, "")
                elif depth + 1 >= LISTING_DEPTH or len(seen) > 100 * LISTINGS:
                    yield Refusal(path, f"it is a listing more than {LISTING_DEPTH} deep")
                else:
                    waiting.append((link, depth + 1))

    def _links(self, page: str) -> Iterator[str]:
        """The addresses below the connector's own that a page links to, without query and fragment."""
        got = fetch_if_changed(page, "", LISTING_BYTES, self._opened())
        assert got is not None  # nothing was known, so the answer has a body
        links = _Links()
        links.feed(got.data.decode("utf-8", "replace"))
        for href in links.found:
            try:
                link = urlsplit(urljoin(page, href))
            except ValueError:
                continue
            if not link.query:
                plain = link._replace(fragment="").geturl()
                if plain.startswith(self.uri) and plain != page:
                    yield plain

    def fetch(self, path: str, known: str = "", largest: int = 1 << 30) -> Fetched | None:
        """As the protocol says."""
        if not self._listing:
            return fetch_if_changed(self.uri, known, largest, self._opened())
        reason = unsafe(path)
        if reason:
            raise DownloadFailed(reason, where=f"{self.uri}{path}")
        return fetch_if_changed(self.uri + quote(path), known, largest, self._opened())

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _opened(self) -> httpx.Client:
        if self._client is None:
            self._client = web_client(self._transport)
        return self._client


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found += [value for name, value in attrs if name == "href" and value]
