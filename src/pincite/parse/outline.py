"""At which level each designator of a section stands, decided over the whole section.

The level is not in the markup: ``(i)`` after ``(h)`` is the next letter or roman one, and only what follows tells. Each
designator is a step from one stack of open levels to another. A step that continues an open numbering by one, or opens the
usual next one at its first place, is free; everything else has a price (a gap, a repetition, a numbering that begins in its
middle). The cheapest way through the section wins. Steps that were free too are kept as readings.

    (h) …            letter 8
    (i) …            letter 9, or roman 1 below (h)?  Both are free so far.
    (j) …            letter 10: a gap of one if (i) was roman. So (i) was a letter, and both readings are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pincite.parse.designators import Designator

USUAL = {"a": 0, "1": 1, "i": 2, "A": 3, "*1": 4, "*i": 5, "*a": 3, "*A": 6, "I": -1, "*I": 7}
"""The usual depth of each numbering: (a) (1) (i) (A) (*1*) (*i*); older texts have (*a*) where newer ones have (A).

Numbers with a full stop, in appendices, have no usual order: ``I. A. 1. a.`` here, ``1. i. A.`` there. Nor have those of
headings, whose kinds end with "h": ``(b)`` over a heading is "ah". ``4.1.2`` is of kind "#3.", for its three parts.
"""
_UNORDERED = ".h"

GAP, REPEAT, MIDDLE, ODD_ORDER, SKIPPED_LEVEL, HINT, TAKEN = 4.0, 8.0, 6.0, 3.0, 0.6, 0.2, 0.5
CROSSED = 1.0
"""That a paragraph goes on with the numbers of headings, or the other way round."""
COLON = 0.7
"""That a numbering goes on although the text before announced something below it."""
LISTED = -0.1
"""That a list which runs on in a text makes levels, where each of its designators has one free place."""
UPRIGHT, UPRIGHT_AGAIN = 1.5, 0.3
"""That (1) or (i) begins the fifth or sixth level, or (a) a fourth, without its italics; and that it goes on there."""
_BELOW = {"1": ("A", "*1"), "i": ("A", "*1"), "a": ("i",)}
"""Numberings that occur again, in italics, below others."""
BEAM = 12

Level = tuple[str, int, str]  # kind, place, path so far: ("1", 2, "(a)(2)")
Stack = tuple[Level, ...]
Way = tuple[float, Stack, Any]  # its price, where it stands, and how it came there: pairs of what was before and the stack


class Step(NamedTuple):
    """One designator to place, with what the text before it suggests."""

    designator: Designator
    opens: bool  # the text before it ends with a colon or a dash: something below it follows
    definition: str = ""  # no designator but a defined term, or "Example 1", which opens a level of its own
    under: bool = False  # the definition belongs below what was open
    introducer: tuple[tuple[str, int, int], ...] = ()  # else below the paragraph with these readings, which announced it
    heading: int = 0  # the level of the heading that bears the designator; 0: a paragraph


class Placed(NamedTuple):
    """Where a designator stands: ``path`` is what follows the section's citation, e.g. ``(a)(1)``. None: not a level."""

    path: str | None
    parent: str
    readings: tuple[str, ...] = ()
    reason: str = ""


_NOT_TAKEN = Placed(None, "")


def outline(steps: list[Step]) -> list[Placed]:
    """The place of each step, by the cheapest way through all of them."""
    taken = [step for step in steps if not step.designator.optional or step.designator.series]
    placed = _plain_way(taken)
    if placed is None:
        return _cheapest_way(steps)
    if len(taken) == len(steps):
        return placed
    rest = iter(placed)
    return [next(rest) if not s.designator.optional or s.designator.series else _NOT_TAKEN for s in steps]


def _plain_way(steps: list[Step]) -> list[Placed] | None:
    """The only free way through the steps, where each has exactly one free choice; else None.

    Most sections are like that. What comes out is what the search over all ways finds, without the search.
    """
    stack: list[Level] = []
    placed: list[Placed] = []
    make, new = tuple.__new__, Placed
    for designator, _, definition, _, _, _ in steps:
        if definition:
            return None
        free = [choice for reading in designator[1] if (choice := free_depth(stack, reading)) is not None]
        if len(free) != 1:
            return None
        depth, kind, place = free[0]
        del stack[depth:]
        parent = stack[-1][2] if stack else ""
        path = parent + designator[0] if kind[-1] not in _UNORDERED else _path(stack, kind, designator[0])
        stack.append((kind, place, path))
        placed.append(make(new, (path, parent, (), "")))
    return placed


