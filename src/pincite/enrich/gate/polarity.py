"""Negation, modality, exceptions and conditions: each claim of one text has its counterpart in the other.

Claims of one kind find each other by the word they turn, then by their clauses, then by their sentences. What stays alone may
be the same rule in other words ("not … unless" for "only if"): ``RULES`` has these. What is left after that is a reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from pincite.enrich.gate import amounts, lexicon
from pincite.enrich.gate.claims import ADVISED, ADVISED_NOT, ALLOWED, FORBIDDEN, FREE, OBLIGED, PREVENTS, TWICE, Claim, claims
from pincite.enrich.gate.joined import Joined
from pincite.enrich.gate.lexicon import wordnet
from pincite.enrich.gate.reading import Item, Reading

_CODES = {
    **dict.fromkeys((FORBIDDEN, FREE, TWICE), "negation"),
    **dict.fromkeys((ALLOWED, ADVISED, ADVISED_NOT), "modality"),
    "UNLESS": "exception",
    "EXEMPT": "exception",
    "ONLY": "only",
    "EVENIF": "condition",
    **dict.fromkeys(("SOME", "MOST"), "quantifier"),
    **dict.fromkeys(("BEFORE", "UNTIL"), "order"),
    **dict.fromkeys(("OFF", "OUT"), "opposite"),
}
FAR = 200  # claims between two that can be each other's
STRICT = frozenset(_CODES)  # both texts make these claims, of the same words, or neither
_ASKED = frozenset({ALLOWED, ADVISED, "SOME", "MOST"})  # what a question or a title may ask without its being said
_LIKE = {"ENTITLED": ALLOWED, "ASKED": ADVISED}  # claims that stand for a strict one, but need no counterpart


class Compared(NamedTuple):
    """``reasons``, and the pairs of excluding words of which one is denied, so that they say the same."""

    reasons: list[tuple[str, str]]
    excused: list[tuple[Item, Item]]


def compare(joined: Joined, both_ways: bool) -> Compared:
    """Reasons: a claim that was lost, added or moved."""
    source, rewrite = joined.source, joined.rewrite
    match = _Match(joined, claims(source), claims(rewrite))
    lost = [claim for claim in match.lost if not _compares(source, rewrite, claim)]
    added = [claim for claim in match.added if not _compares(rewrite, source, claim)]
    if both_ways:
        excused = match.explain(lost, added)
        lost = [claim for claim in lost if match.contradicts(claim, 0)]
        added = [claim for claim in added if match.contradicts(claim, 1)]
    else:
        excused = []
        lost = [claim for claim in lost if _denies_what_is_said(claim, rewrite)]
        added = [claim for claim in added if claim.kind not in _ASKED and not claim.given]
    found = [(_CODES[claim.kind], f"the source says {claim.text!r}, the rewrite does not say it of the same") for claim in lost]
    found += [
        (_CODES[claim.kind], f"the rewrite says {claim.text!r}, the source does not say it of the same") for claim in added
    ]
    return Compared(found, excused)


def _denies_what_is_said(claim: Claim, rewrite: Reading) -> bool:
    """Whether a title or a "why" says as a fact what the source denies."""
    if claim.kind != FORBIDDEN or not claim.anchors & rewrite.meanings:
        return False
    return rewrite.items[0].text == "why" or any(item.symbol == "MUST" for item in rewrite.items)


def _compares(reading: Reading, other: Reading, claim: Claim) -> bool:
    """Whether a "not" only turns a comparison ("must not contain more than"), which the amounts' check looks at."""
    return claim.kind == FORBIDDEN and amounts.turned(claim.at, reading, other)


