"""Sections of a named Act or code: "section 201(s) of the Federal Food, Drug, and Cosmetic Act", "section 505 of the act".

"The act" is whatever the document says it is ("Act means the Federal Food, Drug, and Cosmetic Act", "the Clean Water
Act (CWA)"); ``abbreviations`` reads that. Where a document leaves it unsaid, the usage of its chapter decides, and the
reference says so; where that is silent too, the reference stays without a target.
"""

from __future__ import annotations

import re

from pincite.references.executive_order import ORDER
from pincite.references.lexicon import DASH, clean
from pincite.references.place import Here
from pincite.references.public_law import ITS_SECTIONS, LAW
from pincite.references.reading import Authority, Item, Scan
from pincite.references.usage import KNOWN, USAGE

_WORD = r"(?:[A-Z][\w'’./-]*|and|of|for|the|to|in|on|or|with|from|by|&)"
_WITHIN = (
    r"(?:(?:[Dd]iv(?:ision|\.)|[Ss]ub(?:title|chapter|part)|[Tt]itle|[Cc]hapter|[Pp]art)"
    r"\s+[A-Z\d]{1,7}(?:-\d{1,2})?,?\s+of\s+){0,3}"
)
"""The larger parts of an Act between a section and the Act: "section 402 of part A of title IV of the Act"."""
_NAMED = re.compile(
    rf"(?:,?\s+of\s+{_WITHIN}(?:the\s+)?|,\s+)"
    rf"(?P<name>(?=[A-Z])(?!United\s+States\s+Code\b|[A-Z&]{{2,10}},?\s+(?:and|or)\s)(?:{_WORD},?\s+){{1,14}}?(?:Act|Code|Amendments)"
    r"(?:\s+(?:Amendments|Act))?(?:\s+for\s+the\s+21st\s+Century)?(?:\s+of\s+\d{4})?)\b(?!\s+(?:of\s+Federal\b|Ann\.|R\.|Regs\.|§))"
)
_CODE_AFTER = re.compile(r"(?:,?\s+respectively)?,?\s+(?:I\.\s?R\.\s?C\.|IRC\b)(?!\s*(?:§|[Ss]ec|\d))")
_OF_LAW = re.compile(rf"(?:,?\s+of\s+{_WITHIN}|,\s+(?:Division\s+[A-Z]{{1,2}},\s+)?)(?:{LAW}|{ORDER})")
_DATED = re.compile(r"\s+of\s+the\s+(?P<name>[Aa]ct\s+of\s+[A-Z][a-z]{2,8}\.?\s+\d{1,2},\s+\d{4})")
_ALIAS = re.compile(
    rf"\s+of\s+{_WITHIN}(?:(?P<that>that|such|said)\s+|the\s+)"
    r"(?P<alias>(?:[A-Z][\w&.-]*\s+)?(?:[Aa]ct|[Cc]ode|[Oo]rder|[Ss]tatute)\b"
    rf"|[A-Z][A-Z&]{{1,9}}(?:{DASH}[A-Z]{{1,4}})?\b)"
)
_SHORT = re.compile(
    rf"\s+of\s+{_WITHIN}(?P<short>[A-Z][A-Z&]{{2,9}}(?:{DASH}[A-Z]{{1,4}})?)"
    r"(?=[,.;:)\]](?![\w/])|\s*$|\s+(?:\(|and|as|at|by|for|from|has|if|in|is|may|must|on|or|provides?|requires?|shall|that|to|was|which|with)\b)"
)


def instrument(scan: Scan, at: int) -> tuple[Authority, int] | None:
    """Whose sections they are that end at *at*, and where the words saying so end; None where nothing is said."""
    law = scan.match(_OF_LAW, at)
    if law and law[0].startswith(",") and scan.match(ITS_SECTIONS, law.end()):
        return None  # "Section 541, Pub. L. 91-518, title III, § 301": the law's sections come after it
    if law:
        if law["law"]:
            return Authority("public_law", f"Pub. L. {clean(law['law'])} § "), law.end()
        return Authority("executive_order", f"E.O. {law['order'].replace(',', '')} § "), law.end()
    dated = scan.match(_DATED, at)
    if dated:
        return Authority("act", f"A{' '.join(dated['name'].split())[1:]} § "), dated.end()
    short = scan.match(_SHORT, at)
    if short:
        return _meant(scan, short["short"]), short.end()
    named = scan.match(_NAMED, at)
    if named and " " in named["name"] and not _is_alias(named["name"]):
        return _act(named["name"]), named.end()
    after = scan.match(_CODE_AFTER, at)
    if after:
        return _act("Internal Revenue Code"), after.end()
    alias = scan.match(_ALIAS, at)
    thereof = None if alias else scan.match(_THEREOF, at)
    if thereof:
        before = _last_meant(scan, at, "act")
        return (before, thereof.end()) if before else None
    if not alias:
        return None
    if not alias["that"]:
        return _meant(scan, alias["alias"]), alias.end()
    before = _last_meant(scan, at, alias["alias"])
    if not before and alias["alias"].lower() not in scan.names:
        before = Authority("act", None, reason=f'no "{alias["that"]} {alias["alias"]}" is named before it')
    return before or _meant(scan, alias["alias"]), alias.end()


