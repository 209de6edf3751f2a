"""Rows of a sheet's XML as they stream by: values, how they are shown, formulas. Memory does not grow with the sheet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pyexpat import ExpatError, ParserCreate
from typing import NamedTuple

from lxml import etree

from pincite.errors import TooExpensive
from pincite.parse.numbers import exponent
from pincite.parse.office.numberformat import BUILTIN, display, is_date
from pincite.parse.office.package import Package
from pincite.parse.office.words import S, number

_T, _READING = S + "t", S + "rPh"
_TEXTS = frozenset({"v", "f", "t"})
_NAMES = frozenset({"sheetData", "row"})
_CHUNK = 1 << 16
MAX_PIECES = 256
"""Pieces of 64 kB of one text."""
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_ADDRESS = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")
_SHIFTED = re.compile(
    r"\"[^\"]*\"|'[^']*'|(?<![\w.$])(?:(\$?)([A-Z]{1,3})(\$?)(\d{1,7})(?![\w(.])|(\$?)([A-Z]{1,3}):(\$?)([A-Z]{1,3})(?![\w(]))"
)


class Cell(NamedTuple):
    """One cell with something in it. ``raw`` is the stored number where what is shown does not give it back."""

    column: int  # from 1
    text: str  # as shown
    number: bool  # a number, a date, a truth value
    formula: str
    raw: str
    style: int
    error: bool = False


class Row(NamedTuple):
    """A row with something in it."""

    number: int  # from 1
    hidden: bool
    cells: list[Cell]  # by column


class Looks(NamedTuple):
    """What the workbook's styles say of each cell style: its number format, and whether its font is bold."""

    codes: list[str]
    bold: list[bool]


def column_name(column: int) -> str:
    """The letters of a column, from 1.

    >>> column_name(1), column_name(28), column_name(16384)
    ('A', 'AB', 'XFD')
    """
    name = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


def place_of(address: str) -> tuple[int, int]:
    """Row and column of an address like ``B7``; (0, 0) where it is none."""
    match = _ADDRESS.fullmatch(address)
    if not match:
        return 0, 0
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 64
    return int(match[2]), column


def unescaped(text: str) -> str:
    """``_x000D_`` is how a workbook writes a character that XML cannot hold; pairs of halves become one character."""
    if "_x" not in text:
        return text
    whole = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\r\n", "\n").replace("\r", "\n")


def looks(root: etree._Element | None) -> Looks:
    """The cell styles of a workbook."""
    if root is None:
        return Looks([], [])
    codes = dict(BUILTIN)
    for form in root.iterfind(f"{S}numFmts/{S}numFmt"):
        codes[number(form.get("numFmtId"))] = form.get("formatCode", "")
    bold = [font.find(S + "b") is not None for font in root.iterfind(f"{S}fonts/{S}font")]
    made = Looks([], [])
    for style in root.iterfind(f"{S}cellXfs/{S}xf"):
        font = number(style.get("fontId"))
        made.codes.append(codes.get(number(style.get("numFmtId")), ""))
        made.bold.append(0 <= font < len(bold) and bold[font])
    return made


def shared_strings(package: Package, name: str) -> list[str]:
    """The texts that cells share, without the readings printed over them."""
    if not name:
        return []
    return [string_of(item) for item in stream(package, name, "si")]


def string_of(item: etree._Element) -> str:
    """The text of a shared or inline string: its runs in order."""
    if len(item) == 1 and item[0].tag == _T:
        return unescaped(item[0].text or "")
    pieces: list[str] = []
    for part in item:
        raised = part.find(f"{S}rPr/{S}vertAlign[@val='superscript']") is not None
        for text in part.iter(_T) if part.tag != _READING else ():
            pieces.append(exponent(pieces, text.text or "") if raised else text.text or "")
    return unescaped("".join(pieces))


def stream(package: Package, name: str, tag: str) -> Iterator[etree._Element]:
    """The elements *tag* of a part, one at a time; each is gone when the next comes."""
    count = 0
    with package.open(name) as file:
        events = etree.iterparse(
            file, tag=S + tag, no_network=True, load_dtd=False, resolve_entities=False, huge_tree=False, remove_comments=True
        )
        try:
            for _, element in events:
                yield element
                element.clear()
                count += 1
                above = element.getparent()
                if count % 512 == 0 and above is not None:
                    del above[: len(above) - 1]  # not itself: the parser still holds it
        except etree.XMLSyntaxError as error:
            raise package.damaged(name, error) from None


