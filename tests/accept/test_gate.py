"""The gate on a miniature manual: the parser passes, a plain one does not, and each known fault is caught by name."""

from __future__ import annotations

import copy
import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pincite.accept import engine, shape
from pincite.accept import protocol as registered
from pincite.accept.observation import candidate
from pincite.accept.run import accept, document_of, implementation, judge, refuse_unless_accepted, seen_of, source_of
from pincite.errors import CheckFailed, HashMismatch, MissingSource, UsageError
from pincite.model import sha256_hex

Observation = dict[str, Any]


@pytest.fixture
def gate(mini: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Runs the gate on a copy of the miniature manual, where the liars find the output directory and a file to overwrite."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    sources = tmp_path / "sources"
    shutil.copytree(mini, sources)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "victim").write_text("mine")
    monkeypatch.setenv("GATE_VICTIM", str(tmp_path / "home" / "victim"))
    monkeypatch.setenv("GATE_PROTOCOL", str(sources / "protocol.json"))

    def run(name: str, **options: Any) -> dict[str, Any]:
        output = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
        monkeypatch.setenv("GATE_OUTPUT", str(output))
        report = accept(
            name, options.pop("stage", "initial"), output, sources, protocol_path=sources / "protocol.json", **options
        )
        assert json.loads((output / "report.json").read_text()) == report
        return report

    return run


@pytest.fixture(scope="session")
def observed(mini: Path) -> tuple[registered.Protocol, tuple[bytes, tuple[bytes, ...]], Observation]:
    """The protocol, the miniature manual and the correct observation of it."""
    protocol = registered.load(mini / "protocol.json")
    data, pages = document_of(protocol, "mini", mini)
    seen = candidate(source_of(protocol, "mini", data), data, pages)
    return protocol, (data, pages), json.loads(json.dumps(seen))


def failed_checks(report: dict[str, Any]) -> set[str]:
    return {check for case in report["cases"] for check in case["failures"]}


def test_the_parser_passes_and_the_plain_one_does_not(gate: Callable[..., dict[str, Any]]) -> None:
    report = gate("candidate")
    assert report["accepted"], report["cases"]
    assert (report["passed"], report["denominator"]) == (4, 4)
    assert not report["bindings"]["protocol_is_shipped"]
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


def bytes_claimed_by_two_units(seen: Observation, pages: list[bytes]) -> None:
    """Not the same span, which is easily seen: a longer one around it."""
    span = dict(unit(seen, "DMG 91001")["spans"][0])
    span["start"] += 1
    rehash(span, pages)
    unit(seen, "DMG 91002")["spans"].insert(0, span)


def references_to_everything(seen: Observation, pages: list[bytes]) -> None:
    held = unit(seen, "DMG 91001")
    held["references"] += [{**held["references"][0], "target": f"DMG {n}", "target_end": None} for n in range(90000, 90050)]


def one_block_of_everything(seen: Observation, pages: list[bytes]) -> None:
    """A whole page passed off as the note that it holds."""
    seen["partition"] = [b for b in seen["partition"] if b["page"] != 1]
    seen["partition"].insert(0, {"page": 1, "start": 0, "end": len(pages[0]), "role": "note", "sha256": sha256_hex(pages[0])})


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
    bytes_claimed_by_two_units: "provenance",
    references_to_everything: "reference_scope",
    one_block_of_everything: "roles",
}


@pytest.mark.parametrize(("mutate", "check"), CONTROLS.items(), ids=lambda value: getattr(value, "__name__", value))
def test_each_fault_is_caught_by_its_check(
    observed: tuple[registered.Protocol, tuple[bytes, tuple[bytes, ...]], Observation],
    mutate: Callable[[Observation, list[bytes]], None],
    check: str,
) -> None:
    protocol, document, correct = observed
    seen = copy.deepcopy(correct)
    mutate(seen, list(document[1]))
    failures = {name for case in protocol.cases for name in judge(case, seen_of(case, protocol, document, seen))}
    assert check in failures
    assert not any(judge(case, seen_of(case, protocol, document, correct)) for case in protocol.cases)


