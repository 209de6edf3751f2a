"""What a container of parts is (a zip archive, an OLE file) by the names of its parts. Nothing is unpacked."""

from __future__ import annotations

import struct
import zipfile
from typing import BinaryIO

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MOST_LISTED = 8 << 20
"""Bytes of a zip archive's list of members; a longer one is not an office file."""

_OFFICE = "application/vnd.openxmlformats-officedocument."
_PARTS = (
    ("word/", f"{_OFFICE}wordprocessingml.document", "Word document (DOCX)"),
    ("xl/", f"{_OFFICE}spreadsheetml.sheet", "Excel workbook (XLSX)"),
    ("ppt/", f"{_OFFICE}presentationml.presentation", "PowerPoint slides (PPTX)"),
)
_STREAMS = (
    ("WordDocument", "application/msword", "Word document of the old kind (DOC)"),
    ("Workbook", "application/vnd.ms-excel", "Excel workbook of the old kind (XLS)"),
    ("Book", "application/vnd.ms-excel", "Excel workbook of the old kind (XLS)"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint", "PowerPoint slides of the old kind (PPT)"),
    ("__properties_version1.0", "application/vnd.ms-outlook", "Outlook message (MSG)"),
)

Found = tuple[str, str, str, str]
"""Media type, name, trouble, reason: the fields of ``classify.Class``."""


def archive(stream: BinaryIO, size: int) -> Found:
    """What a zip archive is: an office file, an EPUB, or just an archive."""
    zipped = ("application/zip", "zip archive")
    if _listed_bytes(stream, size) > MOST_LISTED:
        return (*zipped, "damaged", "its list of members is too long to be an office file's")
    stream.seek(0)
    try:
        with zipfile.ZipFile(stream) as opened:
            members = {info.filename.replace("\\", "/"): info for info in opened.infolist()}
            declared = _declared(opened) if "mimetype" in members else ""
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error, EOFError) as error:
        return (*zipped, "damaged", f"it is a damaged zip archive ({error})")
    if any(info.flag_bits & 1 for info in members.values()):
        return (*zipped, "encrypted", "its members are encrypted")
    if "[Content_Types].xml" in members and "xl/workbook.bin" in members:
        return "application/vnd.ms-excel.sheet.binary.macroenabled.12", "binary Excel workbook (XLSB)", "", ""
    if "[Content_Types].xml" in members:
        for folder, media_type, name in _PARTS:
            if any(member.startswith(folder) for member in members):
                return media_type, name, "", ""
    if declared.startswith("application/"):
        return declared, "OpenDocument or EPUB file", "", ""
    return (*zipped, "", "")


def _declared(opened: zipfile.ZipFile) -> str:
    """What an OpenDocument or EPUB file says it is, in its first member, which must not be compressed."""
    info = opened.getinfo("mimetype")
    if info.compress_type != zipfile.ZIP_STORED or info.file_size > 100 or info.flag_bits & 1:
        return ""
    return opened.read(info).decode("ascii", "replace").strip()


def _listed_bytes(stream: BinaryIO, size: int) -> int:
    """The size of the list of members as the archive's end tells it; 0 where it does not."""
    stream.seek(max(0, size - 65_557))
    tail = stream.read(65_557)
    at = tail.rfind(b"PK\x05\x06")
    return struct.unpack_from("<I", tail, at + 12)[0] if 0 <= at <= len(tail) - 22 else 0


def ole(stream: BinaryIO, head: bytes) -> Found:
    """What an OLE file is: an old office file, a message, or an encrypted new one."""
    names = _streams(stream, head)
    if "encryptedpackage" in {name.casefold() for name in names}:
        return "application/x-ole-storage", "office file", "encrypted", "it is encrypted with a password"
    for stream_name, media_type, name in _STREAMS:
        if stream_name in names:
            return media_type, name, "", ""
    return "application/x-ole-storage", "OLE file", "", ""


def _streams(stream: BinaryIO, head: bytes) -> set[str]:
    """The names in the first sectors of the directory."""
    if len(head) < 52:
        return set()
    power, first = struct.unpack_from("<H", head, 30)[0], struct.unpack_from("<I", head, 48)[0]
    if power not in (9, 12) or first >= 1 << 30:
        return set()
    stream.seek((first + 1) << power)
    directory = stream.read(1 << 16)
    entries = [directory[at : at + 128] for at in range(0, len(directory) - 127, 128)]
    return {_entry_name(entry) for entry in entries}


def _entry_name(entry: bytes) -> str:
    length = struct.unpack_from("<H", entry, 64)[0]
    return entry[: max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")
