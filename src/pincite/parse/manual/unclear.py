"""Where sequence and line disagree: numbers that are taken all the same, and every candidate that stays unclear.

A number that repeats or goes back cannot be in the chain. Where its line looks like a paragraph's start in every respect, it is
read as one, printed number and all: an error of the source is kept, not repaired. Either way it is reported. Only the
numbers of a list, which begin at one inside a paragraph, are certain to be none.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pincite.parse.manual.flow import Row
from pincite.parse.manual.numbering import Candidate, Chain

LIKELY = 2.5  # local score from which a line looks like a paragraph's start
PERHAPS = 0.5  # the same for a number that no list has: 77161, P4006, 4.2
SURE = 3.0  # from which it surely does: its text begins a sentence, apart from the one before, where numbers stand
_OPEN = -4.0  # down to which the next number may still be one


class Doubt(NamedTuple):
    """A candidate, whether it was taken for a paragraph, and why that is unclear."""

    candidate: Candidate
    taken: bool
    reason: str


def settle(rows: Sequence[Row], found: Sequence[Candidate], chain: Chain) -> tuple[Chain, list[Doubt]]:
    """The chain with the candidates that are paragraphs although their number is out of order; and what is unclear."""
    taken = {candidate.row for candidate in chain.taken}
    ends = {candidate.high for candidate in chain.taken}
    numbers = {candidate.low for candidate in chain.taken}
    doubts = [Doubt(each, True, "; ".join(each.reasons)) for each in chain.taken if each.local < -1.5]
    added: list[Candidate] = []
    for run in _runs(found, taken):
        if _is_list(run):
            continue
        for candidate in run:
            if not _has_words(rows, candidate.row):
                continue  # a row of figures
            reason = _out_of_order(candidate, chain, numbers)
            if candidate.local >= SURE and not rows[candidate.row].mark:
                added.append(candidate)
                doubts.append(Doubt(candidate, True, reason))
            elif candidate.local >= (PERHAPS if _is_no_lists(candidate.low) else LIKELY):
                doubts.append(Doubt(candidate, False, f"it looks like a paragraph's start, but {reason}"))
            elif candidate.local >= _OPEN and _before(candidate) in ends and candidate.low not in numbers:
                doubts.append(Doubt(candidate, False, f"its number is the next one, but {'; '.join(candidate.reasons)}"))
    if added:
        chain = Chain(tuple(sorted((*chain.taken, *added))), chain.score)
    return chain, sorted(doubts, key=lambda doubt: doubt.candidate.row)


def _runs(found: Iterable[Candidate], taken: set[int]) -> list[list[Candidate]]:
    """The candidates between two of the chain that count up by one, together. Reserved ranges are none."""
    runs: list[list[Candidate]] = []
    last: Candidate | None = None
    for candidate in found:
        if candidate.row in taken:
            last = None
        elif not candidate.reserved:
            if last is not None and last.low == _before(candidate):
                runs[-1].append(candidate)
            else:
                runs.append([candidate])
            last = candidate
    return runs


def _is_list(run: Sequence[Candidate]) -> bool:
    """Whether a run is the items of a list: short numbers from one on, or a single one, not all of them sure."""
    first = run[0].low
    return first == (1,) and not all(candidate.local >= SURE for candidate in run)


def _is_no_lists(low: tuple[int, ...]) -> bool:
    return len(low) > 1 or low[0] >= 1000


def _has_words(rows: Sequence[Row], index: int) -> bool:
    """Whether words follow the number, on its line or, where it stands alone, on the next."""
    text = rows[index].text[rows[index].rest :].strip()
    if not text and index + 1 < len(rows):
        text = rows[index + 1].text
    return sum(map(str.isalpha, text)) > 2


def _before(candidate: Candidate) -> tuple[int, ...]:
    return (*candidate.low[:-1], candidate.low[-1] - 1)


def _out_of_order(candidate: Candidate, chain: Chain, numbers: set[tuple[int, ...]]) -> str:
    """What is wrong with a number, in words."""
    if candidate.low in numbers:
        return "its number is used twice"
    position = bisect_left(chain.taken, candidate.row, key=lambda each: each.row)
    if position and candidate.low < chain.taken[position - 1].high:
        return "its number goes back"
    return "its number does not follow"