def test_a_span_that_cuts_a_character_is_no_span(
    observed: tuple[registered.Protocol, tuple[bytes, tuple[bytes, ...]], Observation],
) -> None:
    protocol, (data, _), correct = observed
    seen = copy.deepcopy(correct)
    page = "Rates: £5 a week".encode()
    piece = {"page": 1, "start": 8, "end": len(page), "sha256": sha256_hex(page[8:])}
    seen["units"] = [{"citation": "DMG 1", "heading": "", "spans": [piece], "references": []}]
    failures = judge(protocol.cases[0], seen_of(protocol.cases[0], protocol, (data, (page,)), seen))
    assert any("no whole characters" in reason for reason in failures["provenance"])


# --- the form of an answer ------------------------------------------------------------------------------------------------

EMPTY: Observation = {"source": {}, "partition": [], "units": [], "structures": []}
SPAN = {"page": 1, "start": 0, "end": 1, "sha256": ""}
UNIT = {"citation": "DMG 1", "heading": "", "spans": [SPAN], "references": []}


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("[]", "not one JSON object"),
        ('{"source": ' + "[" * 100_000, "not JSON"),
        ("{}", "source is not an object"),
        (EMPTY | {"units": None}, "units is not a list"),
        (EMPTY | {"partition": [1]}, "page is not of type int"),
        (EMPTY | {"partition": [SPAN | {"role": "body", "page": True}]}, "page is not of type int"),
        (EMPTY | {"partition": [SPAN | {"role": "body", "start": 0.0}]}, "start is not of type int"),
        (EMPTY | {"units": [UNIT, UNIT]}, "given twice"),
        (EMPTY | {"units": [UNIT | {"spans": []}]}, "has no span"),
        (EMPTY | {"units": [UNIT | {"references": [SPAN | {"target": "DMG 2", "target_end": 2}]}]}, "target_end is no name"),
        (EMPTY | {"units": [UNIT | {"citation": f"DMG {n}"} for n in range(20_001)]}, "at most 20000"),
        (EMPTY | {"structures": [SPAN | {"kind": "annotation", "targets": [3]}]}, "a target is no name"),
    ],
)
def test_an_answer_of_another_form_is_refused_before_it_is_read(answer: Any, fault: str) -> None:
    found, faults = shape.read(answer if isinstance(answer, str) else json.dumps(answer))
    assert not found
    assert any(fault in each for each in faults), faults
    assert shape.read(json.dumps(EMPTY | {"units": [UNIT]})) == (EMPTY | {"units": [UNIT]}, [])


# --- the run itself -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("liar", "told"),
    [
        ("claims_success", "source is not an object"),
        ("raises", "ValueError: no idea"),
        ("leaves", "it gave no answer"),
        ("ends_at_once", "it gave no answer"),
        ("nests_too_deep", "RecursionError"),
        ("answers_too_much", "more than 32 MB"),
        ("patches_the_checks", "page 1"),
        ("prints_the_report", "page 1"),
        ("nowhere", "has no attribute"),
    ],
)
def test_a_parser_that_lies_or_breaks_fails_every_case_and_the_report_is_kept(
    gate: Callable[..., dict[str, Any]], liar: str, told: str
) -> None:
    report = gate(f"liars:{liar}")
    assert report["passed"] == 0
    assert not report["accepted"]
    assert all(case["failures"] for case in report["cases"])
    assert told in json.dumps(report)


def test_a_parser_that_hangs_is_ended(gate: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.ask, "__defaults__", (3.0,))
    started = time.perf_counter()
    report = gate("liars:hangs")
    assert "more than 3 seconds" in json.dumps(report)
    assert time.perf_counter() - started < 30


@pytest.mark.parametrize(
    ("liar", "told"),
    [
        ("writes_the_report", "report.json was put into the output directory"),
        ("plants_a_link", "report.json was put into the output directory"),
        ("removes_the_directory", "was removed during the run"),
        ("changes_the_protocol", "protocol.json changed during the run"),
    ],
)
def test_a_parser_that_touches_what_a_run_rests_on_voids_it(
    gate: Callable[..., dict[str, Any]], tmp_path: Path, liar: str, told: str
) -> None:
    report = gate(f"liars:{liar}")
    assert not report["accepted"]
    assert any(told in each for each in report["voided"])
    assert (tmp_path / "home" / "victim").read_text() == "mine"


