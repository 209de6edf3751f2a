"""What a text forbids, allows, requires and excepts: the words that turn a claim, each with what it turns."""

from __future__ import annotations

from typing import NamedTuple

from pincite.enrich.gate import lexicon
from pincite.enrich.gate.reading import BREAK, QUANTITY, STOP, SYMBOL, WORD, Item, Reading

FORBIDDEN, FREE, ALLOWED, ADVISED, ADVISED_NOT, OBLIGED = "not", "not required", "may", "should", "should not", "must"
TWICE, PREVENTS = "not un-", "prevents"
_PREVENT = frozenset(
    f"{verb}{end}" for verb in ("prevent", "avoid", "preclud", "avert") for end in ("", "s", "ed", "ing", "e", "es")
)
_MODALS = {"MUST": OBLIGED, "MAY": ALLOWED, "SHOULD": ADVISED}
_NEGATED = {OBLIGED: FORBIDDEN, ALLOWED: FORBIDDEN, ADVISED: ADVISED_NOT}  # "must not"
_UNBOUND = {OBLIGED: FREE, ALLOWED: FORBIDDEN, ADVISED: ADVISED_NOT}  # "not required to"
_TWO_SIDED = frozenset({"EXEMPT", "OFF", "OUT", "ENTITLED"})
_MARKS = frozenset(
    [
        "ENTITLED",
        "EXEMPT",
        "UNLESS",
        "ONLY",
        "EVENIF",
        "SOME",
        "MOST",
        "BEFORE",
        "UNTIL",
        "AFTER",
        "BUT",
        "BOTH",
        "EITHER",
        "OFF",
        "OUT",
        "IF",
        "ALL",
        "OUTSIDE",
        "INCLUDING",
        "PLEASE",
        "ASKED",
        "REQUIRES",
        "OTHERWISE",
        "ENDED",
    ]
)
_NARROW = frozenset({FORBIDDEN, FREE, TWICE, "ONLY", "BEFORE", "UNLESS", "EVENIF", "UNTIL"})
_CLOSES = frozenset({"IF", "UNLESS", "BUT", "BEFORE", "AFTER", "UNTIL", "AND"})
_BOUNDS = frozenset({"MUST", "MAY", "SHOULD", "AND", "IF", "UNLESS", "BUT", "NOT"})
WINDOW = 6


class Claim(NamedTuple):
    """``anchors``: meanings of the word it turns; ``window``: those of the words around that it could as well be said of."""

    kind: str
    at: int  # index among the reading's items
    anchors: frozenset[str]
    window: frozenset[str]
    left: frozenset[str]  # what stands before it in its sentence
    text: str
    lexical: bool = False  # said by a word such as "reject" or "unpaid", not by a "not"
    clause: frozenset[str] = frozenset()  # meanings of all words of its clause
    sentence: int = 0
    joint: bool = False  # an "or" or "and" follows in its clause: one "not" for two things
    given: bool = False  # its clause is a condition or a relative clause: "if it may", "who can"


def claims(reading: Reading) -> list[Claim]:
    """The claims of a text, in order."""
    items = reading.items
    found: list[Claim] = []
    used: set[int] = set()
    for at, item in enumerate(items):
        if item.kind == SYMBOL and at not in used:
            found += _of_symbol(items, at, item, used)
        elif item.content and item.text.endswith(("able", "ible")) and not item.negated:
            found.append(_claim("ENTITLED", items, at, both=True)._replace(anchors=item.meanings, window=item.meanings))
        elif item.text in _PREVENT:
            found.append(_claim(PREVENTS, items, at))
        elif item.kind == WORD and item.text in lexicon.words("ended"):
            found.append(_claim("ENDED", items, at, both=True))
        elif item.kind == WORD and item.text in lexicon.words("requires") and not _denied(items, at):
            found.append(_claim("REQUIRES", items, at, both=True))
        elif item.kind == WORD and item.negated:
            kind = TWICE if _denied(items, at) else FREE if item.text in _OPTIONAL else FORBIDDEN
            if kind == FREE:
                found.append(_claim(FREE, items, at, both=True))
                continue
            if item.text == "free" and at and items[at - 1].content and items[at - 1].end == item.end:
                found.append(_claim(FORBIDDEN, items, at)._replace(anchors=items[at - 1].meanings))  # "duty-free"
                continue
            window = item.meanings | _reach(items, at)
            found.append(Claim(kind, at, item.meanings, window, _left(items, at), item.text, lexical=True))
    return [_placed(items, claim) for claim in found]


