"""Quantities both ways: the rewrite has each of the source's and no other, and compares it in the same sense."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from pincite.enrich.gate import derived
from pincite.enrich.gate.joined import Joined
from pincite.enrich.gate.quantity import Quantity
from pincite.enrich.gate.reading import BREAK, QUANTITY, STOP, Item, Reading

NEAR = 3  # items between a preposition that compares and its amount
FAR = 7  # the same for a noun: "a maximum of", "the limit for members is"
_NOUNS = frozenset(
    {"maximum", "max", "minimum", "min", "limited to", "capped at", "ceiling", "a limit of", "upper limit of", "lower limit of"}
) | frozenset(["limit", "limits", "limited", "cap", "caps", "capped"])
_COMPARE = frozenset(["LE", "GE", "LT", "GT", "APPROX", "UNTIL", "BEFORE", "AFTER", "FROM", "BY"])
_OF_TIME = frozenset({"UNTIL", "BEFORE", "AFTER", "FROM", "BY"})
_FLIPPED = {"GT": "LE", "LT": "GE", "GE": "LT", "LE": "GT"}
_AGE = frozenset({"age", "aged", "old", "older", "young", "younger", "adult", "adults", "child", "children"})


class Bound(NamedTuple):
    """A quantity with how it is compared: LE, GE, LT, GT, UNTIL, BEFORE, R (an end of a range) or "" (exactly), and whether a
    "not" stands before the comparison."""

    quantity: Quantity
    compared: str
    denied: bool
    about: bool  # "approximately"
    each: bool  # "for every £100", "per 10 kg"
    age: bool


def bounds(reading: Reading) -> list[Bound]:
    """Every quantity of a text with its comparison."""
    items = reading.items
    found = []
    for at, item in enumerate(items):
        if item.kind == QUANTITY and item.quantity is not None:
            compared, where = _compared(items, at)
            denied = where >= 0 and _denied(items, where)
            about = any(each.symbol == "APPROX" for each in items[max(0, at - 3) : at])
            each_ = at > 0 and (items[at - 1].text in ("per", "every", "each") or items[at - 1].text == "every")
            age = any(_AGE & set(each.text.split()) for each in items[max(0, at - 5) : at + 5])
            found.append(Bound(item.quantity, compared, denied, about, each_, age))
    return found


def _compared(items: list[Item], at: int) -> tuple[str, int]:
    """How the quantity at *at* is compared, and where that is said (-1: nowhere)."""
    kind = items[at].quantity.kind  # type: ignore[union-attr]
    if kind == "id":
        return "", -1
    if kind == "every":
        before = items[at - 1] if at else None
        return (before.symbol, at - 1) if before is not None and before.symbol in ("LE", "GE", "LT", "GT") else ("", -1)
    after = _after(items, at)
    if after:
        return after
    if _in_range(items, at):
        return "R", -1
    for back in range(at - 1, max(-1, at - 1 - FAR), -1):
        item = items[back]
        if item.kind == STOP or (item.kind == QUANTITY and item.quantity is not None and not item.quantity.soft):
            break
        if item.kind == BREAK and item.text != ":" and at - back > 1:
            break
        if kind == "number" and item.text == "within":
            continue
        if item.symbol in _OF_TIME and kind not in ("period", "date", "time") and not _dated(items, at):
            continue
        if kind == "number" and item.text in ("under", "over", "above", "below", "beyond") and _names(items, back, at):
            break
        if item.text.startswith(("or ", "and ")) and item.symbol in ("LE", "GE"):
            break  # "220 mm or greater and the pitch 42°": it compares the amount before it
        if item.symbol in _COMPARE and item.symbol != "APPROX" and at - back <= _reach(items, back, at):
            return _before_it(items, at, item, _meant(item, items[at])), back
    if at and items[at - 1].text == "in" and items[at].quantity.kind == "period":  # type: ignore[union-attr]
        return "IN", -1
    return "", -1


def _names(items: list[Item], back: int, at: int) -> bool:
    """Whether a number is the name of what a preposition leads to: "under heading 6403"."""
    return at - back > 1 and all(each.content or each.text in ("the", "this") for each in items[back + 1 : at])


def _reach(items: list[Item], back: int, at: int) -> int:
    """How far from its amount a comparing word may stand: "after giving 24 hours' notice" compares no hours."""
    item = items[back]
    if item.symbol in ("BEFORE", "AFTER", "UNTIL", "FROM", "BY"):
        between = items[back + 1 : at]
        return NEAR if all(each.text in _BETWEEN or each.symbol for each in between) else 0
    if item.text in _NOUNS or item.symbol in ("LE", "GE"):
        return FAR
    return NEAR + 2 if all(each.text in _BETWEEN for each in items[back + 1 : at]) else NEAR


_BETWEEN = frozenset({"the", "a", "an", "its", "another", "further", "each", "every", "day", "age", "of", "that", "first"})


def _before_it(items: list[Item], at: int, item: Item, compared: str) -> str:
    """ "No later than 10 days before" is at least ten days before, "no earlier than" at most."""
    if at + 1 < len(items) and items[at + 1].symbol == "BEFORE" and ("later" in item.text or "earlier" in item.text):
        return "GE" if "later" in item.text else "LE"
    if at + 1 < len(items) and items[at + 1].symbol == "BEFORE" and item.text in ("up to", "until", "till", "up until"):
        return "GE"
    return compared


def _dated(items: list[Item], at: int) -> bool:
    """Whether a plain number is a day or an age: "by the 10th", "before age 60"."""
    quantity = items[at].quantity
    ordinal = items[at].text.endswith(("th", "st", "nd", "rd")) and quantity is not None and not _is_part(quantity)
    return ordinal or any(item.text in ("age", "aged") for item in items[max(0, at - 2) : at])


def _meant(item: Item, amount: Item) -> str:
    """What a comparing word means before this amount: "by" and "before" a date, "after" a time."""
    if item.text == "on or before":
        return "LE"
    if item.text in ("on or after",):
        return "GE"
    if item.symbol == "BY":
        return "LE"
    if item.symbol == "AFTER":
        return "AFTER" if amount.quantity is not None and amount.quantity.kind == "period" else "GT"
    if item.symbol == "BEFORE":
        return "LT"
    return item.symbol


def _after(items: list[Item], at: int) -> tuple[str, int] | None:
    """A comparison that follows its amount: "30 days or more", "18 and over", "an 80 % maximum"."""
    for ahead in range(at + 1, min(at + 6, len(items))):
        item = items[ahead]
        if item.kind in (STOP, QUANTITY):
            return None
        if item.text == "later" and item.symbol and ahead == at + 1:
            return "AFTER", -1
        if item.symbol == "GT" and item.text.startswith("exceed") and not _amount_follows(items, ahead):
            return "GT", ahead
        if item.text in ("at most", "at least") and ahead == at + 1 and _ends_there(items, ahead):
            return item.symbol, ahead
        if item.symbol in ("LE", "GE") and (item.text.startswith(("or ", "and ", "at the ")) or item.text in _AFTERWARDS):
            following = items[ahead + 1 : ahead + 4]
            if (
                item.text in _AFTERWARDS
                and ahead > at + 1
                and (ahead - at > 2 or any(each.kind == QUANTITY or each.text == "of" for each in following))
            ):
                return None
            return item.symbol, ahead
    return None


def _ends_there(items: list[Item], at: int) -> bool:
    """Whether a clause ends with the item at *at*."""
    return at + 1 == len(items) or items[at + 1].kind in (STOP, BREAK) or items[at + 1].symbol in ("AND", "IF")


def _amount_follows(items: list[Item], at: int) -> bool:
    return any(each.kind == QUANTITY for each in items[at + 1 : at + 4] if each.sentence == items[at].sentence)


_AFTERWARDS = frozenset({"maximum", "minimum", "limit", "cap", "ceiling"})


def _in_range(items: list[Item], at: int) -> bool:
    """Whether the amount is an end of "between a and b", "from a to b", "a–b" or "a to b"."""
    for other, between in ((at + 1, None), (at - 1, None), (at + 2, at + 1), (at - 2, at - 1)):
        if not 0 <= other < len(items) or items[other].kind != QUANTITY:
            continue
        first, second = sorted((at, other))
        head = items[max(0, first - 2) : first]
        spanned = any(each.text in ("between", "from") for each in head)
        if between is None:
            if items[at].quantity.end + 3 >= items[other].quantity.start and _same_kind(items[first], items[second]):  # type: ignore[union-attr]
                return spanned or _dashed(items[first], items[second])
            continue
        joint = items[between].text
        if joint == "to" and not spanned and _falls(items[first], items[second]):
            continue  # "3.5 to 1" is a ratio
        if _same_kind(items[first], items[second]) and (joint in ("–", "—", "to", "through") or (joint == "and" and spanned)):
            return True
    return False


def _falls(first: Item, second: Item) -> bool:
    one, two = first.quantity, second.quantity
    if one is None or two is None or one.kind != "number" or two.kind != "number":
        return False
    larger, smaller = ([value for value in each.values if isinstance(value, Fraction)] for each in (one, two))
    return bool(larger and smaller) and max(larger) > max(smaller)


def _same_kind(first: Item, second: Item) -> bool:
    one, two = first.quantity, second.quantity
    return one is not None and two is not None and one.kind == two.kind


def _dashed(first: Item, second: Item) -> bool:
    one, two = first.quantity, second.quantity
    return one is not None and two is not None and 0 < two.start - one.end <= 3


def _denied(items: list[Item], where: int) -> bool:
    """Whether a "not" or a "no" of the same sentence turns the comparison at *where*, beyond an "or" other amounts' too."""
    joined = False
    for item in reversed(items[max(0, where - 24) : where]):
        joined = joined or item.symbol == "OR" or item.text == "nor"
        amount = item.quantity is not None and item.quantity.kind != "id"
        if item.kind == STOP or (amount and not joined) or item.symbol in ("UNLESS", "IF", "ONLY", "BUT"):
            return False
        if item.symbol in ("NOT", "NO", "FORBID", "WITHOUT"):
            return True
    return False


