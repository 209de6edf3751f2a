"""Walking a folder: every entry once, in order, and nothing followed or waited for."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from pincite.errors import MissingSource
from pincite.sources.walk import matches, walk


def troubles(folder: Path, **patterns: list[str]) -> dict[str, str]:
    return {entry.path: entry.trouble for entry in walk(folder, **patterns)}


def test_files_come_in_the_order_of_names_whatever_the_script(tmp_path: Path) -> None:
    names = [
        "b.md",
        "a/z.md",
        "a/a.md",
        "ÄRGER.txt",
        "手順書.md",
        "عقد.md",
        "two\nlines.md",
        " blank .md",
        "-rf",
        "readme",
        "README",
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    found = list(walk(tmp_path))
    assert [entry.path for entry in found] == sorted(names, key=os.fsencode)
    assert not any(entry.trouble for entry in found)


def test_links_are_told_and_never_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "secret.txt").write_text("secret")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file.md").write_text("x")
    (folder / "to-file").symlink_to(outside / "secret.txt")
    (folder / "to-folder").symlink_to(outside)
    (folder / "inside").symlink_to("file.md")
    (folder / "itself").symlink_to(folder)
    (folder / "broken").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    reasons = {entry.path: entry.reason for entry in walk(folder) if entry.trouble}
    assert set(reasons) == {"to-file", "to-folder", "inside", "itself", "broken", "loop"}
    assert "out of the folder" in reasons["to-file"]
    assert "out of the folder" in reasons["to-folder"]
    assert "to an entry of this folder" in reasons["inside"]
    assert "nowhere" in reasons["broken"]


def test_pipes_and_sockets_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # a socket's address may not be long
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        assert troubles(tmp_path) == {"pipe": "special", "socket": "special"}


def test_a_name_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    with open(os.fsencode(tmp_path) + b"/caf\xe9.md", "wb"):
        pass
    assert list(troubles(tmp_path).values()) == ["name"]


def test_a_folder_that_may_not_be_listed_costs_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "open.md").write_text("x")
    scandir = os.scandir

    def refusing(path: str | Path) -> object:
        if str(path).endswith("closed"):  # root may list anything
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert troubles(tmp_path) == {"closed": "unreadable", "open.md": ""}


def test_an_excluded_folder_is_one_entry(tmp_path: Path) -> None:
    for name in ("docs/a.md", "docs/b.csv", ".git/config", "deep/.git/config"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    found = troubles(tmp_path, include=["*.md"], exclude=[".git"])
    assert found == {".git": "excluded", "deep/.git": "excluded", "docs/a.md": "", "docs/b.csv": "excluded"}


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.md", "a/b.md", True),
        ("a/*.md", "a/b.md", True),
        ("a/*.md", "a/c/b.md", False),
        ("a/**", "a/c/b.md", True),
        ("**/b.md", "b.md", True),
        ("~$*", "a/~$plan.docx", True),
        ("[ab].md", "a.md", True),
        ("[!ab].md", "a.md", False),
        ("a.md", "aXmd", False),
        ("?.md", "手.md", True),
        ("*.md", "two\nlines.md", True),
    ],
)
def test_patterns(pattern: str, path: str, fits: bool) -> None:
    assert bool(matches(path, [pattern])) is fits


def test_no_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MissingSource, match="no such folder"):
        list(walk(tmp_path / "none"))
    (tmp_path / "file").write_text("x")
    with pytest.raises(MissingSource, match="cannot be listed"):
        list(walk(tmp_path / "file"))


def test_files_that_are_being_edited_or_brought_are_left_out_unasked(tmp_path: Path) -> None:
    from pincite.sources.folder import EXCLUDED

    left_out = ["~$a.docx", ".~lock.a.odt#", "a.md~", "#a.md#", ".a.md.swp", "a.tmp", "a.pdf.part", "a.crdownload", "Thumbs.db"]
    for name in (*left_out, "a.md", "~a.md", "#a.md", "a.swp.md"):
        (tmp_path / name).write_text("x")
    read = {entry.path for entry in walk(tmp_path, exclude=EXCLUDED) if not entry.trouble}
    assert read == {"a.md", "~a.md", "#a.md", "a.swp.md"}
