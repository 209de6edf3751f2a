"""``pincite check``: every citation against the raw files, and one flipped byte anywhere fails."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pincite import parse, passages
from pincite.check import _printed, check_answer, check_file
from pincite.errors import CheckFailed, UsageError
from pincite.index import local
from pincite.model import Document, Passage, Source, sha256_hex
from pincite.parse.formats import media_type_of
from pincite.retrieve import Corpus, answer
from pincite.retrieve.abstain import Decision
from pincite.retrieve.wire import to_json

RULES = b"""<?xml version="1.0" encoding="UTF-8"?>
<DIV5 N="7" TYPE="PART"><HEAD>PART 7&#x2014;LADDERS</HEAD>
<DIV8 N="7.1" TYPE="SECTION"><HEAD>&#xA7; 7.1 Rungs.</HEAD>
<P>(a) A rung &amp; its pegs shall bear 90 kg.</P>
<P>(b) A cracked rung shall be replaced <I>at once</I>, see &#xA7; 7.2.</P>
</DIV8>
<DIV8 N="7.2" TYPE="SECTION"><HEAD>&#xA7; 7.2 Rails.</HEAD><P>Rails of a ladder shall be straight.</P></DIV8>
</DIV5>
"""


def document(data: bytes, path: str, document_id: str = "ladders", media: str = "application/xml") -> Document:
    source = Source(document_id, "2026-01-01", "Ladders", "", media, path, len(data), sha256_hex(data))
    return parse.parse(source, data)


def as_quoted(passage: Passage, of: Document) -> dict[str, Any]:
    """A passage as an answer carries it."""
    row = {name: getattr(passage, name) for name in ("node_id", "document_id", "evidence_text")}
    row |= {"path": of.source.path, "source_sha256": of.source.source_sha256}
    return row | {"spans": [span._asdict() for span in passage.spans]}


def always(hits: Any, features: Any) -> Decision:
    return Decision(False, 1.0)


def ask(documents: list[Document], question: str) -> str:
    rows = [passage for each in documents for passage in passages.build(each)]
    corpus = Corpus.of(documents, rows)
    return to_json(answer(question, local.build(rows, None), corpus, abstainer=always))


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    (tmp_path / "title-5").mkdir()
    (tmp_path / "title-5" / "part-7.xml").write_bytes(RULES)
    return tmp_path


@pytest.fixture
def given(raw: Path) -> str:
    return ask([document(RULES, "title-5/part-7.xml")], "what weight shall a rung bear, and the rails")


def unsealed(text: str, **changes: Any) -> str:
    """The answer without its seal, its first passage changed: what a deliberate forger would write."""
    value = json.loads(text)
    del value["seal"]
    value["passages"][0] |= changes
    return json.dumps(value)


def test_an_answer_as_it_was_given(given: str, raw: Path) -> None:
    verified, failures = check_answer(given, raw)
    assert failures == []
    assert verified.citations == len(json.loads(given)["passages"]) == 2
    assert verified.files == 1
    assert verified.spans >= 4


def test_every_flipped_byte_of_the_answer_fails(given: str, raw: Path) -> None:
    data = given.encode()
    for at in range(len(data)):
        flipped = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        try:
            _, failures = check_answer(flipped, raw)
        except UsageError:
            continue
        assert failures, flipped[max(0, at - 40) : at + 40]


def test_every_flipped_byte_of_the_file_fails_and_is_named(given: str, raw: Path) -> None:
    path = raw / "title-5" / "part-7.xml"
    for at in range(0, len(RULES), 7):
        path.write_bytes(RULES[:at] + bytes([RULES[at] ^ 1]) + RULES[at + 1 :])
        _, failures = check_answer(given, raw)
        assert "part-7.xml" in str(failures[0])
        assert "SHA-256" in str(failures[0])


def test_the_file_is_read_anew_so_a_forged_hash_does_not_help(given: str, raw: Path) -> None:
    forged = RULES.replace(b"90 kg", b"10 kg")
    (raw / "title-5" / "part-7.xml").write_bytes(forged)
    value = json.loads(given)
    del value["seal"]
    for passage in value["passages"]:
        passage["source_sha256"] = hashlib.sha256(forged).hexdigest()
    _, failures = check_answer(json.dumps(value), raw)
    assert "the answer says" in str(failures[0])


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"evidence_text": "A rung shall bear 5 kg."}, "not what stands in the file"),
        ({"node_id": "5 CFR 7.2"}, "does not stand under this citation"),
        ({"node_id": "5 CFR 7.1(z)"}, "does not stand under this citation"),
        ({"path": "../../etc/passwd"}, "outside the folder"),
        ({"path": "title-5/none.xml"}, "cannot be read"),
        ({"spans": []}, "no span"),
        ({"spans": None}, "not complete"),
        ({"source_sha256": "0" * 64}, "SHA-256"),
    ],
)
def test_forgeries_without_a_seal(given: str, raw: Path, changes: dict[str, Any], problem: str) -> None:
    value = json.loads(given)
    assert value["passages"][0]["node_id"] == "5 CFR 7.1"
    _, failures = check_answer(unsealed(given, **changes), raw)
    assert problem in str(failures[0])


@pytest.mark.parametrize(
    ("field", "change", "problem"),
    [
        ("start", -1, "outside the text"),
        ("end", 10**9, "outside the text"),
        ("page", 2, "no page 2"),
        ("sha256", "0" * 64, "the answer says"),
        ("raw_start", 3, "not an element"),
        ("raw_end", 10**9, "outside the file"),
        ("start", None, "not complete"),
    ],
)
def test_a_span_that_was_moved(given: str, raw: Path, field: str, change: Any, problem: str) -> None:
    span = json.loads(given)["passages"][0]["spans"][0] | {field: change}
    _, failures = check_answer(unsealed(given, spans=[span]), raw)
    assert problem in str(failures[0])


def test_a_raw_range_of_another_element(given: str, raw: Path) -> None:
    passage = json.loads(given)["passages"][0]
    first, second = passage["spans"][0], passage["spans"][1]
    swapped = [first | {"raw_start": second["raw_start"], "raw_end": second["raw_end"]}, *passage["spans"][1:]]
    _, failures = check_answer(unsealed(given, spans=swapped), raw)
    assert "do not hold the quoted text" in str(failures[0])


@pytest.mark.parametrize(
    "declaration", [b'<!DOCTYPE r [<!ENTITY a "x">]>', b'<!DOCTYPE r SYSTEM "file:///etc/passwd">', b"<!DOCTYPE r>"]
)
def test_entities_are_refused(tmp_path: Path, declaration: bytes) -> None:
    data = declaration + b"<r>text</r>"
    (tmp_path / "a.xml").write_bytes(data)
    span = {"page": 1, "start": 0, "end": 4, "sha256": sha256_hex(b"text")}
    passage = {"node_id": "n", "path": "a.xml", "source_sha256": sha256_hex(data), "spans": [span], "evidence_text": "text"}
    _, failures = check_answer(json.dumps({"passages": [passage]}), tmp_path)
    assert "never expanded" in str(failures[0])


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"passages": 3}', "\x00\xff", "[" * 100_000])
def test_what_is_no_answer(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="answer"):
        check_answer(text, tmp_path)


def test_an_abstention_has_nothing_to_verify(tmp_path: Path) -> None:
    verified, failures = check_answer(ask([document(RULES, "x.xml")], ""), tmp_path)
    assert (verified.citations, failures) == (0, [])


def test_a_file_of_answers_and_the_exit_code(given: str, raw: Path, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(given + "\n" + given + "\n", encoding="utf-8")
    assert check_file(path, raw).citations == 4
    path.write_text(given.replace("rung", "runk") + "\n", encoding="utf-8")
    with pytest.raises(CheckFailed, match="seal"):
        check_file(path, raw)
    command = [sys.executable, "-m", "pincite", "check", str(path), "--raw", str(raw)]
    run = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": "src"}, check=False)
    assert run.returncode == 7
    assert run.stderr.count("\n") >= 1
    assert run.stdout == ""


def test_it_imports_no_room_but_the_parser() -> None:
    code = (
        "import sys, pincite.check; "
        "print([m for m in sys.modules if m.startswith('pincite.') and m not in ('pincite.check', 'pincite.errors')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": "src"}, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.data
def test_every_passage_of_the_real_parts_checks(shared_data: Path) -> None:
    raw = shared_data / "ecfr"
    paths = [f"title-21/part-{part}.xml" for part in ("11", "210", "211", "320", "601")] + ["title-36/part-800.xml"]
    paths += [
        "title-33/part-323.xml",
        "title-21/section-101.65.xml",
        "title-1/ECFR-title1-bulk.xml",
        "title-3/title-3-full.xml",
    ]
    documents = [document((raw / path).read_bytes(), path, path) for path in paths]
    for each in documents:
        rows = [as_quoted(passage, each) for passage in passages.build(each)]
        verified, failures = check_answer(json.dumps({"passages": rows}), raw)
        assert [str(failure) for failure in failures] == []
        assert verified.citations == len(rows) > 0


@pytest.mark.parametrize(
    ("label", "shown", "stands"),
    [
        ("DMG 77161", "77161 the decision maker", True),
        ("DMG 77161", "77191 the decision maker", False),
        ("DMG 77036-77040", "77036 to 77040 are spare", True),
        ("DMG 77036-77040", "77036 to 77041 are spare", False),
        ("Memo ADM 02/25 para 7", "02-25 of paragraph 8", False),
        ("Memo ADM 02/25", "memo 02-25", True),
        (": Housing cost element", "h o u s i n g costs", True),
        (": Housing cost element", "universal credit", False),
        ("NPPF", "anything", True),
    ],
)
def test_what_a_page_must_print(label: str, shown: str, stands: bool) -> None:
    assert _printed(label, "".join(shown.split()).casefold()) is stands


@pytest.mark.data
def test_every_passage_of_real_manuals_checks(shared_data: Path) -> None:
    raw = shared_data / "manuals"
    for path in ("adm/adm-memo-06-21.retypeset.pdf", "dmg/dmg-vol13-ch77.retypeset.pdf", "pdf/us-dmca-summary-1998.pdf"):
        each = document((raw / path).read_bytes(), path, path, "application/pdf")
        rows = [as_quoted(passage, each) for passage in passages.build(each)]
        verified, failures = check_answer(json.dumps({"passages": rows}), raw)
        assert [str(failure) for failure in failures] == []
        assert verified.citations > 50


# --- documents of other formats --------------------------------------------------------------------------------------

FILES = {
    "text.md": (
        "# Desk\n\n## Response targets\n\nAn answer within 8 hours.\n",
        "#response-targets",
        "An answer within 8 hours.",
    ),
    "bom.csv": ("\ufeffpart,name\nA-1,bolt\nA-2,nut\nA-3,pin\n", "#row-2", "A-2,nut"),
    "page.html": ("<html><body><h1>Desk</h1><p>Ask &amp; wait.</p></body></html>", "#desk", "Ask & wait."),
    "notes.txt": ("Ask the desk first.\n\nThen wait.\n", "", "Then wait."),
}


def cited(raw: Path, name: str) -> dict[str, Any]:
    """An answer that cites the words of one of FILES, with true spans."""
    from pincite.check import read_pages

    text, fragment, words = FILES[name]
    (raw / name).write_text(text, encoding="utf-8")
    sha256 = hashlib.sha256((raw / name).read_bytes()).hexdigest()
    (page,) = read_pages(raw, name, sha256)
    start = page.index(words.encode())
    end = start + len(words.encode())
    span = {"page": 1, "start": start, "end": end, "sha256": hashlib.sha256(words.encode()).hexdigest()}
    passage = {"document_id": "d", "node_id": f"d{fragment}", "path": name, "source_sha256": sha256}
    return {"passages": [passage | {"spans": [span | {"raw_start": None, "raw_end": None}], "evidence_text": words}]}


@pytest.mark.parametrize("name", FILES)
def test_documents_of_other_formats_are_checked(tmp_path: Path, name: str) -> None:
    answer = cited(tmp_path, name)
    assert check_answer(json.dumps(answer), tmp_path)[1] == []
    answer["passages"][0]["evidence_text"] += "x"
    assert check_answer(json.dumps(answer), tmp_path)[1]
    answer = cited(tmp_path, name)
    answer["passages"][0]["node_id"] = "d#vacation-policy"
    assert ["citation" in str(failure) for failure in check_answer(json.dumps(answer), tmp_path)[1]] == [True]


def test_the_bytes_named_in_a_text_file_must_hold_the_words(tmp_path: Path) -> None:
    answer = cited(tmp_path, "text.md")
    (span,) = answer["passages"][0]["spans"]
    span |= {"raw_start": span["start"], "raw_end": span["end"]}
    assert check_answer(json.dumps(answer), tmp_path)[1] == []
    span |= {"raw_start": 0, "raw_end": 5}
    assert "do not hold" in str(check_answer(json.dumps(answer), tmp_path)[1][0])


def test_every_passage_of_a_teams_documents_stands_under_its_citation(tmp_path: Path) -> None:
    """Sheets, attachments, notes and records have names that are printed nowhere in the text."""
    house = Path(__file__).parents[1] / "fixtures" / "house"
    note = "# Desk\n\n## Oil\n\nNone is left.[^1]\n\n[^1]: Whale oil.\n"
    (tmp_path / "note.md").write_text(note, encoding="utf-8")
    told = [path for path in [*house.iterdir(), tmp_path / "note.md"] if path.suffix not in (".pdf", ".mbox")]
    for path in told:
        data, media_type = path.read_bytes(), media_type_of(path.name)
        each = document(data, path.name, path.stem, media_type)
        rows = [as_quoted(passage, each) | {"document_id": path.stem} for passage in passages.build(each)]
        assert [str(failure) for failure in check_answer(json.dumps({"passages": rows}), path.parent)[1]] == [], path
    assert any(row["node_id"].endswith("footnote-1") for row in rows)


def test_a_place_that_does_not_hold_the_words_is_refused(tmp_path: Path) -> None:
    house = Path(__file__).parents[1] / "fixtures" / "house" / "supplies.xlsx"
    each = document(house.read_bytes(), house.name, "supplies", media_type_of(house.name))
    first, *_, last = [as_quoted(passage, each) | {"document_id": "supplies"} for passage in passages.build(each)]
    swapped = first | {"node_id": last["node_id"]}
    assert "does not stand under" in str(check_answer(json.dumps({"passages": [swapped]}), house.parent)[1][0])
