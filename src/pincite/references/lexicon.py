"""What references are made of: numbers, designators, lists and ranges. Patterns only; every quantifier is bounded or
unambiguous, so that no text can make a match backtrack for long."""

from __future__ import annotations

import re

DASH = "[-\u2010-\u2015\u2212]"
TO = rf"\s*(?:{DASH}{{1,2}}|\b(?:through|thru|to)\b(?:\s+and\s+including\b)?)\s*"
SEP = r"\s*(?:,\s*(?:(?:and/or|and|or|nor|but\s+not)\b\s*|&\s*)?|\b(?:and/or|and|or|nor)\b\s*|[&/]\s*)"
REMARK = re.compile(
    r",?\s+introductory\s+text|,\s+inclusive|\s+\((?:introductory\s+text|(?:the\s+)?(?:first|second|third|fourth|last)\s+sentences?)\)"
)
"""What may be said of one item of a list, before the list goes on: "(f) introductory text, (g)(1) (last sentence), and (h)"."""
ET_SEQ = r"(?:,?\s+et\.?\s+seq\b\.?)"
EXTENT = re.compile(ET_SEQ)
OPEN_END = "et seq.: the end is open"

_DOUBLES = "|".join(letter * 2 for letter in "abcdefghijklmnopqrstuvwxyz")
DESIGNATOR = (
    rf"\(\s?(?:\d{{1,3}}|[a-zA-Z]|[ivxl]{{2,8}}|[IVXL]{{2,6}}|[a-z]{{2}}(?<={_DOUBLES})|[A-Z]{{2}}(?<={_DOUBLES.upper()}))"
    rf"(?:{DASH}\d{{1,2}})?\s?\)"
)
"""(a) (1) (iv) (B) (aa) (IV) (a-1), also as ``( i )``; a year or a word in brackets is none."""
PATH = rf"(?:(?:(?!\s*\n\s*\n)\s{{1,3}}(?=\([^()]{{1,16}}\)(?!\s+[A-Z])))?{DESIGNATOR}){{1,12}}"
"""Designators in a row, spaces between them allowed: "(b) (6)"; but "(a) The" opens a sentence and belongs to it."""

PART_NUMBER = rf"\d{{1,4}}[a-z]{{0,2}}(?:{DASH}\d{{1,3}}(?=\.\d))?"
DOTTED = (
    rf"{PART_NUMBER}\.(?:T(?=\d))?\d{{1,5}}(?:[a-zA-Z]{{1,3}}(?:\d{{1,3}}[a-z]{{0,2}})?)?"
    rf"(?:(?:\([A-Za-z0-9]{{1,4}}\)){{1,3}}(?={DASH}\d{{1,3}}[A-Z]?(?![\w]|\.\d)))?"
    rf"(?:(?!{DASH}{PART_NUMBER}\.\d){DASH}(?:T?\d{{1,5}}[A-Za-z]{{0,2}}|[A-Z]{{2,4}}(?={DASH}\d)|l)(?!\w|\.\d)){{0,4}}(?!\w|\.\d)"
)
"""A section of the CFR: 211.22, 240.10b-5, 1.401(k)-1, 101-19.6, 970.3102-05-30, 100.35-T05-109, 53.303-WH-347; 240.13h-l, as
it is printed."""
PLAIN = (
    rf"\d{{1,6}}[A-Z]?[a-z]{{0,4}}(?:{DASH}\d{{1,4}}[a-z]{{0,2}}){{0,3}}"
    rf"(?:(?<=[a-z])[-\u2010\u2011\u2013](?:{_DOUBLES}|[a-z])(?!\w))?(?!\w|\.\d)"
)
"""A section of a code or an Act: 505, 360ddd-1, 402A, 2000e-2; also 321-393 and 590a-f, which ``split_dash`` reads as
ranges."""
NOT_A_VOLUME = (
    r"(?!\s*(?:[Cc]\.?\s?[Ff]\.?\s?[Rr]|[Uu]\.?\s?[Ss]\.?\s?[Cc]|U\.S\.|App\.?\s+U|F\.?R\.?\s|Fed\.|Stat\.|Comp\."
    r"|percent\b|/\d|days?\b|years?\b|months?\b|%)"
    r"|\s(?:[A-Z][\w&]{0,6}\.\s?(?:\d(?:d|th)\s)?){1,4}\s?\d)"
)
"""After a number in a list: it does not begin the next authority ("… and 45 CFR 46", "…, 500 F.2d 100") or count something."""