# --- comparing two texts ---------------------------------------------------------------------------------------------------


def check(joined: Joined, both_ways: bool) -> list[tuple[str, str]]:
    """Reasons: a quantity that was lost, added, or is compared in another sense."""
    source, rewrite = joined.source, joined.rewrite
    ours, theirs = bounds(source), bounds(rewrite)
    more = _not_worked_out(rewrite, theirs, ours)
    found = _missing(more, ours, "added", "the rewrite has {}, the source does not")
    if both_ways:
        less = _not_worked_out(source, ours, theirs)
        found += _missing(less, theirs, "lost", "the source has {}, the rewrite does not")
    found += _crossed(ours, theirs)
    return found + _first_for_last(source, rewrite) + _first_for_last(rewrite, source)


def _first_for_last(one: Reading, other: Reading) -> list[tuple[str, str]]:
    """ "the last year" for "the first year": the one word that stands against an ordinal."""
    first = ["first" in {item.text for item in reading.items} for reading in (one, other)]
    last = [bool({"last", "final"} & {item.text for item in reading.items}) for reading in (one, other)]
    return [("contrast", "one text says 'first', the other 'last'")] if first == [True, False] and last == [False, True] else []


def _missing(these: list[Bound], those: list[Bound], how: str, sentence: str) -> list[tuple[str, str]]:
    table = _by_value(those)
    found = []
    for bound in _different(these):
        if bound.quantity.soft:
            continue
        same = [other for value in _keys(bound) for other in table.get(value, ()) if _same_amount(bound, other)]
        if not same:
            found.append((f"{bound.quantity.kind}_{how}", sentence.format(repr(bound.quantity.text))))
        elif not any(comparable(bound, other) for other in same):
            said = same[0].quantity.text
            found.append(("comparison", f"{bound.quantity.text!r} and {said!r} are not compared in the same sense"))
        elif not any(bound.about == other.about for other in same):
            found.append(("comparison", f"{bound.quantity.text!r} is approximate in one text only"))
    return found


