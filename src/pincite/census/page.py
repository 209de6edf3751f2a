"""A census as one self-contained HTML page: outliers first, each with a picture of its page and the place marked."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from pincite.census.count import Row
from pincite.census.table import HEAD, cells, roles, total
from pincite.errors import PinciteError
from pincite.model import Finding, Span
from pincite.parse.limits import run_limited
from pincite.parse.pdf.render import draw_page

PICTURES = 60  # of the whole page
PER_DOCUMENT = 4
DPI = 60
_STYLE = """body{font:14px/1.4 sans-serif;margin:1.5em;max-width:1300px}table{border-collapse:collapse;margin:1em 0}
td,th{border:1px solid #bbb;padding:2px 7px;text-align:right;font-variant-numeric:tabular-nums}td:first-child,th:first-child,
td:last-child,th:last-child{text-align:left}tr.bad td{background:#fde7e7}figure{display:inline-block;width:430px;margin:0 12px
18px 0;vertical-align:top}img{max-width:100%;border:1px solid #999}figcaption{overflow-wrap:anywhere}q{font-style:italic}"""


def weight(row: Row) -> tuple[float, ...]:
    """Sorts outliers first: failures, lost bytes, then shares of what is open, then time for a page."""
    passages, references, pages = max(row.passages, 1), max(row.references, 1), max(row.pages, 1)
    return (
        float(bool(row.failure)),
        float(row.text_bytes - row.conserved_bytes),
        row.unsupported_count / pages,
        row.uncertain_boundaries / passages,
        row.unresolved_headings / passages,
        row.unresolved_references / references,
        row.seconds / pages,
    )


def write(rows: Sequence[Row], folder: Path, file: Path) -> Path:
    """Write the page of a census of *folder* to *file*."""
    ordered = sorted(rows, key=weight, reverse=True)
    parts = [*_opening(rows, ordered), *_outliers(ordered, folder), "</body></html>"]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(parts), encoding="utf-8", errors="surrogateescape")
    return file


def _opening(rows: Sequence[Row], ordered: Sequence[Row]) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Census</title>'
    yield f"<style>{_STYLE}</style></head><body><h1>Census of {len(rows)} documents</h1>"
    yield "<p>Outliers first: failures, bytes not conserved, unsupported structures, uncertain boundaries, passages"
    yield "without a heading, open references, seconds for a page.</p>"
    yield "<table><tr>" + "".join(f"<th>{name}</th>" for name in HEAD) + "</tr>"
    for row in ordered:
        bad = ' class="bad"' if row.failure or not row.conserved else ""
        yield f"<tr{bad}>" + "".join(f"<td>{_text(cell)}</td>" for cell in cells(row)) + "</tr>"
    yield "<tr>" + "".join(f"<th>{_text(cell)}</th>" for cell in total(rows)) + "</tr></table>"
    yield from _roles(rows)


def _roles(rows: Sequence[Row]) -> Iterator[str]:
    names = [name for name, _ in roles(rows)]
    yield "<h1>Roles, in bytes</h1><table><tr><th>document</th>" + "".join(f"<th>{escape(name)}</th>" for name in names)
    yield "<th></th></tr>"
    for row in rows:
        held = dict(row.roles)
        yield f"<tr><td>{_text(row.path)}</td>" + "".join(f"<td>{held.get(name, 0)}</td>" for name in names) + "<td></td></tr>"
    yield "</table><h1>Outliers</h1>"


def _outliers(ordered: Sequence[Row], folder: Path) -> Iterator[str]:
    left = PICTURES
    for row in ordered:
        if not row.failure and not row.places and row.conserved:
            continue
        yield f"<h2>{_text(row.path)}</h2>"
        if row.failure:
            yield f"<p><b>{row.failure}</b>: {_text(row.sentence)}</p>"
        kinds = ", ".join(f"{each.name} {each.number}" for each in row.unsupported)
        yield f"<p>{_text(row.profile)}{'; ' + _text(kinds) if kinds else ''}</p>"
        shown = _one_of_each_kind(row.places)
        for place in shown[: min(PER_DOCUMENT, max(left, 0))]:
            left -= 1
            yield _figure(row, place, folder)
        rest = [place for place in row.places if place not in shown[:PER_DOCUMENT]]
        if rest:
            items = "".join(f"<li>{_caption(place)}</li>" for place in rest)
            yield f"<details><summary>{len(rest)} more places</summary><ul>{items}</ul></details>"


def _one_of_each_kind(places: Sequence[Finding]) -> list[Finding]:
    """The places in turns of their kinds, so that the pictures show each kind."""
    turns: dict[str, int] = {}
    ranked = []
    for order, place in enumerate(places):
        turns[place.kind] = turns.get(place.kind, 0) + 1
        ranked.append((turns[place.kind], order, place))
    return [place for _, _, place in sorted(ranked)]


def _figure(row: Row, place: Finding, folder: Path) -> str:
    """A place's page with the place marked; in words alone where the file has no pages or cannot be drawn."""
    caption = f"<figcaption>{_caption(place)}</figcaption>"
    if not row.path.lower().endswith(".pdf"):
        return f"<figure>{caption}</figure>"
    span = Span(place.page, place.start, place.end, "")
    try:
        data = (folder / row.path).read_bytes()
        png = run_limited(draw_page, (data, place.page, (span,), DPI), 20.0, 400)
    except (OSError, PinciteError) as error:
        return f"<figure>{caption}<p>its page cannot be drawn: {_text(str(error))}</p></figure>"
    picture = base64.b64encode(png).decode()
    name = _text(f"page {place.page} of {row.path}")
    return f'<figure><img alt="{name}" src="data:image/png;base64,{picture}">{caption}</figure>'


def _caption(place: Finding) -> str:
    either = f" Readings: {_text(' / '.join(place.candidates))}." if place.candidates else ""
    kind = place.kind.replace("_", " ")
    return f"<b>{_text(kind)}</b>, page {place.page}: <q>{_text(place.subject)}</q> {_text(place.reason)}.{either}"


def _text(words: str) -> str:
    return escape(words).encode("utf-8", "replace").decode()
