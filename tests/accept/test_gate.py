"""The gate on a miniature manual: the parser passes, a plain one does not, and each known fault is caught by name."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pincite.accept import protocol as registered
from pincite.accept.observation import candidate
from pincite.accept.run import accept, refuse_unless_accepted
from pincite.errors import CheckFailed, HashMismatch, MissingSource, UsageError
from pincite.model import sha256_hex

Observation = dict[str, Any]


@pytest.fixture
def gate(mini: Path, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    def run(engine: str, **options: Any) -> dict[str, Any]:
        output = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
        return accept(engine, options.pop("stage", "initial"), output, mini, protocol_path=mini / "protocol.json", **options)

    return run


@pytest.fixture
def engine() -> Iterator[Callable[[Callable[..., Any]], str]]:
    """Registers a function as MODULE:FUNCTION of another parser."""
    module = ModuleType("another_parser")
    module.__file__ = __file__
    sys.modules["another_parser"] = module

    def register(function: Callable[..., Any]) -> str:
        function.__module__ = "another_parser"
        module.parse = function  # type: ignore[attr-defined]
        return "another_parser:parse"

    yield register
    del sys.modules["another_parser"]


def failed_checks(report: dict[str, Any]) -> set[str]:
    return {check for case in report["cases"] for check in case["failures"]}


def test_the_parser_passes_and_the_plain_one_does_not(gate: Callable[..., dict[str, Any]]) -> None:
    report = gate("candidate")
    assert report["accepted"], report["cases"]
    assert (report["passed"], report["denominator"]) == (4, 4)
    plain = gate("baseline")
    assert plain["passed"] == 0
    with pytest.raises(CheckFailed, match="0 of 4 cases"):
        refuse_unless_accepted(plain, Path("out"))


# --- controls that must fail: each a mutation of the correct observation, and the check that names it -------------------


def unit(seen: Observation, citation: str) -> dict[str, Any]:
    return next(each for each in seen["units"] if each["citation"] == citation)


def block(seen: Observation, pages: list[bytes], begins: bytes) -> dict[str, Any]:
    return next(b for b in seen["partition"] if pages[b["page"] - 1][b["start"] : b["end"]].startswith(begins))


def rehash(piece: dict[str, Any], pages: list[bytes]) -> None:
    piece["sha256"] = sha256_hex(pages[piece["page"] - 1][piece["start"] : piece["end"]])


def wrong_heading(seen: Observation, pages: list[bytes]) -> None:
    unit(seen, "DMG 91001")["heading"] = "Definitions"


def heading_of_the_first_occurrence(seen: Observation, pages: list[bytes]) -> None:
    unit(seen, "DMG 91001")["heading"] = "Keeping the lamp 91010 - 91999"


def cut_example(seen: Observation, pages: list[bytes]) -> None:
    held = unit(seen, "DMG 91010")
    held["spans"] = [span for span in held["spans"] if span["page"] == 2]


def lost_row(seen: Observation, pages: list[bytes]) -> None:
    held = unit(seen, "DMG 91002")
    held["spans"] = [s for s in held["spans"] if b"trims" not in pages[s["page"] - 1][s["start"] : s["end"]]]


def invented_reserved_paragraph(seen: Observation, pages: list[bytes]) -> None:
    place = block(seen, pages, b"91003 - 91009")
    span = {key: place[key] for key in ("page", "start", "end", "sha256")}
    seen["units"].append({"citation": "DMG 91003", "heading": "", "spans": [span], "references": []})


def changed_hash(seen: Observation, pages: list[bytes]) -> None:
    unit(seen, "DMG 91001")["spans"][0]["sha256"] = "0" * 64


def another_file(seen: Observation, pages: list[bytes]) -> None:
    seen["source"]["sha256"] = "0" * 64


def instructions_obeyed(seen: Observation, pages: list[bytes]) -> None:
    seen["source_instructions_inert"] = False


def promoted_authority(seen: Observation, pages: list[bytes]) -> None:
    notice = block(seen, pages, b"The content of the examples")
    notice["role"] = "body"
    unit(seen, "DMG 91011")["spans"].append({key: notice[key] for key in ("page", "start", "end", "sha256")})


def role_changed_in_a_stored_observation(seen: Observation, pages: list[bytes]) -> None:
    block(seen, pages, b"Note: See")["role"] = "body"


def notice_that_swallows_the_next_paragraph(seen: Observation, pages: list[bytes]) -> None:
    for place in seen["partition"]:
        if pages[place["page"] - 1][place["start"] : place["end"]].startswith(b"91011"):
            place["role"] = "notice"


def references_taken_from_the_neighbour(seen: Observation, pages: list[bytes]) -> None:
    unit(seen, "DMG 91002")["references"] = copy.deepcopy(unit(seen, "DMG 91001")["references"])


def references_lost(seen: Observation, pages: list[bytes]) -> None:
    unit(seen, "DMG 91001")["references"] = []


def untagged_bytes(seen: Observation, pages: list[bytes]) -> None:
    seen["partition"].pop(3)


def offsets_in_characters(seen: Observation, pages: list[bytes]) -> None:
    for held in seen["units"]:
        for span in held["spans"]:
            text = pages[span["page"] - 1]
            span["start"] = len(text[: span["start"]].decode()) + 1  # as if one character before took two bytes


def list_number_as_paragraph(seen: Observation, pages: list[bytes]) -> None:
    held = unit(seen, "DMG 91002")
    item = held["spans"].pop()
    seen["units"].append({"citation": "DMG 1", "heading": "", "spans": [item], "references": []})


def passage_claimed_twice(seen: Observation, pages: list[bytes]) -> None:
    unit(seen, "DMG 91002")["spans"].insert(0, dict(unit(seen, "DMG 91001")["spans"][0]))


CONTROLS = {
    wrong_heading: "governing_heading",
    heading_of_the_first_occurrence: "governing_heading",
    cut_example: "complete_passage",
    lost_row: "complete_passage",
    invented_reserved_paragraph: "negative_controls",
    changed_hash: "provenance",
    another_file: "source_identity",
    instructions_obeyed: "source_identity",
    promoted_authority: "negative_controls",
    role_changed_in_a_stored_observation: "roles",
    notice_that_swallows_the_next_paragraph: "negative_controls",
    references_taken_from_the_neighbour: "reference_scope",
    references_lost: "reference_scope",
    untagged_bytes: "byte_conservation",
    offsets_in_characters: "provenance",
    list_number_as_paragraph: "negative_controls",
    passage_claimed_twice: "provenance",
}


@pytest.mark.parametrize(("mutate", "check"), CONTROLS.items(), ids=lambda value: getattr(value, "__name__", value))
def test_each_fault_is_caught_by_its_check(
    gate: Callable[..., dict[str, Any]],
    engine: Callable[[Callable[..., Any]], str],
    mutate: Callable[[Observation, list[bytes]], None],
    check: str,
) -> None:
    def parse(source: Any, data: bytes, pages: Any) -> Observation:
        seen = json.loads(json.dumps(candidate(source, data, pages)))
        mutate(seen, list(pages))
        return seen  # type: ignore[no-any-return]

    report = gate(engine(parse))
    assert not report["accepted"]
    assert check in failed_checks(report)


# --- the run itself -------------------------------------------------------------------------------------------------------


def test_a_parser_that_only_claims_success_fails(
    gate: Callable[..., dict[str, Any]], engine: Callable[[Callable[..., Any]], str]
) -> None:
    report = gate(engine(lambda source, data, pages: {"accepted": True, "passed": 4, "checks": "all passed"}))
    assert report["passed"] == 0


def test_a_parser_that_raises_fails_its_cases_and_the_report_is_kept(
    gate: Callable[..., dict[str, Any]], engine: Callable[[Callable[..., Any]], str]
) -> None:
    def parse(source: Any, data: bytes, pages: Any) -> Observation:
        raise ValueError("no idea")

    report = gate(engine(parse))
    assert report["passed"] == 0
    assert "no idea" in json.dumps(report)


def test_an_existing_output_directory_is_refused(mini: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(UsageError, match="exists"):
        accept("candidate", "initial", tmp_path / "out", mini, protocol_path=mini / "protocol.json")


def test_a_document_with_another_hash_is_refused(mini: Path, tmp_path: Path) -> None:
    (tmp_path / "mini.pdf").write_bytes((mini / "mini.pdf").read_bytes() + b"\n")
    with pytest.raises(HashMismatch, match="registered"):
        accept("candidate", "initial", tmp_path / "out", tmp_path, protocol_path=mini / "protocol.json")
    with pytest.raises(MissingSource):
        accept("candidate", "initial", tmp_path / "out", tmp_path / "none", protocol_path=mini / "protocol.json")
    assert not (tmp_path / "out").exists()


def test_another_extraction_than_the_registered_one_is_refused(mini: Path, tmp_path: Path) -> None:
    content = json.loads((mini / "protocol.json").read_text())
    content["documents"]["mini"]["extraction"] = ["0" * 64] * 4
    (tmp_path / "protocol.json").write_text(json.dumps(content))
    with pytest.raises(HashMismatch, match="extraction"):
        accept("candidate", "initial", tmp_path / "out", mini, protocol_path=tmp_path / "protocol.json")


def test_the_expanded_stage_needs_a_passing_initial_report_with_the_same_bindings(
    gate: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="needs a passing report"):
        gate("candidate", stage="expanded")
    report = gate("candidate")
    path = tmp_path / "initial.json"
    path.write_text(json.dumps(report))
    assert gate("candidate", stage="expanded", initial_report=path)["accepted"]
    with pytest.raises(UsageError, match="another protocol, engine or implementation"):
        gate("baseline", stage="expanded", initial_report=path)
    path.write_text(json.dumps(report | {"accepted": False}))
    with pytest.raises(UsageError, match="needs a passing report"):
        gate("candidate", stage="expanded", initial_report=path)


def test_a_change_during_the_run_voids_the_pass(
    gate: Callable[..., dict[str, Any]], engine: Callable[[Callable[..., Any]], str], tmp_path: Path
) -> None:
    calls = []

    def parse(source: Any, data: bytes, pages: Any) -> Any:
        calls.append(1)
        for stored in tmp_path.rglob("wrapped.json"):
            stored.write_text("{}")
        return candidate(source, data, pages)

    report = gate(engine(parse))
    assert len(calls) == 4
    assert report["passed"] == 4
    assert report["voided"] == ["wrapped.json changed during the run"]
    assert not report["accepted"]


def test_an_engine_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="there is no engine"):
        accept("nowhere:parse", "initial", Path("out"), Path("."))


# --- the registered cases on the real documents -----------------------------------------------------------------------------


@pytest.mark.data
def test_the_eight_registered_cases(shared_data: Path, tmp_path: Path) -> None:
    first = accept("candidate", "initial", tmp_path / "one", shared_data / "manuals")
    assert (first["passed"], first["denominator"]) == (4, 4), first["cases"]
    second = accept("candidate", "expanded", tmp_path / "two", shared_data / "manuals", tmp_path / "one" / "report.json")
    assert (second["passed"], second["denominator"]) == (8, 8), second["cases"]


@pytest.mark.data
def test_the_plain_parser_fails_every_registered_case(shared_data: Path, tmp_path: Path) -> None:
    report = accept("baseline", "initial", tmp_path / "one", shared_data / "manuals")
    assert (report["passed"], report["denominator"]) == (0, 4)


def test_a_wrong_expectation_is_kept_beside_its_correction() -> None:
    corrected = [case for case in registered.load().cases if case.get("corrections")]
    assert corrected
    for case in corrected:
        for correction in case["corrections"]:
            assert correction["was"] != correction["now"]
            assert correction["why"]
