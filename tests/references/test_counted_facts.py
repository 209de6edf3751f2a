"""The real parts: what hand counts say is there, that spans are exact, and that both dialects of one title read alike."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from pincite.model import Document, Observed, Place, Source
from pincite.parse import parse
from pincite.references import find, observe
from pincite.references.resolve import known_of, resolve

pytestmark = pytest.mark.data

NOT_BODY = {"heading", "authority", "source_note", "amendment_history"}
PARSED = (
    *(f"title-21/part-{part}.xml" for part in (11, 210, 211, 320, 601)),
    *("title-21/section-101.65.xml", "title-21/section-74.303.xml", "title-36/part-800.xml", "title-33/part-323.xml"),
    *(f"annual/CFR-2012-title12-vol8-part{part}.xml" for part in (1004, 1005)),
    *("annual/CFR-2003-title27-vol2-part447.xml", "fr/fr_2024-29957_excerpt.xml", "fr/fr_2025-03118_delay.xml"),
    *("title-1/ECFR-title1-bulk.xml", "title-1/title-1-versioner.xml", "title-3/title-3-full.xml"),
)


@cache
def read(path: Path) -> tuple[Document, tuple[Observed, ...]]:
    data = path.read_bytes()
    document = parse(Source(path.stem, "2026-07-29", path.stem, "", "application/xml", str(path), len(data), ""), data)
    return document, observe(document)


def mentions(path: Path, *, body: bool = True) -> list[str]:
    """The mentions of a file's body (or of everything else), with single spaces."""
    document, observed = read(path)
    starts = [block.start for block in document.partition]
    roles = [document.partition[bisect_right(starts, seen.span.start) - 1].role for seen in observed]
    return [" ".join(seen.mention.text.split()) for seen, role in zip(observed, roles) if (role not in NOT_BODY) == body]


FORMS = {
    "sites with a section sign": r"§.*",
    "§ N.N": r"§ [\d.]+",
    "§ N.N(x)": r"§ [\d.]+(\(\w+\))+",
    "§ N.N of this chapter": r"§ [\d.]+ of this chapter",
    "§ N.N(x) of this chapter": r"§ [\d.]+(\(\w+\))+ of this chapter",
    "§§ lists and ranges": r"§§.*",
    "paragraph (x) of this section": r"[Pp]aragraphs? \(.*",
    "part N of this chapter": r"(subpart \w of )?parts? \d.*",
    "subpart X of part N": r"subpart \w of part \d.*",
    "section N of an Act": r"[Ss]ections? \d.* [Aa]ct",
    "N U.S.C.": r"\d+ U\.S\.C\. .*",
    "N CFR part N": r"\d+ CFR part \d+",
}
COUNTED = {
    "11": (5, 2, 0, 0, 2, 1, 1, 17, 8, 1, 1, 0),
    # 210: "§ 312.21(b) and (c) of this chapter" is two mentions, the first without "of this chapter"; once it
    # says "must comply with part 211" and no more
    "210": (5, 0, 1, 2, 2, 0, 0, 17, 0, 9, 2, 0),
    "211": (47, 27, 7, 4, 4, 5, 8, 6, 0, 4, 1, 1),
}


@pytest.mark.parametrize("part", COUNTED)
def test_forms_in_the_body(shared_data, part):
    found = mentions(shared_data / f"ecfr/title-21/part-{part}.xml")
    counted = {name: sum(bool(re.fullmatch(form, mention)) for mention in found) for name, form in FORMS.items()}
    assert counted == dict(zip(FORMS, COUNTED[part]))


@pytest.mark.parametrize(("part", "citations"), [("11", 10), ("210", 13), ("211", 75)])
def test_federal_register_citations_in_the_amendment_history(shared_data, part, citations):
    document, observed = read(shared_data / f"ecfr/title-21/part-{part}.xml")
    history = [block for block in document.partition if block.role == "amendment_history"]
    inside = [s for s in observed if any(b.start <= s.span.start < b.end for b in history) and " FR " in s.mention.text]
    assert len(inside) == citations


def test_targets_of_lists_and_ranges(shared_data):
    document, observed = read(shared_data / "ecfr/title-21/part-211.xml")
    page, end, pieces = document.pages[0], -1, []
    for seen in observed:
        between = page[end : seen.span.start].decode()
        opens = seen.mention.text.startswith("§§")
        if opens or (end >= 0 and re.fullmatch(r"\s*,?\s*(?:and|or)?\s*", between)):
            pieces.append(seen.mention.text)
            end = seen.span.end
        else:
            end = -1
    assert sum("." in piece for piece in pieces) == 13  # the sections that five lists name
    assert [piece for piece in pieces if "." not in piece] == ["(d)"]  # and "211.101(c) or (d)" names two paragraphs of one
    _, in_11 = read(shared_data / "ecfr/title-21/part-11.xml")
    ranges = [(s.mention.target_node_id, s.mention.target_end_node_id) for s in in_11 if s.mention.text.startswith("§§")]
    assert ranges == [("21 CFR 1.326", "21 CFR 1.368")]


