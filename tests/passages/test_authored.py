"""Authored documents: the same bytes each time, and the same structure when they are read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import Malformed
from pincite.model import Document, Source
from pincite.parse.compose import Composer
from pincite.parse.markdown import read_markdown
from pincite.passages.authored import authored, read_back

TEXT = """---
title: Leave Policy
id: HR-7
---
# Leave Policy

Intro.

## 1. Days

Ten days:

- in summer
- in winter

| Site | Days |
|---|---|
| North | 10 |

## 2. Carry over

None[^1].

[^1]: Except in leap years.
"""


def doc(text: str) -> Document:
    data = text.encode()
    return read_markdown(Source("leave", "1", "Leave", "hr/leave.md", "text/markdown", "hr/leave.md", len(data), "ab"), data)


def test_provenance_stands_in_the_front_matter_and_prose_in_the_body() -> None:
    text = authored(doc(TEXT))
    given_, paragraphs = read_back(text)
    assert given_["source_path"] == "hr/leave.md"
    assert given_["parser"].startswith("markdown ")
    assert "## 1—Days\n\nTen days:\n\n" in text
    assert "HR-7" not in text  # properties of the source are no prose
    assert [p.text for p in paragraphs][:4] == ["Intro.", "Ten days:", "in summer", "in winter"]


def test_reading_back_gives_the_places_and_bytes_of_the_source() -> None:
    document = doc(TEXT)
    _, paragraphs = read_back(authored(document))
    for each in paragraphs:
        words = document.slice(each.page, each.start, each.end).decode()
        assert each.text.split(" ")[0].strip(".") in words
    assert [p.node_id for p in paragraphs if p.role == "footnote"] == ["leave#2-carry-over/footnote-1"]


def test_an_authored_document_is_the_same_byte_for_byte() -> None:
    assert authored(doc(TEXT)) == authored(doc(TEXT))


def test_an_authored_document_is_markdown_with_the_same_headings() -> None:
    document = doc(TEXT)
    again = doc(authored(document))
    assert [node.heading for node in again.nodes if node.kind == "heading"] == ["1—Days", "2—Carry over"]
    assert again.nodes[0].heading == "Leave Policy"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip), max_size=6))
def test_any_paragraph_comes_back(texts: list[str]) -> None:
    made = Composer(Source("x", "1", "X", "x", "text/plain", "x.txt", 0, ""), "test", "1")
    for text in texts:
        made.add(text, "body")
    _, paragraphs = read_back(authored(made.document()))
    assert [p.text for p in paragraphs] == [t.replace("\r\n", "\n").replace("\r", "\n").strip("\n") for t in texts]


def test_another_file_is_refused() -> None:
    with pytest.raises(Malformed, match="no authored document"):
        read_back(TEXT)
