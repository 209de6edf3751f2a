"""Where the tables of a sheet begin, and which row names their columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, takewhile

from pincite.parse.office.cells import Cell
from pincite.parse.office.sheet import Area, Frame

LOOKAHEAD = 24
"""Rows of a table that are looked at to find its header."""
EVERYWHERE = range(1 << 20)
"""The columns of a table that has none beside it."""
MOST_BESIDE = 5_000
"""Further rows of tables beside each other that are held to be read one table after the other."""
MAX_TITLES = 3
"""Cells alone in rows of their own that still are the title of what follows them; more are a list."""
MOST_UPPER = 3
"""Rows of names of groups above a header."""
MAX_NAME = 120
"""Characters of a column's name; what is longer is a sentence, not a name."""

Found = tuple[int, list[Cell]]


class Region:
    """Rows without a blank row between them. ``header_row`` is 0 where no row names the columns."""

    def __init__(
        self, rows: list[Found], header_row: int, names: dict[int, str], upper_rows: frozenset[int], band: range
    ) -> None:
        self.band = band  # the columns that are its own
        self.top = rows[0][0]
        self.left = min(cell.column for _, found in rows for cell in found)
        self.right = max(cell.column for _, found in rows for cell in found)
        self.header_row, self.names, self.upper_rows = header_row, names, upper_rows
        self.first_row = header_row + 1 if header_row else self.top
        above = [found for row, found in rows if row < self.first_row and row != header_row and row not in upper_rows]
        self.title = _title([found[0] for found in above if len(found) == 1])
        self.apart = bool(self.title)
        self.header_span: tuple[int, int] | None = None


