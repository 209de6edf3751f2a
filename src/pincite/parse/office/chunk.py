"""A document of another format inside a Word document (``altChunk``): some converters write all of their text as one."""

from __future__ import annotations

from io import BytesIO

from pincite.errors import PinciteError
from pincite.model import Source, sha256_hex
from pincite.parse.compose import Composer
from pincite.parse.formats import OOXML, parameters, reader_of
from pincite.parse.office.package import Package
from pincite.sources.classify import HEAD_BYTES, classify

WORD = OOXML + "wordprocessingml.document"
READ = {
    "text/html": "text/html",
    "application/xhtml+xml": "text/html",
    "text/plain": "text/plain",
    "multipart/related": "multipart/related; attachments=none",
    "message/rfc822": "multipart/related; attachments=none",
    WORD: WORD + "; chunks=none",
}
"""What is read, and as what. Nothing read here reads a document inside it again, so that none holds itself."""


def take_in(made: Composer, package: Package, main: str, relation_id: str) -> None:
    """Read the part below the current place, as pages of its own; a finding says why where it is not."""
    relation = package.relationships(main).get(relation_id)
    if relation is None or relation.target not in package:
        return made.find("unsupported_element", "altChunk", "a document inside this one that is missing or elsewhere; not read")
    try:
        data = package.foreign(relation.target)
        kind = classify(data[:HEAD_BYTES], len(data), relation.target, BytesIO(data))
        media_type = "" if parameters(made.source.media_type).get("chunks") == "none" else READ.get(kind.media_type, "")
        if not media_type:
            return made.find(
                "unsupported_element", relation.target, f"a document inside this one: {kind.name} is not read there"
            )
        about, path = made.source, f"{made.source.path}/{relation.target}"
        inner = Source(made.node_id, about.corpus_version, "", about.uri, media_type, path, len(data), sha256_hex(data))
        document = reader_of(media_type)(inner, data)
    except PinciteError as error:
        return made.find("unsupported_element", relation.target, error.sentence())
    made.page()
    made.embed(document, relation.target)
    return made.page()