ANOTHER_WORK = re.compile(
    r"(?:\b(?:[A-Z]{2,}|Act|Agreement|Ann\.|Code|Handbook|Laws?|Manual|Order|Plan|Procedures?|Regs?\.|Regulations?|Rules?|Standards?|Stat\.|Statutes)"
    r"|\b(?:Appendix|Chapter|Method|Specification|Title)\s+\w+)(?:,|\s+at)?\s*\(?\s*$"
)
"""A work of its own numbers, just before a section."""
ANOTHER_CODE = re.compile(
    r"(?:\b(?:(?!United\s|Revenue\s|U\.S\.\s)[A-Z][\w'’.&]*,?\s+(?:States\s+)?(?<!States\s)Code(?!\s+of\s+Fed)(?:\s+(?:R|Regs)\.)?|Stat\.|Statutes|Laws|Regs\.(?<=&\sRegs\.))"
    r"(?:\s+(?:Ann\.|Stat\.))?(?:\s+\([^()]{1,30}\))?|\bAnn\."
    r"|\b[Tt]it(?:\.|le)\s+(?P<title>\d{1,3})[A-Z]?|\b(?:[Aa]rt|[Aa]mend|[Aa]mdt)\.\s+[IVX\d]{1,5})"
    r"(?:,?\s+(?:[Cc]h|[Pp]t|[Ss]ubch|[Tt]it)\.\s+[\w\\]{1,6})?,?\s*$"
)
"""A State's code or its regulations, just before a sign: "25 Pa. Code § 121.1", "Cal. Code Regs., tit. 13, § 1961"."""

_DASHES = re.compile(rf"\s*{DASH}\s*")
_SPACE = re.compile(r"\s+")


def clean(token: str) -> str:
    """A number or designator row as node ids write it: no spaces, plain hyphens.

    >>> clean("(a) (1)"), clean("240.0–1")
    ('(a)(1)', '240.0-1')
    """
    if token.isascii() and " " not in token and "\n" not in token:
        return token
    return _SPACE.sub("", _DASHES.sub("-", token))


_SIDES = re.compile(r"(\d+)([A-Za-z]*)")


def split_dash(token: str) -> tuple[str, str | None]:
    """Whether a dash inside a number joins a range or belongs to the number. Token as ``clean`` leaves it.

    >>> split_dash("321-393"), split_dash("360ddd-1"), split_dash("591-96"), split_dash("470-1"), split_dash("482a-482q")
    (('321', '393'), ('360ddd-1', None), ('591', '596'), ('470-1', None), ('482a', '482q'))
    """
    left, dash, right = token.partition("-")
    if not dash:
        return token, None
    if "-" in right:
        return _between_hyphens(token)
    if right.isalpha():  # "590a-f", and subparts "H-J"
        whole = (left, right) if left.isalpha() and (len(left), left) < (len(right), right) else None
        return whole or _letter_range(left, right) or (token, None)
    one, other = _SIDES.fullmatch(left), _SIDES.fullmatch(right)
    if not one or not other or (one[2] and not other[2]):
        return token, None
    low, high = one[1], other[1]
    if len(high) >= len(low) and int(high) >= int(low) and left != right and (len(low) > 1 or not one[2]):
        return left, right
    if len(high) > 1 and not one[2] and int(high) > int(low[-len(high) :]):
        return left, low[: -len(high)] + right
    return token, None