def free_depth(stack: Sequence[tuple[Any, ...]], reading: tuple[str, int, int]) -> tuple[int, str, int] | None:
    """The depth at which a reading continues an open numbering or begins a deeper one, at no price; None where neither."""
    kind, first, last = reading
    if kind[0] == "#":
        return _depth_of_parts(stack, kind), kind, last
    for depth in range(len(stack) - 1, -1, -1):
        if stack[depth][0] == kind:
            return (depth, kind, last) if first == stack[depth][1] + 1 else None
    if first == 1 and (not stack or kind[-1] in _UNORDERED or USUAL[kind] > USUAL.get(stack[-1][0], -1)):
        return len(stack), kind, last
    return None


def _depth_of_parts(stack: Sequence[tuple[Any, ...]], kind: str) -> int:
    """Where a number of several parts stands: below the last that has fewer, or a heading or number with a full stop."""
    for depth in range(len(stack) - 1, -1, -1):
        open_kind = stack[depth][0]
        if open_kind[0] == "#" and open_kind < kind:
            return depth + 1
        if open_kind[-1] in _UNORDERED and open_kind[0] != "#" and not any(level[0][0] == "#" for level in stack[:depth]):
            return depth + 1
    return 0


def _cheapest_way(steps: list[Step]) -> list[Placed]:
    """Search all ways."""
    ways: list[Way] = [(0.0, (), None)]
    free: list[tuple[str, ...]] = []
    while len(free) < len(steps):
        step = steps[len(free)]
        if step.definition:
            ways = [(cost, *_define(stack, step, back)) for cost, stack, back in ways]
            free.append(())
        elif listed := _listed(steps, len(free)):
            ways = _cheapest([way for one in ways for way in _with_list(one, listed)])
            free += [()] * len(listed)
        else:
            ways, readings = _advance(ways, step)
            free.append(readings)
    back = ways[0][2]
    stacks: list[Stack | None] = []
    while back is not None:
        back, stack = back
        stacks.append(stack)
    return [_placed(stack, readings) for stack, readings in zip(reversed(stacks), free, strict=True)]


def _listed(steps: list[Step], first: int) -> list[Step]:
    """The steps of the lists in one text that begin here, to be taken together or not at all; none where none begins."""
    last = first
    for index in range(first, len(steps)):
        if not steps[index].designator.optional:
            break
        if steps[index].designator.series:
            last = index + 1
    return steps[first:last] if steps[first].designator.series else []


def _with_list(way: Way, listed: list[Step]) -> Iterator[Way]:
    """One way without the list in the text, and with it where each of its designators has exactly one free place."""
    cost, stack, back = way
    skipped = back
    for _ in listed:
        skipped = (skipped, None)
    yield cost, stack, skipped
    for designator, *_ in listed:
        if not designator.series:
            back = (back, None)
            continue
        free = [choice for reading in designator.readings if (choice := free_depth(stack, reading)) is not None]
        if len(free) != 1:
            return
        depth, kind, place = free[0]
        stack = (*stack[:depth], _level(stack[:depth], kind, place, designator.label))
        back = (back, stack)
    yield cost + LISTED, stack, back


def _define(stack: Stack, step: Step, back: Any) -> tuple[Stack, Any]:
    """A defined term closes the definition before it, or stands below the paragraph that introduces it."""
    keep = len(stack) if step.under else _introducer_depth(stack, step.introducer)
    for depth, level in enumerate(stack):
        if level[0] == "def":
            keep = depth
    base = stack[:keep]
    name = f" {step.definition}" if step.designator.label else f' "{step.definition}"'
    path = (base[-1][2] if base else "") + name
    new = (*base, ("def", 0, path))
    return new, (back, new)


def _introducer_depth(stack: Stack, introducer: tuple[tuple[str, int, int], ...]) -> int:
    """How much of a stack is kept below the paragraph that announced definitions: it and what is above it."""
    for depth in range(len(stack), 0, -1):
        if any(stack[depth - 1][:2] == (kind, last) for kind, _, last in introducer):
            return depth
    return 0


def _advance(ways: list[Way], step: Step) -> tuple[list[Way], tuple[str, ...]]:
    """Every way one designator further, the cheapest first; and the paths that were free to take."""
    reached: dict[Stack, Way] = {}
    best = ways[0][0]
    free: dict[str, None] = {}
    for cost, stack, back in ways:
        for price, new in _choices(stack, step):
            total = cost + price
            if price < 1.0 and cost - best < 1.0 and not step.designator.optional:
                free[new[-1][2]] = None
            if new not in reached or total < reached[new][0]:
                reached[new] = (total, new, (back, new))
        if step.designator.optional and (stack not in reached or cost <= reached[stack][0]):
            reached[stack] = (cost, stack, (back, None))
    return _cheapest([*reached.values()]), tuple(free)


