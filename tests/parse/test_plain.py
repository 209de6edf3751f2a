"""Sections laid out in one loop come out as the search would lay them out: on invented and on real files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pincite.model import Document, Source
from pincite.parse import parse, section

ROOT = Path(__file__).parents[2]
FIXTURES = sorted((ROOT / "fixtures" / "ecfr").glob("title-99/*.xml"))


def read(file: Path) -> Document:
    return parse(Source(file.stem, "", "", "", "application/xml", f"title-99/{file.name}", 0, ""), file.read_bytes())


def both_ways(file: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Document, Document, int]:
    """The document with and without the short way, and how many sections took it."""
    taken = 0
    short = section.lay_out_plain

    def counted(*given: Any) -> bool:
        nonlocal taken
        done = short(*given)
        taken += done
        return done

    monkeypatch.setattr(section, "lay_out_plain", counted)
    one = read(file)
    monkeypatch.setattr(section, "lay_out_plain", lambda *_: False)
    return one, read(file), taken


@pytest.mark.parametrize("file", FIXTURES, ids=lambda file: file.name)
def test_invented_files(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, taken = both_ways(file, monkeypatch)
    assert one == two
    assert taken > 3


@pytest.mark.data
@pytest.mark.parametrize(
    "path",
    [
        "title-1/title-1-versioner.xml",
        "title-3/title-3-full.xml",
        "title-21/part-211.xml",
        "title-21/part-320.xml",
        "title-21/part-601.xml",
        "title-33/part-323.xml",
        "title-36/part-800.xml",
        "annual/CFR-2012-title12-vol8-part1005.xml",
    ],
)
def test_real_files(shared_data: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, taken = both_ways(shared_data / "ecfr" / path, monkeypatch)
    assert one.nodes == two.nodes
    assert one.partition == two.partition
    assert taken > 5
