"""Which part of a message is its own: the words before it, its signature, and the earlier messages it carries along."""

from __future__ import annotations

import re

from pincite.model import Document

SIGNED = 12
"""Lines of a signature; what is longer is text."""
_SIGNATURE = re.compile(r"^-- ?\r?$", re.MULTILINE)
_VERBS = r"wrote|schrieb|écrit|escribió|scritto|schreef|escreveu|skrev|napisał\w*|написал\w*"
_FROM = r"From|Von|De|Da|Van|Od|Från|Fra|От|发件人|寄件者|差出人|보낸 사람"
_SUBJECT = r"Subject|Betreff|Objet|Asunto|Oggetto|Onderwerp|Assunto|Temat|Ämne|Emne|Тема|主题|主旨|件名|제목"
_SENT = r"Sent|Gesendet|Envoyé|Enviado|Inviato|Verzonden|Skickat|Отправлено"
_OTHERS = r"Date|To|Cc|Datum|An|À|Para|A|Aan|Till|Дата|Кому"
_HEADERS = re.compile(
    rf"^(?:[_-]{{5,}}[ \t]*\r?\n)?\*?(?:{_FROM})\*? ?[:：][^\n]+\n(?:[^\n:]{{1,14}}:[^\n]*\n){{1,5}}?"
    rf"\*?(?:{_SUBJECT})\*? ?[:：]"
    rf"|^(?=(?:[^\n]*\n){{0,3}}(?:[^\n]*@|\*?(?:{_SENT})\b))"
    rf"(?:\*?(?:{_FROM}|{_SUBJECT}|{_SENT}|{_OTHERS})\*? ?:[^\n]+(?:\n|\Z)){{3,}}",
    re.MULTILINE,
)
"""The headers that Outlook writes above the message it answers; in another order where one has an address."""
_INTRODUCED = re.compile(
    r"^(?:-{2,} ?(?:original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original)"
    r"|begin forwarded message ?:|anfang der weitergeleiteten nachricht ?:|début du message (?:réexpédié|transféré) ?:"
    rf"|(?:-{{2,}} ?)?(?:on|am|le|el|il|op|em|den|w dniu|på) .{{5,120}}(?:{_VERBS})\b[^\r\n]{{0,80}}:[ \t]*\r?$"
    rf"|(?=[^\n]*\d)(?:on|am|le|el|il|op|em|den) [^\n>]{{5,120}}\r?\n(?!>)[^\n]{{0,80}}(?:{_VERBS})\b[^\r\n]{{0,40}}:[ \t]*\r?$"
    r"|(?=[^\n]*\d{4})[^\n>]{3,140}<[^<>\s]+@[^<>\s]+>\)?[^\n:：]{0,20}[:：][ \t]*\r?$)",
    re.IGNORECASE | re.MULTILINE,
)
"""The line above a message that is answered or sent on. In most languages it has a date and an address."""


_MARKED = re.compile(r"\s*\n>")


def parted(text: str) -> list[tuple[str, str]]:
    """A plain body as (words, role): its own ("" for the usual roles), signatures, and what it quotes.

    Where each line of what is quoted is marked, the message goes on after it; else it ends there.
    """
    pieces: list[tuple[str, str]] = []
    at = 0
    while (line := _INTRODUCED.search(text, at)) and _MARKED.match(text, line.end()):
        headers = _HEADERS.search(text, at, line.start())
        if headers:
            break
        pieces += [*_own(text, at, line.start()), (line[0], "note")]
        at = line.end()
    found = [match.start() for match in (_INTRODUCED.search(text, at), _HEADERS.search(text, at)) if match]
    end = min(found, default=len(text))
    return [*pieces, *_own(text, at, end), (text[end:], "note")]


def _own(text: str, start: int, end: int) -> list[tuple[str, str]]:
    """What the message itself says there, and the signature below it."""
    signed = _signed_from(text, start, end)
    return [(text[start:signed], ""), (text[signed:end], "contact")]


def _signed_from(text: str, start: int, end: int) -> int:
    """Where the signature of what reaches from *start* to *end* begins; at its end where it has none."""
    first = end
    for _ in range(SIGNED + 1):
        first = text.rfind("\n", 0, first)
        if first < 0:
            break
    signed = _SIGNATURE.search(text, max(first, start), end)
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