def _cheapest(ways: list[Way]) -> list[Way]:
    """The ways worth going on with, the cheapest first."""
    ordered = sorted(ways, key=lambda way: way[0])[:BEAM]
    limit = ordered[0][0] + 12.0
    return [way for way in ordered if way[0] <= limit]


def _choices(stack: Stack, step: Step) -> list[tuple[float, Stack]]:
    """What one designator can do to one stack, with prices."""
    choices: list[tuple[float, Stack]] = []
    extra = TAKEN if step.designator.optional else 0.0
    label = step.designator.label
    for kind, first, last in step.designator.readings:
        if kind[0] == "#":
            below = stack[: _depth_of_parts(stack, kind)]
            choices.append((extra, (*below, _level(below, kind, last, label))))
            continue
        if kind in _BELOW and _has_below(stack, kind, first):
            choices += _as_italic(stack, step, (f"*{kind}", first, last))
        open_here = in_definition = False
        for depth in range(len(stack) - 1, -1, -1):
            if stack[depth][0] == kind:
                open_here = not in_definition
                price = _continue_price(stack[depth][1], first) + (COLON if step.opens else 0.0)
                choices.append((price + extra, (*stack[:depth], _level(stack[:depth], kind, last, label))))
                break
            if stack[depth][1] == first - 1 and stack[depth][0] in (f"{kind}h", kind.removesuffix("h")):
                choices.append((CROSSED + extra, (*stack[:depth], _level(stack[:depth], kind, last, label))))
            in_definition = in_definition or stack[depth][0] == "def"
        if not open_here:
            price = _open_price(stack, kind, first) + (0.0 if step.opens or not stack else HINT)
            choices.append((price + extra, (*stack, _level(stack, kind, last, label))))
        if in_definition and first > 1:  # a list inside a definition begins at its first place; this may be the section's own
            below = stack[: next(depth for depth, level in enumerate(stack) if level[0] == "def")]
            choices.append((_open_price(below, kind, first) + extra, (*below, _level(below, kind, last, label))))
    return choices


def _has_below(stack: Stack, kind: str, first: int) -> bool:
    """Whether a numbering may stand for the one in italics: it goes on with it, or begins where it may begin."""
    sought = _BELOW[kind] if first == 1 else (f"*{kind}",)
    return any(level[0] in sought for level in stack)


def _as_italic(stack: Stack, step: Step, reading: tuple[str, int, int]) -> list[tuple[float, Stack]]:
    """The same designator read as if its italics had been lost."""
    designator = step.designator._replace(readings=(reading,))
    upright = UPRIGHT if reading[1] == 1 else UPRIGHT_AGAIN
    return [(price + upright, new) for price, new in _choices(stack, step._replace(designator=designator))]


def _level(below: Stack, kind: str, place: int, label: str) -> Level:
    return kind, place, _path(below, kind, label)


def _path(below: Sequence[Level], kind: str, label: str) -> str:
    """The path of a level: that of the one above and its label; ``4.1.2`` names the numbers above it by itself."""
    above = below[-1][2] if below else ""
    if kind[0] == "#":
        first = f"{label.split('.')[0]}."
        above = next((path for name, _, path in reversed(below) if name[0] != "#" and not path.endswith(first)), "")
    join = "" if not label[0].isalnum() else " " if above.endswith('"') else "." if above[-1:].isalnum() else ""
    return f"{above}{join}{label}"


def _continue_price(open_at: int, place: int) -> float:
    if place == open_at + 1:
        return 0.0
    if place - open_at > 20:  # "(ii)" is hardly the 35th letter
        return REPEAT
    return GAP + (place - open_at) * 0.1 if place > open_at else REPEAT


def _open_price(stack: Stack, kind: str, place: int) -> float:
    price = 0.0 if place == 1 else MIDDLE
    if kind[-1] in _UNORDERED:
        return price
    above = next((USUAL[level[0]] for level in reversed(stack) if level[0] in USUAL), -1)
    usual = USUAL[kind]
    if stack and usual <= above:
        return price + ODD_ORDER
    if stack and stack[-1][0] in USUAL and usual > above + 1:
        return price + SKIPPED_LEVEL
    return price + (0.1 * max(usual, 0) if not stack else 0.0)


def _placed(stack: Stack | None, free: tuple[str, ...]) -> Placed:
    if stack is None:
        return Placed(None, "")
    path = stack[-1][2]
    parent = stack[-2][2] if len(stack) > 1 else ""
    others = tuple(reading for reading in free if reading != path)
    if not others:
        return Placed(path, parent)
    return Placed(path, parent, (path, *others), "the designator fits more than one level; the paragraphs after it decided")