def _placed(items: list[Item], claim: Claim) -> Claim:
    """With what its clause says, and whether that is a condition."""
    sentence = items[claim.at].sentence
    first = claim.at
    while first > 0 and items[first - 1].sentence == sentence and not _opens(items, first, claim.at):
        first -= 1
    last = claim.at + 1
    while last < len(items) and items[last].sentence == sentence and not _opens(items, last, claim.at):
        last += 1
    meanings = _all(items[first:last])
    joint = any(item.symbol in ("OR", "AND") or item.text == "nor" for item in items[claim.at : last])
    return claim._replace(clause=meanings | claim.anchors, sentence=sentence, joint=joint, given=_is_given(items[first]))


def _opens(items: list[Item], at: int, claim: int) -> bool:
    """Whether a clause begins at *at*, as seen from the claim's own item."""
    if at == claim:
        return False
    item = items[at]
    return item.kind == STOP or item.text in (",", ":", "(", ")", "—", "–") or item.symbol in _OPENERS or item.text in _RELATIVE


_OPENERS = frozenset({"IF", "UNLESS", "BUT", "EVENIF"})
_RELATIVE = frozenset({"who", "which", "whose", "whom", "whereas", "while", "that"})
_GIVEN = frozenset({"IF", "EVENIF", "UNLESS", "WHETHER"})


def _is_given(item: Item) -> bool:
    return item.symbol in _GIVEN or item.text in _RELATIVE or item.text in ("because", "since", "as")


def _all(items: list[Item]) -> frozenset[str]:
    found: set[str] = set()
    for item in items:
        if item.kind == QUANTITY:
            found.add(_key(item))
        elif item.content or (item.kind == WORD and item.text not in lexicon.words("auxiliaries")):
            found |= item.meanings
    return frozenset(found)


def _of_symbol(items: list[Item], at: int, item: Item, used: set[int]) -> list[Claim]:
    symbol = item.symbol
    if symbol == "SHOULD" and item.text == "should" and item.opens:
        return [_claim("IF", items, at)]  # "Should the firm refuse, …"
    if symbol in _MODALS:
        claim = _modal(items, at, _MODALS[symbol], used)
        return [claim, claim._replace(kind="REQUIRES")] if claim.kind == OBLIGED and _for_an_aim(items, at) else [claim]
    if symbol == "ALLOW":
        denied = _denied(items, at) or _pending_no(items, at, used)
        return [_claim(FORBIDDEN if denied else ALLOWED, items, at, both=True)]
    if symbol == "FORBID":
        return [_claim(FORBIDDEN, items, at, both=True)]
    if symbol in ("NOT", "WITHOUT"):
        joins = item.text == "nor" and any(each.text == "neither" for each in items[max(0, at - 8) : at])
        return [] if joins else _negation(items, at, used)
    if symbol == "NO":
        if _next_negated(items, at):
            return []
        if at and items[at - 1].text in _HAVE:
            return [_claim(FORBIDDEN, items, at, both=True)]
        if _needs(items, at - 1) or _needs(items, at + 1):
            return [_claim(FREE, items, at if _needs(items, at - 1) else at + 1)]
        return [] if _modal_follows(items, at) else [_claim(FORBIDDEN, items, _predicate(items, at), first=at)]
    if symbol == "BEFORE" and item.text == "before" and _before_a_body(items, at):
        return []
    return [_claim(symbol, items, at, both=symbol in _TWO_SIDED)] if symbol in _MARKS else []


def _before_a_body(items: list[Item], at: int) -> bool:
    """ "Before the tribunal" is no order in time."""
    following = next((each for each in items[at + 1 : at + 4] if each.content), None)
    return following is not None and following.text in (
        "court",
        "courts",
        "tribunal",
        "board",
        "commission",
        "committee",
        "council",
    )