def test_nothing_is_written_through_a_directory_that_was_replaced(gate: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    with pytest.raises(CheckFailed, match="replaced during the run"):
        gate("liars:replaces_the_directory")
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["victim"]


def test_what_a_parser_leaves_running_is_ended(gate: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    report = gate("liars:writes_after_the_end")
    (written,) = tmp_path.glob("out*/report.json")
    time.sleep(2.5)
    assert json.loads(written.read_text()) == report


def test_another_parser_is_bound_by_its_files_and_never_imported_here(gate: Callable[..., dict[str, Any]]) -> None:
    import sys

    report = gate("liars:honest")
    assert report["accepted"]
    assert set(report["bindings"]["engine_files"]) == {"liars.py"}
    assert "liars" not in sys.modules


def test_a_report_is_bound_to_every_file_the_parser_reads_words_lists_included() -> None:
    names = set(implementation())
    assert {"parse/manual/words.txt", "parse/manual/profiles.yml", "accept/checks.py", "errors.py"} <= names


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda content: content["cases"].clear(), "0 cases for the initial stage, not 4"),
        (lambda content: content["cases"].pop(0), "3 cases for the initial stage, not 4"),
        (lambda content: content["cases"][0].update(id="../../home"), "no name for a case"),
        (lambda content: content["cases"][0].update(id="report"), "no name for a case"),
        (lambda content: content["cases"][0].update(id=content["cases"][1]["id"]), "two cases have one name"),
        (lambda content: content["cases"][2].update(passages=[]), "expects nothing"),
        (lambda content: content["cases"][0]["passages"][0].update(begins=" "), "where a passage begins"),
        (lambda content: content["cases"][0].update(document="other"), "not registered"),
        (lambda content: content.update(cases=None), "cannot be read"),
    ],
)
def test_a_protocol_that_expects_nothing_is_none(mini: Path, tmp_path: Path, change: Any, told: str) -> None:
    content = json.loads((mini / "protocol.json").read_text())
    change(content)
    (tmp_path / "protocol.json").write_text(json.dumps(content))
    with pytest.raises(UsageError, match=told):
        accept("baseline", "initial", tmp_path / "out", mini, protocol_path=tmp_path / "protocol.json")
    assert not (tmp_path / "out").exists()


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
    (path,) = tmp_path.glob("out*/report.json")
    assert gate("candidate", stage="expanded", initial_report=path)["accepted"]
    with pytest.raises(UsageError, match="another protocol, engine or implementation"):
        gate("baseline", stage="expanded", initial_report=path)
    path.write_text(json.dumps(report | {"accepted": False}))
    with pytest.raises(UsageError, match="needs a passing report"):
        gate("candidate", stage="expanded", initial_report=path)
    path.write_text("[]")
    with pytest.raises(UsageError, match="cannot be read"):
        gate("candidate", stage="expanded", initial_report=path)


def test_a_forged_initial_report_is_judged_again(gate: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    report = gate("candidate")
    (path,) = tmp_path.glob("out*/report.json")
    stored = path.with_name("wrapped.json")
    seen = json.loads(stored.read_text())
    unit(seen, "DMG 91001")["heading"] = "Definitions"
    stored.write_text(json.dumps(seen))
    with pytest.raises(UsageError, match="wrapped is not the observation that was judged"):
        gate("candidate", stage="expanded", initial_report=path)
    for case in report["cases"]:
        if case["case"] == "wrapped":
            case["observation_sha256"] = sha256_hex(stored.read_bytes())
    path.write_text(json.dumps(report))
    with pytest.raises(UsageError, match="wrapped fails governing_heading"):
        gate("candidate", stage="expanded", initial_report=path)
    stored.unlink()
    with pytest.raises(UsageError, match="no stored observation"):
        gate("candidate", stage="expanded", initial_report=path)


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
