"""Markup inside the values of records, as content systems export them: what of it a reader is shown."""

from __future__ import annotations

import re
from html import unescape

BLOB = 200
"""Characters from which letters and digits without a blank are taken for data."""
_BLOB = re.compile(r"(?:data:[\w/+.-]{0,80};base64,)?[A-Za-z0-9+/_=-]+\Z")
_LEAST_LINE = 40
"""Characters of a line of Base64 that is divided into lines, which are as long as each other but for the last."""
_HTML = re.compile(
    r"</(?:p|div|span|a|b|i|em|strong|u|li|[uo]l|h[1-6]|t[dhr]|table|sup|sub)\s*>|<(?:br|hr|img)\b[^<>]*>|<(?:p|li|div)>",
    re.IGNORECASE,
)
_INERT = re.compile(r"<(script|style|template)\b[^<>]*>.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)
_INLINE = re.compile(r"</?(?:a|abbr|b|i|u|s|em|strong|span|font|code|sub|sup|small|mark|q)(?:\s[^<>]*)?/?>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*(?:>|\Z)")
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip|#\d{1,6}|#x[0-9a-f]{1,5});", re.IGNORECASE)


def is_blob(text: str) -> bool:
    """Whether a text is no words but data in letters: Base64, a hash, a key."""
    if len(text) <= BLOB:
        return False
    lines = text.split()
    sizes = {len(line) for line in lines[:-1]}
    even = not sizes or (len(sizes) == 1 and _LEAST_LINE <= min(sizes) >= len(lines[-1]))
    return even and bool(_BLOB.match("".join(lines)))


def without_markup(text: str) -> str:
    """*text* as it is read: tags of HTML taken off, entities as their characters, data in letters as its length.

    >>> without_markup("<p>Oil &amp; <b>wicks</b>.</p><p>Daily.</p>")
    'Oil & wicks. Daily.'
    >>> without_markup("a < b and b > c")
    'a < b and b > c'
    """
    if "<" in text and _HTML.search(text):
        text = _TAG.sub(" ", _INLINE.sub("", _INERT.sub(" ", text)))
        text = " ".join(unescape(text).split())
    elif "&" in text and _ENTITY.search(text):
        text = unescape(text)
    return f"[data of {len(text)} characters]" if is_blob(text) else text
