"""The list of formats: every reader exists, media types carry parameters, and what is not read has a reason."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from pincite.errors import UsageError
from pincite.parse.formats import FORMATS, format_of, media_type_of, parameters, reader_of


def test_every_reader_exists_and_every_other_format_has_a_reason() -> None:
    for known in FORMATS:
        if known.reader:
            assert callable(reader_of(known.media_type))
        else:
            assert known.reason
    assert len({known.media_type for known in FORMATS}) == len(FORMATS)


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("Handbook.MD", "text/markdown"),
        ("chapter.pages.json", "application/vnd.pincite.pages+json"),
        ("data.json", "application/json"),
        ("old.doc", "application/msword"),
        ("no extension", ""),
    ],
)
def test_names(name: str, media_type: str) -> None:
    assert media_type_of(name) == media_type


def test_parameters_do_not_change_the_format() -> None:
    assert format_of('Text/CSV; delimiter=";"').media_type == "text/csv"
    assert parameters('text/csv; delimiter=";"; header=absent') == {"delimiter": ";", "header": "absent"}
    assert format_of("image/png").name == "picture"


@pytest.mark.parametrize(
    ("media_type", "reason"), [("application/msword", "before 2007"), ("text/x-unknown", "is not read here")]
)
def test_what_is_not_read_says_why(media_type: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        reader_of(media_type)


def test_the_command_prints_a_line_a_format() -> None:
    printed = subprocess.run([sys.executable, "-m", "pincite", "formats"], capture_output=True, text=True, check=True).stdout
    rows = [json.loads(line) for line in printed.splitlines()]
    assert [row["media_type"] for row in rows] == [known.media_type for known in FORMATS]
    assert all(row["read"] or row["reason"] for row in rows)
