"""``pincite refs``: one JSON object a reference."""

from __future__ import annotations

import json
import time

import pytest
from typer.testing import CliRunner

from pincite.cli import app
from pincite.errors import MissingSource, UsageError

RUN = CliRunner()


def rows(*arguments: str, stdin: str | bytes = "") -> list[dict]:
    result = RUN.invoke(app, ["refs", *arguments], input=stdin, catch_exceptions=False)
    assert result.exit_code == 0
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_text_a_line_standing_at_a_place():
    (first, second) = rows("--at", "21 CFR 911.22(a)", stdin="nothing here\n“see” paragraph (b) of this section and § 911.42\n")
    assert first == {
        "line": 2,
        "mention": "paragraph (b) of this section",
        "kind": "cfr",
        "target_node_id": "21 CFR 911.22(b)",
        "target_end_node_id": None,
        "status": "unresolved",
        "reason": "",
        "start": 6,
        "end": 35,
        "span": {"start": 10, "end": 39},
    }
    assert second["target_node_id"] == "21 CFR 911.42"


def test_json_lines_bring_their_own_place_and_id():
    lines = [
        {"id": "x1", "text": "this section\nand § 911.42", "at": "21 CFR 911.22"},
        {"id": 7, "text": "this section"},
        {"text": "§ 5", "at": ""},
    ]
    found = rows("--at", "21 CFR 5.1", stdin="\n".join(map(json.dumps, lines)))
    assert [(row["line"], row.get("id"), row["target_node_id"]) for row in found] == [
        (1, "x1", "21 CFR 911.22"),
        (1, "x1", "21 CFR 911.42"),
        (2, 7, "21 CFR 5.1"),
        (3, None, None),
    ]
    assert found[-1]["status"] == "unsupported"


@pytest.mark.parametrize("at", ["21 CFR 911.22(a)", "21 C.F.R. § 911.22 (a)", "21 CFR section 911.22(a)", " 21 CFR 911.22(a) "])
def test_the_place_may_be_written_in_any_way(at):
    (row,) = rows("--at", at, stdin="this paragraph")
    assert row["target_node_id"] == "21 CFR 911.22(a)"


def test_a_part_is_a_place_too():
    (row,) = rows("--at", "21 CFR part 911", stdin="subpart B of this part")
    assert row["target_node_id"] == "21 CFR Part 911 Subpart B"


def test_a_file_with_a_range(tmp_path):
    file = tmp_path / "texts.txt"
    file.write_bytes("\ufeff{ a brace opens no object: §§ 1.1 through 1.9\r\n".encode())
    (row,) = rows(str(file), "--at", "21 CFR 1.1")
    assert (row["mention"], row["target_end_node_id"]) == ("§§ 1.1 through 1.9", "21 CFR 1.9")


def test_bad_input_is_one_clear_sentence(tmp_path):
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for arguments, stdin, error in (
        ([str(tmp_path / "absent")], "", MissingSource),
        ([str(tmp_path)], "", MissingSource),
        ([str(binary)], "", UsageError),
        ([], '{"at": "21 CFR 1.1"}', UsageError),
        ([], '{"text": 5}', UsageError),
        ([], '{"text": "a", "at": 5}', UsageError),
        (["--family", "klingon"], "a", UsageError),
    ):
        with pytest.raises(error) as raised:
            RUN.invoke(app, ["refs", *arguments], input=stdin, catch_exceptions=False)
        assert len(str(raised.value).splitlines()) == 1


def test_the_time_of_a_long_line_grows_with_its_length_and_bytes_are_right_to_its_end():
    def seconds(count: int) -> float:
        began = time.process_time()
        found = rows(stdin=("“see” § 911.42 and\u2009" + "words of a long line " * 100) * count)
        last = found[-1]
        assert len(found) == count
        assert last["span"]["end"] == last["end"] + 5 * count + 2 * (count - 1)
        return time.process_time() - began

    assert min(seconds(2400) for _ in range(2)) < 8 * min(seconds(600) for _ in range(2)) + 0.3


def test_half_a_character_is_refused_by_line():
    result = RUN.invoke(app, ["refs"], input='{"text": "§ 911.42"}\n{"text": "\\ud800 21 CFR 911.22"}\n')
    assert isinstance(result.exception, UsageError)
    assert "line 2" in str(result.exception)