def _not_worked_out(reading: Reading, these: list[Bound], those: list[Bound]) -> list[Bound]:
    """The amounts of a text that do not follow from others which both texts have."""
    known = derived.listed_numbers((each.quantity for each in these), [each.quantity for each in those if each.compared == "R"])
    known |= derived.differences(reading)
    return [bound for bound in these if bound.quantity.start not in known]


def _crossed(ours: list[Bound], theirs: list[Bound]) -> list[tuple[str, str]]:
    """An amount in several places: what is left when those compared alike are set against each other, and is opposed."""
    here, there = _by_value(ours), _by_value(theirs)
    found = []
    for value in here.keys() & there.keys():
        mine, yours = here[value], there[value]
        if len(mine) + len(yours) == 2:
            continue  # one each: see _missing
        known, told = ({_sense(each) for each in side} for side in (mine, yours))
        left = [each for each in mine if _sense(each) not in told]
        right = [each for each in yours if _sense(each) not in known]
        pairs = [(one, two) for one in left for two in right if one.quantity.agrees(two.quantity)]
        if pairs and not any(comparable(one, two) for one, two in pairs):
            said = right[0].quantity.text
            found.append(("comparison", f"{said!r} is not compared in the same sense in all its places"))
    return found


def _sense(bound: Bound) -> tuple[str, str, str]:
    return bound.quantity.kind, bound.quantity.unit, _flip(bound)


