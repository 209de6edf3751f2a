"""The parsers on real files: the counted facts of the data's own README, and what others made of the same files."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest

from pincite.model import Document, Passage, Source, conserved, sha256_hex
from pincite.parse import parse
from pincite.passages import build

pytestmark = pytest.mark.data

FILES = (
    "title-1/ECFR-title1-bulk.xml",
    "title-1/title-1-versioner.xml",
    "title-3/title-3-full.xml",
    "title-21/part-11.xml",
    "title-21/part-210.xml",
    "title-21/part-211.xml",
    "title-21/part-320.xml",
    "title-21/part-601.xml",
    "title-21/section-101.65.xml",
    "title-21/section-74.303.xml",
    "title-33/part-323.xml",
    "title-36/part-800.xml",
    "annual/CFR-2003-title27-vol2-part447.xml",
    "annual/CFR-2012-title12-vol8-part1004.xml",
    "annual/CFR-2012-title12-vol8-part1005.xml",
    "fr/fr_2024-29957_excerpt.xml",
    "fr/fr_2025-03118_delay.xml",
)


@lru_cache(maxsize=32)
def _parsed(file: Path, path: str) -> tuple[Document, bytes, tuple[Passage, ...]]:
    data = file.read_bytes()
    document = parse(Source(path, "", "", "", "application/xml", path, len(data), sha256_hex(data)), data)
    return document, data, build(document)


def read(folder: Path, path: str) -> tuple[Document, bytes, tuple[Passage, ...]]:
    return _parsed(folder / "ecfr" / path, path)


def text_of(document: Document, node_id: str) -> str:
    """All text of a node and of everything below it."""
    node = next(node for node in document.nodes if node.node_id == node_id)
    return document.slice(1, node.start, node.end).decode()


def ids(document: Document, kind: str = "") -> list[str]:
    return [node.node_id for node in document.nodes if not kind or node.kind == kind]


# --- every file -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES)
def test_the_text_is_all_character_data_and_the_partition_covers_it(shared_data: Path, path: str) -> None:
    document, data, _ = read(shared_data, path)
    assert document.pages[0].decode() == "".join(ET.fromstring(data).itertext())
    assert conserved(document)


@pytest.mark.parametrize("path", FILES)
def test_every_element_is_known(shared_data: Path, path: str) -> None:
    document, _, _ = read(shared_data, path)
    assert {finding.kind for finding in document.findings} <= {"image", "unlinked_footnote"}


@pytest.mark.parametrize("path", FILES)
def test_raw_ranges_are_the_elements_of_the_file(shared_data: Path, path: str) -> None:
    """The bytes of the file at a block's raw range, read as XML, hold the block's text."""
    document, data, _ = read(shared_data, path)
    for block in document.partition:
        if block.raw_start is None or block.raw_end is None:
            continue
        raw = data[block.raw_start : block.raw_end]
        assert raw.startswith(b"<") or raw.strip()
        try:
            read_back = "".join(ET.fromstring(b"<x>" + raw + b"</x>").itertext())
        except ET.ParseError:  # text between two children: the range is a stretch of its element
            read_back = "".join(ET.fromstring(b"<x>" + re.sub(rb"<[^>]*>", b"", raw) + b"</x>").itertext())
        assert document.slice(1, block.start, block.end).decode() in read_back


@pytest.mark.parametrize("path", FILES)
def test_nodes_nest_and_point_into_the_text(shared_data: Path, path: str) -> None:
    document, _, _ = read(shared_data, path)
    nodes = {node.node_id: node for node in document.nodes}
    assert len(nodes) == len(document.nodes)
    assert [node.ordinal for node in document.nodes] == list(range(len(nodes)))
    for node in document.nodes:
        assert 0 <= node.start <= node.end <= len(document.pages[0])
        if node.parent_id is not None:
            parent = nodes[node.parent_id]
            assert parent.ordinal < node.ordinal
            assert parent.start <= node.start, node.node_id
            assert node.end <= parent.end, node.node_id
    for block in document.partition:
        if block.node_id:
            assert nodes[block.node_id].start <= block.start, block
            assert block.end <= nodes[block.node_id].end, block


@pytest.mark.parametrize("path", FILES)
def test_passages_slice_back_and_hold_every_byte_of_the_rule_once(shared_data: Path, path: str) -> None:
    document, _, passages = read(shared_data, path)
    covered: Counter[int] = Counter()
    for passage in passages:
        slices = [document.slice(span.page, span.start, span.end) for span in passage.spans]
        assert [sha256_hex(piece) for piece in slices] == [span.sha256 for span in passage.spans]
        assert b"\n".join(slices).decode() == passage.evidence_text
        for span in passage.spans:
            covered.update(range(span.start, span.end))
    wanted = {i for block in document.partition if block.role != "blank" for i in range(block.start, block.end)}
    missed = {i for i in wanted - set(covered) if document.pages[0][i : i + 1].strip()}
    assert not missed
    assert set(covered.values()) <= {1}
    assert len({passage.chunk_id for passage in passages}) == len(passages)


# --- counted facts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "subparts", "sections", "deepest", "designated"),
    [
        (11, 3, 10, "21 CFR 11.200(a)(1)(i)", 66),
        (210, 0, 3, "21 CFR 210.3(b)(16)(i)", 32),
        (211, 11, 60, "21 CFR 211.42(c)(10)(i)", 262),
    ],
)
def test_the_main_parts(shared_data: Path, part: int, subparts: int, sections: int, deepest: str, designated: int) -> None:
    document, _, _ = read(shared_data, f"title-21/part-{part}.xml")
    assert (len(ids(document, "subpart")), len(ids(document, "section"))) == (subparts, sections)
    assert max((i for i in ids(document, "paragraph")), key=lambda i: i.count("(")).count("(") == deepest.count("(")
    assert deepest in ids(document)
    bodies = [b for b in document.partition if b.role in ("body", "reserved") and b.node_id]
    leading = {b.raw_start for b in bodies if document.slice(1, b.start, b.end).startswith(b"(")}
    paragraphs = {node.raw_start for node in document.nodes if node.kind == "paragraph"}
    assert len(paragraphs & leading) == designated


def test_the_deepest_levels(shared_data: Path) -> None:
    assert "33 CFR 323.4(a)(1)(iii)(C)(1)(i)" in ids(read(shared_data, "title-33/part-323.xml")[0])
    assert "21 CFR 601.12(f)(3)(i)(D)(1)" in ids(read(shared_data, "title-21/part-601.xml")[0])


def test_reserved_things(shared_data: Path) -> None:
    document, _, _ = read(shared_data, "title-21/part-601.xml")
    reserved = {node.node_id for node in document.nodes if node.reserved}
    assert {"21 CFR Part 601 Subpart B", "21 CFR 601.2(b)"} <= reserved
    assert "36 CFR 800.15" in {n.node_id for n in read(shared_data, "title-36/part-800.xml")[0].nodes if n.reserved}
    assert "21 CFR 320.27(a)(1)" not in reserved
    assert "1 CFR 457.104-457.109" in {n.node_id for n in read(shared_data, FILES[0])[0].nodes if n.reserved}


def test_a_letter_after_h_is_no_numeral(shared_data: Path) -> None:
    document, _, _ = read(shared_data, "title-21/part-320.xml")
    node = next(node for node in document.nodes if node.node_id == "21 CFR 320.25(i)")
    assert node.readings == ("21 CFR 320.25(i)", "21 CFR 320.25(h)(2)(i)")
    assert node.reason


def test_two_designators_run_in(shared_data: Path) -> None:
    document, _, _ = read(shared_data, "title-36/part-800.xml")
    assert text_of(document, "36 CFR 800.8(c)(1)(v)").startswith("(v) Develop in consultation")
    assert text_of(document, "36 CFR 800.8(c)(1)(iv)").endswith("procedures; and")


def test_an_appendix_has_its_own_paragraphs(shared_data: Path) -> None:
    document, _, _ = read(shared_data, "title-36/part-800.xml")
    found = [i for i in ids(document) if i.startswith("36 CFR Part 800 Appendix A(")]
    assert found == [
        f"36 CFR Part 800 Appendix A{path}" for path in ("(a)", "(b)", "(c)", "(c)(1)", "(c)(2)", "(c)(3)", "(c)(4)")
    ]


def test_notices_never_become_the_rule(shared_data: Path) -> None:
    document, _, passages = read(shared_data, "title-21/section-74.303.xml")
    notice = next(block for block in document.partition if b"Link to an amendment" in document.slice(1, block.start, block.end))
    assert notice.role == "notice"
    shown = [passage for passage in passages if "Link to an amendment" in passage.evidence_text]
    assert [(passage.indexable, bool(passage.exclusion_reason)) for passage in shown] == [(False, True)]


def test_footnotes_are_linked_to_their_marks(shared_data: Path) -> None:
    for path, count in (("title-21/part-211.xml", 1), (FILES[0], 5), (FILES[1], 5)):
        document, _, _ = read(shared_data, path)
        links = [link for link in document.links if link.kind == "footnote"]
        assert len(links) == count
        for link in links:
            mark = document.slice(1, link.start, link.end).decode()
            assert re.match(rf"{mark}\s", document.slice(1, link.target_start, link.target_end).decode())


def test_tables_keep_cells_apart_and_rows_under_their_header(shared_data: Path) -> None:
    document, _, passages = read(shared_data, "title-21/section-101.65.xml")
    tables = [link for link in document.links if link.kind == "table_header"]
    assert len(tables) == 6
    row = next(text for text in document.display.values() if "Fruit" in text and "strawberries" in text)
    assert row.startswith("(ii) Fruit | 1/2 cup equivalent fruit | 1/2 cup strawberries; 1⁄2 cup 100% orange juice")
    cut = [p for p in passages if p.role == "table" and p.node_id == "21 CFR 101.65(d)(3)(ii)(A)"]
    assert len(cut) > 1
    assert all("If the food is . . . | " in passage.retrieval_text for passage in cut)


# --- the same text in two dialects ------------------------------------------------------------------------------------


def _plain(text: str) -> str:
    return " ".join(text.translate(str.maketrans("–—", "--")).split())


def test_both_dialects_of_title_1_are_equal(shared_data: Path) -> None:
    from pincite.references import observe

    bulk, _, bulk_passages = read(shared_data, FILES[0])
    versioner, _, versioner_passages = read(shared_data, FILES[1])
    assert ids(bulk) == ids(versioner)
    assert len(ids(bulk, "section")) == 288
    one, two = (
        [
            (p.node_id, _plain(p.evidence_text), _plain(p.retrieval_text), p.role, p.indexable)
            for p in passages
            if p.role not in ASIDE
        ]
        for passages in (bulk_passages, versioner_passages)
    )
    assert one == two
    seen = [
        [(o.source_node_id, _plain(o.mention.text), o.mention.target_node_id, o.mention.target_end_node_id) for o in observe(d)]
        for d in (bulk, versioner)
    ]
    inside = [[row for row in rows if row[0]] for rows in seen]
    assert inside[0] == inside[1]


ASIDE = {"contents", "page_furniture", "heading", "amendment_history"}


def test_title_3_has_the_tree_that_the_publisher_says(shared_data: Path) -> None:
    document, _, _ = read(shared_data, "title-3/title-3-full.xml")
    structure = json.loads((shared_data / "ecfr/title-3/structure-3.json").read_text())
    expected: list[tuple[str, str, bool]] = []

    def walk(node: dict[str, object]) -> None:
        expected.append((str(node["type"]), str(node["identifier"]), bool(node["reserved"])))
        for child in node.get("children", []):  # type: ignore[attr-defined]
            walk(child)

    walk(structure)
    found = []
    for node in document.nodes:
        if node.kind not in ("paragraph", "definition"):
            number = node.label if node.kind == "section" else node.node_id.split()[-1]
            found.append((node.kind, number, node.reserved))
    assert found == expected


# --- another parser's tree of the same part ---------------------------------------------------------------------------


def test_every_paragraph_that_eregs_found_is_found(shared_data: Path) -> None:
    """eRegulations labels ``447-32-b``; its ``p1`` and hashes are its own names for texts without designator."""
    document, _, _ = read(shared_data, "annual/CFR-2003-title27-vol2-part447.xml")
    tree = json.loads((shared_data / "ecfr/annual/eregs-447/regulation.json").read_text())
    labels: set[str] = set()

    def walk(node: dict[str, object]) -> None:
        label = node["label"]
        if isinstance(label, list) and len(label) > 1 and label[1].isdigit():
            path = label[2:]
            if not any(re.fullmatch(r"p\d+", part) for part in path):
                labels.add(f"27 CFR 447.{label[1]}" + "".join(f"({part})" for part in path))
        for child in node["children"]:  # type: ignore[attr-defined]
            walk(child)

    walk(tree)
    found = set(ids(document))
    assert len(labels) > 150
    assert labels <= found
    ours = {i for i in found if re.fullmatch(r"27 CFR 447\.\d+(\(\w+\))*", i)}
    assert ours == labels


def test_the_contents_of_an_annual_part_open_no_sections(shared_data: Path) -> None:
    document, _, _ = read(shared_data, "annual/CFR-2003-title27-vol2-part447.xml")
    assert (len(ids(document, "section")), len(ids(document, "subpart"))) == (27, 7)
    assert sum(block.role == "note" for block in document.partition) >= 14


def test_official_interpretations_are_cited_as_comments(shared_data: Path) -> None:
    document, _, _ = read(shared_data, "annual/CFR-2012-title12-vol8-part1005.xml")
    assert text_of(document, "12 CFR Part 1005 Supplement I 20(b)(2)-3.i.A").startswith("A. Using the word")
    assert "12 CFR Part 1005 Appendix B" in {node.node_id for node in document.nodes if node.reserved}


def test_amended_text_is_not_taken_for_the_text_in_force(shared_data: Path) -> None:
    document, _, _ = read(shared_data, "fr/fr_2024-29957_excerpt.xml")
    assert all(node_id.startswith("FR Doc. 2024-29957") for node_id in ids(document))
    assert "FR Doc. 2024-29957 21 CFR 101.13(b)(2)(ii)" in ids(document)
