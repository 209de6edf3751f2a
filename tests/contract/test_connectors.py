"""One contract for every place that files come from: listed whole, read whole, read again only where they changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from connector_places import PLACES, Place

from pincite.errors import SourceError
from pincite.ports import Entry, SourceConnector
from pincite.sources.bring import LANDED, bring

FILES = {
    "handbook.md": b"# Handbook\n",
    "policies/über uns & co.md": "Größe\n".encode(),
    "policies/deep/er/register.csv": b"a,b\r\n1,2\r\n",
    "data/binary.bin": bytes(range(256)) * 40,
    "empty.txt": b"",
}


@pytest.fixture(params=[*PLACES, "volume"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with nullcontext(volume_place(request)) if request.param == "volume" else PLACES[request.param](tmp_path) as made:
        opened = []

        def connector() -> SourceConnector:
            opened.append(made.connector())
            return opened[-1]

        yield Place(connector, made.put)
        for each in opened:
            each.close()


def volume_place(request: pytest.FixtureRequest) -> Place:
    from databricks.sdk.service.catalog import VolumeType

    from pincite.databricks.landing import VolumeLanding
    from pincite.sources.connectors.volume import Volume

    connection: Any = request.getfixturevalue("connection")
    connection.workspace.schemas.create(catalog_name="main", name="reg")
    connection.workspace.volumes.create(catalog_name="main", schema_name="reg", name="v", volume_type=VolumeType.MANAGED)
    landing = VolumeLanding(connection, "/Volumes/main/reg/v", request.getfixturevalue("quick"))

    def put(files: dict[str, bytes]) -> None:
        for path in list(landing.names()):
            if path not in files:
                connection.workspace.files.delete(f"/Volumes/main/reg/v/{path}")
        for path, data in files.items():
            landing.write(path, data)

    return Place(lambda: Volume("/Volumes/main/reg/v", landing), put)


def landed(folder: Path) -> dict[str, bytes]:
    files = [each for each in folder.rglob("*") if each.is_file() and each.name != LANDED]
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in files}


def test_every_file_is_listed_once_and_read_whole(place: Place) -> None:
    place.put(FILES)
    connector = place.connector()
    entries = list(connector.entries())
    assert sorted(each.path for each in entries) == sorted(FILES)
    for entry in entries:
        assert isinstance(entry, Entry)
        assert entry.size in (None, len(FILES[entry.path]))
        fetched = connector.fetch(entry.path)
        assert fetched is not None
        assert fetched.data == FILES[entry.path]


def test_what_is_brought_is_what_is_there_and_a_second_time_nothing_is_written(place: Place, tmp_path: Path) -> None:
    place.put(FILES)
    target = tmp_path / "landing"
    assert {each.action for each in bring(place.connector(), target)} == {"new"}
    assert landed(target) == FILES
    before = {each: each.stat().st_mtime_ns for each in target.rglob("*")}
    assert {each.action for each in bring(place.connector(), target)} == {"unchanged"}
    assert {each: each.stat().st_mtime_ns for each in target.rglob("*")} == before


def test_changed_new_and_removed_files(place: Place, tmp_path: Path) -> None:
    place.put(FILES)
    target = tmp_path / "landing"
    bring(place.connector(), target)
    later = {**FILES, "handbook.md": b"# Handbook, second edition\n", "new.txt": b"new"}
    del later["data/binary.bin"]
    place.put(later)
    done = {each.path: each.action for each in bring(place.connector(), target)}
    assert done.pop("handbook.md") == "changed"
    assert done.pop("new.txt") == "new"
    assert done.pop("data/binary.bin") == "removed"
    assert set(done.values()) == {"unchanged"}
    assert landed(target) == later


def test_an_unchanged_file_is_told_by_its_version(place: Place) -> None:
    place.put(FILES)
    connector = place.connector()
    versions = {each.path: each.version for each in connector.entries() if isinstance(each, Entry)}
    fetched = connector.fetch("handbook.md")
    assert fetched is not None
    if fetched.version:  # a volume's files have a version in the listing only
        assert connector.fetch("handbook.md", fetched.version) is None
    else:
        assert versions["handbook.md"]
    again = {each.path: each.version for each in place.connector().entries() if isinstance(each, Entry)}
    assert again == versions


def test_a_copy_that_was_damaged_is_brought_again(place: Place, tmp_path: Path) -> None:
    place.put(FILES)
    target = tmp_path / "landing"
    bring(place.connector(), target)
    (target / "handbook.md").write_bytes(b"cut")
    bring(place.connector(), target)
    assert landed(target) == FILES


def test_a_dry_run_writes_nothing(place: Place, tmp_path: Path) -> None:
    place.put(FILES)
    target = tmp_path / "landing"
    assert {each.action for each in bring(place.connector(), target, dry_run=True)} == {"new"}
    assert not target.exists()


def test_a_file_above_the_limit_costs_only_itself(place: Place, tmp_path: Path) -> None:
    place.put(FILES)
    target = tmp_path / "landing"
    done = {each.path: each for each in bring(place.connector(), target, largest=5000)}
    assert done["data/binary.bin"].action == "failed"
    assert (
        "larger than the 5000 bytes allowed" in done["data/binary.bin"].reason
        or "longer than the 5000" in done["data/binary.bin"].reason
    )
    assert landed(target) == {path: data for path, data in FILES.items() if path != "data/binary.bin"}


def test_a_file_that_is_not_there(place: Place) -> None:
    place.put(FILES)
    with pytest.raises(SourceError):
        place.connector().fetch("none.md")
