"""Excel workbooks: one page and one node per sheet, one record per row, values as shown, formulas and stored numbers beside.

A row is one block: its cells, apart by tabs, with their addresses in its origin ("Prices!A7:C7,F7"); :func:`cells` takes them
apart. Display text repeats the header ("Lamp: North | Hours: 12"). What a cell stores beside what it shows (a formula, the
number behind a percentage) follows as a ``metadata`` block of the same record. Sheets stream by: memory grows with the text
that is kept, not with the XML. ``docs/decisions/0121-sheets-are-streamed.md`` says why openpyxl does not read them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pincite.errors import Malformed, TooExpensive
from pincite.model import Block, Document, Source
from pincite.parse.compose import Composer
from pincite.parse.office.cells import LINKED, Cell, Rows, column_name, looks, place_of, shared_strings
from pincite.parse.office.drawing import chart_lines, words_of
from pincite.parse.office.package import Package
from pincite.parse.office.properties import add_properties
from pincite.parse.office.region import EVERYWHERE, Grid, Region
from pincite.parse.office.sheet import Frame, Merges, area, covered, frame
from pincite.parse.office.words import R, S

VERSION = "1"
NODES_LIMIT = 100_000
"""Rows of a workbook that become records of their own; in a larger one several neighbours share one, with a finding."""
MAX_TEXT = 256 << 20
"""Characters of all cells: a small file may show one long text in a million cells."""


class Sheet(NamedTuple):
    """One sheet of a workbook."""

    name: str
    part: str
    kind: str  # "worksheet", "chartsheet", ...
    state: str  # "visible", "hidden", "veryHidden"


def parse_xlsx(source: Source, data: bytes) -> Document:
    """The document in a ``.xlsx`` file. Raises ``Malformed``, ``NeedsPassword``, ``Forbidden`` or ``TooExpensive``."""
    return _Workbook(source, data).document()


def cells(document: Document, block: Block) -> Iterator[tuple[str, str, int, int]]:
    """The cells of a row's block: address, text as shown, and byte range in the page. Nothing for rows that share a block."""
    sheet, _, listed = block.origin.rpartition("!")
    addresses = [name for run in listed.split(",") for name in _addresses(run)] if sheet else []
    values = document.slice(block.page, block.start, block.end).decode().split("\t")
    if block.role != "table" or len(addresses) != len(values):
        return
    start = block.start
    for address, value in zip(addresses, values):
        end = start + len(value.encode())
        yield f"{sheet}!{address}", value, start, end
        start = end + 1


def _addresses(run: str) -> list[str]:
    place = area(run)
    if place is None or place.top != place.bottom:
        return []
    return [f"{column_name(column)}{place.top}" for column in range(place.left, place.right + 1)]


