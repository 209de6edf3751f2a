"""Measures apart, over a denominator that stays; and a helper that no package can talk its way past."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pincite.errors import UsageError
from pincite.evaluate.staff import measures, report
from pincite.evaluate.staff.held import Held, held_of
from pincite.evaluate.staff.observe import Observed, observe
from pincite.evaluate.staff.outcome import Reading
from pincite.evaluate.staff.package import package
from pincite.evaluate.staff.questions import StaffGold, load, read
from pincite.evaluate.staff.run import ask_all, packaged, readings
from pincite.model import Answer, AnswerPassage, Candidate, Passage, Source, Trace, sha256_hex
from pincite.parse.manual.structure import structure
from pincite.parse.pdf.read import read as read_pdf
from pincite.passages import build, chunks_of_nodes
from pincite.references import observe as references
from pincite.references.resolve import known_of, resolve
from pincite.retrieve.corpus import Corpus
from pincite.retrieve.profiles import activate, is_bare_abbreviation, is_reserved, load_profiles, open_routes
from pincite.retrieve.wire import plain

SPC = (
    "DMG Chapter 99: Ladders",
    "99001 The DM should accept that a ladder is a ladder, see DMG 99003.",
    "99002 A stool is not a ladder.",
    "99003 A ladder has at least two rungs. See DMG 99004.",
    "99004 A rung shall be oak.",
    "99005 - 99010",
    "99011 A peg shall be ash, see DMG 99001.",
)
PIP = (
    "ADM Chapter Q4: Stairs",
    "Q4001 The DM should accept that stairs are not a ladder.",
    "Q4002 A stair has a tread.",
    "Q4003 A tread may be stone.",
)
GOLD: dict[str, Any] = {
    "corpus": "manuals",
    "profiles": [
        {"concept": "ladder", "routes": ["DMG 99001", "DMG 99003"], "guards": [{"benefit": "SPC"}, {"held": "DMG 99003"}]},
        {"concept": "stairs", "routes": ["ADM Q4001"], "guards": [{"benefit": "PIP"}, {"edition": "2026-09-19"}]},
        {"concept": "gap", "routes": ["DMG 99007"], "guards": [{"benefit": "SPC"}]},
        {"concept": "SPC", "routes": ["DMG 99001"], "guards": [{"benefit": "SPC"}]},
    ],
    "questions": [
        {
            "id": "ladder",
            "question": "What is a ladder?",
            "benefit": "SPC",
            "document": "dmg-99",
            "concepts": ["ladder", "rungs"],
            "obligations": [
                {"kind": "rule", "at": "DMG 99001", "page": 1, "need": "that it is one"},
                {"kind": "definition", "at": "DMG 99003", "page": 1, "need": "its rungs"},
                {"kind": "condition", "at": "DMG 99004", "page": 1, "need": "of oak"},
            ],
        },
        {
            "id": "stairs",
            "question": "Are stairs a ladder?",
            "benefit": "PIP",
            "document": "adm-q4",
            "concepts": ["stairs"],
            "obligations": [{"kind": "exception", "at": "ADM Q4001", "page": 1, "need": "they are not"}],
        },
    ],
}


class World(NamedTuple):
    corpus: Corpus
    partition: dict[str, Any]
    gold: StaffGold
    held: Held

    def chunk(self, node_id: str) -> Passage:
        return self.corpus.chunks_of(node_id)[0]


def _pdf(lines: Sequence[str]) -> bytes:
    import pymupdf

    document = pymupdf.open()
    sheet = document.new_page()
    for at, text in enumerate((*lines, "Subpages")):
        sheet.insert_text((60, 80 + 26 * at), text, fontsize=10)
    data: bytes = document.tobytes(no_new_id=True)
    document.close()
    return data


@pytest.fixture(scope="module")
def world() -> World:
    documents = []
    for name, lines in (("dmg-99", SPC), ("adm-q4", PIP)):
        data = _pdf(lines)
        source = Source(name, "2026-09-19", lines[0], "", "application/pdf", f"{name}.pdf", len(data), sha256_hex(data))
        documents.append(structure(source, read_pdf(data, name)))
    passages = {document.source.document_id: build(document) for document in documents}
    known = known_of(
        (document.source.document_id, node.node_id, ids)
        for document in documents
        for node, ids in zip(document.nodes, chunks_of_nodes(document.nodes, passages[document.source.document_id]))
    )
    edges = [
        edge
        for document in documents
        for edge in resolve(references(document), known, source=document.source, passages=passages[document.source.document_id])
    ]
    corpus = Corpus.of(documents, [each for found in passages.values() for each in found], edges)
    gold = read(GOLD, "0" * 64, "here")
    return World(corpus, {d.source.document_id: d.partition for d in documents}, gold, held_of(corpus, gold))


def _answer(world: World, steps: Mapping[str, str], found: Sequence[str] = (), status: str = "answered") -> dict[str, Any]:
    """An answer's JSON: node_id -> the step that brought it."""
    passages = []
    for node_id, step in steps.items():
        passage = world.chunk(node_id)
        edge = next((e for e in world.corpus.edges if step == "follow" and passage.chunk_id in e.target_chunk_ids), None)
        fields = {name: getattr(passage, name) for name in Passage._fields if name in AnswerPassage._fields}
        more = {"path": f"{passage.document_id}.pdf", "source_sha256": "0" * 64, "step": step, "provenance": step}
        passages.append(AnswerPassage(**fields, **more, edge_id=edge.edge_id if edge else ""))
    candidates = tuple(Candidate(world.chunk(n).chunk_id, n, 1.0, 1, None, None, None, True) for n in found)
    tokens = sum(passage.tokens for passage in passages)
    trace = Trace("test", "BM25", 0.0, "none", 1.0, {}, candidates, (), tokens, 3000, 1)
    made: dict[str, Any] = plain(Answer("?", status, "", tuple(passages), trace))
    return made