class _Match:
    """The claims of two texts, paired as far as they can be."""

    def __init__(self, joined: Joined, ours: list[Claim], theirs: list[Claim]) -> None:
        self.joined, self.ours, self.theirs = joined, ours, theirs
        self._aligned = joined.aligned
        pairs = self._paired()
        mine, yours = {id(one) for one, _, _ in pairs}, {id(two) for _, two, _ in pairs}
        self._answered = {id(claim) for *both, level in pairs for claim in both if level == 3 or claim.kind in STRICT}
        self.lost = [claim for claim in ours if claim.kind in STRICT and id(claim) not in mine]
        self.added = [claim for claim in theirs if claim.kind in STRICT and id(claim) not in yours]

    def _paired(self) -> list[tuple[Claim, Claim, int]]:
        """Pairs and their levels: each claim once, the nearest first; then those that a paired one answers too."""
        scored = []
        for at, one in enumerate(self.ours):
            for to, two in islice(enumerate(self.theirs), max(0, at - FAR), at + FAR):
                same = _LIKE.get(one.kind, one.kind) == _LIKE.get(two.kind, two.kind)
                if same and (level := self.level(one, two)) and (level == 3 or not self._at_odds(one, two)):
                    unlike = (one.kind != two.kind) + (one.text != two.text) + 2 * (not _stems(one) & _stems(two))
                    scored.append((-level, unlike, abs(at - to), at, to))
        found, mine, yours = [], set[int](), set[int]()
        for again in (False, True):
            for level, _, _, at, to in sorted(scored):
                one, two = self.ours[at], self.theirs[to]
                free = at not in mine and to not in yours
                once = at not in mine or to not in yours
                if free or (again and once and (level == -3 or _covers(one, two) or _covers(two, one))):
                    mine.add(at)
                    yours.add(to)
                    found.append((one, two, -level))
        return found

    def _at_odds(self, one: Claim, two: Claim) -> bool:
        """Whether each text says another thing of the very word that the claim of the other turns: a "not" that has moved."""
        return _is_contradicted(one, self.theirs) and _is_contradicted(two, self.ours)

    def level(self, one: Claim, two: Claim) -> int:
        """How surely two claims are of the same: 3 the same word, 2 the same clause, 1 the same sentence, 0 not at all."""
        if one.anchors & two.anchors:
            return 3
        if one.lexical or two.lexical:
            return 2 if one.anchors & two.clause or two.anchors & one.clause else 0
        if one.kind in _ORDERS:
            return 2 if one.window & two.window else 0
        here = one.anchors & two.clause or one.anchors & two.window
        there = two.anchors & one.clause or two.anchors & one.window
        if here or there:
            return 2
        return 1 if (one.sentence, two.sentence) in self._aligned and not self._elsewhere(one, two) else 0

    def contradicts(self, claim: Claim, side: int) -> bool:
        """Whether a claim of text *side* that nothing answers is contradicted, rather than said in words we do not know.

        In a copied sentence every difference counts. Elsewhere something must speak for it: the word it turns stands in the
        other text unturned, or no word there could be its counterpart.
        """
        other, others = (self.joined.rewrite, self.theirs) if side == 0 else (self.joined.source, self.ours)
        facing = self._facing(claim, side)
        if claim.sentence in self.joined.copied[side] or not facing:
            return True
        if claim.kind == "ONLY" and self._bounds(claim, side, facing):
            return False
        free = [each for each in others if each.sentence in facing and id(each) not in self._answered]
        words = [item for item in other.items if item.sentence in facing]
        if claim.kind in ("BEFORE", "UNTIL"):
            return any(each.kind == "AFTER" and _is_of_the_same(claim, each) for each in free)
        if claim.kind in ("SOME", "MOST"):
            return any(each.kind in ("ALL", "SOME", "MOST") and each.kind != claim.kind for each in free)
        if claim.kind in (ADVISED, ADVISED_NOT):
            bound = (each for each in others if each.kind in _MODAL)
            return any(each.anchors & claim.anchors for each in bound) or any(
                each.kind == OBLIGED or (each.kind == FORBIDDEN and not each.lexical) for each in free
            )
        if claim.kind == ALLOWED:
            denied = any(each.kind == FORBIDDEN and each.anchors & claim.anchors for each in free)
            said = any(item.meanings & _stems(claim) and not _NOMINAL.search(item.text) for item in words if item.content)
            here = self.joined.source if side == 0 else self.joined.rewrite
            denied = denied or _allows_the_blocked(claim, here, other)
            return denied or _is_required(claim, others, free) or (said and not _has(words, "permission"))
        if claim.kind in (FORBIDDEN, FREE):
            denying = {item.sentence for item in words if item.text in lexicon.words("denying")}
            covered = any(each.kind in _NEGATIVE for each in free) or denying
            plain_words = [item for item in words if claim.lexical or item.sentence not in denying]
            return not covered or _is_asserted(claim, plain_words, others)
        plain = any(each.kind in _NEGATIVE and not each.lexical for each in free)
        return not plain if claim.kind in _NEGATIVE else True

    def _bounds(self, claim: Claim, side: int, facing: set[int]) -> bool:
        """Whether an "only" stands before an amount that the other text bounds: "only once", "no more than once"."""
        here, other = (self.joined.source, self.joined.rewrite)[:: 1 if side == 0 else -1]
        after = here.items[claim.at + 1 : claim.at + 2]
        counted = bool(after) and (after[0].quantity is not None or after[0].text in ("once", "twice"))
        return counted and any(item.symbol == "LE" for item in other.items if item.sentence in facing)

    def _facing(self, claim: Claim, side: int) -> set[int]:
        """The sentences of the other text that say most of what the claim's does."""
        shared = {pair[1 - side]: count for pair, count in self._aligned.items() if pair[side] == claim.sentence}
        return {number for number, count in shared.items() if count >= 0.7 * max(shared.values())}

    def near(self, one: Claim, two: Claim) -> bool:
        """Whether two claims of any kind are about the same: their clauses meet, or their sentences say the same."""
        return bool(one.clause & two.clause) or (one.sentence, two.sentence) in self._aligned

    def explain(self, lost: list[Claim], added: list[Claim]) -> list[tuple[Item, Item]]:
        """Strike the claims that are one rule in two wordings; the pairs of excluding words that were needed for it."""
        for here, there in RULES:
            self._strike(lost, added, self.theirs, here, there, self.near)
            self._strike(added, lost, self.ours, here, there, lambda one, two: self.near(two, one))
        mine, yours = ([each for each in side if id(each) not in self._answered] for side in (self.ours, self.theirs))
        _drop(lost, lambda claim: _is_soft(claim, self.joined.source, self.joined.rewrite, self.theirs, yours))
        _drop(added, lambda claim: _is_soft(claim, self.joined.rewrite, self.joined.source, self.ours, mine))
        self._last_ones(lost, added)
        excused = list[tuple[Item, Item]]()
        for claims_ in (lost, added):
            for claim in [each for each in claims_ if each.kind in (FORBIDDEN, "UNTIL")]:
                pair = next((pair for pair in self.joined.excluded if _turns(claim, pair) and pair not in excused), None)
                if pair is not None:
                    claims_.remove(claim)
                    excused.append(pair)
        return excused

    def _last_ones(self, lost: list[Claim], added: list[Claim]) -> None:
        """Strike the one claim of a kind that is left on each side, where nothing says that they are of different things."""
        for kind in STRICT:
            mine, yours = ([each for each in side if each.kind == kind and not each.lexical] for side in (lost, added))
            if len(mine) == len(yours) == 1 and not self._at_odds(mine[0], yours[0]) and not self._elsewhere(mine[0], yours[0]):
                lost.remove(mine[0])
                added.remove(yours[0])

    def _elsewhere(self, one: Claim, two: Claim) -> bool:
        """Whether each text has the word that the claim of the other turns: not these are each other's."""
        return bool(_stems(one) & self.joined.rewrite.meanings) and bool(_stems(two) & self.joined.source.meanings)

    def _strike(
        self, left: list[Claim], others: list[Claim], every: list[Claim], here: Kinds, there: Kinds, near: Near
    ) -> None:
        """Strike from *left* each group of the kinds *here* that *there* answers; softer claims may answer twice."""
        while True:
            mine = _group(left, here, lambda _: True)
            if not mine:
                return
            anchor = mine[0]
            strict = [kind for kind in there if kind in STRICT or kind in _WORDED]
            fits = _in_reach if here == ("UNTIL",) and len(strict) == 1 else _any_near
            yours = _group(others, tuple(strict), partial(fits, mine, near))
            soft = [kind for kind in there if kind in _SOFT]
            facing = self._facing(anchor, 0 if every is self.theirs else 1)
            if len(yours) != len(strict) or not all(
                any(
                    _is(two, kind) and id(two) not in self._answered and near(anchor, two)
                    for two in every
                    if _may_answer(two, facing)
                )
                for kind in soft
            ):
                return
            for claim in mine:
                left.remove(claim)
            for claim in yours:
                others.remove(claim)


