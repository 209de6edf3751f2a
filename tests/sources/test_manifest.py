from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import UsageError
from pincite.model import Scope
from pincite.sources.manifest import load

GOOD = """\
project: p
collection: c
title: A corpus
as_of: 2026-01-02
documents:
  - id: one
    title: One
    uri: https://example.invalid/{as_of}/one.xml
    path: title-1/one.xml
    media_type: application/xml
    bytes: 3
    sha256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "corpus.yml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_manifest_names_scope_version_and_address(tmp_path: Path) -> None:
    manifest = load(write(tmp_path, GOOD))
    assert manifest.scope == Scope("p", "c")
    assert manifest.corpus_version == "2026-01-02"
    assert manifest.sources[0].uri == "https://example.invalid/2026-01-02/one.xml"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("path: title-1/one.xml", "path: ../one.xml", "leaves the landing folder"),
        ("path: title-1/one.xml", "path: /etc/passwd", "leaves the landing folder"),
        ("path: title-1/one.xml", "path: a/../../b.xml", "leaves the landing folder"),
        ("path: title-1/one.xml", r"path: a\..\b.xml", "leaves the landing folder"),
        ("path: title-1/one.xml", "path: C:/one.xml", "leaves the landing folder"),
        ("project: p", 'project: "p\'; DROP TABLE chunks; --"', "not a valid name"),
        ("collection: c", 'collection: a"b', "not a valid name"),
        ("collection: c", "collection: ../c", "not a valid name"),
        ("id: one", "id: 1", "not a valid name"),
        ("bytes: 3", "bytes: -3", "must be a positive number"),
        ("bytes: 3", "bytes: true", "must be a positive number"),
        ("sha256: ba", "sha256: BA", "64 lower-case"),
        ("media_type: application/xml", "media_type: text/x-unknown", "media type"),
        ("title: A corpus", "titel: A corpus", "missing title; unknown titel"),
        ("as_of: 2026-01-02", "as_of: ../x", "not a valid name"),
        ("documents:", "documents: []\nother:", "unknown other"),
        ("  - id", "  id", "not YAML"),
        ("as_of: 2026-01-02", "as_of: 2026-13-45", "not YAML"),
        ("title: A corpus", "title: " + "[" * 100_000, "not YAML"),
        (GOOD, "- a\n- b\n", "a mapping was expected"),
    ],
)
def test_a_faulty_manifest_is_refused_in_one_sentence(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in GOOD
    with pytest.raises(UsageError, match=says) as refused:
        load(write(tmp_path, GOOD.replace(old, new)))
    assert str(tmp_path / "corpus.yml") in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("field", ["id", "path"])
def test_a_repeated_document_is_refused(tmp_path: Path, field: str) -> None:
    entry = GOOD[GOOD.index("  - id") :]
    other = (
        entry.replace("id: one", "id: two") if field == "path" else entry.replace("one.xml\n    media", "two.xml\n    media")
    )
    with pytest.raises(UsageError, match="more than once"):
        load(write(tmp_path, GOOD + other))


def test_a_missing_manifest_and_one_in_another_encoding(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such file or folder; name a folder, or a corpus' YAML file"):
        load(tmp_path / "none.yml")
    (tmp_path / "latin.yml").write_bytes(b"title: caf\xe9\n")
    with pytest.raises(UsageError, match="cannot be read"):
        load(tmp_path / "latin.yml")


def test_a_document_that_is_named_for_its_folder_is_told_apart_from_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "lamps.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match="it is a document, neither a folder nor a configuration; name the folder it lies in"):
        load(tmp_path / "lamps.csv")


def test_every_manifest_we_ship_loads() -> None:
    manifests = sorted((Path(__file__).parents[2] / "conf" / "corpora").glob("*.yml"))
    assert manifests
    for path in manifests:
        assert load(path).sources