def _between_hyphens(token: str) -> tuple[str, str | None]:
    """A range an end of which has its own hyphen: 1320d-1320d-8, 1395w-4-1395w-28; not 1396r-8-1 or a State's 13A-8-81."""
    parts = token.split("-")
    for at in range(1, len(parts)):
        low, high = _SIDES.fullmatch(parts[0]), _SIDES.fullmatch(parts[at])
        if low and high and 2 < len(low[1]) <= len(high[1]) and int(high[1]) >= int(low[1]):
            return "-".join(parts[:at]), "-".join(parts[at:])
    return token, None


def _letter_range(left: str, right: str) -> tuple[str, str] | None:
    """ "590a", "f": letters alone after the dash go on from the letters before it."""
    one = _SIDES.fullmatch(left)
    if one and (len(one[2]), one[2]) < (len(right), right):
        return left, one[1] + right
    return None


# --- designators -----------------------------------------------------------------------------------------------------

_DESIGNATOR = re.compile(DESIGNATOR)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}


def designators(path: str) -> list[str]:
    """``"(a)(1)(i)"`` as ``["(a)", "(1)", "(i)"]``; the path is clean."""
    return _DESIGNATOR.findall(path)


def roman(numeral: str) -> int:
    """The value of a lower-case numeral, or 0 where it is none."""
    total = 0
    for sign, following in zip(numeral, numeral[1:] + " "):
        value = _ROMAN.get(sign, 0)
        if not value:
            return 0
        total += -value if _ROMAN.get(following, 0) > value else value
    return total


def _class_at(designator: str, depth: int) -> str:
    """What kind of designator stands here: "1", "A", "a" (letter) or "i" (numeral). "(i)" is a letter at the top only."""
    name = designator[1:-1]
    if name[0].isdigit():
        return "1"
    if name[0].isupper():
        return "A"
    return "i" if roman(name) and (depth or len(name) > 1) else "a"


def _continues(before: str, depth: int, new: str) -> bool:
    """Whether *new* can stand beside *before*: same kind, and "(i)" counts as a numeral only where it counts on."""
    kind, name = _class_at(before, depth), new[1:-1]
    if kind == "i":
        return roman(name) > roman(before[1:-1]) if len(name) == 1 else bool(roman(name))
    if kind == "a":
        return name[0].islower() and (len(name) == 1 or name[0] == name[1])
    return _class_at(new, 1) == kind


def inherit(base: str, path: str) -> str | None:
    """The path of a list's next item, which repeats only what changes; None where it fits nowhere.

    Of the levels where it could go on, the one whose designators below are of the same kinds; of equals, the deepest.

    >>> inherit("(c)(1)(i)", "(ii)"), inherit("(c)(1)(i)", "(d)"), inherit("(h)", "(i)"), inherit("(a)", "(2)")
    ('(c)(1)(ii)', '(d)', '(i)', None)
    >>> inherit("(b)(2)(ii)(f)", "(h)"), inherit("(b)(2)(ii)(f)", "(b)(4)(vi)")
    ('(b)(2)(ii)(h)', '(b)(4)(vi)')
    """
    above, new = designators(base), designators(path)
    best, alike = None, 0
    for depth in range(len(above) - 1, -1, -1):
        if _continues(above[depth], depth, new[0]):
            same = _alike(above, new, depth)
            if same > alike:
                best, alike = "".join(above[:depth]) + "".join(new), same
            if len(new) == 1:
                break
    return best


def _alike(above: list[str], new: list[str], depth: int) -> int:
    """How many designators of *new*, set at *depth*, are of the kind that stands there."""
    count = 1
    for level, (one, other) in enumerate(zip(above[depth + 1 :], new[1:]), depth + 1):
        if _class_at(one, level) != _class_at(other, level):
            break
        count += 1
    return count
