"""References between a team's own documents: what is found, what is none, and what a corpus makes of them."""

from __future__ import annotations

import time
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.model import Document, Edge, Place, Source
from pincite.parse.compose import Composer
from pincite.parse.markdown import read_markdown
from pincite.passages import build, chunks_of_nodes
from pincite.references import find, observe
from pincite.references.internal import mentions
from pincite.references.names import names_of
from pincite.references.resolve import known_of, reresolve, resolve

HOME = Place("handbook#targets")

SHAPES = """
see the Incident Response Policy | title | Incident Response Policy | title:incident response policy
The Travel & Expense Policy applies. | name | Travel & Expense Policy | title:travel and expense policy
our Conduct of Suppliers Policy | name | Conduct of Suppliers Policy | title:conduct of suppliers policy
Follow the incident response policy. | title | incident response policy | title:incident response policy
in accordance with the records retention plan | title | records retention plan | title:records retention plan
as described in “Late fees” | title | Late fees | here:handbook § heading late fees + title:late fees
the "Handling of complaints" procedure | title | Handling of complaints | title:handling of complaints
see *Key rotation* below | heading | Key rotation | here:handbook § heading key rotation
follow the change procedure below | heading | change procedure | here:handbook § heading change procedure
see Response targets below | heading | Response targets | here:handbook § heading response targets
See “Late fees” in the Leave Policy | heading | Late fees” in the Leave Policy | title:leave policy § heading late fees
see "Vision" | title | Vision | here:handbook § heading vision
the "Key rotation" section of SOP-12 | heading | Key rotation" section of SOP-12 | code:sop-12 § heading key rotation
(see Response targets) | title | Response targets | here:handbook § heading response targets + title:response targets
SOP-012 applies | code | SOP-012 | code:sop-12
SOP 12 and WI7 | code | SOP 12; WI7 | code:sop-12; code:wi-7
QA-POL-7.1 rev. 3 | code | QA-POL-7.1 rev. 3 | code:qa-pol-7.1@3
SOP-012 (version 2.0) | code | SOP-012 (version 2.0) | code:sop-12@2
risk R-12 is open | code | R-12 | code:r-12
risks R-12, R-13 and R-14 | code | R-12; R-13; R-14 | code:r-12; code:r-13; code:r-14
REQ-017 and REQ-018 | code | REQ-017; REQ-018 | code:req-17; code:req-18
section 4.2 of SOP-12 | section | section 4.2 of SOP-12 | code:sop-12 § 4.2
escalation.md (section 2) | section | escalation.md (section 2 | path:escalation.md § 2 | file:escalation.md § 2
SOP-012 rev 3, section 4.2 | section | SOP-012 rev 3, section 4.2 | code:sop-12@3 § 4.2
section 3 of the Leave Policy | section | section 3 of the Leave Policy | title:leave policy § 3
section 3 of the leave policy | section | section 3 of the leave policy | title:leave policy § 3
the Leave Policy, section 3 | section | Leave Policy, section 3 | title:leave policy § 3
section 3 of the Leave policy | section | section 3 of the Leave policy | title:leave policy § 3
see Keepers' handbook, section 2.1 | section | Keepers' handbook, section 2.1 | title:keepers handbook § 2.1
Aim of the Oil plan, section 2 | section | Oil plan, section 2 | title:aim of the oil plan § 2 | title:oil plan § 2
section 3 of the Market Rules | section | section 3 of the Market Rules | title:market rules § 3
the Market Rules, section 3 | section | Market Rules, section 3 | title:market rules § 3
Under Market Rules section 3 | section | Market Rules section 3 | title:market rules § 3
In Lamp Rooms section 3 applies | section | section 3 | title:lamp rooms § 3 | here:handbook § 3
paragraph 3.2 of SOP-12 and para 4.1 | paragraph | paragraph 3.2 of SOP-12; para 4.1 | code:sop-12 § 3.2; here:handbook § 4.1
In section "Fees" of the Market Rules | heading | Fees" of the Market Rules | title:market rules § heading fees
Market Rules, section "Fees" | heading | Market Rules, section "Fees | title:market rules § heading fees
see item 2.1 below | paragraph | item 2.1 | here:handbook § 2.1
the "Fees" section of the Market Rules | heading | Fees" section of the Market Rules | title:market rules § heading fees
section 4.2 | section | section 4.2 | here:handbook § 4.2
section 4.2 of this policy | section | section 4.2 of this policy | here:handbook § 4.2
sections 4.2, 4.3 and 5 | section | sections 4.2; 4.3; 5 | here:handbook § 4.2; here:handbook § 4.3; here:handbook § 5
sections 4.2 to 4.5 | section | sections 4.2 to 4.5 | here:handbook § 4.2 to 4.5
§ 4.2 | section | § 4.2 | here:handbook § 4.2
Annex B | annex | Annex B | here:handbook § annex b
Appendix 1 of QP-3 | appendix | Appendix 1 of QP-3 | code:qp-3 § appendix 1
Table 3 and Figure 2 | table; figure | Table 3; Figure 2 | here:handbook § table 3; here:handbook § figure 2
row 7 of register.csv | row | row 7 of register.csv | path:register.csv § row 7 | file:register.csv § row 7
escalation.md, section 2 | section | escalation.md, section 2 | path:escalation.md § 2 | file:escalation.md § 2
use `escalation.md` | file | escalation.md | path:escalation.md | file:escalation.md
policies/leave-2.docx | file | policies/leave-2.docx | path:policies/leave-2.docx | ipath:policies/leave-2.docx
README.md | file | README.md | path:README.md | ipath:readme.md
see Lamps v2.xlsx | file | Lamps v2.xlsx | file:lamps v2.xlsx | path:v2.xlsx | file:v2.xlsx
see “leave of absence.docx” | file | leave of absence.docx | file:leave of absence.docx | path:absence.docx | file:absence.docx
“Oil” sheet of Lamps.xlsx | heading | Oil” sheet of Lamps.xlsx | path:Lamps.xlsx § heading oil | file:lamps.xlsx § heading oil
SOP-12 and the Leave Policy | code; name | SOP-12; Leave Policy | code:sop-12; title:leave policy
SOP-12, heading “Late fees” | heading | SOP-12, heading “Late fees | code:sop-12 § heading late fees
the Travel Policy under “Claims” | heading | Travel Policy under “Claims | title:travel policy § heading claims
see section “Late fees” | heading | Late fees | here:handbook § heading late fees
section 1.2(b)(ii) | section | section 1.2(b)(ii) | here:handbook § 1.2(b)(ii)
paragraph (b) of section 2 | section | paragraph (b) of section 2 | here:handbook § 2(b)
step 3 of section 4.2 of SOP-12 | section | step 3 of section 4.2 of SOP-12 | code:sop-12 § 4.2(3)
See Table 3. | table | Table 3 | here:handbook § table 3
The end of the text See the Travel Policy | title | Travel Policy | title:travel policy
[[Key rotation]] | title | [[Key rotation]] | title:key rotation | file:key rotation.md
[[#Escalation]] | heading | [[#Escalation]] | here:handbook § heading escalation
see the Incident⏎  Response Policy | title | Incident⏎  Response Policy | title:incident response policy
"""