@pytest.fixture
def put(world: World) -> dict[str, Any]:
    """A package without a fault: found, followed, and one that stands beside."""
    answer = _answer(world, {"DMG 99001": "search", "DMG 99003": "follow", "DMG 99002": "expand"}, ["DMG 99001"])
    return package(answer, world.gold.questions[0], world.held)


def _checks(observed: Observed) -> set[str]:
    return {fault.check for fault in observed.faults}


# --- the helper: a good package, and each control -------------------------------------------------------------------


def test_a_good_package_has_no_fault_and_is_not_changed(world: World, put: dict[str, Any]) -> None:
    before = copy.deepcopy(put)
    observed = observe(put, world.held)
    assert observed.faults == ()
    assert observed.navigation == {"restored": 1, "declared": 2, "inferred": 1}
    assert observed.support is None
    assert put == before
    assert put["outgoing"]
    assert {len(found) for found in (*put["outgoing"].values(), *put["incoming"].values())} == {1}


Change = Callable[[World, dict[str, Any]], None]


def _path(put: dict[str, Any], kind: str) -> dict[str, Any]:
    return next(path for path in put["paths"] if path["kind"] == kind)


def _wrong_endpoint(world: World, put: dict[str, Any]) -> None:
    _path(put, "restored")["from"] = world.chunk("DMG 99002").chunk_id


def _turned_round(world: World, put: dict[str, Any]) -> None:
    path = _path(put, "restored")
    path["from"], path["to"] = path["to"], path["from"]


def _end_not_delivered(world: World, put: dict[str, Any]) -> None:
    _path(put, "restored")["to"] = world.chunk("DMG 99004").chunk_id


def _no_incoming_copy(world: World, put: dict[str, Any]) -> None:
    put["incoming"].clear()


def _no_outgoing_copy(world: World, put: dict[str, Any]) -> None:
    put["outgoing"].clear()


def _another_copy(world: World, put: dict[str, Any]) -> None:
    next(iter(put["incoming"].values()))[0]["mention"] = "DMG 99004"


def _filed_elsewhere(world: World, put: dict[str, Any]) -> None:
    under, found = put["incoming"].popitem()
    put["incoming"][world.chunk("DMG 99002").chunk_id] = found
    assert under


