"""What makes a passage the same passage: its document, its place and its words, not where in the document it stands."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from pincite.model import digest


class Identities:
    """Chunk ids of one document. An edit elsewhere in the document does not change them."""

    def __init__(self, document_id: str) -> None:
        self.document_id = document_id
        self.seen: dict[str, int] = {}
        self.ascii = document_id.isascii()
        self.prefix = f"5:chunk{len(document_id)}:{document_id}"

    def chunk_id(self, node_id: str, hashes: str) -> str:
        """The id of the passage of *node_id* whose spans have these hashes, joined.

        It is ``digest("chunk", document_id, node_id, hashes, occurrence)``, the last 1 but where a place repeats its words.
        """
        key = node_id + hashes
        count = self.seen[key] = self.seen.get(key, 0) + 1
        if not self.ascii or not node_id.isascii() or count > 9:
            return digest("chunk", self.document_id, node_id, hashes, count)
        fields = f"{self.prefix}{len(node_id)}:{node_id}{len(hashes)}:{hashes}1:{count}"
        return sha256(fields.encode()).hexdigest()


def content_hash(columns: tuple[Any, ...], hashes: str) -> str:
    """SHA-256 over every content column of a passage. No column but the two free texts can hold the separator.

    *hashes* are those of the spans, joined; they stand for the evidence, which is the spans' bytes, as the breadcrumb's
    line stands for its names.
    """
    document_id, version, node_id, ordinal, names, line, role, _, retrieval, spans, tokens, derivation = columns[:12]
    groundedness, _, excluded = columns[12:]
    if len(spans) == 1:
        page, start, end, _, raw_start, raw_end = spans[0]
        places = f"{page},{start},{end},{raw_start},{raw_end}"
    else:
        places = ";".join([f"{s[0]},{s[1]},{s[2]},{s[4]},{s[5]}" for s in spans])
    fields = (
        f"{document_id}\x1f{version}\x1f{node_id}\x1f{ordinal}\x1f{role}\x1f{hashes}\x1f{places}\x1f{tokens}\x1f{derivation}\x1f"
        f"{groundedness}\x1f{excluded}\x1f{len(names)}:{len(line)}:{line}{retrieval}"
    )
    return sha256(fields.encode()).hexdigest()
