"""Which formats are read, by which module, and which are known and not read, with the reason. The only such list."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from pincite.errors import UsageError
from pincite.model import Document, Source


class Format(NamedTuple):
    """One format. ``reader`` is ``module:function`` taking ``(source, data)``; "" where it is known but not read."""

    media_type: str
    name: str
    extensions: tuple[str, ...]
    reader: str
    reason: str = ""  # why it is not read, or what is left out of it


OOXML = "application/vnd.openxmlformats-officedocument."

FORMATS: tuple[Format, ...] = (
    Format("text/markdown", "Markdown", (".md", ".markdown"), "pincite.parse.markdown:read_markdown"),
    Format("application/xml", "regulations in XML", (".xml",), "pincite.parse.xml:parse_xml"),
    Format("application/pdf", "PDF", (".pdf",), "pincite.parse.pdf:parse_pdf"),
    Format("application/json", "extracted pages of a manual", (".json",), "pincite.parse.manual.text:parse_pages"),
    Format(
        OOXML + "wordprocessingml.document",
        "Word documents",
        (".docx", ".docm", ".dotx", ".dotm"),
        "pincite.parse.docx:parse_docx",
    ),
)


def format_of(media_type: str) -> Format:
    """The format of a media type; ``UsageError`` where there is none."""
    for known in FORMATS:
        if known.media_type == media_type:
            return known
    read = ", ".join(known.media_type for known in FORMATS if known.reader)
    raise UsageError(f"media type {media_type!r} is not read here", next=f"use one of {read}")


def reader_of(media_type: str) -> Callable[[Source, bytes], Document]:
    """The function that reads a media type; ``UsageError`` where none does."""
    known = format_of(media_type)
    if not known.reader:
        raise UsageError(
            f"{known.name} is not read here: {known.reason}", next="convert it to a format 'pincite formats' lists"
        )
    module, function = known.reader.split(":")
    read: Callable[[Source, bytes], Document] = getattr(import_module(module), function)
    return read