class _Workbook:
    """Reads one workbook."""

    def __init__(self, source: Source, data: bytes) -> None:
        self.made = Composer(source, "xlsx", VERSION)
        self.package = package = Package(data, source.path or source.document_id)
        self.main = package.main("xl/workbook.xml")
        if self.main.endswith(".bin"):
            raise Malformed("a binary workbook, which is not read here", where=package.where, next="save it as .xlsx")
        self.root = package.tree(self.main)
        if self.root.tag != S + "workbook":
            raise Malformed("its main part is no Excel workbook", where=package.where, next="check its extension")
        properties = self.root.find(S + "workbookPr")
        from_1904 = properties is not None and properties.get("date1904", "0") in ("1", "true")
        styles = looks(package.optional(package.first(self.main, "styles")))
        self.rows = Rows(shared_strings(package, package.first(self.main, "sharedStrings")), styles, from_1904)
        self.names = self._names()
        self.size = 0  # characters so far
        self.damage: list[Malformed] = []  # of sheets

    def document(self) -> Document:
        """Properties and names, then every sheet."""
        add_properties(self.made, self.package)
        self._defined_names()
        for part in self.package.related(self.main, "externalLink"):
            self.package.relationships(part)
        sheets = list(self._sheets())
        frames = {sheet.part: frame(self.package, sheet.part) for sheet in sheets if sheet.kind == "worksheet"}
        total = sum(one.rows for one in frames.values())
        together = -(-total // NODES_LIMIT)
        if together > 1:
            reason = f"about {total} rows: every {together} neighbours share one record"
            self.made.find("grouped_records", "workbook", reason)
        for at, sheet in enumerate(sheets):
            if at:
                self.made.page()
            self._sheet(sheet, frames.get(sheet.part), together)
        if self.damage and len(self.damage) == len(frames):
            raise self.damage[0]
        self._anchors()
        for trouble in dict.fromkeys(self.package.troubles):
            self.made.find(*trouble, 0, 0)
        return self.made.document()

    def _sheets(self) -> Iterator[Sheet]:
        relations = self.package.relationships(self.main)
        for element in self.root.iterfind(f"{S}sheets/{S}sheet"):
            name, relation = element.get("name", ""), relations.get(element.get(R + "id", ""))
            if relation is None or relation.target not in self.package:
                self.package.trouble("missing_part", name, "the workbook lists this sheet and does not have it")
                continue
            yield Sheet(name, relation.target, relation.kind, element.get("state", "visible"))

    def _names(self) -> dict[str, str]:
        """Defined names and what they stand for; the program's own names start with ``_xlnm.``."""
        found = {}
        for element in self.root.iterfind(f"{S}definedNames/{S}definedName"):
            found[element.get("name", "")] = element.text or ""
        return found

    def _defined_names(self) -> None:
        for name, meaning in self.names.items():
            if not name.startswith("_xlnm.") and meaning:
                self._line(f"{name}: ={meaning}", "metadata", f"{self.main} {name}")

    def _anchors(self) -> None:
        """What links inside the workbook and defined names lead to: the record that holds the cell, else its table or sheet."""
        targets = {name: meaning for name, meaning in self.names.items() if not name.startswith("_xlnm.")}
        targets |= {link.target[1:]: link.target[1:] for link in self.made.hyperlinks if link.target.startswith("#")}
        if not targets:
            return
        places: dict[str, list[tuple[tuple[int, int], str]]] = {}
        for node in self.made.nodes:
            sheet, _, cell = node.node_id.partition("#")[2].rpartition("!")
            if sheet:
                places.setdefault(sheet, []).append((place_of(cell), node.node_id))
        sheets = {node.label: node.node_id for node in self.made.nodes if node.kind == "sheet"}
        for name, meaning in targets.items():
            sheet, _, cell = meaning.lstrip("=").replace("$", "").replace("'", "").rpartition("!")
            row, column = place_of(cell.partition(":")[0])
            if row and sheet in sheets:
                before = [found for found in places.get(sheet, ()) if found[0][0] <= row and found[0][1] <= column]
                self.made.anchors.setdefault(name, max(before)[1] if before else sheets[sheet])

    def _line(self, text: str, role: str, origin: str, shown: str | None = None) -> tuple[int, int]:
        span = self.made.add(text, role, origin=origin, shown=shown)
        self.made.add("\n", "blank")
        self.size += len(text)
        if self.size > MAX_TEXT:
            what = f"its cells show more than {MAX_TEXT >> 20} million characters"
            raise TooExpensive(what, where=self.package.where, next="split the workbook")
        return span

    # --- sheets ----------------------------------------------------------------------------------------------------

    def _sheet(self, sheet: Sheet, around: Frame | None, together: int) -> None:
        """One sheet, from its page heads to its drawings."""
        self.made.enter("sheet", fragment=f"={sheet.name}", label=sheet.name, heading=sheet.name)
        self.made.anchor(sheet.name)
        if sheet.state != "visible":
            self.made.find("hidden_sheet", sheet.name, "the sheet is hidden in the workbook; it is read all the same")
        if around is None:
            self.made.find("unsupported_sheet", sheet.name, f"a {sheet.kind}: it has no cells; words in its charts are kept")
            self._drawings(self.package.related(sheet.part, "drawing"))
        else:
            if around.hidden_columns:
                self.made.find("hidden_columns", sheet.name, f"{around.hidden_columns} column ranges are hidden, and read")
            for text in around.furniture:
                self._line(text, "page_furniture", f"{sheet.part} headerFooter")
            self._rows(sheet, around, together)
            self._drawings(around.drawings)
        self.made.leave()

    def _rows(self, sheet: Sheet, around: Frame, together: int) -> None:
        """The rows of one sheet; what stands before a damage is kept."""
        depth = self.made.depth
        try:
            _SheetReader(self, sheet, around, together).read()
        except Malformed as error:
            self.made.leave(depth)
            self.damage.append(error)
            self.package.trouble("damaged_part", sheet.name, f"{error.what}; what stands after the damage is not read")

    def _drawings(self, parts: list[str]) -> None:
        """Text boxes, descriptions of pictures, and the words of charts."""
        for part in parts:
            root = self.package.optional(part)
            lines = [] if root is None else list(words_of(root))
            for chart in self.package.related(part, "chart"):
                found = self.package.optional(chart)
                self.made.find("chart", chart, "a chart; its titles and the values it shows are kept as text")
                lines += [] if found is None else chart_lines(found)
            for text in lines:
                self._line(text, "annotation", part)


class _SheetReader:
    """Reads the rows of one sheet: tables apart by blank rows, each with its header."""

    def __init__(self, book: _Workbook, sheet: Sheet, around: Frame, together: int) -> None:
        self.book, self.made, self.sheet, self.frame, self.together = book, book.made, sheet, around, together
        self.merges = Merges(around.merges)
        self.grid = Grid(around, book.rows.styles.bold, self._print_titles())
        self.region: Region | None = None
        self.upper: dict[int, list[tuple[int, str]]] = {}  # by row: column and value of merges that reach down into it
        self.shared: list[tuple[int, list[Cell]]] = []  # rows that wait to share a record
        self.groups: dict[int, str] = {}  # of a pivot table, by column
        self.errors: list[str] = []
        self.beneath: list[str] = []  # what merged cells cover
        self.remarked: dict[int, list[tuple[int, int]]] = {}
        for place in sorted(around.remarks):
            self.remarked.setdefault(place[0], []).append(place)
        self.body: tuple[int, int] | None = None  # of the rows below the header
        self.depth = self.made.depth  # places open where the rows of the table stand
        self.hidden = 0

    def _print_titles(self) -> int:
        """The last row that the sheet repeats on every printed page, 0 where it repeats none."""
        for element in self.book.root.iterfind(f"{S}definedNames/{S}definedName"):
            rows = re.search(r"!\$?(\d+):\$?(\d+)$", (element.text or "").split(",")[-1])
            same = (element.text or "").replace("'", "").startswith(f"{self.sheet.name}!")
            if element.get("name") == "_xlnm.Print_Titles" and rows and same:
                return int(rows[2])
        return 0

    def read(self) -> None:
        """All rows."""
        for region, row, found in self.grid.rows(self._rows()):
            if region is not self.region:
                self._begin(region)
            if row == region.header_row:
                self._header(region, row, found)
            elif row < region.first_row:
                self._title(region, row, found)
            else:
                self._record(region, row, found)
        self._end()
        for places in [self.remarked[row] for row in sorted(self.remarked)]:
            for place in places:
                self._remarks(place)
        if self.errors:
            listed = ", ".join(self.errors[:5])
            self.made.find("cell_error", listed, f"{len(self.errors)} cells of {self.sheet.name} show an error value")
        if self.beneath:
            reason = f"{len(self.beneath)} cells of {self.sheet.name} lie under merged cells, which hide them; not read"
            self.made.find("covered_text", "; ".join(self.beneath[:20]), reason)
        if count := self.book.rows.uncalculated:
            reason = f"{count} formulas have no value in the file and are read as they stand; calculate and save it"
            self.made.find("not_calculated", self.sheet.name, reason)
        if self.hidden:
            self.made.find(
                "hidden_rows", self.sheet.name, f"{self.hidden} {'row is' if self.hidden == 1 else 'rows are'} hidden, and read"
            )

    def _rows(self) -> Iterator[tuple[int, list[Cell]]]:
        """Rows that have something, without what a merge covers."""
        for row, hidden, found in self.book.rows.read(self.book.package, self.sheet.part):
            areas = self.merges.at(row)
            if areas:
                seen = [cell for cell in found if covered(areas, row, cell.column) is None]
                if len(seen) < len(found):
                    self.beneath += [
                        f"{column_name(cell.column)}{row} {cell.text}" for cell in found if cell not in seen and cell.text
                    ]
                found = seen
                self._remember(row, found)
            if self.frame.pivots:
                self._repeat(row, found)
            if found:
                self.hidden += hidden
                yield row, found

    def _remember(self, row: int, found: list[Cell]) -> None:
        """What a merge shows in the rows below its first."""
        shown = {cell.column: cell.text for cell in found}
        for one in self.merges.open:
            if one.top == row and one.bottom > row and shown.get(one.left):
                for below in range(row + 1, min(one.bottom, row + 10_000) + 1):
                    self.upper.setdefault(below, []).append((one.left, shown[one.left]))

    def _repeat(self, row: int, found: list[Cell]) -> None:
        """A pivot table writes the name of a group once: it belongs to the rows below, until another one comes."""
        own = {cell.column: cell.text for cell in found}
        for place, names in self.frame.pivots:
            if not place.top < row <= place.bottom:
                continue
            for column in range(place.left, min(place.left + names - 1, place.right)):
                if column in own:
                    self.groups = {before: text for before, text in self.groups.items() if before < column}
                    self.groups[column] = own[column]
                elif any(place.left <= cell.column < place.left + names for cell in found) and column in self.groups:
                    self.upper.setdefault(row, []).append((column, self.groups[column]))

    # --- tables ----------------------------------------------------------------------------------------------------

    def _begin(self, region: Region) -> None:
        """A table begins; where a sheet has several, or one has a title, it is a place of its own."""
        self._end()
        self.region, self.body = region, None
        if region.apart:
            address = f"{column_name(region.left)}{region.top}"
            self.made.enter("table", fragment=f"={self.sheet.name}!{address}", heading=region.title)
        self.depth = self.made.depth

    def _end(self) -> None:
        self._flush()
        if self.region is not None:
            self.made.leave(self.depth)
            if self.body and self.region.header_span:
                page = len(self.made.texts)
                self.made.link("table_header", (page, *self.body), (page, *self.region.header_span))
            if self.region.apart:
                self.made.leave()
        self.region = None

    def _header(self, region: Region, row: int, found: list[Cell]) -> None:
        region.header_span = self._write(row, found, " | ".join(" ".join(cell.text.split()) for cell in found))
        self._after(row, found)

    def _title(self, region: Region, row: int, found: list[Cell]) -> None:
        """Rows above a table's header: its title, its remarks, the upper row of a header of two."""
        span = self._write(row, found, None)
        if region.header_span is None and row in region.upper_rows:
            region.header_span = span
        self._after(row, found)

    def _record(self, region: Region, row: int, found: list[Cell]) -> None:
        if self.together > 1:
            self.shared.append((row, found))
            if len(self.shared) >= self.together:
                self._flush()
            return None
        fragment = f"={self.sheet.name}!{column_name(found[0].column)}{row}"
        if self.grid.heads_rows(region, row, found):
            self.made.leave(self.depth)
            self.made.enter("heading", fragment=fragment, heading=" ".join(found[0].text.split()))
            self._write(row, found, None)
            return self._after(row, found)
        self.made.enter("record", fragment=fragment, label=str(row))
        span = self._write(row, found, self._shown(region, row, found))
        self.body = (self.body[0] if self.body else span[0], span[1])
        self._after(row, found)
        return self.made.leave()

    def _flush(self) -> None:
        """The rows that wait become one record and one block."""
        rows, self.shared, region = self.shared, [], self.region
        if not rows or region is None:
            return
        (first, cells_of_first), (last, _) = rows[0], rows[-1]
        right = max(cell.column for _, found in rows for cell in found)
        start = f"{column_name(cells_of_first[0].column)}{first}"
        self.made.enter(
            "record", fragment=f"={self.sheet.name}!{start}", label=f"{first}–{last}" if last > first else str(first)
        )
        text = "\n".join("\t".join(" ".join(cell.text.split()) for cell in found) for _, found in rows)
        shown = "\n".join(self._shown(region, row, found) for row, found in rows)
        origin = f"{self.sheet.name}!{start}:{column_name(right)}{last}"
        span = self.book._line(text, "table", origin, shown)
        self.body = (self.body[0] if self.body else span[0], span[1])
        beside = [line for row, found in rows for line in self._stored(row, found)]
        if beside:
            self.book._line("; ".join(beside), "metadata", origin)
        self.made.leave()

    def _shown(self, region: Region, row: int, found: list[Cell]) -> str:
        """A row for matching: each value after its column's name; what a merge above shows belongs to the row too."""
        parts, names = [], {} if self.grid.is_across(region, row, found) or _again(found, region.names) else region.names
        for column, text in self._values(row, found):
            name = names.get(column, "")
            parts.append(f"{name}: {text}" if name else text)
        if not region.names and len(parts) == 2:
            return ": ".join(part.rstrip(":") for part in parts)
        return " | ".join(parts)

    def _values(self, row: int, found: list[Cell]) -> list[tuple[int, str]]:
        values = [(cell.column, " ".join(cell.text.split())) for cell in found if cell.text]
        if above := self.upper.get(row):
            band = self.region.band if self.region is not None else EVERYWHERE
            own = {column for column, _ in values}
            values += [(column, " ".join(text.split())) for column, text in above if column not in own and column in band]
            values.sort()
        return values

    # --- rows ------------------------------------------------------------------------------------------------------

    def _write(self, row: int, found: list[Cell], shown: str | None) -> tuple[int, int]:
        """One row as one block; links lead from its cells."""
        texts = [cell.text.replace("\t", " ") for cell in found]
        origin = f"{self.sheet.name}!{_listed([cell.column for cell in found], row)}"
        start, end = span = self.book._line("\t".join(texts), "table", origin, shown)
        at = start
        for cell, text in zip(found, texts):
            after = at + len(text.encode())
            link = self.frame.links.get((row, cell.column)) if self.frame.links else None
            formula = LINKED.match(cell.formula) if cell.formula else None
            if link or formula:
                self.made.hyperlink(link or (formula[1] if formula else ""), at, after)
            at = after + 1
        return start, end if end > start else span[0]

    def _after(self, row: int, found: list[Cell]) -> None:
        """What is beside a row: stored numbers, formulas, comments, errors."""
        beside = list(self._stored(row, found))
        if beside:
            columns = [cell.column for cell in found if cell.formula or cell.raw]
            self.book._line("; ".join(beside), "metadata", f"{self.sheet.name}!{_listed(columns, row)}")
        if self.remarked and self.region is not None:
            places = self.remarked.pop(row, [])
            for place in places:
                if place[1] in self.region.band:
                    self._remarks(place)
            if left := [place for place in places if place[1] not in self.region.band]:  # of a table beside this one
                self.remarked[row] = left

    def _stored(self, row: int, found: list[Cell]) -> Iterator[str]:
        for cell in found:
            if cell.error:
                self.errors.append(f"{column_name(cell.column)}{row} {cell.text}")
            if cell.formula or cell.raw:
                parts = " ".join(part for part in (cell.formula, f"[{cell.raw}]" if cell.raw else "") if part)
                yield f"{column_name(cell.column)}{row} {parts}"

    def _remarks(self, place: tuple[int, int]) -> None:
        """Comments on a cell, each read once."""
        for remark in self.frame.remarks.pop(place, ()):
            by = f" by {remark.author}" if remark.author else ""
            address = f"{column_name(place[1])}{place[0]}"
            if remark.text:
                self.book._line(remark.text, "annotation", f"{self.sheet.name}!{address} comment{by}")


def _again(found: list[Cell], names: dict[int, str]) -> bool:
    """Whether a row repeats the header, as reports do on every printed page."""
    return len(found) > 1 and all(names.get(cell.column) == " ".join(cell.text.split()) for cell in found)


def _listed(columns: list[int], row: int) -> str:
    """Addresses of cells in one row, neighbours together.

    >>> _listed([1, 2, 3, 6], 7)
    'A7:C7,F7'
    """
    runs: list[list[int]] = []
    for column in columns:
        if runs and column == runs[-1][1] + 1:
            runs[-1][1] = column
        else:
            runs.append([column, column])
    names = [(f"{column_name(first)}{row}", f"{column_name(last)}{row}") for first, last in runs]
    return ",".join(first if first == last else f"{first}:{last}" for first, last in names)
