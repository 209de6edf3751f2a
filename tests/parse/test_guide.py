"""GPO's own element guide: every element it lists has a role, and every example in it is read without loss."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from pincite.model import Source, conserved
from pincite.parse import parse
from pincite.parse.ecfr import ECFR
from pincite.passages import build

pytestmark = pytest.mark.data


def guide(folder: Path) -> str:
    return (folder / "ecfr" / "docs" / "ECFR-XML-User-Guide.md").read_text()


def test_every_element_of_the_guide_has_a_role(shared_data: Path) -> None:
    names = re.findall(r"^## 3\.\d+\. ?([A-Za-z][\w-]*)(?: – (\w+))?", guide(shared_data), re.MULTILINE)
    listed = {name for name, _ in names} | {f"HD{level}" for level in range(1, 7)}
    assert len(listed) > 110
    assert listed - set(ECFR.kinds) == set()


def examples(text: str) -> list[str]:
    """The well-formed XML examples of the guide."""
    found = []
    for example in re.findall(r"```\n(.*?)```", text, re.DOTALL):
        xml = re.sub(r"<\?xml.*?\?>", "", example.replace("\\_", "_").replace("\\*", "*"))
        try:
            ET.fromstring(f"<x>{xml}</x>")
        except ET.ParseError:
            continue
        found.append(xml)
    return found


def test_every_example_of_the_guide_is_read(shared_data: Path) -> None:
    read = examples(guide(shared_data))
    assert len(read) > 80
    for example in read:
        inside = "<DIV" in example[:8] and not example.startswith("<DIV ")
        data = (example if inside else f'<DIV8 N="§ 1.1" NODE="99:1">\n<HEAD>§ 1.1 A.</HEAD>{example}</DIV8>').strip().encode()
        if inside and len(re.findall(rb"<DIV[1-9]\b", data)) > 1 and data.count(b"</DIV") == 1:
            continue
        data = b"<ECFR>" + data + b"</ECFR>"
        document = parse(Source("guide", "", "", "", "application/xml", "title-99/guide.xml", len(data), ""), data)
        assert conserved(document)
        assert document.pages[0].decode() == "".join(ET.fromstring(data).itertext())
        assert not [finding for finding in document.findings if finding.kind == "unsupported_element"], example
        build(document)


def test_revised_and_superseded_text_in_a_note_is_not_the_rule(shared_data: Path) -> None:
    data = b"""<DIV8 N="1.1"><HEAD>S 1.1 A.</HEAD><P>(a) In force.</P><EFFDNOT><HED>Effective Date Note:</HED>
<PSPACE>The text reads:</PSPACE><REVTXT><HEAD>1.1 A.</HEAD><STARS/><P>(a) Not in force.</P></REVTXT></EFFDNOT></DIV8>"""
    document = parse(Source("x", "", "", "", "application/xml", "title-99/x.xml", len(data), ""), data)
    assert [node.node_id for node in document.nodes] == ["99 CFR 1.1", "99 CFR 1.1(a)"]
    assert ["Not in force" in p.evidence_text for p in build(document) if p.indexable] == [False]


def test_leader_work_opens_paragraphs_and_keeps_its_figures() -> None:
    data = b"""<DIV8 N="2.6"><HEAD>2.6 Fees.</HEAD><P>(a) Fees.</P><LDRWK><FL-2>(1) Filing.</FL-2>
<FL-2>(i) On paper, per class </FL-2><LDRFIG>$375.00</LDRFIG><FL-2>(ii) Else </FL-2><LDRFIG>$325.00</LDRFIG></LDRWK></DIV8>"""
    document = parse(Source("x", "", "", "", "application/xml", "title-37/x.xml", len(data), ""), data)
    owner = {document.slice(1, b.start, b.end): b.node_id for b in document.partition}
    assert owner[b"$375.00"] == "37 CFR 2.6(a)(1)(i)"
    assert owner[b"$325.00"] == "37 CFR 2.6(a)(1)(ii)"
