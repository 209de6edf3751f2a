from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from pincite.cli import app
from pincite.errors import UsageError
from pincite.model import sha256_hex
from pincite.sources.lock import from_folder, look, write
from pincite.sources.manifest import load

MANIFEST = """\
# a comment that must stay
project: p
collection: c
title: A corpus
as_of: 2026-01-02   # the date
documents:
  - id: one
    title: One
    uri: https://example.invalid/{as_of}/one.xml
    path: one.xml
    media_type: application/xml
    bytes: 3
    sha256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
  # between
  - id: two
    title: Two
    uri: https://example.invalid/{as_of}/two.xml
    path: two.xml
    media_type: application/xml
    bytes: 3
    sha256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
"""


@pytest.fixture
def manifest_path(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.yml"
    path.write_text(MANIFEST, encoding="utf-8")
    (tmp_path / "one.xml").write_bytes(b"abc")
    (tmp_path / "two.xml").write_bytes(b"changed text")
    return path


def test_lock_pins_a_new_date_and_keeps_comments(manifest_path: Path) -> None:
    manifest = load(manifest_path)
    pins = look(manifest, "2026-03-04", from_folder(manifest_path.parent))
    assert [pin.changed for pin in pins] == [False, True]
    assert pins[0].uri == "https://example.invalid/2026-03-04/one.xml"
    assert manifest_path.read_text() == MANIFEST, "looking writes nothing"
    write(manifest, "2026-03-04", pins)
    locked = load(manifest_path)
    assert locked.corpus_version == "2026-03-04"
    assert [(s.source_bytes, s.source_sha256) for s in locked.sources] == [
        (3, sha256_hex(b"abc")),
        (12, sha256_hex(b"changed text")),
    ]
    assert "# a comment that must stay" in manifest_path.read_text()
    assert "# between" in manifest_path.read_text()


def test_a_layout_that_cannot_be_edited_by_line_is_refused_and_kept(manifest_path: Path) -> None:
    flow = MANIFEST.replace("    bytes: 3\n    sha256", "    bytes: 3\n    'sha256'")
    manifest_path.write_text(flow)
    manifest = load(manifest_path)
    with pytest.raises(UsageError, match="layout"):
        write(manifest, "2026-03-04", look(manifest, "2026-03-04", from_folder(manifest_path.parent)))
    assert manifest_path.read_text() == flow


def test_a_date_that_is_none_and_a_file_that_is_missing(manifest_path: Path) -> None:
    manifest = load(manifest_path)
    for wrong in ("today", "2026-13-45"):
        with pytest.raises(UsageError, match="not YYYY-MM-DD"):
            look(manifest, wrong, from_folder(manifest_path.parent))
    (manifest_path.parent / "two.xml").unlink()
    with pytest.raises(UsageError, match="two cannot be read"):
        look(manifest, "2026-03-04", from_folder(manifest_path.parent))


def test_a_dry_run_shows_the_new_hashes_and_writes_nothing(manifest_path: Path, tmp_path: Path) -> None:
    before = manifest_path.read_bytes()
    sources = load(manifest_path).sources
    (tmp_path / "new").mkdir()
    for source in sources:
        (tmp_path / "new" / source.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "new" / source.path).write_bytes(b"<DIV5/>")
    arguments = ["lock", str(manifest_path), "--as-of", "2026-07-01", "--from", str(tmp_path / "new"), "--dry-run"]
    done = CliRunner().invoke(app, [*arguments, "--raw", str(tmp_path / "raw")])
    assert "would pin" in done.output
    assert manifest_path.read_bytes() == before
    assert not (tmp_path / "raw").exists()
