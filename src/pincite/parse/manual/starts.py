"""Where paragraphs, reserved ranges and numbered sections start: the chains of a profile, segment by segment."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from pincite.parse.manual.flow import Metrics, Row, ends_sentence
from pincite.parse.manual.headings import APPENDIX
from pincite.parse.manual.margin import RightNumber, read_right, unread_right
from pincite.parse.manual.numbering import (
    ACCEPTED,
    Candidate,
    Chain,
    Labels,
    best_chain,
    candidates,
    number_of,
    range_labels,
)
from pincite.parse.manual.outlined import Entry, is_section, outline_of
from pincite.parse.manual.profiles import Profile, profile_named
from pincite.parse.manual.unclear import Doubt, settle

_LONGEST_TITLE = 200  # characters
AGAIN = 1.3  # times the score of the one chain that numbers begun again below titles must reach


class Start(NamedTuple):
    """A row that begins a numbered unit."""

    row: int
    kind: str  # paragraph, reserved or section
    label: str  # as printed, without its full stop
    end_label: str  # of a reserved range
    number: int  # last part of its number, for ranges of headings
    last: int  # the same of the last number of a reserved range
    scheme: str  # "own": of a stretch that numbers its own paragraphs; "restarting": from one below every title


class Numbering(NamedTuple):
    """All starts by row, the unclear candidates, and what was measured in choosing."""

    starts: dict[int, Start]
    unclear: list[Doubt]
    scheme: str
    measured: str


def number_rows(rows: Sequence[Row], profile: Profile, metrics: Metrics, at_right: Sequence[RightNumber] = ()) -> Numbering:
    """The numbered paragraphs of a document by the schemes of *profile*. *at_right*: numbers in the right margin."""
    if profile.sections:
        return _sectioned(rows, profile, metrics)
    schemes = _Schemes(rows, metrics)
    (scheme, found, chain), schemes = _best_anywhere(schemes, profile, at_right)
    if not scheme and profile.schemes and profile.name != "generic":
        (scheme, found, chain), schemes = _best_anywhere(schemes, profile_named("generic"), at_right)
    again = _restarting(schemes, profile)
    if again.score > AGAIN * chain.score:
        return _numbered_again(rows, again)
    if not scheme and profile.name == "generic" and (entries := outline_of(rows, metrics)):
        return _outlined(entries)
    starts: dict[int, Start] = {}
    doubts: list[Doubt] = []
    own: list[tuple[int, int]] = []
    if scheme:
        _add(starts, rows, scheme, chain, metrics)
    if scheme != "dotted":
        known = profile.family in ("dmg", "adm")
        for first, last in _unnumbered(rows, starts, metrics):
            if (known or first) and _number_segment(rows, first, last, starts, doubts, metrics, 2 if known else 4):
                own.append((first, last))
    if chain.taken:
        elsewhere = [each for each in found if not any(first <= each.row < last for first, last in own)]
        settled, unclear = settle(rows, elsewhere, chain)
        doubts += unclear
        _add(starts, rows, scheme, settled, metrics)
    paragraphs = sum(start.kind == "paragraph" for start in starts.values())
    return Numbering(
        starts, doubts, scheme, f"{paragraphs} paragraphs numbered {scheme or 'by no scheme'}, score {chain.score:.0f}"
    )


Best = tuple[str, list[Candidate], Chain]
"""A scheme, its candidates and their best chain; "" where none will do."""


class _Schemes:
    """The candidates of each scheme over all rows as they are read now, found once."""

    def __init__(self, rows: Sequence[Row], metrics: Metrics) -> None:
        self.rows, self.metrics = rows, metrics
        self.labels = Labels(rows)
        self._found: dict[str, list[Candidate]] = {}

    def candidates(self, scheme: str) -> list[Candidate]:
        found = self._found.get(scheme)
        if found is None:
            found = self._found[scheme] = candidates(self.labels, scheme, self.metrics)
        return found


def _best_anywhere(left: _Schemes, profile: Profile, at_right: Sequence[RightNumber]) -> tuple[Best, _Schemes]:
    """The best scheme with numbers at the left, or with those in the right margin where that makes a better chain.

    The rows are left as they are read then.
    """
    best = _best_scheme(left, profile)
    if at_right and profile.schemes:
        read_right(at_right)
        right = _Schemes(left.rows, left.metrics)
        other = _best_scheme(right, profile)
        if other[2].score > best[2].score:
            return other, right
        unread_right(at_right)
    return best, left


def _best_scheme(schemes: _Schemes, profile: Profile) -> Best:
    best: Best = ("", [], Chain((), 0.0))
    for scheme in profile.schemes:
        least = _least(profile, scheme)
        if sum(schemes.labels.present[kind] for kind in ACCEPTED.get(scheme, (scheme,))) < least:
            continue
        found = schemes.candidates(scheme)
        chain = best_chain(found)
        if len(chain.taken) >= least and chain.score > best[2].score and _spans(schemes.rows, found, chain, profile):
            best = (scheme, found, chain)
    return best


class Restarted(NamedTuple):
    """Numbers that begin again below titles: candidates and best chain below each title, and the sum of their scores."""

    scheme: str
    parts: tuple[tuple[list[Candidate], Chain], ...]
    score: float


def _restarting(schemes: _Schemes, profile: Profile) -> Restarted:
    """Numbers that begin again under every title. A list never begins right under a title."""
    rows, metrics = schemes.rows, schemes.metrics
    best = Restarted("", (), 0.0)
    for scheme in ("plain", "stop", "bracket", "square"):
        found = schemes.candidates(scheme) if scheme in profile.schemes else []
        cuts = [c.row for c in found if c.low == (1,) and c.local > 0 and _is_below_title(rows, c.row, metrics)]
        if len(cuts) < 2:
            continue
        parts = []
        for first, last in pairwise([*cuts, len(rows)]):
            inside = [c for c in found if first <= c.row < last]
            chain = best_chain(inside)
            if chain.taken and chain.taken[0].row == first:
                parts.append((inside, chain))
        taken = tuple(candidate for _, chain in parts for candidate in chain.taken)
        score = sum(chain.score for _, chain in parts)
        enough = len(taken) >= 2 * len(cuts) and _spans(rows, found, Chain(taken, 0.0), profile)
        if enough and score > best.score:
            best = Restarted(scheme, tuple(parts), score)
    return best


def _numbered_again(rows: Sequence[Row], again: Restarted) -> Numbering:
    starts: dict[int, Start] = {}
    doubts: list[Doubt] = []
    for found, chain in again.parts:
        settled, unclear = settle(rows, found, chain)
        doubts += unclear
        for candidate in settled.taken:
            starts[candidate.row] = _start(rows[candidate.row], "paragraph", "restarting")
    measured = f"{len(starts)} paragraphs numbered {again.scheme}, from one below each of {len(again.parts)} titles"
    return Numbering(starts, doubts, again.scheme, f"{measured}, score {again.score:.0f}")


def _outlined(entries: Sequence[Entry]) -> Numbering:
    starts: dict[int, Start] = {}
    for position, (row, end, path, value) in enumerate(entries):
        row.label, row.rest = path[-1], end
        kind = "section" if is_section(entries, position) else "paragraph"
        starts[row.index] = Start(row.index, kind, ".".join(path), "", value, value, "outline")
    levels = max(len(entry.path) for entry in entries)
    measured = f"{sum(start.kind == 'paragraph' for start in starts.values())} paragraphs in an outline of {levels} levels"
    return Numbering(starts, [], "outline", measured)


def _is_below_title(rows: Sequence[Row], index: int, metrics: Metrics) -> bool:
    above = [row for row in rows[max(0, index - 2) : index] if row.page == rows[index].page]
    if not metrics.fonts or not above:
        return False
    last = above[-1]
    bold = last.bold and not rows[index].bold and last.kind in ("", "letter")
    bold = bold and len(last.text) < 120 and not ends_sentence(last)
    return bold or any(row.size >= 1.12 * metrics.size for row in above)


def _least(profile: Profile, scheme: str) -> int:
    return (3 if scheme in ("flat", "lettered") else 4) if profile.name == "generic" else 1


def _spans(rows: Sequence[Row], found: Sequence[Candidate], chain: Chain, profile: Profile) -> bool:
    """Without knowing the family, numbers are paragraph numbers only where they run through most of the document.

    And where most lines that begin with such a number are in the chain, and look the part: a column of years is in order too.
    """
    if profile.name != "generic":
        return True
    pages = rows[-1].page - rows[0].page + 1
    first, last = chain.taken[0].row, chain.taken[-1].row
    texts = [candidate for candidate in chain.taken if _has_text(rows, candidate.row)]
    likely = sum(candidate.local >= 1.0 for candidate in texts)
    least = pages if rows[first].kind in ("bracket", "square") else pages / 3  # "(1)" is most often a list's
    spread = rows[last].page - rows[first].page >= 0.4 * (pages - 1) if pages > 2 else last - first >= 0.3 * len(rows)
    return spread and len(texts) >= least and len(texts) >= 0.5 * len(found) and likely >= 0.8 * len(texts)


def _has_text(rows: Sequence[Row], index: int) -> bool:
    """Whether text follows a number, on its line or on the next one close below."""
    row = rows[index]
    if row.text[row.rest :].strip():
        return True
    after = rows[index + 1] if index + 1 < len(rows) else None
    return after is not None and after.page == row.page and after.gap < 1.35 and after.kind != row.kind and len(after.text) > 25


def _add(starts: dict[int, Start], rows: Sequence[Row], scheme: str, chain: Chain, metrics: Metrics) -> None:
    sections = _section_depths(rows, chain, metrics) if scheme == "dotted" else frozenset()
    for candidate in chain.taken:
        row = rows[candidate.row]
        if candidate.reserved:
            first, last = range_labels(row.text)
            starts[row.index] = Start(row.index, "reserved", first, last, candidate.low[-1], candidate.high[-1], scheme)
        elif scheme in ("flat", "lettered") and _stands_empty(rows, candidate.row, chain):
            starts[row.index] = _start(row, "reserved", scheme)._replace(end_label=row.label)
        else:
            title = row.label.count(".") in sections or (scheme == "dotted" and _is_set_as_title(row, metrics))
            title = title and not _runs_in(rows, row) and not _is_bold_text(rows, row)
            kind = "section" if title else "paragraph"
            starts[row.index] = _start(row, kind, scheme)


def _start(row: Row, kind: str, scheme: str) -> Start:
    number = number_of(row.label)
    return Start(row.index, kind, row.label, "", number, number, scheme)


def _stands_empty(rows: Sequence[Row], index: int, chain: Chain) -> bool:
    """A number with no text: reserved. Text may begin on the next line, close below and not a heading."""
    row = rows[index]
    if row.text[row.rest :].strip():
        return False
    if index + 1 >= len(rows):
        return True
    after = rows[index + 1]
    return after.page != row.page or after.gap >= 1.35 or after.bold or bool(after.role) or after.kind == row.kind


def _section_depths(rows: Sequence[Row], chain: Chain, metrics: Metrics) -> frozenset[int]:
    """Depths of dotted numbers that mostly stand before titles, not before text."""
    by_depth: dict[int, list[bool]] = {}
    for candidate in chain.taken:
        row = rows[candidate.row]
        by_depth.setdefault(row.label.count("."), []).append(_is_title(rows, row, metrics))
    return frozenset(depth for depth, titles in by_depth.items() if sum(titles) > 0.6 * len(titles))


def _is_set_as_title(row: Row, metrics: Metrics) -> bool:
    """Larger than running text, or a short line all in bold."""
    if not metrics.fonts or row.spaced:
        return False
    return row.size >= 1.12 * metrics.size or (row.bold and row.rest < len(row.text) < 120)


def _runs_in(rows: Sequence[Row], row: Row) -> bool:
    """A bold sentence of its own with which the text of a paragraph begins."""
    after = rows[row.index + 1] if row.index + 1 < len(rows) else None
    if after is None or after.page != row.page or not row.bold or row.text[-1:] not in ".:" or row.rest >= len(row.text):
        return False
    return after.gap < 1.35 and not after.bold and not after.role and abs(after.size - row.size) < 0.5


def _is_bold_text(rows: Sequence[Row], row: Row) -> bool:
    """A paragraph set in bold: close lines of one type, longer than a title."""
    length, index = 0, row.index
    while index < len(rows) and rows[index].bold and abs(rows[index].size - row.size) < 0.5 and rows[index].page == row.page:
        if index > row.index and (rows[index].gap >= 1.35 or rows[index].kind == row.kind):
            break
        length += len(rows[index].text)
        index += 1
    return length > _LONGEST_TITLE


def _is_title(rows: Sequence[Row], row: Row, metrics: Metrics) -> bool:
    """Set as one, or short, without a full stop and with space or another number below."""
    rest = row.text[row.rest :].strip()
    if _is_set_as_title(row, metrics):
        return True
    if len(rest) > 90 or ends_sentence(row) or not rest:
        return False
    after = rows[row.index + 1] if row.index + 1 < len(rows) else None
    return after is None or after.gap >= 1.3 or after.kind == "dotted" or bool(after.role)


# --- segments without the main numbering ----------------------------------------------------------------------------


def is_appendix_title(rows: Sequence[Row], index: int, metrics: Metrics) -> bool:
    """A line that opens an appendix or annex."""
    row = rows[index]
    if row.role or row.text[:1] not in "AS" or len(row.text) > 130 or not APPENDIX.match(row.text):
        return False
    before = rows[index - 1] if index else None
    apart = before is None or before.page != row.page or row.gap >= 1.3 or bool(before.role)
    return apart and (row.bold or row.size >= 1.1 * metrics.size or not ends_sentence(row))


def _unnumbered(rows: Sequence[Row], starts: dict[int, Start], metrics: Metrics) -> list[tuple[int, int]]:
    """Stretches that number their own paragraphs: what stands before the first main number, and each appendix without any."""
    main = sorted(starts)
    cuts = [index for index in range(len(rows)) if is_appendix_title(rows, index, metrics)]
    stretches = [(0, main[0] if main else len(rows))]
    for position, first in enumerate(cuts):
        last = cuts[position + 1] if position + 1 < len(cuts) else len(rows)
        inside = [index for index in main if first < index < last]
        stretches.append((first, inside[0] if inside else last))
    return [(first, last) for first, last in stretches if last - first > 3]


def _number_segment(
    rows: Sequence[Row],
    first: int,
    last: int,
    starts: dict[int, Start],
    doubts: list[Doubt],
    metrics: Metrics,
    least: int,
) -> bool:
    """The paragraphs of one stretch, where there are at least *least* numbered from one; whether there are."""
    best, best_found, scheme = Chain((), 4.0), list[Candidate](), ""
    labels = Labels(rows[first:last])
    for name in ("plain", "stop", "coded"):
        found = candidates(labels, name, metrics)
        chain = best_chain(found)
        if len(chain.taken) >= least and chain.taken[0].low[-1] == 1 and chain.score > best.score and _mostly_own(chain):
            best, best_found, scheme = chain, found, name
    if not scheme:
        return False
    best, unclear = settle(rows, best_found, best)
    doubts += unclear
    for candidate in best.taken:
        row = rows[candidate.row]
        starts[row.index] = _start(row, "paragraph", "own")
    return True


def _mostly_own(chain: Chain) -> bool:
    return sum(candidate.local > 0 for candidate in chain.taken) >= 0.8 * len(chain.taken)


# --- sections in the margin, paragraphs that restart in each --------------------------------------------------------


def _sectioned(rows: Sequence[Row], profile: Profile, metrics: Metrics) -> Numbering:
    starts: dict[int, Start] = {}
    side = [row for row in rows if row.side and row.kind == profile.sections and not row.role]
    chain = best_chain(candidates(Labels(side), profile.sections, metrics))
    for candidate in chain.taken:
        row = rows[candidate.row]
        starts[row.index] = _start(row, "section", profile.sections)
    scheme = profile.schemes[0]
    found = candidates(Labels(rows), scheme, metrics)
    cuts = sorted(starts)
    doubts: list[Doubt] = []
    position = 0
    for cut in [*cuts, len(rows)]:
        group = []
        while position < len(found) and found[position].row < cut:
            group.append(found[position])
            position += 1
        for run in _restarts(group):
            part, unclear = settle(rows, run, best_chain(run))
            doubts += unclear
            for candidate in part.taken:
                row = rows[candidate.row]
                starts[row.index] = _start(row, "paragraph", scheme)
    paragraphs = sum(start.kind == "paragraph" for start in starts.values())
    return Numbering(starts, doubts, scheme, f"{len(cuts)} sections in the margin, {paragraphs} paragraphs in them")


def _restarts(found: Sequence[Candidate]) -> list[list[Candidate]]:
    """A stretch without section numbers (a transmittal letter, an exhibit) still restarts its paragraphs at one."""
    runs: list[list[Candidate]] = []
    for candidate in found:
        if not runs or (candidate.low == (1,) and runs[-1]):
            runs.append([])
        runs[-1].append(candidate)
    return runs
