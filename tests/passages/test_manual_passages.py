"""Passages of manuals: a numbered paragraph is one passage, with its notes, citations and examples."""

from __future__ import annotations

from pincite.model import Document, Passage, Source
from pincite.parse.manual.structure import structure
from pincite.parse.manual.text import observe_texts
from pincite.passages import build

SOURCE = Source("mini", "1", "DMG Chapter 61: Invented rules", "", "application/pdf", "mini.pdf", 1, "")
LONG = " ".join(f"The invented condition number {n} of this long paragraph has to be met by every claimant." for n in range(40))


def document(*pages: str) -> Document:
    return structure(SOURCE, observe_texts([(page, ()) for page in pages]))


def passage(made: tuple[Passage, ...], node_id: str) -> Passage:
    (found,) = (passage for passage in made if passage.node_id == node_id and passage.indexable)
    return found


def lines(text: str, width: int = 90) -> str:
    out, line = [], ""
    for word in text.split():
        if len(line) + len(word) > width:
            out.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return "\n".join([*out, line])


FIRST = f"""DMG Chapter 61: Invented rules

General rules

{lines("61001 The DM should see DMG 61002 before. " + LONG)}

1. first and

2. second.

Note: This is a note.
"""
SECOND = """                                                             1 Invented Regs, reg 1(1)

Example

Ann meets every condition.

61002 The second paragraph.
"""


def test_a_long_paragraph_is_one_passage_over_two_pages() -> None:
    made = build(document(FIRST, SECOND))
    found = passage(made, "DMG 61001")
    assert found.spans[0].page == 1
    assert found.spans[-1].page == 2
    for part in ("The DM should see", "condition number 39", "1. first and", "Note: This is", "1 Invented Regs", "Ann meets"):
        assert part in " ".join(found.evidence_text.split())
    assert "The second paragraph" not in found.evidence_text
    assert found.heading_path[-2:] == ("General rules", "61001")


def test_evidence_is_the_bytes_of_its_spans() -> None:
    doc = document(FIRST, SECOND)
    for found in build(doc):
        assert found.evidence_text == "\n".join(doc.slice(span.page, span.start, span.end).decode() for span in found.spans)


def test_retained_text_is_bounded() -> None:
    """No ancestor's text is held once for each descendant: all passages together are hardly longer than the document."""
    pages = [
        f"{lines(f'{61000 + n} The rule for case {n}. ' + LONG[:900])}\n\n1. one and\n\n    1.1 deeper and\n\n2. two.\n"
        for n in range(1, 60)
    ]
    doc = document(*pages)
    total = sum(len(page) for page in doc.pages)
    assert sum(len(found.evidence_text) for found in build(doc)) <= 1.02 * total
