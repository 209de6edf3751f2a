"""The snapshot is loaded whole or refused whole, with one sentence that names the fault."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pincite.errors import CheckFailed, MissingSource, PinciteError, UsageError
from pincite.match import author
from pincite.match.author import unmark
from pincite.match.snapshot import alias_groups, load

FIXTURE = Path(__file__).parents[2] / "fixtures/match"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(FIXTURE, tmp_path / "match")
    return tmp_path / "match"


def change(folder: Path, table: str, number: int, **fields: object) -> None:
    path = folder / "snapshot.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content[table][number].update(fields)
    path.write_text(json.dumps(content), encoding="utf-8")


def test_the_fixture_has_five_laws_and_at_least_twenty_five_invented_cases():
    snapshot = load(FIXTURE / "snapshot.json")
    assert [law.citation for law in snapshot.laws] == [
        "15 U.S.C. § 1",
        "18 U.S.C. § 1962",
        "21 U.S.C. § 841",
        "42 U.S.C. § 1983",
        "42 U.S.C. § 2000e-2",
    ]
    assert len({instance.case_id for instance in snapshot.instances}) >= 25
    assert all(case.invented for case in snapshot.cases)
    assert {instance.holding for instance in snapshot.instances} == {"satisfied", "not_satisfied", "not_reached"}
    for fact in snapshot.facts:
        assert snapshot.texts[fact.case_id][fact.start : fact.end] == fact.quote


def test_the_fixture_is_what_its_annotations_make(folder: Path):
    before = (folder / "snapshot.json").read_bytes()
    author.build(folder / "annotations.yml")
    assert (folder / "snapshot.json").read_bytes() == before


def test_a_quote_off_by_one_character_refuses_the_whole_snapshot(folder: Path):
    fact = json.loads((folder / "snapshot.json").read_text(encoding="utf-8"))["facts"][3]
    change(folder, "facts", 3, start=fact["start"] + 1, end=fact["end"] + 1)
    with pytest.raises(CheckFailed, match=f"fact {fact['fact_id']}: its quote is not what stands at"):
        load(folder / "snapshot.json")


@pytest.mark.parametrize("quote", ["changed", ""])
def test_a_corrupt_quote_refuses_the_whole_snapshot(folder: Path, quote: str):
    change(folder, "facts", 0, quote=quote)
    with pytest.raises(CheckFailed, match="quote"):
        load(folder / "snapshot.json")


@pytest.mark.parametrize(
    ("table", "fields", "message"),
    [
        ("elements", {"law_id": "none"}, "no law 'none'"),
        ("variants", {"element_id": "none"}, "no element 'none'"),
        ("facts", {"case_id": "none"}, "no case 'none'"),
        ("facts", {"kind": "rumour"}, "'rumour' is not one of"),
        ("facts", {"start": -1}, "its quote is not"),
        ("facts", {"source_sha256": "0" * 64}, "source hash"),
        ("facts", {"start": "1"}, "start is str, not an integer"),
        ("facts", {"start": True}, "start is bool"),
        ("facts", {"surprise": 1}, "exactly fact_id"),
        ("instances", {"fact_ids": ["none"]}, "no fact 'none'"),
        ("instances", {"fact_ids": []}, "at least one fact"),
        ("instances", {"fact_ids": "inv-barley/a"}, "not a list of strings"),
        ("instances", {"fact_ids": ["inv-bicycle/a"]}, "of another case"),
        ("instances", {"element_id": "none"}, "no element 'none'"),
        ("instances", {"variant_id": "none"}, "no variant 'none'"),
        ("instances", {"variant_id": "15usc1.restraint.price"}, "of another element"),
        ("instances", {"holding": "perhaps"}, "'perhaps' is not one of"),
        ("instances", {"instance_id": "inv-barley/2"}, "used twice in instances"),
        ("cases", {"source": "../outside.txt"}, "leaves the snapshot's folder"),
        ("cases", {"source": "/etc/hostname"}, "leaves the snapshot's folder"),
        ("cases", {"source": "cases/none.txt"}, "is not here"),
        ("cases", {"source_sha256": "0" * 64}, "has SHA-256"),
    ],
)
def test_every_broken_record_is_named(folder: Path, table: str, fields: dict[str, object], message: str):
    change(folder, table, 0, **fields)
    with pytest.raises(PinciteError, match=message):
        load(folder / "snapshot.json")


def test_a_changed_byte_of_a_text_refuses_the_whole_snapshot(folder: Path):
    path = next((folder / "cases").glob("inv-bg-*.txt"))
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(CheckFailed, match=r"restore the text"):
        load(folder / "snapshot.json")
    path.unlink()
    with pytest.raises(MissingSource, match=path.stem):
        load(folder / "snapshot.json")


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{", b'{"schema": "other"}', b"\xff\xfe", b'{"schema": "pincite.match.snapshot/1"}']
)
def test_what_is_no_snapshot_is_refused_in_one_sentence(tmp_path: Path, content: bytes):
    (tmp_path / "snapshot.json").write_bytes(content)
    with pytest.raises(UsageError) as error:
        load(tmp_path / "snapshot.json")
    assert "\n" not in str(error.value)
    with pytest.raises(UsageError, match="cannot be read"):
        load(tmp_path / "none.json")


@pytest.mark.parametrize("table", ["laws", "cases"])
def test_a_snapshot_without_laws_or_cases_is_refused(tmp_path: Path, table: str):
    content = json.loads((FIXTURE / "snapshot.json").read_text(encoding="utf-8"))
    content[table] = []
    (tmp_path / "snapshot.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(UsageError, match=f"has no {table}"):
        load(tmp_path / "snapshot.json")


def test_a_snapshot_without_background_or_without_facts_still_answers():
    """Nothing stands for "none" then; the decision says what it could be calibrated on."""
    from pincite.match.matching import match, matcher
    from pincite.match.search import MatchIndex

    snapshot = load(FIXTURE / "snapshot.json")
    about = {instance.case_id for instance in snapshot.instances}
    lawful = snapshot._replace(cases=tuple(case for case in snapshot.cases if case.case_id in about))
    bare = snapshot._replace(facts=(), instances=())
    for reduced, background in ((lawful, 0), (bare, len(snapshot.cases))):
        found = match("A firm and its rival agreed on a price.", matcher(MatchIndex(reduced, None)), "bm25")
        assert found.calibration.background == background
        assert {law.law_id for law in found.laws} == {law.law_id for law in snapshot.laws}


def test_marks_become_offsets_and_nothing_else_changes():
    text, facts = unmark("Ä [[a|b c]] d [[e|f]].")
    assert text == "Ä b c d f."
    assert {key: text[start:end] for key, (start, end) in facts.items()} == {"a": "b c", "e": "f"}


def test_building_is_atomic(folder: Path):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    annotations = folder / "annotations.yml"
    broken = annotations.read_text(encoding="utf-8").replace("variant: 21usc841.act.making", "variant: none", 1)
    annotations.write_text(broken, encoding="utf-8")
    with pytest.raises(UsageError, match="no variant 'none'"):
        author.build(annotations)
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path != annotations}
    assert after == {path: data for path, data in before.items() if path != annotations}


def test_copies_are_found_by_hash_by_alias_and_by_words(folder: Path):
    snapshot = load(folder / "snapshot.json")
    first, second, third, fourth = snapshot.cases[:4]
    texts = dict(snapshot.texts)
    texts[second.case_id] = texts[first.case_id].upper().replace(" ", "\n")
    cases = (first, second, third._replace(aliases=(second.source_sha256,)), fourth, *snapshot.cases[4:])
    groups = alias_groups(snapshot._replace(cases=cases, texts=texts))
    assert [group[0] for group in groups] == list(range(len(groups)))
    assert sorted(groups[0]) == sorted(groups[1]) == sorted(groups[2]) == [0, 1, 2]
    assert groups[3] == [3]