_NEGATIVE = frozenset({FORBIDDEN, FREE, "UNLESS", "EXEMPT", "ONLY", "UNTIL", "OUTSIDE", "OTHERWISE", PREVENTS})


_NOMINAL = re.compile(r"(?:tion|sion|ment|al|ance|ence|ure|ity|ing)s?$")


def _has(words: list[Item], name: str) -> bool:
    return any(item.text in lexicon.words(name) for item in words)


def _is_of_the_same(before: Claim, after: Claim) -> bool:
    """Whether "before" and "after" are said of the same, and not of each other's side: "A before B" is "B after A"."""
    turned = before.anchors & after.left and after.anchors & before.left and not before.anchors & after.anchors
    return bool(before.window & after.window) and not turned


def _is_asserted(claim: Claim, words: list[Item], others: Sequence[Claim]) -> bool:
    """Whether the word that a "not" turns stands among these words, beyond the reach of any "not"."""
    wanted = {stem for stem in _stems(claim) if wordnet.kind(stem)[:1] != "n"}
    wanted |= {anchor for anchor in claim.anchors if anchor[0] == "~"}
    turned = {
        meaning
        for each in others
        if each.kind in (FORBIDDEN, FREE, PREVENTS, "OUTSIDE")
        for meaning in each.anchors | each.window
    }
    return any(item.content and not item.negated and item.meanings & wanted and not item.meanings & turned for item in words)


