"""Small office files made in memory: by the libraries that write them, and part by part where those cannot."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from pincite.model import Document, Source
from pincite.parse.formats import OOXML

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
DOCX, XLSX, PPTX = (
    OOXML + kind for kind in ("wordprocessingml.document", "spreadsheetml.sheet", "presentationml.presentation")
)


def source(name: str, media_type: str) -> Source:
    return Source(name.partition(".")[0], "1", name.partition(".")[0].title(), name, media_type, name, 0, "")


def zipped(parts: dict[str, str | bytes]) -> bytes:
    """An archive of these parts."""
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def relations(*entries: tuple[str, str, str], external: tuple[str, ...] = ()) -> str:
    """A relationships part from (id, kind, target)."""
    rows = [
        f'<Relationship Id="{rid}" Type="{_RELATION}{kind}" Target="{target}"'
        + (' TargetMode="External"' if rid in external else "")
        + "/>"
        for rid, kind, target in entries
    ]
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{"".join(rows)}</Relationships>'
    )


def word(body: str, **more: str | bytes) -> bytes:
    """A Word document of this body; *more* are further parts of ``word/`` by name without extension."""
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")),
        "word/document.xml": f"<w:document {W} {R}><w:body>{body}</w:body></w:document>",
    }
    kinds = [name for name in more if name != "links"]
    parts["word/_rels/document.xml.rels"] = relations(*((f"part-{name}", name, f"{name}.xml") for name in kinds))
    for name in kinds:
        content = more[name]
        parts[f"word/{name}.xml"] = f"<w:{name} {W}>{content}</w:{name}>" if isinstance(content, str) else content
    if "links" in more:
        parts["word/_rels/document.xml.rels"] = more["links"]
    return zipped(parts)


def shown(document: Document) -> list[tuple[str, str]]:
    """Role and text of every block that is not blank."""
    return [
        (block.role, document.slice(block.page, block.start, block.end).decode())
        for block in document.partition
        if block.role != "blank"
    ]
