"""What others may put into an archive, a listing or a repository to get out of the folder or to fill the disk."""

from __future__ import annotations

import io
import json
import stat
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "contract"))

from connector_places import Files, http_files, zipped

from pincite.errors import DownloadFailed, Malformed, MissingSource, SourceError, TooExpensive, UsageError
from pincite.ports import Entry, Fetched, Refusal, SourceConnector
from pincite.sources import download
from pincite.sources.bring import LANDED, bring
from pincite.sources.connectors import archive as archives
from pincite.sources.connectors import connect
from pincite.sources.connectors.archive import Archive, Limits
from pincite.sources.connectors.folder import Folder
from pincite.sources.connectors.repository import Repository


@contextmanager
def served() -> Iterator[tuple[SourceConnector, Files]]:
    """A web place and its connector."""
    with http_files() as (url, files), closing(connect(url)) as connector:
        yield connector, files


def refusals(path: Path, **limits: int) -> dict[str, str]:
    return {each.path: each.reason for each in Archive(path, Limits(**limits)).entries() if isinstance(each, Refusal)}


def offered(path: Path) -> list[str]:
    return [each.path for each in Archive(path).entries() if isinstance(each, Entry)]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "a.zip"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../evil.md", "climbs out"),
        ("a/../../evil.md", "climbs out"),
        ("/etc/passwd", "not relative"),
        ("C:evil.md", "names a drive"),
        ("a//b.md", "empty step"),
        ("x" * 300 + ".md", "too long"),
    ],
)
def test_a_path_that_leaves_the_folder(archive: Path, name: str, reason: str) -> None:
    archive.write_bytes(zipped({"good.md": b"x", name: b"y"}))
    found = refusals(archive)
    assert reason in found[name]
    assert offered(archive) == ["good.md"]


def test_a_member_that_unpacks_to_a_thousand_times_its_size_is_refused_and_the_others_read(archive: Path) -> None:
    archive.write_bytes(zipped({"bomb.txt": b"\0" * (8 << 20), "good.md": b"x"}))
    assert refusals(archive) == {"bomb.txt": "it unpacks to more than 200 times its size"}
    assert offered(archive) == ["good.md"]


def test_a_member_that_lies_about_its_size(archive: Path) -> None:
    data = bytearray(zipped({"liar.txt": b"a" * 5000}))
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):  # the size in the local header and in the directory
        at = data.find(mark) + (22 if mark == b"PK\x03\x04" else 24)
        data[at : at + 4] = (10).to_bytes(4, "little")
    archive.write_bytes(bytes(data))
    with pytest.raises(Malformed, match="liar.txt: the member"):
        connect(str(archive)).fetch("liar.txt")


def test_too_many_members_and_too_many_bytes(archive: Path) -> None:
    archive.write_bytes(zipped({f"{n}.md": b"x" * 100 for n in range(20)}))
    with pytest.raises(TooExpensive, match="more than 10 members; unpack it yourself"):
        refusals(archive, members=10)
    with pytest.raises(TooExpensive, match="unpacks to more than 1000 bytes"):
        refusals(archive, total=1000)


def test_archives_in_archives_are_folders_down_to_a_depth(archive: Path) -> None:
    data = zipped({"leaf.md": b"leaf"})
    for level in range(4):
        data = zipped({f"level-{level}.zip": data, f"beside-{level}.md": b"x"})
    archive.write_bytes(data)
    found = refusals(archive)
    assert list(found.values()) == ["it is an archive more than 2 deep in archives"]
    assert offered(archive) == ["level-3.zip/level-2.zip/beside-1.md", "level-3.zip/beside-2.md", "beside-3.md"]
    fetched = connect(str(archive)).fetch("level-3.zip/level-2.zip/beside-1.md")
    assert fetched is not None
    assert fetched.data == b"x"


def test_links_encrypted_and_doubled_members(archive: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(link, "/etc/passwd")
        made.writestr("twice.md", "one")
        with pytest.warns(UserWarning, match="Duplicate"):
            made.writestr("twice.md", "two")
        made.writestr("secret.md", "three")
    data = bytearray(out.getvalue())
    at = data.rfind(b"PK\x01\x02")
    data[at + 8] |= 1  # the bit that says encrypted
    archive.write_bytes(bytes(data))
    assert refusals(archive) == {
        "link": "it is a link or a device, not a file",
        "twice.md": "another member has the same path",
        "secret.md": "it is encrypted",
    }


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04 and no more", zipped({"a": b"x" * 99})[:-30]], ids=["empty", "a head", "cut"]
)
def test_a_broken_archive_says_so(archive: Path, data: bytes) -> None:
    archive.write_bytes(data)
    with pytest.raises(Malformed, match="the archive cannot be read .*; replace it by a whole one"):
        offered(archive)


