"""Where sources come from. ``connect(uri)`` gives the connector of an address; ``bring`` lands what it offers in a folder.

| address | connector |
|---|---|
| a folder, ``file:///folder`` | ``folder`` |
| ``archive.zip`` | ``archive`` |
| ``https://host/file``, ``https://host/listing/`` | ``web`` |
| ``s3://``, ``abfs://``, ``gs://`` and what else fsspec knows | ``store`` |
| ``git+https://host/repository@commit#folder``, ``git+file:///…`` | ``repository`` |
| ``/Volumes/catalog/schema/volume`` | ``volume`` |
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from pincite.errors import MissingSource, UsageError
from pincite.ports import SourceConnector

WEB = ("http", "https")


def connect(uri: str, *, keep: bool = True) -> SourceConnector:
    """The connector of an address. Nothing is contacted yet; ``UsageError`` for an address of no known kind.

    Without *keep* nothing stays in the cache when it is closed, as a dry run promises.

    >>> type(connect("https://example.org/rules.pdf")).__name__
    'Web'
    """
    scheme = uri.partition("://")[0] if "://" in uri else ""
    if scheme.startswith("git+"):
        from pincite.sources.connectors.repository import Repository

        return Repository(uri, keep=keep)
    if scheme in WEB:
        from pincite.sources.connectors.web import Web

        return Web(uri)
    if uri.startswith("/Volumes/") and not Path(uri).exists():
        from pincite.sources.connectors.volume import Volume

        return Volume(uri)
    if scheme in ("", "file"):
        return _local(Path(unquote(urlsplit(uri).path)) if scheme else Path(uri))
    from pincite.sources.connectors.store import Store, known

    if not known(scheme):
        raise UsageError(f"addresses of the kind {scheme}:// are not known", where=uri, next="see 'pincite bring --help'")
    return Store(uri)


def _local(path: Path) -> SourceConnector:
    from pincite.sources.connectors.archive import Archive
    from pincite.sources.connectors.folder import Folder

    if path.is_dir():
        return Folder(path)
    if not path.exists():
        raise MissingSource("there is no such folder or file", where=str(path), next="name one that exists")
    if path.suffix.lower() == ".zip":
        return Archive(path)
    raise UsageError("this is a file and not a folder", where=str(path), next="name its folder, or a .zip archive")
