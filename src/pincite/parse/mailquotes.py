"""Which part of a message is its own: the words before it, its signature, and the earlier messages it carries along."""

from __future__ import annotations

import re

from pincite.model import Document

SIGNED = 12
"""Lines of a signature; what is longer is text."""
_SIGNATURE = re.compile(r"^-- ?\r?$", re.MULTILINE)
_VERBS = r"wrote|schrieb|écrit|escribió|scritto|schreef|escreveu|skrev|napisał\w*"
_FROM = r"From|Von|De|Da|Van|Od|Från|Fra"
_SUBJECT = r"Subject|Betreff|Objet|Asunto|Oggetto|Onderwerp|Assunto|Temat|Ämne|Emne"
_HEADERS = re.compile(
    rf"^(?:[_-]{{5,}}[ \t]*\r?\n)?\*?(?:{_FROM})\*? ?:[^\n]+\n(?:[^\n:]{{1,14}}:[^\n]*\n){{1,5}}?\*?(?:{_SUBJECT})\*? ?:",
    re.MULTILINE,
)
"""The headers that Outlook writes above the message it answers."""
_INTRODUCED = re.compile(
    r"^(?:-{2,} ?(?:original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original)"
    r"|begin forwarded message ?:|anfang der weitergeleiteten nachricht ?:|début du message (?:réexpédié|transféré) ?:"
    rf"|(?:on|am|le|el|il|op|em|den|w dniu|på) .{{5,120}}(?:{_VERBS})\b[^\r\n]{{0,80}}:[ \t]*\r?$"
    rf"|(?=[^\n]*\d)(?:on|am|le|el|il|op|em|den) [^\n>]{{5,120}}\r?\n(?!>)[^\n]{{0,80}}(?:{_VERBS})\b[^\r\n]{{0,40}}:[ \t]*\r?$"
    r"|(?=[^\n]*\d{4})[^\n>]{3,140}<[^<>\s]+@[^<>\s]+>\)?[^\n:：]{0,20}[:：][ \t]*\r?$)",
    re.IGNORECASE | re.MULTILINE,
)
"""The line above a message that is answered or sent on. In most languages it has a date and an address."""


def parted(text: str) -> tuple[tuple[str, str], ...]:
    """A plain body as (words, role): its own ("" for the usual roles), its signature, and what it quotes to its end."""
    found = [match.start() for match in (_INTRODUCED.search(text), _HEADERS.search(text)) if match]
    end = min(found, default=len(text))
    own = _signed_from(text, end)
    return (text[:own], ""), (text[own:end], "contact"), (text[end:], "note")


def _signed_from(text: str, end: int) -> int:
    """Where the signature of what ends at *end* begins; there where it has none."""
    first = end
    for _ in range(SIGNED + 1):
        first = text.rfind("\n", 0, first)
        if first < 0:
            break
    signed = _SIGNATURE.search(text, max(first, 0), end)
    return signed.start() if signed else end


def marked(page: Document) -> Document:
    """An HTML body with what it quotes as notes: quoted blocks with the line above them, and all below Outlook's headers."""
    blocks, after = list(page.partition), False
    for at, block in enumerate(blocks):
        if block.role != "body":
            continue
        words = page.slice(block.page, block.start, block.end).decode()
        after = after or bool(_HEADERS.match(words))
        if after or "/blockquote" in block.origin or _INTRODUCED.match(words):
            blocks[at] = block._replace(role="note")
    return page._replace(partition=tuple(blocks))
