"""Discovery of a folder as a whole: entries, classes, troubles, and what is remembered between two looks."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from pincite.errors import SourceError
from pincite.sources import catalogue
from pincite.sources.catalogue import Catalogue
from pincite.sources.discover import TROUBLES, Found, Rules, discover

TEXT = "# Targets\n\n" + "\n".join(f"Target {i}: an answer within {i} hours." for i in range(20)) + "\n"


def look(folder: Path, known: Catalogue = Catalogue(), rules: Rules = Rules()) -> tuple[dict[str, Found], Catalogue]:  # noqa: B008
    found, remembered = discover(folder, known, rules)
    return {each.path: each for each in found}, remembered


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "procedures"
    (made / "sub").mkdir(parents=True)
    (made / "targets.md").write_text(TEXT)
    (made / "sub" / "policy.txt").write_text("---\nid: policy-7\ntitle: The Policy\n---\n# Heading\n\nText.\n")
    return made


def test_each_file_has_a_class_a_hash_an_id_and_a_title(folder: Path) -> None:
    found, _ = look(folder)
    policy, targets = found["sub/policy.txt"], found["targets.md"]
    assert (policy.document_id, policy.title, policy.media_type) == ("policy-7", "The Policy", "text/markdown")
    assert (targets.document_id, targets.title, targets.trouble) == ("targets", "targets", "")
    assert targets.source.source_sha256 == targets.sha256
    assert targets.source.corpus_version == targets.sha256[:12]


def test_every_trouble_is_an_entry_with_its_reason(folder: Path) -> None:
    (folder / "empty.md").touch()
    (folder / "picture.md").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    (folder / "large.txt").write_bytes(b"x" * 5000)
    (folder / "other.xml").write_text("<invoice/>")
    (folder / "title.xml").write_text('<uscDoc xmlns="http://xml.house.gov/schemas/uslm/1.0"/>')
    (folder / "broken.pdf").write_text("%PDF-1.4 nothing else")
    (folder / "link").symlink_to("/etc")
    os.mkfifo(folder / "pipe")
    found, _ = look(folder, rules=Rules(file_bytes=4000, exclude=("*.md",)))
    troubles = {path: each.trouble for path, each in found.items() if each.trouble}
    assert troubles == {
        "empty.md": "excluded", "picture.md": "excluded", "targets.md": "excluded", "large.txt": "too_large",
        "other.xml": "unsupported", "broken.pdf": "damaged", "link": "link", "pipe": "special",
    }  # fmt: skip
    assert all(found[path].reason for path in troubles)
    assert set(troubles.values()) <= set(TROUBLES)
    found, _ = look(folder)
    assert (found["empty.md"].trouble, found["picture.md"].trouble) == ("empty", "unsupported")
    assert "PNG" in found["picture.md"].reason
    assert "<invoice>" in found["other.xml"].reason


def test_a_file_that_may_not_be_read_costs_only_itself(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def refusing(path: str | Path, flags: int) -> int:
        if str(path).endswith("targets.md"):  # root may read anything
            raise PermissionError(13, "Permission denied")
        return opened(path, flags)

    monkeypatch.setattr(os, "open", refusing)
    found, _ = look(folder)
    assert (found["targets.md"].trouble, found["targets.md"].sha256) == ("unreadable", "")
    assert "Permission denied" in found["targets.md"].reason
    assert found["sub/policy.txt"].trouble == ""


def test_a_file_replaced_by_a_link_or_a_pipe_meanwhile_is_not_followed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def swapping(path: str | Path, flags: int) -> int:
        Path(path).unlink()
        if str(path).endswith("targets.md"):
            Path(path).symlink_to("/etc/passwd")
        else:
            os.mkfifo(path)
        return opened(path, flags)

    monkeypatch.setattr(os, "open", swapping)
    found, _ = look(folder)
    assert {each.trouble for each in found.values()} == {"unreadable"}


def test_names_that_differ_only_in_case_or_hold_newlines_are_documents_of_their_own(folder: Path) -> None:
    for name in ("Targets.md", "TARGETS.md", "two\nlines.md"):
        (folder / name).write_text(TEXT + name)
    found, _ = look(folder)
    assert len({each.document_id for each in found.values()}) == 5
    assert found["two\nlines.md"].document_id == "two-lines"


def test_ids_survive_moves_and_edits_by_way_of_the_catalogue_on_disk(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "state" / "c.jsonl"
    catalogue.save(kept, look(folder)[1])
    shutil.move(folder / "targets.md", folder / "sub" / "response.md")
    (folder / "sub" / "policy.txt").rename(folder / "p.txt")
    found, remembered = look(folder, catalogue.load(kept))
    assert found["sub/response.md"].document_id == "targets"
    assert found["p.txt"].document_id == "policy-7"
    catalogue.save(kept, remembered)
    (folder / "sub" / "response.md").write_text(TEXT.replace("Target 3", "Goal 3"))
    shutil.move(folder / "sub" / "response.md", folder / "third.md")
    found, _ = look(folder, catalogue.load(kept))
    assert found["third.md"].document_id == "targets"
    assert "moved and edited" in found["third.md"].identity


def test_an_unchanged_folder_is_only_hashed_and_the_catalogue_stays_to_the_byte(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "c.jsonl"
    first, remembered = look(folder)
    assert catalogue.save(kept, remembered)
    monkeypatch.setattr("pincite.sources.discover.classify", lambda *_: pytest.fail("it was classified again"))
    again, remembered = look(folder, catalogue.load(kept))
    assert not catalogue.save(kept, remembered)
    assert {path: each.document_id for path, each in again.items()} == {path: each.document_id for path, each in first.items()}
    assert [each.media_type for each in again.values()] == [each.media_type for each in first.values()]


def test_a_name_that_is_not_utf8_survives_the_catalogue(folder: Path, tmp_path: Path) -> None:
    with open(os.fsencode(folder) + b"/caf\xe9.md", "wb") as file:
        file.write(b"x")
    found, remembered = look(folder)
    catalogue.save(tmp_path / "c.jsonl", remembered)
    again, _ = look(folder, catalogue.load(tmp_path / "c.jsonl"))
    assert {each.trouble for each in again.values()} == {"", "name"}
    assert all(each.source.path.encode() for each in found.values())


@pytest.mark.parametrize("damage", [b"", b"{}\n", b"not json\n", b'{"catalogue": 99, "version": "x"}\n'])
def test_a_damaged_catalogue_is_one_sentence_because_ids_must_not_be_guessed(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "c.jsonl").write_bytes(damage)
    with pytest.raises(SourceError, match="catalogue of document ids"):
        catalogue.load(tmp_path / "c.jsonl")


def test_a_killed_write_leaves_the_old_catalogue(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "c.jsonl"
    _, remembered = look(folder)
    catalogue.save(kept, remembered)
    before = kept.read_bytes()

    def dying(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", dying)
    with pytest.raises(KeyboardInterrupt):
        catalogue.save(kept, Catalogue())
    assert kept.read_bytes() == before
    assert [path.name for path in tmp_path.glob(".c*")] == [], "nothing half-written stays"