def test_links_out_of_the_folder_and_devices(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (root / "in.md").write_text("in")
    (root / "out.md").symlink_to(outside / "secret.md")
    (root / "folder").symlink_to(outside)
    (root / "within.md").symlink_to(root / "in.md")
    (root / "dangling.md").symlink_to(root / "none")
    found = {each.path: each for each in Folder(root).entries()}
    assert {path for path, each in found.items() if isinstance(each, Entry)} == {"in.md", "within.md"}
    assert isinstance(found["out.md"], Refusal)
    assert "outside" in found["out.md"].reason
    assert isinstance(found["folder"], Refusal)


def test_a_file_that_changes_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    (tmp_path / "a.md").write_bytes(b"before")
    looked, real = [], os.fstat

    def fstat(descriptor: int) -> os.stat_result:
        looked.append(descriptor)
        if len(looked) == 2:
            (tmp_path / "a.md").write_bytes(b"after, longer")
        return real(descriptor)

    monkeypatch.setattr(os, "fstat", fstat)
    with pytest.raises(SourceError, match="changed while it was read; run again"):
        Folder(tmp_path).fetch("a.md")


def test_a_listing_is_followed_below_itself_only(tmp_path: Path) -> None:
    with served() as (web, files):
        files.held.update({"a.md": b"a", "deep/b.md": b"b"})
        assert [each.path for each in web.entries()] == ["a.md", "deep/b.md"]
        assert not [path for path, _ in files.asked if "example" in path]


def test_a_server_that_stumbles_is_asked_again_and_one_that_refuses_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "_wait", lambda *_: 0.0)
    with served() as (web, files):
        files.held.update({"a.md": b"a", "b.md": b"b"})
        files.failing.update({"a.md": [503, 429], "b.md": [403]})
        done = {each.path: each for each in bring(web, tmp_path / "in")}
        assert done["a.md"].action == "new"
        assert done["b.md"].action == "failed"
        assert "HTTP 403" in done["b.md"].reason
        assert [status for path, status in files.asked if path == "b.md"] == [403]


def test_a_file_that_cannot_be_read_this_time_keeps_its_copy(tmp_path: Path) -> None:
    with served() as (web, files):
        files.held.update({"a.md": b"a"})
        bring(web, tmp_path / "in")
        files.failing["a.md"] = [500] * 9
        files.etags[0] = False
        files.held["a.md"] = b"another"
        files.failing["a.md"] = [403]
        assert [each.action for each in bring(web, tmp_path / "in")] == ["failed"]
        assert (tmp_path / "in" / "a.md").read_bytes() == b"a"


def test_a_server_without_versions_is_read_again_and_nothing_is_written(tmp_path: Path) -> None:
    with served() as (web, files):
        files.etags[0] = False
        files.held.update({"a.md": b"a"})
        bring(web, tmp_path / "in")
        assert [(each.action, each.reason) for each in bring(web, tmp_path / "in")] == [
            ("unchanged", "another version with the same bytes")
        ]


def test_a_listing_that_fails_removes_nothing(tmp_path: Path) -> None:
    with served() as (web, files):
        files.held.update({"a.md": b"a"})
        bring(web, tmp_path / "in")
        files.failing[""] = [403]
        with pytest.raises(DownloadFailed):
            bring(web, tmp_path / "in")
        assert (tmp_path / "in" / "a.md").read_bytes() == b"a"


def test_files_of_others_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "mine.md").write_text("mine")
    (tmp_path / "from").mkdir()
    with pytest.raises(UsageError, match="holds files that were not brought here"):
        bring(Folder(tmp_path / "from"), tmp_path / "in")


def test_a_damaged_memory_says_so(tmp_path: Path) -> None:
    (tmp_path / "from").mkdir()
    bring(Folder(tmp_path / "from"), tmp_path / "in")
    (tmp_path / "in" / LANDED).write_text(json.dumps({"a": 3}))
    with pytest.raises(UsageError, match="memory is damaged; delete it and bring again"):
        bring(Folder(tmp_path / "from"), tmp_path / "in")