def _for_an_aim(items: list[Item], at: int) -> bool:
    """ "To carry the label, 95 % must be organic": what must be is a condition of what the sentence begins with."""
    first = next(item for item in items[max(0, at - 40) : at + 1] if item.sentence == items[at].sentence)
    return first.text in ("to", "in order to")


def _modal(items: list[Item], at: int, kind: str, used: set[int]) -> Claim:
    if _denied(items, at):
        return _claim(_UNBOUND[kind], items, at)
    following = at + 1
    while following < len(items) and items[following].kind == WORD and not items[following].content:
        following += 1
    if following < len(items) and (items[following].symbol == "NOT" or items[following].text == "neither"):
        used.add(following)
        return _claim(_NEGATED[kind], items, following)
    if _pending_no(items, at, used):
        return _claim(_NEGATED[kind], items, at)
    return _claim(kind, items, at)


def _negation(items: list[Item], at: int, used: set[int]) -> list[Claim]:
    """A "not" that stands by itself; before a modal, an adjective that denies or "allowed" it is told there."""
    following = at + 1
    while following < len(items) and items[following].kind == WORD and not items[following].content:
        following += 1
    if following < len(items):
        after = items[following]
        if after.symbol in ("MUST", "MAY", "SHOULD", "ALLOW") and after.sentence == items[at].sentence:
            return []
        if after.kind == WORD and after.negated:
            return []
        if after.symbol == "ENTITLED" and after.text in ("possible", "is possible", "available", "open to"):
            used.add(following)
            return [_claim(FORBIDDEN, items, following, both=True)]
    if following < len(items) and items[following].text == "necessarily":
        return [_claim(FREE, items, following)]
    kind = FREE if _needs(items, at + 1) or _needs(items, at - 1) or _needs(items, following) else FORBIDDEN
    return [_claim(kind, items, at)]


_OPTIONAL = frozenset({"optional", "unnecessary", "voluntary", "needless", "discretionary"})


def _needs(items: list[Item], at: int) -> bool:
    return 0 <= at < len(items) and items[at].text in (
        "need",
        "needed",
        "necessary",
        "require",
        "required",
        "needs",
        "oblige",
        "obliged",
    )


_HAVE = frozenset({"has", "have", "had", "having", "with"})


def _denied(items: list[Item], at: int) -> bool:
    """Whether a "not" stands directly before, with only auxiliaries between."""
    back = at - 1
    while back >= 0 and items[back].kind == WORD and not items[back].content and at - back < 4:
        back -= 1
    if back and items[back].symbol == "NO" and items[back - 1].text in _HAVE:
        return False  # "a vehicle that has none may be fined"
    return back >= 0 and items[back].symbol in ("NOT", "NO") and items[back].sentence == items[at].sentence


def _next_negated(items: list[Item], at: int) -> bool:
    following = at + 1
    while following < len(items) and items[following].kind == WORD and not items[following].content:
        following += 1
    return following < len(items) and items[following].negated


def _pending_no(items: list[Item], at: int, used: set[int]) -> bool:
    """Whether the subject of the modal at *at* has a "no": "no owner or operator shall"."""
    back = at - 1
    while back >= 0 and items[back].sentence == items[at].sentence and items[back].symbol not in _MODALS:
        if items[back].symbol == "NO" and not (back and items[back - 1].text in _HAVE):
            used.add(back)
            return True
        far = items[back].kind == BREAK and items[back].text in ",:" and at - back > 8
        if far or items[back].symbol == "BUT":
            return False
        back -= 1
    return False


def _modal_follows(items: list[Item], at: int) -> bool:
    if at and items[at - 1].text in _HAVE:
        return False  # "a vehicle that has none may be fined"
    for item in items[at + 1 : at + 16]:
        if item.sentence != items[at].sentence or item.symbol in ("NO", "NOT"):
            return False
        if item.symbol in _MODALS or item.symbol == "ALLOW":
            return True
        relative = item.text in ("who", "which", "that") and items[at].text not in ("nobody", "no one", "no person", "none")
        if item.symbol in ("IF", "UNLESS", "BUT") or relative:
            return False
    return False