def _different(listed: Iterable[Bound]) -> list[Bound]:
    """One of each: what is said again in the same way need not be compared again."""
    found = {
        (q.kind, q.values, q.unit, q.soft, *bound[1:]): bound for bound in reversed(list(listed)) for q in (bound.quantity,)
    }
    return list(reversed(found.values()))


def _by_value(listed: Iterable[Bound]) -> dict[object, list[Bound]]:
    table: dict[object, list[Bound]] = defaultdict(list)
    for bound in _different(listed):
        for value in _keys(bound):
            table[value].append(bound)
    return table


def _keys(bound: Bound) -> Iterable[object]:
    quantity = bound.quantity
    yield from quantity.values
    if quantity.kind == "percent":
        yield from (value / 100 for value in quantity.values)  # type: ignore[operator]
    if quantity.kind == "number" and _is_part(quantity):
        yield from (value * 100 for value in quantity.values)  # type: ignore[operator]
    if quantity.kind == "period" and quantity.unit == "month":
        yield from (value / 12 for value in quantity.values)  # type: ignore[operator]


def _same_amount(one: Bound, two: Bound) -> bool:
    if one.quantity.agrees(two.quantity):
        return True
    for years, number in ((one, two), (two, one)):
        if years.quantity.unit == "%" and number.quantity.kind == "number" and _is_part(number.quantity):
            return bool({value / 100 for value in years.quantity.values} & number.quantity.values)  # type: ignore[operator]
        if years.quantity.unit == "times" and number.quantity.kind == "number":
            return bool(years.quantity.values & number.quantity.values)
        if years.quantity.unit == "month" and number.quantity.kind == "number" and number.age:
            return bool({value / 12 for value in years.quantity.values} & number.quantity.values)  # type: ignore[operator]
    return False


def _is_part(quantity: Quantity) -> bool:
    """Whether a number is a part of a whole, which can be told in percent: "half of the fee"."""
    return all(isinstance(value, Fraction) and 0 < value < 1 for value in quantity.values) and not quantity.text[0].isdigit()


def comparable(one: Bound, two: Bound) -> bool:
    """Whether two equal quantities are not compared in opposite senses: "not more than" is "at most", "at least" is not."""
    if one.each != two.each and "every" not in (one.quantity.kind, two.quantity.kind):
        return False
    if one.compared == two.compared:
        return True  # whether a "not" turns it is told by the negations
    pair = {_flip(one), _flip(two)}
    if pair == {"GE", "GT"} or pair == {"LE", "LT"}:
        return False
    if "R" in pair and pair & {"LT", "GT"}:
        return False
    return not (pair & _LEAST and pair & _MOST)


_LEAST, _MOST = frozenset({"GE", "GT", "AFTER", "FROM"}), frozenset({"LE", "LT", "UNTIL"})


def _flip(bound: Bound) -> str:
    return _FLIPPED.get(bound.compared, bound.compared) if bound.denied else bound.compared


def turned(claim_at: int, reading: Reading, other: Reading) -> bool:
    """Whether the "not" at an item only turns a comparison that the other text has turned: "not more than" for "at most"."""
    items = reading.items
    for at in range(claim_at + 1, min(claim_at + 14, len(items))):
        if items[at].kind == STOP:
            return False
        if items[at].symbol in _FLIPPED:
            near = [*items[at + 1 : at + 4], *items[max(0, claim_at - 6) : claim_at][::-1]]
            amount = next((each.quantity for each in near if each.quantity is not None), None)
            if amount is not None:
                turn = _FLIPPED[items[at].symbol]
                return any(bound.compared in (turn, "") and amount.agrees(bound.quantity) for bound in bounds(other))
    return False
