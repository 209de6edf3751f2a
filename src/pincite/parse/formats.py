"""Which formats are read, by which module, and which are known and not read, with the reason. The only such list."""

from __future__ import annotations

import codecs
import re
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
    library: str = ""  # the distribution that does the reading, "" where the standard library does


PAGES = "application/vnd.pincite.pages+json"
OOXML = "application/vnd.openxmlformats-officedocument."
_PARSE = "pincite.parse."
_OLD_OFFICE = "the binary format of Office before 2007; save it in the current format"
_OPEN_OFFICE = "OpenDocument; save it in Office's format, or as HTML"
_CODE = "it is a program or a script, not a document"

FORMATS: tuple[Format, ...] = (
    Format("text/markdown", "Markdown", (".md", ".markdown"), _PARSE + "markdown:read_markdown", "", "markdown-it-py"),
    Format("text/html", "HTML", (".html", ".htm", ".xhtml"), _PARSE + "html:read_html", "", "selectolax"),
    Format("application/xhtml+xml", "XHTML", (), _PARSE + "html:read_html", "", "selectolax"),
    Format("multipart/related", "saved web page in one file", (".mht", ".mhtml"), _PARSE + "mail:read_mail"),
    Format("text/plain", "plain text", (".txt", ".text"), _PARSE + "plaintext:read_text", "", "charset-normalizer"),
    Format("text/csv", "delimited text", (".csv",), _PARSE + "delimited:read_delimited"),
    Format("text/tab-separated-values", "tab-delimited text", (".tsv", ".tab"), _PARSE + "delimited:read_delimited"),
    Format("application/json", "JSON", (".json",), _PARSE + "jsonfile:read_json"),
    Format("application/x-ndjson", "JSON Lines", (".jsonl", ".ndjson"), _PARSE + "jsonfile:read_json_lines"),
    Format(PAGES, "extracted pages of a manual", (".pages.json",), _PARSE + "manual.text:parse_pages"),
    Format("message/rfc822", "e-mail", (".eml",), _PARSE + "mail:read_mail"),
    Format("application/mbox", "mailbox", (".mbox",), _PARSE + "mail:read_mailbox"),
    Format("text/calendar", "calendar", (".ics",), _PARSE + "calendar:read_calendar"),
    Format("text/vcard", "contact card", (".vcf",), _PARSE + "calendar:read_calendar"),
    Format("application/xml", "regulations in XML", (".xml",), _PARSE + "xml:parse_xml"),
    Format("application/pdf", "PDF", (".pdf",), _PARSE + "pdf:parse_pdf", "", "PyMuPDF"),
    Format(OOXML + "wordprocessingml.document", "Word", (".docx", ".docm", ".dotx", ".dotm"), _PARSE + "docx:parse_docx"),
    Format(OOXML + "spreadsheetml.sheet", "Excel", (".xlsx", ".xlsm", ".xltx", ".xltm"), _PARSE + "xlsx:parse_xlsx"),
    Format(OOXML + "presentationml.presentation", "PowerPoint", (".pptx", ".pptm", ".ppsx"), _PARSE + "pptx:parse_pptx"),
    # known, and not read
    Format("application/msword", "Word 97", (".doc", ".dot"), "", _OLD_OFFICE),
    Format("application/vnd.ms-excel", "Excel 97", (".xls", ".xlt"), "", _OLD_OFFICE),
    Format("application/vnd.ms-excel.sheet.binary.macroenabled.12", "binary Excel", (".xlsb",), "", "save it as .xlsx"),
    Format("application/vnd.ms-powerpoint", "PowerPoint 97", (".ppt", ".pps"), "", _OLD_OFFICE),
    Format("application/vnd.ms-outlook", "Outlook message", (".msg",), "", "save it as .eml"),
    Format("application/ms-tnef", "Outlook's winmail.dat", (), "", "only Outlook opens it; ask for the message as MIME"),
    Format("application/pkcs7-mime", "S/MIME", (".p7m",), "", "encrypted or signed as a whole; save what it holds"),
    Format("application/rtf", "Rich Text", (".rtf",), "", "save it as .docx"),
    Format("application/vnd.oasis.opendocument.text", "OpenDocument text", (".odt",), "", _OPEN_OFFICE),
    Format("application/vnd.oasis.opendocument.spreadsheet", "OpenDocument sheet", (".ods",), "", _OPEN_OFFICE),
    Format("application/vnd.oasis.opendocument.presentation", "OpenDocument slides", (".odp",), "", _OPEN_OFFICE),
    Format("application/epub+zip", "EPUB", (".epub",), "", "unpack it and read its HTML"),
    Format("application/zip", "archive", (".zip",), "", "an archive: its files are read where it is named as a source"),
    Format(
        "application/x-tar", "archive", (".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar"), "", "unpack it first"
    ),
    Format(
        "application/vnd.apache.parquet", "Parquet", (".parquet",), "", "a table already; export the columns of text as CSV"
    ),
    Format("application/x-sqlite3", "SQLite", (".sqlite", ".db"), "", "a database; export the tables as CSV"),
    Format(
        "image/*",
        "picture",
        (".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".bmp", ".webp", ".heic", ".svg"),
        "",
        "a picture has no text; make a PDF of it, whose pages can be read by OCR",
    ),
    Format("audio/*", "sound", (".mp3", ".wav", ".m4a", ".ogg", ".flac"), "", "a recording has no text; read its transcript"),
    Format("video/*", "film", (".mp4", ".mov", ".avi", ".mkv", ".webm"), "", "a recording has no text; read its transcript"),
    Format("font/*", "font", (".ttf", ".otf", ".woff", ".woff2"), "", "it has no text"),
    Format("text/css", "style sheet", (".css",), "", _CODE),
    Format("text/javascript", "script", (".js", ".mjs"), "", _CODE),
    Format(
        "application/octet-stream", "program or data", (".exe", ".dll", ".so", ".bin", ".dat"), "", "its contents are unknown"
    ),
)


def parameters(media_type: str) -> dict[str, str]:
    """What a media type declares beside its name, as in ``text/csv; charset=cp1252; header=absent``.

    >>> parameters('text/csv; header=absent; delimiter=";"')
    {'header': 'absent', 'delimiter': ';'}
    """
    found = re.findall(r';\s*([\w-]+)\s*=\s*(?:"([^"]*)"|([^;]*))', media_type)
    return {name.lower(): quoted or plain.strip() for name, quoted, plain in found}


_OF_READER = {
    "delimited": {"charset", "delimiter", "header", "group"},
    "jsonfile": {"charset", "records", "id", "heading", "text", "skip"},
    "markdown": {"charset"},
    "html": {"charset"},
    "plaintext": {"charset"},
    "mail": {"charset", "attachments", "boundary", "type", "start"},
    "docx": {"chunks"},
}
"""The settings each reader knows, by its module."""
_VALUES: dict[str, tuple[Callable[[str], bool], str]] = {
    "delimiter": (lambda value: len(value) == 1 or value in ("tab", "space", "\\t"), "one character, tab or space"),
    "header": (lambda value: value in ("present", "absent"), "present or absent"),
    "records": (lambda value: value[:1] == "/", "a JSON pointer such as /items"),
    "charset": (lambda value: _is_encoding(value), "the name of an encoding, such as cp1252"),
}


def _is_encoding(name: str) -> bool:
    try:
        codecs.lookup(name)
    except (LookupError, ValueError):
        return False
    return True


def check_settings(media_type: str) -> None:
    """``UsageError`` for a parameter of a media type that its reader does not know, or for a value that it cannot have."""
    known = _OF_READER.get(format_of(media_type).reader.partition(":")[0].rpartition(".")[2], set())
    for name, value in parameters(media_type).items():
        if name not in known:
            step = f"its settings are {', '.join(sorted(known))}" if known else "it has none"
            raise UsageError(f"{media_type.partition(';')[0]} has no setting {name!r}", next=step)
        fits, wanted = _VALUES.get(name, (bool, "something"))
        if not fits(value):
            raise UsageError(f"the setting {name} is {value!r}", next=f"it must be {wanted}")


def format_of(media_type: str) -> Format:
    """The format of a media type, whatever its parameters; ``UsageError`` where there is none."""
    name = media_type.split(";")[0].strip().lower()
    for known in FORMATS:
        if name in (known.media_type, known.media_type.replace("*", name.rpartition("/")[2])):
            return known
    raise UsageError(f"media type {media_type!r} is not read here", next="'pincite formats' lists what is read")


def is_read(media_type: str) -> bool:
    """Whether some reader reads a media type."""
    try:
        return bool(format_of(media_type).reader)
    except UsageError:
        return False


def media_type_of(name: str) -> str:
    """The media type of a file by its name, "" where no format has it. Folders are classified by content instead."""
    fitting = [known for known in FORMATS if known.extensions and name.lower().endswith(known.extensions)]
    return max(fitting, key=lambda known: max(map(len, known.extensions))).media_type if fitting else ""


def reader_of(media_type: str) -> Callable[[Source, bytes], Document]:
    """The function that reads a media type; ``UsageError`` where none does."""
    known = format_of(media_type)
    if not known.reader:
        raise UsageError(f"{known.name} is not read here: {known.reason}", next="'pincite formats' lists what is read")
    module, function = known.reader.split(":")
    read: Callable[[Source, bytes], Document] = getattr(import_module(module), function)
    return read
