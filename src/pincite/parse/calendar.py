"""Calendars (``.ics``) and contact cards (``.vcf``): content lines, unfolded and named for people, an event or a card a record.

The canonical text is the file's own. A line that people read is a body block, shown as "Start: 2026-03-05 14:00
(Europe/London)"; the others (identifiers, alarms, pictures) are ``metadata``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pincite.errors import Malformed
from pincite.model import Document, Source
from pincite.parse.compose import Composer, slug
from pincite.parse.formats import parameters
from pincite.parse.textfile import TextWriter, decode

PARSER, VERSION = "calendar", "1"
_LINE = re.compile(
    r"(?P<name>[\w.-]+)(?P<more>(?:;[\w-]+=(?:\"[^\"]*\"|[^;:\"]*)(?:,\"[^\"]*\")*)*):(?P<value>.*)\Z", re.DOTALL
)
_FOLDED = re.compile(r"(?:\r\n|\r|\n)[ \t]")
_WHOLE = re.compile(r"[^\r\n]*(?:(?:\r\n|\r|\n)[ \t][^\r\n]*)*")
_PARAMETER = re.compile(r";([\w-]+)=(\"[^\"]*\"|[^;:\"]*)")
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z?))?\Z")
_ESCAPED = re.compile(r"\\([nN\\,;:])")
_RECORDS = frozenset({"VEVENT", "VTODO", "VJOURNAL", "VCARD"})
_TITLES = ("SUMMARY", "FN")
_SHOWN = {
    "SUMMARY": "Summary", "DTSTART": "Start", "DTEND": "End", "DUE": "Due", "DURATION": "Duration", "RRULE": "Repeats",
    "LOCATION": "Location", "DESCRIPTION": "Description", "COMMENT": "Comment", "ORGANIZER": "Organizer",
    "ATTENDEE": "Attendee", "STATUS": "Status", "CATEGORIES": "Categories", "URL": "Address", "FN": "Name",
    "ORG": "Organization", "TITLE": "Title", "ROLE": "Role", "TEL": "Telephone", "EMAIL": "E-mail", "ADR": "Postal address",
    "NOTE": "Note",
}  # fmt: skip


class Line(NamedTuple):
    """One content line with the lines it is folded over; ``start`` and ``end`` are characters of the text."""

    name: str  # upper case, without a group before it
    more: dict[str, str]  # its parameters, names in upper case
    value: str  # unescaped
    start: int
    end: int


def read_calendar(source: Source, data: bytes) -> Document:
    """The document of a calendar or of contact cards. Raises ``Malformed`` for what begins with no component."""
    read = decode(source, data, parameters(source.media_type).get("charset", ""))
    lines = list(_lines(read.text))
    if not lines or lines[0].name != "BEGIN":
        raise Malformed("it is no calendar: it does not begin with BEGIN", where=source.path, next="look at the file")
    made = Composer(source, PARSER, VERSION)
    writer = TextWriter(made, read)
    within: list[str] = []
    for at, line in enumerate(lines):
        if line.name == "BEGIN":
            within.append(line.value.upper())
            if within[-1] in _RECORDS:
                title = _title(lines[at + 1 :])
                made.enter("record", fragment=slug(title or within[-1]), heading=title)
        inner = bool(within) and within[-1] in _RECORDS
        shown = _shown(line) if inner and line.name in _SHOWN else ""
        writer.put(line.start, line.end, "body" if shown else "metadata", shown or None)
        if line.name == "END" and within and within.pop() in _RECORDS:
            made.leave()
    writer.blank(len(read.text))
    return made.document()


def _lines(text: str) -> Iterator[Line]:
    for found in _WHOLE.finditer(text):
        whole = _FOLDED.sub("", found[0])
        if not whole.strip():
            continue
        parted = _LINE.match(whole.strip())
        name = parted["name"].rpartition(".")[2].upper() if parted else ""
        more = {each[1].upper(): each[2].strip('"') for each in _PARAMETER.finditer(parted["more"])} if parted else {}
        value = parted["value"] if parted else whole
        yield Line(
            name, more, _ESCAPED.sub(lambda sign: "\n" if sign[1] in "nN" else sign[1], value), found.start(), found.end()
        )


def _title(lines: list[Line]) -> str:
    """What the record that begins before *lines* is called."""
    for line in lines:
        if line.name in _TITLES:
            return " ".join(line.value.split())
        if line.name == "END":
            break
    return ""


def _shown(line: Line) -> str:
    value = line.value
    if match := _MOMENT.match(value):
        zone = "UTC" if match[7] else line.more.get("TZID", "")
        day, clock = "-".join(match.group(1, 2, 3)), f" {match[4]}:{match[5]}" if match[4] else ""
        value = f"{day}{clock}" + (f" ({zone})" if zone and clock else "")
    address = re.sub(r"(?i)^(?:mailto|tel):", "", value)
    if person := line.more.get("CN", ""):
        address = f"{person} <{address}>" if address != person else person
    if line.name in ("ADR", "ORG"):
        address = ", ".join(part for part in address.split(";") if part)
    return f"{_SHOWN[line.name]}: {' '.join(address.split())}"
