"""Fixtures for every room: where the real inputs are, and that CI may not do without them."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("pincite", deadline=None)  # wall time of one example says nothing on a shared machine
settings.load_profile("pincite")


def _find_shared_data() -> Path | None:
    named = os.environ.get("PINCITE_SHARED_DATA")
    if named:
        return Path(named) if Path(named).is_dir() else None
    for folder in Path(__file__).resolve().parents:
        candidate = folder.parent / "shared" / "data"
        if candidate.is_dir():
            return candidate
    return None


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real inputs (`ecfr/`, `manuals/`, `benchmarks/`). Its absence fails in CI and skips elsewhere."""
    found = _find_shared_data()
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("the real inputs are not here: put them in ../shared/data or name them in PINCITE_SHARED_DATA")
        pytest.skip("the real inputs are not here (PINCITE_SHARED_DATA)")
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a skipped test is a failed promise: it fails with the reason it would have been skipped for."""
    report = yield
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped in CI: {report.longrepr}"
    return report


@pytest.fixture
def without_ocr(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if tesseract were not installed, here and in the child processes that read files."""
    from pincite.parse.limits import close_workers

    close_workers()
    monkeypatch.setenv("PATH", "/nonexistent")
    yield
    close_workers()
