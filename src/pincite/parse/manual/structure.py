"""Observation → ``Document``."""

from __future__ import annotations

from pincite.errors import NoText
from pincite.model import Block, Document, Finding, Source, sha256_hex
from pincite.parse.manual.observation import Observation


def structure(source: Source, observation: Observation) -> Document:
    """The document of an observation."""
    findings: list[Finding] = []
    blocks: list[Block] = []
    for page in observation.pages:
        if page.failure:
            findings.append(Finding("failed_page", page.number, 0, 0, str(page.number), page.failure))
        elif page.images and not page.text:
            findings.append(Finding("needs_ocr", page.number, 0, 0, str(page.number), "a picture without text"))
        if page.text:
            blocks.append(Block(len(blocks), page.number, 0, len(page.text), "body", "", sha256_hex(page.text)))
    if not blocks:
        raise NoText("no page has text", where=source.path, next="install tesseract to read pages that are pictures")
    pages = tuple(page.text for page in observation.pages)
    reader = f"{observation.reader} {observation.reader_version}"
    return Document(source, "manual", reader, pages, (), tuple(blocks), (), tuple(findings))