_ORDERS = frozenset({"BEFORE", "AFTER", "UNTIL"})
_MODAL = frozenset({FORBIDDEN, FREE, ALLOWED, OBLIGED})


def _is_contradicted(claim: Claim, others: Sequence[Claim]) -> bool:
    """Whether the others say something else, and nothing equal, of the word that a claim turns."""
    same = any(each.kind == claim.kind and each.anchors & claim.anchors for each in others)
    return not same and any(_contradicts(claim, each) for each in others)


def _contradicts(claim: Claim, other: Claim) -> bool:
    plain = claim.kind in _MODAL and other.kind in _MODAL and not claim.lexical and not other.lexical
    plain = plain and "without" not in (claim.text, other.text)
    return plain and claim.kind != other.kind and bool(claim.anchors & other.anchors)


def _covers(one: Claim, two: Claim) -> bool:
    """Whether a claim that is paired already answers another too: one "not" for two things joined by "or"."""
    plain = one.kind == two.kind == FORBIDDEN and not one.lexical and not two.lexical
    return plain and one.joint and bool(two.anchors & one.clause)


Kinds = tuple[str, ...]
Near = Callable[[Claim, Claim], bool]

RULES: tuple[tuple[Kinds, Kinds], ...] = (
    (("ONLY", ALLOWED), (FORBIDDEN, "UNLESS")),
    (("ONLY", ALLOWED), (FORBIDDEN, FORBIDDEN)),
    (("ONLY", ALLOWED), (FORBIDDEN, "UNTIL")),
    (("ONLY", ALLOWED), (FORBIDDEN, "BEFORE")),
    (("ONLY", ALLOWED), ("requires",)),
    (("ONLY", ALLOWED), (FORBIDDEN, "outside")),
    (("ONLY",), (FORBIDDEN, "UNLESS")),
    (("ONLY",), (FREE, "UNLESS")),
    (("ONLY",), (FORBIDDEN, "UNTIL")),
    (("ONLY",), (FORBIDDEN, "BEFORE")),
    (("ONLY",), (FORBIDDEN, FORBIDDEN)),
    (("ONLY",), (FORBIDDEN, "outside")),
    (("ONLY",), ("UNLESS",)),
    (("ONLY",), ("BEFORE",)),
    (("ONLY",), ("requires",)),
    ((FORBIDDEN, "UNTIL"), (FORBIDDEN, "UNLESS")),
    ((FORBIDDEN, "UNTIL"), ("BEFORE",)),
    ((FORBIDDEN, "UNTIL"), ("requires",)),
    ((FORBIDDEN, "BEFORE"), ("requires",)),
    ((FORBIDDEN, FORBIDDEN), ("BEFORE",)),
    ((FORBIDDEN, FORBIDDEN), ("requires",)),
    ((FORBIDDEN, "UNLESS"), ("requires",)),
    (("UNTIL",), ("BEFORE",)),
    (("UNTIL",), (FORBIDDEN, "if")),
    (("UNTIL",), ("UNLESS",)),
    (("UNLESS",), (FORBIDDEN, "if")),
    (("UNLESS",), (FORBIDDEN,)),
    ((FREE,), ("UNLESS",)),
    ((FORBIDDEN,), ("otherwise",)),
    (("without",), (FREE,)),
    (("optional",), (ALLOWED,)),
    (("no longer",), ("ended",)),
    ((FORBIDDEN,), ("outside",)),
    (("UNLESS",), ("otherwise",)),
    (("UNLESS",), ("EXEMPT",)),
    (("EXEMPT",), (FORBIDDEN,)),
    (("EXEMPT",), (FREE,)),
    (("EXEMPT", ALLOWED), (FREE,)),
    ((FREE, ALLOWED), (FREE,)),
    ((TWICE,), ()),
    ((ADVISED,), ("please",)),
    (("EVENIF",), ("including",)),
    (("UNLESS",), ("but",)),
)
"""One rule in two wordings; it holds both ways. Small letters: softer words, which are enough where they stand nearby."""