NOTHING = """
Follow the policy.
Create a file such as notes.md first.
Add a code-of-conduct.md and a `NOTES.md`; name it, for example, plan.docx.
This Access Control Policy defines who has a key.
See the following procedure.
This policy applies to the standard operating procedure.
We have a plan and a handbook.
The Standard Operating Procedure is followed.
See John for access.
See also the notes.
Section 12 of the Clean Water Act
section 5 of ISO 9001
ISO 9001, section 4.2
Article 6 GDPR
Section 4 of the application form has a signature field.
Section 230 protects platforms.
UTF-8, SHA-256, COVID-19, RFC 2119, ISO 27001, AES-256, CVE-2024-1234 and FY-25
row 7 of the stalls
version 4.2 of the software
4.2 hours, 4.2%
see "Lead source" field
click **Submit** > **Reports**
Under “ADD VENDOR” press the button.
mail me at policy@example.org or www.example.md
the plan, policy and procedure
a chapter A and a section B
5 sections, 3 tables
Terms and Conditions apply
in the section below
see below
see above for the details
the second table
step 3 of 4
schedules and annexes are attached
a 10-page guide, an A-1 rating
T-1000 and F-16 are machines
{% include "escalation.md" %} {{ policies/x.md }}
"""


def _rows(block: str) -> list[str]:
    return [line.replace("⏎", "\n") for line in block.strip().split("\n")]