def test_a_repository_at_a_commit(tmp_path: Path) -> None:
    from dulwich import porcelain

    work = tmp_path / "work"
    repo = porcelain.init(str(work))
    (work / "a.md").write_bytes(b"first")
    (work / "link").symlink_to("/etc/passwd")
    (work / "big.bin").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    porcelain.add(repo, [str(work / name) for name in ("a.md", "link", "big.bin")])
    first = porcelain.commit(repo, message=b"one", author=b"A <a@example.org>", committer=b"A <a@example.org>").decode()
    (work / "a.md").write_bytes(b"second")
    porcelain.add(repo, [str(work / "a.md")])
    porcelain.commit(repo, message=b"two", author=b"A <a@example.org>", committer=b"A <a@example.org>")
    repo.close()
    old = Repository(f"git+file://{work}@{first}")
    found = {each.path: each for each in old.entries()}
    assert isinstance(found["link"], Refusal)
    fetched = old.fetch("a.md")
    assert fetched is not None
    assert (fetched.data, old.commit) == (b"first", first)
    with pytest.raises(SourceError, match="pointer to Git large-file storage"):
        old.fetch("big.bin")
    old.close()
    for address, what in [
        (f"git+file://{work}@{'0' * 40}", "there is no commit"),
        (f"git+file://{work}#none", "has no folder 'none'"),
        (f"git+file://{tmp_path}/none", "there is no Git repository"),
    ]:
        repository = Repository(address)
        with pytest.raises(MissingSource, match=what):
            list(repository.entries())
        repository.close()


@pytest.mark.parametrize(
    ("uri", "what"),
    [("nope://x/y", "addresses of the kind nope:// are not known"), ("none-such-folder", "there is no such folder or file")],
)
def test_an_address_of_no_kind(uri: str, what: str) -> None:
    with pytest.raises((UsageError, MissingSource), match=what):
        connect(uri)


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    repository = Repository("git+http://127.0.0.1:9/x.git", tmp_path)
    with pytest.raises(DownloadFailed, match="the repository cannot be read"):
        list(repository.entries())


def test_a_store_that_is_not_there() -> None:
    with pytest.raises(DownloadFailed, match="the store did not answer"):
        list(connect("ftp://127.0.0.1:9/x").entries())


def test_a_run_that_is_killed_is_taken_up_again_and_leaves_nothing_behind(tmp_path: Path) -> None:
    class Killed(Folder):
        def fetch(self, path: str, known: str = "", largest: int = 1 << 30) -> Fetched | None:
            if path == "b.md":
                raise KeyboardInterrupt
            return super().fetch(path, known, largest)

    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    for name in ("a.md", "b.md", "c.md"):
        (there / name).write_text(name)
    with pytest.raises(KeyboardInterrupt):
        bring(Killed(there), here)
    assert (here / "a.md").exists()
    (there / "a.md").unlink()
    assert [(each.path, each.action) for each in bring(Folder(there), here)] == [
        ("b.md", "new"), ("c.md", "new"), ("a.md", "removed"),
    ]  # fmt: skip
    assert sorted(path.name for path in here.iterdir()) == [LANDED, "b.md", "c.md"]
    assert {each.action for each in bring(Folder(there), here)} == {"unchanged"}


def test_members_of_a_large_archive_are_read_without_listing_it_again(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = list[str]()
    how = archives._opened
    monkeypatch.setattr(archives, "_opened", lambda stream, where: opened.append(where) or how(stream, where))
    inner = zipped({f"in{n}.md": b"x" for n in range(3)})
    archive.write_bytes(zipped({f"{n}.md": b"y" for n in range(9)} | {"a.zip": inner, "b.zip": inner}))
    place = Archive(archive)
    for path in [f"{n}.md" for n in range(9)] + [f"{name}.zip/in{n}.md" for name in "ab" for n in range(3)]:
        assert place.fetch(path)
    assert opened == [str(archive), "a.zip/", "b.zip/"]
    archive.write_bytes(zipped({"0.md": b"another"}))
    found = place.fetch("0.md")
    assert found
    assert found.data == b"another"
    place.close()


def test_a_dry_run_leaves_no_copy_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dulwich import porcelain

    work = tmp_path / "work"
    repo = porcelain.init(str(work))
    (work / "a.md").write_bytes(b"first")
    porcelain.add(repo, [str(work / "a.md")])
    porcelain.commit(repo, message=b"one", author=b"A <a@example.org>", committer=b"A <a@example.org>")
    repo.close()
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "cache"))
    whole = porcelain.clone
    monkeypatch.setattr(porcelain, "clone", lambda url, *given, **named: whole(str(work), *given, **named))
    for keep, left in ((False, False), (True, True)):
        with closing(connect("git+https://example.invalid/r", keep=keep)) as place:
            assert [each.path for each in place.entries()] == ["a.md"]
        assert any((tmp_path / "cache").rglob("HEAD")) is left
