"""A team's own PDFs cite and are cited as its other documents are; manuals of a known series keep their own numbers."""

from __future__ import annotations

import pymupdf
import pytest
from tests.references.test_internal import edges_of

from pincite.model import Document, Source, is_paper
from pincite.parse import parse
from pincite.parse.markdown import read_markdown
from pincite.references import family_of

LINES = (
    ("Travel Policy", 18),
    ("1. Claims", 13),
    ("Claims are paid within 30 days. See the Leave Policy and section 2 of leave.md.", 10),
    ("2. Limits", 13),
    ("The limit is 700 euro, as section 1 says.", 10),
)


def pdf(*lines: tuple[str, int]) -> bytes:
    made = pymupdf.open()
    page, at = made.new_page(), 60
    for text, size in lines:
        page.insert_text((60, at), text, fontsize=size, fontname="hebo" if size > 10 else "helv")
        at += 2 * size + 6
    return bytes(made.tobytes())


def paper(uri: str = "travel.pdf", *lines: tuple[str, int]) -> Document:
    data = pdf(*(lines or LINES))
    return parse(Source("travel", "1", "travel", uri, "application/pdf", "travel.pdf", len(data), ""), data)


def note(path: str, text: str) -> Document:
    return read_markdown(Source(path[:-3], "1", "", path, "text/markdown", path, len(text), ""), text.encode())


LEAVE = note("leave.md", "# Leave Policy\n\n## 1 Days\n\n25.\n\n## 2 Notes\n\nFrom day 3.\n")


def test_a_pdf_cites_other_documents_by_title_file_and_number() -> None:
    targets = {edge.mention: edge.target_node_id for edge in edges_of(paper(), LEAVE) if edge.document_id == "travel"}
    assert targets["Leave Policy"] == "leave"
    assert targets["section 2 of leave.md"] == "leave#2-notes"
    assert str(targets["section 1"]).endswith("1. Claims")


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("see the Travel Policy", ""),
        ("see travel.pdf", ""),
        ("section 2 of the Travel Policy", "2. Limits"),
        ("the “Claims” section of the Travel Policy", "1. Claims"),
        ("[limits](travel.pdf)", ""),
    ],
)
def test_a_pdf_is_cited_by_title_file_heading_and_number(words: str, place: str) -> None:
    edges = [edge for edge in edges_of(paper(), note("a.md", f"# A\n\nAs {words} says.\n")) if edge.document_id == "a"]
    assert [edge.status for edge in edges] == ["resolved"]
    assert str(edges[0].target_node_id) == "travel" if not place else str(edges[0].target_node_id).endswith(place)


def test_what_a_publisher_serves_keeps_the_grammar_of_manuals() -> None:
    assert family_of(paper()) == "paper"
    served = paper("https://example.org/travel.pdf")
    assert not is_paper(served)
    assert family_of(served) == "manual"
