"""Numbers of a sheet as it shows them: percentages, currencies, thousands, fractions; dates and times in ISO 8601.

Dates are written in ISO form whatever the sheet shows, since "03/04/2026" means two days; what the format shows of a date
(a year, a month, a time) is what is written.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

BUILTIN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00",
    5: '"$"#,##0;-"$"#,##0', 6: '"$"#,##0;-"$"#,##0', 7: '"$"#,##0.00;-"$"#,##0.00',
    8: '"$"#,##0.00;-"$"#,##0.00', 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "yyyy-mm-dd",
    15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "m/d/yy h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)",
    41: "#,##0;(#,##0)", 42: '"$"#,##0;("$"#,##0)', 43: "#,##0.00;(#,##0.00)", 44: '"$"#,##0.00;("$"#,##0.00)', 45: "mm:ss",
    46: "[h]:mm:ss", 47: "mm:ss", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
BUILTIN |= dict.fromkeys((*range(27, 37), *range(50, 59)), "yyyy-mm-dd")  # dates of East Asian editions
"""The formats a workbook names by number alone."""

_TOKEN = re.compile(
    r'"([^"]*)"|\\(.)|_.|\*.|\[([^\]]*)\]|((?i:General|Standard)|AM/PM|A/P|am/pm|a/p|E[+-]0+|e[+-]0+|.)', re.DOTALL
)
_CURRENCY = re.compile(r"\$([^-]*)")
_ELAPSED = re.compile(r"[hms]+", re.IGNORECASE)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?[\d.]+)")
_FIRST_1900, _FIRST_1904 = datetime(1899, 12, 31), datetime(1904, 1, 1)
_LAST_SERIAL = 2_958_466


class Section(NamedTuple):
    """One of the up to four parts of a format: for positive numbers, negative ones, zero, and texts."""

    tokens: tuple[tuple[str, str], ...]  # ("literal", text) or ("code", sign)
    condition: tuple[str, float] | None
    date: str  # which of "ymdhs" it shows, "e" for elapsed time, "" for numbers


@lru_cache(maxsize=2048)
def sections(code: str) -> tuple[Section, ...]:
    """The sections of a format code."""
    parts: list[list[tuple[str, str]]] = [[]]
    conditions: list[tuple[str, float] | None] = [None]
    for match in _TOKEN.finditer(code):
        quoted, escaped, bracket, sign = match.groups()
        if sign == ";":
            parts.append([])
            conditions.append(None)
        elif sign is not None:
            parts[-1].append(("code", "General" if sign.lower() in ("general", "standard") else sign))
        elif quoted is not None or escaped is not None:
            parts[-1].append(("literal", quoted if quoted is not None else escaped))
        elif bracket is not None:
            condition = _CONDITION.fullmatch(bracket)
            if condition:
                conditions[-1] = condition[1], float(condition[2])
            elif _ELAPSED.fullmatch(bracket):
                parts[-1].append(("code", f"[{bracket.lower()}]"))
            elif currency := _CURRENCY.match(bracket):
                parts[-1].append(("literal", currency[1]))
    return tuple(Section(tuple(one), condition, _shows(one)) for one, condition in zip(parts[:4], conditions))


def _shows(tokens: list[tuple[str, str]]) -> str:
    """Which parts of a date or a time a section shows; "m" is a month unless hours or seconds are next to it."""
    signs = [sign.lower() for kind, sign in tokens if kind == "code"]
    if "general" in signs or (any(sign in "0#?" for sign in signs if sign not in ("", ".")) and not set(signs) & set("ymdh")):
        elapsed = any(sign.startswith("[") for sign in signs)
        if not elapsed and not {"s", "h"} & set(signs):
            return ""
    letters = [sign for sign in signs if sign in "ymdhsge" or sign.startswith("[") or sign in ("am/pm", "a/p")]
    found = set[str]()
    for at, sign in enumerate(letters):
        before = next((one for one in reversed(letters[:at]) if one != "m"), "")
        after = next((one for one in letters[at + 1 :] if one != "m"), "")
        if sign == "m":
            found.add("n" if before.strip("[]")[:1] == "h" or after.strip("[]")[:1] == "s" else "m")
        elif sign.startswith("["):
            found |= {"e", *sign[1:2]}
        elif sign in ("am/pm", "a/p"):
            found.add("h")
        else:
            found.add("y" if sign in "ge" else sign)
    return "".join(sorted(found))


def is_date(code: str) -> bool:
    """Whether a format shows dates or times."""
    return bool(sections(code)[0].date)


def display(value: float, code: str, from_1904: bool = False) -> str:
    """*value* as the format *code* shows it.

    >>> display(0.045, "0.0%"), display(-1234.5, '#,##0.00 [$€-407]'), display(45296, "d/m/yy"), display(1.5, "[h]:mm")
    ('4.5%', '-1,234.50 €', '2024-01-05', '36:00')
    """
    known = sections(code or "General")
    section, negative = _section(value, known)
    if section.date:
        return _moment(value, section.date, from_1904) or general(value)
    signs = [sign for kind, sign in section.tokens if kind == "code"]
    if not signs or "General" in signs or "@" in signs or signs == ["G"]:
        return _around(section, general(abs(value) if negative else value))
    shown = _number(abs(value), section)
    minus = value < 0 and not negative and any(sign in "123456789" for sign in shown)
    return ("-" + shown if minus else shown).strip()


def _section(value: float, known: tuple[Section, ...]) -> tuple[Section, bool]:
    """The section for *value*, and whether it says by itself that the value is negative."""
    conditioned = [one for one in known if one.condition]
    if conditioned:
        for one in conditioned:
            if one.condition and _holds(value, *one.condition):
                return one, False
        rest = [one for one in known if not one.condition]
        return (rest[0], False) if rest else (known[-1], False)
    if value < 0 and len(known) > 1:
        return known[1], True
    if value == 0 and len(known) > 2:
        return known[2], False
    return known[0], False


def _holds(value: float, sign: str, bound: float) -> bool:
    return {
        "<": value < bound, ">": value > bound, "=": value == bound, "<=": value <= bound, ">=": value >= bound,
        "<>": value != bound,
    }[sign]  # fmt: skip


def general(value: float) -> str:
    """A number without a format: all its digits, without the noise of binary fractions.

    >>> general(0.1 + 0.2), general(1234567890123.0), general(-0.0)
    ('0.3', '1234567890123', '0')
    """
    if value == int(value) and abs(value) < 1e15 if abs(value) < 1e300 else False:
        return str(int(value))
    return f"{value:.15G}"


def _around(section: Section, inner: str) -> str:
    """Literals of a section with *inner* in place of its codes."""
    out, put = "", False
    for kind, text in section.tokens:
        if kind == "literal":
            out += text
        elif not put and text in ("General", "@"):
            out, put = out + inner, True
        elif text in " -+()/:$":
            out += text
    return out.strip()


# --- dates -----------------------------------------------------------------------------------------------------------


def moment(serial: float, from_1904: bool) -> datetime | None:
    """The moment a serial number stands for; None outside the calendar of a sheet. 1900 has a 29 February there."""
    if not 0 <= serial < _LAST_SERIAL:
        return None
    if from_1904:
        return _FIRST_1904 + timedelta(seconds=round(serial * 86400))
    return _FIRST_1900 + timedelta(seconds=round((serial - (1 if serial >= 60 else 0)) * 86400))


def _moment(value: float, shows: str, from_1904: bool) -> str:
    if "e" in shows:
        return _elapsed(value, shows)
    when = moment(value, from_1904)
    if when is None:
        return ""
    clock = f"{when:%H:%M:%S}" if "s" in shows or when.second else f"{when:%H:%M}"
    if not set(shows) & set("ymd"):
        return clock
    if 60 <= value < 61 and not from_1904:
        day = "1900-02-29"
    elif "d" not in shows and when.day == 1 and "y" in shows:
        day = f"{when.year:04d}-{when.month:02d}" if "m" in shows else f"{when.year:04d}"
    else:
        day = f"{when.year:04d}-{when.month:02d}-{when.day:02d}"
    return f"{day} {clock}" if set(shows) & set("hs") else day


def _elapsed(value: float, shows: str) -> str:
    """A duration, in hours, minutes and seconds as far as they are shown."""
    seconds = round(abs(value) * 86400)
    hours, rest = divmod(seconds, 3600)
    sign = "-" if value < 0 else ""
    if "h" in shows:
        return f"{sign}{hours}:{rest // 60:02d}" + (f":{rest % 60:02d}" if "s" in shows else "")
    if "m" in shows or "n" in shows:
        return f"{sign}{seconds // 60}" + (f":{rest % 60:02d}" if "s" in shows else "")
    return f"{sign}{seconds}"


# --- numbers -----------------------------------------------------------------------------------------------------------


def _number(value: float, section: Section) -> str:
    """A number that is not negative in a section with digits."""
    tokens = list(section.tokens)
    codes = [sign if kind == "code" else "" for kind, sign in tokens]
    places = [at for at, sign in enumerate(codes) if sign in ("0", "#", "?")]
    if not places:
        return "".join(text for _, text in tokens)
    if "/" in codes and any(at > codes.index("/") for at in places):
        return _fraction(value, tokens, codes)
    number = Decimal(f"{value:.15g}") * 100 ** codes.count("%")
    last = places[-1]
    while last + 1 < len(codes) and codes[last + 1] == ",":
        number, codes[last + 1], tokens[last + 1], last = number / 1000, "", ("literal", ""), last + 1
    point = codes.index(".") if "." in codes else len(codes)
    power = next((sign for sign in codes if sign[:1] in "Ee" and len(sign) > 1), "")
    exponent = 0
    if power:
        exponent = number.adjusted() if number else 0
        exponent -= exponent % max(sum(at < point for at in places), 1)  # "##0.0E+0": in steps of three
        number = number.scaleb(-exponent)
    whole_places = [at for at in places if at < point]
    after = [at for at in places if at > point]
    number = number.quantize(Decimal(1).scaleb(-len(after)), ROUND_HALF_UP)
    whole, _, decimals = f"{number:f}".partition(".")
    decimals = _shortened(decimals, [codes[at] for at in after])
    least = sum(codes[at] == "0" for at in whole_places)
    whole = "" if whole == "0" and not least else whole.rjust(least, "0")
    grouped = any(codes[at] == "," for at in range(whole_places[0], whole_places[-1])) if whole_places else False
    return _filled(tokens, codes, whole_places, whole, grouped, point, decimals, f"E{exponent:+03d}" if power else "")


def _shortened(decimals: str, places: list[str]) -> str:
    """Zeros that only "#" or a blank stands for are not shown."""
    while decimals and places[len(decimals) - 1] in "#?" and decimals.endswith("0"):
        decimals = decimals[:-1]
    return decimals


def _filled(
    tokens: list[tuple[str, str]], codes: list[str], places: list[int], whole: str, grouped: bool, point: int, decimals: str,
    power: str,
) -> str:  # fmt: skip
    """The tokens with digits for their places, from the right; what is left over stands at the first place."""
    digits: dict[int, str] = {}
    left = f"{int(whole):,}" if grouped and whole else whole
    inside = range(places[0], places[-1]) if places else ()
    apart = any(tokens[at][1] not in ("", ",") and at not in places for at in inside)
    if apart and not grouped:
        for at in reversed(places[1:]):
            digits[at], left = left[-1:], left[:-1]
    if places:
        digits[places[0]] = left
    out, done = "", False
    for at, (kind, text) in enumerate(tokens):
        if kind == "literal":
            out += text
        elif at == point:
            out, done = out + (f".{decimals}" if decimals or not places else "."), True
        elif codes[at] in ("0", "#", "?"):
            out += digits.get(at, "") if not done else ""
        elif text[:1] in "Ee" and len(text) > 1:
            out += power
        elif text != ",":
            out += text
    return (left if not places else "") + out.rstrip(".") if not decimals else out


def _fraction(value: float, tokens: list[tuple[str, str]], codes: list[str]) -> str:
    slash = codes.index("/")
    tail = "".join(text for kind, text in tokens[slash + 1 :] if kind == "code").strip()
    fixed = int(tail) if tail.isdigit() and int(tail) else 0
    parts = [sign for sign in codes[:slash] if sign in ("0", "#", "?")]
    whole = int(value) if " " in codes[:slash] and len(parts) > 1 else 0
    rest = value - whole
    limit = 10 ** max(sum(sign in "0#?" for sign in codes[slash + 1 :] if sign), 1) - 1
    if fixed:
        top, bottom = round(rest * fixed), fixed
    else:
        found = Fraction(rest).limit_denominator(limit)
        top, bottom = found.numerator, found.denominator
    if top == bottom or not top:
        return str(whole + (1 if top and top == bottom else 0))
    return f"{whole} {top}/{bottom}" if whole else f"{top}/{bottom}"
