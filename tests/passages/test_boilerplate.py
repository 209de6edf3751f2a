"""What is kept and not indexed, and what must not vanish with it."""

from __future__ import annotations

import pytest

from pincite.model import Source
from pincite.parse.markdown import read_markdown
from pincite.passages import build

BOILERPLATE = [
    ("Notice", "Strictly confidential. For internal use only."),
    ("Notice", "**CONFIDENTIAL** – Example Ltd"),
    ("Legal", "© 2024 Example Ltd. All rights reserved."),
    ("Mail", "This e-mail and any attachments are confidential and must not be read by others."),
    ("Approval", "Approved by: ________  Date: ________"),
    ("Mail", "Best regards,\nA. Keeper\nHead of lamps"),
    ("Contents", "- [Days](#days)\n- [Carry over](#carry-over)"),
    ("On this page", "- [Days](#days)\n- [Carry over](#carry-over)\n- [Forms](#forms)"),
    ("Source", "share/policies/leave.docx\nsha256: 7c80e7f689a0ac05cd6c3842cd57be58eb7da74721b99cff3b0cbd70c2805dd2"),
    (
        "Revision history",
        "| Version | Date |\n|---|---|\n| 1.0 | 2020-01-01 |\n| 1.1 | 2021-01-01 |",
    ),
    ("Scope", "This document describes the leave procedure of the company."),
    ("Purpose", "The purpose of this policy is to explain how leave is taken."),
]

RULES = [
    ("Scope", "This policy applies to all employees and contractors, except volunteers."),
    ("Scope", "Applies to everyone who drives a company vehicle."),
    ("Scope", "This document covers 3 sites: North, South and West."),
    ("Source", "Water must come from the well."),
    ("Sources", "Every figure shall name its source."),
    ("Confidentiality", "Confidential information must be encrypted."),
    ("Confidentiality", "Confidential papers are shredded on Fridays."),
    ("Purpose", "The lamp warns ships of the reef."),
    ("Overview", "A ticket is closed by the person who opened it."),
    ("Revision history", "Every change of a procedure is written here with the name of who made it."),
    ("Stages", "1. [Enquiry](#enquiry)\n2. [Contract](#contract)\n3. [Delivery](#delivery)"),
    ("Scope", "This policy covers all events that touch personal data."),
    ("Contents", "The first-aid box must hold plasters and a blanket."),
    ("Useful links", "- [Travel form](https://example.org/travel)\n- [Leave form](https://example.org/leave)"),
    ("Approval", "The manager signs and dates the form."),
    ("Contacts", "Name: A. Keeper\nPhone: 123"),
]


def reasons(heading: str, text: str) -> list[str]:
    data = f"# Leave\n\n## {heading}\n\n{text}\n".encode()
    document = read_markdown(Source("leave", "1", "Leave", "leave.md", "text/markdown", "leave.md", len(data), ""), data)
    return [passage.exclusion_reason for passage in build(document) if heading in passage.breadcrumb]


@pytest.mark.parametrize(("heading", "text"), BOILERPLATE)
def test_boilerplate_is_kept_and_not_indexed(heading: str, text: str) -> None:
    found = reasons(heading, text)
    assert found
    assert all(reason.startswith("not applicable: ") for reason in found)


@pytest.mark.parametrize(("heading", "text"), RULES)
def test_a_rule_does_not_vanish_with_its_heading(heading: str, text: str) -> None:
    assert set(reasons(heading, text)) == {""}


def test_a_list_of_links_before_the_first_heading_is_a_table_of_contents() -> None:
    links = "- [Days](#days)\n- [Carry over](#carry-over)\n- [Forms](#forms)\n"
    data = f"# Leave\n\n{links}\n## Days\n\nTen.\n".encode()
    document = read_markdown(Source("leave", "1", "Leave", "leave.md", "text/markdown", "leave.md", len(data), ""), data)
    assert [passage.exclusion_reason for passage in build(document)] == ["not applicable: a table of contents", ""]


def test_a_picture_alone_is_no_notice() -> None:
    assert not any(reason.startswith("not applicable") for reason in reasons("Map", '<img src="map.png" alt="">'))


def test_a_long_passage_is_never_a_notice() -> None:
    assert "" in reasons("Notice", "Confidential papers are kept in the safe. " * 40)