class Grid:
    """Splits the rows of one sheet into regions, looking only a few rows ahead."""

    def __init__(self, around: Frame, bold: list[bool], titles: int) -> None:
        self.bold = bold
        self.titles = max(titles, around.frozen if around.frozen <= LOOKAHEAD else 0)
        self.merged: dict[int, list[Area]] = {}
        for one in around.merges:
            self.merged.setdefault(one.top, []).append(one)
        self.listed = {one.top + heads - 1: (one, heads) for one, _, heads in around.tables if heads}
        self.tables = [one for one, _, _ in around.tables]

    def rows(self, rows: Iterator[Found]) -> Iterator[tuple[Region, int, list[Cell]]]:
        """Every row with the region it is in; tables beside each other one after the other, so that a row may come again."""
        last: Region | None = None
        title, beside = "", EVERYWHERE
        for ahead, run, band in self._tables(rows):
            last, beside = (last if band == beside else None), band
            if self._stand_alone(ahead, last):  # a title of what follows, or a remark
                region = Region(ahead, 0, {}, frozenset(), band)
                region.first_row += len(ahead) == 1
                own = _title([found[0] for _, found in ahead])
                title = f"{title}, {own}" if title and own and len(title) + len(own) < MAX_NAME else own
                yield from ((region, *found) for found in ahead)
                continue
            region = self._region(ahead, last, band)
            if title and not region.title and (len(ahead) > 1 or region.right > region.left):  # one cell is no table
                region.title, region.apart = title, True
            title = ""
            if region.header_row and (band != EVERYWHERE or (last is not None and last.header_row)):
                region.apart = True
            for row, found in chain(ahead, run):
                yield region, row, found
            last = region

    def _tables(self, rows: Iterator[Found]) -> Iterator[tuple[list[Found], Iterator[Found], range]]:
        """The first rows and the rest of each run of rows, of each table where several stand beside each other."""
        for run in _runs(rows, frozenset(one.top for one in self.tables)):
            ahead = [found for _, found in zip(range(LOOKAHEAD), run)]
            bands = self._bands(ahead)
            if not bands:
                yield ahead, run, EVERYWHERE
                continue
            ahead += [found for _, found in zip(range(MOST_BESIDE), run)]
            for band in bands:
                for part in _runs(iter(_within(ahead, band))):
                    yield [found for _, found in zip(range(LOOKAHEAD), part)], part, band
            more = [found for _, found in zip(range(LOOKAHEAD), run)]
            if more:  # a longer run goes on as one table
                yield more, run, EVERYWHERE

    def _bands(self, ahead: list[Found]) -> list[range]:
        """The columns of each table where several stand beside each other, apart by empty columns; none where it is one.

        A column may be left empty for the eye only. Two tables have headers of their own and begin or end in other rows, or
        repeat each other's names.
        """
        if listed := self._listed(ahead):
            return listed
        wide = [(row, found) for row, found in ahead if len(found) > 1]
        merged = [one for row, _ in wide for one in self.merged.get(row, ()) if one.right - one.left < 256]
        used = {cell.column for _, found in wide for cell in found}
        groups = _neighbours(sorted(used.union(*(range(one.left, one.right + 1) for one in merged))))
        if len(groups) < 2 or any(len(group) < 2 for group in groups):
            return []
        starts = [0, *(group[0] for group in groups[1:]), EVERYWHERE.stop]
        bands = [range(start, stop) for start, stop in pairwise(starts)]
        parts = [_within(wide, band) for band in bands]
        headers = [self._header(part, None)[0] for part in parts]
        if not all(headers):
            return []
        first, *others = [{cell.text.strip() for cell in dict(part)[row]} for part, row in zip(parts, headers)]
        spans = [(part[0][0], part[-1][0]) for part in parts]
        lengths = [bottom - top + 1 for top, bottom in spans]
        whole = len(ahead) < LOOKAHEAD and all(len(part) == length for part, length in zip(parts, lengths))
        alike = all(2 * len(first & other) >= len(other) for other in others)
        apart = len({top for top, _ in spans}) > 1 or (whole and 5 * min(lengths) <= 3 * max(lengths))
        return bands if alike or apart else []

    def _listed(self, ahead: list[Found]) -> list[range]:
        """The columns of tables beside each other that the workbook itself says are tables; none where it says no two."""
        top, bottom = ahead[0][0], ahead[-1][0]
        here = sorted((one.left, one.right) for one in self.tables if one.top <= bottom and top <= one.bottom)
        if len(here) < 2 or any(right >= left for (_, right), (left, _) in pairwise(here)):
            return []
        starts = [0, *(left for left, _ in here[1:]), EVERYWHERE.stop]
        return [range(start, stop) for start, stop in pairwise(starts)]

    def _stand_alone(self, ahead: list[Found], last: Region | None) -> bool:
        """Whether a few cells stand alone in rows of their own, and are not more rows of the table before them."""
        if len(ahead) > MAX_TITLES or any(len(found) > 1 for _, found in ahead):
            return False
        return len(ahead) == 1 or last is None or last.right - last.left > 1 or not (last.names and _same_columns(ahead, last))

    def _region(self, ahead: list[Found], last: Region | None, band: range) -> Region:
        header, upper = self._header(ahead, last)
        if not header:
            goes_on = last is not None and last.names and _same_columns(ahead, last) and _goes_on(ahead, last)
            return Region(ahead, 0, last.names if last is not None and goes_on else {}, frozenset(), band)
        by_row = dict(ahead)
        names = self._names([by_row[row] for row in (*sorted(upper), header) if row in by_row], [*sorted(upper), header])
        return Region(ahead, header, names, frozenset(upper), band)

    def _header(self, ahead: list[Found], last: Region | None) -> tuple[int, set[int]]:
        """The row of the header and the rows of names above it; 0 where there is none."""
        header, upper = self._columns(ahead, last)
        if header and not upper:
            upper = self._unmerged(ahead, header)
        return _with_names_of_rows(ahead, header, upper) if header else (0, set())

    def _unmerged(self, ahead: list[Found], header: int) -> set[int]:
        """The row above a header that names groups of its columns without merging cells: each name reaches to the next.

        It begins where the columns of numbers begin, and has fewer names than they are.
        """
        at = next((at for at, (row, _) in enumerate(ahead) if row == header), 0)
        row, found = ahead[at - 1]
        numbers = {cell.column for _, cells in ahead[at + 1 :] for cell in cells if cell.number}
        columns = [cell.column for cell in found]
        named = all(not cell.number or _PERIOD.fullmatch(cell.text.strip()) for cell in found)
        if (
            at == 0
            or not named
            or not 1 < len(found) < len(numbers)
            or columns[0] != min(numbers)
            or not numbers.issuperset(columns)
        ):
            return set()
        ends = [*(column - 1 for column in columns[1:]), max(numbers)]
        self.merged[row] = [Area(row, first, row, last) for first, last in zip(columns, ends)]
        return {row}

    def _columns(self, ahead: list[Found], last: Region | None) -> tuple[int, set[int]]:
        for row, _ in ahead:
            if row in self.listed:
                return row, set()
        if len(ahead) < 2:
            return 0, set()
        width = max(len(found) for _, found in ahead)
        if (frozen := self._frozen(ahead)) and last is None:
            return frozen
        for at, (row, found) in enumerate(ahead[:-1]):
            above = None if at and len(ahead[0][1]) == 1 else last  # below a title of its own a table does not go on
            groups = self._upper(ahead[at:], width)
            if groups and self._is_header(ahead[at + len(groups)], _cells(ahead[at + len(groups) + 1 :]), above, groups):
                return ahead[at + len(groups)][0], {upper for upper, _ in groups}
            below = _cells(ahead[at + 1 :])
            if len(found) < 2 or 2 * len(found) < width or all(cell.error for cell in found):
                continue
            return (row, set()) if self._is_header((row, found), below, above) else (0, set())
        return 0, set()

    def _frozen(self, ahead: list[Found]) -> tuple[int, set[int]] | None:
        """The header that stays in place or is repeated on every page: its last row, and rows of names above it."""
        by_row = dict(ahead)
        rows = [row for row, _ in ahead if row <= self.titles]
        while rows and len(by_row[rows[0]]) < 2:
            rows.pop(0)
        if not rows or rows[-1] >= ahead[-1][0]:
            return None
        upper = {row for row in rows[:-1] if self._groups(row, by_row[row])}
        if len(rows) > 1 and len(by_row[rows[-1]]) < len(by_row[rows[-2]]):  # units below the names
            upper.add(rows[-2])
        return rows[-1], upper

    def _upper(self, rows: list[Found], width: int) -> list[Found]:
        """The rows that name groups of columns, and groups of those, above a header; one merged across all is a title."""
        left = min(cell.column for _, found in rows for cell in found)
        upper: list[Found] = []
        for row, found in rows[: min(MOST_UPPER, len(rows) - 2)]:
            spanned = sum(len(_reach(self.merged.get(row, []), cell.column)) for cell in found)
            if not self._groups(row, found) or 2 * spanned < width or (len(found) < 2 and found[0].column == left):
                break
            upper.append((row, found))
        return upper

    def _groups(self, row: int, found: list[Cell]) -> bool:
        """Whether a row has cells merged over several columns: names of groups of columns."""
        columns = {cell.column for cell in found}
        return any(one.right > one.left and one.left in columns for one in self.merged.get(row, ()))

    def _is_header(self, row: Found, below: list[list[Cell]], last: Region | None, groups: Sequence[Found] = ()) -> bool:
        """Whether a row names the columns of the rows below it, where it stands below those with names of *groups* too."""
        found = row[1]
        names = [cell.text.strip() for cell in found]
        if not below or any(not name or len(name) > MAX_NAME for name in names):
            return False
        styled = all(self._bold(cell) for cell in found) and not all(self._bold(cell) for cell in below[0])
        numbers = [cell for cell in found if cell.number]
        if numbers and not _are_periods(numbers, below):
            columns = {cell.column for cell in numbers}
            alike = any(cell.number and cell.column in columns for cells in below for cell in cells)
            if len(numbers) > len(found) // 3 or (alike and not styled):
                return False
        elif len(numbers) == len(found):
            named = any(cell.column < found[0].column and not cell.number for cells in below for cell in cells)
            if not numbers or not named:
                return False
        if groups:
            whole = self._names([*_cells(groups), found], [*(number for number, _ in groups), row[0]])
            names = [whole[cell.column] for cell in found]
        columns = {cell.column for cell in found if not cell.number}
        typed = bool(numbers) or any(cell.number and cell.column in columns for cells in below for cell in cells)
        if (last is not None and last.names) or len(set(names)) < len(names):
            return styled or typed
        if len(found) == 2 and (found[0].text.strip().endswith(":") or self._names_rows([found, *below])):
            return False
        return styled or typed or len(found) > 2 or max(len(name) for name in names) < 32

    def is_across(self, region: Region, row: int, found: list[Cell]) -> bool:
        """Whether a row is words of no column: one cell merged over several, or a sentence alone below three names or more."""
        if len(found) != 1:
            return False
        remark = len(region.names) > 2 and not found[0].number and not _title(found)
        return remark or self._groups(row, found)

    def heads_rows(self, region: Region, row: int, found: list[Cell]) -> bool:
        """Whether a row of a table names the rows below it: one bold cell, whose words are no sentence."""
        one = found[0]
        named = len(found) == 1 and self._bold(one) and not one.number and len(region.names) > 2
        return named and not one.formula and bool(_title(found))

    def _names_rows(self, rows: list[list[Cell]]) -> bool:
        """Whether the first cell of every row is bold and nothing after it is: a form, whose rows are named."""
        return all(self._bold(found[0]) and not any(map(self._bold, found[1:])) for found in rows)

    def _bold(self, cell: Cell) -> bool:
        return 0 <= cell.style < len(self.bold) and self.bold[cell.style]

    def _names(self, rows: list[list[Cell]], numbers: list[int]) -> dict[int, str]:
        """The name of each column, with that of its group before it."""
        names: dict[int, str] = {}
        for row, found in zip(numbers, rows):
            for cell in found:
                text = " ".join(cell.text.split())
                for column in _reach(self.merged.get(row, []), cell.column):
                    names[column] = f"{names[column]} / {text}" if names.get(column) else text
        return names


