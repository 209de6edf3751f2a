"""Legal citation lines of manuals: ``1 SPC Act 02, s 1(1); 2 SPC Regs, reg 1(1)``.

Each entry belongs to a raised marker (the parser links the two). An entry may name only the provision; then the instrument
is the one named before it in the same line. The instruments are short names of the manual's own list, so a target is that
short name and the provision; it is in the corpus only where somebody ingested it under that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pincite.model import Mention
from pincite.references.spaced import is_letter_spaced

_SPLIT = re.compile(r"[;\n]|(?<=[)\d])\.?\s+(?=\d{1,2}\s+(?:regs?|s|ss|art|Sch|para|[A-Z])\b)")
_MARK = re.compile(r"\s*(?P<mark>\d{1,2})\.?\s+(?=[A-Za-z(]|\d+\()")
_CONNECTORS = re.compile(r"^(?:(?:and|&|the|of)\s+)+")
_PROVISION = re.compile(
    r"(?P<kind>\b(?:regs?|Regs?|ss?|arts?|Arts?|Articles?|paras?|Sch(?:s|edule)?|sch|rules?|Part))\b\.?\s*"
    r"(?P<number>\d+[A-Z]{0,3}(?:\([\w]{1,5}\))*|[IVX]+[A-Z]?\b)"
)
_CASE = re.compile(r"R\([A-Z]+\)\s*\d+/\d+|\[\d{4}\]\s*[A-Z]{2,6}|\bC[A-Z]{0,4}[ /]\d+/\d{4}|Case C")


def legal_mentions(text: str) -> Iterator[Mention]:
    """One mention for each provision or instrument an entry names, in order."""
    if is_letter_spaced(text):
        reason = "letter-spaced: where the instrument's words end cannot be told with certainty"
        yield Mention(0, len(text), text, "legal", None, None, "unresolved", (), reason)
        return
    instrument = kind = ""
    for start, end in _entries(text):
        mark = _MARK.match(text, start, end)
        first = mark.end() if mark else start + len(text[start:end]) - len(text[start:end].lstrip())
        entry = text[first:end].rstrip(" ,;.")
        if entry:
            made, instrument, kind = _entry(entry, first, instrument, kind, mark.group("mark") if mark else "")
            yield made


def _entries(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for cut in _SPLIT.finditer(text):
        if text[cut.start()] == "\n" and not _MARK.match(text, cut.end()):
            continue  # the line goes on
        yield start, cut.start()
        start = cut.end()
    yield start, len(text)


def _entry(entry: str, offset: int, instrument: str, kind: str, mark: str) -> tuple[Mention, str, str]:
    """The mention of one entry, and the instrument and kind of provision that the next entry may leave out."""
    reason = f"marker {mark}" if mark else ""
    first = _PROVISION.search(entry)
    name = " ".join(entry[: first.start()].replace(",", " ").split()) if first else ""
    name = _CONNECTORS.sub("", name)
    if first and name and name.rstrip(".").lower() != "ibid":
        instrument = name
    if first:
        kind = first.group("kind")
        provision = " ".join(entry[first.start() :].replace(",", " ").split())
        target: str | None = f"{instrument}, {provision}" if instrument else None
    elif entry[0].isdigit() and instrument:
        target = f"{instrument}, {kind} {entry}"  # "2 Regs 4(1)(b); 3 4(3)(b)"
    else:
        target = " ".join(entry.split())
        instrument = instrument if _CASE.search(entry) else target
    label = "case" if first is None and _CASE.search(entry) else "legal"
    reason = reason if target else "no instrument is named before it"
    return Mention(offset, offset + len(entry), entry, label, target, None, "unresolved", (), reason), instrument, kind