LINKED = re.compile(r'=HYPERLINK\(\s*"([^"]+)"(?:\s*[,;]\s*"((?:[^"]|"")*)")?', re.IGNORECASE)
"""A formula that leads to an address that stands in it, and the words it is shown as."""


class Rows:
    """Reads the rows of sheets. Expat tells of elements as the part is unpacked, so no tree is ever made of them."""

    def __init__(self, strings: list[str], styles: Looks, from_1904: bool) -> None:
        self.strings, self.styles, self.from_1904 = strings, styles, from_1904
        self.columns = {"": 0}
        self.shared: dict[str, tuple[str, int, int]] = {}
        self.shown: dict[tuple[str, str], tuple[str, str]] = {}  # numbers repeat: what they are shown as
        self.uncalculated = 0  # formulas without a value in the sheet that is read

    def read(self, package: Package, name: str) -> Iterator[Row]:
        """The rows of the sheet in part *name* that have something in them."""
        self.shared.clear()
        self.uncalculated = 0
        with package.open(name) as file:
            scanner = _Scanner(self, package, name)
            try:
                while data := file.read(_CHUNK):
                    scanner.parser.Parse(data, False)
                    yield from scanner.taken()
                scanner.parser.Parse(b"", True)
            except (ExpatError, LookupError, ValueError) as error:  # the last two: an encoding that there is not
                raise package.damaged(name, error) from None
            finally:
                scanner.release()

    def column(self, address: str, row: int) -> int:
        """The column of an address in *row*; 0 where there is none."""
        letters = address.removesuffix(str(row))
        found = self.columns.get(letters)
        if found is None:
            found = place_of(f"{letters}1")[1] if letters.isalpha() else place_of(address)[1]
            self.columns[letters] = found
        return found

    def cell(self, column: int, kind: str, style: str, value: str, formula: str) -> Cell | None:
        """One cell from its parts; *value* of an inline string is its text. None where there is nothing in it."""
        if kind == "s":
            at = number(value, -1)
            text = self.strings[at] if 0 <= at < len(self.strings) else ""
            return Cell(column, text, False, formula, "", number(style)) if text or formula else None
        if kind == "n":
            if not value:
                return self._uncalculated(column, formula, number(style)) if formula else None
            return self._number(value, column, formula, style)
        if not value and not formula:
            return None
        if kind == "b":
            value = "TRUE" if value.strip() in ("1", "true") else "FALSE"
            return Cell(column, value, True, formula, "", number(style))
        if kind == "d":
            return Cell(column, _day(value), True, formula, "", number(style))
        return Cell(column, unescaped(value), False, formula, "", number(style), kind == "e")

    def _uncalculated(self, column: int, formula: str, style: int) -> Cell:
        """A formula of a program that does not calculate: it stands for its value; a link shows the words it gives itself."""
        link = LINKED.match(formula)
        if link:
            return Cell(column, (link[2] or link[1]).replace('""', '"'), False, formula, "", style)
        self.uncalculated += 1
        return Cell(column, formula, True, "", "", style)

    def _number(self, value: str, column: int, formula: str, style: str) -> Cell:
        key = value, style
        known = self.shown.get(key)
        if known is None:
            if len(self.shown) > 100_000:
                self.shown.clear()
            known = self.shown[key] = self._displayed(value, number(style))
        return Cell(column, known[0], True, formula, known[1], number(style))

    def _displayed(self, value: str, style: int) -> tuple[str, str]:
        """A stored number as shown, and as stored where that differs. A number that is none is kept as it stands."""
        code = self.styles.codes[style] if 0 <= style < len(self.styles.codes) else ""
        try:
            amount = float(value)
            plain = display(amount, "")
            if not code or code.upper() == "GENERAL":
                return plain, ""
            shown = display(amount, code, self.from_1904)
        except (ValueError, ArithmeticError):
            return value, ""
        if not shown:  # a format that hides the number
            return plain, ""
        return shown, "" if shown == plain or is_date(code) else plain

    def formula(self, attributes: Mapping[str, str], text: str, row: int, column: int) -> str:
        """A formula's text; of one shared by several cells, as it reads in this one."""
        index = attributes.get("si")
        if attributes.get("t") == "shared" and index is not None:
            if text:
                self.shared[index] = text, row, column
            elif index in self.shared:
                master, from_row, from_column = self.shared[index]
                text = moved(master, row - from_row, column - from_column)
        return f"={unescaped(text)}" if text else ""


