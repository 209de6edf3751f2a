"""The family of federal citations: what ``find`` and ``observe`` call."""

from __future__ import annotations

from collections.abc import Mapping

from pincite.model import Mention, Place
from pincite.references.act import abbreviations
from pincite.references.grammar import anchors, read
from pincite.references.observing import observe_federal as observed
from pincite.references.place import codified, stand
from pincite.references.reading import Scan

__all__ = ["mentions", "observed"]


def mentions(text: str, at: Place, names: Mapping[str, str]) -> list[Mention]:
    """The federal citations in a text that stands at a place."""
    title = "48" if "48 CFR" in at.node_id or "Title 48" in at.context else ""
    number = at.node_id.partition(" CFR ")[2]
    part = number.partition(".")[0] if number[:1].isdigit() else "" if number else "no part"
    found = anchors(text, informal=True, title=title, part=part)
    if not found:
        return []
    scan = Scan(text, codified(at.node_id), stand(at), {**names, **abbreviations(text)})
    read(scan, found)
    return scan.out
