"""`pincite match`: one answer, one sentence on bad input, and nothing written on the way to it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
SNAPSHOT = REPOSITORY / "fixtures/match/snapshot.json"
FACTS = (
    "Deputies broke into the wrong house at night and held the family at gunpoint; "
    "the county had no rule about checking addresses."
)


def run(folder: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "pincite", "match", *arguments, "--method", "bm25", "--state", str(folder / "data")]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, cwd=REPOSITORY)


def test_a_case_is_answered_for_people_and_for_programs(tmp_path: Path):
    case = tmp_path / "case.txt"
    case.write_text(FACTS, encoding="utf-8")
    people = run(tmp_path, str(case), "--snapshot", str(SNAPSHOT))
    assert people.returncode == 0, people.stderr
    assert "42 U.S.C. § 1983" in people.stdout.decode()
    programs = run(tmp_path, "-", "--snapshot", str(SNAPSHOT), "--json", stdin=FACTS.encode())
    found = json.loads(programs.stdout)
    assert found["laws"][0]["law_id"] == "42usc1983"
    support = found["laws"][0]["elements"][0]["supports"][0]
    text = (SNAPSHOT.parent / support["source"]).read_text(encoding="utf-8")
    assert text[support["start"] : support["end"]] == support["quote"]


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"", 4, "no words"),
        (b"\x00\x01", 4, "binary"),
        (b"\xff\xfe", 4, "UTF-8"),
        (b"x " * 5_000_000, 4, "more than 2,000,000 bytes"),
    ],
)
def test_bad_cases_end_with_one_sentence_and_nothing_written(tmp_path: Path, data: bytes, code: int, words: str):
    case = tmp_path / "case.txt"
    case.write_bytes(data)
    done = run(tmp_path, str(case), "--snapshot", str(SNAPSHOT))
    assert done.returncode == code
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1
    assert words in done.stderr.decode()
    assert list(tmp_path.iterdir()) == [case]


def test_standard_input_has_the_same_limit(tmp_path: Path):
    done = run(tmp_path, "-", "--snapshot", str(SNAPSHOT), stdin=b"x " * 5_000_000)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (4, b"", 1)
    assert "standard input: the case has more than" in done.stderr.decode()


def test_a_snapshot_with_a_quote_off_by_one_is_refused_whole(tmp_path: Path):
    shutil.copytree(SNAPSHOT.parent, tmp_path / "match")
    path = tmp_path / "match/snapshot.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["facts"][0]["end"] -= 1
    path.write_text(json.dumps(content), encoding="utf-8")
    done = run(tmp_path, "-", "--snapshot", str(path), stdin=FACTS.encode())
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (7, b"", 1)
    assert "its quote is not what stands at" in done.stderr.decode()