_BACK = 400
"""How far before "that Act" the Act it means is looked for."""
_LAST_NAMED = re.compile(
    r"\b(?:the|this)\s+(?P<bare>[Aa]ct)\b(?!\s+of\b)|\b(?P<act>Act(?:\s+of\s+\d{4})?)\b|\b(?P<code>Internal\s+Revenue\s+Code)\b"
)


_THEREOF = re.compile(r"\s+thereof\b")


def _last_meant(scan: Scan, at: int, alias: str) -> Authority | None:
    return _named_last(scan.text[max(0, at - _BACK) : at], alias.lower())


def _named_last(before: str, alias: str) -> Authority | None:
    """The Act or code that "that Act" means: the last one named in the words before it; None where that is "the Act"."""
    for named in reversed(list(_LAST_NAMED.finditer(before))):
        if alias == "code" and named["code"]:
            return _act("Internal Revenue Code")
        if alias != "act" or named["code"]:
            continue
        name = _name_before(before[: named.start()]) if named["act"] else ""
        return _act(name + named["act"])._replace(reason=f"named before: {_plain(name + named['act'])}") if name else None
    return None


def _plain(name: str) -> str:
    return " ".join(name.split()).removeprefix("the ")


def _is_alias(name: str) -> bool:
    """ "PHS Act" is a short name, "Clean Water Act" is not."""
    return name.partition(" ")[0].isupper() and len(name.split()) == 2


def _act(name: str) -> Authority:
    name = _plain(name)
    if name.startswith("Internal Revenue Code"):
        return Authority("usc", "26 U.S.C. § ")  # the Code is title 26
    if name == "Bankruptcy Code":
        return Authority("usc", "11 U.S.C. § ")
    return Authority("act", f"{name} § ")


def _meant(scan: Scan, alias: str) -> Authority:
    """The Act that a short name stands for here."""
    key = " ".join(alias.split()).lower()
    if key == "code" and scan.here.title == "26" and key not in scan.names:
        return Authority("usc", "26 U.S.C. § ", reason='"the Code" by the usage of title 26; not defined here')
    if key in scan.names:
        return _act(scan.names[key])
    name = _by_usage(scan.here) if key == "act" else ""
    if name:
        return Authority("act", f"{name} § ", reason=f'"the act" by the usage of title {scan.here.title}; not defined here')
    if key in KNOWN:
        return _act(KNOWN[key])._replace(reason=f'"{alias}" as it is commonly used; not defined here')
    return Authority("act", None, reason=f'"{alias}" is not defined here')


def _by_usage(here: Here) -> str:
    """What "the act" is in the part a text stands in, by the usage of its chapter; "" where there is none."""
    number = here.part.rpartition(" ")[2].rstrip("abcdefghijklmnopqrstuvwxyz")  # 8 CFR part 245a
    if not number.isdigit():
        return ""
    return next((name for parts, name in USAGE.get(here.title, ()) if int(number) in parts), "")


_JUST_BEFORE = re.compile(
    r"\b(?:(?P<irc>Internal\s+Revenue\s+Code(?:\s+of\s+\d{4})?|I\.R\.C\.|IRC)|(?P<bankruptcy>Bankruptcy\s+Code)|(?P<act>Act(?:\s+of\s+\d{4})?)"
    r"|(?P<alias>[A-Z][A-Z&]{1,9}|Code))(?:,?\s+as\s+amended)?(?:\s+\([A-Z][\w.&]{1,9}\))?(?:,|\s*\()?\s*$"
)


def named_before(scan: Scan, start: int) -> Authority | None:
    """The Act or code whose name stands just before the sections: "Clean Water Act (secs. 301-304", "I.R.C. § 6212"."""
    before = _JUST_BEFORE.search(scan.text, max(scan.floor, start - 60), start)
    if not before:
        return None
    if before["irc"]:
        return Authority("usc", "26 U.S.C. § ")
    if before["bankruptcy"]:
        return _act("Bankruptcy Code")
    if before["alias"]:
        key = before["alias"].lower()
        if key in scan.names:
            return _act(scan.names[key])
        return _act(KNOWN[key])._replace(reason=f'"{before["alias"]}" as it is commonly used') if key in KNOWN else None
    window = scan.text[max(scan.floor, start - 140) : before.start()]
    short = scan.names.get(f"{window.split()[-1].lower()} act") if window.split() else None
    name = short or _name_before(window) + before["act"]
    return _act(name) if " " in name else None


def remember(scan: Scan, authority: Authority, items: list[Item]) -> None:
    """Notes whose sections these are, so that "section 106" alone can be read further on."""
    for item in items:
        scan.named.setdefault(item.name.partition("(")[0], set()).add(authority._replace(reason=""))


