"""Observation → ``Document``: the steps in order. Each is a module; this is the list of them."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.errors import NoText
from pincite.model import Document, Finding, Source
from pincite.parse.manual.assemble import assemble
from pincite.parse.manual.contents import mark_contents
from pincite.parse.manual.flow import Flow, flow_of
from pincite.parse.manual.headings import find_headings, listed_titles
from pincite.parse.manual.lines import mark_citations, mark_dictionaries, mark_footnotes
from pincite.parse.manual.margin import RightNumber, right_numbers
from pincite.parse.manual.observation import Observation
from pincite.parse.manual.profiles import Choice, root_of, weigh
from pincite.parse.manual.starts import Numbering, number_rows
from pincite.parse.manual.tables import Table, find_tables
from pincite.parse.manual.walk import Walk

VERSION = "1"
_SAMPLE = 12_000  # characters of each part that are searched for evidence
_LISTS_ABBREVIATIONS = "bbreviation"


def structure(source: Source, observation: Observation) -> Document:
    """The document of an observation. Raises ``NoText`` where no page has text."""
    flow = flow_of(observation)
    if not flow.rows and not flow.aside:
        raise NoText("no page has any text", where=source.path or source.document_id, next=_advice(observation))
    choice = choose(source, flow)
    at_right = right_numbers(flow.rows)
    _mark(flow, choice, at_right)
    tables = find_tables(flow.rows)
    numbering = (
        number_rows(flow.rows, choice.profile, flow.metrics, at_right) if flow.rows else Numbering({}, [], "", "no rows")
    )
    walk = _walk(flow, choice, numbering, tables)
    findings = [_profile_finding(choice, numbering), *_page_findings(observation)]
    return assemble(source, observation, flow, walk, findings, numbering.unclear, tables)


def choose(source: Source, flow: Flow) -> Choice:
    """The profile with the heaviest evidence in the first and last pages."""
    last = flow.rows[-1].page if flow.rows else 0
    texts: list[list[str]] = [[], [], []]  # of the first pages, the next ones, the last ones
    for row in flow.rows:
        if row.page < 8 or row.page >= last - 1:
            texts[0 if row.page < 3 else 1 if row.page < 8 else 2].append(row.text)
    for page, line in flow.aside:
        if page < 8:
            texts[0 if page < 3 else 1].append(line.text)
    first, following, ending = ("\n".join(lines)[:_SAMPLE] for lines in texts)
    weight, profile, words = weigh(source.title, "\n".join((first, following, ending)))[0]
    root, kind = root_of(profile, source, f"{first}\n{following}")
    return Choice(profile, root, kind, source.title, (f"weight {weight}", *words))


def _mark(flow: Flow, choice: Choice, at_right: Sequence[RightNumber]) -> None:
    """Roles that a line shows by itself: furniture, contents, dictionaries, citations and footnotes."""
    rows, metrics = flow.rows, flow.metrics
    for pattern in choice.profile.furniture:
        for row in rows:
            if pattern.match(row.line.text) and (row.index + 1 == len(rows) or rows[row.index + 1].page != row.page):
                row.role = "page_furniture"
    ranged = bool(at_right) or any(row.kind in ("flat", "lettered") for row in rows)
    mark_contents(rows, metrics, ranged, frozenset(number.row.index for number in at_right))
    named = _LISTS_ABBREVIATIONS in choice.title or any(_LISTS_ABBREVIATIONS in row.text for row in rows if len(row.text) < 60)
    mark_dictionaries(rows, metrics, named)
    mark_footnotes(rows, metrics)
    mark_citations(rows, metrics)


def _walk(flow: Flow, choice: Choice, numbering: Numbering, tables: Sequence[Table]) -> Walk:
    rows = flow.rows
    numbers = {
        i: start.number if start.scheme in ("flat", "lettered") else None
        for i, start in numbering.starts.items()
        if not (rows[i].side and start.kind == "section")
    }
    bold = frozenset(i for i, start in numbering.starts.items() if start.kind == "paragraph" and rows[i].bold)
    stops = numbering.scheme in ("stop", "")
    headings = find_headings(rows, numbers, flow.metrics, listed_titles(rows), stops, bold)
    walk = Walk(choice, numbering.starts, headings, flow.metrics)
    walk.run(rows)
    for table in tables:
        for row in rows[table.first : table.last]:
            if row.role == "body":
                row.role = "table"
        for row in rows[slice(*table.again)]:
            if row.role in ("body", "table"):
                row.role = "page_furniture"
    return walk


def _profile_finding(choice: Choice, numbering: Numbering) -> Finding:
    reason = "; ".join((*choice.evidence, numbering.measured))
    return Finding("profile", 1, 0, 0, choice.profile.name, reason, (choice.root,))


def _page_findings(observation: Observation) -> list[Finding]:
    findings = []
    for page in observation.pages:
        if page.failure:
            findings.append(Finding("failed_page", page.number, 0, 0, f"page {page.number}", page.failure))
        elif not page.text and page.images:
            reason = "a picture without text; install tesseract to have it read"
            findings.append(Finding("needs_ocr", page.number, 0, 0, f"page {page.number}", reason))
        elif not page.text:
            findings.append(Finding("blank_page", page.number, 0, 0, f"page {page.number}", "nothing is printed on it"))
        elif page.derivation == "extracted_by_ocr":
            reason = f"read by OCR, mean word confidence {page.confidence or 0:.0f} of 100"
            findings.append(Finding("extracted_by_ocr", page.number, 0, len(page.text), f"page {page.number}", reason))
    return findings


def _advice(observation: Observation) -> str:
    if any(page.images for page in observation.pages):
        return "its pages are pictures: install tesseract to have them read"
    return "fetch it again or ask its publisher"