_SOFT = {
    "if": "IF",
    "but": "BUT",
    "requires": "REQUIRES",
    "outside": "OUTSIDE",
    "including": "INCLUDING",
    "please": "PLEASE",
    "otherwise": "OTHERWISE",
    "ended": "ENDED",
}


_WORDED = {
    "without": frozenset({"without"}),
    "optional": frozenset({"optional", "voluntary", "discretionary"}),
    "no longer": frozenset({"no longer"}),
}
"""Kinds that are told by a word."""


def _may_answer(claim: Claim, facing: set[int]) -> bool:
    """An "otherwise" answers only what its own sentence or the one before is about; other soft words stand where they may."""
    return claim.kind != "OTHERWISE" or bool({claim.sentence, claim.sentence - 1} & facing)


def _is(claim: Claim, kind: str) -> bool:
    if kind in _WORDED:
        return claim.kind in (FORBIDDEN, FREE) and claim.text in _WORDED[kind]
    return claim.kind == _SOFT.get(kind, kind)


def _any_near(mine: list[Claim], near: Near, two: Claim) -> bool:
    return any(near(one, two) for one in mine)


def _in_reach(mine: list[Claim], near: Near, two: Claim) -> bool:
    return bool((mine[0].anchors | mine[0].window) & (two.anchors | two.window))


def _group(listed: Iterable[Claim], kinds: Kinds, fits: Callable[[Claim], bool]) -> list[Claim]:
    """The first claims of these kinds, one each; nothing where one is missing."""
    found: list[Claim] = []
    for kind in kinds:
        claim = next((each for each in listed if _is(each, kind) and each not in found and fits(each)), None)
        if claim is None:
            return []
        if found and claim.sentence != found[0].sentence:
            return []
        found.append(claim)
    return found


def _drop(listed: list[Claim], test: Callable[[Claim], bool]) -> None:
    listed[:] = [claim for claim in listed if not test(claim)]


