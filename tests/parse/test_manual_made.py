"""Manuals made from a seed, in many layouts: which paragraphs are found is measured, not believed."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.parse import made_manual

from pincite.model import Source, conserved
from pincite.parse.manual.structure import structure
from pincite.parse.pdf.read import read

SOURCE = Source("made", "1", "The Manual of Things", "", "application/pdf", "made.pdf", 1, "")


def test_numbered_paragraphs_of_eight_layouts_are_found() -> None:
    right = found_in_all = wanted_in_all = 0
    for seed in range(8):
        made = made_manual.make(seed)
        document = structure(SOURCE, read(made.data, "made.pdf", styled=False))
        assert conserved(document)
        found = [node.label for node in document.nodes if node.kind == "paragraph"]
        right += len(set(found) & set(made.labels))
        found_in_all += len(found)
        wanted_in_all += len(made.labels)
    assert right / found_in_all >= 0.99
    assert right / wanted_in_all >= 0.99


@pytest.mark.parametrize("scheme", ["dotted", "flat", "lettered", "stop", "plain"])
def test_every_scheme_is_told_without_knowing_the_family(scheme: str) -> None:
    layout = made_manual.Layout(scheme, "helv", 10.0, True, False, 0.6, "a", True, True)
    made = made_manual.make(7, layout)
    document = structure(SOURCE, read(made.data, "made.pdf", styled=False))
    assert [node.label for node in document.nodes if node.kind == "paragraph"] == made.labels


def test_footnotes_and_running_heads_are_no_part_of_a_paragraph() -> None:
    layout = made_manual.Layout("flat", "helv", 10.0, False, False, 0.6, "", True, True)
    made = made_manual.make(3, layout)
    document = structure(SOURCE, read(made.data, "made.pdf", styled=False))
    heads: Counter[str] = Counter()
    for block in document.partition:
        text = document.slice(block.page, block.start, block.end).decode()
        if "The Manual of Things" in text:
            heads[block.role] += 1
        if "See the Act of" in text:
            assert block.role == "footnote"
    # a chapter of one page has a running head that no neighbour repeats
    assert heads["page_furniture"] >= 0.9 * heads.total()


@pytest.mark.parametrize("form", ["{chapter}.{number}", "{letter}.{number}", "{number}"])
def test_two_levels_lettered_parts_and_numbers_that_begin_again(form: str) -> None:
    layout = made_manual.Layout("plain", "helv", 10.0, True, False, 0.6, "a", True, False)
    maker = made_manual.Maker(5, layout)
    for chapter in range(1, 5):
        maker.chapter = f"Chapter {chapter}"
        maker.new_page()
        maker.heading(f"Chapter {chapter} {maker.sentence(3)}", 20)
        for number in range(1, 9):
            maker.paragraph(form.format(chapter=chapter, letter=chr(64 + chapter), number=number))
    made = maker.done()
    document = structure(SOURCE, read(made.data, "made.pdf", styled=False))
    assert [node.label for node in document.nodes if node.kind == "paragraph"] == made.labels
    assert len({node.node_id for node in document.nodes}) == len(document.nodes)
