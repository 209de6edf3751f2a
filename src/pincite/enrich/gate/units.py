"""Units of measure and currencies: every way to write one leads to the same name and, where it can, to one base unit."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import NamedTuple

from pincite.enrich.gate import lexicon


class Unit(NamedTuple):
    """``amount * scale`` is the amount in the base unit ``name``. ``kind``: measure, percent, money, period."""

    kind: str
    name: str
    scale: Fraction = Fraction(1)


_PREFIXES: dict[str, int | Fraction] = {
    "": 1,
    "k": 1000,
    "c": Fraction(1, 100),
    "m": Fraction(1, 1000),
    "µ": Fraction(1, 10**6),
    "u": Fraction(1, 10**6),
    "n": Fraction(1, 10**9),
    "p": Fraction(1, 10**12),
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "h": 100,
}
_WORD_PREFIXES: dict[str, int | Fraction] = {
    "": 1,
    "kilo": 1000,
    "centi": Fraction(1, 100),
    "milli": Fraction(1, 1000),
    "micro": Fraction(1, 10**6),
    "nano": Fraction(1, 10**9),
    "mega": 10**6,
    "giga": 10**9,
    "tera": 10**12,
    "hecto": 100,
}
_SYMBOLS = {
    "g": ("g", "kcmµunp"),
    "m": ("m", "kcmµun"),
    "l": ("L", "cmµuh"),
    "L": ("L", "cmµuh"),
    "mol": ("mol", "mµun"),
    "Pa": ("Pa", "khM"),
    "W": ("W", "kmMG"),
    "Wh": ("Wh", "kMG"),
    "V": ("V", "km"),
    "A": ("A", "m"),
    "Hz": ("Hz", "kMG"),
    "S": ("S", "mµu"),
    "J": ("J", "kM"),
    "B": ("B", "kMGT"),
    "Bq": ("Bq", "kM"),
    "Sv": ("Sv", "mµu"),
    "N": ("N", "k"),
    "bar": ("bar", "m"),
    "eq": ("eq", "m"),
}
_WORDS = {
    "gram": "g",
    "gramme": "g",
    "meter": "m",
    "metre": "m",
    "liter": "L",
    "litre": "L",
    "mole": "mol",
    "watt": "W",
    "volt": "V",
    "ampere": "A",
    "hertz": "Hz",
    "byte": "B",
    "pascal": "Pa",
    "joule": "J",
    "siemens": "S",
    "newton": "N",
}
_TIMES: dict[str, tuple[str, int | Fraction]] = {
    "second": ("s", 1),
    "sec": ("s", 1),
    "s": ("s", 1),
    "minute": ("s", 60),
    "min": ("s", 60),
    "hour": ("s", 3600),
    "hr": ("s", 3600),
    "h": ("s", 3600),
    "day": ("s", 86400),
    "d": ("s", 86400),
    "week": ("s", 604800),
    "fortnight": ("s", 1209600),
    "month": ("month", 1),
    "quarter": ("month", 3),
    "year": ("month", 12),
    "yr": ("month", 12),
    "decade": ("month", 120),
    "century": ("month", 1200),
    "millisecond": ("s", Fraction(1, 1000)),
    "ms": ("s", Fraction(1, 1000)),
}


@cache
def _listed() -> list[tuple[str, str, str]]:
    """(kind, name, spelling) of the units that no rule makes."""
    found = []
    for line in lexicon.lines("units"):
        head, _, listed = line.partition(": ")
        kind, name = head.split(" ", 1)
        found += [(kind, name, written) for written in listed.split("; ")]
    return found


@cache
def money() -> dict[str, str]:
    """Every way to write a currency, in lower case -> its code."""
    return {written: name for kind, name, written in _listed() if kind == "money"}


@cache
def units() -> dict[str, Unit]:
    """Every way to write a unit -> the unit. Symbols keep their case; words are in lower case."""
    table = {written: Unit(kind, name) for kind, name, written in _listed() if kind != "money"}
    table |= {"cents": Unit("money", "USD", Fraction(1, 100)), "pence": Unit("money", "GBP", Fraction(1, 100))}
    table["p"] = table["pence"]
    for symbol, (base, prefixes) in _SYMBOLS.items():
        for prefix in ["", *prefixes]:
            table.setdefault(prefix + symbol, Unit("measure", base, Fraction(_PREFIXES[prefix])))
    for word, base in _WORDS.items():
        for prefix, scale in _WORD_PREFIXES.items():
            for name in (prefix + word, prefix + word + "s"):
                table[name] = Unit("measure", base, Fraction(scale))
    for name, (base, scale) in _TIMES.items():
        for written in (name, name + "s"):
            table.setdefault(written, Unit("period", base, Fraction(scale)))
        for kind in ("business", "working"):
            for written in (name, name + "s"):
                table[f"{kind} {written}"] = Unit("period", "business " + name)
        for written in (name, name + "s"):
            table[f"calendar {written}"] = Unit("period", base, Fraction(scale))
    return table


@cache
def longest() -> dict[str, list[str]]:
    """First word of every unit, in lower case -> its spellings, the longest first."""
    table: dict[str, list[str]] = {}
    for name in units():
        table.setdefault(name.split(" ")[0].lower(), []).append(name)
    return {first: sorted(names, key=len, reverse=True) for first, names in table.items()}
