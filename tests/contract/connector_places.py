"""Places that files come from, each a real server on loopback or a real file, behind one small interface for the contract."""

from __future__ import annotations

import io
import shutil
import threading
import uuid
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from pincite.ports import SourceConnector
from pincite.sources.connectors import connect

AZURITE = shutil.which("azurite-blob")  # npm install -g azurite


class Place(NamedTuple):
    """A fresh connector of a place, and how to put a whole new state of files there."""

    connector: Callable[[], SourceConnector]
    put: Callable[[dict[str, bytes]], None]


class Files(NamedTuple):
    """What an HTTP server serves, what it was asked, and how it misbehaves: path -> statuses to answer first."""

    held: dict[str, bytes]
    asked: list[tuple[str, int]]
    failing: dict[str, list[int]]
    etags: list[bool]


@contextmanager
def http_files() -> Iterator[tuple[str, Files]]:
    """A file server with listings, ETags and conditional answers; its address and what it holds."""
    files = Files({}, [], {}, [True])

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = unquote(self.path.partition("?")[0]).removeprefix("/files/")
            status, headers, body = self.answer(path)
            files.asked.append((path, status))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
            if files.failing.get(path):
                return files.failing[path].pop(0), {"Retry-After": "0"}, b""
            if path in files.held:
                tag = f'"{sha256(files.held[path]).hexdigest()}"'
                if files.etags[0] and self.headers.get("If-None-Match") == tag:
                    return 304, {}, b""
                headers = {"ETag": tag} if files.etags[0] else {"Date": formatdate()}
                return 200, headers, files.held[path]
            below = {name[len(path) :].partition("/") for name in files.held if name.startswith(path)}
            if (path and not path.endswith("/")) or not below:
                return 404, {}, b""
            links = "".join(f'<a href="{quote(first + slash)}">{first}</a>' for first, slash, _ in sorted(below))
            outside = '<a href="../">up</a><a href="https://example.org/x">away</a><a href="?sort=name">sort</a>'
            return 200, {"Content-Type": "text/html"}, (outside + links).encode()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/files/", files
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def folder_place(tmp: Path) -> Iterator[Place]:
    root = tmp / "folder"

    def put(files: dict[str, bytes]) -> None:
        write_files(root, files)

    yield Place(lambda: connect(str(root)), put)


def write_files(root: Path, files: dict[str, bytes]) -> None:
    root.mkdir(exist_ok=True)
    for path in [each for each in root.rglob("*") if each.is_file()]:
        if path.relative_to(root).as_posix() not in files:
            path.unlink()
    for name, data in files.items():
        target = root / name
        if not target.exists() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


@contextmanager
def archive_place(tmp: Path) -> Iterator[Place]:
    path = tmp / "archive.zip"

    def put(files: dict[str, bytes]) -> None:
        path.write_bytes(zipped(files))

    yield Place(lambda: connect(str(path)), put)


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


@contextmanager
def web_place(tmp: Path) -> Iterator[Place]:
    with http_files() as (url, files):

        def put(new: dict[str, bytes]) -> None:
            files.held.clear()
            files.held.update(new)

        yield Place(lambda: connect(url), put)


@contextmanager
def s3_server() -> Iterator[str]:
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        server.stop()


@contextmanager
def store_place(tmp: Path) -> Iterator[Place]:
    import s3fs

    with s3_server() as endpoint:
        options = {"key": "test", "secret": "test", "client_kwargs": {"endpoint_url": endpoint, "region_name": "eu-west-1"}}
        yield _in_store("s3", s3fs.S3FileSystem, options)


@contextmanager
def google_place(tmp: Path) -> Iterator[Place]:
    """Google Cloud Storage by gcsfs, against an emulator in this process."""
    import os

    os.environ["GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT"] = "false"  # gRPC, which the emulator does not speak; read on import
    import gcsfs
    from gcp_storage_emulator import server as emulator

    server = emulator.create_server("127.0.0.1", 0, in_memory=True)
    server.start()
    try:
        host, port = server._api._httpd.server_address[:2]
        yield _in_store("gs", gcsfs.GCSFileSystem, {"token": "anon", "endpoint_url": f"http://{host}:{port}", "project": "p"})
    finally:
        server.stop()


