"""Dates and times of day in all usual forms, compared as what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from pincite.enrich.gate.quantity import Quantity

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
MONTHS = {name: at for at, name in enumerate(_MONTHS, 1)} | {name[:3]: at for at, name in enumerate(_MONTHS, 1)} | {"sept": 9}
_FULL = "|".join(name.capitalize() for name in _MONTHS)
_MONTH = rf"(?P<{{}}>{_FULL}|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\b\.?)"
_DAY = r"(?P<{}>\d{{1,2}})(?:st|nd|rd|th)?"
DATES = re.compile(
    r"(?<![\w.])(?:"
    r"(?P<iy>\d{4})-(?P<im>\d{2})-(?P<id>\d{2})(?!\d)"
    r"|(?P<na>\d{1,2})(?P<sep>[/.])(?P<nb>\d{1,2})(?P=sep)(?P<nc>\d{4}|\d{2})(?![\d/])"
    rf"|{_DAY.format('d1')}(?:\s+day)?(?:\s+of)?\s+{_MONTH.format('m1')}(?:,?\s+(?:of\s+)?(?P<y1>\d{{4}})(?![\d\w]))?"
    rf"|{_MONTH.format('m2')}\s+(?:the\s+)?{_DAY.format('d2')}(?!\d|%|[.:,/]\d)(?:,?\s+(?P<y2>\d{{4}})(?!\w))?"
    rf"|{_MONTH.format('m3')},?\s+(?:of\s+)?(?P<y3>\d{{4}})(?!\w)"
    r"|Q(?P<q1>[1-4])[ -]?(?:of\s+)?(?P<qy1>\d{4})|(?P<qy2>\d{4})[ -]?Q(?P<q2>[1-4])"
    r"|(?i:the\s+)?(?P<q3>[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth|1st|2nd|3rd|4th)\s+quarter(?:,|\s+of)?\s+(?P<qy3>\d{4})"
    r")"
)
_QUARTERS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
TIMES = re.compile(
    r"(?<![\w.:])(?:(?P<h>[01]?\d|2[0-4])[:.](?P<m>[0-5]\d)(?::(?P<s>[0-5]\d))?\s*(?P<ap>[ap]\.?\s?m\b\.?)?(?:\s*in\s+the\s+(?P<part>morning|afternoon|evening))?"
    r"|(?P<h2>1[0-2]|0?\d)\s*(?P<ap2>[ap]\.?\s?m\b\.?)|(?P<word>(?:\b12\s+)?\bnoon\b|(?:\b12\s+)midnight\b|\bmidnight\b|\bmidday\b))(?!\d)",
    re.I,
)


def dates(text: str, taken: bytearray) -> Iterator[Quantity]:
    for match in DATES.finditer(text):
        values = frozenset(_date_values({name: value for name, value in match.groupdict().items() if value}))
        if values:
            yield Quantity(match.start(), match.end(), "date", values, "", match[0])


def _date_values(part: dict[str, str]) -> Iterator[object]:
    """The days a date can mean, as (year, month, day) with None for what is not said."""
    if "iy" in part:
        yield from _day(part["iy"], part["im"], part["id"])
    elif "na" in part:
        year = part["nc"] if len(part["nc"]) == 4 else "20" + part["nc"]
        yield from _day(year, part["na"], part["nb"])
        yield from _day(year, part["nb"], part["na"])
    elif "q1" in part or "q2" in part:
        yield int(part.get("qy1") or part["qy2"]), "quarter", int(part.get("q1") or part["q2"])
    elif "q3" in part:
        yield int(part["qy3"]), "quarter", _QUARTERS[part["q3"].lower()]
    elif "m3" in part:
        yield int(part["y3"]), MONTHS[part["m3"].lower().rstrip(".")], None
    else:
        at = "1" if "m1" in part else "2"
        said = part.get("y" + at)
        yield int(said) if said else None, MONTHS[part["m" + at].lower().rstrip(".")], int(part["d" + at])


def _day(year: str, month: str, day: str) -> Iterator[tuple[int, int, int]]:
    if 1 <= int(month) <= 12 and 1 <= int(day) <= 31:
        yield int(year), int(month), int(day)


_HALF = {"morning": "a", "afternoon": "p", "evening": "p"}


def times(text: str, taken: bytearray) -> Iterator[Quantity]:
    for match in TIMES.finditer(text):
        if match["word"]:
            minutes = 0 if "midnight" in match["word"].lower() else 720
        elif match["m"] and not match["ap"] and match[0].count(".") and not match[0].count(":"):
            continue  # 12.45 is a number
        else:
            half = (match["ap"] or match["ap2"] or _HALF.get((match["part"] or "").lower(), "")).lower()[:1]
            hour = int(match["h"] or match["h2"])
            hour = hour % 12 + (12 if half == "p" else 0) if half else hour
            minutes = hour * 60 + int(match["m"] or 0)
            if match["m"] and int(match["m"]) and hour == 24:
                continue
        seconds = Fraction(minutes) + Fraction(int(match["s"] or 0), 60)
        yield Quantity(match.start(), match.end(), "time", frozenset({seconds % 1440}), "", match[0])