def _mismatched_guard(world: World, put: dict[str, Any]) -> None:
    put["benefit"] = "PIP"


def _opened_by_hand(world: World, put: dict[str, Any]) -> None:
    put["concepts"].append({"concept": "stairs", "active": True, "routes": ["ADM Q4001"]})


def _changed_words(world: World, put: dict[str, Any]) -> None:
    put["answer"]["passages"][0]["evidence_text"] = put["answer"]["passages"][0]["evidence_text"].replace("ladder", "stair")


def _changed_hash(world: World, put: dict[str, Any]) -> None:
    put["records"][put["answer"]["passages"][0]["chunk_id"]] = "0" * 64


def _shortened_hash(world: World, put: dict[str, Any]) -> None:
    chunk_id = put["answer"]["passages"][0]["chunk_id"]
    put["records"][chunk_id] = put["records"][chunk_id][:12]


def _promoted_role(world: World, put: dict[str, Any]) -> None:
    put["answer"]["passages"][0]["role"] = "notice"


def _missing_path(world: World, put: dict[str, Any]) -> None:
    put["paths"].remove(_path(put, "restored"))
    put["scores"]["navigation"]["restored"] = 0


def _inferred_sold_as_restored(world: World, put: dict[str, Any]) -> None:
    _path(put, "inferred")["kind"] = "restored"


def _unrelated_benefit(world: World, put: dict[str, Any]) -> None:
    stairs = package(_answer(world, {"ADM Q4001": "search"}), world.gold.questions[1], world.held)
    put["answer"]["passages"] += stairs["answer"]["passages"]
    put["records"].update(stairs["records"])
    put["paths"] += stairs["paths"]
    put["scores"]["navigation"]["declared"] += 1


def _ambiguous_benefit(world: World, put: dict[str, Any]) -> None:
    put["benefit"] = "SPC or PIP"


def _unknown_benefit(world: World, put: dict[str, Any]) -> None:
    put["benefit"] = ""


def _reserved_range(world: World, put: dict[str, Any]) -> None:
    _path(put, "declared")["route"] = "DMG 99007"


def _bare_abbreviation(world: World, put: dict[str, Any]) -> None:
    put["concepts"].append({"concept": "SPC", "active": True, "routes": ["DMG 99001"]})


def _conflicting_versions(world: World, put: dict[str, Any]) -> None:
    put["answer"]["passages"][0]["corpus_version"] = "2019-01-01"


def _claimed_closure(world: World, put: dict[str, Any]) -> None:
    put["closed"] = True


def _support_counted(world: World, put: dict[str, Any]) -> None:
    put["scores"]["support"] = 1.0


def _scores_added_up(world: World, put: dict[str, Any]) -> None:
    put["scores"] = {"total": 4}


def _counted_too_high(world: World, put: dict[str, Any]) -> None:
    put["scores"]["navigation"]["restored"] = 7


def _not_complete(world: World, put: dict[str, Any]) -> None:
    del put["answer"]["passages"][0]["spans"]


CONTROLS: dict[Change, str] = {
    _wrong_endpoint: "endpoint",
    _turned_round: "endpoint",
    _end_not_delivered: "endpoint",
    _no_incoming_copy: "copies",
    _no_outgoing_copy: "copies",
    _another_copy: "copies",
    _filed_elsewhere: "copies",
    _mismatched_guard: "guard",
    _opened_by_hand: "guard",
    _changed_words: "record",
    _changed_hash: "record",
    _shortened_hash: "record",
    _promoted_role: "record",
    _missing_path: "path",
    _inferred_sold_as_restored: "path",
    _unrelated_benefit: "benefit",
    _ambiguous_benefit: "benefit",
    _unknown_benefit: "benefit",
    _reserved_range: "reserved",
    _bare_abbreviation: "guard",
    _conflicting_versions: "version",
    _claimed_closure: "closure",
    _support_counted: "scores",
    _scores_added_up: "scores",
    _counted_too_high: "scores",
    _not_complete: "form",
}


