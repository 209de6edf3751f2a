"""A Git repository at one commit, read from its objects: no work tree, no hooks, no filters, nothing is run."""

from __future__ import annotations

import hashlib
import io
import stat
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from pincite.errors import DownloadFailed, MissingSource, SourceError, UsageError
from pincite.ports import Entry, Fetched, Refusal
from pincite.sources.classify import LFS
from pincite.sources.connectors.paths import unsafe

if TYPE_CHECKING:
    from dulwich.repo import Repo


class Repository:
    """Implements ``SourceConnector``. A file's version is its blob's id, so an unchanged one is never read again.

    ``git+https://host/repository@ref#folder``: *ref* a commit, tag or branch (default: the branch the repository names),
    *folder* the part that is wanted. A remote repository is copied once into *cache* and fetched again where the ref moved;
    without *keep* the copy is gone when it is closed.
    """

    def __init__(self, uri: str, cache: Path | None = None, keep: bool = True) -> None:
        self.uri = uri
        split = urlsplit(uri.removeprefix("git+"))
        path, _, self.ref = split.path.rpartition("@") if "@" in split.path else (split.path, "", "")
        self.folder = unquote(split.fragment).strip("/")
        self._cache = cache
        self._passing = None if keep else TemporaryDirectory(prefix="pincite-", ignore_cleanup_errors=True)
        self._local = Path(unquote(path)) if split.scheme == "file" else None
        self._url = split._replace(path=path, fragment="").geturl()
        self._blobs: dict[str, bytes] = {}
        self._opened: Repo | None = None

    @property
    def commit(self) -> str:
        """The commit the ref stands for, 40 hexadecimal digits."""
        return str(self._commit(self._repo()).id.decode())

    def entries(self) -> Iterator[Entry | Refusal]:
        """Every file of the commit's tree below the folder."""
        from dulwich.object_store import iter_tree_contents

        repo = self._repo()
        prefix = f"{self.folder}/" if self.folder else ""
        found = False
        for entry in iter_tree_contents(repo.object_store, self._commit(repo).tree):
            path = entry.path.decode("utf-8", "surrogateescape")
            if path.startswith(prefix):
                found = True
                yield self._entry(repo, path[len(prefix) :], entry)
        if prefix and not found:
            raise MissingSource(f"the commit has no folder {self.folder!r}", where=self.uri, next="correct the part after '#'")

    def _entry(self, repo: Repo, path: str, entry: Any) -> Entry | Refusal:
        if stat.S_ISLNK(entry.mode):
            return Refusal(path, "it is a symbolic link")
        if not stat.S_ISREG(entry.mode):
            return Refusal(path, "it is another repository (a submodule)")
        reason = unsafe(path)
        if reason:
            return Refusal(path, reason)
        self._blobs[path] = entry.sha
        return Entry(path, None, entry.sha.decode())

    def fetch(self, path: str, known: str = "", largest: int = 1 << 30) -> Fetched | None:
        """As the protocol says. A pointer to large-file storage is refused: its bytes are not in the repository."""
        if not self._blobs:
            list(self.entries())
        blob = self._blobs.get(path)
        where = f"{self.uri}: {path}"
        if blob is None:
            raise MissingSource("the commit has no such file", where=where)
        if known == blob.decode():
            return None
        data: bytes = self._repo()[blob].as_raw_string()
        if len(data) > largest:
            raise SourceError(f"the file is larger than the {largest} bytes allowed", where=where, next="raise the limit")
        if data.startswith(LFS.encode()):
            raise SourceError(
                "it is a pointer to Git large-file storage, not the file", where=where, next="fetch it with git lfs"
            )
        return Fetched(data, blob.decode())

    def close(self) -> None:
        """Close the repository's packs; a copy that is not kept is removed."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None
        if self._passing is not None:
            self._passing.cleanup()

    def _commit(self, repo: Repo) -> Any:
        from dulwich.objectspec import parse_commit

        try:
            return parse_commit(repo, self.ref or "HEAD")
        except (KeyError, ValueError) as error:
            raise MissingSource(
                f"there is no commit {self.ref or 'HEAD'!r}", where=self.uri, next="name an existing one"
            ) from error

    def _repo(self) -> Repo:
        if self._opened is None:
            self._opened = self._open(self._local) if self._local else self._copied()
        return self._opened

    def _open(self, path: Path) -> Repo:
        from dulwich.errors import NotGitRepository
        from dulwich.repo import Repo

        try:
            return Repo(str(path))
        except NotGitRepository as error:
            raise MissingSource("there is no Git repository", where=str(path), next="name one that exists") from error

    def _copied(self) -> Repo:
        """The bare copy of a remote repository, brought up to date unless it already holds the commit that is named."""
        from pincite.index.models import cache_folder

        name = hashlib.sha256(self._url.encode()).hexdigest()[:32]
        path = Path(self._passing.name if self._passing else self._cache or cache_folder() / "repositories") / name
        if (path / "HEAD").exists():
            repo = self._open(path)
            objects: Any = repo.object_store
            if len(self.ref) != 40 or self.ref.encode() not in objects:
                self._reach(lambda porcelain: _update(porcelain, repo, self._url))
            return repo
        path.parent.mkdir(parents=True, exist_ok=True)
        self._reach(lambda porcelain: porcelain.clone(self._url, str(path), bare=True, errstream=io.BytesIO()).close())
        return self._open(path)

    def _reach(self, act: Any) -> None:
        """Do what *act* does with dulwich's porcelain; what goes wrong on the way as one of our errors."""
        from dulwich import porcelain
        from dulwich.client import HTTPUnauthorized
        from dulwich.errors import GitProtocolError, NotGitRepository
        from urllib3.exceptions import HTTPError

        try:
            act(porcelain)
        except NotGitRepository as error:
            raise MissingSource("there is no Git repository at this address", where=self._url, next="correct it") from error
        except HTTPUnauthorized as error:
            raise DownloadFailed("the repository wants a login", where=self._url, next="clone it and name the copy") from error
        except (GitProtocolError, HTTPError, OSError) as error:
            raise DownloadFailed(f"the repository cannot be read ({error})", where=self._url, next="try later") from error
        except ValueError as error:
            raise UsageError(f"the address is not one of a Git repository ({error})", where=self.uri) from error


def _update(porcelain: Any, repo: Any, url: str) -> None:
    """Every ref as it is there now, in the bare copy."""
    result = porcelain.fetch(repo, url, errstream=io.BytesIO(), outstream=io.BytesIO())
    for name, commit in result.refs.items():
        if name != b"HEAD" and commit is not None and not name.endswith(b"^{}"):
            repo.refs[name] = commit
