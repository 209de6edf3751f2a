"""A small house of our own: a document of each format that teams have, citing each other (fixtures/house)."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest
from tests.parse.reading import shown, sound

from pincite.model import Document, Source, sha256_hex
from pincite.parse import parse
from pincite.parse.formats import FORMATS, media_type_of
from pincite.references import observe
from pincite.references.names import names_of
from pincite.references.resolve import known_of, resolve

HOUSE = Path(__file__).parents[2] / "fixtures" / "house"
FILES = sorted(path.name for path in HOUSE.iterdir())


def made(name: str) -> Document:
    data = (HOUSE / name).read_bytes()
    return parse(Source(name, "1", name, name, media_type_of(name), name, len(data), sha256_hex(data)), data)


@pytest.mark.parametrize("name", FILES)
def test_every_document_of_the_house_is_read(name: str) -> None:
    document = made(name)
    assert sound(document)
    assert not [finding for finding in document.findings if finding.kind.endswith(("_not_read", "_guessed"))]
    assert sum(node.kind != "document" for node in document.nodes) >= 2


def test_the_house_has_the_formats_that_are_text_and_those_of_office() -> None:
    wanted = {known.media_type for known in FORMATS if known.extensions[:1] in {(e,) for e in ENDINGS}}
    assert {media_type_of(name) for name in FILES} == wanted


ENDINGS = (
    ".md",
    ".html",
    ".mht",
    ".csv",
    ".tsv",
    ".json",
    ".jsonl",
    ".txt",
    ".eml",
    ".mbox",
    ".docx",
    ".xlsx",
    ".pptx",
    ".pdf",
)


def test_links_lead_to_files_and_places_of_the_house() -> None:
    followed = 0
    for name in FILES:
        for link in made(name).hyperlinks:
            file, _, fragment = unquote(link.target).partition("#")
            assert not file or file in FILES, link.target
            if fragment:
                target = made(file or name)
                ids = {node.node_id.partition("#")[2] for node in target.nodes}
                assert fragment in ids | set(target.anchors), link.target
                followed += 1
    assert followed == 2


def test_words_that_stop_the_clock_are_found_below_their_heading() -> None:
    document = made("handbook.md")
    (place,) = (node for node in document.nodes if node.label == "2.1")
    (block,) = (block for block in document.partition if block.node_id == place.node_id and block.role == "body")
    assert "does not count toward the 8 business hour target" in document.slice(1, block.start, block.end).decode()
    assert place.parent_id == "handbook.md#2-response-targets"


def test_tables_of_three_formats_keep_their_cells() -> None:
    assert shown(made("duty.html"), "table") == [
        "Watch | From | To",
        "Night | 20:00 | 00:00",
        "Night | 00:00 | 08:00",
        "Day | 08:00 | 20:00",
    ]
    assert shown(made("lamps.csv"), "table")[3] == (
        "Lamp: L-3 | Station: Größere Sandbank | Oil per night (l): 0,75 | Rule: see log-rules.txt"
    )
    assert shown(made("storm.eml"), "table")[1] == "Lamp: L-2 | From: 02:10 | To: 02:55"


def test_every_reference_of_the_house_leads_to_a_place_in_it() -> None:
    """Formats cite each other: a slide the handbook, a mailbox a sheet, a PDF a saved page."""
    documents = [made(name) for name in FILES]
    held = [
        (document.source.document_id, node.node_id, (), names)
        for document in documents
        for node, names in zip(document.nodes, names_of(document))
    ]
    edges = [edge for each in documents for edge in resolve(observe(each), known_of(held), source=each.source)]
    assert [(edge.document_id, edge.mention) for edge in edges if edge.status != "resolved"] == []
    assert len({edge.document_id for edge in edges}) >= 11
    assert len(edges) >= 23
