"""Whole documents: everything the parser and the passages make of the invented files, compared with kept output.

The kept output is written anew only on purpose: ``PINCITE_REGENERATE_GOLDEN=1 pytest tests/parse/test_golden.py``. While the
flag is set a test fails, so that nobody leaves it on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.model import Source
from pincite.parse import parse
from pincite.passages import build

ROOT = Path(__file__).parents[2]
FILES = (
    "title-99/part-1.xml",
    "title-99/part-2.xml",
    "bulk/title-99.xml",
    "annual/title-99-part-5.xml",
    "fr/fr-2026-00001.xml",
)
REGENERATE = os.environ.get("PINCITE_REGENERATE_GOLDEN") == "1"


def outline(path: str) -> Iterator[str]:
    """One line for each node, block, link, finding and passage, in the order of the records."""
    data = (ROOT / "fixtures" / "ecfr" / path).read_bytes()
    document = parse(Source(path, "2026-01-02", "", "", "application/xml", path, len(data), ""), data)
    for node in document.nodes:
        flags = " reserved" * node.reserved + f" readings={node.readings}" * bool(node.readings)
        raw = f"raw {node.raw_start}-{node.raw_end}"
        yield f"node {node.start}-{node.end} {raw} {node.kind} {node.node_id} | {node.heading}{flags}"
    for block in document.partition:
        if block.role != "blank":
            text = document.slice(1, block.start, block.end).decode()
            shown = document.display.get(block.ordinal, text)
            raw = f"raw {block.raw_start}-{block.raw_end}"
            yield f"block {block.start}-{block.end} {raw} {block.role} {block.node_id} | {' '.join(shown.split())}"
    for link in document.links:
        yield f"link {link.kind} {link.start}-{link.end} -> {link.target_start}-{link.target_end}"
    for finding in document.findings:
        yield f"finding {finding.kind} {finding.start} {finding.subject} | {finding.reason}"
    for passage in build(document):
        spans = ",".join(f"{span.start}-{span.end}" for span in passage.spans)
        shown = passage.retrieval_text.replace("\n", " ¶ ")
        yield f"passage {passage.node_id} {passage.role} {spans} {passage.exclusion_reason or 'indexed'} | {shown}"


@pytest.mark.parametrize("path", FILES)
def test_the_whole_document_is_as_it_was(path: str) -> None:
    kept = ROOT / "tests" / "golden" / "ecfr" / (path.replace("/", "-").removesuffix(".xml") + ".txt")
    made = "\n".join(outline(path)) + "\n"
    if REGENERATE:
        kept.write_text(made)
    assert made == kept.read_text()


def test_the_flag_that_regenerates_is_off() -> None:
    assert not REGENERATE, "unset PINCITE_REGENERATE_GOLDEN and look at the difference before committing it"


def test_the_same_text_in_two_dialects_gives_the_same_blocks_and_nodes() -> None:
    """Part 1 and 2 from the versioner, and the whole title from the bulk data."""

    def blocks(path: str) -> list[tuple[str, str, str]]:
        data = (ROOT / "fixtures" / "ecfr" / path).read_bytes()
        document = parse(Source(path, "", "", "", "application/xml", path, 0, ""), data)
        dashes = str.maketrans("–—", "--")
        return [
            (b.node_id, " ".join(document.slice(1, b.start, b.end).decode().translate(dashes).split()), b.role)
            for b in document.partition
            if b.node_id.startswith(("99 CFR 1.", "99 CFR 2.", "99 CFR Part 1", "99 CFR Part 2"))
        ]

    assert blocks("title-99/part-1.xml") + blocks("title-99/part-2.xml") == blocks("bulk/title-99.xml")
