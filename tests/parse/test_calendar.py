"""Calendars and contact cards."""

from __future__ import annotations

from io import BytesIO

import pytest
from tests.parse.reading import leads_back, places, shown, source_of

from pincite.errors import Malformed
from pincite.parse import parse
from pincite.sources.classify import classify

EVENT = b"""BEGIN:VCALENDAR\r
VERSION:2.0\r
BEGIN:VEVENT\r
UID:1@example.invalid\r
DTSTART;TZID=Europe/London:20260305T140000\r
DTEND:20260305T150000Z\r
SUMMARY:Lamp insp\r
 ection\r
LOCATION:Room 4\\, east\r
DESCRIPTION:Bring oil\\nand wicks\r
ORGANIZER;CN="Ada: Plum":mailto:ada@example.invalid\r
BEGIN:VALARM\r
DESCRIPTION:Reminder\r
END:VALARM\r
END:VEVENT\r
BEGIN:VTODO\r
DUE;VALUE=DATE:20260401\r
END:VTODO\r
END:VCALENDAR\r
"""
CARD = b"BEGIN:VCARD\nVERSION:3.0\nFN:Ada Plum\nitem1.TEL;TYPE=work:+44 1\nADR:;;1 Pier;Skye;;;UK\nPHOTO:AAAA\nEND:VCARD\n"


def test_an_event_is_a_record_whose_lines_are_unfolded_and_named() -> None:
    document = parse(source_of("text/calendar"), EVENT)
    assert leads_back(document, EVENT)
    assert places(document) == [("#lamp-inspection", "record", "", "Lamp inspection"), ("#vtodo", "record", "", "")]
    assert shown(document, "body") == [
        "Start: 2026-03-05 14:00 (Europe/London)",
        "End: 2026-03-05 15:00 (UTC)",
        "Summary: Lamp inspection",
        "Location: Room 4, east",
        "Description: Bring oil and wicks",
        "Organizer: Ada: Plum <ada@example.invalid>",
        "Due: 2026-04-01",
    ]


def test_a_contact_card_is_a_record() -> None:
    document = parse(source_of("text/vcard"), CARD)
    assert leads_back(document, CARD)
    assert shown(document, "body") == ["Name: Ada Plum", "Telephone: +44 1", "Postal address: 1 Pier, Skye, UK"]


@pytest.mark.parametrize(("data", "media_type"), [(EVENT, "text/calendar"), (CARD, "text/vcard")])
def test_they_are_told_by_their_content(data: bytes, media_type: str) -> None:
    assert classify(data, len(data), "x.txt", BytesIO(data)).media_type == media_type


def test_what_begins_with_no_component_is_refused() -> None:
    with pytest.raises(Malformed, match="no calendar"):
        parse(source_of("text/calendar"), b"DTSTART:20260305\n")