@pytest.mark.parametrize(("change", "check"), CONTROLS.items(), ids=[change.__name__.strip("_") for change in CONTROLS])
def test_each_control_is_caught_by_its_check(change: Change, check: str, world: World, put: dict[str, Any]) -> None:
    change(world, put)
    assert check in _checks(observe(put, world.held))


def test_a_broken_path_is_not_counted(world: World, put: dict[str, Any]) -> None:
    _wrong_endpoint(world, put)
    assert observe(put, world.held).navigation == {"restored": 0, "declared": 2, "inferred": 1}


def test_a_record_hash_stays_complete_when_the_table_changes(world: World, put: dict[str, Any]) -> None:
    chunk_id = put["answer"]["passages"][0]["chunk_id"]
    other = world.held.records[chunk_id]._replace(content_hash="f" * 64)
    assert "record" in _checks(observe(put, world.held._replace(records={**world.held.records, chunk_id: other})))


def test_a_record_that_was_not_delivered_is_not_hashed(world: World, put: dict[str, Any]) -> None:
    passage = world.chunk("DMG 99004")
    put["records"][passage.chunk_id] = passage.content_hash
    assert _checks(observe(put, world.held)) == {"record"}


def test_words_must_have_the_hash_of_their_span_even_where_the_table_agrees(world: World, put: dict[str, Any]) -> None:
    delivered = put["answer"]["passages"][0]
    delivered["evidence_text"] = delivered["evidence_text"].replace("ladder", "barrel")
    record = world.held.records[delivered["chunk_id"]]._replace(evidence_text=delivered["evidence_text"])
    poisoned = world.held._replace(records={**world.held.records, record.chunk_id: record})
    assert "another hash than their span" in observe(put, poisoned).faults[0].reason


def test_an_edge_into_a_reserved_range_restores_no_path(world: World) -> None:
    answer = _answer(world, {"DMG 99001": "search", "DMG 99003": "follow"})
    edge_id = answer["passages"][1]["edge_id"]
    edge = world.held.edges[edge_id]._replace(target_node_id="DMG 99004", target_end_node_id="DMG 99007")
    held = world.held._replace(edges={**world.held.edges, edge_id: edge})
    assert _checks(observe(package(answer, world.gold.questions[0], held), held)) == {"reserved"}


# --- activation -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("concept", "benefit", "why"),
    [
        ("ladder", "PIP", "guard benefit SPC"),
        ("ladder", "", "not exactly one"),
        ("ladder", "SPC/PIP", "not exactly one"),
        ("gap", "SPC", "DMG 99007 is reserved"),
        ("SPC", "SPC", "bare abbreviation"),
        ("rungs", "SPC", "no profile"),
    ],
)
def test_a_profile_stays_closed(concept: str, benefit: str, why: str, world: World) -> None:
    found = activate(concept, benefit, world.held)
    assert not found.active
    assert found.routes == ()
    assert why in "; ".join(found.reasons)


def test_all_guards_must_resolve(world: World) -> None:
    assert activate("stairs", "PIP", world.held).routes == ("ADM Q4001",)
    later = world.held._replace(editions=dict.fromkeys(world.held.editions, "2027-01-01"))
    assert "guard edition" in activate("stairs", "PIP", later).reasons[0]
    twice = world.held._replace(holders={**world.held.holders, "DMG 99003": ("dmg-99", "dmg-99-old")})
    assert "2 documents hold DMG 99003" in "; ".join(activate("ladder", "SPC", twice).reasons)


def test_what_is_reserved_and_what_is_only_an_abbreviation() -> None:
    reserved = frozenset({"DMG 99005-99010", "ADM Q4010-Q4015", "ADM Q4005"})
    within = ["DMG 99005", "DMG 99010", "ADM Q4012", "ADM Q4005", "DMG 99005-99010"]
    assert all(is_reserved(node_id, reserved) for node_id in within)
    assert not any(is_reserved(node_id, reserved) for node_id in ("DMG 99011", "ADM Q4016", "ADM 99007", "DMG 9900"))
    assert [is_bare_abbreviation(name) for name in ("PSIC", "UC", "A", "prison", "ADM P4006")] == [
        True,
        True,
        False,
        False,
        False,
    ]