_PERIOD = re.compile(r"(?:1[89]|20|21)\d\d(?:-\d\d){0,2}")


def _with_names_of_rows(ahead: list[Found], header: int, upper: set[int]) -> tuple[int, set[int]]:
    """A header, and the row below it that names the column of names only, as statistics programs write it."""
    at = next((at for at, (row, _) in enumerate(ahead) if row == header), len(ahead))
    if at + 2 < len(ahead):
        row, found = ahead[at + 1]
        again = any(len(cells) == 1 and cells[0].column == found[0].column for _, cells in ahead[at + 2 :])
        if len(found) == 1 and not found[0].number and found[0].column < ahead[at][1][0].column and not again:
            return row, {*upper, header}
    return header, upper


def _cells(rows: Sequence[Found]) -> list[list[Cell]]:
    return [found for _, found in rows]


def _are_periods(numbers: list[Cell], below: list[list[Cell]]) -> bool:
    """Whether the numbers of a row are years, months or days in order, or count from 1, as names of columns do; no data."""
    texts = [cell.text.strip() for cell in numbers]
    counted = len(texts) > MAX_TITLES and texts == [str(at) for at in range(1, len(texts) + 1)]
    if not counted and not all(_PERIOD.fullmatch(text) for text in texts):
        return False
    if texts != sorted(set(texts)) and texts != sorted(set(texts), reverse=True) and not counted:
        return False
    columns = {cell.column for cell in numbers}
    under = [cell for cells in below for cell in cells if cell.column in columns]
    if any(cell.number and _PERIOD.fullmatch(cell.text) for cell in under):
        return False
    return len(numbers) > 1 or 2 * sum(cell.number for cell in under) > len(under)


