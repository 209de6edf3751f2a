from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pincite.errors import IndexFault
from pincite.index.cache import CachedEmbedder

TEXTS = ["drug product", "label", "batch record", "label"]


def test_a_text_is_embedded_once(tmp_path: Path, embedder: Any) -> None:
    first = CachedEmbedder(embedder, tmp_path).embed(TEXTS)
    again = CachedEmbedder(embedder, tmp_path)
    np.testing.assert_array_equal(again.embed(TEXTS), first)
    np.testing.assert_array_equal(first, embedder.__class__().embed(TEXTS))
    assert embedder.calls == ["drug product", "label", "batch record"]
    assert (again.hits, again.misses, again.damaged) == (4, 0, 0)


def test_another_model_shares_nothing(tmp_path: Path, embedder: Any) -> None:
    CachedEmbedder(embedder, tmp_path).embed(TEXTS)
    embedder.name = "hash/2"
    other = CachedEmbedder(embedder, tmp_path)
    other.embed(TEXTS)
    assert other.misses == 3


def test_no_texts(tmp_path: Path, embedder: Any) -> None:
    assert CachedEmbedder(embedder, tmp_path).embed([]).shape == (0, 32)


def test_every_flipped_byte_is_found_and_recomputed(tmp_path: Path, embedder: Any) -> None:
    """Each byte of the file in turn (a step of 7 keeps it short): the vectors must come out right, whatever SQLite says."""
    cache = CachedEmbedder(embedder, tmp_path)
    right = cache.embed(TEXTS)
    sound = cache.path.read_bytes()
    recomputed = 0
    for at in range(0, len(sound), 7):
        if not sound[at]:
            continue  # mostly unused space
        cache.path.write_bytes(sound[:at] + bytes([sound[at] ^ 0xFF]) + sound[at + 1 :])
        reader = CachedEmbedder(embedder, tmp_path)
        np.testing.assert_array_equal(reader.embed(TEXTS), right)
        recomputed += reader.misses > 0
    assert recomputed > 20


def test_damage_that_sqlite_quotes_in_its_message(tmp_path: Path, embedder: Any) -> None:
    """Its message is then no UTF-8, and Python raises no ``sqlite3`` error but one of its own."""
    cache = CachedEmbedder(embedder, tmp_path)
    right = cache.embed(TEXTS)
    sound = cache.path.read_bytes()
    at = sound.index(b"WITHOUT ROWID")
    cache.path.write_bytes(sound[: at + 9] + b"\xb0" + sound[at + 10 :])
    np.testing.assert_array_equal(CachedEmbedder(embedder, tmp_path).embed(TEXTS), right)


def test_a_file_that_is_no_database_is_set_aside(tmp_path: Path, embedder: Any) -> None:
    cache = CachedEmbedder(embedder, tmp_path)
    cache.path.write_bytes(b"not a database at all" * 100)
    assert cache.embed(TEXTS).shape == (4, 32)
    assert cache.path.with_suffix(".damaged").exists()
    assert CachedEmbedder(embedder, tmp_path).embed(TEXTS).shape == (4, 32)
    assert cache.damaged == 1


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path, embedder: Any) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(IndexFault, match="embedding cache"):
        CachedEmbedder(embedder, tmp_path / "file").embed(TEXTS)


WRITER = """
import sys
from pathlib import Path
import numpy as np
from pincite.index.cache import CachedEmbedder

class Inner:
    name, dimension = "two/writers", 8
    def embed(self, texts):
        return np.array([[float(text)] * 8 for text in texts], dtype=np.float32)

start = int(sys.argv[2])
cache = CachedEmbedder(Inner(), Path(sys.argv[1]))
for at in range(40):
    number = start + at
    assert cache.embed([str(number)])[0, 0] == number
"""


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(start)]) for start in (0, 20)]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    rows = sqlite3.connect(tmp_path / "two-writers.sqlite").execute("SELECT count(*) FROM vectors").fetchone()
    assert rows == (60,)