# --- the measures ---------------------------------------------------------------------------------------------------


def _read(world: World, answers: Mapping[str, dict[str, Any]]) -> dict[str, Reading]:
    asked = ask_all(world.gold, lambda question: answers[question.text], world.corpus, world.partition)
    return {each.measure: each for each in readings(asked)}


def _figures(found: Mapping[str, Reading], *names: str) -> list[tuple[float | None, int]]:
    return [(found[name].value, found[name].denominator) for name in names]


OVER_OBLIGATIONS = (
    "discovery@5",
    "whole-unit delivery",
    "location navigation, restored",
    "location navigation, declared",
    "location navigation, inferred",
)


def test_each_measure_counts_its_own_thing(world: World) -> None:
    ladder = _answer(world, {"DMG 99001": "search", "DMG 99003": "follow"}, ["DMG 99001", "DMG 99004"])
    found = _read(world, {"What is a ladder?": ladder, "Are stairs a ladder?": _answer(world, {}, status="abstained")})
    assert _figures(found, *OVER_OBLIGATIONS) == [(2, 4), (2, 4), (1, 4), (2, 4), (0, 4)]
    assert _figures(found, "profile activation", "declared routes delivered") == [(2, 2), (2, 3)]
    assert _figures(found, "relationship coverage", "dependency coverage") == [(1, 2), (1, 2)]
    assert _figures(found, "abstained", "refused") == [(1, 2), (0, 2)]


def test_the_denominator_stays_where_everything_is_refused(world: World) -> None:
    refused = _answer(world, {}, ["DMG 99001"], status="refused")
    refused["trace"]["cut"] = [{"chunk_id": "", "node_id": "DMG 99001", "step": "search", "reason": "budget: 9 tokens, 1 left"}]
    found = _read(world, {"What is a ladder?": refused, "Are stairs a ladder?": refused})
    assert _figures(found, *OVER_OBLIGATIONS) == [(1, 4), (0, 4), (0, 4), (0, 4), (0, 4)]
    assert _figures(found, "relationship coverage", "dependency coverage") == [(0, 2), (0, 2)]
    assert _figures(found, "truncated by the budget", "refused") == [(2, 2), (2, 2)]
    assert found["delivered tokens, most"].value == 0


def test_support_is_said_not_to_be_measured_and_nothing_is_a_sum(world: World) -> None:
    empty = _answer(world, {}, status="abstained")
    found = _read(world, {"What is a ladder?": empty, "Are stairs a ladder?": empty})
    assert found["claim support"].value is None
    printed = report.lines(list(found.values()))
    assert len(printed) == len(found)
    assert any(line.startswith("claim support") and "not measured" in line for line in printed)
    assert not [name for name in found if "total" in name or "all" in name.split()]


def test_half_a_unit_is_not_delivered_whole(world: World) -> None:
    ladder = _answer(world, {"DMG 99001": "search"}, [])
    span = ladder["passages"][0]["spans"][-1]
    span["end"] -= 3
    found = _read(world, {"What is a ladder?": ladder, "Are stairs a ladder?": _answer(world, {}, status="abstained")})
    assert found["whole-unit delivery"].value == 0


def test_a_faulty_package_navigates_nowhere_and_says_why(world: World) -> None:
    ladder = _answer(world, {"DMG 99001": "search", "DMG 99003": "follow"}, [])
    ladder["passages"][0]["corpus_version"] = "2019-01-01"
    found = _read(world, {"What is a ladder?": ladder, "Are stairs a ladder?": _answer(world, {}, status="abstained")})
    assert found["location navigation, restored"].value == 0
    assert "ladder: version" in found["location navigation, restored"].note