def _title(cells: list[Cell]) -> str:
    """What cells alone in their rows above a table call it: "Budget, in thousands". Sentences call it nothing, nor does what
    stands below one."""
    lines = [" ".join(cell.text.split()) for cell in cells if not cell.number or _PERIOD.fullmatch(cell.text)]
    whole = ", ".join(line for line in takewhile(lambda line: not line.endswith((".", "!", "?", ";")), lines) if line)
    return whole if len(whole) <= MAX_NAME else ""


def _reach(merges: list[Area], left: int) -> range:
    """The columns of the merge that begins at *left*, of those that begin in one row."""
    for one in merges:
        if one.left == left:
            return range(left, min(one.right, left + 256) + 1)
    return range(left, left + 1)


def _within(rows: list[Found], band: range) -> list[Found]:
    """The rows that have cells in a band of columns, with these alone."""
    parts = [(row, [cell for cell in found if band.start <= cell.column < band.stop]) for row, found in rows]
    return [(row, found) for row, found in parts if found]


def _neighbours(columns: list[int]) -> list[list[int]]:
    """Columns in order, those that follow one another together."""
    groups: list[list[int]] = []
    for column in columns:
        if groups and column == groups[-1][-1] + 1:
            groups[-1].append(column)
        else:
            groups.append([column])
    return groups


def _same_columns(ahead: list[Found], last: Region) -> bool:
    columns = [cell.column for _, found in ahead for cell in found]
    return min(columns) >= last.left and max(columns) <= last.right


def _goes_on(ahead: list[Found], last: Region) -> bool:
    """Whether rows after a blank one are records of the table before it: in a wide one, lone first cells are remarks."""
    return last.right - last.left < 2 or any(len(found) > 1 for _, found in ahead)


def _runs(rows: Iterator[Found], starts: frozenset[int] = frozenset()) -> Iterator[Iterator[Found]]:
    """Rows that follow one another without a blank row, parted before each of *starts*.

    Each run must be used up before the next is asked for.
    """
    held: list[Found] = []

    def run(first: Found) -> Iterator[Found]:
        before = first
        yield first
        for found in rows:
            if found[0] > before[0] + 1 or found[0] in starts:
                held.append(found)
                return
            before = found
            yield found

    start = next(rows, None)
    while start is not None:
        yield run(start)
        start = held.pop() if held else None