def _predicate(items: list[Item], at: int) -> int:
    """Where the verb of "no receipt is necessary" begins: its "is"; *at* itself where there is none."""
    for ahead in range(at + 1, min(at + 8, len(items))):
        if items[ahead].kind in (BREAK, STOP):
            break
        if items[ahead].text in ("is", "are", "was", "were", "be", "has", "have", "been"):
            if ahead + 1 < len(items) and items[ahead + 1].kind == WORD:
                return ahead
            break
    return at


def _claim(kind: str, items: list[Item], at: int, *, both: bool = False, first: int | None = None) -> Claim:
    anchors: frozenset[str] = _next(items, at)
    if kind in ("ONLY", "BEFORE") and _ends(items, at):
        both = True
    if kind == "ONLY" and items[at].text.endswith((" if", " when", " where")):
        anchors |= _previous(items, at)
    if both:
        anchors |= _previous(items, at)
    if kind == FORBIDDEN and first is not None and first != at:
        anchors |= _next(items, first)
        if _needs(items, at + 1):
            kind = FREE
    anchors = anchors or _previous(items, at) or frozenset({"∅"})
    window = (_reach if kind in _NARROW else _window)(items, at if first is None else first)
    if both:
        window |= _left(items, at)
    if kind == "OUT":
        anchors = frozenset({"∅"})
    left = _some(items[max(0, at - 12) : at][::-1], 3) if kind in ("BEFORE", "AFTER") else _left(items, at)
    return Claim(kind, at, anchors, window | anchors, left, items[at].text)


def _ends(items: list[Item], at: int) -> bool:
    """Whether a sentence or a clause ends here: "on the day of issue only"."""
    return at + 1 >= len(items) or items[at + 1].kind in (STOP, BREAK) or items[at + 1].symbol == "AND"


def _next(items: list[Item], at: int) -> frozenset[str]:
    vague: frozenset[str] = frozenset()
    for item in items[at + 1 : at + 11]:
        if item.kind == STOP or (vague and item.symbol in _CLOSES):
            break
        if item.content:
            return item.meanings | vague
        if item.kind == QUANTITY and item.quantity is not None:
            return vague | {_key(item)}
        if item.kind == WORD and not vague and item.text not in lexicon.words("auxiliaries"):
            vague = frozenset({lexicon.stem(item.text)})
    return vague


def _previous(items: list[Item], at: int) -> frozenset[str]:
    for item in reversed(items[max(0, at - 10) : at]):
        if item.kind == STOP:
            break
        if item.content:
            return item.meanings
    return frozenset()


def _window(items: list[Item], at: int) -> frozenset[str]:
    return _some(items[at + 1 : at + 1 + 4 * WINDOW])


def _reach(items: list[Item], at: int) -> frozenset[str]:
    """What a "not" or an "only" can be said of: three content words, not beyond a conjunction, a condition or another modal."""
    found: set[str] = set()
    count = 0
    for item in items[at + 1 : at + 13]:
        if item.kind == STOP or count == 3 or item.symbol in _BOUNDS or (item.text == "," and items[at].symbol == "BEFORE"):
            break
        if item.content:
            found |= item.meanings
            count += 1
        elif item.kind == QUANTITY:
            found.add(_key(item))
    return frozenset(found)


def _left(items: list[Item], at: int) -> frozenset[str]:
    return _some(items[max(0, at - 4 * WINDOW) : at][::-1])


def _some(items: list[Item], most: int = WINDOW) -> frozenset[str]:
    """The meanings of the first few content words, up to the end of the sentence."""
    found: set[str] = set()
    count = 0
    for item in items:
        if item.kind == STOP or count == most:
            break
        if item.content:
            found |= item.meanings
            count += 1
        elif item.kind == QUANTITY:
            found.add(_key(item))
        elif item.kind == WORD and item.text not in lexicon.words("auxiliaries"):
            found |= item.meanings
    return frozenset(found)


def _key(item: Item) -> str:
    quantity = item.quantity
    return f"#{sorted(map(str, quantity.values))[0]} {quantity.unit}" if quantity is not None else ""