def recalled(scan: Scan, items: list[Item]) -> Authority | None:
    """Whose section a bare "section 106" is: of the one instrument of which this document named a section 106 before."""
    found = {authority for item in items for authority in scan.named.get(item.name.partition("(")[0], {None})}
    authority = found.pop() if len(found) == 1 else None
    if authority is None or authority.prefix is None:
        return None
    return authority._replace(reason="named in full earlier in the document")


# --- what a document calls its Acts ----------------------------------------------------------------------------------

_MEANS = re.compile(
    rf"Act\b[”\"']?\s+(?:means|shall\s+mean|refers\s+to)\s+(?:the\s+)?(?P<name>(?:{_WORD},?\s+){{1,14}}?Act(?:\s+of\s+\d{{4}})?)\b"
)
_BRACKET = re.compile(
    r"Act(?:\s+of\s+\d{4})?(?:,?\s+as\s+amended)?(?:,?\s+\d{1,2}\s+U\.\s?S\.\s?C\.[^()\n]{1,40}|\s+\([^()]{1,60}\))?,?\s+\((?:[^()]{0,60}?[;,]\s+)?(?:hereinafter\s+|hereafter\s+)?(?:referred\s+to\s+as\s+|called\s+)?(?:the\s+)?"
    r"[“\"'‘]?(?P<alias>(?:[A-Z][\w&.-]*\s)?[Aa]ct|[A-Z][A-Z&]{1,9})[”\"'’]?\)"
)
_REVENUE_CODE = re.compile(
    r"Internal\s+Revenue\s+Code(?:\s+of\s+\d{4})?(?:,?\s+as\s+amended)?(?P<called>,?\s+\((?:hereinafter\s+)?"
    r"(?:referred\s+to\s+as\s+)?(?:the\s+)?[“\"'‘]?(?P<alias>Code|IRC)[”\"'’]?\))?"
)
_IT_MEANS = re.compile(r"\b(?P<alias>Code|IRC)[”\"']?\s+means\s+(?:the\s+)?$")
_SHORT_NAME = re.compile(r"[A-Z&]{2,10},?")
_BEFORE = re.compile(r"[A-Z][\w'’./-]*,?|and|of|for|the|to|in|on|or|with|from|by|&")


def abbreviations(text: str) -> dict[str, str]:
    """The short names a text gives to Acts, in lower case: {"act": "Federal Food, Drug, and Cosmetic Act"}.

    A name defined twice to mean different Acts is left out: it would be a guess.

    >>> abbreviations("(1) Act means the Clean Water Act of 1977, as amended.")
    {'act': 'Clean Water Act of 1977'}
    >>> abbreviations("under the Federal Food, Drug, and Cosmetic Act (the act), and the Clean Water Act (CWA)")
    {'act': 'Federal Food, Drug, and Cosmetic Act', 'cwa': 'Clean Water Act'}
    """
    found: dict[str, set[str]] = {}
    for match in _MEANS.finditer(text):
        found.setdefault(_defined(text, match.start()), set()).add(_plain(match["name"]))
    for match in _BRACKET.finditer(text):
        name = _name_before(text[max(0, match.start() - 140) : match.start()])
        if name:
            name += _plain(re.match(r"Act(?:\s+of\s+\d{4})?", text[match.start() : match.end()])[0])  # type: ignore[index]
            found.setdefault(" ".join(match["alias"].split()).lower(), set()).add(name)
    for match in _REVENUE_CODE.finditer(text):
        named = match if match["called"] else _IT_MEANS.search(text, max(0, match.start() - 24), match.start())
        if named:
            found.setdefault(named["alias"].lower(), set()).add("Internal Revenue Code")
    return {alias: names.pop() for alias, names in found.items() if len(names) == 1}


def _defined(text: str, at: int) -> str:
    """The term that "Act means" defines: "act", or "fd&c act" where a word stands before it in the same definition."""
    before = re.search(r"\b([A-Z][\w&-]*)\s$", text[max(0, at - 24) : at])
    return f"{before[1].lower()} act" if before and before[1] not in ("The", "Term", "A") else "act"


def _name_before(text: str) -> str:
    """The capitalised words at the end of a text, back to the first that cannot belong to the name of an Act."""
    words = text[-140:].split()
    taken: list[str] = []
    while words and _BEFORE.fullmatch(words[-1]) and len(taken) < 14:
        word = words.pop()
        if _SHORT_NAME.fullmatch(word) and taken and (word.endswith(",") or taken[0] in ("and", "or")):
            break  # "QSRA, and the Quarry Act"
        taken.insert(0, word)
    while taken and (taken[0] == taken[0].lower() or taken[0] in ("The", "Section", "Sections", "See", "Under", "In", "As")):
        taken.pop(0)
    if len(taken) > 2 and taken[1:3] == ["of", "the"] and _NUMERAL.fullmatch(taken[0]):
        del taken[:3]  # "title II of the Quarry"
    return " ".join(taken) + " " if taken else ""


_NUMERAL = re.compile(r"[IVXLC]+|[A-Z]|\d+")


ANCHORS = ()
