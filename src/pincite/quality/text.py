"""Checks of the words: are they there, are they language, are they finished."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from pincite.quality.codes import Problem
from pincite.quality.view import View


def problems(view: View) -> Iterator[Problem]:
    """All checks of this module."""
    if not any(piece.shown.strip() for piece in view.pieces if piece.block.role != "heading"):
        yield view.problem("PQ001", "there is no text but headings and properties")
        return
    for each in (_damaged, _merge_markers, _spaced, _filler, _language, _placeholders, _scripts, _secrets, _model, _invisible):
        yield from each(view)


# --- encoding ---------------------------------------------------------------------------------------------------------

_MOJIBAKE = re.compile(
    "(?:Ã[\u0080-¿ŒœŠšŽžŸƒˆ˜–—‘’‚“”„†‡•…‰‹›€™]|Â[\u00a0-¿]|â€[\u0080-¿œžŸ™˜“”¦¢]|ï»¿|ðŸ|\ufffd|Ð[\u0080-¿]Ñ[\u0080-¿])"
)
_WORDS = re.compile(r"\w+")
_GARBLED_SHARE, _GARBLED_LEAST = 0.01, 5


def _damaged(view: View) -> Iterator[Problem]:
    found = [(piece, match) for piece in view.pieces for match in _MOJIBAKE.finditer(piece.text)]
    if not found:
        return
    words = sum(len(_WORDS.findall(piece.text)) for piece in view.pieces)
    piece, match = found[0]
    sample = piece.text[max(0, match.start() - 8) : match.end() + 8]
    garbled = len(found) >= _GARBLED_LEAST and len(found) > _GARBLED_SHARE * words
    what = "the text was decoded with a wrong encoding" if garbled else "damaged characters"
    message = f"{what}: {len(found)} places, the first in “{' '.join(sample.split())}”"
    yield view.problem("PQ002" if garbled else "PQ114", message, piece.block, match.start(), match.end())


_INVISIBLE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0001-\U000e007f]")


def _invisible(view: View) -> Iterator[Problem]:
    for piece in view.pieces:
        if match := _INVISIBLE.search(piece.text):
            name = unicodedata.name(match[0], f"U+{ord(match[0]):04X}")
            yield view.problem("PQ118", f"a character nobody sees: {name}", piece.block, match.start(), match.end())


# --- unfinished -------------------------------------------------------------------------------------------------------

_OURS, _MIDDLE, _THEIRS = (re.compile(rf"^{mark}(?:\s|$)", re.MULTILINE) for mark in ("<{7}", "={7}", ">{7}"))


def _merge_markers(view: View) -> Iterator[Problem]:
    """All three kinds of lines, in order, outside code: a procedure may show one in a listing."""
    text = "\n".join(piece.text for piece in view.pieces if not piece.is_code)
    if (ours := _OURS.search(text)) and (theirs := _THEIRS.search(text, ours.end())):
        marked = next(piece for piece in view.pieces if not piece.is_code and _OURS.search(piece.text))
        if "=======" in text[ours.end() : theirs.start()]:
            at = _OURS.search(marked.text)
            yield view.problem(
                "PQ003", "the markers of an unresolved merge stand in the text", marked.block, at.start() if at else 0
            )


_FILLER = re.compile(r"\blorem ipsum\b|\bdolor sit amet\b|\bconsectetur adipisc", re.IGNORECASE)


def _filler(view: View) -> Iterator[Problem]:
    for piece in view.pieces:
        if not piece.is_code and (match := _FILLER.search(piece.text)):
            yield view.problem("PQ005", f"filler text: “{match[0]}”", piece.block, match.start(), match.end())
            return


_PLACEHOLDER = re.compile(
    r"\b(?:TODO|TBD|TBC|FIXME|XXX|TK)\b(?!-)"
    r"|\{\{[^{}\n]{1,60}\}\}|\$\{[^{}\n]{1,60}\}|<<[A-Za-z][^<>\n]{1,60}>>"
    r"|[\[<](?:insert|enter|add|your|company|name of|date|placeholder|to be)\b[^\]>\n]{0,60}[\]>](?!\()"
    r"|\b[DY]{2,4}[-/][MX]{2}[-/][YD]{2,4}\b|_{8,}",
    re.IGNORECASE,
)
_CASED = frozenset({"TODO", "TBD", "TBC", "FIXME", "XXX", "TK"})


def _placeholders(view: View) -> Iterator[Problem]:
    for piece in view.pieces:
        for match in () if piece.is_code else _PLACEHOLDER.finditer(piece.text):
            if match[0].upper() in _CASED and match[0] not in _CASED:
                continue  # "todo" is a word
            yield view.problem("PQ101", f"a placeholder: “{match[0][:60]}”", piece.block, match.start(), match.end())


# --- language ---------------------------------------------------------------------------------------------------------

_SPACED = re.compile(r"(?<!\S)(?:[^\W\d_] ){4,}[^\W\d_](?!\S)")
_SPACED_SHARE, _SPACED_LEAST = 0.3, 20


def _spaced(view: View) -> Iterator[Problem]:
    """``R e t e n t i o n``: letters as far apart as words, as poor text recognition leaves them."""
    tokens = letters = 0
    first = None
    for piece in view.pieces:
        tokens += piece.text.count(" ") + 1
        for match in _SPACED.finditer(piece.text):
            letters += match[0].count(" ") + 1
            first = first or (piece, match)
    if first and letters >= _SPACED_LEAST and letters > _SPACED_SHARE * tokens:
        piece, match = first
        message = f"letters are spaced like words: “{match[0][:40]}”"
        yield view.problem("PQ004", message, piece.block, match.start(), match.end())


_LONG_RUN = re.compile(r"[^\s/|,;:.\-_]{60,}")
_NO_LANGUAGE = 0.5
_LEAST = 200


def _language(view: View) -> Iterator[Problem]:
    """Half of the text or more is neither letters nor digits, or stands in runs no word is as long as: a dump, not language."""
    body = [piece.text for piece in view.pieces if piece.block.role == "body" and not piece.is_code]
    text = "".join(body)
    marks = len(text) - sum(map(len, _WORDS.findall(text))) - sum(map(str.isspace, text))
    runs = sum(len(match[0]) for match in _LONG_RUN.finditer(text) if match[0].isascii())
    if len(text) >= _LEAST and max(marks, runs) > _NO_LANGUAGE * len(text):
        yield view.problem("PQ006", "most of it is no language: encoded data, or marks only")


_WORD = re.compile(r"[^\W\d_]{3,40}")
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK")


def _scripts(view: View) -> Iterator[Problem]:
    """Letters of two scripts in one word, that look alike: a search for the word as typed does not find it."""
    for piece in view.pieces:
        if piece.text.isascii():
            continue
        for match in _WORD.finditer(piece.text):
            word = match[0]
            if word.isascii():
                continue
            scripts = {name.partition(" ")[0] for letter in word if (name := unicodedata.name(letter, ""))}
            if len(scripts.intersection(_SCRIPTS)) > 1:
                yield view.problem("PQ110", f"“{word}” has letters of two scripts", piece.block, match.start(), match.end())


# --- what should not be there -----------------------------------------------------------------------------------------

_SECRET = re.compile(
    r"(?P<aws>\bAKIA[0-9A-Z]{16}\b)|(?P<key>-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----)|(?P<github>\bgh[pousr]_[A-Za-z0-9]{36}\b)"
    r"|(?P<slack>\bxox[abpors]-[A-Za-z0-9-]{10,60})|(?P<google>\bAIza[0-9A-Za-z_-]{35}\b)"
    r"|(?P<password>\b(?:password|passwd|pwd|secret|api[_ -]?key|token)\b[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"(?=[^\s\"'<>{}$]{0,40}\d)[^\s\"'<>{}$*]{8,60})",
    re.IGNORECASE,
)


def _secrets(view: View) -> Iterator[Problem]:
    for piece in [*view.pieces, *view.metadata]:
        for match in _SECRET.finditer(piece.text):
            yield view.problem("PQ113", f"looks like a secret ({match.lastgroup})", piece.block, match.start(), match.end())


_ADDRESSED = re.compile(
    r"\b(?:ignore|disregard|forget)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|all)\b[^.\n]{0,30}\b(?:instructions?|prompts?|rules)\b"
    r"|\byou are (?:now )?(?:chatgpt|an? (?:ai|language model|assistant))\b|<\|(?:im_start|system|endoftext)\|>|\[/?INST\]",
    re.IGNORECASE,
)


def _model(view: View) -> Iterator[Problem]:
    for piece in view.pieces:
        if match := _ADDRESSED.search(piece.text):
            message = f"words addressed to a model, kept as text and never followed: “{match[0][:60]}”"
            yield view.problem("PQ116", message, piece.block, match.start(), match.end())


def repeated(view: View, least: int = 3, words: int = 8) -> Iterator[Problem]:
    """A paragraph of some length that stands *least* times or more in one document."""
    counts: Counter[str] = Counter()
    for piece in view.pieces:
        key = " ".join(piece.shown.casefold().split())
        if piece.block.role == "body" and key.count(" ") >= words:
            counts[key] += 1
            if counts[key] == least:
                yield view.problem("PQ117", f"a paragraph stands here {least} times or more", piece.block)
