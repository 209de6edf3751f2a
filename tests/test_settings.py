"""``pincite config``: every setting with where it comes from, and one sentence for the first that is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pincite.cli import app
from pincite.errors import PinciteError


def origins(arguments: list[str], **environment: str) -> dict[str, tuple[object, str]]:
    done = CliRunner().invoke(app, ["config", "--json", *arguments], env=environment)
    if done.exception is not None:
        raise done.exception
    return {row["name"]: (row["value"], row["origin"]) for row in map(json.loads, done.output.splitlines())}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    path = tmp_path / "c.yml"
    path.write_text("folder: docs\nvectors: no\nfile_megabytes: 3\n")
    return path


def test_option_over_environment_over_file_over_default(config: Path, tmp_path: Path) -> None:
    state = str(tmp_path / "s")
    plain = origins([str(config), "--state", state])
    assert plain["state"] == (state, "option --state")
    assert plain["vectors"] == ("no", f"file {config}")
    assert plain["file_megabytes"] == (3, f"file {config}")
    assert plain["duplicates"] == ("skip", "default")
    assert plain["model"][1] == "default"
    named = origins([str(config)], PINCITE_STATE=state, PINCITE_VECTORS="true")
    assert named["state"] == (state, "environment PINCITE_STATE")
    assert named["vectors"] == ("yes", "environment PINCITE_VECTORS")
    assert (
        origins([str(config), "--no-vectors"], PINCITE_VECTORS="true", PINCITE_STATE=state)["vectors"][1] == "option --vectors"
    )


def test_a_folder_without_a_configuration_shows_the_one_a_run_would_write_and_writes_none(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    found = origins([str(tmp_path / "docs"), "--state", str(tmp_path / "state")])
    assert found["configuration"][1] == "not yet written"
    assert found["collection"] == ("docs", "default")
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    ("text", "environment", "said"),
    [
        ("folder: docs\nformats: [image/png]\n", {}, "not read here"),
        ("folder: docs\ngold: none.yml\n", {}, "does not exist"),
        ("folder: docs\nmedia_types: [x]\n", {}, "must map patterns"),
        ("folder: none\n", {}, "there is no such folder"),
        ("folder: docs\nsource: ftp9://x/y\n", {}, "are not known"),
        ("folder: docs\nenrich: {model: zzz}\n", {}, "of no known kind"),
        ("folder: docs\nmedia_types: {'*': text/nope}\n", {}, "media_types: media type 'text/nope' is not read"),
        ("folder: docs\nmedia_types: {'*': text/csv; delimiter=ab}\n", {}, "delimiter is 'ab'; it must be one character"),
        ("folder: docs\nmedia_types: {'*': text/csv; header=maybe}\n", {}, "it must be present or absent"),
        ("folder: docs\nmedia_types: {'*': text/csv; heads=2}\n", {}, "has no setting 'heads'; its settings are charset"),
        ("folder: docs\nmedia_types: {'*': text/plain; charset=utf-99}\n", {}, "the name of an encoding"),
        ("folder: docs\nmedia_types: {'*': application/json; records=items}\n", {}, "a JSON pointer"),
        ("folder: docs\n", {"PINCITE_MODEL": "none"}, "no embedding model"),
        ("folder: docs\n", {"PINCITE_MIRROR": "/none"}, "environment PINCITE_MIRROR"),
    ],
)
def test_what_is_wrong_is_one_sentence(config: Path, text: str, environment: dict[str, str], said: str) -> None:
    config.write_text(text)
    with pytest.raises(PinciteError, match=said):
        origins([str(config), "--state", str(config.parent / "s")], **environment)


def test_a_declared_media_type_is_taken_and_may_be_changed(tmp_path: Path) -> None:
    from pincite.sources.catalogue import Catalogue
    from pincite.sources.discover import Rules, discover

    (tmp_path / "a.json").write_text('{"items": [{"id": 1}]}')
    wanted = "application/json; records=/items"
    (found,), known = discover(tmp_path, Catalogue(), Rules(declared=(("*.json", wanted),)))
    assert (found.media_type, found.trouble) == (wanted, "")
    (found,), _ = discover(tmp_path, known)
    assert found.media_type == "application/json", "what was declared is not remembered"