def _turns(claim: Claim, pair: tuple[Item, Item]) -> bool:
    return any(item.meanings & (claim.anchors | claim.window | claim.clause) for item in pair)


# --- claims that need no counterpart ---------------------------------------------------------------------------------------


def _is_soft(claim: Claim, here: Reading, other: Reading, others: Sequence[Claim], free: Sequence[Claim]) -> bool:
    """Whether a claim without counterpart says nothing that the other text does not. *free*: of *others*, those unpaired."""
    if claim.lexical and claim.kind == FORBIDDEN:
        item = here.items[claim.at]
        joined = any(meaning[0] in "&@" for meaning in item.meanings & other.meanings)
        return joined or not (item.meanings & other.meanings or any(m.startswith("~") for m in item.meanings))
    if claim.kind == ADVISED:
        return any(each.kind == "PLEASE" for each in others) and not _is_required(claim, others, free)
    if claim.kind == ALLOWED and _allows_the_blocked(claim, here, other):
        return False
    if claim.kind == ALLOWED:
        return not _is_required(claim, others, free) and (
            claim.given or claim.text in _ABLE or _bounded(here, claim) or _narrowed(here, claim)
        )
    if claim.kind == "BEFORE":
        after = [each for each in others if each.kind == "AFTER" and not each.anchors & claim.anchors]
        return any(each.anchors & claim.left and claim.anchors & each.left for each in after)
    if claim.text in ("rather than", "instead of"):
        return any(_leads_from(other.items, at, claim) for at, item in enumerate(other.items) if item.symbol == "FROM")
    if claim.text == "nor":
        return any(each.kind in ("EXEMPT", FORBIDDEN) and each.clause & claim.anchors for each in others)
    if claim.kind == FORBIDDEN:
        return any(each.kind == PREVENTS and each.anchors & (claim.anchors | claim.window) for each in others)
    return claim.kind == "UNLESS" and any(
        each.text in ("without", "in the absence of") and each.clause & claim.clause for each in free
    )


def _leads_from(items: list[Item], at: int, claim: Claim) -> bool:
    """Whether "from" leads to what a "rather than" turns away: "moves from Tuesday to Thursday"."""
    near = items[at + 1 : at + 4]
    return any(each.meanings & claim.anchors for each in near) and any(each.text == "to" for each in items[at + 1 : at + 7])


def _allows_the_blocked(claim: Claim, here: Reading, other: Reading) -> bool:
    """Whether something is "allowed" that the other text calls "blocked" or "locked", and this one does not."""
    if here.items[claim.at].symbol != "ALLOW":
        return False
    denying = (item for item in other.content if item.text in lexicon.words("denying"))
    return any(not item.meanings & here.meanings for item in denying)


_ABLE = frozenset({"can", "could", "is able to", "are able to", "be able to"})


def _narrowed(reading: Reading, claim: Claim) -> bool:
    """Whether a permission is told with an "only", which has a counterpart of its own."""
    return any(item.symbol == "ONLY" and item.sentence == claim.sentence for item in reading.items)


def _bounded(reading: Reading, claim: Claim) -> bool:
    """Whether a permission stands before a bound: "may be at most" is "must not be more than"."""
    for item in reading.items[claim.at : claim.at + 12]:
        if item.kind == "stop":
            return False
        if item.symbol == "LE":
            return True
    return any(item.symbol == "LE" for item in reading.items[max(0, claim.at - 6) : claim.at])


def _is_required(claim: Claim, others: Sequence[Claim], free: Sequence[Claim]) -> bool:
    said, alike = _stems(claim), {anchor for anchor in claim.anchors if anchor[0] in "=&"}
    bound = [other for other in others if other.kind == OBLIGED]
    return any(other.anchors & said for other in bound) or any(other.anchors & alike for other in bound if other in free)


def _stems(claim: Claim) -> frozenset[str]:
    """The words themselves that a claim turns, without their synonyms."""
    return frozenset(anchor for anchor in claim.anchors if anchor[0].isalpha())