@pytest.mark.parametrize("name", PARSED)
def test_every_span_is_exact_and_marks_can_be_taken_out(shared_data, name):
    document, observed = read(shared_data / "ecfr" / name)
    page = document.pages[0]
    marked, at = [], 0
    for seen in observed:
        assert page[seen.span.start : seen.span.end].decode() == seen.mention.text
        assert seen.span.start >= at
        marked += [page[at : seen.span.start], b"\x02", page[seen.span.start : seen.span.end], b"\x03"]
        at = seen.span.end
    spliced = b"".join([*marked, page[at:]])
    assert spliced.count(b"\x02") == len(observed) > 0
    assert spliced.replace(b"\x02", b"").replace(b"\x03", b"") == page


def test_both_dialects_of_title_1_have_the_same_edges(shared_data):
    dashes = str.maketrans("–—", "--")
    bulk, versioner = (
        [
            (s.source_node_id, " ".join(s.mention.text.translate(dashes).split()), *s.mention[3:6])
            for s in read(shared_data / f"ecfr/title-1/{name}.xml")[1]
        ]
        for name in ("ECFR-title1-bulk", "title-1-versioner")
    )
    assert bulk == versioner


def test_the_corpus_of_three_parts_resolves_what_it_holds(shared_data):
    files = [read(shared_data / f"ecfr/title-21/part-{part}.xml") for part in ("11", "210", "211")]
    known = known_of((document.source.document_id, node.node_id, ()) for document, _ in files for node in document.nodes)
    edges = [edge for document, observed in files for edge in resolve(observed, known, source=document.source)]
    inside = [e for e in edges if re.match(r"21 CFR (Part )?(11|210|211)\b", e.target_node_id or "")]
    lost = [e for e in inside if e.status != "resolved"]
    assert len(inside) > 140
    assert [e.mention for e in lost] == []
    assert Counter(e.status for e in edges if e not in inside).keys() <= {"out_of_corpus", "unresolved"}


@pytest.fixture(scope="module")
def eregs(shared_data):
    """What another parser made of 27 CFR part 447: its texts by label, and the citations it found in them."""
    folder = shared_data / "ecfr/annual/eregs-447"
    texts: dict[str, str] = {}

    def walk(tree):
        texts["-".join(tree["label"])] = tree["text"]
        for child in tree["children"]:
            walk(child)

    walk(json.loads((folder / "regulation.json").read_text(encoding="utf-8")))
    kinds = ("internal", "external")
    return texts, {kind: json.loads((folder / f"{kind}-citations.json").read_text(encoding="utf-8")) for kind in kinds}


def _node_id(label: list[str]) -> str:
    if len(label) == 1 or label[1] == "Subpart":
        return "27 CFR Part 447" + (f" Subpart {label[2]}" if len(label) > 2 else "")
    return f"27 CFR 447.{label[1]}" + "".join(f"({name})" for name in label[2:])


def _found_in(texts: dict[str, str], label: str):
    return find(texts[label], Place(_node_id(label.split("-")), ("27 CFR Chapter II", "27 CFR Part 447")))


def test_every_internal_citation_that_another_parser_found(eregs):
    texts, citations = eregs
    wanted = [
        (label, start, end, _node_id(citation["citation"]))
        for label, found in citations["internal"].items()
        for citation in found
        for start, end in citation["offsets"]
    ]
    missed = [
        (label, target)
        for label, start, end, target in wanted
        if not any(m.start <= start and end <= m.end and target in m[4:6] for m in _found_in(texts, label))
    ]
    assert (len(wanted), missed) == (18, [])


def test_every_external_citation_that_another_parser_found(eregs):
    """But for two web addresses. Where they differ ours goes deeper: theirs reads "18 U.S.C. 921(a)" as section 921."""
    texts, citations = eregs
    wanted = [(label, c) for label, found in citations["external"].items() for c in found if c["citation_type"] != "OTHER"]
    missed = []
    for label, citation in wanted:
        parts = citation["components"]
        title = parts.get("cfr_title") or parts["title"]
        number = f"{parts['part']}.{parts['section']}" if "part" in parts and "section" in parts else parts.get("section")
        target = f"{title} U.S.C. § {number}" if "title" in parts else f"{title} CFR {number or 'Part ' + parts['part']}"
        if not any((m.target_node_id or "").startswith(target) for m in _found_in(texts, label)):
            missed.append((label, citation["text"]))
    assert (len(wanted), missed) == (19, [])
