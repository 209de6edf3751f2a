"""Citations from the identifiers of United States Legislative Markup."""

from __future__ import annotations

import re

from pincite.parse.numbers import roman
from pincite.references.lexicon import clean

_NAMES = (
    ("subch", "Subchapter"), ("sch", "Subchapter"), ("subpt", "Subpart"), ("spt", "Subpart"), ("subt", "Subtitle"),
    ("st", "Subtitle"), ("subd", "Subdivision"), ("sd", "Subdivision"), ("sart", "Subarticle"), ("art", "Article"),
    ("ch", "Chapter"), ("pt", "Part"), ("div", "Division"), ("d", "Division"),
)  # fmt: skip
"""How the parts of an identifier begin, the longer first, and what they are called."""
_OF_REGULATIONS = (
    ("subt", "Subtitle"), ("sch", "Subchapter"), ("sp", "Subpart"), ("ch", "Chapter"), ("p", "Part"), ("app", "Appendix"),
)  # fmt: skip
_NUMBERED_THROUGH = frozenset({"Chapter", "Subtitle", "Division"})
_SECTION = re.compile(r"s(\d.*)", re.DOTALL)
_NUMBER = re.compile(r"[\[\s]*(?:§{1,2}|[Ss]ections?|SECTIONS?|SEC\.|Sec\.)?\s*(.*?)[\s.—–\]]*$", re.DOTALL)


def citation(identifier: str) -> str:
    """The citation that an identifier stands for; "" where it is of no known form.

    >>> citation("/us/usc/t42/s1983/a/1/A"), citation("/us/usc/t42/ch21/schI"), citation("/us/usc/t5a")
    ('42 U.S.C. § 1983(a)(1)(A)', '42 U.S.C. Chapter 21 Subchapter I', '5 U.S.C. App.')
    >>> citation("/us/usc/t42/s300aa–1"), citation("/us/pl/115/97/s11001/a")
    ('42 U.S.C. § 300aa-1', 'Pub. L. 115-97 § 11001(a)')
    """
    parts = clean(identifier).strip("/").split("/")
    if parts[:2] == ["us", "usc"] and len(parts) > 2 and parts[2][:1] == "t":
        title = parts[2][1:]
        base = f"{title[:-1]} U.S.C. App." if title.endswith("a") else f"{title} U.S.C."
        return _below(base, parts[3:])
    if parts[:2] == ["us", "cfr"] and len(parts) > 3 and parts[2][:1] == "t":
        return _regulation(f"{parts[2][1:].strip()} CFR", parts[3:])
    if parts[:2] == ["us", "pl"] and len(parts) > 3:
        return _below(f"Pub. L. {parts[2]}-{parts[3]}", parts[4:])
    return ""


def _regulation(base: str, parts: list[str]) -> str:
    """A place in the Code of Federal Regulations.

    >>> citation("/us/cfr/t27/s40.11/a/1"), citation("/us/cfr/t27/p40/spF"), citation("/us/cfr/t27/ch1/schB")
    ('27 CFR 40.11(a)(1)', '27 CFR Part 40 Subpart F', '27 CFR Chapter I Subchapter B')
    """
    section = _SECTION.fullmatch(parts[0])
    if section:
        return f"{base} {section[1]}" + "".join(f"({one})" for one in parts[1:])
    path = base
    for part in parts:
        name = next(((word, part[len(start) :]) for start, word in _OF_REGULATIONS if part.startswith(start)), None)
        if name is None or not name[1]:
            return ""
        word, number = name
        if word == "Chapter" and number.isdigit() and base[:2] not in ("41", "48"):  # elsewhere chapters have Roman numbers
            number = roman(int(number)).upper()
        path = f"{path} {word} {number}"
    return path


def _below(base: str, parts: list[str]) -> str:
    """A place below *base*: a section is cited through its title alone, whatever stands between."""
    for at, part in enumerate(parts):
        section = _SECTION.fullmatch(part)
        if section:
            number = section[1]
            sign = "§§" if "..." in number else "§"
            return f"{base} {sign} {number.replace('...', ' to ')}" + "".join(f"({one})" for one in parts[at + 1 :])
    path = base
    for part in parts:
        name = next(((word, part[len(start) :]) for start, word in _NAMES if part.startswith(start)), None)
        if name is None:
            return ""
        path = f"{base if name[0] in _NUMBERED_THROUGH else path} {name[0]} {name[1]}"
    return path


def number_in(printed: str, kind: str) -> str:
    """A number as a label: without the sign of a section, brackets and what ends it.

    >>> number_in("§ 1983.", "section"), number_in("CHAPTER 21—", "chapter"), number_in("(a)", "paragraph")
    ('1983', 'CHAPTER 21', '(a)')
    """
    text = " ".join(printed.split())
    if kind == "section":
        found = _NUMBER.match(text)
        return found[1] if found else text
    return text.strip("[ ").rstrip("—–. ]")
