"""Acquiring against a real HTTP server on loopback, a mirror folder, and a disk that is full."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from pincite.errors import DownloadFailed, HashMismatch, MissingSource, StorageFull
from pincite.model import Source
from pincite.sources import download
from pincite.sources.acquire import acquire, plan
from pincite.sources.verify import problems, read_verified

BODY = b"<DIV5>the published part</DIV5>" * 100


def source(uri: str = "http://127.0.0.1:9/none", body: bytes = BODY) -> Source:
    sha256 = hashlib.sha256(body).hexdigest()
    return Source("doc", "2026-01-01", "Doc", uri, "application/xml", "title-1/doc.xml", len(body), sha256)


class Publisher(BaseHTTPRequestHandler):
    """Answers with the next of ``script``: a status, or "cut" for a body that breaks off, or "long" for one too long."""

    script: ClassVar[list[Any]] = []
    asked: ClassVar[int] = 0

    def do_GET(self) -> None:
        type(self).asked += 1
        step = self.script.pop(0) if self.script else 200
        if isinstance(step, int) and step != 200:
            self.send_response(step)
            self.send_header("Retry-After", "7")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = BODY * 3 if step == "long" else BODY
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:50] if step == "cut" else body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def publisher() -> Iterator[str]:
    Publisher.script, Publisher.asked = [], 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), Publisher)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/doc.xml"
    server.shutdown()
    server.server_close()
    thread.join()


def test_download_lands_a_verified_file_and_a_second_run_finds_it(tmp_path: Path, publisher: str) -> None:
    wanted = source(publisher)
    assert [done.action for done in acquire([wanted], tmp_path)] == ["downloaded"]
    assert read_verified(wanted, tmp_path) == BODY
    assert [done.action for done in acquire([wanted], tmp_path)] == ["present"]
    assert Publisher.asked == 1
    assert [path.name for path in (tmp_path / "title-1").iterdir()] == ["doc.xml"]


@pytest.mark.parametrize("script", [[503], [429, 500], ["cut"], ["cut", 503, 502]])
def test_a_passing_fault_is_retried_with_growing_waits(publisher: str, script: list[Any]) -> None:
    Publisher.script = list(script)
    waits: list[float] = []
    assert b"".join(download.stream(source(publisher), sleep=waits.append)) == BODY
    assert len(waits) == len(script)
    assert waits[0] == (7.0 if script[0] != "cut" else 1.0)


def test_the_last_attempt_fails_in_one_sentence(publisher: str) -> None:
    Publisher.script = [503] * 10
    with pytest.raises(DownloadFailed, match="no complete answer in 4 attempts.*503.*PINCITE_MIRROR"):
        list(download.stream(source(publisher), sleep=lambda _: None))
    assert Publisher.asked == 4


def test_a_refusal_is_not_retried_and_a_long_answer_is_cut_off(publisher: str) -> None:
    Publisher.script = [404]
    with pytest.raises(DownloadFailed, match="HTTP 404"):
        list(download.stream(source(publisher)))
    Publisher.script = ["long"]
    with pytest.raises(DownloadFailed, match="longer than"):
        list(download.stream(source(publisher)))
    assert Publisher.asked == 2


def test_no_server_at_all_is_a_download_failure() -> None:
    with pytest.raises(DownloadFailed, match="ConnectError"):
        list(download.stream(source(), sleep=lambda _: None))


def test_the_mirror_comes_before_the_publisher_and_check_writes_nothing(tmp_path: Path) -> None:
    mirror, raw = tmp_path / "mirror", tmp_path / "raw"
    (mirror / "title-1").mkdir(parents=True)
    (mirror / "title-1" / "doc.xml").write_bytes(BODY)
    assert [(step.action, step.origin) for step in plan([source()], raw, mirror)] == [("copy", str(mirror / "title-1/doc.xml"))]
    assert not raw.exists()
    assert [step.action for step in acquire([source()], raw, mirror)] == ["copied"]
    assert [step.action for step in plan([source()], raw, None)] == ["present"]


def test_a_mirror_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingSource, match="PINCITE_MIRROR"):
        plan([source()], tmp_path / "raw", tmp_path / "none")


@pytest.mark.parametrize("place", ["mirror", "raw"])
def test_one_changed_byte_stops_and_names_file_hashes_and_remedy(tmp_path: Path, place: str) -> None:
    changed = bytearray(BODY)
    changed[17] ^= 1
    file = tmp_path / place / "title-1" / "doc.xml"
    file.parent.mkdir(parents=True)
    file.write_bytes(changed)
    with pytest.raises(HashMismatch) as refused:
        acquire([source()], tmp_path / "raw", tmp_path / "mirror" if place == "mirror" else None)
    message = str(refused.value)
    assert str(file) in message
    assert hashlib.sha256(changed).hexdigest() in message
    assert source().source_sha256 in message
    assert "pincite lock" in message
    assert list((tmp_path / "raw").rglob("*.part")) == []
    assert place == "raw" or not (tmp_path / "raw" / "title-1" / "doc.xml").exists()


def test_a_publisher_that_changed_its_text_leaves_nothing_behind(tmp_path: Path, publisher: str) -> None:
    other = source(publisher, BODY[:-1] + b"!")
    with pytest.raises(HashMismatch):
        acquire([other], tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m" / "title-1").mkdir(parents=True)
    (tmp_path / "m" / "title-1" / "doc.xml").write_bytes(BODY)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageFull, match="no space is left.*nothing was lost"):
        acquire([source()], tmp_path / "raw", tmp_path / "m")
    assert not [path for path in (tmp_path / "raw").rglob("*") if path.is_file()]


def test_verify_reports_every_fault(tmp_path: Path) -> None:
    here = source()
    (tmp_path / "title-1").mkdir()
    (tmp_path / "title-1" / "doc.xml").write_bytes(b"other")
    missing = here._replace(document_id="gone", path="gone.xml")
    found = problems([here, missing], tmp_path)
    assert [type(problem) for problem in found] == [HashMismatch, MissingSource]