@pytest.mark.parametrize("row", _rows(SHAPES))
def test_a_shape_is_found_with_what_it_seeks(row: str) -> None:
    text, kinds, words, sought = row.split(" | ", 3)
    found = find(text, HOME, "internal")
    assert [m.text for m in found] == words.split("; ")
    assert list(dict.fromkeys(m.kind for m in found)) == kinds.split("; ")
    assert [m.sought for m in found] == sought.split("; ")
    assert all(text[m.start : m.end] == m.text for m in found)


@pytest.mark.parametrize("text", _rows(NOTHING))
def test_what_looks_like_a_reference_and_is_none(text: str) -> None:
    assert [(m.text, m.sought) for m in find(text, HOME, "internal")] == []


# --- corpora ------------------------------------------------------------------------------------------------------------


def doc(path: str, text: str, title: str = "") -> Document:
    name = path.rpartition(".")[0].replace("/", "-")
    return read_markdown(Source(name, "1", title, path, "text/markdown", path, len(text), ""), text.encode())


def nodes_of(documents: Iterable[Document]) -> list[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    rows = []
    for document in documents:
        held = chunks_of_nodes(document.nodes, build(document))
        names = names_of(document)
        rows += [(document.source.document_id, n.node_id, c, k) for n, c, k in zip(document.nodes, held, names)]
    return rows


def edges_of(*documents: Document) -> list[Edge]:
    known = known_of(nodes_of(documents))
    return [
        edge
        for document in documents
        for edge in resolve(observe(document), known, source=document.source, passages=build(document))
    ]


def outcome(edges: Iterable[Edge]) -> list[tuple[str, str, str | None]]:
    return [(edge.mention, edge.status, edge.target_node_id) for edge in edges]


POLICY = doc(
    "policies/incident.md",
    "---\ntitle: Incident Response Policy\nid: SOP-012\nrevision: 4\naliases: [IR policy]\n---\n"
    "# Incident Response Policy\n\n## 4.2 Response targets\n\nFour hours.\n\n## 4.3 Review\n\nYearly.\n\n"
    "## Annex B: Forms\n\nTable 3: Levels\n\n| P | T |\n|---|---|\n| 1 | 4 |\n",
)


@pytest.mark.parametrize(
    ("words", "target"),
    [
        ("see the Incident Response Policy", "policies-incident"),
        ("section 4.2 of SOP-12", "policies-incident#4.2-response-targets"),
        ("sections 4.2 to 4.3 of SOP-012", "policies-incident#4.2-response-targets"),
        ("SOP-012 rev 4, Annex B", "policies-incident#annex-b-forms"),
        ("Table 3 of SOP-12", "policies-incident#annex-b-forms/table"),
        ("[targets](../policies/incident.md#42-response-targets)", "policies-incident#4.2-response-targets"),
        ("[policy](/policies/incident.md)", "policies-incident"),
        ("[policy](../policies/incident/)", "policies-incident"),
        ("the “Response targets” section of the Incident Response Policy", "policies-incident#4.2-response-targets"),
        ("see incident.md", "policies-incident"),
        ("SOP-12, heading “Response targets”", "policies-incident#4.2-response-targets"),
        ("[policy](../Policies/Incident.md#43-review)", "policies-incident#4.3-review"),
        ("the “IR policy” document", "policies-incident"),
    ],
)
def test_one_document_cites_another(words: str, target: str) -> None:
    edges = edges_of(doc("guides/desk.md", f"Do as {words} says.\n"), POLICY)
    assert [(edge.status, edge.target_node_id) for edge in edges if edge.document_id == "guides-desk"] == [("resolved", target)]
    assert all(edge.target_chunk_ids for edge in edges)


@pytest.mark.parametrize(
    ("words", "mention"),
    [
        ("the “Response targets” in the [policy](../policies/incident.md)", "Response targets"),
        ("section 4.2 of the [policy](../policies/incident.md)", "section 4.2"),
        ("section 4.2 of\nthe **[policy](../policies/incident.md)**", "section 4.2"),
        ("[policy](../policies/incident.md), section 4.2", "section 4.2"),
        ("[policy](../policies/incident.md), heading “Response targets”", "heading “Response targets"),
    ],
)
def test_a_place_beside_a_link_is_one_of_the_document_it_leads_to(words: str, mention: str) -> None:
    edges = edges_of(doc("guides/desk.md", f"Do as it says in {words}.\n"), POLICY)
    targets = {edge.mention: edge.target_node_id for edge in edges if edge.document_id == "guides-desk"}
    assert targets == {
        mention: "policies-incident#4.2-response-targets",
        "[policy](../policies/incident.md)": "policies-incident",
    }


def test_an_item_of_a_numbered_section_is_found_by_its_mark() -> None:
    text = "# Lamps\n\n## 1.2 Trimming\n\n1. Open.\n2. Cut.\n   - a note\n\n## Oil\n\nStep 2 of section 1.2; section 1.2(3).\n"
    assert outcome(edges_of(doc("lamps.md", text))) == [
        ("Step 2 of section 1.2", "resolved", "lamps#1.2-trimming/2"),
        ("section 1.2(3)", "unresolved", None),
    ]


def test_a_message_about_a_document_does_not_bear_its_name() -> None:
    from pincite.parse.mail import read_mail

    mail = b"From: a@x\nSubject: Re: SOP-012: Incident Response Policy\n\nThanks.\n"
    about = Source("mail", "1", "Re: SOP-012", "mail.eml", "message/rfc822", "mail.eml", len(mail), "")
    edges = edges_of(POLICY, read_mail(about, mail), doc("a.md", "# A\n\nSee SOP-12 and the Incident Response Policy.\n"))
    assert [edge.target_node_id for edge in edges if edge.document_id == "a"] == ["policies-incident"] * 2


def test_a_link_that_spells_a_name_in_other_capitals_says_so_and_two_such_files_stay_ambiguous() -> None:
    there, link = doc("Notes/Plan.md", "# One plan\n\nx\n"), doc("a.md", "# A\n\nsee [it](notes/plan.md)\n")
    (edge,) = edges_of(there, link)
    assert (edge.status, edge.target_node_id, edge.reason) == ("resolved", "Notes-Plan", "the path differs in capitals")
    (edge,) = edges_of(there, doc("NOTES/plan.md", "# Another plan\n\ny\n"), link)
    assert edge.status == "ambiguous"


def test_a_deck_is_called_what_its_first_slide_says() -> None:
    from io import BytesIO

    from pptx import Presentation

    from pincite.parse.formats import OOXML
    from pincite.parse.pptx import parse_pptx

    made, out = Presentation(), BytesIO()
    for title in ("Depot Safety Guide", "Rules"):
        made.slides.add_slide(made.slide_layouts[0]).shapes.title.text = title
    made.save(out)
    about = Source("deck", "1", "b1", "b1.pptx", OOXML + "presentationml.presentation", "b1.pptx", 1, "")
    edges = edges_of(parse_pptx(about, out.getvalue()), doc("a.md", "# A\n\nSee the Depot Safety Guide.\n"))
    assert outcome(edges) == [("Depot Safety Guide", "resolved", "deck")]


def test_the_name_of_a_file_may_have_spaces() -> None:
    there = doc("Lamp register.md", "# Lamps of the pier\n\n## Oil\n\nx\n")
    text = "# A\n\nSee Lamp register.md, “Lamp register.md” and the “Oil” section of Lamp register.md.\n"
    assert [edge.target_node_id for edge in edges_of(there, doc("a.md", text))] == [
        "Lamp register",
        "Lamp register",
        "Lamp register#oil",
    ]


def test_a_range_keeps_both_ends() -> None:
    (edge,) = edges_of(doc("desk.md", "See sections 4.2 to 4.3 of SOP-012."), POLICY)
    assert edge.target_end_node_id == "policies-incident#4.3-review"
    (edge,) = edges_of(doc("desk.md", "See sections 4.2 to 4.9 of SOP-012."), POLICY)
    assert (edge.status, edge.target_node_id) == ("unresolved", None)


def test_another_revision_than_the_one_held_is_not_resolved() -> None:
    edge, stated = edges_of(doc("desk.md", "SOP-012 rev 3 applies, not SOP-012 rev 4."), POLICY)
    assert (edge.status, edge.candidates) == ("unresolved", ("policies-incident",))
    assert stated.status == "resolved"
    plain = doc("sop-012.md", "# SOP-012 Response\n\nText.\n")
    assert [e.status for e in edges_of(doc("desk.md", "SOP-012 rev 3 applies."), plain)] == ["resolved"]


def test_two_documents_of_one_name_leave_a_reference_ambiguous() -> None:
    edges = edges_of(
        doc("a.md", "# Leave Policy\n\nOne."), doc("b.md", "# Leave Policy\n\nTwo."), doc("c.md", "See the Leave Policy.")
    )
    assert [(e.status, e.candidates) for e in edges] == [("ambiguous", ("a", "b"))]


def test_a_document_does_not_refer_to_itself_by_its_title() -> None:
    document = doc(
        "a.md", "# Leave Policy\n\nThe Leave Policy applies. See the Leave Policy, section 2.\n\n## 2. Days\n\nTen.\n"
    )
    assert outcome(edges_of(document)) == [("Leave Policy, section 2", "resolved", "a#2-days")]


def test_a_heading_here_is_found_and_one_elsewhere_is_not_guessed() -> None:
    here = doc("a.md", "# Desk\n\nSee Response targets below.\n\n## Response targets\n\nFour hours.\n")
    away = doc("b.md", "# Other\n\nSee Response targets below.\n")
    assert [(e.status, e.document_id) for e in edges_of(here, away)] == [("resolved", "a"), ("unresolved", "b")]


def test_two_headings_of_one_name_are_ambiguous_and_anchors_tell_them_apart() -> None:
    text = "# D\n\nSee [it](#steps-1) and Steps below.\n\n## A\n\n### Steps\n\nx\n\n## B\n\n### Steps\n\ny\n"
    assert (
        outcome(edges_of(doc("a.md", text))) == [("[it](#steps-1)", "resolved", "a#b/steps"), ("Steps", "unresolved", None)][:1]
    )
    assert [e.status for e in edges_of(doc("a.md", text.replace("Steps below", "“Steps” below")))] == ["resolved", "ambiguous"]


def test_links_that_lead_out_are_out_of_corpus_and_mail_is_no_reference() -> None:
    text = "[web](https://example.org/x#y) [mail](mailto:a@b.c) [top](#top) [gone](gone.md) [out](../../x.md)\n"
    assert [(e.mention[1:4], e.status) for e in edges_of(doc("a.md", text))] == [
        ("web", "out_of_corpus"),
        ("gon", "unresolved"),
        ("out", "unresolved"),
    ]


def test_a_link_to_the_address_a_document_was_published_at_is_that_document() -> None:
    held = POLICY._replace(source=POLICY.source._replace(uri="https://wiki.example.org/ir/"))
    (edge, *_) = edges_of(doc("a.md", "[ir](http://wiki.example.org/ir#42-response-targets)\n"), held)
    assert (edge.status, edge.target_node_id) == ("resolved", "policies-incident")


def test_a_federal_citation_in_a_procedure_is_a_federal_citation() -> None:
    document = doc("a.md", "Records are kept as 21 CFR 211.22(a) says. See section 4.2.\n")
    known = known_of([("21-cfr-211", "21 CFR 211.22(a)", ("c",))])
    edges = resolve(observe(document), known, source=document.source)
    assert [(e.kind, e.status) for e in edges] == [("cfr", "resolved"), ("section", "unresolved")]


def test_a_reference_waits_for_its_document_and_is_open_again_without_it() -> None:
    desk = doc("desk.md", "See section 4.2 of SOP-12.")
    waiting = edges_of(desk)
    assert [(e.status, e.target_node_id) for e in waiting] == [("unresolved", None)]
    found = reresolve(waiting, known_of(nodes_of([desk, POLICY])))
    assert [(e.status, e.edge_id) for e in found] == [("resolved", waiting[0].edge_id)]
    assert reresolve(found, known_of(nodes_of([desk]))) == tuple(waiting)


def test_a_record_is_cited_by_its_code() -> None:
    from pincite.parse.compose import Composer

    made = Composer(Source("register", "1", "Risk register", "register.csv", "text/csv", "register.csv", 0, ""), "test", "1")
    for number in (11, 12):
        made.enter("record", fragment=f"=row-{number - 10}", label=str(number))
        made.add(f"R-{number},Flood,Facilities\n", "table")
        made.leave()
    made.enter("record", fragment="=row-3", label="3")
    made.add("REQ-13,As REQ-14 says,Facilities\n", "table")
    made.leave()
    edges = edges_of(doc("a.md", "See risk R-12, and row 1 of register.csv."), made.document())
    assert outcome(edges) == [
        ("R-12", "resolved", "register#row-2"),
        ("row 1 of register.csv", "resolved", "register#row-1"),
        ("REQ-14", "unresolved", None),
    ]


def test_what_is_below_a_numbered_paragraph_is_found_by_both_numbers() -> None:
    text = "# Contract\n\n## 2. Supply\n\n2.1 The supplier shall:\n\n1. bring oil;\n2. trim it.\n\n2.2 Or else.\n"
    contract = doc("contract.md", text)
    edges = edges_of(
        contract, doc("a.md", "See clause 2.1 of contract.md.\n\nSection 2.1(2) of contract.md; contract.md, para 2.2.\n")
    )
    found = [edge.target_node_id for edge in edges if edge.document_id == "a"]
    assert found == ["contract#2-supply/2.1", "contract#2-supply/2.1/2", "contract#2-supply/2.2"]


def test_a_link_may_name_a_record_or_a_member_by_the_end_of_its_id() -> None:
    from pincite.parse import parse

    register = parse(Source("register", "1", "", "register.csv", "text/csv", "register.csv", 0, ""), b"id,name\n1,A\n2,B\n")
    data = parse(Source("data", "1", "", "d.json", "application/json", "d.json", 0, ""), b'{"Items": [{"id": 1}, {"id": 2}]}')
    links = doc("a.md", "See [the row](register.csv#row-2), [it](d.json#/Items/1) and [that](d.json#/Items/7).")
    edges = edges_of(register, data, links)
    assert [edge.target_node_id for edge in edges] == ["register#row-2", "data#/Items/1", None]


def test_code_and_directives_are_not_read() -> None:
    assert edges_of(doc("a.md", '```\ncat escalation.md\n```\n\n{% include "b.md" %}\n')) == []


def test_the_words_of_an_edge_are_the_bytes_of_its_span() -> None:
    document = doc("a.md", "Größe → see the Incident\nResponse Policy, and „SOP-12“ too.\n")
    for edge in edges_of(document):
        span = edge.mention_span
        assert document.slice(span.page, span.start, span.end).decode() == edge.mention


# --- any input ----------------------------------------------------------------------------------------------------------

HOSTILE = ["A " * 20_000, "a" * 200_000, "A" * 200_000, "see " * 20_000, "Policy " * 15_000, "[[" * 50_000, '"' * 50_000]
HOSTILE += ["section 4." * 10_000, "**" * 50_000, "SOP-" * 30_000, "a/" * 50_000 + ".md", "of the " * 20_000, "4.2, " * 20_000]
HOSTILE += ["section 1" + ", 2" * 30_000, "A-" * 50_000, "Xx and " * 20_000 + "Policy", "{% " * 30_000, "<a " * 30_000]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_hostile_text_is_read_in_time_in_proportion(text: str) -> None:
    def seconds(words: str) -> float:
        started = time.process_time()
        find(words, HOME, "internal")
        return time.process_time() - started

    whole = min(seconds(text) for _ in range(2))
    assert whole < 2.0
    assert whole < 30 * max(min(seconds(text[: len(text) // 8]) for _ in range(3)), 0.002)


@given(st.text(max_size=300))
def test_any_text_gives_mentions_that_slice_back(text: str) -> None:
    at = 0
    for mention in find(text, HOME, "internal"):
        assert mention.start >= at
        assert text[mention.start : mention.end] == mention.text
        at = mention.end


def test_an_item_that_is_printed_as_a_section_is_cited_as_one_and_does_not_cite_itself() -> None:
    from tests.parse.office_files import DOCX, source, word

    from pincite.parse import parse

    level = '<w:lvl w:ilvl="{}"><w:start w:val="1"/><w:numFmt w:val="{}"/><w:lvlText w:val="{}"/></w:lvl>'
    levels = level.format(0, "upperRoman", "Article %1.") + level.format(1, "decimal", "Section %1.%2").replace(
        "<w:lvlText", "<w:isLgl/><w:lvlText"
    )
    listed = '<w:abstractNum w:abstractNumId="0">' + levels + "</w:abstractNum>"
    listed += '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    item = '<w:p><w:pPr><w:numPr><w:ilvl w:val="{}"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>'
    body = item.format(0, "Members") + item.format(1, "Keepers join.") + "<w:p><w:r><w:t>As Section 1.1 says.</w:t></w:r></w:p>"
    agreement = parse(source("agreement.docx", DOCX), word(body, numbering=listed))
    assert outcome(edges_of(agreement)) == [("Section 1.1", "resolved", "agreement#Article-I/Section-1.1")]


def test_a_paragraph_of_a_clause_is_cited_by_both_numbers() -> None:
    made = Composer(Source("terms", "1", "Terms", "terms.docx", "x/y", "terms.docx", 0, ""), "test", "1")
    for label in ("2.", "2.1", "(b)", "(ii)"):
        made.enter("item", fragment=label, label=label)
    made.add("as agreed", "body")
    assert [[name for name in names if name.startswith("§ ")] for names in names_of(made.document())[2:]] == [
        ["§ 2.1"], ["§ 2.1(b)"], ["§ 2.1(b)(ii)"],
    ]  # fmt: skip


def test_no_name_reaches_from_one_cell_into_the_next() -> None:
    (found,) = mentions("Orlo Ltd\tLeave Policy section 2", Place("register"), {})
    assert (found.text, found.sought) == ("Leave Policy section 2", "title:leave policy § 2")


@pytest.mark.parametrize(
    ("target", "node_id"),
    [
        ("..\\it\\Lamps.xlsx", "lamps"),
        ("file:///C:/Users/ada/team/it/Lamps.xlsx", "lamps"),
        ("\\\\server\\share\\it\\Lamps.xlsx", "lamps"),
        ("D:\\it\\lamps.xlsx", "lamps"),
        ("file:///C:/elsewhere/Oils.xlsx", None),
        ("../it/Lamps.xlsx#Oils!A2", "lamps#Oils!A2"),
        ("../it/Lamps.xlsx#'Oils'!$C$2", "lamps#Oils!A2"),
        ("../it/Lamps.xlsx#Oils!B1", "lamps#Oils"),
        ("../it/Lamps.xlsx#Gas!B1", None),
    ],
)
def test_links_of_office_programs_lead_to_files_and_cells(target: str, node_id: str | None) -> None:
    lamps = Composer(Source("lamps", "1", "Lamps", "it/Lamps.xlsx", "x/y", "it/Lamps.xlsx", 0, ""), "test", "1")
    lamps.enter("sheet", fragment="=Oils", label="Oils", heading="Oils")
    lamps.anchor("Oils")
    lamps.enter("record", fragment="=Oils!A2", label="2")
    lamps.add("Whale", "table")
    memo = Composer(Source("memo", "1", "Memo", "hr/memo.docx", "x/y", "hr/memo.docx", 0, ""), "test", "1")
    memo.hyperlink(target, *memo.add("there", "body"))
    assert [edge.target_node_id for edge in edges_of(lamps.document(), memo.document())] == [node_id]


@pytest.mark.parametrize(("head", "codes"), [("SOP-014 Rev 3 | Cleaning", ["code:sop-14"]), ("SOP-014, on form QF-3", [])])
def test_the_one_code_on_every_page_is_that_of_the_document(head: str, codes: list[str]) -> None:
    made = Composer(Source("clean", "1", "Cleaning of lamps", "clean.docx", "x/y", "clean.docx", 0, ""), "test", "1")
    made.add(head, "page_furniture")
    made.add("See SOP-015.", "body")
    assert [name for name in names_of(made.document())[0] if name.startswith("code:") and "@" not in name] == codes