@contextmanager
def azure_place(tmp: Path) -> Iterator[Place]:
    """Azure Blob Storage by adlfs, against Azurite (an npm package)."""
    import adlfs

    assert AZURITE is not None
    with _azurite(AZURITE, tmp) as port:
        account = f"DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey={_KEY_EVERYBODY_KNOWS}"
        options = {"connection_string": f"{account};BlobEndpoint=http://127.0.0.1:{port}/devstoreaccount1;"}
        yield _in_store("abfs", adlfs.AzureBlobFileSystem, options)


_KEY_EVERYBODY_KNOWS = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""Azurite's own, which is in its documentation."""


@contextmanager
def _azurite(program: str, tmp: Path) -> Iterator[int]:
    import re
    import subprocess

    command = [program, "--blobPort", "0", "--location", str(tmp / "azurite"), "--skipApiVersionCheck", "--disableTelemetry"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert running.stdout is not None
        told = next(found for line in running.stdout if (found := re.search(r"listens on http://127\.0\.0\.1:(\d+)", line)))
        yield int(told[1])
    finally:
        running.terminate()
        running.communicate(timeout=10)


def _in_store(scheme: str, client: Callable[..., Any], options: dict[str, Any]) -> Place:
    """A folder of a bucket of its own."""
    from pincite.sources.connectors.store import Store

    options = {**options, "skip_instance_cache": True}
    fs = client(**options)
    bucket = f"bucket-{uuid.uuid4().hex}"  # a server's buckets outlive it
    fs.mkdir(bucket, create_parents=True)

    def put(files: dict[str, bytes]) -> None:
        fs.invalidate_cache()
        for full in fs.find(f"{bucket}/docs"):
            if full.removeprefix(f"{bucket}/docs/") not in files:
                fs.rm_file(full)
        for name, data in files.items():
            fs.pipe_file(f"{bucket}/docs/{name}", data)

    return Place(lambda: Store(f"{scheme}://{bucket}/docs", options), put)


@contextmanager
def repository_place(tmp: Path) -> Iterator[Place]:
    """A repository served over HTTP by dulwich's own server."""
    from wsgiref.simple_server import make_server

    from dulwich import porcelain
    from dulwich.server import DictBackend
    from dulwich.web import WSGIRequestHandlerLogger, WSGIServerLogger, make_wsgi_chain

    from pincite.sources.connectors.repository import Repository

    work = tmp / "work"
    repo = porcelain.init(str(work))

    class Quiet(WSGIRequestHandlerLogger):
        def log_message(self, *_: Any) -> None:
            pass

        log_error = log_message

    app = make_wsgi_chain(DictBackend({"/team.git": repo}))
    server = make_server("127.0.0.1", 0, app, handler_class=Quiet, server_class=WSGIServerLogger)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def put(files: dict[str, bytes]) -> None:
        write_files(work / "docs", files)
        porcelain.add(repo, [str(each) for each in (work / "docs").rglob("*") if each.is_file()])
        for name in porcelain.status(repo).unstaged:
            if not (work / name.decode()).exists():
                porcelain.rm(repo, [str(work / name.decode())])
        porcelain.commit(repo, message=b"state", author=b"A <a@example.org>", committer=b"A <a@example.org>")

    url = f"git+http://127.0.0.1:{server.server_port}/team.git#docs"
    try:
        yield Place(lambda: Repository(url, tmp / "cache"), put)
    finally:
        server.shutdown()
        server.server_close()
        repo.close()


PLACES = {
    "folder": folder_place,
    "archive": archive_place,
    "web": web_place,
    "store": store_place,
    "repository": repository_place,
}
# Two emulators are no part of the set-up (the extra `emulators`, and 186 MB of npm): where they are, they are tried.
if all(find_spec(name) for name in ("gcsfs", "gcp_storage_emulator")):
    PLACES["google"] = google_place
if find_spec("adlfs") and AZURITE:
    PLACES["azure"] = azure_place
