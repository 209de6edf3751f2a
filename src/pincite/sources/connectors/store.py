"""Object stores by fsspec: S3 and what speaks it, Azure (ABFS), Google Cloud Storage."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from pincite.errors import DownloadFailed, MissingSource, SourceError, UsageError
from pincite.ports import Entry, Fetched, Refusal
from pincite.sources.connectors.paths import unsafe

PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "abfs": "adlfs", "abfss": "adlfs", "az": "adlfs", "gs": "gcsfs", "gcs": "gcsfs"}
_VERSION = ("ETag", "etag", "md5Hash", "content_settings", "LastModified", "last_modified", "updated", "mtime", "created")
_CLIENTS = {
    "botocore.exceptions": ("BotoCoreError", "ClientError"),
    "azure.core.exceptions": ("AzureError",),
    "gcsfs.retry": ("HttpError",),
    "google.auth.exceptions": ("GoogleAuthError",),
    "aiohttp.client_exceptions": ("ClientError",),
}


def known(scheme: str) -> bool:
    """Whether fsspec has an implementation of this kind of address, installed or not."""
    from fsspec.registry import known_implementations, registry

    return scheme in known_implementations or scheme in registry


class Store:
    """Implements ``SourceConnector``. A file's version is the store's own (ETag, MD5), else its time and size.

    Credentials come from where the store's own client looks for them (environment, profile, instance), never from an address.
    *options* go to fsspec, e.g. ``{"endpoint_url": …}`` for a store that speaks S3.
    """

    def __init__(self, uri: str, options: Mapping[str, Any] | None = None) -> None:
        self.uri, self._options = uri.rstrip("/"), dict(options or {})
        self._fs: Any = None
        self._root = ""

    def entries(self) -> Iterator[Entry | Refusal]:
        """Every object below the address."""
        fs = self._opened()
        found = self._asked(lambda: fs.find(self._root, detail=True), self.uri)
        if not found and not self._asked(lambda: fs.exists(self._root), self.uri):
            raise MissingSource("there is nothing at this address", where=self.uri, next="check bucket and folder")
        for full, info in sorted(found.items()):
            path = full[len(self._root) :].lstrip("/") or full.rpartition("/")[2]
            reason = unsafe(path)
            yield Refusal(path, reason) if reason else Entry(path, info.get("size"), _version(info))

    def fetch(self, path: str, known: str = "", largest: int = 1 << 30) -> Fetched | None:
        """As the protocol says."""
        fs, full = self._opened(), f"{self._root}/{path}"
        info = self._asked(lambda: fs.info(full), f"{self.uri}/{path}")
        version = _version(info)
        if known and known == version:
            return None
        if (info.get("size") or 0) > largest:
            raise SourceError(f"the object is larger than the {largest} bytes allowed", where=f"{self.uri}/{path}")
        return Fetched(self._asked(lambda: fs.cat_file(full), f"{self.uri}/{path}"), version)

    def close(self) -> None:
        """The client keeps its own sessions; nothing of ours is open."""

    def _opened(self) -> Any:
        if self._fs is None:
            from fsspec.core import url_to_fs

            scheme = self.uri.partition("://")[0]
            try:
                self._fs, self._root = self._asked(lambda: url_to_fs(self.uri, **self._options), self.uri)
            except ImportError as error:
                package = PACKAGES.get(scheme, "the package fsspec names")
                raise UsageError(f"{scheme}:// needs {package}", where=self.uri, next=f"pip install {package}") from error
            except (TypeError, ValueError) as error:  # of a client that wants more than an address
                raise UsageError(
                    f"this address opens nothing ({error})", where=self.uri, next="see 'pincite bring --help'"
                ) from error
            self._root = self._root.rstrip("/")
        return self._fs

    def _asked(self, ask: Any, where: str) -> Any:
        """What the store answers; every client's errors become ours here."""
        try:
            return ask()
        except FileNotFoundError as error:
            raise MissingSource("there is no such object or bucket", where=where, next="check the address") from error
        except PermissionError as error:
            raise DownloadFailed("the store refuses access", where=where, next="check credentials and rights") from error
        except _client_errors() as error:
            raise DownloadFailed(
                f"the store did not answer ({type(error).__name__}: {error})", where=where, next="try later"
            ) from error


def _client_errors() -> tuple[type[Exception], ...]:
    """The error types of the clients that are loaded."""
    loaded = [(sys.modules[module], names) for module, names in _CLIENTS.items() if module in sys.modules]
    return (OSError, *(getattr(module, name) for module, names in loaded for name in names))


def _version(info: Mapping[str, Any]) -> str:
    first = next((str(info[key]) for key in _VERSION if info.get(key)), "")
    return f"{first}-{info.get('size')}" if first else ""
