"""The eCFR parser on the real files of three parts: counted facts, conservation, spans."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from pincite.model import Document, Source, conserved, sha256_hex
from pincite.parse import parse
from pincite.passages import build

pytestmark = pytest.mark.data


def read(folder: Path, path: str) -> tuple[Document, bytes]:
    data = (folder / "ecfr" / path).read_bytes()
    return parse(Source(path, "2026-07-29", "", "", "application/xml", path, len(data), sha256_hex(data)), data), data


@pytest.mark.parametrize(
    ("part", "subparts", "sections", "deepest"),
    [(11, 3, 10, "21 CFR 11.200(a)(1)(i)"), (210, 0, 3, "21 CFR 210.3(b)(16)(i)"), (211, 11, 60, "21 CFR 211.42(c)(10)(i)")],
)
def test_counted_facts(shared_data: Path, part: int, subparts: int, sections: int, deepest: str) -> None:
    document, data = read(shared_data, f"title-21/part-{part}.xml")
    kinds = [node.kind for node in document.nodes]
    assert (kinds.count("subpart"), kinds.count("section")) == (subparts, sections)
    assert deepest in {node.node_id for node in document.nodes}
    assert conserved(document)
    assert document.pages[0].decode() == "".join(ET.fromstring(data).itertext())


def test_every_span_of_every_passage_slices_back(shared_data: Path) -> None:
    document, data = read(shared_data, "title-21/part-211.xml")
    for passage in build(document):
        texts = [document.slice(span.page, span.start, span.end) for span in passage.spans]
        assert [sha256_hex(text) for text in texts] == [span.sha256 for span in passage.spans]
        assert "\n".join(text.decode() for text in texts) == passage.evidence_text
        for span, text in zip(passage.spans, texts, strict=True):
            raw = re.sub(rb"<[^>]*>", b"", data[span.raw_start : span.raw_end])
            assert text.decode().split()[0].encode("ascii", "xmlcharrefreplace").lower()[:2] in raw.lower() or b"&#" in raw