def test_the_routes_a_question_opens_are_those_of_its_activations(world: World) -> None:
    answers = {"What is a ladder?": _answer(world, {}), "Are stairs a ladder?": _answer(world, {})}
    asked = ask_all(world.gold, lambda question: answers[question.text], world.corpus, world.partition)
    for each in asked:
        routes = open_routes("What is it?", each.question.concepts, each.question.benefit, world.held)
        assert routes == list(dict.fromkeys(route for activation in each.activations for route in activation.routes))
    assert any(activation.routes for each in asked for activation in each.activations)


def test_a_concept_that_a_question_names_opens_its_profile_for_its_benefit_only(world: World) -> None:
    assert open_routes("Which ladders count?", (), "SPC", world.held) == list(world.held.profiles["ladder"].routes)
    assert open_routes("Which bladders count?", (), "SPC", world.held) == []
    assert open_routes("Which ladders count?", (), "", world.held) == []


def test_a_file_of_profiles_says_what_documents_are_about(tmp_path: Path) -> None:
    path = tmp_path / "profiles.yml"
    path.write_text(
        "about: {dmg-99: [SPC]}\nprofiles:\n- {concept: ladder, routes: [DMG 99003], guards: [{benefit: SPC}]}\n",
        encoding="utf-8",
    )
    found = load_profiles(path)
    assert (found.profiles["ladder"].routes, found.benefits) == (("DMG 99003",), {"dmg-99": frozenset({"SPC"})})
    path.write_text("profiles: [{concept: ladder}]\n", encoding="utf-8")
    with pytest.raises(UsageError, match="not complete"):
        load_profiles(path)


def test_packages_can_be_written(world: World) -> None:
    answers = {"What is a ladder?": _answer(world, {"DMG 99001": "search"}), "Are stairs a ladder?": _answer(world, {})}
    asked = ask_all(world.gold, lambda question: answers[question.text], world.corpus, world.partition)
    assert [observe(each, world.held).faults for each in packaged(asked, world.corpus, world.gold)] == [(), ()]


def test_every_measure_has_a_file_of_its_own() -> None:
    files = {path.stem for path in Path(measures.__file__).parent.glob("*.py")} - {"__init__"}
    assert len(files) == len(measures.ALL) == len({measure.__module__ for measure in measures.ALL})


# --- the gold set ---------------------------------------------------------------------------------------------------


def test_the_manuals_questions_keep_their_numbers() -> None:
    gold = load(Path(__file__).parents[3] / "conf" / "gold" / "manuals.yml")
    assert (len(gold.questions), gold.obligations, len(gold.profiles)) == (44, 248, 11)


@pytest.mark.parametrize(
    "content",
    [
        None,
        {"questions": []},
        {"corpus": "x", "questions": [{"id": "a"}]},
        {"corpus": "x", "questions": [{**GOLD["questions"][0], "obligations": []}]},
        {**GOLD, "questions": [GOLD["questions"][0]] * 2},
        {**GOLD, "profiles": [{"concept": "x", "routes": ["DMG 99001"], "guards": [{"weather": "fair"}]}]},
        {**GOLD, "profiles": [{"concept": "x", "routes": ["DMG 99001"], "guards": []}]},
    ],
)
def test_a_bad_gold_set_is_a_usage_error(content: Any) -> None:
    with pytest.raises(UsageError, match="here"):
        read(content, "", "here")


@pytest.mark.data
def test_every_obligation_of_the_manuals_stands_where_it_says(shared_data: Path) -> None:
    from pincite.sources.manifest import load as manifest

    conf = Path(__file__).parents[3] / "conf"
    nodes = {}
    for source in manifest(conf / "corpora" / "manuals.yml").sources:
        data = (shared_data / "manuals" / source.path).read_bytes()
        assert sha256_hex(data) == source.source_sha256
        document = structure(source, read_pdf(data, source.path, styled=False))
        nodes.update({(source.document_id, node.node_id): node for node in document.nodes})
    gold = load(conf / "gold" / "manuals.yml")
    for question in gold.questions:
        for owed in question.obligations:
            node = nodes[question.document, owed.at]
            assert node.page <= owed.page <= node.page_end, (question.question_id, owed)
    routes = {route for profile in gold.profiles.values() for route in profile.routes}
    assert routes <= {node_id for _, node_id in nodes}
