"""LandingZone on a Unity Catalog volume, by the real SDK."""

from __future__ import annotations

from typing import Any

import pytest

from pincite.databricks.connect import Connection
from pincite.databricks.landing import VolumeLanding
from pincite.databricks.wait import Patience
from pincite.errors import MissingSource, PlatformError

FOLDER = "/Volumes/main/reg/landing"


@pytest.fixture
def landing(workspace: Any, connection: Connection, quick: Patience) -> VolumeLanding:
    connection.workspace.schemas.create(catalog_name="main", name="reg")
    from databricks.sdk.service.catalog import VolumeType

    connection.workspace.volumes.create(catalog_name="main", schema_name="reg", name="landing", volume_type=VolumeType.MANAGED)
    return VolumeLanding(connection, FOLDER, quick)


def test_what_is_written_is_read_and_listed(landing: VolumeLanding) -> None:
    files = {f"title-{n}/part-{n}{m}.xml": bytes([n, m]) * 1000 for n in range(3) for m in range(4)}
    for path, data in files.items():
        landing.write(path, data)
    assert list(landing.names()) == sorted(files)  # more files than one page of a listing
    assert {path: landing.read(path) for path in files} == files


def test_a_file_is_replaced_whole(landing: VolumeLanding) -> None:
    landing.write("a.xml", b"long before")
    landing.write("a.xml", b"short")
    assert landing.read("a.xml") == b"short"


def test_a_missing_file(landing: VolumeLanding) -> None:
    with pytest.raises(MissingSource, match=r"^/Volumes/main/reg/landing/none.xml: the file is not in the volume; land it"):
        landing.read("none.xml")


def test_a_missing_volume(workspace: Any, connection: Connection, quick: Patience) -> None:
    with pytest.raises(MissingSource, match=r"^/Volumes/main/reg/landing: the volume does not exist; deploy the bundle"):
        list(VolumeLanding(connection, FOLDER, quick).names())


def test_no_right_to_read(workspace: Any, landing: VolumeLanding) -> None:
    landing.write("a.xml", b"x")
    workspace.deny("GET", "/fs/files/Volumes")
    with pytest.raises(
        PlatformError, match=r"HTTP 403, PERMISSION_DENIED, request id [0-9a-f-]{36}.*; ask the owner"
    ) as caught:
        landing.read("a.xml")
    assert caught.value.status == 403
    assert len(caught.value.request_id) == 36


@pytest.mark.parametrize(
    "fault",
    [{"status": 429, "headers": {"Retry-After": "0"}}, {"status": 503}, {"status": 500}, {"status": 0}],
    ids=["throttled", "unavailable", "internal error", "dropped connection"],
)
def test_a_failure_that_passes_is_waited_out(workspace: Any, landing: VolumeLanding, fault: dict[str, Any]) -> None:
    landing.write("a.xml", b"x" * 10)
    workspace.fail("GET", "/fs/files/", times=1, **fault)
    assert landing.read("a.xml") == b"x" * 10


def test_a_failure_that_stays_is_told_once_with_its_request(workspace: Any, landing: VolumeLanding) -> None:
    landing.write("a.xml", b"x")
    workspace.fail("GET", "/fs/files/", times=99, status=500, message="the store is broken")
    with pytest.raises(PlatformError, match=r"the store is broken \(HTTP 500, INTERNAL_ERROR, request id [0-9a-f-]{36}\)"):
        landing.read("a.xml")