class _Scanner:
    """Expat's handlers for one sheet."""

    def __init__(self, rows: Rows, package: Package, name: str) -> None:
        self.rows, self.package, self.name = rows, package, name
        self.parser = parser = ParserCreate()
        parser.buffer_text = True
        parser.buffer_size = 1 << 16
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        self.ready: list[Row] = []
        self.row, self.column, self.hidden = 0, 0, False
        self.cells: list[Cell] = []
        self.attributes: Mapping[str, str] = {}
        self.of_formula: Mapping[str, str] = {}
        self.value = self.formula = ""
        self.pieces: list[str] = []
        self.reading = 0  # open elements of a reading printed over a text
        self.prefix = ""

    def taken(self) -> list[Row]:
        """The rows finished since it was last asked."""
        ready, self.ready = self.ready, []
        return ready

    def release(self) -> None:
        """Handlers hold the parser, and with it what it has read, until the collector comes by."""
        self.parser.StartElementHandler = self.parser.EndElementHandler = self.parser.CharacterDataHandler = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if name in _TEXTS:
            self.pieces.clear()
            self.parser.CharacterDataHandler = self.text
            if name == "f":
                self.of_formula = attributes
        elif name == "c":
            self.attributes = attributes
            self.value = self.formula = ""
            self.of_formula = {}
        elif name == "row":
            self.row = number(attributes.get("r"), self.row + 1)
            self.column, self.hidden = 0, attributes.get("hidden") in ("1", "true")
            self.cells = []
        elif name == "rPh":
            self.reading += 1
        elif ":" in name and name.rpartition(":")[2] in _NAMES and attributes is not None:
            self._prefixed(name, attributes)

    def _prefixed(self, name: str, attributes: dict[str, str]) -> None:
        """The elements of some writers have a prefix: from here on it is taken off."""
        prefix, _, local = name.rpartition(":")
        if not self.prefix and local in ("sheetData", "row"):
            self.prefix = f"{prefix}:"
            begin, end, cut = self.start, self.end, len(self.prefix)
            self.parser.StartElementHandler = lambda one, more: begin(one[cut:] if one.startswith(self.prefix) else one, more)
            self.parser.EndElementHandler = lambda one: end(one[cut:] if one.startswith(self.prefix) else one)
            if local == "row":
                begin(local, attributes)

    def text(self, data: str) -> None:
        """Characters of a value, a formula or an inline string."""
        if len(self.pieces) > MAX_PIECES:
            what = f"a cell of {self.name} has too long a text"
            raise TooExpensive(what, where=self.package.where, next="check where the file comes from")
        self.pieces.append(data)

    def end(self, name: str) -> None:
        """An element ends."""
        if name in _TEXTS:
            self.parser.CharacterDataHandler = None
            text = "".join(self.pieces)
            if name == "f":
                self.formula = text or " "
            elif name == "v":
                self.value = text
            elif not self.reading:
                self.value += text
        elif name == "c":
            self._cell()
        elif name == "row":
            if self.cells:
                self.ready.append(Row(self.row, self.hidden, self.cells))
        elif name == "rPh":
            self.reading -= 1

    def _cell(self) -> None:
        rows, attributes, formula = self.rows, self.attributes, ""
        self.column = rows.column(attributes.get("r", ""), self.row) or self.column + 1
        if self.formula:
            formula = rows.formula(self.of_formula, self.formula.strip(), self.row, self.column)
        cell = rows.cell(self.column, attributes.get("t", "n"), attributes.get("s", ""), self.value, formula)
        if cell is not None:
            self.cells.append(cell)


def _day(value: str) -> str:
    """An ISO date of a strict workbook: without a time of midnight."""
    return value.strip().replace("T", " ").removesuffix("Z").removesuffix(" 00:00:00")


def moved(formula: str, rows: int, columns: int) -> str:
    """A formula as it reads so many rows down and columns to the right: relative references move, absolute ones stay.

    >>> moved('B1*$C$1+SUM(D:D)&"A1"', 2, 1)
    'C3*$C$1+SUM(E:E)&"A1"'
    """

    def shifted(fixed: str, letters: str) -> str:
        return letters if fixed else column_name(place_of(f"{letters}1")[1] + columns)

    def put(match: re.Match[str]) -> str:
        if match[2]:
            row = int(match[4]) + (0 if match[3] else rows)
            return f"{match[1]}{shifted(match[1], match[2])}{match[3]}{row}"
        if match[6]:
            return f"{match[5]}{shifted(match[5], match[6])}:{match[7]}{shifted(match[7], match[8])}"
        return match[0]

    return _SHIFTED.sub(put, formula)
