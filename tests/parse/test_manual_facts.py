"""Every counted fact of the real manuals: as PDFs and as pages of text, where both are there."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

import pytest

from pincite.model import Document, Node, Source, uncovered
from pincite.parse.manual.structure import structure
from pincite.parse.manual.text import parse_pages
from pincite.parse.pdf.read import read

pytestmark = pytest.mark.data
BOTH = ("retypeset.pdf", "pages.json")
CH77 = "dmg/dmg-vol13-ch77"
AM36 = "dmg/dmg-vol13-amendment36-excerpt"
AM27 = "dmg/dmg-vol8-amendment27-excerpt"
P4 = "adm/adm-chapter-p4-excerpt"
MEMO21 = "adm/adm-memo-06-21"
MEMO25 = "adm/adm-memo-02-25"
ABBREVIATIONS = "adm/adm-abbreviations"


@lru_cache(maxsize=32)
def load(path: Path) -> Document:
    data = path.read_bytes()
    name = path.name.split(".")[0]
    pages = path.parent / f"{name}.pages.json"
    title = json.loads(pages.read_bytes())["title"] if pages.exists() else ""
    source = Source(name, "1", title, "", "application/pdf", path.name, len(data), "")
    return parse_pages(source, data) if path.suffix == ".json" else structure(source, read(data, path.name))


@pytest.fixture(params=BOTH)
def manual(request: pytest.FixtureRequest, shared_data: Path):
    return lambda name: load(shared_data / "manuals" / f"{name}.{request.param}")


def nodes(document: Document, kind: str) -> list[Node]:
    return [node for node in document.nodes if node.kind == kind]


def labels(document: Document, pattern: str, kind: str = "paragraph") -> list[str]:
    return [node.label for node in nodes(document, kind) if re.fullmatch(pattern, node.node_id)]


def text_of(document: Document, node_id: str) -> str:
    """All the text of a node and what is below it."""
    inside = {node_id}
    for node in document.nodes:
        if node.parent_id in inside and node.kind in ("item",):
            inside.add(node.node_id)
    blocks = [block for block in document.partition if block.node_id in inside]
    return "\n".join(document.slice(b.page, b.start, b.end).decode() for b in blocks)


def flat(text: str) -> str:
    return " ".join(text.split())


def page_roles(document: Document) -> dict[int, set[str]]:
    roles: dict[int, set[str]] = defaultdict(set)
    for block in document.partition:
        if block.role != "blank":
            roles[block.page].add(block.role)
    return roles


def role_lines(document: Document, role: str) -> list[str]:
    lines = []
    for block in document.partition:
        if block.role == role:
            lines += [line for line in document.slice(block.page, block.start, block.end).decode().split("\n") if line.strip()]
    return lines


def doubts(document: Document) -> list[str]:
    return [finding.subject for finding in document.findings if finding.kind == "uncertain_boundary"]


# --- DMG chapter 77 ----------------------------------------------------------------------------------------------------


def test_chapter_77_has_its_numbered_paragraphs(manual) -> None:
    document = manual(CH77)
    body = labels(document, r"DMG \d{5}")
    assert (len(body), body[0], body[-1]) == (99, "77001", "77376")
    assert (page_of(document, "DMG 77001"), page_of(document, "DMG 77376")) == (3, 43)
    assert labels(document, r"DMG Chapter 77 Appendix 1 para \d+") == [str(n) for n in range(1, 72)]
    assert len(nodes(document, "paragraph")) == 170


def page_of(document: Document, node_id: str) -> int:
    return next(node.page for node in document.nodes if node.node_id == node_id)


def test_chapter_77_has_its_reserved_ranges(manual) -> None:
    reserved = [node.label for node in nodes(manual(CH77), "reserved")]
    assert (len(reserved), reserved[0], reserved[-1]) == (16, "77036-77040", "77379-77999")
    named = " ".join(reserved)
    assert "77377" not in named
    assert "77378" not in named


@pytest.mark.parametrize(
    ("page", "line", "holder"),
    [
        (3, "77330) and", "DMG 77001 1"),
        (21, "77120", "DMG 77117 5"),
        (24, "77117 2.). But both partners", "DMG 77128"),
        (28, "77164 for further details.", "DMG 77161"),
        (79, "78040 et seq).", "DMG Chapter 77 Appendix 2 Example 9"),
    ],
)
def test_a_wrapped_reference_is_no_paragraph(manual, page: int, line: str, holder: str) -> None:
    document = manual(CH77)
    found = [
        block.node_id
        for block in document.partition
        if block.page == page
        and any(text.startswith(line) for text in document.slice(page, block.start, block.end).decode().split("\n"))
    ]
    assert found == [holder]


def test_chapter_77_has_its_examples(manual) -> None:
    document = manual(CH77)
    starts = [
        block
        for block in document.partition
        if block.role == "example" and document.slice(block.page, block.start, block.end).startswith(b"Example")
    ]
    body = [block for block in starts if "Appendix" not in block.node_id]
    assert (len(body), body[0].page, body[-1].page) == (29, 10, 42)
    titled = nodes(document, "example")
    assert [node.label for node in titled] == [f"Example {n}" for n in range(1, 13)]
    assert (titled[0].page, titled[-1].page_end) == (70, 83)
    assert all(node.page < node.page_end for node in titled[:3])


def test_chapter_77_has_its_contents_pages(manual) -> None:
    roles = page_roles(manual(CH77))
    only = [page for page, found in roles.items() if "contents" in found and not found - {"contents", "heading"}]
    then_text = [page for page, found in roles.items() if "contents" in found and found - {"contents", "heading"}]
    assert only == [1, 2, 13, 18, 31]
    assert then_text == [5, 14, 19, 20, 26, 32, 34, 37, 44, 69, 70]


def test_chapter_77_has_its_citation_lines(manual) -> None:
    document = manual(CH77)
    assert len(role_lines(document, "footnote")) == 76
    first = {}
    for block in document.partition:
        if block.role not in ("blank", "page_furniture"):
            first.setdefault(block.page, block)
    opening = {page: block.node_id for page, block in first.items() if block.role == "footnote"}
    assert opening == {10: "DMG 77020", 16: "DMG 77035", 23: "DMG 77120", 30: "DMG 77183"}


def test_every_raised_digit_of_chapter_77_finds_its_citation(manual) -> None:
    document = manual(CH77)
    links = [link for link in document.links if link.kind == "legal_citation"]
    assert len(links) >= 104
    for link in links:
        mark = document.slice(link.page, link.start, link.end).decode()
        assert document.slice(link.target_page, link.target_start, link.target_end).decode().startswith(mark)


def test_a_note_after_the_citation_and_a_citation_after_an_example(manual) -> None:
    document = manual(CH77)
    text = flat(text_of(document, "DMG 77013"))
    assert text.index("1 SPC Regs Reg 1(2)") < text.index("Note 1: A person under the age of 16")
    roles = [block.role for block in document.partition if block.node_id == "DMG 77023"]
    assert roles == ["body", "example", "footnote"]


def test_errors_of_the_source_are_kept(manual) -> None:
    document = manual(CH77)
    everything = flat(" ".join(page.decode() for page in document.pages))
    for slip in ("DMG 77350167", "77370 - 79999", "exception in DMG 77026 below", "£15.511", "£2-", "Chantal", "Chantel"):
        assert slip in everything
    assert "nurse to keep an eye on the occupants" in flat(text_of(document, "DMG 77131"))
    assert "Subject to the exception in DMG 77026" in flat(text_of(document, "DMG 77026"))


def test_page_84_is_a_notice(manual) -> None:
    assert page_roles(manual(CH77))[84] == {"notice"}


@pytest.mark.parametrize(
    ("paragraph", "heading"),
    [
        ("DMG 77001", "Scope of this Chapter"),
        ("DMG 77005", "Care home - England"),
        ("DMG 77031", "Entitlement to State Pension Credit 77031 - 77099"),
        ("DMG 77024", "Approved training"),
        ("DMG 77122", "Exception"),
        ("DMG 77140", "Meaning of mixed-age"),
        ("DMG 77161", "UC treatment of couple rules"),
        ("DMG Chapter 77 Appendix 1 para 7", "Standard minimum guarantee (see DMG 77331)"),
    ],
)
def test_a_paragraph_stands_under_its_own_heading(manual, paragraph: str, heading: str) -> None:
    document = manual(CH77)
    by_id = {node.node_id: node for node in document.nodes}
    assert by_id[by_id[paragraph].parent_id or ""].heading == heading


def test_a_heading_of_an_appendix_does_not_take_the_range_of_its_namesake(manual) -> None:
    by_id = {node.node_id: node for node in manual(CH77).nodes}
    node, above = by_id["DMG Chapter 77 Appendix 1 para 7"], []
    while node.parent_id:
        node = by_id[node.parent_id]
        above.append(node.heading)
    assert "Guarantee credit from 8.04.13" in above or "Standard minimum guarantee (see DMG 77331)" in above
    assert "Savings credit" not in above


def test_items_are_nodes_below_their_paragraph(manual) -> None:
    document = manual(CH77)
    below = [node.label for node in document.nodes if node.node_id.startswith("DMG 77117 ")]
    assert below == ["1", "1.1", "1.2", "2", "3", "3.1", "3.2", "3.2.a", "3.2.b", "3.3", "4", "5", "6"]
    parent = {node.node_id: node.parent_id for node in document.nodes}
    assert parent["DMG 77117 3.2.b"] == "DMG 77117 3.2"


# --- DMG amendment packages -----------------------------------------------------------------------------------------------


def test_amendment_36(manual) -> None:
    document = manual(AM36)
    assert labels(document, r"DMG Volume 13 Amendment 36 para \d") == ["1", "2", "4", "5", "6"]
    body = labels(document, r"DMG \d{5}")
    assert body[:7] == [str(n) for n in range(78270, 78277)]
    assert body[7:] == [str(n) for n in (*range(78427, 78432), *range(78437, 78442), *range(78443, 78449), 78455)]
    assert [node.label for node in nodes(document, "reserved")] == ["78432-78436", "78442", "78449-78454"]
    roles = page_roles(document)
    assert roles[3] == {"reference_dictionary", "page_furniture"}
    assert 4 not in roles
    assert roles[5] == {"contents", "page_furniture"}
    feet = [flat(line) for line in role_lines(document, "page_furniture")]
    assert set(feet) == {"Vol 13 Amendment 36 February 2016", "Abbreviations Amendment 17 Feb 2016"}
    assert len(feet) == 8


def test_amendment_36_paragraphs_across_a_foot_and_after_a_citation(manual) -> None:
    document = manual(AM36)
    text = flat(text_of(document, "DMG 78443"))
    assert "2. are held on trust for the Crown or a government department." in text.replace("2. are", "2. are")
    assert text.endswith("1 SPC Regs, Sch II, para 13(6)(b)")
    text = flat(text_of(document, "DMG 78276"))
    assert text.index("2 Sch II, para 5(6)(b)") < text.index("3. where the prescribed time")
    assert "is an important part of the structure" not in text


def test_amendment_36_has_a_page_that_begins_inside_another_paragraph(manual) -> None:
    document = manual(AM36)
    (finding,) = (finding for finding in document.findings if finding.kind == "unattached_text")
    assert finding.page == 8


def test_amendment_27_is_read_although_letter_spaced(manual) -> None:
    document = manual(AM27)
    assert labels(document, r"DMG \d{5}") == ["44647", "44648", "44649", "44650"]
    assert labels(document, r"DMG Chapter 44 Appendix 3 para \d") == ["1", "2", "3"]
    shown = {
        block.node_id: document.display[block.ordinal] for block in document.partition if block.ordinal in document.display
    }
    assert shown["DMG 44649 1"] == "1. the support component if DMG 44648.1 applies or"
    source = next(block for block in document.partition if block.node_id == "DMG 44649 1")
    assert b"t h e s u p p ort c o m p o n e nt" in document.slice(source.page, source.start, source.end)
    examples = [block for block in document.partition if block.role == "example"]
    assert {block.node_id for block in examples} == {"DMG 44650"}
    assert {block.page for block in examples} == {1, 2}


def test_amendment_27_is_told_by_its_pages_alone(shared_data: Path) -> None:
    """Its title is not known, and three of its four pages print every word in pieces."""
    data = (shared_data / "manuals" / f"{AM27}.retypeset.pdf").read_bytes()
    document = structure(Source("x", "1", "", "", "application/pdf", "x.pdf", len(data), ""), read(data, "x.pdf"))
    assert labels(document, r"DMG \d{5}") == ["44647", "44648", "44649", "44650"]


# --- ADM ------------------------------------------------------------------------------------------------------------------


def test_chapter_p4(manual) -> None:
    document = manual(P4)
    want = [f"P40{n:02d}" for n in (*range(1, 5), *range(6, 10), *range(16, 25))]
    assert labels(document, r"ADM P\d{4}") == want
    assert [node.label for node in nodes(document, "reserved")] == ["P4005", "P4010-P4015", "P4025-P4030"]
    assert flat(text_of(document, "ADM P4006")).startswith("P4006 P4004 does not apply where")
    notes = [
        flat(document.slice(b.page, b.start, b.end).decode())[:12]
        for b in document.partition
        if b.role == "note" and b.node_id == "ADM P4016"
    ]
    assert len(notes) == 2
    third = [block.page for block in document.partition if block.role == "example" and block.node_id == "ADM P4020"]
    assert third == [5, 5, 5, 6]


def test_a_range_broken_over_two_lines_is_part_of_the_heading(manual) -> None:
    document = manual(P4)
    headings = [node.heading for node in nodes(document, "heading")]
    assert "Hospitals (or Similar institutions), Care Homes and Prisons P4002 - P4030" in headings


def test_two_stacked_headings_stand_above_one_paragraph(manual) -> None:
    document = manual(P4)
    by_id = {node.node_id: node for node in document.nodes}
    inner = by_id[by_id["ADM P4020"].parent_id or ""]
    outer = by_id[inner.parent_id or ""]
    assert (outer.heading, inner.heading) == ("Linking rules", "For Prisoners")


def test_memo_06_21(manual) -> None:
    document = manual(MEMO21)
    assert labels(document, r"Memo ADM 06/21 para \d+") == [str(n) for n in range(1, 68)]
    items = [node.label for node in document.nodes if node.node_id.startswith("Memo ADM 06/21 para 60 ")]
    assert items == ["3", "4"]
    text = flat(text_of(document, "Memo ADM 06/21 para 32"))
    assert "in the UK for at least one year, provided" in text
    assert "due to pregnancy or childbirth" in text
    roles = page_roles(document)
    assert roles[1] <= {"contents", "heading", "body"}
    assert "contents" in roles[2]
    assert {block.page for block in document.partition if block.role == "example"} == {6, 7}
    cited = [block.role for block in document.partition if block.node_id == "Memo ADM 06/21 para 53"]
    assert cited.count("footnote") == 2
    targets = [
        document.slice(link.target_page, link.target_start, link.target_end).decode()
        for link in document.links
        if link.kind == "annotation"
    ]
    assert targets == ["C2119", "C2120 (Heading)", "C2134", "C1290", "C1294", "C1314"]
    assert {"annotation", "contact", "notice"} <= roles[21]


def test_memo_02_25(manual) -> None:
    document = manual(MEMO25)
    assert labels(document, r"Memo ADM 02/25 para \d+") == [str(n) for n in range(1, 16)]
    first = next(node for node in document.nodes if node.node_id == "Memo ADM 02/25 para 1")
    assert (first.page, first.page_end) == (1, 2)
    for paragraph, items in {
        12: ["1", "2", "3"],
        13: ["1", "2", "3"],
        14: ["1", "1.1", "1.2", "1.3", "2", "2.1", "2.2", "2.3"],
    }.items():
        assert [n.label for n in document.nodes if n.node_id.startswith(f"Memo ADM 02/25 para {paragraph} ")] == items
    assert len([link for link in document.links if link.kind == "annotation"]) == 12
    assert [finding.page for finding in document.findings if finding.kind == "blank_page"] == [6]


def test_abbreviations(manual) -> None:
    document = manual(ABBREVIATIONS)
    entries = [node for node in document.nodes if node.kind == "item"]
    assert len(entries) == 138
    assert (entries[0].label, entries[0].heading) == ("AA", "Attendance Allowance")
    assert nodes(document, "paragraph") == []


# --- the published PDFs -----------------------------------------------------------------------------------------------------


def pdf(shared_data: Path, name: str) -> Document:
    return load(shared_data / "manuals" / "pdf" / name)


def test_nppf(shared_data: Path) -> None:
    document = pdf(shared_data, "uk-nppf-2024-12.pdf")
    assert labels(document, r"NPPF para \d+") == [str(n) for n in range(1, 244)]
    assert (page_of(document, "NPPF para 1"), page_of(document, "NPPF para 243")) == (4, 69)
    marks = [link for link in document.links if link.kind == "footnote"]
    assert len(marks) == 91
    assert [node.label for node in document.nodes if node.node_id.startswith("NPPF para 11(")] == [
        "a",
        "b",
        "i",
        "ii",
        "c",
        "d",
        "i",
        "ii",
    ]
    assert page_roles(document)[3] == {"contents", "page_furniture"}


def test_irm(shared_data: Path) -> None:
    import pymupdf

    document = pdf(shared_data, "us-irm-2.3.59.pdf")
    marks = pymupdf.open(shared_data / "manuals/pdf/us-irm-2.3.59.pdf").get_toc()
    assert len(marks) == 134
    want = []
    for _, title, page in marks[2:]:
        number = title.split()[0]
        want.append((f"IRM Exhibit {number}" if "-" in number else f"IRM {number}", page))
    have = {(node.node_id, node.page) for node in document.nodes if node.kind in ("margin_section", "annex")}
    assert set(want) <= have
    assert len(have) == len(want)
    assert [node.label for node in document.nodes if node.parent_id == "IRM 2.3.59.4"] == ["1", "2", "3", "4", "5", "6"]
    assert [finding.page for finding in document.findings if finding.kind == "blank_page"] == [2, 400]


@pytest.mark.parametrize(
    "name",
    [
        "us-nist-sp-800-223.pdf",
        "us-federal-register-2020-17221.pdf",
        "us-cfr-21-part-1308.pdf",
        "us-hr1904-enrolled.pdf",
        "us-dmca-summary-1998.pdf",
        "us-irs-i1040nr-2007.pdf",
        "us-direct-loan-layouts.pdf",
        "us-fda-pro-guidance-excerpt.pdf",
        "uk-nppf-2024-12.pdf",
        "us-irm-2.3.59.pdf",
    ],
)
def test_every_byte_of_a_published_pdf_is_in_one_block(shared_data: Path, name: str) -> None:
    document = pdf(shared_data, name)
    assert list(uncovered(document.pages, document.partition)) == []


def test_every_byte_of_a_manual_is_in_one_block_and_hardly_any_boundary_is_unclear(manual) -> None:
    passages = unclear = 0
    for name in (CH77, AM36, AM27, P4, MEMO21, MEMO25, ABBREVIATIONS):
        document = manual(name)
        assert list(uncovered(document.pages, document.partition)) == []
        passages += len(nodes(document, "paragraph"))
        unclear += len(doubts(document))
    assert unclear < 0.01 * passages


def test_columns_are_read_one_after_the_other(shared_data: Path) -> None:
    document = pdf(shared_data, "us-federal-register-2020-17221.pdf")
    page = flat(document.pages[1].decode())
    assert "the flight data recorder, which is contained in the Indonesian accident report" in page


def test_a_hyphen_at_a_line_end_is_joined_for_display_and_kept_in_the_source(shared_data: Path) -> None:
    document = pdf(shared_data, "us-irm-2.3.59.pdf")
    block = next(b for b in document.partition if b.node_id == "IRM 2.3.59.1(6)")
    assert b"Inter-\nnational" in document.slice(block.page, block.start, block.end)
    assert (
        "International Government" in flat(document.display[block.ordinal])
        or "International" in document.display[block.ordinal]
    )
