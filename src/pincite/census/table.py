"""A census as a table of plain text, one line a document and one for all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pincite.census.count import Row

HEAD = (
    "document", "pages", "bytes", "text", "conserved", "passages", "uncertain", "unsupported", "headless", "refs", "open refs",
    "seconds", "output", "failure",
)  # fmt: skip


def lines(rows: Sequence[Row]) -> list[str]:
    """The table, columns aligned, followed by the reason of each failure and the roles of all."""
    body = [cells(row) for row in rows]
    grid = [HEAD, *body, total(rows)]
    widths = [max(len(line[at]) for line in grid) for at in range(len(HEAD))]
    table = ["  ".join(_padded(cell, widths[at], at) for at, cell in enumerate(line)).rstrip() for line in grid]
    reasons = [f"{row.path}: {row.failure}: {row.sentence}" for row in rows if row.failure]
    shares = "roles of all text, in bytes: " + ", ".join(f"{name} {count}" for name, count in roles(rows))
    return [*table, "", shares, *reasons]


def cells(row: Row) -> tuple[str, ...]:
    """One line's cells, as text."""
    return (
        row.path,
        *_numbers([row]),
        f"{row.seconds:.2f}",
        str(row.output_bytes),
        row.failure,
    )


def total(rows: Sequence[Row]) -> tuple[str, ...]:
    """The line for all."""
    failures = sum(bool(row.failure) for row in rows)
    seconds, output = sum(row.seconds for row in rows), sum(row.output_bytes for row in rows)
    return (f"all {len(rows)}", *_numbers(rows), f"{seconds:.2f}", str(output), f"{failures} failed" if failures else "")


def _numbers(rows: Sequence[Row]) -> list[str]:
    text, conserved = sum(row.text_bytes for row in rows), sum(row.conserved_bytes for row in rows)
    counts = (
        sum(row.passages for row in rows),
        sum(row.uncertain_boundaries for row in rows),
        sum(row.unsupported_count for row in rows),
        sum(row.unresolved_headings for row in rows),
        sum(row.references for row in rows),
        sum(row.unresolved_references for row in rows),
    )
    before = (sum(row.pages for row in rows), sum(row.bytes for row in rows), text)
    return [*map(str, before), share(conserved, text), *map(str, counts)]


def share(part: int, whole: int) -> str:
    """A percentage that says 100 only where it is all of it."""
    if not whole:
        return "-"
    return "100 %" if part == whole else f"{min(100 * part / whole, 99.999):.3f} %"


def roles(rows: Iterable[Row]) -> list[tuple[str, int]]:
    """Bytes of each role in all documents, most first."""
    sums: dict[str, int] = {}
    for row in rows:
        for name, count in row.roles:
            sums[name] = sums.get(name, 0) + count
    return sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))


def _padded(cell: str, width: int, at: int) -> str:
    return cell.ljust(width) if at in (0, len(HEAD) - 1) else cell.rjust(width)
